"""The loop from plan to proven result, with real git, real checks, and agents that cannot be trusted."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from house import Home
from loop.looping import Scripted, git, loop, nothing, writes
from prowess.core.agent import AgentEnd, AgentOrder
from prowess.core.errors import CancelledRunError
from prowess.core.event import Event
from prowess.core.run import outcome_from_json
from prowess.durable.straight import StraightSteps
from prowess.engine.house import House
from support import write_file

ONE = "# Plan\n\n- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"


def test_a_task_that_code_proves_is_marked_reviewed_and_kept_as_a_commit(repo: Path) -> None:
    ended = loop(repo, ONE, Scripted([writes("hello.txt", "hi")]))

    assert ended.outcome.ok
    assert "- [R] Say hello" in ended.plan
    assert git(repo, "log", "-1", "--format=%s").strip() == "Say hello"
    assert git(repo, "status", "--porcelain") == ""


def test_an_agent_that_says_all_is_done_and_did_nothing_gets_no_mark(repo: Path) -> None:
    agent = Scripted([nothing])

    ended = loop(repo, ONE, agent)

    assert "- [~] Say hello" in ended.plan
    assert len(agent.prompts) == 3
    assert ended.outcome.ending == "partial"


def test_an_agent_that_changed_nothing_has_implemented_nothing(repo: Path) -> None:
    ended = loop(repo, "- [ ] Say hello\n", Scripted([nothing]), max_attempts=1)

    assert "- [~] Say hello" in ended.plan
    assert "no file differs" in ended.outcome.answer


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_task_that_an_earlier_one_has_done_is_already_so(repo: Path, parallel: int) -> None:
    plan = f"{ONE}- [ ] Greet\n  - after: Say hello\n  - `hello.txt` contains `hi there`\n"
    agent = Scripted([writes("hello.txt", "hi there"), nothing])

    ended = loop(repo, plan, agent, parallel=parallel)

    assert ended.outcome.ok
    assert "- [R] Greet" in ended.plan
    assert ended.outcome.details["tasks"][1]["reason"] == "already so"
    assert "It was already so: nothing had to be changed." in ended.outcome.answer


def test_tests_that_passed_before_show_nothing_of_a_task_that_nobody_did(repo: Path) -> None:
    write_file(
        repo / "test_a.py",
        "import unittest\n\nclass A(unittest.TestCase):\n    def test_a(self): pass\n",
    )
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "a test")
    plan = "- [ ] Say hello\n  - `python -m unittest -q` passes\n"

    ended = loop(repo, plan, Scripted([nothing]), max_attempts=1)

    assert "- [~] Say hello" in ended.plan


def test_the_tasks_of_the_plan_are_told_when_they_are_others_than_before(repo: Path) -> None:
    plan = f"- [R] Wave\n{ONE}- [ ] Greet\n  - after: Say hello\n- [ ]? Look at it\n"

    def adds(folder: Path, order: AgentOrder) -> str:
        write_file(folder / "hello.txt", "hi")
        file = repo / "PLAN.md"
        file.write_text(f"{file.read_text()}- [ ] Shout\n")
        return ""

    told = loop(repo, plan, Scripted([adds, nothing]), max_attempts=1).told("loop.planned")

    assert [[each["task"] for each in one["tasks"]] for one in told] == [
        ["Wave", "Say hello", "Greet"],
        ["Wave", "Say hello", "Greet", "Shout"],
    ]
    assert [each["mark"] for each in told[0]["tasks"]] == ["R", " ", " "]
    assert told[0]["summary"] == "Plan: 3 tasks, 2 to do"


def test_a_plan_of_which_something_waits_or_was_blocked_before_is_not_done(repo: Path) -> None:
    plan = f"{ONE}- [~] Shout\n- [ ] Shout louder\n  - after: Shout\n"

    ended = loop(repo, plan, Scripted([writes("hello.txt", "hi")]))

    assert "- [R] Say hello" in ended.plan
    assert ended.outcome.ending == "partial"
    assert ended.outcome.reason == "1 of 3 tasks is blocked, 1 waits for what is not done"
    assert "## Left\n\n- Shout louder" in ended.outcome.answer

    again = loop(repo, ended.plan, Scripted([]))

    assert again.outcome.reason.startswith("nothing can be begun: 2 blocked or waiting for those")
    assert "write `[ ]` for `[~]` in the plan (line" in again.outcome.reason


def test_a_loop_that_is_cancelled_tells_what_it_did_and_where_the_rest_lies(repo: Path) -> None:
    class Cancelled(StraightSteps):
        async def do(self, name: str, work: Any, **more: Any) -> Any:
            if name == "check" and (repo / "half.txt").exists():
                raise CancelledRunError("somebody cancelled it")
            return await super().do(name, work, **more)

    plan = f"{ONE}- [ ] Say bye\n  - `test -f bye.txt` succeeds\n"
    agent = Scripted([writes("hello.txt", "hi"), writes("half.txt", "half")])

    with pytest.raises(CancelledRunError):
        loop(repo, plan, agent, Cancelled("loop"))

    (finished,) = [each for each in told_of(repo, "loop") if each.kind == "run.finished"]
    outcome = outcome_from_json(finished.payload["outcome"])
    assert (outcome.ending, outcome.iterations, outcome.tokens) == ("cancelled", 2, 22)
    assert "Somebody cancelled it." in outcome.answer
    assert "## Proven\n\n### Say hello" in outcome.answer
    assert (
        f"### Say bye\n\n1 attempt.\n\nsomebody cancelled it; what was done of it lies in {repo}"
        in (outcome.answer)
    )
    assert (repo / "half.txt").read_text() == "half"


def told_of(repo: Path, run: str) -> list[Event]:
    async def read(house: House) -> list[Event]:
        return [each.event for each in house.log.run(run)]

    return Home(repo, repo.parent / "data", {"*": []}).within(read)


def test_what_was_wrong_is_told_to_the_next_attempt(repo: Path) -> None:
    agent = Scripted([nothing, writes("hello.txt", "hi")])

    ended = loop(repo, ONE, agent)

    assert "- [R] Say hello" in ended.plan
    assert "Failed Criteria" not in agent.prompts[0]
    assert "Failed Criteria" in agent.prompts[1]
    assert "test -f hello.txt" in agent.prompts[1]


def test_edits_outside_the_tasks_files_are_no_proof(repo: Path) -> None:
    plan = "- [ ] Say hello\n  - files: src/**\n  - `test -f hello.txt` succeeds\n"

    ended = loop(repo, plan, Scripted([writes("hello.txt", "hi")]), max_attempts=1)

    assert "- [~] Say hello" in ended.plan
    assert not (repo / "hello.txt").exists()


def test_a_cited_line_that_does_not_exist_proves_nothing(repo: Path) -> None:
    plan = "- [ ] Greet politely\n  - The greeting is polite\n"
    claim = {
        "schemaVersion": 1,
        "taskId": "greet-politely",
        "verdict": "PASS",
        "criteria": [
            {
                "criterion": "The greeting is polite",
                "verdict": "PASS",
                "evidence": [
                    {
                        "type": "file_inspection",
                        "description": "it says `please`",
                        "location": "hello.txt:40",
                        "confidence": 1.0,
                    }
                ],
            }
        ],
        "filesAllowed": {"verdict": "PASS", "modifiedFiles": []},
    }
    said = f"Done.\n```json\n{json.dumps(claim)}\n```"

    lied = loop(repo, plan, Scripted([writes("hello.txt", "please\n", said)]), max_attempts=1)

    assert "- [~] Greet politely" in lied.plan


def test_work_that_was_not_proven_is_kept_in_a_branch(repo: Path) -> None:
    ended = loop(repo, ONE, Scripted([writes("other.txt", "precious")]), max_attempts=1)

    (entry,) = ended.outcome.details["tasks"]
    assert git(repo, "show", f"{entry['branch']}:other.txt") == "precious"
    assert not (repo / "other.txt").exists()
    assert entry["branch"] in ended.outcome.answer


def test_validation_commands_are_run_after_every_task(repo: Path) -> None:
    tasks = "- [ ] One\n  - `hello.txt` exists\n- [ ] Two\n  - `hello.txt` exists\n"
    plan = f"{tasks}\n## Validation commands\n\n```sh\ngrep -q hi hello.txt\n```\n"
    acts = [writes("hello.txt", text) for text in ("ho", "hi", "ho, again", "hi, again")]

    ended = loop(repo, plan, Scripted(acts))

    assert ended.plan.count("- [R]") == 2
    assert [each["attempts"] for each in ended.outcome.details["tasks"]] == [2, 2]


def test_a_task_that_nothing_can_prove_stays_implemented(repo: Path) -> None:
    ended = loop(repo, "- [ ] Say hello\n", Scripted([writes("hello.txt", "hi")]))

    assert "- [x] Say hello" in ended.plan
    assert "awaits review" in ended.outcome.reason


def test_a_review_that_shows_what_it_approves_counts(repo: Path) -> None:
    verdict = {
        "verdict": "APPROVED",
        "evidence": [
            {
                "type": "file_inspection",
                "description": "it says `hello, dear world`",
                "location": "hello.txt:1",
            }
        ],
    }

    def review(folder: Path, order: AgentOrder) -> str:
        return f"Fine.\n{json.dumps(verdict)}"

    agent = Scripted([writes("hello.txt", "hello, dear world\n"), review])
    ended = loop(repo, "- [ ] Say hello\n- [ ] Say bye\n", agent, attempts=2, reviewer="another")

    assert "- [R] Say hello" in ended.plan
    assert "Say hello" in agent.prompts[1]
    assert "Say bye" not in agent.prompts[1]


def test_a_review_that_cites_what_is_not_there_counts_for_nothing(repo: Path) -> None:
    verdict = {
        "verdict": "APPROVED",
        "evidence": [
            {
                "type": "file_inspection",
                "description": "it says `goodbye, dear world`",
                "location": "hello.txt:1",
            }
        ],
    }

    def review(folder: Path, order: AgentOrder) -> str:
        return json.dumps(verdict)

    agent = Scripted([writes("hello.txt", "hi\n"), review])
    ended = loop(repo, "- [ ] Say hello\n", agent, reviewer="another")

    assert "- [x] Say hello" in ended.plan


def test_the_word_approved_alone_is_no_verdict(repo: Path) -> None:
    def review(folder: Path, order: AgentOrder) -> str:
        return "APPROVED. Great work!"

    agent = Scripted([writes("hello.txt", "hi"), review])
    ended = loop(repo, "- [ ] Say hello\n", agent, reviewer="another")

    assert "- [x] Say hello" in ended.plan
    assert "the review gave no verdict" in ended.outcome.answer


def test_a_completion_token_ends_no_plan_with_tasks_to_do(repo: Path) -> None:
    plan = "- [ ] One\n  - `test -f 1` succeeds\n- [ ] Two\n  - `test -f 2` succeeds\n"
    agent = Scripted([writes("1", "", "<promise>COMPLETE</promise>"), writes("2", "")])

    ended = loop(repo, plan, agent)

    assert ended.plan.count("[R]") == 2


def test_a_blocked_task_does_not_keep_others_from_being_done(repo: Path) -> None:
    plan = "- [ ] One\n  - `test -f 1` succeeds\n- [ ] Two\n  - `test -f 2` succeeds\n"

    ended = loop(repo, plan, Scripted([nothing, writes("2", "")]), max_attempts=1)

    assert "- [~] One" in ended.plan
    assert "- [R] Two" in ended.plan


def test_a_task_waits_for_those_it_comes_after(repo: Path) -> None:
    plan = (
        "- [ ] Second\n  - after: First\n  - `test -f 2` succeeds\n"
        "- [ ] First\n  - `test -f 1` succeeds\n"
    )
    agent = Scripted([writes("1", ""), writes("2", "")])

    ended = loop(repo, plan, agent)

    assert "First" in agent.prompts[0]
    assert ended.plan.count("[R]") == 2


@pytest.mark.parametrize(
    ("budget", "reason"),
    [({"attempts": 1}, "1 attempt"), ({"tokens": 5}, "5 tokens"), ({"dollars": 0.005}, "dollars")],
)
def test_a_budget_ends_the_loop_and_says_which(repo: Path, budget: Any, reason: str) -> None:
    plan = "- [ ] One\n  - `test -f 1` succeeds\n- [ ] Two\n  - `test -f 2` succeeds\n"

    ended = loop(repo, plan, Scripted([writes("1", "")]), **budget)

    assert ended.outcome.ending == "partial"
    assert reason in ended.outcome.reason
    assert "## Left\n\n- Two" in ended.outcome.answer


def test_uncommitted_changes_are_not_taken_for_the_agents(repo: Path) -> None:
    write_file(repo / "mine.txt", "mine")

    ended = loop(repo, ONE, Scripted([nothing]))

    assert ended.outcome.ending == "failed"
    assert "uncommitted changes: mine.txt" in ended.outcome.reason
    assert (repo / "mine.txt").read_text() == "mine"


def test_a_plan_that_was_edited_meanwhile_is_ticked_at_the_same_task(repo: Path) -> None:
    def edits(folder: Path, order: AgentOrder) -> str:
        plan = folder / "PLAN.md"
        plan.write_text("A new line.\n\n" + plan.read_text() + "- [ ] Another, by a person\n")
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([edits]), attempts=1)

    assert "- [R] Say hello" in ended.plan
    assert "- [ ] Another, by a person" in ended.plan


def test_a_usage_limit_pauses_and_counts_no_attempt(repo: Path) -> None:
    class Limited(Scripted):
        async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
            if not self.prompts:
                self.prompts.append(order.prompt)
                return AgentEnd(
                    agent="x",
                    trouble="usage_limit",
                    told="limit",
                    resets_at="2020-01-01T00:00:00+00:00",
                )
            return await Scripted.work(self, order, record=record)

    ended = loop(repo, ONE, Limited([nothing, writes("hello.txt", "hi")]), max_attempts=1)

    assert "loop.paused" in ended.kinds()
    assert "- [R] Say hello" in ended.plan
    assert ended.outcome.details["tasks"][0]["attempts"] == 1


def test_the_report_tells_the_proof_and_the_cost(repo: Path) -> None:
    ended = loop(repo, ONE, Scripted([writes("hello.txt", "hi")]))

    assert "## Proven" in ended.outcome.answer
    assert "- PASS: `test -f hello.txt` succeeds" in ended.outcome.answer
    assert "1 attempt, 11 tokens, $0.0100." in ended.outcome.answer


def test_an_agent_that_takes_the_plan_away_gets_nothing_ticked(repo: Path) -> None:
    def takes(folder: Path, order: AgentOrder) -> str:
        (folder / "PLAN.md").unlink()
        return writes("hello.txt", "hi")(folder, order)

    ended = loop(repo, ONE, Scripted([takes]), max_attempts=1)

    assert "- [R] Say hello" not in git(repo, "show", "HEAD:PLAN.md")
    assert not ended.outcome.ok


def test_an_agent_that_ticks_its_own_tasks_has_ticked_nothing(repo: Path) -> None:
    plan = f"{ONE}- [ ] Say bye\n  - `test -f bye.txt` succeeds\n"

    def ticks(folder: Path, order: AgentOrder) -> str:
        text = (folder / "PLAN.md").read_text()
        (folder / "PLAN.md").write_text(text.replace("[ ]", "[R]"))
        return "All done."

    ended = loop(repo, plan, Scripted([ticks]), max_attempts=1)

    assert ended.plan.count("[~]") == 2
    assert "loop.unticked" in ended.kinds()


def test_watchers_hear_of_attempts_that_lead_nowhere(repo: Path) -> None:
    def unreadable(folder: Path, order: AgentOrder) -> str:
        return 'Done. {"criteria": [{"criterion": "x"}], "verdict": "PASS"}'

    ended = loop(repo, ONE, Scripted([nothing, unreadable]), max_attempts=2)

    assert [each["attempt"] for each in ended.told("loop.no_progress")] == [1, 2]
    assert [each["attempt"] for each in ended.told("loop.same_task")] == [2]
    (unread,) = ended.told("loop.malformed_completion")
    assert unread["attempt"] == 2
    assert unread["summary"] == (
        "Its evidence cannot be read: criterion 1: verdict is missing; criterion 1: evidence is missing"
    )


def test_an_agent_at_work_is_told_of_by_no_watchdog(repo: Path) -> None:
    ended = loop(repo, ONE, Scripted([writes("hello.txt", "hi")]))

    watched = {"loop.no_progress", "loop.same_task", "loop.malformed_completion", "loop.unticked"}
    assert not watched & set(ended.kinds())


def test_the_skills_chosen_for_a_task_are_handed_to_the_agent(repo: Path) -> None:
    write_file(repo / "prowess.toml", "[skills]\nskills_enabled = true\n")
    skill = "---\nname: greeting\ndescription: Say hello in a file.\n---\nBe polite.\n"
    folder = write_file(repo / ".agents" / "skills" / "greeting" / "SKILL.md", skill).parent
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "a skill")
    handed: list[Any] = []

    def look(_: Path, order: AgentOrder) -> str:
        handed.append(dict(order.skills))
        return ""

    loop(repo, "- [ ] Say hello @greeting\n  - `false` exits with 1\n", Scripted([look]))

    assert handed[0]["greeting"] == str(folder)


def test_an_agent_that_ticks_and_is_stopped_leaves_no_tick(repo: Path) -> None:
    """Whoever stops the loop then begins another, which believes what is ticked."""

    def ticks(folder: Path, order: AgentOrder) -> str:
        plan = folder / "PLAN.md"
        plan.write_text(plan.read_text().replace("[ ]", "[R]"))
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        loop(repo, ONE, Scripted([ticks]))

    assert "- [ ] Say hello" in (repo / "PLAN.md").read_text()
