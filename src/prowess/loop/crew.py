"""What a loop works with: agents by name, the repository, and how it tells its story."""

import asyncio
import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from prowess.check.running.commands import Runner
from prowess.check.tree.beside import MISSED
from prowess.check.tree.changes import Tree, open_tree
from prowess.check.tree.ground import in_place
from prowess.core.errors import OutsideError
from prowess.core.event import Event
from prowess.core.evidence import Spec
from prowess.core.ports import Json, Record
from prowess.engine.choosing import check_registry
from prowess.engine.grounds import Told
from prowess.engine.pen import ASIDE
from prowess.engine.work import Asked
from prowess.engine.world import World
from prowess.loop.abreast import Step
from prowess.loop.agents.base import Agent
from prowess.loop.agents.known import open_program, passed_on
from prowess.loop.behind.before import Before
from prowess.loop.behind.lay import gone_or_changed
from prowess.loop.behind.theirs import Theirs
from prowess.loop.git.history import back_to, make_plain
from prowess.loop.git.repository import Repository
from prowess.loop.git.running import few
from prowess.loop.git.settings import Kept
from prowess.loop.judges import Judges
from prowess.loop.request import ARTIFACTS, LoopRequest, own_paths, plan_name


@dataclass(frozen=True, kw_only=True)
class Crew:
    """
    `step` does a durable step of the run. `kept` is how git behaved before any agent was at work,
    known once the loop has begun. `theirs` is what a person had ignored then, `judges` whose tests
    judge. `begun` are the agents that were seen to work in this loop, and how often in a
    row no reply came to them since, `trodden` the work trees that an
    agent was at work in since this process took it up, `at_work` the attempts that are under way, with
    what was there before. `told` is what commands told of tests, by tree or commit, for as long as this
    process lives. `away` are seconds in which nobody worked on the loop. `agents` brings agents of the
    caller's own, by name, before those that are known.
    """

    run: str
    step: Step
    request: LoopRequest
    world: World
    record: Record
    kept: Kept = field(default_factory=Kept)
    theirs: Theirs = field(default_factory=Theirs)
    judges: Judges = field(default_factory=Judges)
    begun: dict[str, int] = field(default_factory=dict)
    trodden: set[str] = field(default_factory=set)
    at_work: dict[str, Before] = field(default_factory=dict)
    told: Told = field(default_factory=dict)
    agents: Callable[[str], Agent | None] = lambda name: None
    away: float = 0.0
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def now(self) -> float:
        """Of a clock that stands still while nobody works on the loop."""
        return time.time() - self.away

    async def clock(self) -> Json:
        return self.now()

    @property
    def plan_name(self) -> str:
        return plan_name(self.request)

    @property
    def own(self) -> tuple[str, ...]:
        return own_paths(self.request)

    def repository(self, folder: str) -> Repository:
        return Repository(
            folder=folder, own=self.own, kept=self.kept, theirs=self.theirs, tell=self.warn
        )

    async def must_be_on(self, folder: str, branch: str) -> None:
        """Stop where another branch is checked out and no agent of ours can have done it."""
        repository, home = self.repository(folder), self.repository(self.request.workspace)
        await home.take_pipes_away(*filter(None, (self.kept.place,)))
        if folder != home.folder:
            await repository.take_pipes_away()
        await make_plain(repository, branch)
        now = await repository.branch()
        if folder not in self.trodden and now != branch:
            named = branch.removeprefix("refs/heads/")
            raise OutsideError(
                f"{folder} is on {now.removeprefix('refs/heads/') or 'no branch'}, and the task was"
                f" begun on {named or 'no branch'}",
                hint=f"`git switch {named or '--detach'}`, then `prowess runs resume {self.run}`, or begin a"
                " new loop where it has ended; nothing was changed",
            )

    async def back_to(self, folder: str, branch: str, base: str, aside: str) -> list[str]:
        """On the branch again that an agent may have left; what was put back."""
        await self.must_be_on(folder, branch)
        return await back_to(self.repository(folder), branch, base, aside)

    async def standing(self, folder: str, base: str) -> Json:
        """
        How files stand that differ from `base` before anybody works here, as the check sees them, and
        what is ignored in the person's own tree, wherever the task is worked on.
        """
        stood = await self._tree(folder).standing(base)
        return {"stood": stood, "ignored": await self.repository(self.request.workspace).ignored()}

    async def standing_tracked(self, folder: str) -> Json:
        """The same of files that git keeps, where all that was done is committed."""
        return await self._tree(folder).standing("HEAD", tracked=True)

    def asked(self, spec: Spec, **task: Any) -> Asked:
        """A task to be checked, with all that a loop knows from before any agent was at work."""
        return Asked(
            spec=spec,
            own=self.own,
            theirs=self.theirs.names | self.theirs.paths,
            may_be_so=True,
            rules=self.kept.rules,
            home=self.request.workspace,
            lay=self.kept.lay,
            judges_of=self.judges.commit,
            earlier=tuple(self.judges.tasks),
            restricts_only=self.judges.is_added(spec.title),
            told=self.told,
            **task,
        )

    def went_on(self, tree: str, head: str) -> None:
        """The branch is at `head`, which holds this tree but for a tick: what its tests told holds there."""
        now = {command: tests for (name, command), tests in self.told.items() if name == tree}
        self.told.clear()
        self.told.update({(head, command): tests for command, tests in now.items()})

    def runner(self, folder: str) -> Runner:
        """Runs commands as a check does, with the records of the repository to be read only."""
        tree, world = self._tree(folder), self.world
        return Runner(
            sandbox=world.sandbox,
            ground=in_place(tree.folder),
            readable=tree.records,
            network=world.settings.sandbox_network,
            limits=world.limits,
        )

    def _tree(self, folder: str) -> Tree:
        return open_tree(folder, self.world.sandbox, rules=self.kept.rules)

    def named(self, path: str) -> str:
        """A path in the workspace as a person there would type it; empty if it is none."""
        return os.path.relpath(path, self.request.workspace) if path else ""

    def plan_aside(self, name: str) -> str:
        """Where a plan is kept that had to be put back."""
        return os.path.join(self.request.workspace, ARTIFACTS, "plans", name)

    def warn(self, told: str, **facts: Any) -> None:
        """Something that the person has to know, also when it happens in the middle of a step."""
        payload = {"summary": told, "visibility": "SUMMARY", **facts, ASIDE: True}
        self.world.appender(self.run)(Event(run=self.run, kind="run.warned", payload=payload))

    def next_run(self) -> str:
        return f"{self.run}.{next(self._numbers)}"

    def tell(self, kind: str, summary: str, **facts: Any) -> None:
        payload = {"summary": summary, "visibility": "SUMMARY", **facts}
        self.record(Event(run=self.run, kind=kind, payload=payload))

    def tell_left(self, left: Sequence[str], aside: str, *, task: str, attempt: int) -> None:
        """Where what is not kept with a task is, if anything is."""
        if left:
            told = f"Not kept with the task, but in {aside}: {', '.join(left[:5])}"
            facts = {"task": task, "attempt": attempt, "files": left, "branch": aside}
            self.tell("loop.left_behind", told, **facts)

    def tell_added(self, labels: Sequence[str]) -> None:
        """Tasks that came into the plan, where it cannot be told whether a person brought them."""
        for label in self.judges.add(labels):
            told = "its `files:` allow no tests or settings to be altered"
            self.tell(
                "run.warned", f"Added to the plan while an agent was at work: {label}; {told}"
            )

    async def warn_of_beside(self) -> None:
        """Files of the person's that git ignores, of which nobody has a copy; of each once."""
        home, told = self.request.workspace, self.theirs.told
        look = partial(gone_or_changed, home, (f"{ARTIFACTS}/",), self.kept.lay or {})
        if new := [path for path in await asyncio.to_thread(look) if path not in told]:
            told.update(new)
            self.warn(f"Gone or changed beside the work: {few(new)}")

    def tell_missed(self, notes: Sequence[str]) -> None:
        """Programs that an agent changed stay changed, and the next loop would take them as they are."""
        for note in notes:
            if note.startswith(MISSED) and note not in self.theirs.told:
                self.theirs.told.add(note)
                self.tell("run.warned", f"{note} (the next loop believes what it finds)")

    def open_agent(self, name: str) -> Agent:
        if agent := self.agents(name):
            return agent
        if name == "built-in":
            from prowess.loop.agents.built_in import BuiltIn

            return BuiltIn(world=self.world)
        return _open(self.request, name)

    def passed_on(self, name: str) -> dict[str, str]:
        return passed_on(name, self.world.environment)


def check_agents(request: LoopRequest, world: World) -> None:
    """
    Refuse now what would only fail later: an agent that is not there, a model that cannot be had, a
    registry of skills that cannot be read.
    """
    check_registry(world.settings)
    for name in {request.agent, request.reviewer or request.agent}:
        if name == "built-in":
            world.open_model(request.model or world.settings.model_default or None, None)
        else:
            _open(request, name)


def _open(request: LoopRequest, name: str) -> Agent:
    return open_program(name, command=request.command, home=request.workspace)
