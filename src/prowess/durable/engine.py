"""
The `Engine` port on DBOS: a run is a workflow whose steps are kept in a database as they are done.

A run waits in the queue, or it belongs to the process that works on it, and to no other while that
process is alive. When it is gone the run is interrupted: it goes on after its last finished step as
soon as somebody resumes it or, on a shared database, when a worker takes it up. A run that was
cancelled, or that has ended, never goes on; a fork of it may.
"""

import asyncio
import json
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from contextvars import Context
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa
from dbos import DBOS, SetWorkflowID, WorkflowStatus
from dbos import error as dbos_error

from prowess.core.errors import (
    CancelledRunError,
    ConflictError,
    InDoubtError,
    OutsideError,
    StaysError,
    StoreError,
    UnknownRunError,
    UsageError,
)
from prowess.core.ports import Body, Json, RunState, Standing
from prowess.durable.answers import is_sent, send
from prowess.durable.fair import Limits, Ticket
from prowess.durable.here import Here, stop_all
from prowess.durable.journal import Journal, unusable
from prowess.durable.kept import pack, pack_error, unpack
from prowess.durable.queue import OWN, PAUSED, WAITING, Queue
from prowess.durable.row import UNDER_WAY, hand_over, owner_of, state_of
from prowess.durable.settling import in_thread, settled
from prowess.durable.steps import DurableSteps, finished
from prowess.durable.taking import Taker
from prowess.durable.watching import Watch, guard
from prowess.durable.workers import Workers

T = TypeVar("T")
GiveUp = Callable[[str, InDoubtError], Json]

# Stored with every run. It says how a run is laid out, not which release wrote it: a new release
# goes on with the runs of the last.
LAYOUT = "1"
PREFIX = "prowess."  # before a run's kind, in the library's list of workflows
LOOK = 0.1  # seconds between two looks at a run of another process, at most
_ENDED: Mapping[RunState, str] = {"ended": "has ended", "cancelled": "was cancelled"}


