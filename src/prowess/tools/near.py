"""
The file that was meant when there is none of the name that was said.

Each way of missing a name is tried in turn, from the likeliest on: letter case, punctuation,
singular or plural, another extension, another folder, a slip of the pen. The first way that fits
exactly one file is the answer; a way that fits several is no answer but a list to choose from.
"""

import difflib
import os
import re
from collections.abc import Callable, Iterator, Sequence

SKIPPED = frozenset(
    ".git .hg .svn node_modules .venv venv __pycache__ .mypy_cache .pytest_cache .ruff_cache"
    " .tox .cache dist-packages site-packages".split()
)
_MOST = 20_000  # files that are looked at
_ALIKE = 0.8  # how much of a name must agree for a slip of the pen
_OFFERED = 5


def walk(root: str, under: str = ".") -> Iterator[str]:
    """The files beneath a folder in name order, relative to `root`; links are named, not followed."""
    for folder, folders, files in os.walk(os.path.join(root, under)):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(files):
            yield os.path.relpath(os.path.join(folder, name), root)


def nearest(said: str, root: str) -> tuple[str | None, list[str]]:
    """The one file that was meant, if any, and those it may have been."""
    return _meant(said, _files(root))


def nearest_folder(said: str, root: str) -> str | None:
    """The one folder with files in it that was meant, if any."""
    folders = {folder for path in _files(root) for folder in _above(path)}
    return _meant(said, sorted(folders))[0]


def _files(root: str) -> list[str]:
    return [path for path, _ in zip(walk(root), range(_MOST), strict=False)]


def _above(path: str) -> Iterator[str]:
    while path := os.path.dirname(path):
        yield path


def _meant(said: str, paths: Sequence[str]) -> tuple[str | None, list[str]]:
    offered: list[str] = []
    for way in _WAYS:
        found = way(said, paths)
        if len(found) == 1:
            return found[0], []
        offered += [path for path in found if path not in offered]
    return None, offered[:_OFFERED]


def _same(key: Callable[[str], str]) -> Callable[[str, Sequence[str]], list[str]]:
    def way(said: str, files: Sequence[str]) -> list[str]:
        return [path for path in files if key(path) == key(said)]

    return way


def _letters(path: str) -> str:
    """Without case, blanks, hyphens and underscores."""
    return re.sub(r"[\s_-]+", "", path.lower())


def _singular(path: str) -> str:
    stem, extension = os.path.splitext(_letters(path))
    return stem.removesuffix("s") + extension


def _stem(path: str) -> str:
    return os.path.splitext(path.lower())[0]


def _tail(path: str) -> str:
    return _letters(os.path.basename(path))


def _slip(said: str, files: Sequence[str]) -> list[str]:
    """A letter too many, too few or swapped in the name, in the same folder and of the same type."""
    folder, extension = os.path.dirname(said), os.path.splitext(said)[1]
    beside = [
        path
        for path in files
        if os.path.dirname(path) == folder and os.path.splitext(path)[1] == extension
    ]
    return difflib.get_close_matches(said, beside, n=_OFFERED, cutoff=_ALIKE)


_WAYS: tuple[Callable[[str, Sequence[str]], list[str]], ...] = (
    _same(str.lower),
    _same(_letters),
    _same(_singular),
    _same(_stem),
    _same(os.path.basename),
    _same(_tail),
    _slip,
)
