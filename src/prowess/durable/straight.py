"""
The same ports without a database: for runs that need not outlive their process.

A step is simply done, so a run costs nothing more than its work. There is nothing to resume and
nothing to fork, and who asks is told so.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextvars import Context, ContextVar
from dataclasses import dataclass, field
from typing import Any

from prowess.core.errors import CancelledRunError, ConflictError, UnknownRunError, UsageError
from prowess.core.ports import Body, Json, RunState, Standing

_under_way: ContextVar[str] = ContextVar("straight step", default="")


class StraightSteps:
    """Steps of a run that is not kept. Answers come from `send_answer` of its engine."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.cancelled = False
        self.stopping = False  # the order itself can get lost in the middle of a step
        self._answers: dict[str, asyncio.Future[str]] = {}

    async def do(
        self, name: str, work: Callable[[], Awaitable[Json]], *, repeatable: bool = True
    ) -> Json:
        if outer := _under_way.get():
            raise RuntimeError(f"the step {name!r} was begun inside the step {outer!r}")
        if self.stopping:
            raise self._stopped()
        token = _under_way.set(name)
        try:
            return await work()
        except asyncio.CancelledError:
            raise self._stopped() from None
        finally:
            _under_way.reset(token)

    async def answer(self, question_id: str, *, seconds: float | None = None) -> str | None:
        if self.stopping:
            raise self._stopped()
        try:
            async with asyncio.timeout(seconds):
                return await self.answered(question_id)
        except TimeoutError:
            return None
        except asyncio.CancelledError:
            raise self._stopped() from None

    def answered(self, question_id: str) -> "asyncio.Future[str]":
        """Where the answer to a question will be, or is already."""
        if question_id not in self._answers:
            self._answers[question_id] = asyncio.get_running_loop().create_future()
        return self._answers[question_id]

    def _stopped(self) -> BaseException:
        if self.cancelled:
            return CancelledRunError(f"the run {self.run_id} was cancelled")
        return asyncio.CancelledError()


async def _working(body: Body, steps: StraightSteps, request: Mapping[str, Any]) -> Json:
    return await body(steps, request)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    steps: StraightSteps
    task: "asyncio.Task[Json]"

    def stop(self) -> None:
        self.steps.stopping = True
        self.task.cancel()


@dataclass(frozen=True, slots=True, kw_only=True)
class StraightEngine:
    """The `Engine` port for runs that end with their process, at the latest when it is closed."""

    bodies: Mapping[str, Body]
    _runs: dict[str, _Run] = field(default_factory=dict)

    async def start(self, kind: str, run_id: str, request: Mapping[str, Any]) -> None:
        if kind not in self.bodies:
            raise UsageError(
                f"no run of the kind {kind!r} can be worked on here",
                hint=f"the kinds are: {', '.join(sorted(self.bodies))}",
            )
        if run_id not in self._runs:
            steps = StraightSteps(run_id)
            # In a context of its own, or its steps would seem to be inside the one that starts it.
            task = asyncio.create_task(
                _working(self.bodies[kind], steps, request), context=Context()
            )
            task.add_done_callback(
                lambda it: it.cancelled() or it.exception()
            )  # seen, if asked or not
            self._runs[run_id] = _Run(steps=steps, task=task)

    async def result(self, run_id: str) -> Json:
        run = self._run(run_id)
        await asyncio.wait([run.task])
        if run.steps.cancelled:
            raise CancelledRunError(f"the run {run_id} was cancelled")
        return run.task.result()

    async def state(self, run_id: str) -> RunState:
        run = self._run(run_id)
        if run.steps.cancelled:
            return "cancelled"
        return "ended" if run.task.done() else "running"

    async def steps(self, run_id: str) -> Sequence[str]:
        self._run(run_id)
        return ()  # none is kept

    async def resume(self, run_id: str) -> None:
        self._run(run_id)
        raise UsageError(f"the run {run_id} is not interrupted")

    async def cancel(self, run_id: str) -> None:
        run = self._run(run_id)
        if not run.task.done():
            run.steps.cancelled = True
            run.stop()
            await asyncio.wait([run.task])

    async def fork(
        self, run_id: str, *, from_step: int, new_id: str, user: str = "", most: int = 100
    ) -> None:
        self._run(run_id)
        raise UsageError(
            f"the run {run_id} was not kept, so it cannot be forked", hint="run it durably"
        )

    async def send_answer(self, run_id: str, question_id: str, answer: str) -> bool:
        run = self._run(run_id)
        if run.task.done():
            raise ConflictError(f"the run {run_id} has ended and waits for no answer")
        where = run.steps.answered(question_id)
        if where.done():
            return False
        where.set_result(answer)
        return True

    async def is_answered(self, run_id: str, question_id: str) -> bool:
        return self._run(run_id).steps.answered(question_id).done()

    async def standing(self, runs: Collection[str] | None = None) -> Mapping[str, Standing]:
        return {}

    async def close(self) -> None:
        for run in self._runs.values():
            run.stop()
        if self._runs:
            await asyncio.wait([run.task for run in self._runs.values()])

    def _run(self, run_id: str) -> _Run:
        if run_id not in self._runs:
            raise UnknownRunError(f"there is no run {run_id}", hint="`prowess runs` lists them")
        return self._runs[run_id]
