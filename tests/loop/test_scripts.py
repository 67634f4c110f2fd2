"""A script phase runs as a check's commands do, and what it changes has to be checked again."""

from pathlib import Path
from typing import Any

import pytest

from loop.looping import Scripted, git, loop, writes
from prowess.durable.straight import StraightSteps
from support import write_file

ONE = "- [ ] Say hello\n  - files: hello.txt\n  - `hello.txt` contains `hello`\n"
WRITES = writes("hello.txt", "hello\n")


def phases(repo: Path, command: str, *, then: str, first: str = "check") -> str:
    """Implement, check and a script, in this order or the other way round, and `then`."""
    check_to, script_to = ("script", then) if first == "check" else (then, "check")
    text = (
        "version: 1\nstart: implement\nphases:\n"
        f"  implement: {{type: execute, transitions: [{{to: {first}}}]}}\n"
        "  check:\n    type: evaluate\n    does: check\n    transitions:\n"
        f"      - {{to: {check_to}, when: status.check == 'passed'}}\n      - {{to: blocked}}\n"
        f"  script:\n    type: script\n    command: {command!r}\n    transitions:\n"
        "      - {to: proven, when: status.check == 'passed' and status.script == 'passed'}\n"
        f"      - {{to: {script_to}, when: status.script == 'passed'}}\n      - {{to: blocked}}\n"
        "  proven: {type: terminal, mark: R}\n"
        '  blocked: {type: terminal, mark: "~"}\n'
    )
    return str(write_file(repo.parent / "phases.yaml", text))


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize("command", ["echo evil > hello.txt", "echo evil > outside.txt"])
def test_what_a_script_made_of_it_after_the_check_is_not_proven(
    repo: Path, command: str, parallel: int
) -> None:
    own = phases(repo, command, then="proven")

    ended = loop(repo, ONE, Scripted([WRITES]), phases=own, parallel=parallel)

    assert "- [x] Say hello" in ended.plan
    assert "## Implemented, not proven" in ended.outcome.answer
    assert f"`{command}` changed what was checked" in ended.outcome.answer
    assert "- PASS" not in ended.outcome.answer
    assert ended.told("run.warned")


def test_nor_is_it_when_a_killed_loop_has_the_script_run_again(repo: Path) -> None:
    """The second time it changes nothing, because the first time has."""

    class Twice(StraightSteps):
        async def do(self, name: str, work: Any, **more: Any) -> Any:
            if name == "script":
                await work()
            return await super().do(name, work, **more)

    own = phases(repo, "echo evil > hello.txt", then="proven")

    ended = loop(repo, ONE, Scripted([WRITES]), Twice("loop"), phases=own)

    assert "- [x] Say hello" in ended.plan


def test_phases_can_have_what_a_script_changed_checked_again(repo: Path) -> None:
    own = phases(repo, "echo tidy >> hello.txt; sort -u -o hello.txt hello.txt", then="check")

    ended = loop(repo, ONE, Scripted([WRITES]), phases=own)

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "show", "main:hello.txt") == "hello\ntidy\n"
    assert len(ended.told("check.finished")) == 2


def test_a_script_that_changes_nothing_leaves_the_proof_as_it_is(repo: Path) -> None:
    own = phases(repo, "test -f hello.txt", then="blocked")

    ended = loop(repo, ONE, Scripted([WRITES]), phases=own)

    assert "- [R] Say hello" in ended.plan
    assert len(ended.told("check.finished")) == 1
    assert not ended.told("run.warned")


def test_phases_that_call_it_proven_after_a_failed_script_commit_what_was_checked(
    repo: Path,
) -> None:
    """Nothing was changed by the script, so what lies there is what was checked."""
    own = phases(repo, "false", then="blocked")
    text = Path(own).read_text().replace("- {to: blocked}\n  proven", "- {to: proven}\n  proven")
    write_file(Path(own), text)

    ended = loop(repo, ONE, Scripted([WRITES]), phases=own)

    assert "- [R] Say hello" in ended.plan
    assert git(repo, "show", "main:hello.txt") == "hello\n"


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_script_can_ask_git(repo: Path, parallel: int) -> None:
    own = phases(repo, "git diff --check HEAD", then="proven", first="script")

    ended = loop(repo, ONE, Scripted([WRITES]), phases=own, parallel=parallel)

    assert "- [R] Say hello" in ended.plan


@pytest.mark.parametrize("command", ["git commit -q --allow-empty -m mine", "false | cat"])
def test_a_script_neither_commits_nor_hides_a_failure_in_a_pipe(repo: Path, command: str) -> None:
    own = phases(repo, command, then="proven", first="script")

    ended = loop(repo, ONE, Scripted([WRITES]), phases=own, max_attempts=1)

    assert [each["summary"].rpartition(": ")[2] for each in ended.told("loop.script")] == ["failed"]
    assert "mine" not in git(repo, "log", "--format=%s", "main").split("\n")


@pytest.mark.parametrize("where", ["validation", "script"])
def test_a_command_that_ticks_the_plan_ticks_nothing(repo: Path, where: str) -> None:
    ticks = "sed -i '/Never done/s/ \\] /R] /' PLAN.md"
    plan = f"{ONE}- [ ] Never done\n  - `never.txt` exists\n"
    if where == "validation":
        plan += f"\n## Validation commands\n\n```sh\n{ticks}\n```\n"
        ended = loop(repo, plan, Scripted([WRITES]), max_attempts=1)
    else:
        own = phases(repo, ticks, then="proven")
        ended = loop(repo, plan, Scripted([WRITES]), phases=own, max_attempts=1)

    assert "- [R] Say hello" in ended.plan
    assert "- [~] Never done" in ended.plan
    # A validation command has a copy of the plan, and the person's is not touched.
    assert bool(ended.told("loop.plan_restored")) is (where == "script")
