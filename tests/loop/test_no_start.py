"""Agents that come to nothing: why is told wherever somebody looks, and nobody pays for it twice."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from loop.looping import Looped, loop, writes
from prowess.core.agent import AgentEnd, AgentOrder
from prowess.loop.agents.base import Agent
from prowess.loop.agents.command import command_agent
from prowess.loop.agents.known import PROGRAMS
from prowess.loop.agents.program import Program
from support import write_file

ONE = "- [ ] Say hello\n  - files: hello.txt\n  - `test -f hello.txt` succeeds\n"
TWO = f"{ONE}- [ ] Say bye\n  - files: bye.txt\n  - `test -f bye.txt` succeeds\n"
CRASHED = AgentEnd(agent="any", trouble="crash", told="boom", code=3, spoke=False, seconds=0.1)


def shell(script: str) -> Agent:
    return command_agent(("sh", "-c", script))


@dataclass
class Ends:
    """An agent whose attempts end so, the last of them again and again; `None` is a good one."""

    ends: list[AgentEnd | None]
    name: str = "any"
    prompts: list[str] = field(default_factory=list)

    async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
        end = self.ends[min(len(self.prompts), len(self.ends) - 1)]
        self.prompts.append(order.prompt)
        if end is None:
            writes("hello.txt", "hi")(Path(order.workspace), order)
        return end or AgentEnd(agent="any", answer="Done.", said_done=True, code=0)


def tries(ended: Looped) -> int:
    return len(ended.told("agent.joined"))


@pytest.mark.parametrize("parallel", [1, 2])
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exec no-such-program", "no-such-program: not found (exit code 127"),
        ("exec ./README.md", "README.md: Permission denied (exit code 126"),
        ("echo 'Error: Cannot find module' >&2; exit 1", "Cannot find module (exit code 1,"),
    ],
)
def test_an_agent_that_cannot_begin_ends_the_loop_and_leaves_the_tasks_to_do(
    repo: Path, script: str, why: str, parallel: int
) -> None:
    ended = loop(repo, TWO, shell(script), parallel=parallel)

    assert tries(ended) == parallel
    assert ended.outcome.ending == "partial"
    assert ended.outcome.reason.startswith("the agent built-in cannot begin: ")
    assert why in ended.outcome.reason
    assert ended.outcome.reason.endswith("mend its command, or the program, and begin again")
    assert ended.outcome.details["outside"] is True
    assert why in ended.outcome.answer
    assert ended.plan == TWO


def test_an_agent_that_is_not_let_in_ends_the_loop_too(repo: Path) -> None:
    told = AgentEnd(agent="any", trouble="auth", told="401 Unauthorized", code=1)
    agent = Ends([told])

    ended = loop(repo, TWO, agent)

    assert len(agent.prompts) == 1
    assert "is not let in: 401 Unauthorized" in ended.outcome.reason
    assert ended.plan == TWO


def test_a_model_that_never_replied_ends_the_loop_however_long_it_was_tried(repo: Path) -> None:
    agent = Ends([AgentEnd(agent="any", trouble="crash", told="refused", spoke=False, seconds=99)])

    assert "cannot begin: refused" in loop(repo, TWO, agent).outcome.reason


@pytest.mark.parametrize(
    "end",
    [
        AgentEnd(agent="any", trouble="crash", told="boom", code=3, spoke=True),
        AgentEnd(agent="any", trouble="crash", told="boom", code=3, spoke=False, seconds=99),
        AgentEnd(agent="any", trouble="crash", killed_by="output", code=-9, spoke=False),
        AgentEnd(agent="any", trouble="timeout", killed_by="timeout", code=-9, spoke=False),
    ],
    ids=["said something", "worked for long", "was stopped", "ran out of time"],
)
def test_an_agent_that_did_begin_has_all_its_attempts(repo: Path, end: AgentEnd) -> None:
    agent = Ends([end])

    ended = loop(repo, ONE, agent)

    assert len(agent.prompts) == 3
    assert "- [~] Say hello" in ended.plan


def test_an_agent_that_was_seen_to_work_may_crash_without_ending_the_loop(repo: Path) -> None:
    agent = Ends([None, CRASHED])

    ended = loop(repo, TWO, agent)

    assert len(agent.prompts) == 4
    assert "- [~] Say bye" in ended.plan


def test_what_only_lacks_a_reviewer_that_cannot_begin_stays_implemented(repo: Path) -> None:
    agent = Ends([None, CRASHED])

    ended = loop(repo, "- [ ] Say hello\n- [ ] Say bye\n", agent, reviewer="codex")

    assert ended.plan == "- [x] Say hello\n- [ ] Say bye\n"
    assert "the agent codex cannot begin: boom" in ended.outcome.reason


def test_why_an_agent_crashed_is_told_beside_the_crash_in_the_report_and_to_the_next(
    repo: Path,
) -> None:
    script = "cat >> ../prompts; echo Working.; echo 'Traceback:\n  x\nE: no luck' >&2; exit 3"

    ended = loop(repo, ONE, shell(script), max_attempts=2)

    assert [each["summary"] for each in ended.told("agent.joined")] == [
        "built-in: crash: E: no luck"
    ] * 2
    assert "The agent of the last attempt stopped: crash: E: no luck" in ended.outcome.answer
    assert (
        "stopped (crash: E: no luck).\n\n# Task Feedback" in (repo.parent / "prompts").read_text()
    )


def test_the_report_of_a_blocked_task_names_the_file_that_was_not_to_be_changed(repo: Path) -> None:
    ended = loop(repo, ONE, shell("cat > /dev/null; touch hello.txt other.txt"), max_attempts=1)

    assert (
        "- FAIL: `other.txt` was changed and matches none of the allowed files"
        in ended.outcome.answer
    )


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("Traceback:\n  File x\nValueError: 3 is too few\n", "ValueError: 3 is too few"),
        (
            "node:internal\n  throw err;\n\nError: Cannot find module 'x'\n    at Error (y:1)\n\nNode.js v22\n",
            "Error: Cannot find module 'x'",
        ),
        ("starting\nsegmentation violation\n", "segmentation violation"),
        ("", "exit code 3"),
    ],
)
def test_the_line_that_says_why_is_found_among_an_agents_last_words(told: str, why: str) -> None:
    assert AgentEnd(agent="any", trouble="crash", told=told, code=3).why == why


# What Codex tells when its provider is down: it begins a turn, tries again, and gives up.
DOWN = (
    '{"type":"thread.started","thread_id":"t"}\n'
    '{"type":"turn.started"}\n'
    '{"type":"error","message":"Reconnecting... 1/2 (unexpected status 500)"}\n'
    '{"type":"turn.failed","error":{"message":"unexpected status 500: down"}}\n'
)
MADE = (
    '{"type":"turn.started"}\n'
    '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"Done."}}\n'
    '{"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":1}}\n'
)


def codex(folder: Path, script: str) -> Agent:
    """The program, as the loop starts it; `$n` is how often it was started before."""
    for name, told in (("down", DOWN), ("made", MADE)):
        write_file(folder / name, told)
    count = (
        f"cd {folder}; n=$(cat times 2>/dev/null || echo 0); echo $((n+1)) > times; cd - >/dev/null"
    )
    path = write_file(folder / "codex", f"#!/bin/sh\ncat > /dev/null\n{count}\n{script}\n")
    path.chmod(0o755)
    return Program(ways=PROGRAMS["codex"], path=str(path))


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_provider_that_is_down_ends_the_loop_at_the_first_attempt(
    repo: Path, parallel: int
) -> None:
    agent = codex(repo.parent / "codex", f"cat {repo.parent}/codex/down; exit 1")

    ended = loop(repo, TWO, agent, parallel=parallel)

    assert tries(ended) == parallel
    assert "gets no reply from its model: unexpected status 500: down" in ended.outcome.reason
    assert "look after its provider, and begin again" in ended.outcome.reason
    assert ended.plan == TWO


def test_a_provider_that_goes_down_ends_the_loop_when_two_attempts_in_a_row_got_no_reply(
    repo: Path,
) -> None:
    folder = repo.parent / "codex"
    works = f"if test $n = 0; then touch hello.txt; cat {folder}/made; exit 0; fi"
    agent = codex(folder, f"{works}\ncat {folder}/down; exit 1")

    ended = loop(repo, TWO, agent)

    assert tries(ended) == 3
    assert "gets no reply from its model" in ended.outcome.reason
    assert ended.plan == TWO.replace("[ ] Say hello", "[R] Say hello")


def test_a_provider_that_comes_back_after_one_attempt_without_a_reply_ends_nothing(
    repo: Path,
) -> None:
    folder = repo.parent / "codex"
    down = f"if test $n = 1 || test $n = 3; then cat {folder}/down; exit 1; fi"
    agent = codex(folder, f"{down}\ntest $n = 0 && touch hello.txt\ncat {folder}/made")

    ended = loop(repo, TWO, agent, max_attempts=4)

    assert tries(ended) == 5
    assert "- [~] Say bye" in ended.plan
