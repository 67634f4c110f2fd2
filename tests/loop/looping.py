"""A repository, a loop over a plan in it, and agents whose every attempt is a function."""

import subprocess
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from house import Home
from prowess.core.agent import AgentEnd, AgentOrder
from prowess.core.chat import Usage
from prowess.core.ports import Steps
from prowess.core.run import Outcome, outcome_from_json
from prowess.durable.straight import StraightSteps
from prowess.engine.house import House
from prowess.loop.agents.base import Agent
from prowess.loop.behind import leftovers
from prowess.loop.phase.phases import read_phases
from prowess.loop.request import LoopRequest
from prowess.loop.run import run_loop
from support import write_file

Act = Callable[[Path, AgentOrder], str]


@dataclass
class Scripted:
    """An agent whose every attempt is a function; what it returns is what it says."""

    acts: list[Act]
    name: str = "scripted"
    prompts: list[str] = field(default_factory=list)

    async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
        act = self.acts[min(len(self.prompts), len(self.acts) - 1)]
        self.prompts.append(order.prompt)
        said = act(Path(order.workspace), order)
        usage = Usage(input_tokens=10, output_tokens=1, cost=0.01)
        return AgentEnd(agent="scripted", answer=said, said_done=True, code=0, usage=usage)


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@dataclass
class Looped:
    outcome: Outcome
    events: list[tuple[str, Mapping[str, Any]]]
    plan: str

    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.events]

    def told(self, kind: str) -> list[Mapping[str, Any]]:
        return [payload for each, payload in self.events if each == kind]


def loop(repo: Path, plan: str, agent: Agent, steps: Steps | None = None, **asked: Any) -> Looped:
    """Run a loop over this plan to its end."""
    write_file(repo / "PLAN.md", plan)
    git(repo, "add", "PLAN.md")
    if git(repo, "status", "--porcelain", "PLAN.md"):
        git(repo, "commit", "-q", "-m", "plan")
    return go_on(repo, agent, steps, **asked)


def go_on(repo: Path, agent: Agent, steps: Steps | None = None, **asked: Any) -> Looped:
    """The same with the plan as it lies there, as after a kill."""
    file = repo / "PLAN.md"
    home = Home(repo, repo.parent / "data", {"*": []})

    async def work(house: House) -> Looped:
        if "phases" in asked:
            asked["phases"] = read_phases(asked["phases"])
        request = LoopRequest(plan=str(file), workspace=str(repo), **asked)
        told = await run_loop(
            steps or StraightSteps("loop"),
            request.as_json(),
            world=house.world,
            agents=lambda name: agent,
        )
        events = [(each.event.kind, each.event.payload) for each in house.log.run("loop")]
        return Looped(outcome_from_json(told), events, file.read_text())

    # Loops of other tests have runs of the same names, and end what is left of them.
    own = f"{leftovers.NAME}_{zlib.crc32(str(repo).encode())}"
    with patch.object(leftovers, "NAME", own):
        return home.within(work)


def writes(path: str, text: str, said: str = "All tests pass. Everything is done.") -> Act:
    def act(folder: Path, order: AgentOrder) -> str:
        write_file(folder / path, text)
        return said

    return act


def nothing(folder: Path, order: AgentOrder) -> str:
    return "Done! All tests pass. <promise>COMPLETE</promise>"
