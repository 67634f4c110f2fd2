"""
What a running workflow knows, and what it tells.

Events are told from here alone, by code that is replayed in the same order after a crash, so that
each gets the same number again and the log keeps it once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from prowess.core.event import Event
from prowess.core.ports import Record
from prowess.core.workflow import Progress, State, Step
from prowess.workflow.means import Left

SHOWN = 2_000  # characters of a step's output in the log


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
    """The names at one point of a workflow. A branch gets a copy of its own."""

    names: dict[str, Any]
    steps: dict[str, Any] = field(default_factory=dict)
    place: str = ""  # which round of which loops we are in

    def scope(self, **more: Any) -> dict[str, Any]:
        return {**self.names, "steps": self.steps, **more}

    def branch(self, **more: Any) -> "Known":
        return Known(names={**self.names, **more}, steps=dict(self.steps), place=self.place)

    def merge(
        self, branch: "Known", before: Mapping[str, Any], *, but: tuple[str, ...] = ()
    ) -> None:
        """Take over what a branch stored, and nothing that it only saw."""
        for name, value in branch.names.items():
            if name not in but and (name not in before or before[name] is not value):
                self.names[name] = value
        self.steps.update(branch.steps)

    def keep(self, step: Step, left: Left) -> None:
        self.steps[step.id] = {
            "output": left.output,
            "value": left.value,
            "ok": left.ok,
            "code": left.code,
            "error": left.error,
        }
        if step.store and left.ok:
            self.names[step.store] = left.value


def shortened(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text) - SHOWN:,} more)"
