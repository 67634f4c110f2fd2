"""
How a run stands, computed from its events and from nothing else.

The same events always give the same view. A kind that is not known here changes nothing but the
number of events, so a view can be made of what a newer version wrote.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from prowess.core.event import Recorded
from prowess.core.run import Ending

State = Literal["running", "waiting", Ending]
# An answer in Markdown often begins with a line that is a heading, marked as one or all bold.
_HEADING = re.compile(r"#{1,6} +(?P<words>.+?)(?: +#+)?")
_BOLD = re.compile(r"\*\*(?P<words>[^*]+)\*\*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A sub-agent; `ending` is empty until it ends."""

    id: str
    skill: str
    ending: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """
    `waiting`: for a person's answer to `question`. A run whose process died is still `running`
    here, because nobody was left to say so: whether somebody works on it, the engine knows.
    `project` is the folder that it works in, empty for a run from before this was on record.
    `cost` is None when a price is not known, and as long as no agent of a loop has told of any. Tokens and
    cost include what sub-agents used.
    """

    id: str
    kind: str
    skill: str
    arguments: str
    project: str
    state: State
    progress: int
    iterations: int
    max_iterations: int | None
    tokens: int
    cost: float | None
    model: str
    started: str
    ended: str | None
    summary: str
    question: Mapping[str, Any] | None
    answer: str
    reason: str
    parent: str
    children: tuple[Child, ...]
    events: int

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "children": [asdict(child) for child in self.children]}


def run_view(events: Iterable[Recorded]) -> RunView:
    """The view of one run from all its events in order; there must be one at least."""
    sight = _Sight()
    for each in events:
        sight.add(each)
    return sight.view()


@dataclass
class _Sight:
    """A view in the making."""

    started: Mapping[str, Any] = field(default_factory=dict)
    outcome: Mapping[str, Any] = field(default_factory=dict)
    questions: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    children: dict[str, Child] = field(default_factory=dict)
    first: Recorded | None = None
    began: str = ""
    ended: str | None = None
    model: str = ""
    summary: str = ""
    progress: int = 0
    iterations: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    events: int = 0

    def add(self, each: Recorded) -> None:
        payload = each.event.payload
        self.first = self.first or each
        self.events += 1
        self.summary = _line(payload.get("summary")) or self.summary
        self.progress = max(self.progress, _count(payload.get("progress")))
        self.iterations = max(self.iterations, _count(payload.get("iteration")))
        match each.event.kind:
            case "run.started" | "attempt.started":
                self.started, self.began = payload, each.at
            case "model.replied":
                self.model = payload.get("model") or self.model
                usage = payload.get("usage", {})
                self._spend(_tokens(usage), usage.get("cost"))
            case "question.asked":
                self.questions[payload.get("id", "")] = payload
            case "question.answered":
                self.questions.pop(payload.get("id", ""), None)
            case "agent.forked":
                child = Child(id=payload.get("child", ""), skill=payload.get("skill", ""))
                self.children[child.id] = child
            case "agent.joined":
                self._join(payload)
            case "run.finished" | "attempt.finished":
                self.outcome, self.ended = payload.get("outcome", {}), each.at

    def _join(self, payload: Mapping[str, Any]) -> None:
        child, skill = payload.get("child", ""), payload.get("skill", "")
        self.children[child] = Child(id=child, skill=skill, ending=_ending(payload))
        self._spend(*used_by(payload))

    def _spend(self, tokens: int, cost: float | None) -> None:
        self.tokens += tokens
        self.cost = None if self.cost is None or cost is None else self.cost + cost

    def view(self) -> RunView:
        if self.first is None:
            raise ValueError("a run has one event at least")
        # The end tells all that was used, except that a run which broke can no longer say.
        told = self.outcome if self.outcome.get("tokens", 0) >= self.tokens else {}
        question = next(iter(self.questions.values()), None) if self.ended is None else None
        state: State = "running" if question is None else "waiting"
        if self.ended:
            state = self.outcome.get("ending", "failed")
        tokens, cost = told.get("tokens", self.tokens), told.get("cost", self.cost)
        untold = self.started.get("run_kind") == "attempt" or (self._is_loop and self.children)
        return RunView(
            id=self.first.event.run,
            kind=self.started.get("run_kind", ""),
            skill=self.started.get("skill", ""),
            arguments=self.started.get("arguments", ""),
            project=self.started.get("project", ""),
            state=state,
            progress=self.progress,
            iterations=self.outcome.get("iterations") or self.iterations,
            max_iterations=self.started.get("max_iterations"),
            tokens=tokens,
            cost=_told(tokens, cost) if untold else cost,
            model=self.model or self.started.get("model", ""),
            started=self.began or self.first.at,
            ended=self.ended,
            summary=self._last(),
            question=None if question is None else _asked(question),
            answer=self.outcome.get("answer", ""),
            reason=self.outcome.get("reason", ""),
            parent=self.started.get("parent", ""),
            children=tuple(self.children.values()),
            events=self.events,
        )

    @property
    def _is_loop(self) -> bool:
        return self.started.get("run_kind") == "loop"

    def _last(self) -> str:
        """
        What happened last, in a line. Of a run that came to no good end, and of a loop, whose answer
        is a whole report, it is why it ended: the first line of an answer would not tell.
        """
        why = self.ended and _line(self.outcome.get("reason"))
        if why and (self._is_loop or self.outcome.get("ending") != "done"):
            return why
        heading = _HEADING.fullmatch(self.summary) or _BOLD.fullmatch(self.summary)
        return heading["words"] if self.ended and heading else self.summary


def used_by(payload: Mapping[str, Any]) -> tuple[int, float | None]:
    """The tokens and the cost that the end of a sub-agent, or of an agent of a loop, tells of."""
    if "end" in payload:
        usage = payload["end"].get("usage", {})
        tokens, cost = _tokens(usage), usage.get("cost")
        end = payload["end"]
        if end.get("trouble") == "usage_limit" and not (tokens or end.get("calls")):
            return 0, cost or 0.0  # that is no attempt, and has used what it tells
        return tokens, _told(tokens, cost)
    outcome = payload.get("outcome", {})
    return outcome.get("tokens", 0), outcome.get("cost")


def _ending(payload: Mapping[str, Any]) -> str:
    """How a sub-agent ended; an agent of a loop tells what stopped it, if anything did."""
    trouble = payload.get("end", {}).get("trouble", "")
    of_loop = trouble and ("done" if trouble == "none" else "failed")
    return str(payload.get("outcome", {}).get("ending", of_loop))


def _told(tokens: int, cost: float | None) -> float | None:
    """Who counts no tokens has told nothing of what it cost."""
    return cost if tokens or cost else None


def _line(value: object) -> str:
    """What every kind may carry is looked at also in kinds that are not known, so it may be anything."""
    return value if isinstance(value, str) else ""


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _tokens(usage: Mapping[str, Any]) -> int:
    return int(usage.get("input_tokens", 0) + usage.get("output_tokens", 0))


def _asked(payload: Mapping[str, Any]) -> dict[str, Any]:
    """`grants` is there only where a yes lets a tool be used, which it names."""
    names = ("id", "prompt", "options", "default", *(["grants"] if payload.get("grants") else []))
    return {name: payload.get(name) for name in names}
