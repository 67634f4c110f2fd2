"""A plan is read from a plain file of a bearable size, and from nothing else."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from prowess import engine
from prowess.core.errors import UsageError
from prowess.select.plan import MAX_BYTES
from prowess.select.plan_file import plan_bytes

Read = Callable[[str], object]
READERS = pytest.mark.parametrize("read", [plan_bytes, engine.read_plan_file])


def test_a_plan_is_read_whole(tmp_path: Path) -> None:
    plan = tmp_path / "PLAN.md"
    plan.write_bytes(b"- [ ] one\r\n" * 1_000)

    assert plan_bytes(str(plan)) == plan.read_bytes()


def test_a_link_to_a_plan_is_followed(tmp_path: Path) -> None:
    (tmp_path / "PLAN.md").write_bytes(b"- [ ] one\n")
    (tmp_path / "link.md").symlink_to("PLAN.md")

    assert plan_bytes(str(tmp_path / "link.md")) == b"- [ ] one\n"


@READERS
@pytest.mark.parametrize(
    ("path", "told"), [("/dev/null", "/dev/null is not a plain file"), ("/", "/ is a folder")]
)
def test_what_is_no_plain_file_is_refused_with_what_to_name_instead(
    read: Read, path: str, told: str
) -> None:
    with pytest.raises(UsageError) as refused:
        read(path)

    assert str(refused.value) == told
    assert refused.value.hint == "name a plan, which is a Markdown file"


# Each in a process of its own, so that one that waits for a writer can be ended.
@pytest.mark.parametrize("command", [["plan"], ["prompt", "--plan"]])
def test_a_pipe_that_nobody_writes_into_is_refused_at_once(
    tmp_path: Path, command: list[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")

    told = subprocess.run(
        [sys.executable, "-m", "prowess", *command, "pipe"],
        cwd=tmp_path,
        env={**os.environ, "PROWESS_DATA": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("prowess: pipe is not a plain file\n")


@READERS
def test_a_plan_that_is_too_long_is_refused_before_it_is_read(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "PLAN.md"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)  # a hole: it takes no room

    with pytest.raises(UsageError) as refused:
        read(str(path))

    assert str(refused.value) == f"{path} has {MAX_BYTES + 1:,} bytes"


def test_a_plan_that_is_not_there_is_told_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        plan_bytes(str(tmp_path / "nowhere.md"))

    assert str(refused.value).endswith("nowhere.md cannot be read: No such file or directory")
