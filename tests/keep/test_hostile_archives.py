"""An archive may come from anywhere: what is not plainly a backup is refused, and nothing is written."""

import zipfile
from pathlib import Path
from typing import Any

import pytest

from keep.hostile import LINK, archive
from prowess.core.errors import ProwessError, RefusedError
from prowess.keep.restore import restore


def brought_back(file: Path, data: Path) -> None:
    restore(str(file), str(data), databases=[], engine=str(data / "engine"), replace=False)


def test_the_archive_that_the_others_are_changed_from_is_fine(tmp_path: Path) -> None:
    brought_back(archive(tmp_path / "a.zip"), tmp_path / "data")

    assert (tmp_path / "data/runs/a").read_bytes() == b"content"


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"name": "../climbed"}, id="climbs"),
        pytest.param({"name": "runs/../../climbed"}, id="climbs later"),
        pytest.param({"name": "/tmp/climbed"}, id="absolute"),  # noqa: S108  never written
        pytest.param({"folders": ["../climbed"]}, id="a folder climbs"),
        pytest.param({"folders": ["/climbed"]}, id="an absolute folder"),
        pytest.param({"folders": [7]}, id="a folder without a name"),
        pytest.param({"folders": ["runs/a"]}, id="a folder for a file"),
        pytest.param({"name": "runs//a"}, id="an empty name"),
        pytest.param({"name": "./a"}, id="a dot"),
        pytest.param({"name": "runs/"}, id="a folder"),
        pytest.param({"name": "link", "content": b"/etc/passwd", "mode": LINK}, id="a link"),
        pytest.param({"mode": 0o010600}, id="a pipe"),
        pytest.param({"told_name": "other"}, id="another name"),
        pytest.param({"told_sum": "0" * 64}, id="another sum"),
        pytest.param({"told_sum": None}, id="no sum"),
        pytest.param({"told_bytes": 3}, id="another size"),
        pytest.param({"told_bytes": -1}, id="less than nothing"),
        pytest.param({"told_bytes": "7"}, id="a size in words"),
        pytest.param({"name": "runs/honest/a"}, id="a file for a folder"),
        pytest.param({"name": "runs/honest"}, id="twice"),
        pytest.param({"name": "a" * 300}, id="a name that no disk takes"),
        pytest.param({"method": zipfile.ZIP_LZMA}, id="another packing"),
        pytest.param({"rows": ["event"]}, id="rows of no table"),
        pytest.param({"rows": {"log": {"event": "many"}}}, id="rows in words"),
        pytest.param({"manifest": "no json"}, id="no manifest"),
        pytest.param({"manifest": "[]"}, id="a list for a manifest"),
        pytest.param({"manifest": "{}"}, id="an empty manifest"),
        pytest.param({"manifest": "[" * 100_000}, id="a manifest that nests"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_is_not_plainly_a_backup_is_refused_and_nothing_is_written(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    (tmp_path / "there").mkdir()
    file = archive(tmp_path / "there" / "a.zip", **changes)

    with pytest.raises(ProwessError) as failed:
        brought_back(file, tmp_path / "there" / "data")

    assert failed.value.hint
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written == [file]


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    """It says of a few bytes that they are more than any packing could make of them."""
    most = 1 << 24
    file = archive(tmp_path / "a.zip", told_bytes=most, claimed_bytes=most)

    with pytest.raises(RefusedError, match="too much for its size"):
        brought_back(file, tmp_path / "data")

    assert not (tmp_path / "data").exists()
