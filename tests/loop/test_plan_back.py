"""Of a plan that was changed while an agent was at work, what was changed is put back, and what was added stays."""

from pathlib import Path

import pytest

from loop.looping import Act, Scripted, git, loop, writes
from loop.test_cut_off import TWO, cut_off, resumed, rewrites
from prowess.core.agent import AgentOrder
from prowess.loop.behind.guarding import tampered
from prowess.loop.behind.plan_back import mended

ADDED = "- [ ] Say more\n  - `more.txt` exists\n"
PLAN = (
    "# Plan\n\nSome words.\n\n## One\n\n- [ ] Write a\n  - `a.txt` exists\n\n"
    "## Two\n\n- [ ] Write b\n\n  In full.\n\n  - `b.txt` exists\n- [ ] Write c\n  - `c.txt` exists"
)


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("`a.txt` exists", "`a.txt` is there", ("## Two\n\n", f"## Two\n\n{ADDED}")),
        ("- [ ] Write a\n  - `a.txt` exists\n", "", ("## Two\n\n", f"## Two\n\n{ADDED}")),
        ("- [ ] Write c", "- [R] Write c", ("- [ ] Write c", f"{ADDED}- [ ] Write c")),
        ("`c.txt` exists", "`c.txt` is there", ("`c.txt` exists", f"`c.txt` exists\n{ADDED}")),
        ("  In full.", "  In short.", ("- [ ] Write b", f"{ADDED}- [ ] Write b")),
        ("Some words.", "Other words.", ("## Two\n\n", f"## Two\n\n{ADDED}")),
    ],
)
def test_a_task_that_was_added_stays_where_it_was_added(
    old: str, new: str, kept: tuple[str, str]
) -> None:
    after = PLAN.replace(*kept).replace(old, new).replace("`b.txt` exists", "`b.txt` is gone")

    assert mended(PLAN.encode(), after.encode()).decode() == PLAN.replace(*kept)


def test_a_section_that_was_added_with_its_tasks_stays_whole() -> None:
    more = f"\n\n## Three\n\nThese too.\n\n{ADDED}"
    after = PLAN.replace("`b.txt` exists", "`b.txt` is gone") + more

    assert mended(PLAN.encode(), after.encode()).decode() == PLAN + more


@pytest.mark.parametrize(
    "smuggled",
    [
        "- [R] Done by nobody\n",
        "- [ ] Write a\n  - `README.md` exists\n",
        "- [ ] write  A.\n",
        "## Manual QA\n\n- [x] Write a\n",
        "~~~\n",
        "<!--\n",
        "## Validation commands\n\n```sh\ntrue\n```\n",
    ],
)
@pytest.mark.parametrize("before", ["## One\n", "- [ ] Write b", "- [ ] Write c"])
def test_what_an_agent_may_not_add_does_not_stay_either(smuggled: str, before: str) -> None:
    after = PLAN.replace(before, f"{smuggled}{before}").replace(
        "`c.txt` exists", "`README.md` exists"
    )

    left = mended(PLAN.encode(), f"{after}\n{ADDED}".encode())

    assert tampered(PLAN.encode(), left) == []
    assert b"- [R]" not in left
    assert left.endswith(ADDED.encode()) or smuggled in ("~~~\n", "<!--\n")


def test_a_task_that_was_reworded_stands_there_as_it_was_and_as_it_is() -> None:
    after = PLAN.replace("- [ ] Write c", "- [ ] Write C, D")

    left = mended(PLAN.encode(), after.encode()).decode()

    assert left == f"{PLAN}\n- [ ] Write C, D\n  - `c.txt` exists"


def test_a_plan_that_cannot_be_read_any_more_is_put_back_whole() -> None:
    assert mended(PLAN.encode(), b"\xff\xfe") == PLAN.encode()
    assert mended(PLAN.encode(), b"") == PLAN.encode()


def person_adds(repo: Path) -> Act:
    """A person adds a task and changes another one, while this agent is at work."""

    def act(folder: Path, order: AgentOrder) -> str:
        rewrites("\n## Validation", f"{ADDED}\n## Validation")(repo, order)
        rewrites("files: bye.txt", "files: bye.txt, more.txt")(repo, order)
        return writes("hello.txt", "hi")(folder, order)

    return act


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_task_that_a_person_adds_while_an_agent_works_is_done_and_the_report_says_what_was_put_back(
    repo: Path, parallel: int
) -> None:
    acts = [
        person_adds(repo),
        writes("hello.txt", "hi!"),
        writes("bye.txt", ""),
        writes("more.txt", ""),
    ]
    ended = loop(repo, TWO, Scripted(acts), parallel=parallel)

    (told,) = ended.told("loop.plan_restored")
    copy = told["copy"]
    assert ended.plan == TWO.replace("\n## Val", f"{ADDED}\n## Val").replace("[ ]", "[R]")
    assert told["summary"] == (
        f"The plan was put back: 'Say bye' was changed; as it was found it is in {copy}"
    )
    assert "files: bye.txt, more.txt" in (repo / copy).read_text()
    report = ended.outcome.answer
    assert f"- 'Say bye' was changed: the plan as it was found is in `{copy}`" in report
    assert "### Say hello\n\n2 attempts" in report
    assert (
        "Attempt 1 failed because the plan was changed while its agent was at work: 'Say bye' was"
        " changed." in report
    )


def test_after_a_kill_it_is_done_too_and_the_report_says_what_was_put_back(repo: Path) -> None:
    steps = cut_off(repo, person_adds(repo))

    ended = resumed(repo, steps)

    (copy,) = (repo / ".prowess" / "plans").iterdir()
    named = copy.relative_to(repo)
    assert ended.told("run.warned")[0]["summary"].endswith(f"; as it was found it is in {named}")
    assert "- [~] Say more" in ended.plan  # nobody does it here
    report = ended.outcome.answer
    assert f"- 'Say bye' was changed: the plan as it was found is in `{named}`" in report
    assert (
        "Attempt 1 failed" not in report
    )  # nobody knows who it was, so no attempt has failed for it


def test_a_plan_that_nobody_changed_is_not_spoken_of(repo: Path) -> None:
    ended = loop(repo, TWO, Scripted([writes("hello.txt", "hi"), writes("bye.txt", "")]))

    assert "Put back" not in ended.outcome.answer
    assert git(repo, "status", "--porcelain") == ""
