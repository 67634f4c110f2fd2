"""Folders that commands forget to make."""

from collections.abc import Callable
from pathlib import Path

import pytest

from prowess.core.chat import Call, Observation
from prowess.core.verdict import Verdict
from support import write_file

Act = Callable[..., Observation]


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("echo x > out/a.txt", "out/a.txt"),
        ("echo x >>logs/today/a.txt", "logs/today/a.txt"),
        ("echo x 2> out/errors.txt", "out/errors.txt"),
        ("cp notes.txt backup/old/notes.txt", "backup/old/notes.txt"),
        ("cp notes.txt backup/", "backup/notes.txt"),
        ("mv -f notes.txt archive/notes.txt", "archive/notes.txt"),
        ("touch src/new/__init__.py", "src/new/__init__.py"),
        ("cat notes.txt | tee out/copy.txt", "out/copy.txt"),
        ("echo x > 'two words/a.txt'", "two words/a.txt"),
    ],
)
def test_a_folder_that_is_written_into_is_made_first(
    act: Act, workspace: Path, command: str, made: str
) -> None:
    write_file(workspace / "notes.txt", "x\n")

    seen = act("Bash", command=command)

    assert seen.ok, seen.text
    assert (workspace / made).exists()
    assert seen.healed[0].startswith("made the folder ")


def test_mkdir_makes_the_parents_that_are_missing(act: Act, workspace: Path) -> None:
    seen = act("Bash", command="mkdir src/new && echo x > src/new/a.txt")

    assert seen.ok, seen.text
    assert (workspace / "src" / "new" / "a.txt").exists()
    assert seen.healed == ("made the folders above, too",)


@pytest.mark.parametrize(
    "command",
    [
        "[ -d out ] || echo none > out/a.txt",
        "test -e out/a.txt && echo x > out/a.txt",
        "rmdir out; echo x > out/a.txt",
        "cd /; echo x > out/a.txt",
        "echo x > $HOME/out/a.txt",
        "echo x > /dev/nowhere/a.txt",
        "cp -t a b/c",
        "mkdir -m 700 a/b",
        "echo x 2>&1",
    ],
)
def test_no_folder_is_made_that_a_command_speaks_of_or_that_is_elsewhere(
    act: Act, workspace: Path, command: str
) -> None:
    seen = act("Bash", command=command)

    assert seen.healed == ()
    assert list(workspace.iterdir()) == []


def test_a_folder_is_not_made_where_that_is_not_granted(act: Act, workspace: Path) -> None:
    def no_mkdir(call: Call) -> Verdict:
        return Verdict(allowed="mkdir" not in str(call.input), reason="no")

    seen = act("Bash", command="echo x > out/a.txt", _place={"gate": no_mkdir})

    assert not seen.ok
    assert not (workspace / "out").exists()
