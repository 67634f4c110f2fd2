"""
Files that a granted program would put where other programs run them.

A rule for `cp` or `curl` is no rule for git's hooks. Only what the line itself says is looked at:
what an archive holds, or a script of the program's own, is the sandbox's business.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence

from prowess.permit.paths import protected
from prowess.permit.shell.simple import Simple
from prowess.permit.shell.words import RefusedError, Word

# Any word of these may be a file to write.
_WRITERS = frozenset("tee touch truncate dd curl wget tar unzip install ln patch".split())
# Of these it is the last one, or the value of an option.
_COPIERS = frozenset("cp mv rsync scp".split())
_IN_PLACE = re.compile(r"-[nErsuz]*i.*|--i.*", re.DOTALL)
_ADDRESS = re.compile(r"[a-z]+://")
_LEFT_OUT = re.compile(r"--(?:ex|inc|fil)\w*")
_INTO = re.compile(r"-[a-zA-Z]*t|--t[\w-]*")


def check_targets(name: str, words: Sequence[Word], simple: Simple) -> None:
    """Raise when a word names a guarded place as one to write to."""
    texts = [word.text for word in words[1:]]
    if name in _WRITERS or (name == "sed" and any(map(_IN_PLACE.fullmatch, texts))):
        targets = [path for text in _without_exclusions(texts) for path in _paths(text)]
    elif name in _COPIERS:
        targets = list(_copied(_without_exclusions(texts)))
    else:
        return
    for target in (".", *targets):
        for folder in simple.cwds:
            path = posixpath.normpath(posixpath.join(folder or "", target))
            if guarded := protected(path):
                raise RefusedError(
                    f"`{name}` would write to {guarded}, from which other programs run things; "
                    "choose another place"
                )


def _without_exclusions(texts: Sequence[str]) -> list[str]:
    """Without the options that say what is to be left alone."""
    kept: list[str] = []
    at = 0
    while at < len(texts):
        name, equals, _ = texts[at].partition("=")
        if _LEFT_OUT.fullmatch(name):
            at += 1 if equals else 2
            continue
        kept.append(texts[at])
        at += 1
    return kept


def _paths(text: str) -> Iterator[str]:
    """What of a word may be a path: all of it, and the value of an option or of `of=`."""
    if _ADDRESS.match(text):
        return
    yield text
    yield text.partition("=")[2]
    if text.startswith("-") and not text.startswith("--"):
        yield from (text[at:] for at in range(2, min(len(text), 6)))


def _copied(texts: Sequence[str]) -> Iterator[str]:
    files = [text for text in texts if not text.startswith("-")]
    for at, text in enumerate(texts):
        if text.startswith("-"):
            yield from _paths(text)
        if _INTO.fullmatch(text) and at + 1 < len(texts):
            yield texts[at + 1]
    if files:
        yield files[-1]
        if files[-1].endswith(("/", ".")):
            yield from (posixpath.join(files[-1], posixpath.basename(each)) for each in files[:-1])
