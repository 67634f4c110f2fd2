"""
The ground that commands of a check run on: a copy of the work as git would keep it, and nothing that
somebody left lying about.

In bubblewrap the copy is seen at the path of the work tree, where installed programs and settings look
for it; other sandboxes run commands in the copy itself. What lies beside the work is shown as it lay
before anybody worked; what a command writes is gone with the ground.
"""

import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from prowess.check.beside import Entry
from prowess.check.judges import decides
from prowess.core.files import take_away
from prowess.core.process import Laid
from prowess.core.scratch import scratch

_FEW, _SMALL = 2_000, 32 * 1024**2  # files and bytes beside the work that are copied like it
_MOST_MASKS = 50_000  # a folder of which more is hidden is not shown at all
_ONE = 1024**3  # bytes of a single file that is copied
_Picture = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """
    Of what a ground is made: `files` of the work in `folder`, and what lies `beside` them in `home`.
    `instead` has other content for some of them, None for those that are left out.
    """

    folder: str
    files: frozenset[str]
    home: str
    beside: Sequence[Entry] = ()
    instead: Mapping[str, bytes | None] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Ground:
    """
    `place` is where it lies and `folder` where commands see it; `files` are those of the work. `laid`,
    `writable` and `readable` are what they need for that; `hidden` is what lies beside it and is not
    shown. `put` makes a file again what it was; without it, what commands do stays.
    """

    place: str
    folder: str
    files: frozenset[str]
    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    laid: tuple[Laid, ...] = ()
    hidden: frozenset[str] = frozenset()
    put: Callable[[str], None] | None = None
    _before: dict[str, _Picture] = field(default_factory=dict)

    def look(self) -> None:
        """Remember how everything lies before a command runs."""
        names = self.files if self.put is None else [*_lying(self.place)]
        self._before = dict(self._pictures(names))

    def settle(self) -> tuple[str, ...]:
        """
        Files of the work that the command changed. All is made again what it was, and what is new and
        decides by its name how the next command ends is taken away; what was built stays.
        """
        now = dict(self._pictures(self._before))
        changed = [path for path, before in self._before.items() if now.get(path) != before]
        if self.put is not None:
            for path in changed:
                self.put(path)
            # In a folder that a command made, such as CMake's, they decide of what it built there.
            folders = {os.path.dirname(path) for path in self._before}
            for path in [*_lying(self.place)]:
                new = path not in self._before and os.path.dirname(path) in folders
                if new and decides(path):
                    take_away(os.path.join(self.place, path))
        return tuple(path for path in changed if path in self.files)

    def _pictures(self, paths: Iterable[str]) -> Iterator[tuple[str, _Picture]]:
        for path in paths:
            with suppress(OSError):
                found = os.lstat(os.path.join(self.place, path))
                yield path, (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def in_place(folder: str, files: frozenset[str] = frozenset()) -> Ground:
    """The folder itself, where git knows of no work that could be copied."""
    return Ground(
        place=folder, folder=folder, files=files, writable=(folder,), readable=_records_in(folder)
    )


@contextmanager
def fresh(source: Source, *, within: str | None, laid: bool) -> Iterator[Ground]:
    """A ground that is there for a while. `laid`: the sandbox can show it at the path of the work."""
    with scratch("ground", within=within) as room:
        place = os.path.join(room, os.path.basename(source.folder) or "work")
        os.mkdir(place)

        def put(path: str) -> None:
            _put(source, path, place)

        inner = [path for path in source.files if not _is_file(source, path)]
        for path in sorted(source.files.difference(inner)):
            put(path)
        _records(source.folder, place, laid=laid)
        # Programs installed beside another tree know their own paths, and that of the work there.
        seen = tuple(dict.fromkeys((source.folder, source.home)))
        shown = [Laid(path=source.folder, source=place, kept=True)]
        writable = [place]
        # Of repositories inside git keeps no more than a name, so they are shown as they lie.
        inside = [(source.folder, Entry(path=f"{path}/")) for path in sorted(inner)]
        for home, entry in (*inside, *((source.home, each) for each in source.beside)):
            shown += _show(entry, home, seen if laid else (), place)
            writable.append(os.path.join(home, entry.path.rstrip("/")))
        shown += _parts(place, source.home) if len(seen) > 1 else ()
        yield Ground(
            place=place,
            folder=source.folder if laid else place,
            files=source.files.difference(inner, _left_out(source)),
            writable=() if laid else tuple(filter(os.path.isdir, writable)),
            readable=_records_in(source.folder),
            laid=tuple(shown) if laid else (),
            hidden=frozenset(path for entry in source.beside for path in entry.hidden),
            put=put,
        )


def _parts(place: str, home: str) -> Iterator[Laid]:
    """What is in the copy, to be seen in another tree too; the records of that tree are its own."""
    for name in sorted(os.listdir(place)):
        if name != ".git" and not os.path.islink(os.path.join(place, name)):
            yield Laid(path=os.path.join(home, name), source=os.path.join(place, name), kept=True)


def _left_out(source: Source) -> set[str]:
    return {path for path, content in source.instead.items() if content is None}


def _is_file(source: Source, path: str) -> bool:
    place = os.path.join(source.folder, path)
    return path in source.instead or os.path.islink(place) or not os.path.isdir(place)


def _put(source: Source, path: str, place: str) -> None:
    """A file of the work or beside it, or what is to be seen instead of it."""
    target = os.path.join(place, path)
    take_away(target)
    if path in source.instead:
        content = source.instead[path]
        _folder_of(target)  # also of what is left out: a command may begin there
        if content is not None:
            with open(target, "xb") as file:
                file.write(content)
            with suppress(OSError):  # it may run as a program
                os.chmod(target, os.stat(os.path.join(source.folder, path)).st_mode & 0o777 | 0o600)
        return
    _copy(os.path.join(source.folder if path in source.files else source.home, path), target)


def _copy(path: str, target: str) -> None:
    """A file with its mode and times, a link as one; nothing of what is neither."""
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            _folder_of(target)
            os.symlink(os.readlink(path), target)
        elif stat.S_ISREG(status.st_mode):
            _folder_of(target)
            shutil.copyfile(path, target, follow_symlinks=False)
            os.chmod(target, status.st_mode & 0o777 | 0o600)
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    except (FileNotFoundError, PermissionError):  # it is gone, or another's; so it is from the copy
        return


def _folder_of(target: str) -> None:
    """The folder for a file; where a file of the work is in its place now, that one goes."""
    folder = os.path.dirname(target)
    try:
        os.makedirs(folder, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        above = folder
        while not os.path.lexists(above):
            above = os.path.dirname(above)
        take_away(above)
        os.makedirs(folder, exist_ok=True)


def _records_in(folder: str) -> tuple[str, ...]:
    records = os.path.join(folder, ".git")
    return (records,) if os.path.isdir(records) and not os.path.islink(records) else ()


def _records(folder: str, place: str, *, laid: bool) -> None:
    """Where git finds its records: those of the work tree, to be read only."""
    records = os.path.join(folder, ".git")
    if os.path.isfile(records):
        _copy(records, os.path.join(place, ".git"))
    elif os.path.isdir(records) and not laid:
        with open(os.path.join(place, ".git"), "x", encoding="utf-8") as file:
            file.write(f"gitdir: {records}\n")


def _show(entry: Entry, home: str, seen: Sequence[str], place: str) -> Iterator[Laid]:
    """
    Small things are copied. Large folders are laid over the copy wherever it is seen, but for what is
    hidden; where it cannot be, a link leads to them.
    """
    shown = [path for path in entry.files if path not in entry.hidden]
    if entry.hidden and not shown:
        return
    small = sum(entry.files[path] for path in shown) <= _SMALL and len(shown) <= _FEW
    if entry.files and (small or not entry.is_folder):
        for path in shown:
            if entry.files[path] <= _ONE:
                _copy(os.path.join(home, path), os.path.join(place, path))
            for folder in seen if entry.files[path] > _ONE else ():
                yield Laid(path=os.path.join(folder, path), source=os.path.join(home, path))
        return
    path = entry.path.rstrip("/")
    source = os.path.join(home, path)
    if not seen:
        _folder_of(os.path.join(place, path))
        os.symlink(source, os.path.join(place, path))
    without = tuple(os.path.relpath(each, path) for each in entry.masks())
    for folder in seen if len(without) <= _MOST_MASKS else ():
        yield Laid(path=os.path.join(folder, path), source=source, without=without)


def _lying(place: str) -> Iterator[str]:
    """Every file there; what is laid over the copy is not in it."""
    for folder, folders, names in os.walk(place):
        folders[:] = [name for name in folders if name != ".git"]
        here = "" if folder == place else f"{os.path.relpath(folder, place)}/"
        yield from (here + name for name in names if name != ".git")
