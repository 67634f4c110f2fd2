"""The report of a loop: what was done, with what proof, what is left, what it cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from prowess.core.evidence import Criterion
from prowess.core.task import Plan, Task
from prowess.loop.budget import Used
from prowess.loop.journey import Done, done_as_json

_TITLES = {"R": "Proven", "x": "Implemented, not proven", "~": "Blocked", " ": "Cut short"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    task: Task
    done: Done
    branch: str = ""
    commit: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "task": self.task.label,
            "line": self.task.line,
            "branch": self.branch,
            "commit": self.commit,
            **done_as_json(self.done),
        }


def report(
    name: str, entries: Sequence[Entry], used: Used, *, reason: str, plan: Plan | None
) -> str:
    """In Markdown; every line of proof is one that code saw."""
    lines = [f"# {name}", "", f"{reason[:1].upper()}{reason[1:]}.", ""]
    for mark, title in _TITLES.items():
        of_mark = [entry for entry in entries if entry.done.mark == mark]
        if of_mark:
            lines += [f"## {title}", ""]
            for entry in of_mark:
                lines += [*_told(entry), ""]
    left = (
        [task.label for task in plan.tasks if task.mark == " " and not task.ignored] if plan else []
    )
    if left:
        lines += ["## Left", "", *(f"- {label}" for label in left), ""]
    cost = "an unknown price" if used.unpriced else f"${used.dollars:.4f}"
    lines += ["## Cost", "", f"{used.attempts} attempts, {used.tokens:,} tokens, {cost}.", ""]
    return "\n".join(lines)


def _told(entry: Entry) -> list[str]:
    tries = "1 attempt" if entry.done.attempts == 1 else f"{entry.done.attempts} attempts"
    kept = f"; commit {entry.commit[:12]}" if entry.commit and entry.done.mark != " " else ""
    lines = [f"### {entry.task.label}", "", f"{tries}{kept}."]
    if entry.done.already:
        lines.append("It was already so: nothing had to be changed.")
    if entry.branch:
        lines.append(f"What was done is kept in the branch `{entry.branch}`.")
    criteria = entry.done.report.criteria if entry.done.report else ()
    if criteria:
        lines += ["", *map(_criterion, criteria)]
    if entry.done.cut or (entry.done.mark == "~" and not criteria):
        lines += ["", entry.done.reason]
    return lines


def _criterion(criterion: Criterion) -> str:
    seen = next((each.seen for each in criterion.evidence if each.state == "confirmed"), "")
    why = seen or criterion.reason
    return f"- {criterion.verdict}: {criterion.text}{f' ({why})' if why else ''}"
