"""
Commands that are to prove something, run again by us.

They run in the sandbox, in the work tree itself, with the repository's records read-only. Each runs
once in a check, however many criteria name it. Which files it changed is found out and told, because
a command that changes what it is to prove proves nothing.
"""

import contextlib
import os
import re
import shlex
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field, replace

from prowess.core.ports import Sandbox
from prowess.core.process import KilledBy, Limits, Order

_OUTPUT = 32 * 1024**2  # bytes: a summary stands at the end, and what is over the limit is dropped
_SAY_NOTHING = frozenset(": true echo printf exit sleep cd pwd export set".split())
_PARTS = frozenset(("&&", "||", ";", "|", "&", "|&", ";;"))
_PIPE_BROKE = 128 + 13  # whoever wrote was stopped because whoever read had seen enough
_ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1", "CI": "1", "NO_COLOR": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command did here. `changed` are files of the work that it altered or removed."""

    command: str
    code: int
    output: str
    killed_by: KilledBy = ""
    dropped: int = 0
    changed: tuple[str, ...] = ()

    @property
    def could_not_run(self) -> str:
        """Why its end says nothing about what it was to show, or an empty string."""
        if self.killed_by:
            return f"it was stopped ({self.killed_by})"
        if self.code in (126, 127):
            return "it cannot be run here"
        return ""

    @property
    def last_line(self) -> str:
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines else ""


Run = Callable[[str], Awaitable[Ran]]


@dataclass(frozen=True, kw_only=True)
class Runner:
    """
    Runs the commands of one check. `readable` are folders outside that the tree needs; `watched`
    are the files of the work, as paths from the folder.
    """

    sandbox: Sandbox
    folder: str
    readable: tuple[str, ...] = ()
    watched: Collection[str] = ()
    network: bool = False
    limits: Limits = Limits()
    _done: dict[str, Ran] = field(default_factory=dict)

    async def __call__(self, command: str) -> Ran:
        if command not in self._done:
            self._done[command] = await self._run(command)
        return self._done[command]

    @property
    def ran(self) -> tuple[Ran, ...]:
        return tuple(self._done.values())

    async def _run(self, command: str) -> Ran:
        before = self._picture()
        finished = await self.sandbox.run(self._order(command))
        after = self._picture()
        output = b"\n".join(part for part in (finished.out, finished.err) if part)
        code = 0 if finished.code == _PIPE_BROKE and "|" in command else finished.code
        return Ran(
            command=command,
            code=code,
            output=output.decode("utf-8", "replace"),
            killed_by=finished.killed_by,
            dropped=finished.dropped,
            changed=tuple(path for path in before if after.get(path) != before[path]),
        )

    def _picture(self) -> dict[str, tuple[int, int]]:
        """Size and time of every file of the work; two pictures tell what came in between."""
        found = {}
        for path in self.watched:
            with contextlib.suppress(OSError):
                status = os.lstat(os.path.join(self.folder, path))
                found[path] = (status.st_mtime_ns, status.st_size)
        return found

    def _order(self, command: str) -> Order:
        records = os.path.join(self.folder, ".git")
        inside = (records,) if os.path.isdir(records) and not os.path.islink(records) else ()
        return Order(
            argv=("bash", "-o", "pipefail", "-c", command),
            cwd=self.folder,
            environment=_ENVIRONMENT,
            writable=(self.folder,),
            readable=(*inside, *self.readable),
            network=self.network,
            limits=replace(self.limits, output_bytes=_OUTPUT),
        )


def says_nothing(command: str) -> bool:
    """Whether its exit code is 0 whatever is true: `true`, `pytest || true`, `make; echo done`."""
    commands = simple_commands(command)
    if commands is None:
        return False  # more shell than we read here; what it prints is looked at all the same
    names = [_program(words) for _, words in commands]
    if not names or all(name in _SAY_NOTHING for name in names):
        return True
    joined, last = commands[-1][0], names[-1]
    return last in _SAY_NOTHING and joined in ("||", ";", "&", "|", "\n")


def simple_commands(command: str) -> list[tuple[str, list[str]]] | None:
    """The simple commands in order, each with what joins it to the one before."""
    lexer = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return None
    found: list[tuple[str, list[str]]] = [("", [])]
    for word in words:
        if word in _PARTS:
            found.append((word, []))
        else:
            found[-1][1].append(word)
    return [(joined, each) for joined, each in found if each]


def _program(words: list[str]) -> str:
    """The name of the program, past variables that are set for it."""
    named = (word for word in words if not re.match(r"\w+=", word))
    return next(named, ":")
