"""
A process that works on runs: its log, its durable engine and the world its runs live in, opened
together and closed together.
"""

import asyncio
import os
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING

from prowess.core.errors import ConflictError, InDoubtError, OutsideError, SkillError, UsageError
from prowess.core.event import Event
from prowess.core.execution import read_execution
from prowess.core.ports import Body, Json, Log
from prowess.core.run import Ending, Outcome, outcome_from_json
from prowess.discover.catalog import Catalog
from prowess.engine.ending import Spent, finished, in_doubt
from prowess.engine.finding import discover
from prowess.engine.log import open_log_of
from prowess.engine.pen import BRIEFLY, Pen
from prowess.engine.queueing import Queueing, first_fact, ticket_for
from prowess.engine.request import RunRequest, check_rules
from prowess.engine.running import KIND, run_skill
from prowess.engine.world import OpenModel, World, model_opener, open_sandbox_for
from prowess.settings import Settings

if TYPE_CHECKING:
    from prowess.durable.engine import DurableEngine

LAST_WORDS = 5.0  # seconds that a cancelled run has to tell what it did


WorldBody = Callable[..., Awaitable[Json]]  # a body that is also handed the world
# What a run of a kind came to on which nobody works, from its log; of the world, its id, how and why it ends.
BrokenOff = Callable[..., Awaitable[Outcome]]
Look = Callable[[World, str], Awaitable[None]]  # refuses a run that could not be gone on with now


@dataclass(frozen=True, kw_only=True)
class House:
    """
    `queueing` says which runs that begin here wait for a worker, and what is worked on here. `kinds` tell,
    of the kinds of run that can, what one came to that was broken off; `looks` refuse one in whose way
    something is.
    """

    world: World
    engine: "DurableEngine"
    log: Log
    queueing: Queueing = Queueing()
    kinds: Mapping[str, BrokenOff] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)

    def check(self, request: RunRequest) -> None:
        """
        Refuse now what would only fail later: an unknown skill, wrong settings, a rule that cannot be
        read, no model. Where only others take runs from the queue, one of them may have the model.
        """
        check_rules(request.allow)
        skill = self.world.catalog().get(request.skill)
        execution, wrong = read_execution(skill.fields)
        if wrong:
            raise SkillError(f"{skill.file}: {wrong[0].message}", hint=wrong[0].hint)
        from prowess.model.demo import Unplayable
        from prowess.model.names import NoModelError, choose

        name = choose(
            call=request.model,
            skill=execution.model,
            platform=self.world.settings.model_default or None,
        )
        try:
            model = self.world.open_model(name, skill)
        except NoModelError:
            if not self.queueing.everything or self.queueing.at_once:
                raise
        else:
            if isinstance(model, Unplayable):
                raise UsageError(model.why, hint=model.hint)

    async def start(
        self, request: RunRequest, *, run: str = "", user: str = "", priority: int = 0
    ) -> str:
        """Begin a run, here or in the queue, and return its id."""
        run = run or new_run()
        await self.begin(KIND, run, request.as_json(), user=user, priority=priority)
        return run

    async def begin(
        self,
        kind: str,
        run: str,
        request: Mapping[str, Json],
        *,
        user: str = "",
        priority: int = 0,
    ) -> None:
        """
        The same for every kind of run. In the queue it is `user`'s, or the request's own user's. A
        workspace is meant from the project, and kept whole: the run may go on in another process.
        """
        request = {**request, "workspace": self._whole(request.get("workspace", "."))}
        if self.queueing.everything:
            ticket = ticket_for(request, self.world, user=user, priority=priority)
            await self.engine.enqueue(kind, run, request, ticket)
            await self._tell_first(first_fact(kind, run, request, ticket))
        else:
            await self.engine.start(kind, run, request)

    async def _tell_first(self, fact: Event) -> None:
        """It is in the queue, so this is no failure where the log is away: its worker tells it too."""
        from prowess.durable.settling import in_thread

        with suppress(OutsideError, TimeoutError):
            async with asyncio.timeout(BRIEFLY):
                await in_thread(self.log.append, fact, seq=1)

    async def why_waiting(self, run: str) -> str:
        """What keeps a queued run from beginning, in words."""
        from prowess.durable.settling import in_thread
        from prowess.durable.takers import waits_for

        reason = await self.engine.why_waiting(run, self.queueing.limits)
        return await in_thread(waits_for, self.world.settings.engine_place, run, reason)

    async def outcome(self, run: str) -> Outcome:
        return outcome_from_json(await self.engine.result(run))

    async def resume(self, run: str) -> None:
        """Go on with it. Where something is in its way, that is told, and it stays as it is."""
        if look := self.looks.get(await self.log.aside(partial(self._kind, run))):
            await look(self.world, run)
        await self.engine.resume(run)

    async def cancel(self, run: str) -> None:
        """
        Stop it for good. It tells its own end, with what it did, wherever it is worked on; where nobody
        does, that is told here.
        """
        state = await self.engine.state(run)
        if state == "ended":
            raise ConflictError(
                f"the run {run} has ended", hint=f"`prowess runs show {run}` tells how"
            )
        await self.engine.cancel(run)
        until = time.monotonic() + (LAST_WORDS if state == "running" else 0)
        told = partial(self._has_told_its_end, run)
        while not await self.log.aside(told) and time.monotonic() < until:  # noqa: ASYNC110  another process
            await asyncio.sleep(0.05)
        if not await self.log.aside(told):
            outcome = await self.broken_off(run, "cancelled", f"the run {run} was cancelled")
            await self.log.aside(partial(self.log.append, finished(run, outcome)))

    async def broken_off(self, run: str, ending: Ending, reason: str) -> Outcome:
        """What a run came to on which nobody works any more, as far as its log tells."""
        kind = await self.log.aside(partial(self._kind, run))
        if kind in self.kinds:
            with suppress(OutsideError, OSError):
                return await self.kinds[kind](self.world, run, ending=ending, reason=reason)
        spent = await self.log.aside(partial(self._spent, run))
        return spent.outcome(ending, reason)

    def _kind(self, run: str) -> str:
        told = (each.event for each in self.log.run(run))
        begun = (each.payload for each in told if each.kind == "run.started")
        return str(next(begun, {}).get("run_kind", ""))

    def give_up(self, run: str, error: InDoubtError) -> Json:
        """Tell the end of a run that nobody works on any more; its outcome. Not for the event loop."""
        outcome = in_doubt(error, self._spent(run))
        if not self._has_told_its_end(run):
            self.log.append(finished(run, outcome))
        return outcome.as_json()

    def _spent(self, run: str) -> Spent:
        spent = Spent()
        for each in self.log.run(run):
            spent.add(each.event)
        return spent

    def _whole(self, workspace: str) -> str:
        return os.path.realpath(os.path.join(self.world.settings.project, workspace))

    def _has_told_its_end(self, run: str) -> bool:
        return any(each.event.kind == "run.finished" for each in self.log.run(run))


