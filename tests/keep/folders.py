"""A data folder with two databases, runs, and what lies beside them; its backup, and the way back."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from prowess.keep.archive import Manifest
from prowess.keep.backup import back_up
from prowess.keep.restore import Restored, restore
from support import write_file


def database(path: Path, rows: int = 10) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as made:
        made.execute("pragma journal_mode = wal")
        made.execute("create table t (text)")
        made.executemany("insert into t values (?)", [("row " * 50,)] * rows)
    return path


def count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as opened:
        (found,) = opened.execute("select count(*) from t").fetchone()
    return int(found)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    database(data / "log.sqlite3", 30)
    database(data / "engine.sqlite3", 20)
    write_file(data / "runs/one/outputs/1.txt", "long output")
    write_file(data / "runs/one/outputs/ü ö.txt", "more")
    write_file(data / "index/cache", "is made again")
    write_file(data / "engine.sqlite3.workers/1-dead", "")
    write_file(data / "engine.sqlite3.lock", "")
    return data


def backed_up(data: Path, name: str = "kept.zip") -> tuple[Path, Manifest]:
    file = data.parent / name
    made = back_up(
        str(data),
        str(file),
        databases=[str(data / "log.sqlite3"), str(data / "engine.sqlite3")],
        rebuilt=[str(data / "index")],
    )
    return file, made


def brought_back(file: Path, data: Path, *, replace: bool = False) -> Restored:
    names = [str(data / "log.sqlite3"), str(data / "engine.sqlite3")]
    return restore(str(file), str(data), databases=names, engine=names[-1], replace=replace)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm", ".opening"))
    }
