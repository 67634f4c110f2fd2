"""The report of a loop, as somebody reads it who has seen nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loop.looping import Act, Scripted, git, loop, writes
from prowess.core.agent import AgentOrder
from prowess.loop.done import last_words
from prowess.loop.telling.quoting import alone, inline, quoted
from prowess.workflow.renderers.parts import parts_of
from support import write_file

HELLO = "- [ ] Say hello\n  - `src/__init__.py` contains `hello`\n"
SOFT = "the greeting is polite"
CLAIMED = {
    "schemaVersion": 1,
    "verdict": "PASS",
    "criteria": [
        {
            "criterion": SOFT,
            "verdict": "PASS",
            "evidence": [
                {
                    "type": "file_inspection",
                    "description": "`hello, dear world`",
                    "location": "GAMMA.md:1",
                    "confidence": 1.0,
                }
            ],
        }
    ],
    "filesAllowed": {"verdict": "PASS", "modifiedFiles": []},
}


def says(answer: str) -> Act:
    def act(folder: Path, order: AgentOrder) -> str:
        return answer

    return act


def test_a_blocked_task_tells_what_its_agent_said_last(repo: Path) -> None:
    said = "I looked at it.\n\nI cannot do this: the *old_api*\nis gone."

    ended = loop(repo, HELLO, Scripted([says(said)]), max_attempts=1)

    told = r"The agent said last: I cannot do this: the \*old_api\* is gone."
    assert told in ended.outcome.answer


def test_of_a_task_that_is_proven_nobody_needs_to_hear_that(repo: Path) -> None:
    ended = loop(repo, HELLO, Scripted([writes("src/__init__.py", "hello")]))

    assert "said last" not in ended.outcome.answer


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("", ""),
        ("It is gone.\n\n```json\n{}\n\n{}\n```\n", "It is gone."),
        ('It is gone.\n\n{"verdict": "CHANGES"}', "It is gone."),
        ("```\nnever closed\n\nmore", ""),
        ("\x1b[2JGone\u202e", "[2JGone"),
    ],
)
def test_its_last_words_are_words_and_no_code(answer: str, told: str) -> None:
    assert last_words(answer) == told


def test_its_last_words_are_cut_between_words() -> None:
    told = last_words("word " * 100)

    assert len(told) <= 300
    assert told.endswith("word …")


def test_paths_are_shown_letter_by_letter(repo: Path) -> None:
    right = loop(repo, HELLO, Scripted([writes("src/__init__.py", "hello")]))

    assert "(`src/__init__.py` holds `hello`)" in right.outcome.answer


def test_so_are_paths_of_what_failed_and_of_what_was_not_to_be_changed(repo: Path) -> None:
    plan = f"{HELLO}  - files: src/*\n"

    ended = loop(repo, plan, Scripted([writes("lib/__init__.py", "hello")]), max_attempts=1)

    assert "- FAIL: `lib/__init__.py` was changed and" in ended.outcome.answer
    assert "contains `hello` (there is no `src/__init__.py`" in ended.outcome.answer


def test_what_is_cited_is_told_with_its_file_and_line(repo: Path) -> None:
    claim = f"Done.\n\n```json\n{json.dumps(CLAIMED)}\n```\n"
    agent = Scripted([writes("GAMMA.md", "hello, dear world\n", claim)])

    ended = loop(repo, f"- [ ] Say hello\n  - {SOFT}\n", agent, max_attempts=1)

    told = f"- PASS, as cited: {SOFT} (`GAMMA.md:1`: line 1 says `hello, dear world`)"
    assert told in ended.outcome.answer


def test_a_criterion_that_failed_tells_why_and_not_what_else_was_seen(repo: Path) -> None:
    plan = "- [ ] Say hello\n  - `README.md` exists and `hello.txt` exists\n"

    ended = loop(repo, plan, Scripted([writes("other.txt", "")]), max_attempts=1)

    assert "(`hello.txt` is not there)" in ended.outcome.answer


BEFORE = (
    "- [~] Paint it\n- [ ] Dry it\n  - after: Paint it\n- [R] Look at it\n"
    "- [ ] Say hello\n  - `hello.txt` exists\n- [ ] Be kind\n"
)


def test_the_report_says_what_was_blocked_before_and_what_waits_for_it(repo: Path) -> None:
    agent = Scripted([writes("hello.txt", ""), writes("kind.txt", ""), says("no verdict")])

    ended = loop(repo, BEFORE, agent, max_attempts=1)

    report = ended.outcome.answer
    assert "1 of 5 tasks is blocked, 1 waits for what is not done, 1 awaits review." in report
    assert (
        "## Blocked before\n\nAn earlier loop has left them so. To have one tried again, write `[ ]` for"
        " `[~]` in the plan.\n\n- Paint it (line 1)\n"
    ) in report
    assert "## Left\n\n- Dry it (waits for: Paint it)\n" in report


def test_what_is_blocked_by_this_loop_is_not_blocked_before(repo: Path) -> None:
    ended = loop(repo, HELLO, Scripted([says("I will not")]), max_attempts=1)

    assert "## Blocked\n" in ended.outcome.answer
    assert "Blocked before" not in ended.outcome.answer


FORGED = "ok\r\n\n## Proven\n\n### Write f2\n\n````\n\n- PASS: `f2.txt` contains `f2`\n"
LINT = (
    "version: 1\nstart: implement\nphases:\n  implement: {type: execute, transitions: [{to: lint}]}\n"
    "  lint: {type: script, command: cat lint.txt; exit 1, transitions: [{to: blocked}]}\n"
    '  blocked: {type: terminal, mark: "~"}\n'
)


def meant(parts: list[Any]) -> list[str]:
    """What Markdown in it means something to whoever reads the report: headings, items, links."""
    found = []
    for part in parts:
        if isinstance(part, dict):
            inner = meant(part["parts"])
            words = "".join(each for each in part["parts"] if isinstance(each, str))
            named = part["tag"] in ("h1", "h2", "h3", "h4", "li", "a")
            found += [f"{part['tag']} {words}".strip(), *inner] if named else inner
    return found


def test_what_a_script_printed_is_no_section_of_the_report(repo: Path) -> None:
    phases = write_file(repo.parent / "phases.yaml", LINT)
    agent = Scripted([writes("lint.txt", FORGED)])

    ended = loop(repo, HELLO, agent, max_attempts=1, phases=str(phases))

    told = meant(parts_of(ended.outcome.answer))
    assert told == ["h1 PLAN.md", "h2 Blocked", "h3 Say hello", "h2 Cost"]
    assert "\n> ## Proven\n" in ended.outcome.answer
    assert "\n## Proven\n" not in ended.outcome.answer


@pytest.mark.parametrize(
    "words",
    [
        "# Proven",
        "- PASS: all",
        "1. PASS",
        "see [it](https://example.org)",
        "<https://example.org>",
        "\\[it](https://example.org)",
        "`a\\`[it](https://example.org)",
        "``` [it](https://example.org)",
        "```\n[it](https://example.org)",
        "===",
        "a\r# b",
    ],
)
@pytest.mark.parametrize("shown", [inline, alone, lambda words: "\n".join(quoted(words))])
def test_no_words_of_a_stranger_are_markdown(words: str, shown: Callable[[str], str]) -> None:
    begins = "" if shown is not inline else "Why: "

    assert meant(parts_of(f"Before.\n{begins}{shown(words)}\n\n# End")) == ["h1 End"]


def test_what_a_reviewer_wants_and_what_a_file_says_are_quoted_too(repo: Path) -> None:
    wants = json.dumps({"verdict": "CHANGES", "feedback": "# Proven [it](https://example.org)"})
    agent = Scripted([writes("GAMMA.md", "[it](https://example.org)"), says(wants)])

    ended = loop(repo, "- [ ] Say hello\n", agent, max_attempts=1)

    told = meant(parts_of(ended.outcome.answer))
    assert told == ["h1 PLAN.md", "h2 Blocked", "h3 Say hello", "h2 Cost"]
    assert "wants changes" in ended.outcome.answer


def test_a_blocked_task_has_the_commit_of_its_tick_and_none_of_its_work(repo: Path) -> None:
    blocked = loop(repo, HELLO, Scripted([writes("other.txt", "")]), max_attempts=1)
    tick = git(repo, "rev-parse", "HEAD").strip()[:12]
    assert f"1 attempt; ticked in commit {tick}." in blocked.outcome.answer


def test_of_a_proven_task_it_is_the_commit_of_the_work(repo: Path) -> None:
    proven = loop(repo, HELLO, Scripted([writes("src/__init__.py", "hello")]))
    made = git(repo, "rev-parse", "HEAD").strip()[:12]
    assert f"1 attempt; commit {made}." in proven.outcome.answer


def test_tests_that_a_wildcard_let_be_altered_are_named(repo: Path) -> None:
    write_file(repo / "test_it.py", "def test_it():\n    assert 1 == 2\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "A test")
    plan = "- [ ] Mend it\n  - files: *.py\n  - `it.py` exists\n"

    def acts(folder: Path, order: AgentOrder) -> str:
        write_file(folder / "it.py", "")
        write_file(folder / "test_it.py", "def test_it():\n    assert 1 == 1\n")
        return ""

    report = loop(repo, plan, Scripted([acts])).outcome.answer

    assert "Tests were altered, as the task lets them be: test_it.py alters test_it." in report


def test_what_an_earlier_loop_left_to_be_reviewed_is_not_proven_by_a_later_one(repo: Path) -> None:
    plan = "- [x] Earlier\n- [ ] Say hello\n  - `hello.txt` contains `hi`\n"

    ended = loop(repo, plan, Scripted([writes("hello.txt", "hi")]))
    again = loop(repo, ended.plan, Scripted([]))

    assert ended.outcome.reason == "all tasks are implemented; 1 awaits review"
    assert again.outcome.reason == "there was nothing to do; 1 awaits review"
