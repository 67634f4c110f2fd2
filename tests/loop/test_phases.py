"""Phases as data: what a file may say, how all of its mistakes are told, and where a phase leads."""

from pathlib import Path
from typing import Any

import pytest

from loop.looping import Scripted, git, loop, nothing, writes
from prowess.core.errors import UsageError
from prowess.loop.phase.phases import parse_phases, read_phases
from support import write_file

ONE = "- [ ] Say hello\n  - `test -f hello.txt` succeeds\n"
START = (
    "version: 1\nstart: work\nphases:\n  work:\n    type: execute\n    transitions: [{to: end}]\n"
)


def phases(repo: Path, text: str) -> str:
    file = write_file(repo.parent / "phases.yaml", text)
    return str(file)


def refused(text: str) -> str:
    with pytest.raises(UsageError) as error:
        parse_phases(text, "p.yaml")
    return str(error.value)


def status(**facts: Any) -> dict[str, Any]:
    return {"attempt": 1, "max_attempts": 3, "check": "none", "review": "none", **facts}


@pytest.mark.parametrize(
    ("phase", "facts", "leads_to"),
    [
        ("implement", {}, "check"),
        ("check", {"check": "passed"}, "proven"),
        ("check", {"check": "unproven"}, "review"),
        ("check", {"check": "failed"}, "implement"),
        ("check", {"check": "failed", "attempt": 3}, "blocked"),
        ("review", {"review": "approved"}, "proven"),
        ("review", {"review": "changes"}, "implement"),
        ("review", {"review": "changes", "attempt": 3}, "blocked"),
        ("review", {"review": "none"}, "implemented"),
    ],
)
def test_the_usual_phases_lead_where_they_should(
    phase: str, facts: dict[str, Any], leads_to: str
) -> None:
    usual = parse_phases(read_phases())

    assert usual.after(usual.phases[phase], status(**facts)).name == leads_to


def test_all_mistakes_of_a_file_are_told_at_once_each_with_its_line() -> None:
    told = refused(
        "version: 2\n"
        "start: nowhere\n"
        "colour: red\n"
        "phases:\n"
        "  work:\n"
        "    type: execute\n"
        "    mark: R\n"
        "    transitions:\n"
        "      - {to: gone}\n"
        "  look:\n"
        "    type: evaluate\n"
        "    does: guess\n"
        "    transitions:\n"
        "      - {to: work, when: status.attempt <}\n"
        "      - {to: work, if: 1}\n"
        "  run:\n"
        "    type: script\n"
        "    transitions: []\n"
        "  end:\n"
        "    type: terminal\n"
        "    mark: done\n"
        "  odd:\n"
        "    type: think\n"
    )

    for line, what in {
        1: "version is 1",
        2: "start is the name of a phase, not 'nowhere'",
        3: "there is no field 'colour'",
        7: "execute has no field 'mark'",
        9: "there is no phase 'gone'",
        12: "does is check or review",
        14: "look: ",
        15: "a transition has no field 'if'",
        18: "run: transitions is a list",
        21: "mark is R or x or ~",
        23: "odd: type is execute or evaluate or script or terminal",
    }.items():
        assert any(
            each.startswith(f"p.yaml:{line}:") and what in each for each in told.splitlines()
        ), (line, told)
    assert "run: command is a line of shell" in told


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "phases: 7",
        "version: 1\nstart: [1]\nphases: {work: 3}\n",
        "version: 1\nstart: {a: 1}\nphases: {}\n",
        "version: 1\nstart: work\nphases:\n  work: {type: [execute]}\n",
        "version: 1\nstart: work\nphases:\n  work: {type: terminal, mark: [R]}\n",
        "version: 1\nstart: work\nphases:\n  work: {type: execute, transitions: [{to: [x]}]}\n",
        "a: &a [*a]",
        "\tx",
    ],
)
def test_a_file_that_is_no_phases_is_a_mistake_and_never_a_crash(text: str) -> None:
    assert "p.yaml" in refused(text)


def test_a_file_in_which_nothing_ends_is_refused() -> None:
    told = refused(START.replace("to: end", "to: work"))

    assert "no phase is terminal" in told


def test_a_phase_must_lead_somewhere_whatever_happens() -> None:
    told = refused(
        START.replace("[{to: end}]", "[{to: end, when: status.attempt > 1}]")
        + "  end: {type: terminal, mark: x}\n"
    )

    assert "the last transition has no `when`" in told


