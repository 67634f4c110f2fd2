"""What agents leave beside the work, or plant for the task after theirs, proves nothing."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loop.looping import Act, Looped, Scripted, git, go_on, loop, writes
from prowess.core.agent import AgentOrder
from running import KilledError, Remembering
from support import write_file

CHECKED = """# Plan

- [ ] Double it
  - `lib.py` contains `double`

## Validation commands

```sh
tools/check
```
"""
TWO = CHECKED.replace("## Valid", "- [ ] Halve it\n  - `half.py` contains `half`\n\n## Valid")
STRICT = "#!/bin/sh\ngrep -q 'return 2 \\* x' lib.py\n"
LAX = "#!/bin/sh\nexit 0\n"
RIGHT, WRONG = "def double(x):\n    return 2 * x\n", "def double(x):\n    return x\n"
HALF = "def half(x):\n    return x / 2\n"


@pytest.fixture
def tooled(repo: Path) -> Path:
    """A repository that is checked by a program which git ignores."""
    write_file(repo / ".gitignore", "tools/\nscratch/\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "ignore")
    program(repo, STRICT)
    return repo


def program(folder: Path, text: str) -> None:
    write_file(folder / "tools/check", text).chmod(0o755)


def both(*acts: Act) -> Act:
    def act(folder: Path, order: AgentOrder) -> str:
        return [each(folder, order) for each in acts][-1]

    return act


def changes_program(repo: Path) -> Act:
    """Whatever tree it works in, it knows where the person's is."""

    def act(folder: Path, order: AgentOrder) -> str:
        program(repo, LAX)
        return "done"

    return act


def marks(ended: Looped) -> list[str]:
    return [line[:5] for line in ended.plan.splitlines() if line.startswith("- [")]


@pytest.mark.parametrize("parallel", [1, 2])
def test_an_ignored_program_that_an_agent_changed_does_not_judge_its_work(
    tooled: Path, parallel: int
) -> None:
    way = both(writes("lib.py", WRONG), changes_program(tooled))

    ended = loop(tooled, CHECKED, Scripted([way]), max_attempts=1, parallel=parallel)

    assert marks(ended) == ["- [~]"]


def test_a_person_is_told_once_that_installed_programs_were_changed(tooled: Path) -> None:
    installed = tooled / "tools/site-packages/lint/__main__.py"
    write_file(installed, "raise SystemExit(1)\n")
    plan = CHECKED.replace("tools/check", "python tools/site-packages/lint")

    def empties(folder: Path, order: AgentOrder) -> str:
        write_file(installed, "# nothing is wrong\n")
        return writes("lib.py", WRONG)(folder, order)

    ended = loop(tooled, plan, Scripted([empties]), max_attempts=2)

    assert marks(ended) == ["- [~]"]
    (told,) = [each["summary"] for each in ended.told("run.warned")]
    assert "tools/site-packages/lint/__main__.py" in told
    assert "put them back" in told


@pytest.mark.parametrize("parallel", [1, 2])
def test_an_ignored_program_that_nobody_changed_judges(tooled: Path, parallel: int) -> None:
    right = loop(
        tooled, CHECKED, Scripted([writes("lib.py", RIGHT)]), max_attempts=1, parallel=parallel
    )

    assert marks(right) == ["- [R]"]
    assert (tooled / "tools/check").read_text() == STRICT


def test_nor_does_it_judge_the_task_after_it(tooled: Path) -> None:
    ways = [both(writes("lib.py", RIGHT), changes_program(tooled)), writes("half.py", HALF)]

    ended = loop(tooled, TWO, Scripted(ways), max_attempts=1)

    assert marks(ended) == ["- [~]", "- [~]"]


class Dying(Remembering):
    """The loop is killed when an agent has worked, before that is known."""

    async def do(
        self, name: str, work: Callable[[], Awaitable[Any]], *, repeatable: bool = True
    ) -> Any:
        told = await super().do(name, work, repeatable=repeatable)
        if name.startswith("agent "):
            self.kept.pop()
            raise KilledError
        return told


def test_what_lay_there_is_known_after_a_kill_and_not_looked_at_anew(tooled: Path) -> None:
    steps = Dying("loop")
    way = both(writes("lib.py", WRONG), changes_program(tooled))
    with pytest.raises(KilledError):
        loop(tooled, CHECKED, Scripted([way]), steps, max_attempts=1)

    ended = go_on(tooled, Scripted([way]), Remembering("loop", steps.kept), max_attempts=1)

    assert marks(ended) == ["- [~]"]


def test_who_changes_the_list_of_what_lay_there_is_found_out_after_a_kill(tooled: Path) -> None:
    steps = Dying("loop")
    with pytest.raises(KilledError):
        loop(tooled, CHECKED, Scripted([writes("lib.py", WRONG)]), steps, max_attempts=1)
    (kept,) = tooled.glob(".git/prowess/*/lay")
    kept.write_bytes(b"x")

    ended = go_on(tooled, Scripted([writes("lib.py", WRONG)]), Remembering("loop", steps.kept))

    assert ended.outcome.ending == "failed"
    assert "what lay beside the work" in ended.outcome.reason


