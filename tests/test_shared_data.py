"""
Real and hostile skills, when they lie beside the checkout (`PROWESS_SHARED`, default ../shared).

Nobody needs that folder to pass the tests: without it there are no cases here.
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prowess.core.errors import ProwessError
from prowess.core.skill import Skill
from prowess.discover.catalog import Catalog, open_catalog
from prowess.discover.resources import read_resource
from prowess.discover.roots import Root
from support import Cli, write_file

SHARED = Path(os.environ.get("PROWESS_SHARED", Path(__file__).parent.parent.parent / "shared"))
DATA = SHARED / "data"
LIMIT = 200 * 1024 * 1024


def catalog_of(folder: Path) -> Catalog:
    return open_catalog([Root(str(folder), "project")])


def lines(name: str) -> list[dict[str, Any]]:
    path = DATA / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def present(name: str) -> list[Any]:
    """The folder, if it is there; else one case that says what it is about and is skipped."""
    why = f"{name} is not here: PROWESS_SHARED says where it lies"
    return (
        [DATA / name]
        if (DATA / name).exists()
        else [pytest.param(DATA, marks=pytest.mark.skipif("True", reason=why))]
    )


def made(tmp_path: Path, maker: str) -> Path:
    subprocess.run([sys.executable, DATA / maker, tmp_path / "made"], check=True)
    return tmp_path / "made"


@pytest.mark.parametrize("folder", present("skills-sample"))
def test_every_real_skill_loads(folder: Path, cli: Cli) -> None:
    files = sorted(folder.glob("*/SKILL.md"))

    found = cli("list", "--json", "--dir", folder).json

    listed = {skill["path"] for skill in found["skills"]} | {
        each["path"] for each in found["shadowed"]
    }
    assert listed == {str(file.parent) for file in files}
    assert not [problem for problem in found["problems"] if problem["level"] == "error"]


@pytest.mark.parametrize("folder", present("skills-sample-broken"))
def test_every_broken_skill_is_repaired_or_explained(folder: Path) -> None:
    catalog = catalog_of(folder)

    loaded = {skill.path for skill in catalog.skills.values()} | {s.path for s in catalog.shadowed}
    explained = {os.path.dirname(problem.path): problem for problem in catalog.problems}
    for row in json.loads((folder / "INDEX.json").read_text()):
        path = str(folder / row["dir"])
        if not os.path.exists(path):
            continue  # the index knows a few that were left out
        assert path in loaded or explained[path].hint, row["dir"]
        if row["yaml_error"]:
            assert path in loaded
            assert path in explained


@pytest.mark.parametrize("maker", present("tricky/make.py"))
def test_every_awkward_file_is_survived(maker: Path, tmp_path: Path) -> None:
    root = made(tmp_path, "tricky/make.py")

    catalog = catalog_of(root)

    named = {os.path.dirname(problem.path) for problem in catalog.problems}
    loaded = {skill.path for skill in catalog.skills.values()}
    for folder in sorted(root.iterdir()):
        if any(folder.iterdir()) and not folder.is_symlink():
            assert str(folder) in loaded | named, folder.name
    assert all(problem.hint for problem in catalog.problems)


@pytest.mark.parametrize("maker", present("skill-files/generate.py"))
def test_every_hostile_folder_is_survived(maker: Path, tmp_path: Path) -> None:
    """In a process of its own, with little memory: nothing may hang, crash, run or eat."""
    made(tmp_path, "skill-files/generate.py")
    for case in (tmp_path / "made/manifest.jsonl").read_text().splitlines():
        expected = json.loads(case)
        root = tmp_path / "made" / expected["root"]
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "prowess",
                "list",
                "--json",
                "--dir",
                root,
                "--data",
                tmp_path / "data",
            ],
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT)),
        )
        found = json.loads(done.stdout)
        names = {skill["name"] for skill in found["skills"]}

        assert "zz-good" in names, expected["case"]
        if expected["expect"] == "load":
            assert len(names) > 1, expected["case"]
        if expected["expect"] == "reject":
            assert names == {"zz-good"}, expected["case"]
            assert any(problem["level"] == "error" for problem in found["problems"]), expected[
                "case"
            ]
        assert "Traceback" not in done.stderr
        assert not list(root.rglob("PWNED"))


RESOURCE_CASES = [
    row for row in lines("security/path_escape.jsonl") if row["kind"] == "resource_read"
]


@pytest.mark.parametrize("folder", present("security"))
@pytest.mark.parametrize("row", RESOURCE_CASES or [{}], ids=lambda row: row.get("id", "none"))
def test_a_supporting_file_is_read_only_inside_its_skill(
    row: dict[str, Any], folder: Path, tmp_path: Path
) -> None:
    for entry in row["setup"]:
        path = tmp_path / entry["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry["type"] == "file":
            write_file(path, entry["content"])
        elif entry["type"] == "symlink":
            path.symlink_to(entry["target"].replace("${TMP}", str(tmp_path)))
        elif entry["type"] == "fifo":
            os.mkfifo(path)
    skill = Skill(
        name="skill",
        description="d",
        format="skill.md",
        location="project",
        path=str(tmp_path / row["skill_root"]),
        files=("SKILL.md",),
        header={},
    )
    request = row["request"].replace("%2f", "/") if row["via"] == "rest" else row["request"]

    if row["expect"] == "allow":
        assert row["content_contains"] in read_resource(skill, request)
        return
    with pytest.raises(ProwessError) as refused:
        read_resource(skill, request)
    for secret in row["must_not_leak"]:
        assert secret not in str(refused.value) + refused.value.hint
