"""
What has been heard of an agent so far, and how it becomes events of a run.

An agent's stream is a stranger's text: any line may be cut, garbled or of a shape nobody has seen.
Reading it changes this state, makes events, does nothing else, and never fails. All events together
tell exactly what was used, whenever the agent tells it: by message, by step, or as a sum at its end.
Of an agent that tells too much the beginning is kept, and how much it used.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from prowess.core.agent import Trouble
from prowess.core.chat import Call, Message, Observation, Reply, Usage
from prowess.core.event import Event
from prowess.execute.story import Story
from prowess.loop.agents.limits import reset_time, sort
from prowess.loop.agents.room import Room
from prowess.loop.agents.tools import kind_of
from prowess.tools.output import shorten

_UNKNOWN = 10**9  # nobody knows how many iterations an agent will take, so its progress stays 0
_NOTHING = Usage(cost=0.0)
_LONGEST_ANSWER = 200_000  # characters, the last ones
_LONGEST_PARAGRAPH = 4_000  # characters after which plain text is told, finished or not
_PARAGRAPHS = (
    200  # that are told one by one; of an agent that says more, those of a moment are joined
)
_MOMENT = 1.0  # second


@dataclass(kw_only=True)
class Heard:
    """
    `lines` counts those that could be read, `garbage` those that could not. `error` is the last
    trouble that the agent told of itself and did not get over. `usage` is what it used in all; `price`
    says what a model's usage costs where the agent does not. `messages` are what each message that was told
    used, by its id; `begun` is what has come of the one being told, `by_model` false for one that the agent made up itself; `replies`: one of
    the model was heard. `pieces` are lines of plain text that are not told yet, `paragraphs` counts what
    was told of it. `room` is what may still be kept.
    `last_line` is when the last line came, in seconds since 1970.
    `holds`: the exit codes of commands come from elsewhere, by way of `settle`.
    """

    run: str
    model: str = ""
    price: Callable[[str, Usage], float | None] = lambda model, usage: None
    iteration: int = 0
    lines: int = 0
    garbage: int = 0
    calls: int = 0
    answer: str = ""
    messages: dict[str, Usage] = field(default_factory=dict)
    begun: str = ""
    pieces: list[str] = field(default_factory=list)
    paragraphs: int = 0
    room: Room = field(default_factory=Room)
    by_model: bool = True
    replies: bool = False
    holds: bool = False
    done: bool = False
    error: str = ""
    trouble: Trouble = "none"
    resets_at: str | None = None
    usage: Usage = _NOTHING
    refusals: list[str] = field(default_factory=list)
    last_line: float = 0.0
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now().astimezone()
    _told: Usage = _NOTHING
    _held: dict[str, str] = field(default_factory=dict)
    _open: dict[str, tuple[Call, float]] = field(default_factory=dict)
    _events: list[Event] = field(default_factory=list)
    _length: int = 0  # of the pieces
    _spoke: float = 0.0

    def replied(self, text: str, *, calls: tuple[Call, ...] = ()) -> None:
        if text.strip():
            self.answer = text
        if self.by_model:
            self.replies = True
            self._get_over()
        self._reply(Message(role="assistant", text=shorten(text), calls=calls), self._untold())

    def message_over(self) -> None:
        """A message that came in pieces is whole when something else comes."""
        if self.begun:
            self.iteration += 1
            self.replied(self.begun)
            self.begun = ""

    def line(self, text: str) -> None:
        """Plain text is told by the paragraph, so that who watches has something to read in time."""
        self.pieces.append(text)
        self._length += len(text) + 1
        at_once = self.paragraphs < _PARAGRAPHS or self.clock() - self._spoke >= _MOMENT
        if (not text.strip() and at_once) or self._length > _LONGEST_PARAGRAPH:
            self.iteration = 1
            self.paragraph()

    def paragraph(self) -> None:
        """The pieces so far are a paragraph of plain text, in which all is the answer."""
        words = "\n".join(self.pieces).strip()
        self.pieces.clear()
        self._length = 0
        if words:
            self.paragraphs += 1
            self._spoke = self.clock()
            self.answer = f"{self.answer}\n\n{words}".strip()[-_LONGEST_ANSWER:]
            self._reply(Message(role="assistant", text=shorten(words)), _NOTHING)

    def used(self, usage: Usage) -> None:
        """Something more was used; it is told with the next words, or with the sum."""
        if usage.input_tokens or usage.output_tokens:
            self.usage = _combined(self.usage, usage, 1)

    def used_by(self, message: str, usage: Usage) -> None:
        """
        A line of a message tells what all of it used: it is counted once, also where lines of other
        messages come between. One without an id is always another one.
        """
        before = self.messages.get(message)
        if before is None or not message:
            self.iteration += 1
        self.used(_combined(usage, before or _NOTHING, -1))
        if message:
            self.messages[message] = usage if before is None else _more(usage, before)
        self.by_model = usage.output_tokens > 0

    def used_in_all(self, usage: Usage) -> None:
        """The agent tells the sum; what was not told before is told now."""
        if not usage.input_tokens and not usage.output_tokens:
            return
        self.usage = usage
        if usage.cost is None:
            self.usage = replace(usage, cost=self.price(self.model, usage))
        if self.room.full:  # told with the end
            return
        more = self._untold()
        if more != _NOTHING:
            self._reply(Message(role="assistant", text=""), more)

    def _untold(self) -> Usage:
        """What was used since it was last told; it is told now."""
        if self.room.full:
            return _NOTHING
        used = self.used_so_far
        more = _combined(used, self._told, -1)
        if not (more.input_tokens or more.output_tokens or more.cost):
            return _NOTHING
        self._told = used
        return more

    @property
    def used_so_far(self) -> Usage:
        """
        With its price, where the agent has not told one and somebody knows it. Who counts no tokens has told
        nothing of what it costs.
        """
        if not (self.usage.input_tokens or self.usage.output_tokens or self.usage.cost):
            return replace(self.usage, cost=None)
        if self.usage.cost is not None:
            return self.usage
        return replace(self.usage, cost=self.price(self.model, self.usage))

    def called(self, call: Call) -> None:
        self.calls += 1
        self._get_over()
        self._open[call.id] = (call, self.clock())
        self._story.called(max(1, self.iteration), call, kind_of(call.tool))

    @property
    def waits(self) -> bool:
        """Something is held back."""
        return bool(self._held)

    def is_open(self, call_id: str) -> bool:
        return call_id in self._open

    def observed(
        self,
        call_id: str,
        text: str,
        *,
        ok: bool,
        refused: bool = False,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """What came of a call; of one that nobody told the beginning of, nothing is known."""
        if call_id not in self._open:
            return
        if self.holds and ok and self._open[call_id][0].tool == "Bash":
            self._held[call_id] = text
            return
        self._observed(call_id, text, ok=ok, refused=refused, facts=facts or {})

    def settle(self, codes: Mapping[str, int]) -> None:
        """Tell what was held back of the calls whose exit codes are known by now."""
        for call_id in [each for each in self._held if each in codes]:
            code = codes[call_id]
            text = self._held.pop(call_id)
            self._observed(call_id, text, ok=code == 0, refused=False, facts={"exit": code})

    def _observed(
        self, call_id: str, text: str, *, ok: bool, refused: bool, facts: Mapping[str, Any]
    ) -> None:
        call, began = self._open.pop(call_id)
        if refused:
            self.refusals.append(f"{call.tool}: {text.strip() or 'refused'}")
        seen = Observation(call_id=call_id, text=shorten(text), ok=ok, refused=refused, facts=facts)
        seconds = self.clock() - began
        self._story.observed(max(1, self.iteration), call, seen, kind_of(call.tool), seconds)

    def stumbled(self, message: str, *, status: int | None = None) -> None:
        """
        The agent itself tells of trouble. It holds until the agent gets over it: words that nobody knows
        neither hide the key or the limit that it told of before, nor the time when that limit ends.
        """
        told, trouble = message or "trouble without a word", sort(message, status=status)
        if trouble != "crash" or self.trouble in ("none", "crash"):
            self.error, self.trouble = told, trouble
            self.resets_at = self._reset(message) if trouble == "usage_limit" else None
        self._story.stumbled(max(1, self.iteration), shorten(told))

    def _reset(self, message: str) -> str | None:
        """The earlier of what is told now and what is known: too early costs a question, too late a day."""
        now = self.now()
        known = datetime.fromisoformat(self.resets_at) if self.resets_at else None
        ends = [each for each in (reset_time(message, now=now), known) if each and each >= now]
        return min(ends).isoformat() if ends else None

    def warned(self, message: str) -> None:
        self._keep(self._warning(shorten(message)))

    def finished(self) -> None:
        """It says that it came to an end; trouble on the way was got over."""
        self.done = True
        self._get_over()

    def close(self) -> None:
        """The stream is over: what was under way has no end but this one."""
        for call_id, text in self._held.items():
            self._observed(call_id, text, ok=True, refused=False, facts={})
        self._held.clear()
        self.paragraph()
        for call_id in list(self._open):
            self.observed(call_id, "the agent ended before the call did", ok=False)
        left_out, self.room = self.room.left_out, Room()
        if left_out:
            self.warned(
                f"{left_out:,} more events of this agent were not kept; all it used is counted"
            )
        self.used_in_all(self.usage)

    def take(self) -> list[Event]:
        """The events since the last time."""
        events, self._events = self._events, []
        return events

    @property
    def _story(self) -> Story:
        return Story(self._keep, run=self.run, iterations=_UNKNOWN)

    def _keep(self, event: Event) -> None:
        if not self.room.take(event):
            return
        self._events.append(event)
        if self.room.full:
            told = "The agent tells more than is kept of one attempt; it works on, and the rest is counted"
            self._events.append(self._warning(told))

    def _warning(self, summary: str) -> Event:
        payload = {"summary": summary, "visibility": "SUMMARY"}
        return Event(run=self.run, kind="run.warned", payload=payload)

    def _get_over(self) -> None:
        self.error, self.trouble, self.resets_at = "", "none", None

    def _reply(self, message: Message, usage: Usage) -> None:
        reply = Reply(message=message, usage=usage, model=self.model)
        self._story.replied(max(1, self.iteration), reply, context_tokens=usage.input_tokens)


def _more(one: Usage, other: Usage) -> Usage:
    """The greater of each count."""
    return Usage(
        input_tokens=max(one.input_tokens, other.input_tokens),
        output_tokens=max(one.output_tokens, other.output_tokens),
        cached_tokens=max(one.cached_tokens, other.cached_tokens),
    )


def _combined(one: Usage, other: Usage, sign: int) -> Usage:
    """The sum or the difference; what it costs is unknown when one of the two is."""
    known = one.cost is not None and other.cost is not None
    return Usage(
        input_tokens=max(0, one.input_tokens + sign * other.input_tokens),
        output_tokens=max(0, one.output_tokens + sign * other.output_tokens),
        cached_tokens=max(0, one.cached_tokens + sign * other.cached_tokens),
        cost=max(0.0, (one.cost or 0.0) + sign * (other.cost or 0.0)) if known else None,
    )
