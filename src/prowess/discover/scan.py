"""
Walk one root and read what has changed since the last walk.

Category folders are walked; a folder with a definition file is a skill and is not searched
further (the root itself excepted). Links are followed once, limits hold whatever is on disk and
wherever a link leads, and folders are visited by name, so that the same tree gives the same
catalog on every machine.
"""

import os
import stat
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from prowess.core.skill import Problem
from prowess.discover.index import CHILDREN, PLAIN, SETTLED, STATE, WATCHED, Row, Rows

if TYPE_CHECKING:
    from prowess.discover.folder import Found

MAX_DEPTH = 6
MAX_CATEGORIES = 2_000  # folders that hold no skill themselves; the skills are not counted
PASSED_OVER = frozenset((".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv"))
HIDDEN = ".prowess-sync-"  # begins the names of folders that are ours for a moment
DEFINITIONS = frozenset(("SKILL.md", "skill.md", "Skill.md", "manifest.json", "skill.yaml"))
# Beside SKILL.md only these count. One of them is there too where capitals and small letters are one.
_BESIDE = ("skill.md", "manifest.json", "skill.yaml")
# A file changed in the same tick of the clock as our read would look unchanged for ever, so what
# was touched this shortly before the walk is read again the next time.
_TICK, _COARSE_TICK = 50_000_000, 2_000_000_000
VISITED = "this folder was visited before, by another path"
_NOTHING = (None,) * 7  # no problems, no skill


@dataclass(slots=True)
class Scan:
    """The rows of a root in the order of the walk, the walk's own problems, and whether any row is new."""

    rows: Rows
    problems: list[Problem] = field(default_factory=list)
    changed: bool = False


def scan(root: str, known: Rows) -> Scan:
    """`known` are the rows of an earlier walk; those still true are taken over unread."""
    walk = _Walk(root, known)
    walk.run()
    if len(walk.found.rows) != len(known):
        walk.found.changed = True
    return walk.found


def definitions(names: Collection[str]) -> list[str]:
    """The files among `names` that define a skill, in the order in which they speak."""
    chosen = []
    if "SKILL.md" in names:
        chosen.append("SKILL.md")
    if "manifest.json" in names:
        chosen.append("manifest.json")
        if "skill.md" in names:
            chosen.append("skill.md")  # its instructions; read when asked for, watched for changes
    elif not chosen:
        chosen += [name for name in ("Skill.md", "skill.md") if name in names][:1]
    if "skill.yaml" in names:
        chosen.append("skill.yaml")
    return chosen


