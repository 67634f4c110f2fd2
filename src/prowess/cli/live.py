"""
A run as it is watched in a terminal: calm lines of progress on stderr, the answer on stdout.

Every kind of event has its words here, whether a skill, a workflow or a loop tells it; one that is
not known is told by its summary. SUMMARY shows what was done and what was recovered; FULL every
thought, call and result. Text from skills and models cannot drive the terminal.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import dropwhile, takewhile
from typing import Any, Literal, Self

from prowess.cli.output import clean, counted, open_console, safe
from prowess.core.event import Recorded
from prowess.core.task import DONE
from prowess.core.wrapping import wrapped

Visibility = Literal["summary", "full"]
_MOST_LINES, _MOST_CHARS = 12, 2_000  # of one result, in FULL; the log has the rest

# Events that are one line, and how it looks. Any other is its summary.
_LINES: Mapping[str, tuple[str, str]] = {
    "call.recovered": ("  ↻ {summary}", "yellow"),
    "command.injected": ("  · {summary}", "yellow"),
    "run.warned": ("  · {summary}", "yellow"),
    "model.failed": ("  · {trouble}", "yellow"),
    "model.waited": ("  · {summary}", "yellow"),
    "agent.forked": ("  ↳ {summary} ({child})", "cyan"),
    "agent.joined": ("  ↳ {summary} ({child})", "cyan"),
    "step.skipped": ("  - {summary}", "dim"),
    "question.answered": ("  ! {answer}", "cyan"),
    "loop.task": ("\n□ {task}", "bold"),
    "loop.paused": ("  · {summary}", "yellow"),
    "loop.plan_changed": ("  · {summary}", "yellow"),
    "loop.no_progress": ("  · {summary}", "yellow"),
    "loop.malformed_completion": ("  · {summary}", "yellow"),
    "loop.unticked": ("  · {summary}", "yellow"),
    "loop.plan_restored": ("  · {summary}", "yellow"),
}
_PLAIN = ("  · {summary}", "dim")
_SILENT = frozenset({"step.started"})  # its end tells it again
_OF_ITSELF = frozenset({"attempt.started", "attempt.finished"})  # the loop tells them of its agents
_WORDS = ("model.", "call.", "run.warned")  # kinds by which an agent at work is heard
_ITEM = re.compile(r"^- (?:[A-Z]+: )?(?:files\. )?")  # what a line of feedback begins with
_NONE_ALLOWS = "matches none of the allowed files"
_SPINNER = 2  # columns before the status line
_ROOM = 20  # columns that a reason has at least


class _Cleaned(dict[str, Any]):
    """Facts as they may be shown; one that is missing is shown as nothing."""

    def __getitem__(self, name: str) -> str:
        return clean(str(self.get(name, "")))


class Live:
    """`colour` only where a person looks. Every event is one or a few lines; nothing is redrawn in a pipe."""

    def __init__(self, visibility: Visibility, *, beside: bool = True) -> None:
        """`beside`: what happens is told beside the result, on stderr; else it is the result."""
        self._full = visibility == "full"
        self._iterations = 0
        self._about = ""  # the task of a loop that the last line was about
        self._at_work: dict[str, str] = {}  # the tasks of a loop's agents at work, by their runs
        self._heard: dict[str, str] = {}  # the newest words of each of them
        self._speaks = ""  # the agent that the last line was of
        self._now = ""  # what happens, in the status line
        self._trouble = (
            ""  # what the model failed of last: an end for that reason is not told twice
        )
        self._console = open_console(stderr=beside)
        stream = sys.stderr if beside else sys.stdout
        self._status = self._console.status("Starting") if stream.isatty() else None

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    def pause(self) -> None:
        """A person is about to type."""
        if self._status:
            self._status.stop()

    def go_on(self) -> None:
        if self._status:
            self._status.start()

    def show(self, each: Recorded) -> None:
        if each.event.run in self._at_work:
            self._overhear(each)
            return
        payload = each.event.payload
        self._iterations = max(self._iterations, payload.get("iteration") or 0)
        self._trouble = payload.get("trouble", self._trouble)
        if self._full or payload.get("visibility") != "FULL":
            self._tell(each.event.kind, payload)
            self._about, self._speaks = payload.get("task", self._about), ""
        if payload.get("summary"):
            percent = f"{payload['progress']}% " if payload.get("progress") else ""
            self._now = f"{percent}{clean(payload['summary'])}"
        if each.event.kind == "agent.forked" and payload.get("task"):
            self._at_work[payload["child"]] = payload["task"]
        elif each.event.kind == "agent.joined":
            self._at_work.pop(payload["child"], None)
            self._heard.pop(payload["child"], None)
        self._tell_status()

    def _overhear(self, each: Recorded) -> None:
        """An agent of a loop: line by line in FULL, else its newest words in the status line."""
        kind, payload = each.event.kind, each.event.payload
        if self._full and kind not in _OF_ITSELF:
            task = self._at_work[each.event.run]
            if len(self._at_work) > 1 and each.event.run != self._speaks:
                self._line(f"\n  {clean(task)}", "dim")
            self._tell(kind, payload)
            self._speaks, self._about = each.event.run, task
        elif kind.startswith(_WORDS) and (words := clean(payload.get("summary", ""))):
            self._heard[each.event.run] = words
            self._tell_status()

    def _tell_status(self) -> None:
        """What happens, and below it a line for each agent that is heard."""
        if self._status:
            told = [f"  {clean(self._at_work[run])}: {words}" for run, words in self._heard.items()]
            lines = [self._text(line, "dim") for line in (self._now, *told)]
            for line in lines:
                line.truncate(self._console.width - _SPINNER, overflow="ellipsis")
            self._status.update(self._text("\n", "").join(lines))

    def _tell(self, kind: str, payload: Mapping[str, Any]) -> None:
        if tell := _TOLD_BY.get(kind):
            tell(self, payload)
        elif kind not in _SILENT and payload.get("summary"):
            form, style = _LINES.get(kind, _PLAIN)
            self._line(form.format_map(_Cleaned(payload)), style)

    def _started(self, payload: Mapping[str, Any]) -> None:
        model = f" [{payload['model']}]" if payload.get("model") else ""
        parts = ("▸", payload["skill"], payload.get("arguments"), model)
        self._line(" ".join(part for part in parts if part), "bold")

    def _replied(self, payload: Mapping[str, Any]) -> None:
        tokens = payload["usage"]["input_tokens"] + payload["usage"]["output_tokens"]
        context = payload["context_tokens"]
        used = f"{tokens:,} tokens" + (f", context {context:,}" if context else "")
        if tokens or context:  # not every agent of a loop tells them, and has iterations
            self._line(f"\nIteration {payload['iteration']}  ({used})", "bold")
        if payload["thought"].strip():
            self._block(payload["thought"], "italic")

    def _called(self, payload: Mapping[str, Any]) -> None:
        given = ", ".join(f"{name}={value!r}" for name, value in payload["input"].items())
        self._line(f"  → {payload['tool']}({_short(given)})", "cyan")

    def _observed(self, payload: Mapping[str, Any]) -> None:
        mark, style = ("✓", "green") if payload["ok"] else ("✗", "red")
        self._line(f"  {mark} {payload['summary']}", style if self._full else "")
        if self._full:
            self._block(payload["text"], "dim")

    def _stepped(self, payload: Mapping[str, Any]) -> None:
        mark, style = ("✓", "green") if payload["ok"] else ("✗", "red")
        self._line(f"  {mark} {payload['summary']}", style if self._full else "")
        if self._full and payload["step_kind"] != "output":  # what it says was just shown
            self._block(payload["output"], "dim")

    def _said(self, payload: Mapping[str, Any]) -> None:
        self._line(payload["text"].rstrip(), "")

    def _recorded(self, payload: Mapping[str, Any]) -> None:
        told = f"  [{payload['mark']}] {payload['task']}"
        if payload["mark"] in DONE:
            self._line(told, "bold")
            return
        why = _first_reason(payload.get("reason", ""))
        branch = f" (branch {payload['branch']})" if payload.get("branch") else ""
        self._one_line(f"{told}: {why}" if why else told, branch, "bold")

    def _checked(self, payload: Mapping[str, Any]) -> None:
        """Its criteria have been told; what else failed it is which files were changed."""
        found = payload["report"]["scope"]
        for each in found["files"]:
            if each["pattern"] is None:
                why = _outside(each["why"], payload.get("allowed", ()))
                self._one_line(f"  ✗ {clean(each['path'])} was changed and {why}", "", "red")
        if found["failure"]:
            self._one_line(f"  ✗ {clean(found['failure'])}", "", "red")

    def _one_line(self, text: str, end: str, style: str) -> None:
        """Cut to the width, but for its end, which is to be copied."""
        room = max(self._console.width - len(end), _ROOM)
        if self._console.is_terminal and len(text) > room:
            text = f"{text[: room - 1]}…"
        self._line(text + end, style)

    def _asked(self, payload: Mapping[str, Any]) -> None:
        if payload.get("wrong"):
            self._line(f"  · {payload['wrong']}", "yellow")
        self._line(f"  ? {payload['prompt']}", "bold")

    def _judged(self, payload: Mapping[str, Any]) -> None:
        task = payload.get("task", "")
        if task != self._about:  # several are checked at the same time
            self._line(f"  {task}", "dim")
        good = payload["verdict"] == "PASS"
        why = " (as cited)" if payload.get("cited") else ""
        why = why if good else f" ({clean(payload['reason'])})"
        self._line(f"  {'✓' if good else '✗'} {payload['text']}{why}", "green" if good else "red")

    def _finished(self, payload: Mapping[str, Any]) -> None:
        outcome = payload["outcome"]
        cost = "" if outcome["cost"] is None else f", ${outcome['cost']:.4f}"
        # A run that broke off can no longer say how many it had.
        iterations = counted(outcome["iterations"] or self._iterations, "iteration")
        used = f"{iterations}, {outcome['tokens']:,} tokens{cost}"
        good = outcome["ending"] == "done"
        told = good or outcome["reason"] == self._trouble
        why = "" if told else f": {clean(outcome['reason'])}"
        self._line(f"{'●' if good else '○'} {outcome['ending']}{why} ({used})", "bold")

    def _line(self, text: str, style: str) -> None:
        self._console.print(self._text(self._fitted(safe(text)), style))

    def _fitted(self, text: str) -> str:
        return wrapped(text, self._console.width) if self._console.is_terminal else text

    def _block(self, text: str, style: str) -> None:
        told = safe(text[:_MOST_CHARS]).rstrip().splitlines()
        lines = list(dropwhile(lambda line: not line.strip(), told))
        for line in lines[:_MOST_LINES]:
            self._console.print(self._text(self._fitted(f"    {line}"), style))
        if len(lines) > _MOST_LINES or len(text) > _MOST_CHARS:
            self._console.print(self._text("    …", style))

    @staticmethod
    def _text(text: str, style: str) -> Any:
        from rich.text import Text

        return Text(text, style=style)


_TOLD_BY: Mapping[str, Callable[[Live, Mapping[str, Any]], None]] = {
    "run.started": Live._started,  # noqa: SLF001
    "model.replied": Live._replied,  # noqa: SLF001
    "call.started": Live._called,  # noqa: SLF001
    "call.finished": Live._observed,  # noqa: SLF001
    "step.finished": Live._stepped,  # noqa: SLF001
    "output.shown": Live._said,  # noqa: SLF001
    "question.asked": Live._asked,  # noqa: SLF001
    "check.criterion": Live._judged,  # noqa: SLF001
    "check.finished": Live._checked,  # noqa: SLF001
    "loop.recorded": Live._recorded,  # noqa: SLF001
    "run.finished": Live._finished,  # noqa: SLF001
}


def _first_reason(reason: str) -> str:
    """In a line why a task is not done: what failed before what is open, no headings and no output."""
    said = takewhile(lambda line: not line.startswith("```"), reason.splitlines())
    lines = [line for line in said if line.strip() and not line.startswith("#")]
    failed = next((line for line in lines if line.startswith("- FAIL: ")), next(iter(lines), ""))
    return clean(_ITEM.sub("", failed))


def _outside(why: str, allowed: Sequence[str]) -> str:
    if why == _NONE_ALLOWS and allowed:
        return f"is outside of files: ({', '.join(allowed)})"
    return why


def _short(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:299]}…"  # noqa: PLR2004  one screen line or three
