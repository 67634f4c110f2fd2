"""
Just enough shell to help with: commands split into simple ones, or not at all.

This decides nothing about permission. A text with anything beyond words, quotes, pipes, lists and
redirections is answered with None, and then nobody touches it.
"""

import re
import shlex
from dataclasses import dataclass

_READERS = frozenset(
    "basename cat cmp cut date df diff dirname du echo egrep fgrep file find grep head id jq ls"
    " md5sum nl od printf pwd readlink realpath rg sha1sum sha256sum stat strings tail tr tree uname"
    " wc which whoami".split()
)
_GIT_READERS = frozenset("blame describe diff log ls-files rev-parse shortlog show status".split())
# The options with which a reader writes a file or starts a program.
_MORE_THAN_READS = {
    "date": re.compile(r"-\w*s|--s"),
    "file": re.compile(r"-\w*C|--c"),
    "find": re.compile(r"-(?:exec|ok|delete|fprint|fls)"),
    "git": re.compile(r"--(?:o|ext-diff|textconv)"),
    "rg": re.compile(r"--(?:pre|hostname-bin)"),
    "tree": re.compile(r"-\w*[oR]"),
}
_KEYWORDS = frozenset(
    "! [[ case coproc do done elif else esac eval exec fi for function if select source then time"
    " until while .".split()
)
_UNKNOWN = re.compile(r"\$\(|\$'|`|<<|[<>]\(|[(){}#]|\$\{|\\\n")
_HARMLESS = re.compile(r"\d?>&\d|[\d&]?>>?/dev/null|<[^<>&]+")
_WORD = re.compile(r"""(?:[^\s;&|'"\\<>]|\\.|'[^']*'|"(?:\\.|[^"\\])*"|[<>]+&?|&>>?)+""", re.DOTALL)
_BETWEEN = re.compile(r"\s*(?:(?:&&|\|\||\|&|[;|&\n])\s*)?")
_QUOTED = re.compile(r"""\\[^\n]|'[^']*'|"((?:\\.|[^"\\])*)\"""", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_DYNAMIC = re.compile(r"[$`*?~\[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Simple:
    """One simple command; `words` are as written, quotes and all, and lie at start to end."""

    words: tuple[str, ...]
    start: int
    end: int

    @property
    def name(self) -> str:
        return literal(self.words[0]) or ""

    @property
    def arguments(self) -> tuple[str, ...]:
        return self.words[1:]

    def only_reads(self) -> bool:
        """Whether running it twice does nothing that running it once does not."""
        bare = [_QUOTED.sub("_", word) for word in self.words]
        if not all(_HARMLESS.fullmatch(word) for word in bare if re.search(r"[<>]", word)):
            return False
        more = _MORE_THAN_READS.get(self.name)
        if more and any(more.match(re.sub(r"[\\'\"]", "", word)) for word in self.arguments):
            return False
        if self.name == "git":
            return bool(self.arguments) and self.arguments[0] in _GIT_READERS
        return self.name in _READERS


def split(command: str) -> list[Simple] | None:
    """The simple commands in order, or None when there is more in it than we know."""
    if _UNKNOWN.search(_without_quotes(command)):
        return None
    found: list[Simple] = []
    words: list[str] = []
    position = start = len(command) - len(command.lstrip())
    while position < len(command):
        word = _WORD.match(command, position)
        if word is None:
            return None
        if not words:
            start = position
        words.append(word[0])
        position = word.end()
        between = _BETWEEN.match(command, position)
        gap = between[0] if between else ""
        if gap.strip() or "\n" in gap or position + len(gap) >= len(command):
            found.append(Simple(words=tuple(words), start=start, end=word.end()))
            words = []
        position += len(gap)
    usual = all(
        not _ASSIGNMENT.match(each.words[0]) and each.words[0] not in _KEYWORDS for each in found
    )
    return found if found and usual else None


def literal(word: str) -> str | None:
    """What a word says once its quotes are gone; None when only a shell can tell."""
    if _DYNAMIC.search(word.replace("\\", "")) and not word.startswith("'"):
        return None
    try:
        parts = shlex.split(word)
    except ValueError:
        return None
    return parts[0] if len(parts) == 1 else None


def only_reads(command: str) -> bool:
    commands = split(command)
    return commands is not None and all(each.only_reads() for each in commands)


def rewritten(command: str, changes: list[tuple[Simple, str]]) -> str:
    """The command with some of its simple ones replaced, and every other character kept."""
    for simple, text in sorted(changes, key=lambda change: -change[0].start):
        command = command[: simple.start] + text + command[simple.end :]
    return command


def _without_quotes(command: str) -> str:
    """Quoted text is data, but for what double quotes leave alive; `'` stays to show a `$` before it."""

    def left(found: re.Match[str]) -> str:
        return "'" if found[0].startswith("'") else re.sub(r"[^$`(]", "", found[1] or "")

    return _QUOTED.sub(left, command)
