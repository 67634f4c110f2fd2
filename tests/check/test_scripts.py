"""A script that a validation command runs is a judge, and no judge of a change that alters it."""

import py_compile

import pytest

from check.checks import check, held, verdicts
from check.repository import Repository
from prowess.check.judges.scripts import scripts_of
from prowess.core.ports import Sandbox

PATHS = {"scripts/check.sh", "app/check.py", "main.py", "app/main.py", "tools/__main__.py"}


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("bash scripts/check.sh", "scripts/check.sh"),
        ("scripts/check.sh --all", "scripts/check.sh"),
        ("./scripts/check.sh", "scripts/check.sh"),
        ("CI=1 timeout 60s bash -eu ./scripts/check.sh", "scripts/check.sh"),
        ("bash -c 'set -e; scripts/check.sh'", "scripts/check.sh"),
        ("(cd scripts && ./check.sh)", "scripts/check.sh"),
        ("cd app && python3.11 -u check.py", "app/check.py"),
        ("make && uv run python app/check.py", "app/check.py"),
        (". scripts/check.sh", "scripts/check.sh"),
        ("python -m app.check", "app/check.py"),
        ("python -m tools", "tools/__main__.py"),
    ],
)
def test_the_script_of_a_command_is_found(command: str, script: str) -> None:
    assert scripts_of(command, PATHS) == [script]


@pytest.mark.parametrize(
    "command",
    [
        "python -m py_compile main.py",
        "ruff check main.py",
        "pytest app/check.py",
        "python other.py main.py",
        "grep -q x main.py",
        "python -c 'import main' main.py",
        "cd app && python ../nothing.py",
        "echo 'unfinished",
    ],
)
def test_what_a_command_is_told_to_look_at_is_no_script(command: str) -> None:
    assert scripts_of(command, PATHS) == []


@pytest.fixture
def judged(repo: Repository) -> Repository:
    """With a script that finds the work wanting, and a Makefile that runs it."""
    repo.put("scripts/check.sh", "grep -q done work.txt\n")
    repo.put("Makefile", "lint:\n\tbash scripts/check.sh\n")
    repo.commit("scripts")
    return repo


@pytest.mark.parametrize(
    ("path", "text", "command"),
    [
        ("scripts/check.sh", "exit 0\n", "bash scripts/check.sh"),
        ("Makefile", "lint:\n\ttrue\n", "make lint"),
    ],
)
def test_a_validation_that_the_change_rewrote_proves_nothing(
    judged: Repository, sandbox: Sandbox, path: str, text: str, command: str
) -> None:
    judged.put(path, text)

    report = check(judged, sandbox, validation=(command,))

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert f"the change touches what judges it: {path}" in report.reasons[0]


def test_a_script_that_the_task_names_may_be_changed(judged: Repository, sandbox: Sandbox) -> None:
    judged.put("scripts/check.sh", "test -f README.md\n")

    report = check(
        judged, sandbox, files=["scripts/check.sh"], validation=("bash scripts/check.sh",)
    )

    assert verdicts(report) == ["PASS"]


def test_a_script_that_the_task_is_to_write_is_no_judge_yet(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put("scripts/check.sh", "test -f README.md\n")

    report = check(repo, sandbox, validation=("bash scripts/check.sh",))

    assert verdicts(report) == ["PASS"]


def test_what_a_criterion_runs_is_what_the_task_is_about(
    judged: Repository, sandbox: Sandbox
) -> None:
    judged.put("scripts/check.sh", "echo checked\n")

    report = check(judged, sandbox, "`bash scripts/check.sh` prints `checked`")

    assert verdicts(report) == ["PASS"]


@pytest.mark.parametrize(
    ("command", "shadow"),
    [
        ("python3 tools/check.py", "tools/json.py"),
        ("cd tools && python3 -u check.py", "tools/json/__init__.py"),
        ("tools/check.py", "tools/json.pyc"),
    ],
)
def test_a_module_that_a_script_loads_instead_of_pythons_own_is_a_judge(
    repo: Repository, sandbox: Sandbox, command: str, shadow: str
) -> None:
    text = "#!/usr/bin/env python3\nimport json\nassert not json.loads('{\"a\": 1}')\n"
    repo.put("tools/check.py", text).chmod(0o755)
    repo.commit("check")
    source = repo.put("tools/json.py", "def loads(text):\n    return {}\n")
    if shadow.endswith(".pyc"):
        py_compile.compile(str(source), cfile=str(repo.folder / shadow), doraise=True)
        source.unlink()
    elif "/json/" in shadow:
        repo.put(shadow, source.read_text())
        source.unlink()

    report = check(repo, sandbox, validation=(command,))

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert f"{shadow}, which `{command}` loads instead of Python's own" in report.reasons[0]
    assert held(check(repo, sandbox, validation=(command,), files=[shadow]))


@pytest.mark.parametrize("path", ["tools/units.py", "app/json.py", "tools/json.txt"])
def test_other_modules_beside_a_script_are_work(
    repo: Repository, sandbox: Sandbox, path: str
) -> None:
    repo.put("tools/check.py", "import json\n")
    repo.commit("check")
    repo.put(path, "A = 1\n")

    assert held(check(repo, sandbox, validation=("python3 tools/check.py",)))


def test_a_planted_module_does_not_judge_the_task_after_it(
    repo: Repository, sandbox: Sandbox
) -> None:
    """The script fails by Python's own module, and passes by the one that an earlier task left."""
    repo.put("tools/check.py", "import json\njson.loads('{')\n")
    first = repo.commit("check")
    repo.put("tools/json.py", "def loads(text):\n    return {}\n")
    repo.commit("planted")
    repo.put("note.txt", "done\n")

    report = check(repo, sandbox, validation=("python3 tools/check.py",), judges_of=first)

    assert verdicts(report) == ["INCONCLUSIVE"]
