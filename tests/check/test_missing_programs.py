"""A program that the sandbox lacks is trouble of the place, and is told to who can do something."""

import pytest

from check.checks import check, verdicts
from check.repository import Repository
from prowess.check.feedback import feedback
from prowess.check.tree.beside import lying_beside
from prowess.core.evidence import Report
from prowess.core.ports import Sandbox
from support import write_file

LACKS = "this machine's sandbox lacks a program, "


def validated(repo: Repository, sandbox: Sandbox, command: str) -> Report:
    repo.put("lib/a.py", "A = 2\n")
    return check(repo, sandbox, "`lib/a.py` exists", validation=(command,))


@pytest.mark.parametrize("command", ["no-such-runner test", "cd lib && A=1 no-such-runner"])
def test_a_program_that_is_not_found_says_nothing_against_the_work(
    repo: Repository, sandbox: Sandbox, command: str
) -> None:
    report = validated(repo, sandbox, command)

    assert verdicts(report) == ["PASS", "INCONCLUSIVE"]
    assert f"{LACKS}no-such-runner, which says nothing against the work" in report.reasons[0]
    assert "install it for the whole machine" in report.reasons[0]
    assert "Nothing in the work: whoever runs this check has to see to it" in feedback(report)


def test_an_environment_whose_python_is_not_shown_is_trouble_of_the_place(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put(".gitignore", ".venv/\n")
    repo.commit("ignore")
    (repo.folder / ".venv/bin").mkdir(parents=True)
    (repo.folder / ".venv/bin/python").symlink_to("/nowhere/bin/python")

    report = validated(repo, sandbox, ".venv/bin/python -m unittest")

    assert f"{LACKS}.venv/bin/python" in report.reasons[0]


@pytest.mark.parametrize("command", ["./absent.sh", "bash calls.sh", "./plain.sh", "./broken"])
def test_what_the_work_should_have_brought_is_trouble_of_the_work(
    repo: Repository, sandbox: Sandbox, command: str
) -> None:
    repo.put("calls.sh", "no-such-runner\n")
    repo.put("plain.sh", "true\n")
    (repo.folder / "broken").symlink_to("nowhere")
    repo.commit("scripts")

    report = validated(repo, sandbox, command)

    assert verdicts(report) == ["PASS", "INCONCLUSIVE"]
    assert report.reasons[0].count("it cannot be run here") == 1


def test_a_module_that_python_lacks_is_trouble_of_the_place_unless_it_is_the_works_own(
    repo: Repository, sandbox: Sandbox
) -> None:
    missing = validated(repo, sandbox, "python -m no_such_module")
    repo.put("no_such_module/deep.py", "")
    ours = validated(repo, sandbox, "python -m no_such_module.absent")
    says = "python -c 'print(\"python: No module named no_such\"); print(1); exit(1)'"

    assert f"{LACKS}no_such_module for " in missing.reasons[0]
    assert verdicts(ours) == ["PASS", "FAIL"]
    assert verdicts(validated(repo, sandbox, says)) == ["PASS", "FAIL"]


@pytest.mark.parametrize(
    "command", ["tools/bin/lint --all", 'PATH="tools/bin:$PATH" && lint --all']
)
@pytest.mark.parametrize("came", [True, False])
def test_a_program_that_an_agent_installed_or_changed_is_told_to_be_hidden_and_not_to_be_missing(
    repo: Repository, sandbox: Sandbox, command: str, *, came: bool
) -> None:
    repo.put(".gitignore", "tools/\n")
    repo.commit("ignore")
    repo.put("tools/bin/kept", "")
    program = repo.folder / "tools/bin/lint"
    if not came:
        write_file(program, "#!/bin/sh\nexit 1\n").chmod(0o755)
    lay = lying_beside(str(repo.folder), ["README.md", "lib/a.py", ".gitignore"], ())
    write_file(program, "#!/bin/sh\nexit 0\n").chmod(0o755)
    repo.put("lib/a.py", "A = 2\n")

    report = check(repo, sandbox, "`lib/a.py` exists", validation=(command,), lay=lay)

    assert verdicts(report) == ["PASS", "INCONCLUSIVE"]
    assert LACKS not in report.reasons[0]
    assert "lint, which was installed or changed since the loop began" in report.reasons[0]
    assert "have the validation commands build it, or install packages before" in report.reasons[0]
    assert "Bring what commands can be shown" in feedback(report)
