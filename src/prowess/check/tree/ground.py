"""
The ground that commands of a check run on: a copy of the work as git would keep it, and nothing that
somebody left lying about.

In bubblewrap the copy is seen at the path of the work tree, where installed programs and settings look
for it; other sandboxes run commands in the copy itself. What lies beside the work is shown as it lay
before anybody worked; what a command writes is gone with the ground.
"""

import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from prowess.check.judges.deciding import decides
from prowess.check.tree.beside import Entry
from prowess.core.files import take_away
from prowess.core.ports import Sandbox
from prowess.core.process import Laid
from prowess.core.scratch import scratch

_FEW, _SMALL = 2_000, 32 * 1024**2  # files and bytes of a folder that is copied like the work
_FEW_IN_ALL, _SMALL_IN_ALL = 5_000, 1024**3  # and of all that is copied from beside it
_MOST_MASKS = 50_000  # a folder of which more is hidden is not shown at all
_MOST_PARTS = 300  # each costs a command about a millisecond, and a descriptor
# What is installed, a command cannot have us take away from the next by saying that it is in its way.
_INSTALLED = frozenset(("site-packages", "node_modules", "vendor", "venv", ".venv"))
_BUSY = re.compile(r"^.*(?:Device or resource busy|EBUSY).*$", re.MULTILINE)
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
    shown. `put` makes a file again what it was; without it, what commands do stays. `records` is where git
    may be given more of its own (`indexing.py`), and `laid_then` is `laid` with git's index of where the
    work began.
    """

    place: str
    folder: str
    files: frozenset[str]
    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    laid: tuple[Laid, ...] = ()
    hidden: frozenset[str] = frozenset()
    put: Callable[[str], None] | None = None
    records: str = ""
    laid_then: tuple[Laid, ...] = ()
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

    def clears(self, said: str) -> bool:
        """
        Show no longer what a command could not remove or move, by what it said: a folder that is laid
        over the copy stays where it is, and whoever wants it gone would not miss it.
        """
        busy = " ".join(_BUSY.findall(said))
        words = [word.rstrip("/") for word in re.findall(r"[\w./@+~-]+", busy)]
        gone = {
            each.path
            for each in self.laid
            if not each.kept
            and any(each.path.endswith(f"/{word.lstrip('/')}") for word in words)
            and not _INSTALLED.intersection(each.path.split("/"))
        }
        self.laid = tuple(each for each in self.laid if each.path not in gone)
        return bool(gone)

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
def fresh(source: Source, *, within: str | None, sandbox: Sandbox) -> Iterator[Ground]:
    """A ground that is there for a while, for commands in this sandbox."""
    laid = sandbox.level == "bubblewrap"
    with scratch("ground", within=within) as room:
        place = os.path.join(room, os.path.basename(source.folder) or "work")
        os.mkdir(place)

        beside = _Beside(source=source, place=place, sandbox=sandbox)

        def put(path: str) -> None:
            # In the place of what is hidden lies what a command built.
            if path in source.files or path not in beside.hidden:
                _put(source, path, place)

        inner = [path for path in source.files if not _is_file(source, path)]
        for path in sorted(source.files.difference(inner)):
            put(path)
        _records(source.folder, place, laid=laid)
        # Of repositories inside git keeps no more than a name, so they are shown as they lie.
        for path in sorted(inner):
            beside.show(source.folder, Entry(path=path))
        for entry in beside.not_copied():
            beside.show(source.home, entry)
        work = [Laid(path=source.folder, source=place, kept=True)]
        work += _parts(place, source.home) if source.home != source.folder else ()
        yield Ground(
            place=place,
            folder=source.folder if laid else place,
            files=source.files.difference(inner, _left_out(source)),
            writable=() if laid else (place, *filter(os.path.isdir, beside.linked)),
            readable=_records_in(source.folder),
            laid=(*work, *beside.laid) if laid else (),
            hidden=frozenset(beside.hidden),
            put=put,
            records=f"{place}.git",
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
    target = _room_for(path, place)
    take_away(target)
    if path in source.instead:
        content = source.instead[path]
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
            os.symlink(os.readlink(path), target)
        elif stat.S_ISREG(status.st_mode):
            shutil.copyfile(path, target, follow_symlinks=False)
            os.chmod(target, status.st_mode & 0o777 | 0o600)
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    except (FileNotFoundError, PermissionError):  # it is gone, or another's; so it is from the copy
        return


def _room_for(path: str, place: str) -> str:
    """
    Where a file of the copy goes, in folders of the copy and nowhere else: a command may have laid a
    link in the place of one that leads out of it, or a file, or have closed it.
    """
    here = place
    for part in ("", *path.split("/")[:-1]):
        here = os.path.join(here, part) if part else here
        try:
            mode = os.lstat(here).st_mode
        except FileNotFoundError:
            os.mkdir(here)
            continue
        if not stat.S_ISDIR(mode):
            os.unlink(here)
            os.mkdir(here)
        elif mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(here, stat.S_IMODE(mode) | stat.S_IRWXU)
    return os.path.join(here, path.rpartition("/")[2])


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


@dataclass(slots=True, kw_only=True)
class _Beside:
    """
    How what lies beside the work comes to be seen: it is copied, laid over the copy or, where nothing can
    be laid, linked. `hidden` is what is not shown.
    """

    source: Source
    place: str
    sandbox: Sandbox
    laid: list[Laid] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)

    def not_copied(self) -> Iterator[Entry]:
        """Copy what is small; the rest is handed back."""
        files_left, bytes_left = _FEW_IN_ALL, _SMALL_IN_ALL
        for entry in self.source.beside:
            self.hidden |= entry.hidden
            if entry.is_folder and not entry.files:
                _room_for(entry.path, self.place)
            shown = [path for path in entry.files if path not in entry.hidden]
            size = sum(entry.files[path] for path in shown)
            small = not entry.is_folder or (len(shown) <= _FEW and size <= _SMALL)
            if shown and not (small and len(shown) <= files_left and size <= bytes_left):
                yield entry
                continue
            files_left, bytes_left = files_left - len(shown), bytes_left - size
            for path in shown:
                _copy(os.path.join(self.source.home, path), _room_for(path, self.place))

    def show(self, home: str, entry: Entry) -> None:
        """As it lies, but for what is hidden in it; none of it where that cannot be left out."""
        path, masks = entry.path.rstrip("/"), entry.masks()
        lying = os.path.join(home, path)
        if masks and (len(masks) > _MOST_MASKS or not self.sandbox.can_hide(lying)):
            # What is built is no loss, and a command may want to remove it whole.
            is_installed = not _INSTALLED.isdisjoint(path.split("/"))
            laid = self.sandbox.level == "bubblewrap" and is_installed
            if not (laid and self._show_parts(home, entry)):
                self.hidden.update(entry.files)
        elif self.sandbox.level == "bubblewrap":
            without = tuple(os.path.relpath(each, path) for each in masks)
            self._lay(path, lying, without=without)
        else:
            os.symlink(lying, _room_for(path, self.place))
            self.linked.append(lying)

    def _show_parts(self, home: str, entry: Entry) -> bool:
        """Lay it out in parts, none of which holds what is hidden; or do nothing, where that is too much."""
        parts = entry.parts()
        count = len(parts.as_they_lie) + len(parts.made) + len(parts.empty)
        size = sum(entry.files[path] for path in parts.copied)
        if count > _MOST_PARTS or len(parts.copied) > _FEW or size > _SMALL:
            return False
        for path in parts.copied:
            _copy(os.path.join(home, path), _room_for(path, self.place))
        for path in parts.as_they_lie:
            self._lay(path, os.path.join(home, path))
        for path in (*(f"{each}/" for each in parts.made), *parts.empty):
            target, is_folder = _room_for(path, self.place), path.endswith("/")
            if not is_folder:
                open(target, "xb").close()
            self._lay(path.rstrip("/"), target.rstrip("/"), kept=is_folder)
        return True

    def _lay(self, path: str, source: str, **how: Any) -> None:
        """In both trees: programs installed beside another one know their own paths, and that of the work there."""
        for folder in dict.fromkeys((self.source.folder, self.source.home)):
            self.laid.append(Laid(path=os.path.join(folder, path), source=source, **how))


def _lying(place: str) -> Iterator[str]:
    """Every file there; what is laid over the copy is not in it."""
    for folder, folders, names in os.walk(place):
        folders[:] = [name for name in folders if name != ".git"]
        here = "" if folder == place else f"{os.path.relpath(folder, place)}/"
        yield from (here + name for name in names if name != ".git")
