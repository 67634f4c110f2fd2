"""
Commands that are to prove something, run again by us.

They run in the sandbox, on a ground of their own (`ground.py`), with the repository's records
read-only. Each runs once in a check, however many criteria name it. Which files of the work it changed
is found out and told, because a command that changes what it is to prove proves nothing; the next one
finds them as they were. No byte code that lies about is used: what runs is what the files say. Runners
of tests are asked for a report besides.
"""

import asyncio
import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from prowess.check.running.run_reports import MAX_BYTES, go_printed, read_report
from prowess.check.running.runners import Reporting, asks_for_work, reporting, runner_in
from prowess.check.running.shell import reads_in_part
from prowess.check.running.tests_run import TestRun, read_test_run
from prowess.check.tree.ground import Ground
from prowess.core.errors import RefusedError
from prowess.core.ports import Sandbox
from prowess.core.process import Finished, KilledBy, Limits, Order
from prowess.core.scratch import scratch
from prowess.core.workspace import read_in

_OUTPUT = 32 * 1024**2  # bytes: a summary stands at the end, and what is over the limit is dropped
NOT_HERE = "this machine's sandbox lacks a program"  # how trouble of the place begins
NOT_SHOWN = "a program is not shown to commands"
# Our own shell says so; what a script of the work misses, it says in its own name.
_NOT_FOUND = re.compile(
    r"^bash: (?:line \d+: )?(?P<name>\S+): (?:command not found|No such file or directory"
    r"|cannot execute: required file not found)$",
    re.MULTILINE,
)
_PIPE_BROKE = 128 + 13  # whoever wrote was stopped because whoever read had seen enough
_NO_SCRIPT = re.compile(  # what interpreters say of a script that is not there
    r"can't open file '.*': \[Errno 2\]|^Error: Cannot find module '/",
    re.MULTILINE,
)
_NO_MODULE = re.compile(r"(?P<python>\S*python[\d.]*): No module named '?(?P<name>\w+)[\w.]*'?")
_ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1", "CI": "1", "NO_COLOR": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """
    What a command did here. `changed` are files of the work that it altered or removed. `runner` is
    the test runner that it calls by name; `asked`: that one was asked for a `report`. `missing` is a
    program that the shell did not find and that is not the work's to bring; `hidden`: it lies beside the
    work, and is not shown.
    """

    command: str
    code: int
    output: str
    killed_by: KilledBy = ""
    dropped: int = 0
    changed: tuple[str, ...] = ()
    runner: str = ""
    asked: bool = False
    report: TestRun | None = None
    missing: str = ""
    hidden: bool = False

    @property
    def tests(self) -> TestRun:
        """How its tests went, by the report where there is one."""
        return self.report or read_test_run(self.output, code=self.code)

    @property
    def could_not_run(self) -> str:
        """Why its end says nothing about what it was to show, or an empty string."""
        if self.killed_by:
            return f"it was stopped ({self.killed_by})"
        if self.missing and self.hidden:
            return (
                f"{NOT_SHOWN}, {self.missing}, which was installed or changed since the loop began; have the"
                " validation commands build it, or install packages before the loop begins"
            )
        if self.missing:
            return (
                f"{NOT_HERE}, {self.missing}, which says nothing against the work; install it for the"
                " whole machine (below /usr), or let the command name one that is there"
            )
        if self.code in (126, 127):
            return "it cannot be run here"
        return ""

    @property
    def lacks_script(self) -> bool:
        """Whether an interpreter ended with an error of its own: what it was to run is not there."""
        return bool(self.code and _NO_SCRIPT.search(self.output))

    @property
    def last_line(self) -> str:
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines else ""


Run = Callable[[str], Awaitable[Ran]]


@dataclass(frozen=True, kw_only=True)
class Runner:
    """Runs commands on one ground, one after another. `readable` are folders outside that it needs."""

    sandbox: Sandbox
    ground: Ground
    readable: tuple[str, ...] = ()
    network: bool = False
    limits: Limits = Limits()
    _done: dict[str, Ran] = field(default_factory=dict)

    async def __call__(self, command: str) -> Ran:
        if command not in self._done:
            self._done[command] = await self._run(command)
        return self._done[command]

    def done(self, command: str) -> Ran:
        """What this command did, which was run before."""
        return self._done[command]

    @property
    def ran(self) -> tuple[Ran, ...]:
        return tuple(self._done.values())

    async def _run(self, command: str) -> Ran:
        with scratch("check") as place:
            asked = reporting(command, place)
            await asyncio.to_thread(self.ground.look)
            order = self._order(asked.command if asked else command, place)
            finished = await self.sandbox.run(order)
            changed = await asyncio.to_thread(self.ground.settle)
            if finished.code and self.ground.clears(_said(finished)):
                return await self._run(command)
            missing = self._missing(finished)
            code = 0 if finished.code == _PIPE_BROKE and reads_in_part(command) else finished.code
            printed = _printed(finished, asked)
            return Ran(
                command=command,
                code=code,
                output=printed,
                killed_by=finished.killed_by,
                dropped=finished.dropped,
                changed=changed,
                runner=runner_in(command),
                asked=asked is not None,
                report=_report(finished, asked, place, code=code) if asked else None,
                missing=missing,
                hidden=self._is_hidden(missing),
            )

    def _missing(self, finished: Finished) -> str:
        """A name that is on no path, or a program beside the work that needs what is not shown."""
        if finished.code == 1 and (lacking := _NO_MODULE.fullmatch(_said(finished).strip())):
            top = re.compile(rf"(?:.*/)?{lacking['name']}(?:\.py|/.*)")
            ours = any(map(top.fullmatch, self.ground.files))
            return "" if ours else f"{lacking['name']} for {lacking['python']}"
        if finished.code not in (126, 127):
            return ""
        names = [found["name"] for found in _NOT_FOUND.finditer(_said(finished))]
        name = names[-1] if names else ""
        path = os.path.normpath(name)
        there = os.path.lexists(os.path.join(self.ground.folder, path))
        beside = path not in self.ground.files and (there or path in self.ground.hidden)
        return name if "/" not in name or beside else ""

    def _is_hidden(self, program: str) -> bool:
        """Whether it lies beside the work and is not shown, at its path or where programs are called by name."""
        path = os.path.normpath(program)
        return path in self.ground.hidden or any(
            each.endswith((f"/bin/{program}", f"/.bin/{program}")) for each in self.ground.hidden
        )

    def _order(self, command: str, place: str) -> Order:
        ground = self.ground
        return Order(
            argv=("bash", "-o", "pipefail", "-c", command),
            cwd=ground.folder,
            environment={**_ENVIRONMENT, "PYTHONPYCACHEPREFIX": os.path.join(place, "none")},
            writable=(*ground.writable, place),
            readable=(*ground.readable, *self.readable),
            laid=ground.laid_then if asks_for_work(command) and ground.laid_then else ground.laid,
            network=self.network,
            limits=replace(self.limits, output_bytes=_OUTPUT),
        )


def _printed(finished: Finished, asked: Reporting | None) -> str:
    text = _said(finished)
    return go_printed(text) if asked and asked.form == "go" else text


def _said(finished: Finished) -> str:
    output = b"\n".join(part for part in (finished.out, finished.err) if part)
    return output.decode("utf-8", "replace")


def _report(finished: Finished, asked: Reporting, place: str, *, code: int) -> TestRun | None:
    if not asked.file:
        return read_report(asked.form, finished.out, code=code)
    try:
        text = read_in(place, os.path.basename(asked.file), limit=MAX_BYTES)
    except (RefusedError, OSError):  # none was written, or what is there is no plain file
        return None
    return read_report(asked.form, text, code=code)
