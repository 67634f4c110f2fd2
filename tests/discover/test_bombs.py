"""
Folders made to eat memory or time. Each is met by a process of its own that has little of both.

What is found beside the bomb shows that the process lived; nobody looks at a clock.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support import write_file, write_skill

MEGABYTE = 1024 * 1024
MEMORY, SECONDS = 200 * MEGABYTE, 20  # of CPU
LARGE = 15 * MEGABYTE  # just under what is read at all
HEADER = b"---\nname: bomb\ndescription: Goes off.\n---\n"
Bomb = Callable[[Path], object]


def run(*arguments: object, home: Path) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    command = [sys.executable, "-m", "prowess", *map(str, arguments), "--data", str(home / "data")]
    return subprocess.run(
        command, cwd=home, capture_output=True, text=True, check=False, preexec_fn=limit
    )


def answer(*arguments: object, home: Path) -> Any:
    done = run(*arguments, "--json", home=home)

    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_skill(tmp_path / "skills", "good", description="Mends shoes. Use when a sole is loose.")
    return tmp_path / "skills"


def skill_md(content: bytes) -> Bomb:
    return lambda root: write_file(root / "bomb" / "SKILL.md", content)


def manifest(content: bytes) -> Bomb:
    return lambda root: write_file(root / "bomb" / "manifest.json", content)


def workflow(content: bytes) -> Bomb:
    return lambda root: write_file(root / "bomb" / "skill.yaml", content)


def deep_folders(root: Path) -> None:
    """Deeper than a path can be written down."""
    here = os.open(root, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("deeper" * 20, dir_fd=here)
        deeper = os.open("deeper" * 20, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)


def many_folders(root: Path) -> None:
    for n in range(5_000):
        (root / f"empty-{n}").mkdir()


def many_files(root: Path) -> None:
    first = write_file(root / "files" / "0", b"")
    for n in range(1, 10_000):
        os.link(first, root / "files" / str(n))


def folders_that_link_to_each_other(root: Path) -> None:
    for n in range(40):
        (root / f"ring-{n}").mkdir()
        for other in range(40):
            (root / f"ring-{n}" / f"to-{other}").symlink_to(f"../ring-{other}")


def many_large_skills(root: Path) -> None:
    first = write_file(root / "large" / "SKILL.md", HEADER + b"x\n" * (LARGE // 2))
    for n in range(30):
        (root / f"large-{n}").mkdir()
        os.link(first, root / f"large-{n}" / "SKILL.md")


def many_skills_with_many_problems(root: Path) -> None:
    first = write_file(root / "bad" / "SKILL.md", b"---\n" + b"a: b: c\n" * 8_000 + b"---\n")
    for n in range(30):
        (root / f"bad-{n}").mkdir()
        os.link(first, root / f"bad-{n}" / "SKILL.md")


BOMBS: dict[str, Bomb] = {
    "a body of one line": skill_md(HEADER + b"x" * LARGE),
    "a body of empty lines": skill_md(HEADER + b"\n" * LARGE),
    "a body that is not ASCII": skill_md(HEADER + "\N{PILE OF POO}".encode() * (LARGE // 4)),
    "blank lines before the header": skill_md(b"\n" * LARGE + HEADER),
    "a header that never ends": skill_md(b"---\n" + b"name: x\n" * (LARGE // 8)),
    "fences that are none": skill_md(b"---\n" + b"---x\n" * (LARGE // 5)),
    "old line ends": skill_md(HEADER.replace(b"\n", b"\r") + b"\r" * LARGE),
    "a header too long to be one": skill_md(b"---\nname: bomb\na: " + b"x" * LARGE + b"\n---\n"),
    "a header to mend everywhere": skill_md(b"---\n" + b"a: b: c\n" * 8_000 + b"---\n"),
    "brackets": skill_md(b"---\nname: bomb\na: " + b"[" * 60_000 + b"\n---\n"),
    "braces": skill_md(b"---\nname: bomb\na: " + b"{a: " * 15_000 + b"\n---\n"),
    "question marks": skill_md(b"---\n" + b"? " * 30_000 + b"\n---\n"),
    "quotes": skill_md(b"---\nname: bomb\ndescription: " + b"'\"" * 30_000 + b"\n---\n"),
    "blanks": skill_md(b"---\nname: bomb\ndescription: x" + b" " * 60_000 + b":\n---\n"),
    "a number of many digits": skill_md(b"---\nname: bomb\na: " + b"9" * 60_000 + b"\n---\n"),
    "a manifest of brackets": manifest(b"[" * LARGE),
    "a manifest of one list": manifest(b'{"id": "bomb", "a": [' + b"0," * (LARGE // 2) + b"0]}"),
    "a manifest of empty lists": manifest(b'{"id": "x", "a": [' + b"[]," * (LARGE // 3) + b"0]}"),
    "a manifest with a number of many digits": manifest(b'{"id": ' + b"9" * LARGE + b"}"),
    "a workflow of brackets": workflow(b"name: bomb\na: " + b"[" * LARGE),
    "a workflow of empty lists": workflow(b"name: bomb\na: [" + b"[]," * 80_000 + b"0]"),
    "deep folders": deep_folders,
    "many folders": many_folders,
    "many files": many_files,
    "folders that link to each other": folders_that_link_to_each_other,
    "many large skills": many_large_skills,
    "many skills with many problems": many_skills_with_many_problems,
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_the_skill_beside_a_bomb_is_found(bomb: Bomb, root: Path, tmp_path: Path) -> None:
    bomb(root)

    found = answer("list", "--dir", root, home=tmp_path)

    assert "good" in {skill["name"] for skill in found["skills"]}


@pytest.mark.parametrize(
    "body",
    [
        b"x" * LARGE,
        b"word " * (LARGE // 5),
        b"# use when not for " * (LARGE // 19),
        b"\n# x" * (LARGE // 4),
    ],
    ids=["one word", "words", "clauses", "headings"],
)
def test_a_task_is_matched_though_a_skill_is_a_bomb(
    body: bytes, root: Path, tmp_path: Path
) -> None:
    skill_md(HEADER + body)(root)

    found = answer("match", "mend the loose sole", "--no-threshold", "--dir", root, home=tmp_path)

    assert [match["name"] for match in found["skills"]][:1] == ["good"]


@pytest.mark.parametrize(
    "clause", ["use when ", "do not use ", "never ", "not for x", "'", '"', "use this skill "]
)
def test_a_description_is_no_bait_for_slow_patterns(
    clause: str, root: Path, tmp_path: Path
) -> None:
    described = f"---\nname: bomb\ndescription: >\n  x {clause * (60_000 // len(clause))}\n---\n"
    skill_md(described.encode())(root)

    found = answer("match", "mend the loose sole", "--no-threshold", "--dir", root, home=tmp_path)

    assert [match["name"] for match in found["skills"]][:1] == ["good"]


def test_a_skill_with_very_many_files_is_shown(root: Path, tmp_path: Path) -> None:
    many_files(root / "good")
    deep_folders(root / "good")
    write_file(root / "good" / "large.md", b"x\n" * (LARGE // 2))

    found = answer("show", "good", "--dir", root, home=tmp_path)

    assert found["name"] == "good"
