"""
Text that a command runs as a script of its own: `eval TEXT`, `bash -c TEXT`, `trap TEXT EXIT`.

Only what is forbidden is looked for in it. A rule grants none of these by what they say: that would
take a second reading of the text, with variables and quotes that this line has changed meanwhile.
"""

import re
from collections.abc import Sequence

from prowess.permit.shell.words import RefusedError, Word

_SHELL = re.compile(r"r?(?:ba|da|z|k|mk|pdk|ya|a|c|tc|fi)?sh")
_VALUED = ("--rcfile", "--init-file")
_HANDED = re.compile(
    r"/dev/(?:stdin|fd/.*)|/proc/.*"
)  # what is read there the line may have written


def spoken(words: Sequence[Word], *, reads: bool) -> str:
    """
    The script in this command, or nothing where there is none; `RefusedError` when only running it
    would tell what it says. `reads`: its input is text that the line made.

    A file of commands (`bash build.sh`, `. ./env`) says nothing here, like any other program.
    """
    name = words[0].program
    rest = words[2:] if words[1:] and words[1].text == "--" else words[1:]
    if name == "eval":
        return _written(rest)
    if name == "trap":
        return _written([word for word in rest[:1] if not word.text.startswith("-")])
    if name in ("exec", "builtin", "coproc") and len(words) > 1:
        raise RefusedError(f"`{name}` may run anything; leave it out")
    if name in (".", "source"):
        return _file(name, rest)
    if not _SHELL.fullmatch(name):
        return ""
    letters, script = _options(words[1:])
    if "c" in letters:
        return _written(script[:1])
    if reads and ("s" in letters or not script):
        raise RefusedError(f"`{name}` runs what it reads, which may be anything; name a file")
    return _file(name, script)


def _file(name: str, words: Sequence[Word]) -> str:
    """A file that somebody wrote says nothing here; one that the line itself fills may say anything."""
    if any(not word.literal or _HANDED.fullmatch(word.text) for word in words[:1]):
        raise RefusedError(f"`{name}` would run what this line writes; name a file")
    return ""


def _options(words: Sequence[Word]) -> tuple[str, Sequence[Word]]:
    """The letters of a shell's options, and the words behind them."""
    at, letters = 0, ""
    while at < len(words):
        text = words[at].text
        if text in ("-", "--"):
            return letters, words[at + 1 :]
        if text[:1] not in ("-", "+"):
            break
        letters += text[1:] if text[0] == "-" and text[1] != "-" else ""
        # `-o pipefail` and its like take a word each.
        at += 1 + (text in _VALUED if text.startswith("--") else sum(map(text.count, "oO")))
    return letters, words[at:]


def _written(words: Sequence[Word]) -> str:
    if not all(word.literal for word in words):
        raise RefusedError("what is run here must be written out; only running it would tell")
    return " ".join(word.text for word in words)
