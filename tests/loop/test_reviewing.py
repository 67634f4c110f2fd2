"""A reviewer looks at work that code could not judge alone, and does nothing else to it."""

import json
from pathlib import Path

import pytest

from loop.looping import Act, Scripted, git, loop, writes
from prowess.core.agent import AgentOrder
from support import write_file

SOFT = "The greeting is friendly"
PLAN = f"# Plan\n\n- [ ] Say hello\n  - `hello.txt` contains `hello`\n  - {SOFT}\n"
SEEN = {"type": "file_inspection", "description": "`hello`", "location": "hello.txt:1"}
APPROVED = json.dumps({"verdict": "APPROVED", "evidence": [{**SEEN, "confidence": 1.0}]})
CLAIM = json.dumps(
    {
        "schemaVersion": 1,
        "taskId": "say-hello",
        "verdict": "PASS",
        "criteria": [
            {"criterion": SOFT, "verdict": "PASS", "evidence": [{**SEEN, "confidence": 1.0}]}
        ],
        "filesAllowed": {"verdict": "PASS", "modifiedFiles": []},
    }
)
IMPLEMENTS = writes("hello.txt", "hello\n", CLAIM)


def approves(folder: Path, order: AgentOrder) -> str:
    return APPROVED


def test_an_approval_by_a_reviewer_that_only_looked_counts(repo: Path) -> None:
    ended = loop(repo, PLAN, Scripted([IMPLEMENTS, approves]), reviewer="another")

    assert "- [R] Say hello" in ended.plan


@pytest.mark.parametrize(
    "meddles",
    [
        writes("hello.txt", "hello, broken\n", APPROVED),
        writes("conftest.py", "", APPROVED),
        writes("README.md", "mine\n", APPROVED),
    ],
)
def test_an_approval_by_a_reviewer_that_changed_files_is_none(repo: Path, meddles: Act) -> None:
    ended = loop(repo, PLAN, Scripted([IMPLEMENTS, meddles]), reviewer="another")

    assert "- [x] Say hello" in ended.plan
    assert git(repo, "show", "HEAD:hello.txt") == "hello\n"
    assert git(repo, "show", "HEAD:README.md") == "hello\n"
    assert "conftest.py" not in git(repo, "ls-tree", "-r", "--name-only", "HEAD")
    assert git(repo, "status", "--porcelain") == ""


def test_what_a_reviewer_changed_is_kept_beside_the_task(repo: Path) -> None:
    meddles = writes("hello.txt", "hello, broken\n", APPROVED)

    ended = loop(repo, PLAN, Scripted([IMPLEMENTS, meddles]), reviewer="another")

    (left,) = ended.told("loop.left_behind")
    assert left["files"] == ["hello.txt"]
    assert git(repo, "show", f"{left['branch']}:hello.txt") == "hello, broken\n"
    named = f"Not kept with the task, but in the branch `{left['branch']}`: hello.txt."
    assert named in ended.outcome.answer


def test_a_review_is_told_as_one_and_is_no_attempt(repo: Path) -> None:
    ended = loop(repo, PLAN, Scripted([IMPLEMENTS, approves]), reviewer="another", attempts=2)

    asked = [each["summary"] for each in ended.told("agent.forked")]
    assert asked == ["built-in works on: Say hello", "another reviews: Say hello"]
    assert ended.outcome.answer.endswith("## Cost\n\n1 attempt, 1 review, 22 tokens, $0.0200.\n")
    assert ended.outcome.iterations == 1


def test_a_reviewer_that_commits_and_goes_elsewhere_changes_nothing_either(repo: Path) -> None:
    def meddles(folder: Path, order: AgentOrder) -> str:
        git(folder, "checkout", "-q", "-b", "other")
        write_file(folder / "hello.txt", "hello, broken\n")
        git(folder, "add", "hello.txt")
        git(folder, "commit", "-q", "-m", "mine")
        return APPROVED

    ended = loop(repo, PLAN, Scripted([IMPLEMENTS, meddles]), reviewer="another")

    assert "- [x] Say hello" in ended.plan
    assert git(repo, "show", "main:hello.txt") == "hello\n"


def test_an_approval_by_a_reviewer_that_changed_the_plan_is_none(repo: Path) -> None:
    def meddles(folder: Path, order: AgentOrder) -> str:
        plan = folder / "PLAN.md"
        plan.write_text(plan.read_text().replace(SOFT, "It exists"))
        return APPROVED

    ended = loop(repo, PLAN, Scripted([IMPLEMENTS, meddles]), reviewer="another")

    assert "- [x] Say hello" in ended.plan
    assert SOFT in ended.plan


