"""
Bash: one command in the sandbox, with its exit code and everything it said.

The workspace can be written, the skill's folder read, and nothing else is promised; what is really
held back is the sandbox's business. A command is run again only where that changes nothing.
"""

import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from prowess.core.chat import Observation
from prowess.core.process import Finished, Order
from prowess.tools.command import only_reads, split
from prowess.tools.heal import fleeting, persist
from prowess.tools.place import Place
from prowess.tools.remedies import Remedy, afterwards, beforehand, passing
from prowess.tools.text import readable
from prowess.tools.toolbox import Tool, failed, seen, typed

_SAY_NO = frozenset("[ cmp diff egrep fgrep grep rg test".split())  # exit code 1 is their answer
_KILLED = {
    "timeout": "it ran out of time",
    "idle": "it said nothing for too long",
    "memory": "it used too much memory",
    "output": "it wrote too much",
    "cpu": "it used too much processor time",
    "processes": "it started too many processes",
    "cancelled": "it was cancelled",
}


def shell_tool(place: Place) -> Tool:
    return typed(
        "Bash",
        "SHELL",
        partial(bash, place, Installed(place)),
        repeats=_repeats,
        ignores=("description", "run_in_background"),
    )


class Installed:
    """Which commands the sandbox has; what was found once is not looked for again."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._there: set[str] = set()

    async def __call__(self, names: Iterable[str]) -> frozenset[str]:
        wanted = [name for name in names if name not in self._there]
        if wanted:
            asked = " ".join(shlex.quote(name) for name in wanted)
            script = f'for name in {asked}; do command -v "$name" >&2 && echo "$name"; done'
            found = await _run(self._place, script, self._place.limits.seconds)
            self._there.update(found.out.decode("utf-8", "replace").split())
        return frozenset(self._there)


async def bash(
    place: Place,
    installed: Installed,
    *,
    command: Annotated[str, Field(description="run by bash in the workspace", min_length=1)],
    timeout: Annotated[float, Field(description="seconds", gt=0)] = 120.0,  # noqa: ASYNC109 (the command's)
) -> Observation:
    seconds = min(timeout, place.limits.seconds)
    if not place.heals:
        return _told(Remedy(command=command), await _run(place, command, seconds))
    remedy = await beforehand(place, command, installed)
    finished, again = await _persistently(place, remedy.command, seconds)
    if other := afterwards(place, remedy.command, finished):
        remedy = replace(other, healed=remedy.healed + other.healed)
        finished = await _run(place, remedy.command, seconds)
    if again:
        note = f"tried again {again} times, as the trouble was passing"
        remedy = replace(remedy, healed=(*remedy.healed, note))
    return _told(remedy, finished)


async def _persistently(place: Place, command: str, seconds: float) -> tuple[Finished, int]:
    def passes(outcome: object) -> bool:
        if isinstance(outcome, Finished):
            return passing(command, outcome)
        return fleeting(outcome)  # the sandbox could not even start it

    return await persist(lambda: _run(place, command, seconds), passes=passes, sleep=place.sleep)


async def _run(place: Place, command: str, seconds: float) -> Finished:
    return await place.sandbox.run(_order(place, command, seconds))


def _order(place: Place, command: str, seconds: float) -> Order:
    """A sandbox opens only what is there, and by its real name: a link could be turned elsewhere."""
    workspace = os.path.realpath(place.workspace)
    read = [place.outputs] if place.skill_dir is None else [place.skill_dir, place.outputs]
    return Order(
        argv=("bash", "-c", command),
        cwd=workspace,
        environment=place.environment,
        writable=(workspace,),
        readable=[os.path.realpath(folder) for folder in read if os.path.isdir(folder)],
        network=place.network,
        limits=replace(place.limits, seconds=seconds),
    )


def _repeats(given: Mapping[str, Any]) -> bool:
    command = given.get("command")
    return isinstance(command, str) and only_reads(command)


def _told(remedy: Remedy, finished: Finished) -> Observation:
    out, odd_out = readable(finished.out)
    err, odd_err = readable(finished.err)
    healed = list(remedy.healed)
    if odd := odd_out or odd_err:
        healed.append(f"read its output as {odd}")
    parts = [out.rstrip("\n"), f"[stderr]\n{err.rstrip()}" if err.strip() else ""]
    parts.append(_ending(finished))
    text = "\n".join(part for part in parts if part) or "(no output)"
    facts = {
        "code": finished.code,
        "seconds": round(finished.seconds, 3),
        "killed_by": finished.killed_by,
        "dropped": finished.dropped,
        "command": remedy.command,
    }
    good = finished.code == 0 or _says_no(remedy.command, finished)
    tell = seen if good and not finished.killed_by else failed
    return tell(text, healed=healed, facts=facts)


def _ending(finished: Finished) -> str:
    notes = []
    if finished.dropped:
        notes.append(f"[{finished.dropped:,} bytes of output were too many and are lost]")
    if finished.killed_by:
        why = _KILLED[finished.killed_by]
        notes.append(f"[killed after {finished.seconds:.1f} s: {why}]")
    elif finished.code:
        notes.append(f"[exit code {finished.code}]")
    return "\n".join(notes)


def _says_no(command: str, finished: Finished) -> bool:
    """A search that finds nothing has not failed."""
    commands = split(command)
    last = commands[-1].name if commands else ""
    return finished.code == 1 and last in _SAY_NO and not finished.err