class _Walk:
    def __init__(self, root: str, known: Rows) -> None:
        self.found = Scan({})
        self._root = root
        self._known = known
        self._categories = 0
        self._behind = self._told_of = ""  # the link that led to where the walk is
        self._now = time.time_ns()

    def run(self) -> None:
        """Walk the root, which is opened once: from there the kernel finds each folder in a step or two."""
        try:
            opened = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            self._cannot_enter(self._root, error)
            return
        try:
            self._walk(opened)
        finally:
            os.close(opened)

    def _walk(self, opened: int) -> None:
        """Depth first and by name. One loop, because it runs for every folder at every start."""
        rows, known_row, status_of = self.found.rows, self._known.get, os.stat
        waiting: list[tuple[str, int]] = [("", 0)]
        links: list[tuple[str, int]] = []
        visited: list[
            int
        ] = []  # inodes; only links can lead where we have been, so they are compared late
        seen: set[int] | None = None
        while waiting or links:
            # Links come when all else is done, so that what is a folder of its own is found as one.
            by_link = not waiting
            below, depth = links.pop(0) if by_link else waiting.pop()
            if by_link:
                self._behind = below
            try:
                status = status_of(below or ".", dir_fd=opened)
                place = status.st_ino ^ status.st_dev << 64
                if by_link or seen is not None:
                    if not stat.S_ISDIR(status.st_mode):
                        continue  # a link to a plain file
                    seen = seen or set(visited)
                    if place in seen:
                        self._note(self._path(below), VISITED, "remove the link to it")
                        continue
                    seen.add(place)
                row = known_row(below)
                if (
                    row is None
                    or not row[SETTLED]
                    or row[STATE] != _state_on_disk(opened, below, status, row[WATCHED])
                ):
                    row = self._read(opened, below, status)
                    self.found.changed = True
                visited.append(place)
            except OSError as error:
                self._cannot_enter(self._path(below), error)
                continue
            rows[below] = row
            if row[CHILDREN] is not None and self._may_descend(below, depth, row[CHILDREN]):
                start = f"{below}/" if below else ""
                folders, linked = row[CHILDREN]
                waiting += [(start + name, depth + 1) for name in reversed(folders)]
                links += [(start + name, depth + 1) for name in linked]

    def _path(self, below: str) -> str:
        return f"{self._root}/{below}" if below else self._root

    def _may_descend(self, below: str, depth: int, children: list[list[str]]) -> bool:
        if depth >= MAX_DEPTH:
            if any(children):
                self._too_deep(below)
            return False
        self._categories += 1
        if self._categories == MAX_CATEGORIES + 1:
            self._note(
                self._path(self._behind),
                f"more than {MAX_CATEGORIES:,} folders without a skill, the rest is not searched",
                "let the link lead to the skills themselves"
                if self._behind
                else "point `skills_dirs` at the skills themselves",
            )
        return self._categories <= MAX_CATEGORIES

    def _too_deep(self, below: str) -> None:
        """Behind a link it is told once, of the link: it may lead to a tree that is not about skills."""
        if self._behind:
            if self._behind == self._told_of:
                return
            self._told_of = self._behind
        self._note(
            self._path(self._behind or below),
            f"folders more than {MAX_DEPTH} deep are not searched",
            "let the link lead to the skills themselves" if self._behind else "move the skills up",
        )

    def _read(self, opened: int, below: str, status: os.stat_result) -> Row:
        """A new row for a folder that is new or not as it was."""
        path = self._path(below)
        if _is_plain(opened, below):
            chosen = ["SKILL.md"]
        else:
            chosen = definitions(DEFINITIONS.intersection(os.listdir(path)))
        # A manifest alone may be some other program's, so what lies below it is still looked at.
        open_ended = not chosen or chosen == ["manifest.json"] or path == self._root
        children = _folders(path) if open_ended else None
        if not chosen:
            return [_state(status), self._settled(status), "", children, *_NOTHING]
        found = self._read_folder(path, chosen)
        files = [file for file in found.statuses if file is not None]
        settled = len(files) == len(chosen) and self._settled(status, *files)
        problems = [[p.path, p.message, p.level, p.hint, p.line] for p in found.problems] or None
        name, description, format_, definitions_, header = found.skill
        needy = header is not None and "dependencies" in header
        watched = PLAIN if chosen == ["SKILL.md"] else "\n".join(chosen)
        if (format_, definitions_) == ("skill.md", "SKILL.md"):
            format_, definitions_ = PLAIN, PLAIN
        state = _state(status, *files)
        skill = (name, description, format_, definitions_, needy, header)
        return [state, settled, watched, children, problems, *skill]

    @cached_property
    def _read_folder(self) -> "Callable[[str, list[str]], Found]":
        """Imported late, and YAML with it: an unchanged root never needs them."""
        from prowess.discover.folder import read_folder

        return read_folder

    def _settled(self, *statuses: os.stat_result) -> bool:
        """Are all their times old enough that no later change can hide behind the tick of the clock?"""
        for status in statuses:
            tick = _COARSE_TICK if status.st_mtime_ns % 1_000_000_000 == 0 else _TICK
            if status.st_mtime_ns >= self._now - tick:
                return False
        return True

    def _cannot_enter(self, path: str, error: OSError) -> None:
        self._note(path, f"cannot be entered: {error.strerror}", "mend the link or the permissions")

    def _note(self, path: str, message: str, hint: str) -> None:
        self.found.problems.append(Problem(path=path, message=message, hint=hint, level="warning"))


def _is_plain(root: int, below: str) -> bool:
    """Does SKILL.md alone define the folder? To ask for a few names takes half as long as to list them all."""

    def there(name: str) -> bool:
        return os.access(f"{below}/{name}", os.F_OK, dir_fd=root, follow_symlinks=False)

    return below != "" and there("SKILL.md") and not any(map(there, _BESIDE))


def _state_on_disk(root: int, below: str, folder: os.stat_result, watched: str | int) -> int | None:
    """The state now of the folder with this status; None when one of its definition files is gone."""
    here = below or "."
    try:
        if watched == PLAIN:
            return _state(folder, os.stat(f"{here}/SKILL.md", dir_fd=root))
        names = str(watched).split("\n") if watched else ()
        return _state(folder, *[os.stat(f"{here}/{name}", dir_fd=root) for name in names])
    except OSError:
        return None


def _state(folder: os.stat_result, *files: os.stat_result) -> int:
    """
    The folder and its definition files as one number, the same in every process.

    A folder's mtime moves when an entry comes or goes, a file's size and times when it is written.
    """
    state: tuple[int, ...] = (folder.st_mtime_ns, folder.st_ctime_ns, folder.st_ino)
    for file in files:
        state += (file.st_mtime_ns, file.st_ctime_ns, file.st_size, file.st_ino)
    return hash(state)


def _folders(path: str) -> list[list[str]]:
    """The folders in it to visit, and the links that may be folders, each by name."""
    folders, links = [], []
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.name in PASSED_OVER or entry.name.startswith(HIDDEN):
                continue
            if entry.is_symlink():
                links.append(entry.name)
            elif entry.is_dir():
                folders.append(entry.name)
    return [sorted(folders), sorted(links)]
