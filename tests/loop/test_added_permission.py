"""A task that an agent may have written is done, and allows nothing that judges to be changed."""

from pathlib import Path

import pytest

from loop.looping import Act, Looped, Scripted, git, go_on, loop, writes
from loop.test_planted import Dying, both, marks
from prowess.core.agent import AgentOrder
from running import KilledError, Remembering
from support import write_file

TEST = "from calc import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
MAKE = "test:\n\tpython -m pytest -q\nlint:\n\ttrue\n"
PLAN = """# Plan

- [ ] Say hello
  - `hello.txt` exists
- [ ] Make double right
  - `python -m pytest -q` passes
  - `make test` passes
"""
TIDY = "- [ ] Tidy up\n  - files: {path}\n  - `{path}` exists\n"
HELLO = writes("hello.txt", "hello\n")
WRONG = writes("calc.py", "def double(x):\n    return x  # done\n")
TOLD = (
    "Added to the plan while an agent was at work: Tidy up; its `files:` allow no tests or settings to"
    " be altered"
)
PLANTED = {
    "test_calc.py": TEST.replace("== 4", "== 2"),
    "Makefile": MAKE.replace("python -m pytest -q", "@echo 1 passed in 0.01s"),
}


@pytest.fixture
def calc(repo: Path) -> Path:
    write_file(repo / "calc.py", "def double(x):\n    return x\n")
    write_file(repo / "test_calc.py", TEST)
    write_file(repo / "Makefile", MAKE)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "calc")
    return repo


def grown(plan: str, path: str) -> str:
    return plan.replace("- [ ] Make", f"{TIDY.format(path=path)}- [ ] Make", 1)


def adds(repo: Path, path: str) -> Act:
    def act(folder: Path, order: AgentOrder) -> str:
        plan = repo / "PLAN.md"
        write_file(plan, grown(plan.read_text(), path))
        return "done"

    return act


def warned(ended: Looped) -> list[str]:
    return [each["summary"] for each in ended.told("run.warned")]


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize("path", PLANTED)
def test_a_task_that_an_agent_added_lets_nothing_that_judges_be_altered(
    calc: Path, path: str, parallel: int
) -> None:
    plan = PLAN if path == "Makefile" else PLAN.replace("  - `make test` passes\n", "")
    ways = [both(adds(calc, path), HELLO), writes(path, PLANTED[path]), WRONG]

    ended = loop(calc, plan, Scripted(ways), max_attempts=1, parallel=parallel)

    assert marks(ended)[-1] == "- [~]"
    assert warned(ended) == [TOLD]
    assert "It came into the plan while an agent was at work" in ended.outcome.answer


def test_one_that_a_person_wrote_does(calc: Path) -> None:
    plan = grown(PLAN.replace("  - `make test` passes\n", ""), "test_calc.py")
    three = writes("calc.py", "def double(x):\n    return x + 1\n")
    ways = [HELLO, writes("test_calc.py", TEST.replace("== 4", "== 3")), three]

    ended = loop(calc, plan, Scripted(ways), max_attempts=1)

    assert marks(ended) == ["- [R]"] * 3
    assert warned(ended) == []


def test_it_is_done_all_the_same(calc: Path) -> None:
    ways = [both(adds(calc, "notes.md"), HELLO), writes("notes.md", "tidy\n"), WRONG]

    ended = loop(calc, PLAN, Scripted(ways), max_attempts=1)

    assert marks(ended) == ["- [R]", "- [R]", "- [~]"]


def test_what_an_agent_added_before_a_kill_allows_nothing_either(calc: Path) -> None:
    steps, path = Dying("loop"), "test_calc.py"
    plan = PLAN.replace("  - `make test` passes\n", "")
    with pytest.raises(KilledError):
        loop(calc, plan, Scripted([both(adds(calc, path), HELLO)]), steps, max_attempts=1)
    ways = [HELLO, writes(path, PLANTED[path]), WRONG]

    ended = go_on(calc, Scripted(ways), Remembering("loop", steps.kept), max_attempts=1)

    assert marks(ended)[-1] == "- [~]"
    assert TOLD in warned(ended)


def test_and_what_was_added_before_another_task_ended_is_known_after_a_kill(calc: Path) -> None:
    steps, path = Remembering("loop"), "test_calc.py"
    plan = PLAN.replace("  - `make test` passes\n", "")

    def dies(folder: Path, order: AgentOrder) -> str:
        raise KilledError

    with pytest.raises(KilledError):
        loop(calc, plan, Scripted([both(adds(calc, path), HELLO), dies]), steps, max_attempts=1)
    ways = [writes(path, PLANTED[path]), WRONG]

    ended = go_on(calc, Scripted(ways), Remembering("loop", steps.kept), max_attempts=1)

    assert marks(ended) == ["- [R]", "- [~]", "- [~]"]


def test_it_may_be_added_by_a_script_too(calc: Path) -> None:
    path = "test_calc.py"
    phases = calc.parent / "phases.yaml"
    write_file(
        phases,
        "version: 1\nstart: implement\nphases:\n"
        "  implement: {type: execute, transitions: [{to: run}]}\n"
        "  run: {type: script, command: sh grow.sh, transitions: [{to: check}]}\n"
        "  check: {type: evaluate, does: check, transitions: [{to: proven}]}\n"
        "  proven: {type: terminal, mark: R}\n",
    )
    (calc / "grown.md").write_text(grown(PLAN, path))
    write_file(calc / "grow.sh", "grep -q Tidy PLAN.md || cp grown.md PLAN.md\n")
    git(calc, "add", "-A")
    git(calc, "commit", "-q", "-m", "grow")

    ended = loop(calc, PLAN, Scripted([HELLO]), max_attempts=1, phases=str(phases))

    assert TOLD in warned(ended)