def new_run() -> str:
    return uuid.uuid4().hex[:12]


@asynccontextmanager
async def open_house(
    settings: Settings,
    *,
    environment: Mapping[str, str] = os.environ,
    open_model: OpenModel | None = None,
    catalog: Callable[[], Catalog] | None = None,
    more: Mapping[str, WorldBody] = {},
    broken_off: Mapping[str, BrokenOff] = {},
    looks: Mapping[str, Look] = {},
    queueing: Queueing = Queueing(),
) -> AsyncIterator[House]:
    """
    Everything is on embedded defaults and nothing has to be started first.

    `open_model` brings models of your own; without it, they are the ones the settings name.
    `catalog` says which skills there are now; without it, they are looked for once. `more` are kinds
    of run beyond skills and workflows, `broken_off` says what one came to that nobody works on, and `looks`
    refuse one that could not be gone on with. `queueing` is for those who queue runs or take them.
    """
    from prowess.durable.opening import open_engine
    from prowess.durable.settling import in_thread
    from prowess.durable.takers import announce
    from prowess.engine import workflows
    from prowess.engine.tables import check_tables

    check_tables(settings)
    log = open_log_of(settings, environment)
    pen = Pen(log, far=bool(settings.database_url))
    found = cache(partial(discover, settings, record=pen.write))
    sandbox, isolated = open_sandbox_for(settings)
    world = World(
        settings=settings,
        catalog=catalog or found,
        log=log,
        sandbox=sandbox,
        isolated=isolated,
        open_model=open_model or await model_opener(settings, environment),
        environment=dict(environment),
    )
    project = os.path.realpath(settings.project)  # noqa: ASYNC240  once, before anything waits
    kinds = {KIND: run_skill, workflows.KIND: workflows.run_workflow_skill, **more}
    bodies: Mapping[str, Body] = {kind: partial(body, world=world) for kind, body in kinds.items()}
    try:
        async with open_engine(settings.engine_place, bodies) as engine:
            house = House(
                world=world,
                engine=engine,
                log=log,
                queueing=queueing,
                kinds=broken_off,
                looks=looks,
            )
            if queueing.at_once or queueing.everything:
                engine.take_runs(
                    project=project,
                    limits=queueing.limits,
                    at_once=queueing.at_once,
                    give_up=house.give_up,
                )
            if queueing.at_once:
                await in_thread(announce, settings.engine_place, engine.name, project)
            yield house
    finally:
        log.close()
