"""
What lies in a work tree beside the work: installed programs, secrets, builds, all that git does not keep.

Commands may need it, and whoever did the work may have changed it: a program there could say that all
is well. So before anybody works it is remembered how each file lies, and afterwards a command is shown
what lies as it lay. New packages beside installed ones are shown too, as work may need another one; but
nothing in them that decides by its name how tests end.
"""

import hashlib
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from prowess.check.judges.deciding import decides
from prowess.check.kept.known_tests import is_test

# Size, times of the last change of content and of anything, number on the disk; a hash where it is small.
Lying = list[int | str]
MISSED = "programs or tests that git ignores were changed or removed while somebody worked"
HIDDEN = "not shown to commands, because git ignores it and it came or changed meanwhile"
_HASHED = 256 * 1024  # bytes; what is larger counts as changed when it was written again
_PACKAGES = ("site-packages", "node_modules")
_PROGRAMS = re.compile(
    r"(?:^|/)(?:site-packages|node_modules/(?!\.(?!bin/))|\.?venv/(?:bin|Scripts))/?"
)
# What pip and yarn note of what they installed, and links to what is worked on (`pip install -e`): nothing of
# it runs. What npm notes in `node_modules/.package-lock.json` does: scripts there are run by `npm rebuild`.
_NOTED = re.compile(
    r"/site-packages/[^/]+\.dist-info/(?:RECORD|INSTALLER|REQUESTED|WHEEL|METADATA|direct_url\.json|top_level\.txt)"
    r"|/site-packages/__editable__\.[^/]+\.pth|(?:^|/)node_modules/\.yarn-integrity"
)
_LINK = re.compile(r"(?:.*/)?site-packages/__editable__\.[^/]+\.pth")
# What an installer notes for itself, and caches: no program finds one by its name, so an empty one says nothing.
_UNNAMED = re.compile(r"(?:^|/)node_modules/\.[^/]+/?")
_BYTE_CODE = (
    "__pycache__"  # which changes whenever a program runs, and which our commands do not use
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    A file, or a folder in which git keeps nothing; then its path ends in a slash. `files` are all that
    it holds, with their bytes; `hidden` are those that are not shown.
    """

    path: str
    files: Mapping[str, int] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()

    @property
    def is_folder(self) -> bool:
        return self.path.endswith("/")

    def masks(self) -> list[str]:
        """The hidden paths, a folder with a slash for all in it where nothing else is."""
        shown = {above for path in self.files if path not in self.hidden for above in _above(path)}
        found: dict[str, None] = {}
        for path in self.hidden:
            here = (each for each in _above(path) if f"{each}/".startswith(self.path))
            whole = [above for above in here if above not in shown]
            found[f"{whole[-1]}/" if whole else path] = None
        return list(found)

    def parts(self) -> "Parts":
        """How it is seen where nothing can be hidden in a folder that is shown."""
        masks = self.masks()
        empty = {path for path in masks if _UNNAMED.fullmatch(path)}
        made = {os.path.dirname(path.rstrip("/")) for path in masks if path not in empty}
        shown = [path for path in self.files if path not in self.hidden]
        inner = {
            above for path in shown for above in _above(path) if os.path.dirname(above) in made
        }
        return Parts(
            as_they_lie=inner.union([self.path.rstrip("/")]) - made,
            made=made,
            copied=[path for path in shown if os.path.dirname(path) in made],
            empty=empty,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """
    Folders that are seen `as_they_lie`; over them those that are `made` anew of what is `copied`, and of
    folders as they lie in turn; and what is seen `empty`, a folder with a slash.
    """

    as_they_lie: Collection[str]
    made: Collection[str]
    copied: Sequence[str]
    empty: Collection[str]


def found_beside(
    folder: str,
    kept: Collection[str],
    own: Sequence[str],
    before: Mapping[str, Lying] | None,
    *,
    elsewhere: bool = False,
) -> list[Entry]:
    """
    Everything but `kept` files and our `own`; `before` is how it lay, None where nobody knows.
    `elsewhere`: this is not the folder of the work, and what is new in it has nothing to do with it.
    """
    trusted = _Trusted(before) if before is not None else None
    entries = []
    for path in _outermost(folder, kept, own):
        sizes: dict[str, int] = {}
        hidden = set()
        for file, status in _files(folder, path):
            if elsewhere and file not in (before or {}):
                continue
            sizes[file] = status.st_size
            if trusted and not trusted.shows(folder, file, status):
                hidden.add(file)
        if sizes or not elsewhere:
            entries.append(Entry(path=path, files=sizes, hidden=frozenset(hidden)))
    return entries


def missed(
    before: Mapping[str, Lying],
    kept: Collection[str],
    entries: Sequence[Entry],
    hidden: Collection[str],
) -> list[str]:
    """
    Programs, tests and settings that lay there and are not shown as they lay, or are gone: without them
    a command may have less to say against the work.
    """
    shown = {path for entry in entries for path in entry.files}.difference(hidden)
    return sorted(
        path
        for path in before
        if path not in shown
        and path not in kept
        and _BYTE_CODE not in path.split("/")
        and not _NOTED.search(path)
        and (_PROGRAMS.search(path) or is_test(path) or decides(path))
    )


def lying_beside(
    folder: str, kept: Collection[str], own: Sequence[str], known: Mapping[str, Lying] = {}
) -> dict[str, Lying]:
    """How everything beside the work lies now. What is `known` and untouched is not read again."""
    found = {}
    for path in _outermost(folder, kept, own):
        for file, status in _files(folder, path):
            lies = _stands(status)
            same = known.get(file, [])[: len(lies)] == lies
            found[file] = known[file] if same else [*lies, _hash(folder, file, status)]
    return found


class _Trusted:
    """What was there, and the packages that were installed by then."""

    def __init__(self, before: Mapping[str, Lying]) -> None:
        self._before = before
        self._folders = {above for path in before for above in _above(path)}
        self._modules = {_module(path) for path in (*before, *self._folders)}

    def shows(self, folder: str, path: str, status: os.stat_result) -> bool:
        """Whether it lies as it lay, or belongs to a package that is new among older ones."""
        lay = self._before.get(path)
        if lay is None:
            return self._is_added(path) or _leads_here(folder, path)
        lies = _stands(status)
        same = lay[: len(lies)] == lies
        told = _NOTED.search(path) and (not path.endswith(".pth") or _leads_here(folder, path))
        return same or bool(told) or (bool(lay[-1]) and lay[-1] == _hash(folder, path, status))

    def _is_added(self, path: str) -> bool:
        parts = path.split("/")
        place = next((number for number, part in enumerate(parts) if part in _PACKAGES), None)
        if place is None or len(parts) < place + 2 or parts[place + 1].startswith("."):
            return False
        end = place + (3 if parts[place + 1].startswith("@") else 2)
        among, package = "/".join(parts[: place + 1]), "/".join(parts[:end])
        new = among in self._folders and package not in self._folders
        taken = package in self._before or _module(package) in self._modules
        return new and not taken and not decides(path) and _is_seen(path, package)


def _leads_here(folder: str, path: str) -> bool:
    """Whether it only says where in this folder a package lies that is worked on; no line of it is code."""
    if not _LINK.fullmatch(path):
        return False
    try:
        opened = os.open(os.path.join(folder, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(opened, encoding="utf-8", errors="replace") as file:
            lines = file.read(_HASHED).split("\n")
    except OSError:
        return False
    here = os.path.realpath(folder)
    said = [os.path.realpath(line) for line in lines if os.path.isabs(line)]
    plain = len(said) == len([line for line in lines if line.strip()])
    return plain and all(each == here or each.startswith(here + os.sep) for each in said)


def _is_seen(path: str, package: str) -> bool:
    """
    Whether it is more than byte code that nobody can read and, where it lies among the packages of Python
    by itself, a module.
    """
    if path.endswith(".pyc") and _BYTE_CODE not in path.split("/"):
        return False
    alone = path == package and path.rpartition("/")[0].endswith("site-packages")
    return not alone or path.endswith((".py", ".so", ".pyd"))


def _module(path: str) -> str:
    """What Python calls a file or folder among its packages; of two so called it takes either."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/{name.partition('.')[0]}" if folder.endswith("site-packages") else path


def _outermost(folder: str, kept: Collection[str], own: Sequence[str]) -> Iterator[str]:
    """Files that are not kept, and folders in which nothing is; of a repository inside the folder."""
    above = {each for path in kept for each in _above(path)}
    waiting = [""]
    while waiting:
        here = waiting.pop()
        try:
            entries = sorted(os.scandir(os.path.join(folder, here)), key=lambda each: each.name)
        except OSError:  # it is closed to us, or gone
            continue
        for entry in entries:
            path = here + entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            named = f"{path}/" if is_folder else path
            if path in kept or path == ".git" or any(named.startswith(each) for each in own):
                continue
            if is_folder and path in above:
                waiting.append(named)
            else:
                yield named


def _files(folder: str, path: str) -> Iterator[tuple[str, os.stat_result]]:
    """Files and links at this path or below it; what is neither cannot be shown."""
    waiting = [path]
    while waiting:
        here = waiting.pop()
        try:
            if not here.endswith("/"):
                yield here, os.lstat(os.path.join(folder, here))
                continue
            entries = list(os.scandir(os.path.join(folder, here)))
        except OSError:  # it is closed to us, or gone
            continue
        for entry in entries:
            inner = here + entry.name
            if entry.is_dir(follow_symlinks=False):
                waiting.append(f"{inner}/")
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
                yield inner, status


def _stands(status: os.stat_result) -> Lying:
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _hash(folder: str, path: str, status: os.stat_result) -> str:
    """What a link leads to or a small file holds, and how it may be used; empty for a large one."""
    place = os.path.join(folder, path)
    try:
        if stat.S_ISLNK(status.st_mode):
            content = os.fsencode(os.readlink(place))
        elif status.st_size <= _HASHED:
            opened = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(opened, "rb") as file:
                content = file.read(_HASHED + 1)
        else:
            return ""
    except OSError:
        return ""
    return hashlib.blake2b(b"%o " % status.st_mode + content, digest_size=16).hexdigest()


def _above(path: str) -> list[str]:
    """The folders that a path is in, the innermost first."""
    parts = path.rstrip("/").split("/")
    return ["/".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]
