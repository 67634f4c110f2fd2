"""
Which changed files a task was allowed to touch.

A function of patterns and changes; nothing here looks at the disk. A path is taken as git tells it
and is never tidied up first: one that is not in its plain form is refused, whatever it would lead to.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence

from prowess.core.evidence import Change, Scope, Scoped

_SEPARATORS = re.compile(r"[/\\]")
# Letters that some file systems leave out when they compare names.
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_TEST_FOLDERS = frozenset("test tests __tests__ spec specs".split())
_TEST_PREFIX = re.compile(r"test_(?=.)")
_TEST_SUFFIX = re.compile(r"(?<=.)(?:[._](?:test|spec)|(?<=[a-z0-9])Tests?)$")


def scope(patterns: Sequence[str], changes: Sequence[Change]) -> Scope:
    """Judge every change; no pattern allows nothing. Both ends of a rename count."""
    twins = _twins(changes)
    files: dict[str, Scoped] = {}
    for change in changes:
        for path in _paths(change):
            pattern, why = _judged(path, change, patterns, twin=twins.get(path, ""))
            if (
                path not in files or pattern is None
            ):  # a path told twice is as good as its worse half
                files[path] = Scoped(path=path, pattern=pattern, why=why)
    return Scope(files=tuple(files.values()))


def _paths(change: Change) -> Iterator[str]:
    if change.source and change.status.startswith("R"):
        yield change.source
    yield change.path


def _judged(
    path: str, change: Change, patterns: Sequence[str], *, twin: str
) -> tuple[str | None, str]:
    """The pattern that allows a path, or None and why nothing does."""
    if why := _never(path):
        return None, why
    pattern = _allowing(path, patterns)
    if pattern is None:
        return None, "matches none of the allowed files" if patterns else "no file may be changed"
    why = _odd(change, patterns, twin=twin or change.twin) if path == change.path else ""
    return (None if why else pattern), why


def _never(path: str) -> str:
    """Why no pattern can allow this path, or an empty string."""
    parts = _SEPARATORS.split(path)
    if not path or "\0" in path or any(part in ("", ".", "..") for part in parts):
        return "is not a plain path beneath the repository"
    if any(_is_git(part) for part in parts):
        return "belongs to the repository's own records"
    return ""


def _odd(change: Change, patterns: Sequence[str], *, twin: str) -> str:
    """Why a change in an allowed place is not allowed all the same, or an empty string."""
    if twin:
        return f"differs from {twin} in case only"
    if change.link is not None and _leads_out(change.path, change.link):
        return f"is a link that leads out, to {change.link or 'nobody knows where'}"
    if change.submodule and change.status == "m":
        return "has changes inside that are committed nowhere, so that git keeps nothing of them"
    if change.submodule and change.path not in map(_plain, patterns):
        return "is a repository of its own, which only its full name allows"
    return ""


def _is_git(part: str) -> bool:
    """`.git` under any name by which some file system would find it."""
    bare = _UNSEEN.sub("", part).casefold().split(":")[0].rstrip(". ")
    return bare in (".git", "git~1")


def _allowing(path: str, patterns: Sequence[str]) -> str | None:
    """The first pattern that covers the path, or else the file whose test it is."""
    for subject in (path, *_subjects(path)):
        for pattern in patterns:
            if _covers(pattern, subject):
                return pattern
    return None


def _covers(pattern: str, path: str) -> bool:
    """`*` stays in its folder, `**` crosses them, a folder with a slash is all that is in it."""
    from wcmatch import glob
    from wcmatch._wcparse import PatternLimitException  # it is not told anywhere else

    plain = _plain(pattern)
    if not plain or plain.startswith("/") or ".." in plain.split("/"):
        return False
    if plain == path:  # a name may hold what globs use, such as [id].ts
        return True
    flags = glob.GLOBSTAR | glob.DOTGLOB | glob.CASE | glob.BRACE
    try:
        return bool(glob.globmatch(path, plain, flags=flags))
    except PatternLimitException:  # braces that multiply
        return False


def _plain(pattern: str) -> str:
    bare = pattern.strip().removeprefix("./")
    return f"{bare}**" if bare.endswith("/") else bare


def _subjects(path: str) -> Iterator[str]:
    """The files whose test this may be, by its name: beside it, or one folder up from tests/."""
    folder, name = posixpath.split(path)
    stem, extension = posixpath.splitext(name)
    bare = _TEST_PREFIX.sub("", stem) if _TEST_PREFIX.match(stem) else _TEST_SUFFIX.sub("", stem)
    if bare == stem or not extension:
        return
    yield posixpath.join(folder, bare + extension)
    above, last = posixpath.split(folder)
    if last in _TEST_FOLDERS:
        yield posixpath.join(above, bare + extension)


def _leads_out(path: str, target: str) -> bool:
    """Whether a link at `path` leaves the repository or ends in its records; unknown targets do."""
    if not target or target.startswith("/"):
        return True
    end = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return end == ".." or end.startswith("../") or any(map(_is_git, end.split("/")))


def _twins(changes: Sequence[Change]) -> dict[str, str]:
    """Changed paths that one file system in two cannot tell from an earlier one, with that one."""
    first: dict[str, str] = {}
    twins = {}
    for path in dict.fromkeys(each.path for each in changes if each.status != "D"):
        earlier = first.setdefault(path.casefold(), path)
        if earlier != path:
            twins[path] = earlier
    return twins