def test_what_a_reviewer_wants_changed_is_heard_whatever_it_touched(repo: Path) -> None:
    wants = '{"verdict": "CHANGES", "feedback": "say it twice"}'
    agent = Scripted([IMPLEMENTS, writes("note.txt", "x", wants), IMPLEMENTS, approves])

    ended = loop(repo, PLAN, agent, reviewer="another")

    assert "say it twice" in agent.prompts[2]
    assert "- [R] Say hello" in ended.plan
    assert "note.txt" not in git(repo, "ls-tree", "-r", "--name-only", "HEAD")


def test_phases_without_a_check_have_the_criteria_judged_with_the_review(
    repo: Path, tmp_path: Path
) -> None:
    phases = write_file(
        tmp_path / "phases.yaml",
        "version: 1\nstart: implement\nphases:\n"
        "  implement: {type: execute, transitions: [{to: review}]}\n"
        "  review:\n    type: evaluate\n    does: review\n    transitions: [{to: reviewed}]\n"
        "  reviewed: {type: terminal, mark: R}\n",
    )
    shown = {"type": "file_inspection", "description": "`bye`", "location": "hello.txt:1"}
    verdict = json.dumps({"verdict": "APPROVED", "evidence": [shown]})

    ended = loop(
        repo,
        PLAN,
        Scripted([writes("hello.txt", "bye\n"), lambda folder, order: verdict]),
        reviewer="another",
        phases=str(phases),
    )

    assert "- [x] Say hello" in ended.plan


def test_what_was_only_reviewed_is_told_apart_from_what_is_proven(repo: Path) -> None:
    plan = f"{PLAN}- [ ] Say bye\n  - `bye.txt` contains `bye`\n"
    agent = Scripted([IMPLEMENTS, approves, writes("bye.txt", "bye\n")])

    ended = loop(repo, plan, agent, reviewer="another")

    proven, _, reviewed = ended.outcome.answer.partition("## Reviewed by another\n")
    assert "### Say bye" in proven
    assert "### Say hello" not in proven
    assert "### Say hello" in reviewed
    assert ended.outcome.reason == "all tasks are proven or reviewed"
    assert [each["reason"] for each in ended.told("loop.recorded")] == [
        "reviewed by another",
        "proven",
    ]


def test_the_report_of_a_review_keeps_what_the_task_asked_for(repo: Path) -> None:
    ended = loop(repo, PLAN, Scripted([IMPLEMENTS, approves]), reviewer="another")

    assert "- PASS: `hello.txt` contains `hello`" in ended.outcome.answer
    assert f"- PASS, as cited: {SOFT}" in ended.outcome.answer


def test_no_agent_vouches_alone_for_what_code_cannot_see_of_its_own_work(repo: Path) -> None:
    ended = loop(repo, PLAN, Scripted([IMPLEMENTS, approves]))

    assert "- [x] Say hello" in ended.plan
    assert "## Implemented, not proven\n\n### Say hello" in ended.outcome.answer
    assert (
        "Reviewed by built-in, the agent that implemented it, which proves nothing"
        in ended.outcome.answer
    )
    assert f"- PASS, as cited: {SOFT}" in ended.outcome.answer


@pytest.mark.parametrize(
    "plan", ["- [ ] Say hello\n", "- [ ] Say it\n\n## Validation\n\n```\ntest -f README.md\n```\n"]
)
def test_nor_for_a_task_that_asks_for_nothing_or_whose_commands_were_green_before(
    repo: Path, plan: str
) -> None:
    ended = loop(repo, plan, Scripted([IMPLEMENTS, approves]))

    assert "- [x] Say" in ended.plan
    assert "## Implemented, not proven\n" in ended.outcome.answer
    assert (
        "Reviewed by built-in, the agent that implemented it, which proves nothing"
        in ended.outcome.answer
    )
    assert "## Proven" not in ended.outcome.answer


def test_but_another_may(repo: Path) -> None:
    ended = loop(repo, "- [ ] Say hello\n", Scripted([IMPLEMENTS, approves]), reviewer="another")

    assert "- [R] Say hello" in ended.plan
    assert "## Reviewed by another\n" in ended.outcome.answer


def test_the_report_says_why_a_review_does_not_count(repo: Path) -> None:
    meddles = writes("note.txt", "x", APPROVED)

    ended = loop(repo, PLAN, Scripted([IMPLEMENTS, meddles]), reviewer="another")

    told = "The review by another does not count: a review that changes something is none"
    assert f"{told}: note.txt changed." in ended.outcome.answer
