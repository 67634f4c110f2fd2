"""
The hands of a run: they make the calls of one iteration, if they may, and tell how each went.

What failed before is told once an iteration, whatever the number of its calls: the conversation grows
by what is new.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from prowess.core.chat import Call, Message, Observation
from prowess.execute import objectives
from prowess.execute.attempts import Attempts, approach
from prowess.execute.clock import Deadline
from prowess.execute.means import Means
from prowess.execute.story import Story

_MOST = 64  # calls of one reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """`left` is how many iterations follow."""

    means: Means
    attempts: Attempts
    story: Story
    iteration: int
    deadline: Deadline
    left: int

    async def make(self, calls: Sequence[Call]) -> list[Observation]:
        """All of them, or as many as one reply may ask for; every call has its answer."""
        made = await self._made(calls[:_MOST])
        return self._with_failures([*made, *map(self._left_out, calls[_MOST:])])

    async def _made(self, calls: Sequence[Call]) -> list[Observation]:
        """Several calls that only read are made at once, all others one after the other."""
        if len(calls) > 1 and all(map(self.means.only_reads, calls)):
            return await self._at_once(calls)
        seen = []
        for call in calls:
            self.story.called(self.iteration, call, self.means.kind(call))
            started = self.deadline.now()
            seen.append(self._told(call, await self._attempt(call), started))
        return seen

    async def _at_once(self, calls: Sequence[Call]) -> list[Observation]:
        """The same call is made once, and each who asked for it is told: it fails once, too."""
        for call in calls:
            self.story.called(self.iteration, call, self.means.kind(call))
        started = self.deadline.now()
        made: dict[str, Call] = {}
        asked = [approach(self.means.meant(call)) for call in calls]
        for key, call in zip(asked, calls, strict=True):
            made.setdefault(key, call)
        observed = await asyncio.gather(*map(self._attempt, made.values()))
        seen = dict(zip(made, observed, strict=True))
        # Told in the order of the calls, whichever ended first: a replay must tell the same.
        return [
            self._told(
                call, replace(seen[key], call_id=call.id), started, again=made[key] is not call
            )
            for key, call in zip(asked, calls, strict=True)
        ]

    async def _attempt(self, call: Call) -> Observation:
        """One call, if it is allowed and has not failed too often."""
        if reason := self.attempts.spent(self.means.meant(call)):
            return Observation(call_id=call.id, text=reason, ok=False, refused=True)
        if call.tool == objectives.NAME:
            return objectives.observed(call)
        with self.deadline.paused():  # a person, or a sub-agent, takes the time it takes
            if reason := await self.means.refusal(call):
                return Observation(call_id=call.id, text=reason, ok=False, refused=True)
            if self.means.delegate and (
                seen := await self.means.delegate(self.means.meant(call), self.left)
            ):
                return seen
        return await self.means.once(call, self.deadline)

    def _told(
        self, call: Call, seen: Observation, started: float, *, again: bool = False
    ) -> Observation:
        """Record the observation. `again`: it was noted already, with the call that was made."""
        how = "" if again else self.attempts.note(self.means.meant(call), seen)
        took = self.deadline.now() - started
        self.story.observed(self.iteration, call, seen, self.means.kind(call), took)
        if how:
            self.story.recovered(self.iteration, call, how)
        return seen

    def _left_out(self, call: Call) -> Observation:
        text = f"not run: too many calls at once; of one reply the first {_MOST} are made"
        seen = Observation(call_id=call.id, text=text, ok=False, refused=True)
        self.story.called(self.iteration, call, self.means.kind(call))
        return self._told(call, seen, self.deadline.now())

    def _with_failures(self, seen: list[Observation]) -> list[Observation]:
        """The last failure comes with what failed before, so that it is not tried again."""
        last = next((each for each in reversed(seen) if not each.ok), None)
        if last is None or len(self.attempts.failed) <= 1:  # the only failure is the text itself
            return seen
        failures = self.means.notes.failed(self.attempts.failures())
        told = replace(last, text=f"{last.text}\n\n{failures}")
        return [told if each is last else each for each in seen]


def answers(calls: Sequence[Call], seen: Sequence[Observation]) -> list[Message]:
    """The observations as the model reads them."""
    return [
        Message(role="tool", text=each.text, answers=call.id, ok=each.ok)
        for call, each in zip(calls, seen, strict=True)
    ]
