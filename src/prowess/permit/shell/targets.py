"""
Files that a granted program would put where other programs run them.

A rule for `cp` or `curl` is no rule for git's hooks. Only what the line itself says is looked at:
what an archive holds, or a script of the program's own, is the sandbox's business.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from prowess.permit.paths import may_be_protected, protected
from prowess.permit.rule import HOLE
from prowess.permit.shell.simple import Simple
from prowess.permit.shell.words import RefusedError, Word

# Any word of these may be a file to write.
_WRITERS = frozenset(
    "chmod chown csplit curl dd install ln mkdir patch split tar tee touch truncate unzip wget".split()
)
# Of these it is the last one, or the value of an option.
_COPIERS = frozenset("cp mv rsync scp".split())
_ZIP_VALUED = frozenset("-b -n -O -P -s -t -tt -Z --out --temp-path".split())
_IN_PLACE = re.compile(r"-[nErsuz]*i.*|--i.*", re.DOTALL)
# What stands before a hole, if that can go on a path.
_PATH = re.compile(r"[\w./@%+=,~-]*", re.ASCII)
_ADDRESS = re.compile(r"[a-z]+://")
_LEFT_OUT = re.compile(r"--(?:ex|inc|fil)\w*")
_INTO = re.compile(r"-[a-zA-Z]*t|--t[\w-]*")
_CHOICE = re.compile(r"\{([^{}]*,[^{}]*)\}")
_SEQUENCE = re.compile(r"\{[^{},]*\.\.[^{},]*\}")
_MOST_CHOICES = 64


def check_targets(name: str, words: Sequence[Word], simple: Simple) -> None:
    """Raise when a word names a guarded place as one to write to."""
    texts = [text for word in words[1:] for text in _written(word)]
    if name in _WRITERS or (name == "sed" and any(map(_IN_PLACE.fullmatch, texts))):
        targets = [path for text in _without_exclusions(texts) for path in _paths(text)]
    elif name in _COPIERS:
        targets = list(_copied(_without_exclusions(texts)))
    elif name == "zip":
        targets = list(_archive(texts))
    else:
        return
    _check_chosen(name, words)
    for target in (".", *targets):
        for folder in simple.cwds:
            path = posixpath.normpath(posixpath.join(folder or "", target))
            if guarded := protected(path) or may_be_protected(path):
                raise RefusedError(
                    f"`{name}` would write to {guarded}, from which other programs run things; "
                    "choose another place"
                )


def _check_chosen(name: str, words: Sequence[Word]) -> None:
    for word in words:
        if word.crafted or (word.chosen and _PATH.fullmatch(word.text.partition(HOLE)[0])):
            raise RefusedError(
                f"where `{name}` would write is made up while the command runs; write it out"
            )


def _written(word: Word) -> list[str]:
    """The texts that a word may be, with a star for whatever only running would tell."""
    if not word.braces:
        return [word.text.replace(HOLE, "*")]
    found = list(islice(_spread(_SEQUENCE.sub("*", word.braces)), _MOST_CHOICES + 1))
    if len(found) > _MOST_CHOICES:
        raise RefusedError("braces make too many words here; write them out")
    return found


def _spread(text: str) -> Iterator[str]:
    """What braces make of a text, the last of it last; some may come twice."""
    found = _CHOICE.search(text)
    if found is None:
        yield text
        return
    for choice in found[1].split(","):
        yield from _spread(text[: found.start()] + choice + text[found.end() :])


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


def _archive(texts: Sequence[str]) -> Iterator[str]:
    """The first file that `zip` is given; what goes into it comes behind."""
    words = iter(texts)
    for text in words:
        if not text.startswith("-"):
            yield text
            return
        yield from _paths(text)
        if text in _ZIP_VALUED:
            yield next(words, "")


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