class DurableEngine:
    """Opened by `open_engine`."""

    def __init__(
        self,
        bodies: Mapping[str, Body],
        *,
        workers: Workers,
        journal: Journal,
        queue: Queue,
        database: sa.Engine,
        begin_own: Callable[[], None],
        end: Callable[[str, str], None],
    ) -> None:
        self._workers = workers
        self._journal = journal
        self._queue = queue
        self._database = database
        self._is_local = database.dialect.name == "sqlite"
        self._begin_own = begin_own
        self._end = end
        self._own = OWN + workers.name
        self._here: dict[str, Here] = {}
        # Runs that stopped because nothing could be written down, and why.
        self._stopped: dict[str, StoreError] = {}
        self._workflows = {kind: self._workflow(kind, body) for kind, body in bodies.items()}
        self._taker: Taker | None = None
        watch = Watch(
            self._here, queue, is_local=self._is_local, row=self._row, begin=self._begin_again
        )
        self._background = [asyncio.create_task(watch.go(), context=Context())]
        # To the very end: a process that closes still has to show life.
        self._guard = asyncio.create_task(guard(self._here, workers), context=Context())

    def _workflow(self, kind: str, body: Body) -> Callable[[str], Coroutine[Any, Any, str]]:
        async def run(request: str) -> str:
            """How every run goes: its body, with steps of its own; an error is a result like another."""
            here = self._enter()
            steps = DurableSteps(str(DBOS.workflow_id), journal=self._journal, here=here)
            try:
                value = await body(steps, json.loads(request))
                await self._note(self._queue.spent, steps.run_id, value)
                return pack(value)
            except asyncio.CancelledError:
                if here.cancelled:
                    raise dbos_error.DBOSWorkflowCancelledError(steps.run_id) from None
                if here.in_order:
                    await self._note(self._queue.lay_aside, steps.run_id)
                raise
            except Exception as error:  # whoever asks for the result gets it
                if here.cancelled:
                    raise dbos_error.DBOSWorkflowCancelledError(steps.run_id) from None
                if isinstance(error, StoreError):
                    raise self._stops_here(steps.run_id, error) from error
                await self._note(self._queue.spent, steps.run_id)
                return pack_error(error)
            finally:
                here.over = True

        return DBOS.workflow(name=PREFIX + kind)(run)

    async def _note(self, change: Callable[..., None], *words: Json) -> None:
        with suppress(sa.exc.SQLAlchemyError):  # what is written next meets it too, and says so
            await in_thread(change, *words)

    def _enter(self) -> Here:
        run_id, task = str(DBOS.workflow_id), asyncio.current_task()
        assert task is not None
        here = self._here[run_id] = Here(task=task)
        if self._taker:
            self._taker.came(run_id)
        self._stopped.pop(run_id, None)
        task.add_done_callback(partial(self._left, run_id))
        return here

    def _left(self, run_id: str, task: asyncio.Task[Any]) -> None:
        self._here.pop(run_id, None)
        if not task.cancelled() and isinstance(error := task.exception(), sa.exc.SQLAlchemyError):
            self._stopped[run_id] = unusable(self._database, error)
        if self._taker:
            self._taker.wake()

    def _stops_here(self, run_id: str, error: StoreError) -> asyncio.CancelledError:
        """It has not ended. A server comes back, and then it goes on; of a file somebody has to hear."""
        if self._is_local or isinstance(error, StaysError):
            self._stopped[run_id] = error
        return asyncio.CancelledError()

    @property
    def name(self) -> str:
        """Of this process, among those that share the database."""
        return self._workers.name

    async def start(self, kind: str, run_id: str, request: Mapping[str, Any]) -> None:
        workflow = self._workflow_of(kind)
        text = json.dumps(dict(request))

        async def start() -> None:
            with SetWorkflowID(run_id):
                await DBOS.start_workflow_async(workflow, text)

        await self._aside(start())

    async def enqueue(
        self, kind: str, run_id: str, request: Mapping[str, Any], ticket: Ticket
    ) -> None:
        """Let it wait for a process that takes runs from the queue; a second time changes nothing."""
        workflow = self._workflow_of(kind)
        text = json.dumps(dict(request))

        async def enqueue() -> None:
            await in_thread(self._queue.add, kind, run_id, ticket)
            with SetWorkflowID(run_id):
                await DBOS.enqueue_workflow_async(WAITING, workflow, text)

        await self._aside(enqueue())
        if self._taker:
            self._taker.wake()

    def take_runs(
        self, *, project: str, limits: Limits, at_once: int, give_up: GiveUp | None = None
    ) -> None:
        """
        From now on, work on runs of the queue, those of `project` and at most `at_once`; and see to it
        that what a dead process had taken is taken again. `give_up` is asked, on another thread, for
        the result of a run that killed too many.
        """

        def end(run_id: str, error: InDoubtError) -> None:
            self._end(run_id, pack(give_up(run_id, error)) if give_up else pack_error(error))

        self._taker = Taker(
            self._queue,
            self._workers,
            kinds=frozenset(self._workflows),
            project=project,
            limits=limits,
            at_once=at_once,
            busy=lambda: sum(not each.waiting for each in self._here.values()),
            begin=self._begin_own,
            give_up=end,
        )
        self._background.append(asyncio.create_task(self._taker.go(), context=Context()))

    async def why_waiting(self, run_id: str, limits: Limits) -> str:
        """What keeps a run in the queue, in words."""
        return await self._aside(in_thread(self._queue.why, run_id, limits))

    async def result(self, run_id: str) -> Json:
        pause = 0.001
        while (state := await self.state(run_id)) in {"running", "queued", "paused"}:
            if stopped := self._stopped.get(run_id):
                raise stopped
            if here := self._here.get(run_id):
                await asyncio.wait([here.task])
            else:
                await asyncio.sleep(pause)
                pause = min(2 * pause, LOOK)
        if state == "cancelled":
            raise CancelledRunError(f"the run {run_id} was cancelled")
        if state == "interrupted":
            raise UsageError(
                f"the process of the run {run_id} ended before the run did",
                hint=f"`prowess runs resume {run_id}` goes on with it",
            )
        (row,) = await self._rows(workflow_ids=[run_id], load_output=True)
        if row.error is not None:
            raise OutsideError(f"the run {run_id} broke: {row.error}") from row.error
        return unpack(str(row.output))

    async def state(self, run_id: str) -> RunState:
        row = await self._row(run_id)
        state = state_of(row, alive=await self._alive([row]))
        if state == "interrupted" and await self._taken_up([run_id]):
            return "queued"
        return state

    async def steps(self, run_id: str) -> Sequence[str]:
        await self._row(run_id)
        return [name for _, name in await self._kept(run_id)]

    async def resume(self, run_id: str) -> None:
        """Go on with it here; or, in a process that sees to the queue, in its place there."""
        async with self._workers.alone():
            while True:
                row = await self._row(run_id)
                self._must_be_left(row, alive=await self._alive([row]))
                queue = await self._queue_of(run_id)
                if await self._handed_over(row, queue):
                    break
        await self._aside(in_thread(self._begin_own))

    async def _handed_over(self, row: WorkflowStatus, queue: str) -> bool:
        return await self._aside(in_thread(hand_over, self._database, row, queue))

    async def _queue_of(self, run_id: str) -> str:
        """Who does not see to the queue works on it by itself; that counts, and is not held back."""
        queued = await self._aside(in_thread(self._queue.tickets, [run_id]))
        if queued and self._taker:
            return WAITING
        await self._aside(in_thread(self._queue.begins, run_id))
        return self._own

    async def pause(self, run_id: str, *, within: float | None = None) -> None:
        """In order, wherever it is. Here, what must not be done twice is cut short after so many seconds."""
        await self._must_go_on(run_id)
        await self._aside(in_thread(self._queue.pause, run_id))
        if here := self._here.get(run_id):
            await here.stopped(within)
        while await self._must_go_on(run_id) == (PAUSED, "running"):  # noqa: ASYNC110  in another process
            await asyncio.sleep(LOOK)

    async def cancel(self, run_id: str) -> None:
        await self._row(run_id)
        await self._aside(DBOS.cancel_workflow_async(run_id))
        if here := self._here.get(run_id):
            here.stop(cancelled=True)
            await asyncio.wait([here.task])
        await self._note(self._queue.spent, run_id)

    async def fork(
        self, run_id: str, *, from_step: int, new_id: str, user: str = "", most: int = 100
    ) -> None:
        self._workflow_of((await self._row(run_id)).name.removeprefix(PREFIX))
        if await self._rows(workflow_ids=[new_id]):
            raise UsageError(f"there is a run {new_id} already", hint="give the fork another id")
        kept = await self._kept(run_id)
        if not 0 <= from_step <= len(kept):
            raise UsageError(
                f"the run {run_id} has {len(kept)} finished steps, not {from_step}",
                hint=f"fork it after 0 to {len(kept)} of them",
            )
        first = kept[from_step - 1][0] + 1 if from_step else 0

        add = partial(self._queue.add_copy, new_id, of=run_id, before=first, user=user, most=most)
        await self._aside(in_thread(add))
        queue = await self._queue_of(new_id)

        async def fork() -> None:
            with SetWorkflowID(new_id):
                await DBOS.fork_workflow_async(
                    run_id, first, application_version=LAYOUT, queue_name=queue
                )

        await self._aside(fork())
        await self._aside(in_thread(self._begin_own))

    async def send_answer(self, run_id: str, question_id: str, answer: str) -> bool:
        row = await self._row(run_id)
        if row.status not in UNDER_WAY:
            raise ConflictError(f"the run {run_id} has ended and waits for no answer")
        return await self._aside(send(self._database, run_id, question_id, answer))

    async def is_answered(self, run_id: str, question_id: str) -> bool:
        return await self._aside(is_sent(self._database, run_id, question_id))

    async def standing(self, runs: Collection[str] | None = None) -> Mapping[str, Standing]:
        which = None if runs is None else list(runs)
        rows = await self._rows(status=UNDER_WAY, workflow_ids=which)
        alive = await self._alive(rows)
        found: dict[str, Standing] = {}
        for row in rows:
            if (state := state_of(row, alive=alive)) in {"queued", "paused", "interrupted"}:
                found[row.workflow_id] = state
        left = [run for run, state in found.items() if state == "interrupted"]
        return found | dict.fromkeys(await self._taken_up(left), "queued")

    async def close(self) -> None:
        """Leave every run where it is, in order; each can be resumed."""
        await stop_all(list(self._here.values()), self._background)
        self._guard.cancel()
        await asyncio.wait([self._guard])

    async def _begin_again(self, run_id: str) -> None:
        row = await self._row(run_id)
        if row.status == "PENDING" and owner_of(row) == self._workers.name:
            await self._handed_over(row, self._own)

    def _workflow_of(self, kind: str) -> Callable[[str], Coroutine[Any, Any, str]]:
        if kind not in self._workflows:
            raise UsageError(
                f"no run of the kind {kind!r} can be worked on here",
                hint=f"the kinds are: {', '.join(sorted(self._workflows))}",
            )
        return self._workflows[kind]

    async def _must_go_on(self, run_id: str) -> tuple[str | None, RunState]:
        """In which queue it is, and how it stands."""
        row = await self._row(run_id)
        if (state := state_of(row, alive=await self._alive([row]))) in _ENDED:
            raise ConflictError(f"the run {run_id} {_ENDED[state]} and cannot be paused")
        return row.queue_name, state

    def _must_be_left(self, row: WorkflowStatus, *, alive: Collection[str]) -> None:
        self._workflow_of(row.name.removeprefix(PREFIX))
        state = state_of(row, alive=alive)
        if state == "running":
            process = owner_of(row).rpartition("-")[0]
            raise UsageError(
                f"the run {row.workflow_id} is being worked on by process {process}",
                hint=f"`prowess runs events {row.workflow_id} --follow` shows how far it is",
            )
        if state in _ENDED:
            raise UsageError(
                f"the run {row.workflow_id} {_ENDED[state]}",
                hint=f"`prowess runs fork {row.workflow_id} --from PLACE` begins again there",
            )

    async def _alive(self, rows: Sequence[WorkflowStatus]) -> set[str]:
        """Of the processes that these runs belong to, those that are."""
        owners = {owner_of(row) for row in rows if row.status in UNDER_WAY}
        if owners <= {self._workers.name}:
            return owners
        return await self._aside(in_thread(self._workers.alive, owners))

    async def _taken_up(self, runs: Sequence[str]) -> set[str]:
        """Of runs whose process is gone, those that workers take up by themselves."""
        if not runs or self._is_local:
            return set()
        return await self._aside(in_thread(self._queue.tickets, runs))

    async def _row(self, run_id: str) -> WorkflowStatus:
        rows = await self._rows(workflow_ids=[run_id])
        if not rows:
            raise UnknownRunError(f"there is no run {run_id}", hint="`prowess runs` lists them")
        return rows[0]

    async def _rows(self, *, load_output: bool = False, **which: Any) -> list[WorkflowStatus]:
        return await self._aside(
            DBOS.list_workflows_async(load_input=False, load_output=load_output, **which)
        )

    async def _kept(self, run_id: str) -> list[tuple[int, str]]:
        """The run's finished steps in order."""
        return finished(
            await self._aside(DBOS.list_workflow_steps_async(run_id, load_output=False))
        )

    async def _aside(self, work: Coroutine[Any, Any, T]) -> T:
        """In a context of its own, or the library would count it among the steps of the run we are in."""
        try:
            return await settled(asyncio.create_task(work, context=Context()))
        except sa.exc.SQLAlchemyError as error:
            raise unusable(self._database, error) from error