def test_a_script_phase_runs_and_its_failure_is_told_to_the_next_attempt(repo: Path) -> None:
    own = phases(
        repo,
        "version: 1\nstart: work\nphases:\n"
        "  work: {type: execute, transitions: [{to: lint}]}\n"
        "  lint:\n    type: script\n    command: 'grep -q tidy hello.txt || { echo untidy; exit 3; }'\n"
        "    transitions:\n"
        "      - {to: look, when: status.script == 'passed'}\n"
        "      - {to: work, when: status.attempt < status.max_attempts}\n"
        "      - {to: blocked}\n"
        "  look:\n    type: evaluate\n    does: check\n"
        "    transitions: [{to: proven, when: status.check == 'passed'}, {to: blocked}]\n"
        "  proven: {type: terminal, mark: R}\n"
        '  blocked: {type: terminal, mark: "~"}\n',
    )
    agent = Scripted([writes("hello.txt", "hi"), writes("hello.txt", "tidy")])

    ended = loop(repo, ONE, agent, phases=own)

    assert "- [R] Say hello" in ended.plan
    assert "untidy" in agent.prompts[1]
    assert [each["summary"].rpartition(": ")[2] for each in ended.told("loop.script")] == [
        "failed",
        "passed",
    ]


def test_a_mark_of_proof_needs_proof_whatever_the_phases_say(repo: Path) -> None:
    own = phases(repo, START + "  end: {type: terminal, mark: R}\n")

    ended = loop(repo, ONE, Scripted([nothing]), phases=own)

    assert "- [x] Say hello" in ended.plan


def test_proof_of_an_earlier_attempt_is_no_proof_of_the_last(repo: Path) -> None:
    own = phases(
        repo,
        "version: 1\nstart: work\nphases:\n"
        "  work:\n    type: execute\n    transitions:\n"
        "      - {to: look, when: status.attempt == 1}\n      - {to: end}\n"
        "  look: {type: evaluate, does: check, transitions: [{to: work}]}\n"
        "  end: {type: terminal, mark: R}\n",
    )

    def undoes(folder: Path, order: Any) -> str:
        (folder / "hello.txt").unlink()
        return "Still done."

    ended = loop(repo, ONE, Scripted([writes("hello.txt", "hi"), undoes]), phases=own)

    assert "- [x] Say hello" in ended.plan


def test_phases_that_lead_in_circles_come_to_an_end(repo: Path) -> None:
    own = phases(
        repo,
        "version: 1\nstart: one\nphases:\n"
        "  one: {type: script, command: 'true', transitions: [{to: two}]}\n"
        "  two:\n    type: script\n    command: 'true'\n"
        "    transitions: [{to: end, when: status.attempt > 0}, {to: one}]\n"
        "  end: {type: terminal, mark: R}\n",
    )

    ended = loop(repo, ONE, Scripted([nothing]), phases=own)

    assert "- [~] Say hello" in ended.plan
    assert len(ended.told("loop.script")) == 100
    assert "the phases led in circles: one → two, 50 times" in ended.outcome.answer
    assert git(repo, "status", "--porcelain") == ""


def test_no_file_of_phases_makes_more_attempts_than_are_allowed(repo: Path) -> None:
    own = phases(
        repo,
        "version: 1\nstart: implement\nphases:\n"
        "  implement: {type: execute, transitions: [{to: check}]}\n"
        "  check:\n    type: evaluate\n    does: check\n"
        "    transitions: [{to: proven, when: status.check == 'passed'}, {to: implement}]\n"
        "  proven: {type: terminal, mark: R}\n",
    )
    agent = Scripted([writes("other.txt", "x")])

    ended = loop(repo, ONE, agent, phases=own, max_attempts=2)

    assert len(agent.prompts) == 2
    assert "- [~] Say hello" in ended.plan
    why = "all 2 attempts were made, and the phases lead to implement again"
    assert why in ended.outcome.answer
    assert ended.told("loop.recorded")[0]["reason"].startswith(why)


def test_ways_that_lead_nowhere_are_told_with_their_lines() -> None:
    told = refused(
        "version: true\n"
        "start: work\n"
        "phases:\n"
        "  work:\n"
        "    type: execute\n"
        "    transitions:\n"
        "      - {to: end}\n"
        "      - {to: spin, when: status.check == 'pased'}\n"
        "      - {to: spin}\n"
        "  spin: {type: evaluate, does: check, transitions: [{to: turn}]}\n"
        "  turn: {type: evaluate, does: check, transitions: [{to: spin}]}\n"
        "  lint:\n"
        "    type: script\n"
        "    command: ' '\n"
        "    transitions: [{to: end}]\n"
        "  end: {type: terminal, mark: x}\n"
    )

    assert told.splitlines()[1:] == [
        "p.yaml:1: version is 1",
        "p.yaml:7: work: without a `when` it is the last, for those below it are never taken",
        "p.yaml:8: work: status.check is never 'pased'; did you mean 'passed'?",
        "p.yaml:10: spin: no way leads from this phase to a terminal one",
        "p.yaml:11: turn: no way leads from this phase to a terminal one",
        "p.yaml:12: lint: nothing leads to this phase",
        "p.yaml:14: lint: command is a line of shell",
    ]
