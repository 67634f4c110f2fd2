"""A rule means the files of the workspace itself, and a star for a program means no arguments."""

import pytest

from granting import allowed, verdict
from prowess.discover.roots import DEFAULT_DIRS

HERE: list[tuple[str, str]] = [
    ("Bash(./run.sh)", "./run.sh"),
    ("Bash(./run.sh:*)", "./run.sh -v"),
    ("Bash(scripts/*.sh)", "scripts/a.sh"),
    ("Bash(npm test)", "npm test"),
    ("Bash(npm run test:*)", "npm run test -- -x"),
    ("Bash(make check)", "make check"),
    ("Bash(tox)", "tox"),
    ("Bash(python scripts/check.py)", "python scripts/check.py"),
    ("Bash(python check.py:*)", "python check.py -q"),
    ("Bash(pip install -r requirements.txt)", "pip install -r requirements.txt"),
]


@pytest.mark.parametrize(("rule", "command"), HERE)
def test_a_relative_rule_counts_in_the_workspace_itself_only(rule: str, command: str) -> None:
    assert allowed(rule, command)
    assert allowed(rule, f"cd . && {command}")
    assert allowed(rule, f"cd /ws && {command}")
    assert "leave out the `cd`" in verdict(rule, "Bash", command=f"cd out && {command}").reason
    assert not allowed(rule, f"cd out && {command}")
    assert not allowed(rule, f"cd out; {command}")
    assert not allowed(rule, f"(cd out && timeout 5 {command})")


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Bash(pytest:*)", "pytest -q"),
        ("Bash(npm:*)", "npm test"),  # grants `npm --prefix out` as well
        ("Bash(python:*)", "python check.py"),
        ("Bash(ls -la)", "ls -la"),
        ("Bash(python -m pytest:*)", "python -m pytest -q"),
        ("Bash(/usr/bin/env:*) Bash(ls:*)", "/usr/bin/env ls"),
        ("Bash(curl https://x.example/a.sh)", "curl https://x.example/a.sh"),
    ],
)
def test_any_other_rule_counts_in_every_folder(rule: str, command: str) -> None:
    assert allowed(rule, f"cd out && {command}")


def test_a_star_for_the_program_is_no_leave_to_run_another() -> None:
    assert allowed("Bash(* --version)", "node --version")
    assert allowed("Bash(* --version)", "python3 --version")
    assert allowed("Bash(* --version)", "docker-compose --version")
    assert not allowed("Bash(* --version)", "sh -c id --version")
    assert not allowed("Bash(* --version)", "rbash -c id --version")
    assert not allowed("Bash(* --version)", "php8.2 -r 'x()' --version")
    assert not allowed("Bash(* --version)", "python3 -c 'import os' --version")
    assert not allowed("Bash(* --version)", "npx evil --version")
    assert not allowed("Bash(* --help *)", "bash evil --help x")


@pytest.mark.parametrize(
    "path",
    [
        *(".github/workflows/ci.yml", ".agents/skills/x/SKILL.md", ".claude/settings.json"),
        *(".envrc", ".husky/pre-commit", "prowess.toml", "sub/.envrc", ".GitHub/Workflows/x.yml"),
        *(".mcp.json", ".cursor/mcp.json", ".codex/config.toml", ".gemini/settings.json"),
        *(f"{folder}/x/SKILL.md" for folder in DEFAULT_DIRS if not folder.startswith("~")),
    ],
)
def test_what_other_programs_run_is_written_only_by_a_rule_that_names_it(path: str) -> None:
    assert not verdict("Write", "Write", file_path=path).allowed
    assert not verdict("Write(**)", "Write", file_path=path).allowed
    assert verdict(f"Write({path})", "Write", file_path=path).allowed
    assert not allowed("Write Bash(make:*)", f"make > {path}")
    assert verdict("Read", "Read", file_path=path).allowed


@pytest.mark.parametrize(
    "path", [".github/CODEOWNERS", ".gitattributes", ".env", "my.envrc", "docs/prowess.toml.md"]
)
def test_what_only_looks_like_it_is_an_ordinary_file(path: str) -> None:
    assert verdict("Write", "Write", file_path=path).allowed
