"""
Where the ways part: a fork begins before an iteration of a skill's run, or before a step of a workflow's.

The engine knows a run's finished steps by number and name, the log knows what they were a part of.
Both are in the same order, so the one is found in the other. Where that leaves a doubt, a fork is
refused rather than begun in the wrong place.
"""

import getpass
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from prowess.core.errors import UsageError
from prowess.core.event import Event
from prowess.core.ports import Engine, Log
from prowess.engine import running, workflows
from prowess.engine.house import new_run

_DIGITS = 9  # of the number of an iteration
_REQUEST = "model"  # the step of one request to the model
_TOLD = ("model.replied", "model.failed")  # each of them tells of one request to the model


async def fork(
    log: Log, engine: Engine, run: str, *, at: str, user: str = "", most: int = 100
) -> str:
    """
    A new run that has everything before `at` behind it; `at` is an iteration's number or a step's id.
    It is an order of `user`, or of this process's account, with a priority of `most` at most.
    """
    events = await log.aside(lambda: [each.event for each in log.run(run)])
    started = next((each for each in events if each.kind == "run.started"), None)
    kind = started.payload.get("run_kind") if started else ""
    if started is None or kind not in (running.KIND, workflows.KIND):
        raise UsageError(
            f"a {kind or 'run of this kind'} is not forked, because its plan and its files have gone on",
            hint="begin it again: a loop goes on with the tasks that are not ticked",
        )
    names = list(await engine.steps(run))
    find = _iteration if kind == running.KIND else _step
    place = await log.aside(partial(find, log, run, events, names, at))
    new = new_run()
    user = user or getpass.getuser()
    await engine.fork(run, from_step=place, new_id=new, user=user, most=most)
    # It tells this itself when it begins; until then it may wait in the queue, and is to be seen there.
    await log.aside(partial(log.append, replace(started, run=new), seq=1))
    return new


def _iteration(log: Log, run: str, events: list[Event], names: list[str], at: str) -> int:
    requests = [place for place, name in enumerate(names) if name == _REQUEST]
    own = [place for place, mine in zip(requests, _requests(log, events), strict=False) if mine]
    if not own:
        raise UsageError(f"the run {run} has no iteration yet", hint="run the skill again")
    if not at.isdecimal() or len(at) > _DIGITS or not 1 <= int(at) <= len(own):
        raise UsageError(
            f"the run {run} has no iteration {at}",
            hint=f"it has {f'1 to {len(own)}' if len(own) > 1 else 'only 1'}",
        )
    return own[int(at) - 1]


def _requests(log: Log, events: list[Event]) -> Iterator[bool]:
    """For each request to a model in its order, whether it was the run's own, not a sub-agent's."""
    for event in events:
        if event.kind in _TOLD:
            yield True
        elif event.kind == "agent.forked":
            below = [each.event for each in log.run(event.payload["child"])]
            yield from (False for _ in _requests(log, below))


@dataclass(slots=True, kw_only=True)
class _Part:
    """What the log tells of one outermost step; the first part is what came before all steps."""

    step: str
    labels: list[str] = field(default_factory=list)
    answers: int = 0
    skills: list[str] = field(default_factory=list)
    has_skill: bool = False

    def size(self, names: Sequence[str]) -> int | None:
        """How many steps the engine keeps of it; None when a skill may have left steps of its own."""
        if self.has_skill or any(names.count(each) > 1 for each in self._works()):
            return None
        return self.answers + sum(names.count(each) for each in self._works())

    def anchor(self, names: Sequence[str]) -> int | None:
        """Where it begins, if its first work bears a name that no other work has."""
        first = [f"find {self.skills[0]}"] if self.skills else [f"{self.step} options", self.step]
        only = [name for name in first if names.count(name) == 1]
        return names.index(only[0]) if only and len(self.labels) == 1 else None

    def _works(self) -> Iterator[str]:
        for label in self.labels:
            yield from (label, f"{label} options")


def _step(log: Log, run: str, events: list[Event], names: list[str], at: str) -> int:
    parts = _parts(run, events)
    begins = _begins(parts, names)
    known = [part.step for part, begin in zip(parts, begins, strict=True) if begin is not None][1:]
    if at not in (part.step for part in parts[1:]):
        raise UsageError(
            f"the run {run} did not come to a step {at!r}",
            hint=f"name one of: {', '.join(known)}" if known else "run it again",
        )
    place = next(begin for part, begin in zip(parts, begins, strict=True) if part.step == at)
    if place is None:
        raise UsageError(
            f"where the step {at!r} begins is not certain, because a skill was run just before it",
            hint=f"name one of: {', '.join(known)}",
        )
    return place


def _parts(run: str, events: list[Event]) -> list[_Part]:
    parts, index = [_Part(step="")], 0
    for event in events:
        told = event.payload
        if event.kind in ("step.started", "step.skipped"):
            if told["index"] != index:
                index = told["index"]
                parts.append(_Part(step=told["step"]))
            parts[-1].labels.append(told["step"])
            if event.kind == "step.started" and told["step_kind"] == "skill":
                parts[-1].has_skill = True
        elif event.kind == "question.answered" and told["id"].startswith(f"{run}-"):
            parts[-1].answers += 1
        elif event.kind == "agent.forked":
            parts[-1].skills.append(told["skill"])
    return parts


def _begins(parts: list[_Part], names: Sequence[str]) -> list[int | None]:
    """The place of each part among the kept steps: by its own name, else right after the part before it."""
    begins: list[int | None] = []
    after: int | None = 1  # the file was opened before anything else
    for part in parts:
        begin = after if not part.step or (own := part.anchor(names)) is None else own
        size = part.size(names)
        begins.append(begin)
        after = None if begin is None or size is None else begin + size
    return begins
