"""
Putting back a plan of which tasks were changed: what was changed or taken away, and nothing else.

Nobody knows whether a person or an agent did it. So a task that came in stays only where the plan with it
is one that an agent may leave: `tampered` finds nothing done to the others.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from prowess.core.errors import UsageError
from prowess.core.task import key_of
from prowess.loop.behind.guarding import free_place, no_link, read_plain, tampered
from prowess.select.plan import read_plan

_MOST_UNITS = 5_000  # of a plan; where it has more, it is put back as a whole
_MOST_LOOKS = 64  # at the plan with some of what came in
_Unit = tuple[object, bytes]  # what it is known by, and its text
_Came = tuple[int, bytes]  # before which unit, and its text


@dataclass(frozen=True, slots=True)
class PutBack:
    """What was done to the plan, and where a copy of it lies as it was found; empty if nothing was."""

    told: list[str] = field(default_factory=list)
    copy: str = ""


def restore_plan(path: str, before: bytes, aside: str) -> PutBack:
    """Put back what was changed in a plan or taken from it; a copy of what was found is kept at `aside`."""
    after = b""  # of a plan that was taken away, or is no file any more
    with suppress(OSError):
        after = read_plain(no_link(path))
    told = tampered(before, after)
    if not told:
        return PutBack()
    aside = free_place(no_link(aside))
    if os.path.lexists(path) and not os.path.isfile(path):
        os.rename(path, f"{aside}.left")
    for place, content in ((aside, after), (path, mended(before, after))):
        with open(place, "wb") as file:
            file.write(content)
    return PutBack(told, aside)


def mended(before: bytes, after: bytes) -> bytes:
    """The plan as it was, with what came into it where it came in, as far as an agent may add it."""
    try:
        old, new = _units(before), _units(after)
    except UsageError:  # it can no longer be read
        return before
    if max(len(old), len(new)) > _MOST_UNITS:
        return before
    texts, came = _compared(old, new)
    allowed = _allowed(came, lambda some: not tampered(before, _with(texts, some)), _MOST_LOOKS)
    return _with(texts, allowed) if allowed else before


def _units(plan: bytes) -> list[_Unit]:
    """A plan as tasks with all that is indented below them, and lines; blank ones go with what is above."""
    tasks = {task.line: task for task in read_plan(plan).tasks}
    units: list[_Unit] = []
    inside: float = 0
    for number, line in enumerate(plan.splitlines(keepends=True), 1):
        task, bare = tasks.get(number), line.strip()
        if units and task is None and (not bare or _indent(line) > inside):
            known, text = units[-1]
            units[-1] = known, text + line
        else:
            units.append((key_of(task.label), line) if task else (bare, line))
            inside = _indent(line) if task else float("inf")
    return units


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))


def _compared(old: Sequence[_Unit], new: Sequence[_Unit]) -> tuple[list[bytes], list[_Came]]:
    """
    The texts that were there, and what the new plan has beside them; of lines that were replaced, the new
    tasks alone. The blank lines above what came in are those of the new plan.
    """
    texts, came = [text for _, text in old], list[_Came]()
    alike = SequenceMatcher(None, [known for known, _ in old], [known for known, _ in new])
    for what, _, end, first, last in alike.get_opcodes():
        here = new[first:last]
        if what == "insert":
            came += [(end, text) for _, text in here]
            if end:
                above = new[first - 1][1]
                texts[end - 1] = texts[end - 1].rstrip() + above[len(above.rstrip()) :]
        elif what == "replace":
            came += [(end, text) for known, text in here if isinstance(known, str)]
    return texts, came


def _allowed(
    came: list[_Came], is_allowed: Callable[[list[_Came]], bool], looks: int
) -> list[_Came]:
    """As much of it as may stay together, found by halves."""
    taken: list[_Came] = []
    waiting = [came]
    while waiting and looks:
        some = waiting.pop(0)
        looks -= 1
        if some and is_allowed([*taken, *some]):
            taken += some
        elif len(some) > 1:
            half = len(some) // 2
            waiting[:0] = [some[:half], some[half:]]
    return taken


def _with(texts: Sequence[bytes], came: Sequence[_Came]) -> bytes:
    """The plan of these texts, with what came in between them; each begins a line of its own."""
    whole: list[bytes] = []
    for place in range(len(texts) + 1):
        whole += [text for before, text in came if before == place]
        whole += texts[place : place + 1]
    return b"".join(map(_ended, whole[:-1])) + whole[-1]


def _ended(text: bytes) -> bytes:
    return text if text.endswith((b"\n", b"\r")) else text + b"\n"


def tell_put_back(tell: Callable[..., None], changes: Sequence[str], copy: str) -> None:
    """`tell` writes a fact about the task at work."""
    for what in changes:
        tell("loop.plan_restored", put_back_as(what, copy), what=what, copy=copy)


def put_back_as(what: str, copy: str) -> str:
    """In a line what was put back, and where the plan lies as it was found."""
    return f"The plan was put back: {what}" + (f"; as it was found it is in {copy}" if copy else "")
