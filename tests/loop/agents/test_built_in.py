"""Our own executor, given a task as any other agent is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agents_fakes import Ended
from house import Home
from prowess.core.agent import AgentOrder, end_from_json
from prowess.core.chat import Message, Usage
from prowess.core.errors import ModelError
from prowess.core.event import Event
from prowess.engine.house import House
from prowess.loop.agents.built_in import BuiltIn
from prowess.model.scripted import Script, Turn, call, final


@pytest.fixture
def at(home: Path, project: Path) -> Path:
    return project


def worked(at: Path, data: Path, script: Script, **asked: Any) -> Ended:
    events: list[Event] = []

    async def work(house: House) -> Ended:
        given = {"run": "r1", "prompt": "Write the note.", "workspace": str(at), "wall": 60.0}
        order = AgentOrder(**{**given, **asked})
        return Ended(await BuiltIn(world=house.world).work(order, record=events.append), events)

    return Home(at, data, {"*": script}).within(work)


def test_it_works_in_the_work_tree_and_its_end_is_told(at: Path, tmp_path: Path) -> None:
    script = [call("Write", file_path="note.txt", content="hello"), final("Written.")]

    ended = worked(at, tmp_path / "data", script)

    assert (at / "note.txt").read_text() == "hello"
    assert [event.kind for event in ended.events] == [
        "model.replied",
        "call.started",
        "call.finished",
        "model.replied",
    ]
    assert (ended.end.answer, ended.end.said_done, ended.end.trouble) == ("Written.", True, "none")
    assert (ended.end.code, ended.end.iterations) == (None, 2)
    assert end_from_json(ended.end.as_json()) == ended.end


def test_the_model_is_told_the_task_and_that_nothing_it_says_is_proof(
    at: Path, tmp_path: Path
) -> None:
    heard: list[str] = []

    def answer(messages: Sequence[Message]) -> Turn:
        heard.extend(message.text for message in messages)
        return final("done")

    worked(at, tmp_path / "data", answer)

    assert "Write the note." in heard
    assert "Nothing that you say counts as proof" in heard[0]


def test_what_it_may_not_do_is_told(at: Path, tmp_path: Path) -> None:
    script = [call("Write", file_path="../out.txt", content="no"), final("Tried.")]

    ended = worked(at, tmp_path / "data", script)

    assert not (at.parent / "out.txt").exists()
    assert [each.partition(":")[0] for each in ended.end.refusals] == ["Write"]


def test_it_is_stopped_when_its_time_is_up(at: Path, tmp_path: Path) -> None:
    script = [call("Bash", command="sleep 60"), final("Never.")]

    ended = worked(at, tmp_path / "data", script, wall=3.0)

    end = ended.end
    assert (end.trouble, end.killed_by, end.said_done) == ("timeout", "timeout", False)
    assert ended.payloads("call.started")
    assert not ended.payloads("call.finished")


@pytest.mark.parametrize(
    ("message", "trouble"),
    [
        ("the provider says 401 Unauthorized", "auth"),
        ("quota used up, try again in 2 hours", "usage_limit"),
        ("something else", "crash"),
    ],
)
def test_trouble_with_the_model_is_told_for_what_it_is(
    at: Path, tmp_path: Path, message: str, trouble: str
) -> None:
    def fail(messages: Sequence[Message]) -> Turn:
        raise ModelError(message)

    end = worked(at, tmp_path / "data", fail).end

    assert (end.trouble, end.said_done) == (trouble, False)
    assert message in end.told
    assert bool(end.resets_at) == (trouble == "usage_limit")


def test_it_stops_when_it_has_used_enough(at: Path, tmp_path: Path) -> None:
    told: list[Usage] = []

    def enough(used: Usage) -> str:
        told.append(used)
        return "two are enough" if len(told) == 2 else ""

    script = [call("Write", file_path=f"{each}.txt", content="x") for each in "abc"]
    ended = worked(at, tmp_path / "data", [*script, final("Written.")], enough=enough)

    assert (ended.end.trouble, ended.end.told) == ("budget", "two are enough")
    assert ended.end.usage == told[1]
    assert sorted(path.name for path in at.glob("*.txt")) == ["a.txt"]
