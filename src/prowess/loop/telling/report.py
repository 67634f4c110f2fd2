"""The report of a loop: what was done, with what proof, what is left, what it cost."""

import re
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from prowess.check.already import is_cited
from prowess.check.kept.weakened import ALLOWED, ALTERED
from prowess.core.evidence import Criterion, Looked, Scope
from prowess.core.run import Ending
from prowess.core.task import Plan, Task
from prowess.loop.budget import Used, counted
from prowess.loop.choosing import name_of
from prowess.loop.done import Done, done_as_json
from prowess.loop.git.running import few
from prowess.loop.telling.lying import Lying
from prowess.loop.telling.quoting import alone, code, inline, quoted
from prowess.loop.telling.told import Told

_ADDED = (
    "It came into the plan while an agent was at work, so its `files:` allowed no tests or settings to be"
    " altered."
)
_PUT_BACK = (
    "While an attempt is under way, an agent's changes to the plan and yours cannot be told apart, so these"
    " were undone. Tasks that were added stayed."
)
_AGAIN = (
    "An earlier loop has left them so. To have one tried again, write `[ ]` for `[~]` in the plan."
)
_MEANS_MORE, _ESCAPED = re.compile(r"[\\`*_~<>\[\]|#]"), r"\\\g<0>"  # to Markdown
_IN = {"~": "ticked in commit"}  # what was done is in a branch, and in no commit of the person's
_TITLES = {"R": "Proven", "x": "Implemented, not proven", "~": "Blocked", " ": "Cut short"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    `earlier` are branches with what was not taken in of attempts before the last. `added`: it came into
    the plan while an agent was at work.
    """

    task: Task
    done: Done
    branch: str = ""
    commit: str = ""
    earlier: tuple[str, ...] = ()
    added: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "task": self.task.label,
            "line": self.task.line,
            "branch": self.branch,
            "commit": self.commit,
            "earlier": list(self.earlier),
            "added": self.added,
            **done_as_json(self.done),
        }


def report(
    name: str,
    entries: Sequence[Entry],
    used: Used,
    *,
    reason: str,
    plan: Plan | None,
    told: Told,
    left: Lying,
) -> str:
    """In Markdown; every line of proof is one that code saw, and no stranger's words are Markdown."""
    lines = [f"# {inline(name)}", "", f"{alone(reason[:1].upper() + reason[1:])}.", ""]
    for title, under in groupby(sorted(entries, key=_rank), key=_title):
        lines += [f"## {inline(title)}", ""]
        for entry in under:
            lines += [*_told(entry, told), ""]
    lines += _blocked_before(entries, plan) + _left(plan)
    lines += _put_back(told)
    lines += _lying(left, "\n".join(lines))
    lines += ["## Cost", "", f"{used.told()}.", ""]
    return "\n".join(lines)


def ending(entries: Sequence[Entry], plan: Plan | None) -> tuple[Ending, str]:
    """What the marks say, those of earlier loops too: a plan is done when nothing of it is left."""
    tasks = _tasks(plan)
    implemented = {name_of(task) for task in tasks if task.mark == "x" and not task.ignored}
    unproven = len(implemented | {name_of(each.task) for each in entries if each.done.mark == "x"})
    blocked = {name_of(task) for task in tasks if task.mark == "~"}
    blocked |= {name_of(entry.task) for entry in entries if entry.done.mark == "~"}
    waiting = sum(task.mark == " " for task in tasks)
    if not entries and (blocked or waiting):
        stuck = len(blocked) + waiting
        told = f"nothing can be begun: {stuck} blocked or waiting for those that are"
        again = plan.about_blocked() if plan else ""
        return "partial", f"{told}; {again}" if again else told
    if blocked or waiting:
        awaits = f", {_awaiting(unproven)}" if unproven else ""
        return "partial", _stuck(len(blocked), waiting, len(tasks)) + awaits
    if unproven and entries:
        return "done", f"all tasks are implemented; {_awaiting(unproven)}"
    how = "proven or reviewed" if any(entry.done.reviewer for entry in entries) else "proven"
    people = plan.for_people() if plan else ""
    nothing = "there was nothing to do" + (f": {people}" if people else "")
    nothing += f"; {_awaiting(unproven)}" if unproven else ""
    return "done", f"all tasks are {how}" if entries else nothing


def _stuck(blocked: int, waiting: int, tasks: int) -> str:
    are = "is" if blocked == 1 else "are"
    wait = f"{'waits' if waiting == 1 else 'wait'} for what is not done"
    of = f"of {tasks} {'task' if tasks == 1 else 'tasks'}"
    if not blocked:
        return f"{waiting} {of} {wait}"
    return f"{blocked} {of} {are} blocked" + (f", {waiting} {wait}" if waiting else "")


def _awaiting(unproven: int) -> str:
    return f"{unproven} {'awaits' if unproven == 1 else 'await'} review"


def _rank(entry: Entry) -> tuple[int, str]:
    return list(_TITLES).index(entry.done.mark), entry.done.reviewer


def _title(entry: Entry) -> str:
    """What an agent approved is told apart from what code proved."""
    done = entry.done
    reviewed = done.mark == "R" and done.reviewer
    return f"Reviewed by {done.reviewer}" if reviewed else _TITLES[done.mark]


def _blocked_before(entries: Sequence[Entry], plan: Plan | None) -> list[str]:
    """Tasks that this loop did not touch, for an earlier one had marked them."""
    ours = {name_of(entry.task) for entry in entries}
    before = [task for task in _tasks(plan) if task.mark == "~" and name_of(task) not in ours]
    listed = [f"- {alone(task.label)} (line {task.line})" for task in before]
    return ["## Blocked before", "", _AGAIN, "", *listed, ""] if listed else []


def _left(plan: Plan | None) -> list[str]:
    """Tasks to do, each with what it waits for."""
    waiting = plan.waiting() if plan else {}
    left = [task for task in _tasks(plan) if task.mark == " "]
    listed = [
        f"- {alone(task.label)}"
        + (f" (waits for: {inline('; '.join(waiting[task]))})" if task in waiting else "")
        for task in left
    ]
    return ["## Left", "", *listed, ""] if listed else []


def _tasks(plan: Plan | None) -> list[Task]:
    return [task for task in plan.tasks if not task.ignored] if plan else []


def _put_back(told: Told) -> list[str]:
    """What was changed in the plan while an agent was at work, and where that can be read."""
    if not told.put_back:
        return []
    lines = ["## Put back in the plan", "", _PUT_BACK, ""]
    for copy, changes in told.put_back.items():
        kept = f"the plan as it was found is in {code(copy)}"
        lines.append(f"- {inline('; '.join(dict.fromkeys(changes)))}: {kept}")
    return [*lines, ""]


def _lying(left: Lying, told: str) -> list[str]:
    """Work trees that stayed, and branches that were not `told` of yet."""
    lines = [f"- the work tree {code(each)}{_leave(each, left)}" for each in left.trees]
    lines += [f"- the branch `{each}`" for each in left.branches if f"`{each}`" not in told]
    return ["## Left in the repository", "", *lines, ""] if lines else []


def _leave(tree: str, left: Lying) -> str:
    if left.needed:
        return ", where the loop goes on"
    return f"; `git worktree remove --force {shlex.quote(tree)}` takes it away"


def _told(entry: Entry, told: Told) -> list[str]:
    kept = f"; {_IN.get(entry.done.mark, 'commit')} {entry.commit[:12]}" if entry.commit else ""
    kept = kept if entry.done.mark != " " else ""
    lines = [
        f"### {inline(entry.task.label)}",
        "",
        f"{counted(entry.done.attempts, 'attempt')}{kept}.",
    ]
    if entry.added:
        lines.append(_ADDED)
    if entry.done.already:
        lines.append("It was already so: nothing had to be changed.")
    if entry.done.review:
        lines.append(alone(entry.done.review))
    if entry.branch:
        lines.append(f"What was done is kept in the branch `{entry.branch}`.")
    lines += [
        f"What an earlier attempt did, and was not taken in, is kept in the branch `{branch}`."
        for branch in entry.earlier
    ]
    lines += [
        f"Not kept with the task, but in the branch `{branch}`: {inline(few(list(dict.fromkeys(files))))}."
        for branch, files in told.left.get(entry.task.label, {}).items()
    ]
    lines += map(alone, entry.done.spoilt)
    lines += _altered(entry)
    if entry.done.astray:
        lines.append(f"Its phases came to no end: {entry.done.astray}.")
    criteria = entry.done.report.criteria if entry.done.report else ()
    if entry.done.trouble and entry.done.mark == "~":
        lines.append(f"The agent of the last attempt stopped: {inline(entry.done.trouble)}")
    if entry.done.said and entry.done.mark == "~":
        lines.append(f"The agent said last: {inline(entry.done.said)}")
    if criteria:
        lines += ["", *map(_criterion, criteria), *_out_of_scope(entry.done)]
    failed = any(each.verdict != "PASS" for each in criteria) or _out_of_scope(entry.done)
    unseen = entry.done.mark == "x" and entry.done.report is None
    if entry.done.cut or unseen or (entry.done.mark == "~" and not failed):
        lines += ["", *quoted(entry.done.reason)]
    return lines


def _altered(entry: Entry) -> list[str]:
    """What became of tests that were there, for a person to look at: the task lets it, or nothing that was run hangs on it."""
    notes = entry.done.report.notes if entry.done.report else ()
    ways = {
        ALLOWED: "Tests were altered, as the task lets them be",
        ALTERED: "Tests that were there were altered, for you to look at"
        if entry.done.mark == "R"
        else "",
    }
    return [
        f"{told}: {inline('; '.join(found))}."
        for what, told in ways.items()
        if (
            found := [
                each.removeprefix(f"{what}: ") for each in notes if each.startswith(f"{what}: ")
            ]
        )
        and told
    ]


def _out_of_scope(done: Done) -> list[str]:
    """What failed a task whose criteria may all hold."""
    found = done.report.scope if done.report else Scope()
    failure = [f"- FAIL: {inline(found.failure)}"] if found.failure else []
    return [
        f"- FAIL: {code(each.path)} was changed and {inline(each.why)}" for each in found.violations
    ] + failure


def _criterion(criterion: Criterion) -> str:
    """A criterion that holds only by what an agent cites says so."""
    cited = is_cited(criterion)
    confirmed = [each for each in criterion.evidence if each.state == "confirmed"]
    shows = next((each for each in confirmed if not (cited and each.own)), None)
    why = _seen(shows) if shows and criterion.verdict == "PASS" else criterion.reason
    why = _with_code(why, {each.evidence.location for each in criterion.evidence})
    told = f"{criterion.verdict}{', as cited' if cited else ''}: {criterion.text}"
    return f"- {inline(f'{told} ({why})' if why else told)}"


def _seen(shows: Looked) -> str:
    """What somebody cites is told with its place; what we looked at ourselves tells it."""
    place = shows.evidence.location
    return shows.seen if shows.own or not place else f"{place}: {shows.seen}"


def _with_code(text: str, places: Collection[str]) -> str:
    """The text with the first of these places that it names as code."""
    for place in filter(None, places):
        named = rf"(?<![\w`/.]){re.escape(place)}(?![\w`/])"
        if found := re.search(named, text):
            return f"{text[: found.start()]}{code(place)}{text[found.end() :]}"
    return text
