"""
What a shell command would stumble over, put right before it runs, or after it failed harmlessly.

Before: a command that is not installed gets its stand-in; a script without execute permission or
with Windows line ends is run through its interpreter; a missing folder is made. After: a file that was not found is replaced
by the one that was meant, if nothing has happened yet. The gate judges every changed command.
"""

import os
import re
import shlex
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from prowess.core.chat import Call
from prowess.core.errors import RefusedError
from prowess.core.process import Finished
from prowess.core.workspace import read_in
from prowess.tools.command import Simple, literal, only_reads, rewritten, split
from prowess.tools.folders import missing_folders, with_parents
from prowess.tools.near import nearest
from prowess.tools.place import Place, Spot, locate
from prowess.tools.standins import STANDINS

Present = Callable[[Iterable[str]], Awaitable[frozenset[str]]]
_INTERPRETERS = {".sh": "bash", ".bash": "bash", ".py": "python3", ".js": "node", ".mjs": "node"}
_RUNNERS = frozenset("bash sh python python3 node ruby perl".split())
_SHELLS = frozenset({"bash", "sh"})
_NOT_FOUND = re.compile(
    r"no such file|can't open file|cannot open|cannot find module", re.IGNORECASE
)
# What a program says that has done nothing yet. Of any other it may be the word of one that it
# started, after much was done.
_GIT_WAITS = re.compile(r"index\.lock': file exists|could not lock config file", re.IGNORECASE)
_NO_ADDRESS = re.compile(
    r"temporary failure in name resolution|could ?n.t resolve host", re.IGNORECASE
)
_CALLERS = frozenset("curl dig git host nslookup ping scp sftp ssh wget".split())
_NOT_STARTED = (
    r"^bash: (?:line \d+: )?{}: (?:.*: bad interpreter: )?"
    r"(?:resource temporarily unavailable|text file busy|too many open files)"
)
_PASSING = re.compile(
    r"temporarily unavailable|text file busy|too many open files|database is locked"
    r"|connection reset|stale file handle|interrupted system call",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A command to run instead, and what was done to it."""

    command: str
    healed: tuple[str, ...] = ()


async def beforehand(place: Place, command: str, present: Present) -> Remedy:
    """The command as it will work here; itself when there is nothing to help with."""
    commands = split(command)
    if commands is None:
        return Remedy(command=command)
    changes, healed = [], []
    for simple in commands:
        words, why = (
            _script(place, simple)
            or with_parents(place, simple)
            or await _standin(simple, present)
            or ([], "")
        )
        if words:
            changes.append((simple, " ".join(words)))
            healed.append(why)
    other = rewritten(command, changes)
    if folders := missing_folders(place, commands):
        other = f"mkdir -p -- {' '.join(map(shlex.quote, folders))}; {other}"
        healed.append(f"made the folder {', '.join(folders)}")
    if other == command or not _granted(place, other):
        return Remedy(command=command)
    return Remedy(command=other, healed=tuple(healed))


def afterwards(place: Place, command: str, finished: Finished) -> Remedy | None:
    """Another way after a failure that did nothing: the file that was meant, where it really is."""
    error = finished.err.decode("utf-8", "replace")
    commands = split(command)
    if not finished.code or commands is None or not _NOT_FOUND.search(error):
        return None
    first = commands[0]
    runs = len(commands) == 1 and (first.name in _RUNNERS or "/" in first.name)
    if not (runs or only_reads(command)):
        return None
    changes, healed = [], []
    for simple in commands:
        for word, path in _elsewhere(place, simple, error, runs=runs):
            words = [shlex.quote(path) if each == word else each for each in simple.words]
            changes.append((simple, " ".join(words)))
            healed.append(f"there is no {word}; took {path}")
    other = rewritten(command, changes)
    if not changes or not _granted(place, other):
        return None
    return Remedy(command=other, healed=tuple(dict.fromkeys(healed)))


def passing(command: str, finished: Finished) -> bool:
    """Whether to try again: trouble that passes, in a command that has not changed anything."""
    if not finished.code or finished.killed_by:
        return False
    error = finished.err.decode("utf-8", "replace")
    commands = split(command)
    if commands is not None and len(commands) == 1 and _never_began(commands[0], error):
        return True
    return only_reads(command) and bool(_PASSING.search(error) or _NO_ADDRESS.search(error))


def _never_began(simple: Simple, error: str) -> bool:
    if simple.name == "git" and _GIT_WAITS.search(error):
        return True
    if simple.name in _CALLERS and _NO_ADDRESS.search(error):
        return True
    named = _NOT_STARTED.format(re.escape(simple.name))
    return bool(simple.name and re.search(named, error, re.IGNORECASE | re.MULTILINE))


def _granted(place: Place, command: str) -> bool:
    return place.gate(Call(id="", tool="Bash", input={"command": command})).allowed


async def _standin(simple: Simple, present: Present) -> tuple[list[str], str] | None:
    ways = STANDINS.get(simple.name)
    if not ways or simple.name in (there := await present([simple.name, *(w.needs for w in ways)])):
        return None
    for way in ways:
        words = way.turn(simple.arguments) if way.needs in there else None
        if words:
            return words, f"{simple.name} is not installed; used {way.needs}"
    return None


def _script(place: Place, simple: Simple) -> tuple[list[str], str] | None:
    """A script that the system would not start as it is."""
    runner = simple.name if simple.name in _SHELLS else ""
    words = simple.arguments if runner else simple.words
    name = literal(words[0]) if words else None
    if name is None or (not runner and "/" not in name):
        return None
    spot = _spot(place, name)
    text = _bytes(spot) if spot else None
    if spot is None or text is None:
        return None
    interpreter = runner or _interpreter(name, text)
    crlf = b"\r\n" in text[:4096]
    if interpreter in _SHELLS and crlf:
        source = f"\"$(tr -d '\\r' < {words[0]})\""
        return [interpreter, "-c", source, *words], f"read {name} without its Windows line ends"
    runs = os.access(os.path.join(spot.root, spot.relative), os.X_OK) and not crlf
    if runner or runs or not interpreter:
        return None
    return [interpreter, *words], f"ran {name} with {interpreter}, as it cannot be started itself"


def _interpreter(name: str, text: bytes) -> str:
    """By the first line, else by the extension."""
    line = text.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    if line.startswith("#!"):
        words = [word for word in line[2:].split() if not word.endswith("/env")]
        return os.path.basename(words[0]) if words else ""
    return _INTERPRETERS.get(os.path.splitext(name)[1], "")


def _elsewhere(place: Place, simple: Simple, error: str, *, runs: bool) -> list[tuple[str, str]]:
    """The word that names a file which is not there, and the file that was meant; one at most."""
    words = simple.words if "/" in simple.name else simple.arguments
    for word in words[:1] if runs else words:
        name = literal(word)
        spot = _spot(place, name) if name and not name.startswith("-") else None
        if name is None or spot is None or os.path.basename(name) not in error:
            continue
        if not os.path.lexists(os.path.join(spot.root, spot.relative)):
            meant, _ = nearest(spot.relative, spot.root)
            if meant:
                near = spot.beside(meant).name
                return [(word, f"./{near}" if name.startswith("./") else near)]
    return []


def _spot(place: Place, name: str) -> Spot | None:
    try:
        return locate(place, name)
    except RefusedError:
        return None


def _bytes(spot: Spot) -> bytes | None:
    try:
        return read_in(spot.root, spot.relative, limit=1024**2)
    except (RefusedError, OSError):
        return None
