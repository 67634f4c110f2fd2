"""One workflow through every renderer: the same facts, whoever looks on."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from players import PLAYERS, Player
from prowess.core.event import Event
from prowess.core.process import Finished
from prowess.core.run import Outcome
from prowess.core.workflow import Renderer
from prowess.workflow.check import read_workflow
from prowess.workflow.means import CommandWork, Means, PythonWork, Ready
from prowess.workflow.run import run_workflow
from running import Remembering

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
TEXT = r"""
name: greet
description: Greet somebody in a role.
inputs:
  - name: place
    prompt: Where are we?
steps:
  - id: look
    command: [printf, '3 open\n']
    store: status
  - id: show-status
    output: "**Status**: {status}"
  - id: get-role
    question: Which role?
    options:
      command: [printf, 'Architect\nEngineer\n']
    validate: role-exists
    store: role
  - id: get-name
    question: Which name?
    default: Ptah
    validate: {pattern: "[A-Z][a-z]+", message: "a name begins with a capital"}
    store: name
  - id: only-for-architects
    when: role == 'Architect'
    output: Draw a plan.
  - id: greet
    output: "{name} the {role} is in {place}."
"""


async def command(ready: Ready) -> Finished:
    process = await asyncio.create_subprocess_exec(*ready.argv, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    return Finished(code=process.returncode or 0, out=out, err=b"", seconds=0.0)


async def permit(work: CommandWork | PythonWork) -> str:
    return ""


async def unused(*_: Any, **__: Any) -> Any:
    raise AssertionError


def played(
    play: Player, answers: Sequence[str], given: Mapping[str, Any]
) -> tuple[str, Outcome, list[Event]]:
    """What was seen, how it ended, and what the log was told."""
    outcomes: list[Outcome] = []
    events: list[Event] = []

    async def talk(renderer: Renderer) -> str:
        means = Means(
            run="r",
            steps=Remembering(),
            record=events.append,
            renderer=renderer,
            command=command,
            python=unused,
            skill=unused,
            permit=permit,
            given=given,
        )
        outcomes.append(await run_workflow(read_workflow(TEXT), means=means))
        return outcomes[0].answer

    seen = COLOUR.sub("", play(talk, answers))
    return seen, outcomes[0], events


def facts(events: Sequence[Event]) -> list[tuple[str, Mapping[str, Any]]]:
    """Without what a clock told."""
    return [
        (each.kind, {name: value for name, value in each.payload.items() if name != "seconds"})
        for each in events
    ]


@pytest.fixture(params=PLAYERS.values(), ids=list(PLAYERS))
def play(request: pytest.FixtureRequest) -> Player:
    player: Player = request.param
    return player


def test_the_same_workflow_gives_the_same_facts(play: Player) -> None:
    answers = ["Thebes", "wizard", "2", "ptah", ""]
    seen, outcome, events = played(play, answers, {})
    _, _, by_json = played(PLAYERS["json"], answers, {})

    assert outcome.details["values"] == {
        "place": "Thebes",
        "status": "3 open",
        "role": "Engineer",
        "name": "Ptah",
    }
    for part in (
        "Where are we?",
        "3 open",
        "'wizard' is not one of: Architect, Engineer",
        "a name begins with a capital",
        "Ptah the Engineer is in Thebes.",
    ):
        assert part in seen
    assert "Draw a plan" not in seen
    assert facts(events) == facts(by_json)


def test_answers_given_beforehand_are_not_asked_for(play: Player) -> None:
    given = {"place": "Thebes", "role": "engineer", "get-name": "Thoth"}
    seen, outcome, _ = played(play, [], given)

    assert outcome.ok
    assert "Thoth the Engineer is in Thebes." in seen
    assert "Which role?" not in seen


def test_where_nobody_answers_a_default_is_the_answer(play: Player) -> None:
    seen, outcome, _ = played(play, ["Thebes", "1"], {})

    assert outcome.ok, outcome.reason
    assert "Ptah the " in seen


@pytest.mark.parametrize(("answers", "missing"), [([], "place"), (["Thebes"], "role")])
def test_where_nobody_answers_the_error_names_what_to_pass(
    play: Player, answers: list[str], missing: str
) -> None:
    seen, outcome, _ = played(play, answers, {})

    assert outcome.ending == "failed"
    assert f"--set {missing}=" in outcome.reason
    assert set(re.findall(r"--set (\S+)=", seen)) <= {missing}  # and no second name for it
