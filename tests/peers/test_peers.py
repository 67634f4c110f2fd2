"""
The same skills through Prowess and through the tools whose forms it keeps.

Needs the peers: `make peers`. What they print is also stored beside the prompt tests, so that the
forms are held where the peers cannot be installed.
"""

import subprocess
from pathlib import Path

import pytest

from installed import PEERS, peer
from support import Cli, write_file, write_skill

LEGAL = {
    "plain": "description: Does a thing. Use when testing.",
    "quoted": 'description: "Use when: the user asks <b>& more</b>"',
    "folded": "description: >\n  First line\n  second line.\n\n  Third paragraph.",
    "literal": "description: |\n  First line\n  second line.",
    "full": (
        "description: Does a thing.\nlicense: Apache-2.0\ncompatibility: Requires git\n"
        'metadata:\n  author: me\n  version: "1.0"\nallowed-tools: Bash(git:*) Read'
    ),
}
ILLEGAL = {
    "no-description": "license: MIT",
    "empty-description": 'description: ""',
    "Upper": "description: x",
    "two--hyphens": "description: x",
    "unknown-field": "description: x\nflavour: sweet",
    "long-compatibility": f"description: x\ncompatibility: {'c' * 501}",
    "long-description": f"description: {'d' * 1025}",
}


@pytest.fixture
def agentskills() -> str:
    return peer("venv/bin/agentskills")


@pytest.fixture
def openskills() -> str:
    peer("node_modules/.bin/openskills")
    return peer("node_modules/openskills/dist/cli.js")


def node(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    own = PEERS / "venv" / "bin" / "node"
    command = str(own) if own.exists() else "node"
    return subprocess.run(
        [command, *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def write_all(root: Path, skills: dict[str, str]) -> list[Path]:
    return [
        write_file(
            root / name / "SKILL.md", f"---\nname: {name}\n{fields}\n---\n\n# {name}\n"
        ).parent
        for name, fields in skills.items()
    ]


def test_to_prompt_prints_what_the_reference_library_prints(
    agentskills: str, cli: Cli, tmp_path: Path
) -> None:
    folders = sorted(write_all(tmp_path / "skills", LEGAL))
    theirs = subprocess.run(
        [agentskills, "to-prompt", *map(str, folders)], capture_output=True, text=True, check=True
    ).stdout

    assert cli("prompt", "--format", "to-prompt", "--dir", tmp_path / "skills").out == theirs


@pytest.mark.parametrize("name", [*LEGAL, *ILLEGAL])
def test_validate_agrees_with_the_reference_library(
    agentskills: str, cli: Cli, tmp_path: Path, name: str
) -> None:
    (folder,) = write_all(tmp_path, {name: {**LEGAL, **ILLEGAL}[name]})
    theirs = subprocess.run(
        [agentskills, "validate", str(folder)], capture_output=True, check=False
    )

    assert (cli("validate", folder).code == 0) == (theirs.returncode == 0)


def test_read_prints_what_openskills_prints(openskills: str, cli: Cli, project: Path) -> None:
    for name in ("one", "two"):
        write_skill(project / ".claude" / "skills", name, body=f"# {name}\n\n$& and `code`")
    theirs = node(openskills, "read", "one,two", cwd=project)

    ours = cli("read", "one,two")

    assert ours.out == theirs.stdout
    assert ours.code == theirs.returncode == 0


def test_read_of_an_unknown_name_prints_nothing_and_leaves_with_the_same_code(
    openskills: str, cli: Cli, project: Path
) -> None:
    write_skill(project / ".claude" / "skills", "one")
    theirs = node(openskills, "read", "one,nope", cwd=project)

    ours = cli("read", "one,nope")

    assert (ours.out, ours.code) == (theirs.stdout, theirs.returncode) == ("", 1)
    assert str(project / ".claude" / "skills") in ours.err


def without_usage(text: str) -> str:
    before, _, rest = text.partition("<usage>")
    return before + rest.partition("</usage>")[2]


def test_sync_writes_the_block_that_openskills_writes(
    openskills: str, cli: Cli, project: Path
) -> None:
    for name in ("one", "two"):
        write_skill(project / ".claude" / "skills", name)
    (project / "AGENTS.md").write_text("# Mine\n\nKeep this.\n")
    assert node(openskills, "sync", "--yes", cwd=project).returncode == 0
    theirs = (project / "AGENTS.md").read_text()
    (project / "AGENTS.md").write_text("# Mine\n\nKeep this.\n")

    cli("sync", "--dir", project / ".claude" / "skills")

    assert without_usage((project / "AGENTS.md").read_text()) == without_usage(theirs)


def test_openskills_and_prowess_can_take_turns_at_one_file(
    openskills: str, cli: Cli, project: Path
) -> None:
    write_skill(project / ".claude" / "skills", "one")
    cli("sync", "--dir", project / ".claude" / "skills")
    mine = (project / "AGENTS.md").read_text()
    assert node(openskills, "sync", "--yes", cwd=project).returncode == 0

    cli("sync", "--dir", project / ".claude" / "skills")

    assert (project / "AGENTS.md").read_text() == mine
