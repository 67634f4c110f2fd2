"""
Text that a command runs as a script of its own: `eval TEXT`, `bash -c TEXT`, `trap TEXT EXIT`.

Only what is forbidden is looked for in it. A rule grants none of these by what they say: that would
take a second reading of the text, with variables and quotes that this line has changed meanwhile.
"""

import re
from collections.abc import Sequence

from prowess.permit.shell.words import RefusedError, Word

_SHELL = re.compile(r"r?(?:ba|da|z|k|mk|pdk|ya|a)?sh")
_VALUED = ("--rcfile", "--init-file")


def spoken(words: Sequence[Word], *, reads: bool) -> str:
    """
    The script in this command, or nothing where there is none; `RefusedError` when only running it
    would tell what it says. `reads`: its input is text that the line made.

    A file of commands (`bash build.sh`, `. ./env`) says nothing here, like any other program.
    """
    name = words[0].program
    if name == "eval":
        return _written(words[1:])
    if name == "trap":
        return _written([word for word in words[1:2] if not word.text.startswith("-")])
    if name == "exec" and len(words) > 1:
        raise RefusedError("`exec` may run anything; leave it out")
    if not _SHELL.fullmatch(name):
        return ""
    told, script = _options(words[1:])
    if told:
        return _written(script[:1])
    if reads and not script:
        raise RefusedError(f"`{name}` runs what it reads, which may be anything; name a file")
    return ""


def _options(words: Sequence[Word]) -> tuple[bool, Sequence[Word]]:
    """Whether a shell is told its script by `-c`, and the words behind its options."""
    at, told = 0, False
    while at < len(words):
        text = words[at].text
        if text == "--":
            return told, words[at + 1 :]
        if text[:1] not in ("-", "+") or len(text) == 1:
            break
        told = told or (text[0] == "-" and text[1:2] != "-" and "c" in text)
        # `-o pipefail` and its like take a word each.
        at += 1 + (text in _VALUED if text.startswith("--") else sum(map(text.count, "oO")))
    return told, words[at:]


def _written(words: Sequence[Word]) -> str:
    if not all(word.literal for word in words):
        raise RefusedError("what is run here must be written out; only running it would tell")
    return " ".join(word.text for word in words)
