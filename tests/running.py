"""A run with a scripted model, tools that are plain functions, and steps that can be cut off and replayed."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from prowess.core.chat import Call, Message, Observation, Reply
from prowess.core.event import Event
from prowess.core.ports import Act
from prowess.core.run import Outcome
from prowess.core.verdict import Verdict
from prowess.execute import objectives
from prowess.execute.agent import run_agent
from prowess.execute.means import Budget, Means, Notes
from prowess.model.scripted import Script, Scripted

NOTES = Notes(
    malformed=lambda what: f"MALFORMED: {what}",
    failed=lambda lines: "FAILED BEFORE:\n" + "\n".join(lines),
    dropped=lambda chars: f"[{chars} characters dropped]",
    last="LAST",
    confirm="CONFIRM",
)
Tools = Mapping[str, Callable[[Mapping[str, Any]], str]]


class KilledError(BaseException):
    """What a kill -9 is to the code above it."""


@dataclass
class Remembering:
    """Steps kept in a list, as the durable engine keeps them in a database."""

    run_id: str = "run"
    kept: list[Any] = field(default_factory=list)
    dies_after: int | None = None
    done: int = 0

    async def do(
        self, name: str, work: Callable[[], Awaitable[Any]], *, repeatable: bool = True
    ) -> Any:
        place, self.done = self.done, self.done + 1
        if place < len(self.kept):
            return self.kept[place]
        if place == self.dies_after:
            raise KilledError
        value = await work()
        self.kept.append(value)
        return value

    async def answer(self, question_id: str, *, seconds: float | None = None) -> str | None:
        return None


@dataclass
class Running:
    """One run and everything that can be seen of it afterwards."""

    script: Script
    tools: Tools = field(default_factory=dict)
    budget: Budget = Budget()
    gate: Callable[[Call], Verdict] = lambda call: Verdict(allowed=True, reason="")
    means: Mapping[str, Any] = field(default_factory=dict)
    act: Act | None = None  # instead of `tools`
    slow: Sequence[float] = ()  # seconds that the first requests take
    steps: Remembering = field(default_factory=Remembering)
    events: list[Event] = field(default_factory=list)
    made: list[Call] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    asked: list[list[Message]] = field(default_factory=list)

    def __call__(self, how: Any = run_agent) -> Outcome:
        model = Scripted(self.script)

        async def think(messages: Sequence[Message], cards: Any, on_wait: Any) -> Reply:
            self.asked.append(list(messages))
            await asyncio.sleep(dict(enumerate(self.slow, 1)).get(len(self.asked), 0))
            return await model.reply(messages, cards)

        self.messages[:] = [Message(role="system", text="SKILL"), Message(role="user", text="task")]
        given = Means(
            run=self.steps.run_id,
            think=think,
            act=self.act or self._act,
            gate=self.gate,
            steps=self.steps,
            record=self.events.append,
            notes=NOTES,
            cards=(objectives.CARD,),
            **self.means,
        )
        outcome: Outcome = asyncio.run(how(self.messages, means=given, budget=self.budget))
        return outcome

    async def _act(self, call: Call) -> Observation:
        self.made.append(call)
        await asyncio.sleep(0)
        try:
            text = self.tools[call.tool](call.input)
        except OSError as error:
            return Observation(call_id=call.id, text=str(error), ok=False)
        return Observation(call_id=call.id, text=text)

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    def payloads(self, kind: str) -> list[Mapping[str, Any]]:
        return [event.payload for event in self.events if event.kind == kind]
