"""
Commands in a skill's text: `` !`git status` `` stands for what the command prints.

They run once, before the model reads anything. What they print is data: it becomes a segment that
nobody looks into again, neither for commands nor for variables. A command that may not run or does
not work leaves a note in its place, and the rest goes on.

Where a command stands, as Claude Code has it: inline at the start of a line or after a blank, or
as a whole block fenced with ```` ```! ````, which is one script. Text that only speaks of commands
is left alone: other fenced blocks, and code spans such as ``` `` !`date` `` ```.
"""

import re
import textwrap
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from prowess.core.errors import ProwessError
from prowess.core.process import Finished
from prowess.core.verdict import Verdict
from prowess.prompt.templates import template

SECONDS = 5.0
MAX_CHARS = 10_000
MAX_COMMANDS = 50  # in one text
AT_ONCE = 4
_ERROR_CHARS = 500
_OPENING = re.compile(
    r"[ \t>]*(?:(?:[-*+]|[0-9]{1,3}[.)])[ \t]+)?(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)"
)
_TICKS = re.compile("`+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """A command and the part of the text, from `start` to `end`, that its output replaces."""

    start: int
    end: int
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A piece of a text. One that is `printed` came out of a command and is never looked into."""

    text: str
    printed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What became of one command. `chars` is what it printed, before anything was cut."""

    command: str
    allowed: bool
    ok: bool
    seconds: float = 0.0
    chars: int = 0
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """The text in segments, and an audit of each different command in the order they stand."""

    segments: tuple[Segment, ...]
    audit: tuple[Audit, ...] = ()

    @property
    def text(self) -> str:
        return "".join(segment.text for segment in self.segments)


async def fill_commands(
    text: str, *, run: Callable[[str], Awaitable[Finished]], judge: Callable[[str], Verdict]
) -> Injected:
    """
    Run each different command once, if `judge` allows it, and put its output in its place.

    `run` is given up after `SECONDS`; it has to end what it started when it is cancelled.
    """
    import asyncio

    found = find_commands(text)
    turn = asyncio.Semaphore(AT_ONCE)

    async def outcome(place: int, command: str) -> tuple[str, Audit]:
        if place >= MAX_COMMANDS:
            return _refused(command, f"a skill may have {MAX_COMMANDS} commands")
        if not (verdict := judge(command)).allowed:
            return _refused(command, verdict.reason)
        async with turn:
            try:
                async with asyncio.timeout(SECONDS):
                    return _finished(command, await run(command))
            except TimeoutError:
                return _failed(command, f"stopped after {SECONDS:g} s", seconds=SECONDS)
            except (ProwessError, OSError) as error:
                return _failed(command, str(error))

    commands = list(dict.fromkeys(injection.command for injection in found))
    ended = await asyncio.gather(*(outcome(*each) for each in enumerate(commands)))
    outputs = {command: output for command, (output, _) in zip(commands, ended, strict=True)}
    return Injected(
        segments=tuple(_segments(text, found, outputs)), audit=tuple(audit for _, audit in ended)
    )


def find_commands(text: str) -> tuple[Injection, ...]:
    """Every command in `text`, the body of a skill without its header, in the order they stand."""
    return tuple(_found(text))


def _found(text: str) -> Iterator[Injection]:
    block: re.Match[str] | None = None  # the line that opened the fenced block we are in
    opened = at = 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        if block is None:
            if block := _OPENING.fullmatch(line):
                opened = start + block.start("mark")
            else:
                yield from _inline(line, start)
        elif _closes(line, block["mark"]):
            script = textwrap.dedent(text[opened:start].partition("\n")[2]).strip()
            if script and block["info"].strip() == "!":
                end = start + len(line.rstrip("\r"))
                yield Injection(start=opened, end=end, command=script)
            block = None


def _closes(line: str, fence: str) -> bool:
    """A block ends at a line with nothing but its mark, at least as long as the one that opened it."""
    mark = line.lstrip(" \t>").rstrip()
    return len(mark) >= len(fence) and not mark.strip(fence[0])


def _inline(line: str, start: int) -> Iterator[Injection]:
    """A code span goes from one run of backticks to the next of the same length, as in Markdown."""
    runs = [found.span() for found in _TICKS.finditer(line)]
    last: dict[int, int] = {}  # by length, the start of the last such run
    for before, after in runs:
        last[after - before] = before
    passed = 0
    for before, after in runs:
        length = after - before
        if before < passed or last[length] == before:
            continue  # inside a span, or a run that nothing closes
        until = _next_run(line, after, length)
        passed = until + length
        command = line[after:until].strip()
        if command and length == 1 and _marked(line, before):
            yield Injection(start=start + before - 1, end=start + passed, command=command)


def _next_run(line: str, at: int, length: int) -> int:
    """Where the next run of exactly so many backticks begins; there is one."""
    return next(found.start() for found in _TICKS.finditer(line, at) if len(found[0]) == length)


def _marked(line: str, at: int) -> bool:
    """Is the backtick at `at` after a `!` that stands at the start of the line or after a blank?"""
    return line[at - 1 : at] == "!" and (at == 1 or line[at - 2].isspace())


def _segments(text: str, found: Sequence[Injection], outputs: dict[str, str]) -> Iterator[Segment]:
    at = 0
    for injection in found:
        yield Segment(text=text[at : injection.start])
        yield Segment(text=outputs[injection.command], printed=True)
        at = injection.end
    yield Segment(text=text[at:])


def _finished(command: str, ended: Finished) -> tuple[str, Audit]:
    printed = ended.out.decode("utf-8", "replace").rstrip()
    output = printed
    if len(printed) > MAX_CHARS or ended.dropped:
        output = printed[:MAX_CHARS] + "\n" + template("run-command-cut.md")
    if ended.code == 0 and not ended.killed_by:
        return output, Audit(
            command=command, allowed=True, ok=True, seconds=ended.seconds, chars=len(printed)
        )
    why = f"stopped ({ended.killed_by})" if ended.killed_by else f"exit code {ended.code}"
    if error := ended.err.decode("utf-8", "replace").strip()[-_ERROR_CHARS:]:
        why = f"{why}: {error}"
    note, audit = _failed(command, why, seconds=ended.seconds, chars=len(printed))
    return f"{output}\n{note}" if output else note, audit


def _failed(
    command: str, reason: str, *, seconds: float = 0.0, chars: int = 0
) -> tuple[str, Audit]:
    audit = Audit(
        command=command, allowed=True, ok=False, seconds=seconds, chars=chars, reason=reason
    )
    return template("run-command-failed.md").format(command=command, reason=reason), audit


def _refused(command: str, reason: str) -> tuple[str, Audit]:
    audit = Audit(command=command, allowed=False, ok=False, reason=reason)
    return template("run-command-refused.md").format(command=command, reason=reason), audit
