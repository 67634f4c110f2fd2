"""
Folders that a command would write into and that are not there yet.

They are made as Write makes them: only beneath the workspace, and only where nothing else in the
command speaks of them, so that no test for a folder is answered otherwise than it would have been.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from prowess.core.errors import RefusedError
from prowess.tools.command import Simple, literal
from prowess.tools.place import Place, locate

_OUTPUT = re.compile(r"[\d&]?>{1,2}\|?(.*)", re.DOTALL)
_ALL = frozenset({"tee", "touch"})  # every operand is written
_LAST = frozenset({"cp", "mv"})
_NAMES_TARGET = re.compile(r"-\w*[tT]|--target|--no-target")  # then the last operand is none
_MOVERS = frozenset({"cd", "popd", "pushd"})  # after these a relative path is another one


def missing_folders(place: Place, commands: Sequence[Simple]) -> list[str]:
    """The folders to make before these commands, in order."""
    if any(simple.name in _MOVERS for simple in commands):
        return []
    targets = [word for simple in commands for word in _targets(simple)]
    said = Counter(word for simple in commands for word in simple.words) - Counter(targets)
    spoken_of = [os.path.normpath(name) for word in said if (name := literal(word))]
    found = []
    for target in targets:
        folder = os.path.dirname(literal(target) or "")
        if folder and _is_missing(place, folder) and not _related(folder, spoken_of):
            found.append(folder)
    return list(dict.fromkeys(found))


def with_parents(place: Place, simple: Simple) -> tuple[list[str], str] | None:
    """A `mkdir` that would fail for want of a parent, as one that makes it too."""
    names = [literal(word) for word in simple.arguments]
    if simple.name != "mkdir" or any(name is None or name.startswith("-") for name in names):
        return None
    parents = [os.path.dirname(name) for name in names if name]
    if not any(parent and _is_missing(place, parent) for parent in parents):
        return None
    return ["mkdir", "-p", *simple.arguments], "made the folders above, too"


def _targets(simple: Simple) -> Iterator[str]:
    """The words that name a file which the command writes."""
    operands, words = [], iter(simple.words[1:])
    for word in words:
        output = _OUTPUT.fullmatch(word)
        if output is None:
            operands.append(word)
        elif not output[1].startswith("&"):
            yield output[1] or next(words, "")
    files = [word for word in operands if not word.startswith(("-", "<"))]
    if simple.name in _ALL:
        yield from files
    elif simple.name in _LAST and len(files) > 1 and not any(map(_NAMES_TARGET.match, operands)):
        yield files[-1]


def _is_missing(place: Place, folder: str) -> bool:
    try:
        spot = locate(place, folder)
    except RefusedError:
        return False
    return spot.writable and not os.path.lexists(os.path.join(spot.root, spot.relative))


def _related(folder: str, spoken_of: Sequence[str]) -> bool:
    """Whether something names the folder, what lies in it, or a folder that it lies in."""
    folder = os.path.normpath(folder)
    return any(
        os.path.commonpath([folder, name]) in (folder, name)
        for name in spoken_of
        if os.path.isabs(name) == os.path.isabs(folder) and name != "."
    )
