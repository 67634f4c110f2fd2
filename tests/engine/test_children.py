"""What a sub-agent may not do: go on in doubt, change what its parent only looks at, or use more than is left."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from house import Home, skill_file
from prowess.core.chat import Call
from prowess.core.errors import InDoubtError
from prowess.core.event import Event
from prowess.core.run import Outcome
from prowess.engine.ending import Spent
from prowess.engine.gating import gate_of
from prowess.engine.house import House
from prowess.engine.opening import opened_from_json, read_skill
from prowess.engine.request import RunRequest
from prowess.engine.running import run_request
from prowess.engine.workflows import WorkflowRequest, run_workflow_request
from prowess.model.scripted import call, calls, final
from support import write_file

PAYS = [call("Bash", command="echo paid >> log"), final("paid")]


@pytest.fixture
def at(home: Path, project: Path) -> Path:
    return project


@dataclass
class Killed:
    """The steps of a run that was killed in the middle of whatever may not be done twice."""

    run_id: str = "run"

    async def do(
        self, name: str, work: Callable[[], Awaitable[Any]], *, repeatable: bool = True
    ) -> Any:
        if not repeatable:
            raise InDoubtError(f"the step {name!r} was under way", hint="look")
        return await work()

    async def answer(self, question_id: str, *, seconds: float | None = None) -> str | None:
        return None


def told(house: House, run: str, kind: str) -> list[Event]:
    return [each.event for each in house.log.run(run) if each.event.kind == kind]


def test_a_run_stops_where_a_call_of_its_sub_agent_is_in_doubt(at: Path, tmp_path: Path) -> None:
    skill_file(at, "parent", "Delegate.")
    skill_file(at, "sub", "Pay.", context="fork")
    parent = [call("Skill", name="sub"), call("Skill", name="sub"), final("all done")]
    home = Home(at, tmp_path / "data", {"parent": parent, "sub": PAYS})

    async def go_on(house: House) -> tuple[Outcome, list[Event], list[Event]]:
        request = RunRequest(skill="parent", workspace=str(at))
        outcome = await run_request(request, steps=Killed(), world=house.world)
        return outcome, told(house, "run.1", "run.finished"), told(house, "run", "agent.joined")

    outcome, child_ended, joined = home.within(go_on)

    assert outcome.ending == "needs_attention"
    assert outcome.reason == "in the sub-agent run.1: the step 'call Bash' was under way (look)"
    assert home.models["parent"].requests == 1
    assert [each.payload["outcome"]["ending"] for each in child_ended] == ["needs_attention"]
    assert [each.payload["outcome"]["ending"] for each in joined] == ["needs_attention"]


def test_what_a_sub_agent_used_before_it_was_broken_off_is_counted(
    at: Path, tmp_path: Path
) -> None:
    skill_file(at, "parent", "Delegate.")
    skill_file(at, "sub", "Pay.", context="fork")
    parent = [call("Skill", name="sub"), final("all done")]

    async def go_on(house: House) -> Outcome:
        request = RunRequest(skill="parent", workspace=str(at))
        return await run_request(request, steps=Killed(), world=house.world)

    child = [call("Read", file_path="x"), *PAYS]
    outcome = Home(at, tmp_path / "data", {"parent": parent, "sub": child}).within(go_on)

    assert outcome.details["models"]["scripted"]["requests"] == 3


def test_a_workflow_stops_where_a_call_of_its_skill_is_in_doubt(at: Path, tmp_path: Path) -> None:
    steps = "  - skill: sub\n    optional: true\n  - output: done\n"
    header = 'name: flow\nversion: "1.0"\ndescription: Pay.\nsteps:\n'
    write_file(at / ".agents/skills/flow/skill.yaml", header + steps)
    skill_file(at, "sub", "Pay.")

    async def go_on(house: House) -> tuple[str, list[Event]]:
        request = WorkflowRequest(skill="flow", workspace=str(at))
        outcome = await run_workflow_request(request, steps=Killed(), world=house.world)
        return outcome.ending, told(house, "run", "output.shown")

    assert Home(at, tmp_path / "data", {"sub": PAYS}).within(go_on) == ("needs_attention", [])


@pytest.mark.parametrize("agent", ["Explore", "Plan"])
def test_everything_below_an_agent_that_only_looks_only_looks(
    at: Path, tmp_path: Path, agent: str
) -> None:
    (at / "seen.txt").write_text("here")
    skill_file(at, "look", "Look.", context="fork", agent=agent)
    skill_file(at, "middle", "Hand on.", context="fork")
    skill_file(at, "works", "Work.", context="fork", **{"allowed-tools": "Read Write Bash"})
    works = [
        call("Read", file_path="seen.txt"),
        call("Write", file_path="written", content=""),
        call("Bash", command="touch touched"),
        final("worked"),
    ]
    scripts = {
        "look": [call("Skill", name="middle"), final("looked")],
        "middle": [call("Skill", name="works"), final("handed on")],
        "works": works,
    }
    home = Home(at, tmp_path / "data", scripts)
    ended = home.run("look")

    async def refused(house: House) -> list[bool]:
        finished = told(house, f"{ended.run}.1.1", "call.finished")
        return [each.payload["refused"] for each in finished]

    assert home.within(refused) == [False, True, True]
    assert not (at / "written").exists()
    assert not (at / "touched").exists()


def test_nobody_is_asked_for_more_than_looking_below_an_agent_that_looks(
    at: Path, tmp_path: Path
) -> None:
    skill_file(at, "works", "Work.", **{"allowed-tools": "Read"})
    touch = Call(id="c", tool="Bash", input={"command": "touch x"})

    async def askable(house: House) -> list[bool]:
        asked = [RunRequest(skill="works", looking=looking) for looking in (False, True)]
        opened = opened_from_json(read_skill(asked[0], house.world))
        gates = [gate_of(opened, each, house.world, run="run") for each in asked]
        return [gate(touch).askable for gate in gates]

    assert Home(at, tmp_path / "data", {"*": []}).within(askable) == [True, False]


def test_no_sub_agent_begins_when_nothing_is_left(at: Path, tmp_path: Path) -> None:
    skill_file(at, "parent", "Delegate.", max_iterations=2)
    skill_file(at, "deep", "Dig.", context="fork")
    asked = [("Skill", {"name": "deep", "arguments": str(n)}) for n in range(8)]
    scripts = {"parent": [calls(*asked), final("done")], "deep": [final("dug")]}

    ended = Home(at, tmp_path / "data", scripts).run("parent")

    assert len(ended.payloads("agent.forked")) == 1
    assert [each["refused"] for each in ended.payloads("call.finished")] == [False, *[True] * 7]
    assert "no iterations are left" in ended.payloads("call.finished")[-1]["text"]


def test_simple_mode_hands_on_half_of_its_skills_iterations(at: Path, tmp_path: Path) -> None:
    skill_file(at, "parent", "Delegate.", execution_mode="simple", max_iterations=9)
    skill_file(at, "deep", "Dig.", context="fork")
    parent = [call("Skill", name="deep"), final("done")]
    endless = {"deep": lambda said: call("Read", file_path=str(len(said)))}

    ended = Home(at, tmp_path / "data", {"parent": parent, **endless}).run("parent")

    assert ended.payloads("agent.joined")[0]["outcome"]["iterations"] == 4


def test_a_sub_agent_has_the_time_of_its_own_skill_and_takes_none_of_its_parents(
    at: Path, tmp_path: Path
) -> None:
    skill_file(at, "parent", "Delegate.", timeout_per_iteration="1500ms")
    skill_file(at, "slow", "Wait.", context="fork", timeout_per_iteration="30s")
    skill_file(at, "brief", "Wait.", context="fork", timeout_per_iteration="1500ms")
    waits = [call("Bash", command="sleep 2"), final("waited")]
    delegates = calls(
        ("Skill", {"name": "slow"}), ("Skill", {"name": "brief"}), ("Bash", {"command": "true"})
    )
    parent = [delegates, final("done")]
    home = Home(at, tmp_path / "data", {"parent": parent, "slow": waits, "brief": waits})
    ended = home.run("parent")

    async def went(house: House) -> list[bool]:
        runs = (f"{ended.run}.1", f"{ended.run}.2")
        return [told(house, run, "call.finished")[0].payload["ok"] for run in runs]

    assert home.within(went) == [True, False]
    assert ended.payloads("call.finished")[-1]["ok"]


def test_half_a_secret_is_not_left_where_a_long_answer_is_cut(at: Path, tmp_path: Path) -> None:
    skill_file(at, "parent", "Delegate.")
    skill_file(at, "deep", "Dig.", context="fork")
    answer = "so " * 1_330 + "4111 1111 1111 1111 " + "and on " * 100
    scripts = {"parent": [call("Skill", name="deep"), final("done")], "deep": [final(answer)]}

    ended = Home(at, tmp_path / "data", scripts).run("parent")

    text = ended.payloads("call.finished")[0]["text"]
    assert "1111" not in text
    assert "characters more in the trace" in text


def test_what_a_child_cost_that_has_not_told_it_is_unknown_and_not_nothing() -> None:
    spent = Spent()
    spent.add(Event(run="run", kind="agent.forked", payload={"child": "run.1"}))
    cut_off = spent.outcome("cancelled", "it was cancelled")

    joined = {"child": "run.1", "outcome": {"tokens": 1, "cost": 0.5}}
    spent.add(Event(run="run", kind="agent.joined", payload=joined))

    assert cut_off.cost is None
    assert spent.outcome("cancelled", "it was cancelled").cost == 0.5
