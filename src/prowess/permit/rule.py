"""
A rule of `allowed-tools` or `disallowed-tools`, and what it matches.

A rule matches one tool call, or one simple command of a shell line, and never half of either. `*`
is any text; everything else is itself.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from prowess.permit.paths import World, touches

# In a word of a command: what only running it would tell. It can be written in no command and in
# no rule, because NUL is refused in both.
HOLE = "\0"
# What one of these is forbidden to see or to change, the others are as well.
READERS = ("Read", "Grep", "Glob")
WRITERS = ("Write", "Edit")
_BREAK = "\x1f"  # between words, so that a blank inside a word is no break


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`Tool` or `Tool(specifier)`; `specifier` is None when there are no brackets."""

    tool: str
    specifier: str | None = None

    def __str__(self) -> str:
        return self.tool if self.specifier is None else f"{self.tool}({self.specifier})"

    @property
    def whole(self) -> bool:
        """Does it stand for every call of its tool?"""
        return self.specifier is None or (self.tool == "Bash" and self.specifier == "*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a field says. `problem` is why nothing in it counts, when it cannot be read."""

    rules: tuple[Rule, ...] = ()
    problem: str = ""

    def of(self, *tools: str) -> list[Rule]:
        return [rule for rule in self.rules if rule.tool in tools]

    def plus(self, more: "Rules") -> "Rules":
        return Rules(rules=self.rules + more.rules, problem=self.problem or more.problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What is granted and what is forbidden, in one world. `askable`: a person may grant more."""

    granted: Rules
    forbidden: Rules
    world: World
    askable: bool = True


def forbidding(path: str, tools: Sequence[str], policy: Policy) -> Rule | None:
    """The rule about this path that forbids it to one of these tools, if any."""
    return next(
        (
            rule
            for rule in policy.forbidden.of(*tools)
            if rule.specifier is not None and touches(rule.specifier, path, policy.world)
        ),
        None,
    )


def grants_remote(rule: Rule, tool: str) -> bool:
    """`mcp__server`, `mcp__server__tool`, `mcp__server__get_*`; no other name may have a `*`."""
    server, name = _remote(rule.tool)
    called_server, called = _remote(tool)
    if rule.specifier is not None or not server or "*" in server or rule.tool.endswith("__"):
        return False
    return server == called_server and bool(called) and (not name or wild(name, called))


def _remote(tool: str) -> tuple[str, str]:
    """A tool's server and its name there; no server for a tool of our own."""
    server, _, name = tool.removeprefix("mcp__").partition("__")
    return (server, name) if tool.startswith("mcp__") else ("", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandPattern:
    """`words` of a `Bash(…)` rule; `open`: anything may follow them."""

    words: tuple[str, ...]
    open: bool

    @property
    def exact(self) -> bool:
        return not self.open and not any("*" in word for word in self.words)

    def matches(self, words: Sequence[str]) -> bool:
        """Surely: a HOLE is matched by nothing but a `*`."""
        if not self.words or not self._names(words[0]):
            return False
        pattern, text = _BREAK.join(self.words), _BREAK.join(words)
        return wild(pattern, text) or (self.open and wild(pattern + _BREAK + "*", text))

    def may_match(self, words: Sequence[str]) -> bool:
        """Possibly: a HOLE may turn out to be anything, and a path may lead to the program."""
        if not self.words:
            return False
        name = words[0] if "/" in self.words[0] else words[0].rpartition("/")[2]
        pattern, text = _BREAK.join(self.words), _BREAK.join((name, *words[1:]))
        return overlap(pattern, text) or (self.open and overlap(pattern + _BREAK + "*", text))

    def _names(self, name: str) -> bool:
        """A path is granted only by a rule with a path, and `*` does not climb out of a folder."""
        if "/" not in name:
            return True
        rule = self.words[0]
        return "/" in rule and ("*" not in rule or ".." not in name.split("/"))


@lru_cache(maxsize=1024)
def command_pattern(specifier: str) -> CommandPattern:
    words, is_open = specifier, False
    if specifier.endswith((":*", " *")):
        words, is_open = specifier[:-2], True
    try:
        parted = shlex.split(words)
    except ValueError:  # a quote without its partner is a letter like any other
        parted = words.split()
    return CommandPattern(words=tuple(parted), open=is_open)


def wild(pattern: str, text: str) -> bool:
    """`*` is any text, also none; everything else is itself. Time grows with the text only."""
    first, *others = pattern.split("*")
    if not others:
        return text == first
    *middle, last = others
    if not text.startswith(first) or len(text) < len(first) + len(last) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def overlap(pattern: str, text: str) -> bool:
    """Is there anything that both could be: `pattern` with its `*`, `text` with its HOLEs?"""
    # `reached[n]`: what is read of the pattern so far may be the first n characters of the text.
    reached = [True]
    for letter in text:
        reached.append(reached[-1] and letter == HOLE)
    for each in pattern:
        following = [reached[0] and each == "*"]
        for at, letter in enumerate(text):
            anything = each == "*" or letter == HOLE
            following.append(
                (anything and (reached[at + 1] or following[at]))
                or (each == letter and reached[at])
            )
        reached = following
    return reached[-1]
