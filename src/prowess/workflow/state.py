"""
What a running workflow knows, and what it tells.

Events are told from here alone, by code that is replayed in the same order after a crash, so that
each gets the same number again and the log keeps it once.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from prowess.core.errors import ProwessError
from prowess.core.event import Event
from prowess.core.ports import Record
from prowess.core.workflow import Progress, State, Step
from prowess.workflow.means import Left
from prowess.workflow.values import text_of

SHOWN = 2_000  # characters of a step's output in the log
COMPLAINT = 600  # characters of what went wrong


@dataclass(kw_only=True)
class Telling:
    """Where a workflow stands at its outermost level, and who is told."""

    run: str
    record: Record
    total: int
    index: int = 0
    progress: list[Progress] = field(default_factory=list)
    said: str = ""  # the last thing that a step had to say
    spent: dict[str, float] = field(default_factory=dict)

    def tell(self, event: str, summary: str, **facts: Any) -> None:
        payload = {"summary": summary, "visibility": "SUMMARY", **facts}
        self.record(Event(run=self.run, kind=event, payload=payload))

    def step(self, step: Step, label: str, state: State, summary: str, **facts: Any) -> None:
        event = "step.finished" if state == "failed" else f"step.{state}"
        done = self.index - (state == "started")
        self.tell(
            event,
            summary,
            step=label,
            step_kind=step.kind,
            index=self.index,
            total=self.total,
            progress=round(100 * done / max(1, self.total)),
            **facts,
        )
        place = Progress(
            step=label, kind=step.kind, index=self.index, total=self.total, summary=summary, state=state
        )  # fmt: skip
        self.progress.append(place)


@dataclass(kw_only=True)
class Known:
    """
    The names at one point of a workflow. A branch gets a copy of its own.

    `stored` and `left` say what was stored, and which steps were carried out, in this branch itself:
    a value alone does not tell, as a branch may store what was there before.
    """

    names: dict[str, Any]
    steps: dict[str, Any] = field(default_factory=dict)
    place: str = ""  # which round of which loops we are in
    stored: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)

    def scope(self, **more: Any) -> dict[str, Any]:
        return {**self.names, "steps": self.steps, **more}

    def branch(self, **more: Any) -> "Known":
        return Known(names={**self.names, **more}, steps=dict(self.steps), place=self.place)

    def forget(self, steps: Iterable[str]) -> None:
        """A round of a loop knows nothing of what its steps left in the round before."""
        for step in steps:
            self.steps.pop(step, None)

    def merge(self, branch: "Known", *, but: Collection[str] = ()) -> None:
        """Take over what a branch stored, and nothing that it only saw."""
        for name, value in branch.names.items():
            if name in branch.stored and name not in but:
                self.store(name, value)
        for step, facts in branch.steps.items():
            if step in branch.left:
                self._leave(step, facts)

    def take(self, step: Step, value: Any) -> None:
        """A step that is left out, as if it had left the value that is given for it."""
        self.keep(step, Left(ok=True, output=text_of(value), value=value))

    def keep(self, step: Step, left: Left) -> None:
        facts = {
            "output": left.output,
            "value": left.value,
            "ok": left.ok,
            "code": left.code,
            "error": left.error,
        }
        self._leave(step.id, facts)
        if step.store and left.ok:
            self.store(step.store, left.value)

    def store(self, name: str, value: Any) -> None:
        self.names[name] = value
        self.stored.add(name)

    def _leave(self, step: str, facts: Any) -> None:
        self.steps[step] = facts
        self.left.add(step)


def shortened(text: str, most: int = SHOWN) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more)"


def complaint(error: ProwessError) -> str:
    """What went wrong, with its hint. An author's exception, or a value that is named, may be of any length."""
    return with_hint(shortened(str(error), COMPLAINT), error.hint)


def with_hint(message: str, hint: str) -> str:
    """Both in one line, without two pairs of parentheses in a row."""
    if not hint:
        return message
    return f"{message}; {hint}" if message.endswith(")") else f"{message} ({hint})"