def test_where_that_list_is_gone_nothing_beside_the_work_is_believed(tooled: Path) -> None:
    steps = Dying("loop")
    with pytest.raises(KilledError):
        loop(tooled, CHECKED, Scripted([writes("lib.py", RIGHT)]), steps, max_attempts=1)
    (kept,) = tooled.glob(".git/prowess/*/lay")
    kept.unlink()
    agent, again = Scripted([writes("lib.py", RIGHT)]), Remembering("loop", steps.kept)

    assert marks(go_on(tooled, agent, again, max_attempts=1)) == ["- [~]"]


TESTED = """# Plan

- [ ] Double it
  - `lib.py` contains `double`
- [ ] Double it faster
  - `lib.py` contains `fast`

## Validation commands

```sh
python -m pytest -q
```
"""
TEST = "from lib import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
PLANTED = "import lib\n\nlib.double = lambda x: 2 * x\n\n\ndef test_new():\n    assert True\n"
FAST = "def double(x):\n    return x  # fast\n"


@pytest.fixture
def tested(repo: Path) -> Path:
    write_file(repo / "lib.py", RIGHT)
    write_file(repo / "test_lib.py", TEST)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "tested")
    return repo


def plants(folder: Path, order: AgentOrder) -> str:
    write_file(folder / "lib.py", RIGHT + "\n\nA = 1\n")
    write_file(folder / "test_a_first.py", PLANTED)
    return "done"


def test_a_test_that_one_task_planted_does_not_save_the_next(tested: Path) -> None:
    ended = loop(tested, TESTED, Scripted([plants, writes("lib.py", FAST)]), max_attempts=1)

    assert marks(ended) == ["- [R]", "- [~]"]


@dataclass
class Between(Remembering):
    """When the loop has kept its first task, a person works."""

    person: Callable[[], None] = lambda: None

    async def do(
        self, name: str, work: Callable[[], Awaitable[Any]], *, repeatable: bool = True
    ) -> Any:
        told = await super().do(name, work, repeatable=repeatable)
        if name == "record":
            person, self.person = self.person, lambda: None
            person()
        return told


def test_tests_that_a_person_changes_meanwhile_judge_from_then_on(tested: Path) -> None:
    plan = TESTED.replace("`lib.py` contains `fast`", "`more.py` contains `fast`")

    def another_way() -> None:
        write_file(tested / "lib.py", FAST)
        write_file(tested / "test_lib.py", TEST.replace("== 4", "== 2"))
        git(tested, "rm", "-q", "test_a_first.py")
        git(tested, "commit", "-q", "-a", "-m", "another way")

    agent = Scripted([plants, writes("more.py", "fast = 1\n")])
    ended = loop(tested, plan, agent, Between("loop", person=another_way), max_attempts=1)

    assert marks(ended) == ["- [R]", "- [R]"]


def test_tests_that_an_earlier_task_was_to_change_stay_changed(tested: Path) -> None:
    plan = TESTED.replace(
        "  - `lib.py` contains `double`\n",
        "  - `lib.py` contains `x  # fast`\n  - files: lib.py, test_lib.py\n",
    ).replace("`lib.py` contains `fast`", "`more.py` contains `fast`")

    def another(folder: Path, order: AgentOrder) -> str:
        write_file(folder / "lib.py", FAST)
        write_file(folder / "test_lib.py", TEST.replace("== 4", "== 2"))
        return "done"

    ended = loop(tested, plan, Scripted([another, writes("more.py", "fast = 1\n")]), max_attempts=1)

    assert marks(ended) == ["- [R]", "- [R]"]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("tools/chek", "there is no tools/chek; did you mean tools/check?"),
        ("KEY=1 tools/nothing-like-it -q", "there is no tools/nothing-like-it"),
    ],
)
def test_a_mistyped_program_is_told_before_an_agent_is_paid(
    tooled: Path, command: str, told: str
) -> None:
    agent = Scripted([writes("lib.py", RIGHT)])

    ended = loop(tooled, CHECKED.replace("tools/check", command), agent)

    assert ended.outcome.ending == "failed"
    assert told in ended.outcome.reason
    assert agent.prompts == []


@pytest.mark.parametrize(
    "command", ["build/check || exit 1", "tools/new.sh", "check --all || build/check"]
)
def test_a_program_that_may_come_is_waited_for(tooled: Path, command: str) -> None:
    plan = CHECKED.replace("tools/check", command).replace("Double it", "Write new.sh")
    agent = Scripted([writes("lib.py", RIGHT)])

    loop(tooled, plan, agent, max_attempts=1)

    assert len(agent.prompts) == 1
