"""
A run told as events, with a line for people in each.

`visibility` is the least level at which an event is shown at all; `progress` is how far the run
is, by its objectives where it has any and by its iterations otherwise, and never goes back.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from prowess.core.chat import Call, Observation, Reply, ToolKind, call_as_json
from prowess.core.event import Event
from prowess.core.ports import Record
from prowess.core.text import headline
from prowess.execute import objectives

_SHOWN = 80  # characters of an input in a summary
_TELLING = (  # inputs, those first that say most of a call
    "summary",
    "description",
    "file_path",
    "path",
    "command",
    "pattern",
    "name",
    "file",
)


class Story:
    """`clean` takes out of a text what the log does not keep: a line is cut after that, not before."""

    def __init__(
        self,
        record: Record,
        *,
        run: str,
        iterations: int,
        clean: Callable[[str], str] = lambda text: text,
    ) -> None:
        self._record = record
        self._clean = clean
        self._run = run
        self._iterations = iterations
        self._progress = 0

    def replied(self, iteration: int, reply: Reply, *, context_tokens: int) -> None:
        usage = reply.usage
        self._advance((iteration - 1) / self._iterations)
        summary = reply.malformed or self._line(reply.message.text) or "Working"
        self._tell(
            "model.replied",
            "FULL",
            summary,
            iteration=iteration,
            thought=reply.message.text,
            calls=[call_as_json(call) for call in reply.message.calls],
            usage={
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "cached_tokens": usage.cached_tokens,
                "cost": usage.cost,
            },
            model=reply.model,
            context_tokens=context_tokens,
            malformed=reply.malformed,
        )

    def waited(self, iteration: int, waits: Sequence[str]) -> None:
        for why in waits:
            self._tell("model.waited", "SUMMARY", self._line(why), iteration=iteration, why=why)

    def stumbled(self, iteration: int, trouble: str) -> None:
        self._tell(
            "model.failed", "SUMMARY", self._line(trouble), iteration=iteration, trouble=trouble
        )

    def called(self, iteration: int, call: Call, kind: ToolKind) -> None:
        self._tell(
            "call.started",
            "FULL",
            self._told(call),
            iteration=iteration,
            call_id=call.id,
            tool=call.tool,
            tool_kind=kind,
            input=dict(call.input),
        )

    def observed(
        self, iteration: int, call: Call, seen: Observation, kind: ToolKind, seconds: float
    ) -> None:
        mark = "refused" if seen.refused else "failed" if not seen.ok else ""
        line = self._told(call)
        self._tell(
            "call.finished",
            "FULL" if call.tool == objectives.NAME else "SUMMARY",
            f"{line}: {mark}" if mark else line,
            iteration=iteration,
            call_id=call.id,
            tool=call.tool,
            tool_kind=kind,
            ok=seen.ok,
            refused=seen.refused,
            healed=list(seen.healed),
            text=seen.text,
            facts=dict(seen.facts),
            seconds=round(seconds, 3),
        )

    def recovered(self, iteration: int, call: Call, how: str) -> None:
        self._tell(
            "call.recovered",
            "SUMMARY",
            f"Recovered: {how}",
            iteration=iteration,
            call_id=call.id,
            tool=call.tool,
            how=how,
        )

    def compacted(self, iteration: int, freed: tuple[int, int]) -> None:
        messages, chars = freed
        self._tell(
            "context.compacted",
            "FULL",
            f"Made room: {messages} old outputs, {chars:,} characters",
            iteration=iteration,
            messages=messages,
            chars=chars,
        )

    def progress(self, share: float | None) -> None:
        if share is not None:
            self._advance(share)

    def _advance(self, share: float) -> None:
        self._progress = max(self._progress, min(99, round(100 * share)))

    def _tell(
        self, kind: str, visibility: Literal["SUMMARY", "FULL"], summary: str, **facts: Any
    ) -> None:
        payload: Mapping[str, Any] = {
            "summary": summary,
            "progress": self._progress,
            "visibility": visibility,
            **facts,
        }
        self._record(Event(run=self._run, kind=kind, payload=payload))

    def _told(self, call: Call) -> str:
        """A call as one short line: the tool and the one input that says most."""
        for name in _TELLING:
            if isinstance(value := call.input.get(name), str) and value.strip():
                return f"{call.tool} {self._line(value)}"
        return call.tool

    def _line(self, text: str) -> str:
        return headline(text, _SHOWN, self._clean)
