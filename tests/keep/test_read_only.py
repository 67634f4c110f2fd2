"""What can only be read can be backed up, journal and all; and while somebody writes it is refused."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from keep.folders import backed_up, brought_back, count
from prowess.core.errors import ConflictError
from prowess.keep import snapshot

# On a read-only file system, in a namespace of its own. It may write where the backup goes.
READ_ONLY = """
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && ! touch "$1/new" 2>/dev/null || exit 99
shift
exec "$@"
"""
BACK_UP = """
import sys
from pathlib import Path
from keep.folders import backed_up
backed_up(Path(sys.argv[1]))
"""
# A process that is killed when it has written something.
WRITE = """
import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.executemany("insert into t values (?)", [("last",)] * int(sys.argv[2]))
os._exit(0)
"""


def on_a_read_only_file_system(data: Path, *command: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not here")
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", READ_ONLY, "sh"]
    done = subprocess.run(
        [*words, str(data), *command],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 99 or done.stderr.startswith("unshare:"):
        pytest.skip("nothing can be mounted here")
    return done


def left_in_the_journal(path: Path, rows: int) -> None:
    """As a process leaves it that is killed: what it wrote last is beside the database only."""
    words = [sys.executable, "-c", WRITE, str(path), str(rows)]
    subprocess.run(words, check=True)
    assert path.with_name(f"{path.name}-wal").stat().st_size


def test_a_data_folder_on_a_read_only_file_system_is_backed_up_with_its_journals(
    data: Path, tmp_path: Path
) -> None:
    left_in_the_journal(data / "log.sqlite3", 5)
    for name in ("log.sqlite3-shm", "engine.sqlite3.opening"):
        (data / name).unlink(missing_ok=True)  # as after a move, or a restart

    done = on_a_read_only_file_system(data, sys.executable, "-c", BACK_UP, str(data))

    assert done.returncode == 0, done.stderr
    again = tmp_path / "again"
    made = brought_back(data.parent / "kept.zip", again).manifest
    assert set(made.rows) == {"log.sqlite3", "engine.sqlite3"}
    assert not any(name.endswith(("-wal", "-shm")) for name in made.files)
    assert (count(again / "log.sqlite3"), count(again / "engine.sqlite3")) == (35, 20)


def test_who_opens_what_can_only_be_read_is_told_why_and_how_to_read_it(
    data: Path, project: Path
) -> None:
    (data / "log.sqlite3-shm").unlink(missing_ok=True)

    done = on_a_read_only_file_system(
        data, sys.executable, "-m", "prowess", "runs", "list", "--data", str(data)
    )

    assert done.returncode == 3
    assert "its file system is read-only" in done.stderr
    assert "`prowess backup FILE` copies it as it lies" in done.stderr


def test_a_folder_that_others_write_to_meanwhile_is_not_copied_as_it_lies(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = snapshot._copy_bytes

    def interrupted(path: str, target: str) -> None:
        copy(path, target)
        if path.endswith("engine.sqlite3"):
            with closing(sqlite3.connect(data / "log.sqlite3")) as other, other:
                other.execute("insert into t values ('meanwhile')")

    monkeypatch.setattr(snapshot, "_is_writable", lambda _: False)
    monkeypatch.setattr(snapshot, "_copy_bytes", interrupted)

    with pytest.raises(ConflictError, match="somebody writes"):
        backed_up(data)

    assert [path.name for path in data.parent.iterdir()] == ["data"]
