"""A program that the sandbox lacks is told before an agent is paid, or ends the loop at its first check."""

from pathlib import Path

import pytest

from loop.looping import Scripted, git, loop, writes
from prowess.core.agent import AgentOrder

TWO = """# Plan

- [ ] Say hello
  - files: hello.txt
  - `hello.txt` contains `hello`
- [ ] Say bye
  - files: bye.txt

## Validation commands

```sh
{command}
```
"""
FOUND_ELSEWHERE = "test -f README.md && no-such-runner -q"


def plan(command: str) -> str:
    return TWO.format(command=command)


@pytest.mark.parametrize(
    "command",
    [
        "no-such-runner -q",
        "KEY=1 no-such-runner -q",
        "cd . && no-such-runner -q",
        "no-such-runner | tail -n 3",
    ],
)
def test_a_validation_program_that_the_sandbox_lacks_is_told_before_an_agent_is_paid(
    repo: Path, command: str
) -> None:
    agent = Scripted([writes("hello.txt", "hello")])

    ended = loop(repo, plan(command), agent)

    assert agent.prompts == []
    assert ended.outcome.ending == "failed"
    assert "PLAN.md:12: `no-such-runner` is not in the sandbox" in ended.outcome.reason
    assert "make a `.venv` and write `.venv/bin/no-such-runner …`" in ended.outcome.reason


@pytest.mark.parametrize(
    "command",
    [
        "test -f hello.txt",
        "if test -f hello.txt; then true; else false; fi",
        "! test -f nothing",
        "(test -f hello.txt)",
        "no-such-runner -q || test -f hello.txt",
    ],
)
def test_words_of_the_shell_and_what_another_command_stands_in_for_lack_nothing(
    repo: Path, command: str
) -> None:
    agent = Scripted([writes("hello.txt", "hello")])

    loop(repo, plan(command), agent, max_attempts=1)

    assert agent.prompts


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_check_that_finds_nothing_but_a_missing_program_ends_the_loop_and_keeps_the_work(
    repo: Path, parallel: int
) -> None:
    def does_as_asked(folder: Path, order: AgentOrder) -> str:
        word = "hello" if "Say hello" in order.prompt else "bye"
        return writes(f"{word}.txt", word)(folder, order)

    asked, agent = plan(FOUND_ELSEWHERE), Scripted([does_as_asked])

    ended = loop(repo, asked, agent, parallel=parallel)

    assert len(agent.prompts) == parallel
    assert ended.plan == asked
    assert ended.outcome.ending == "partial"
    assert "the sandbox lacks no-such-runner" in ended.outcome.reason
    recorded = ended.told("loop.recorded")[0]
    assert git(repo, "show", f"{recorded['branch']}:hello.txt") == "hello"


def test_where_something_speaks_against_the_work_too_it_is_tried_again(repo: Path) -> None:
    agent = Scripted([writes("hello.txt", "good day")])

    ended = loop(repo, plan(FOUND_ELSEWHERE), agent, max_attempts=2)

    assert "- [~] Say hello" in ended.plan
