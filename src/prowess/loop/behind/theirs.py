"""
What a person has git ignore when work at a task begins: theirs, whatever becomes of the rules.

An agent can drop a line of `.gitignore` by mistake, and a command can remove the file. What was ignored
until then are secrets, notes and installed programs. So it is listed before an agent is at work, and
is left where it is: no commit and no branch of the loop holds it, and nothing takes it away.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

_MOST = 2_000  # files that are listed each by its name; of more than that the folders are


@dataclass(slots=True)
class Theirs:
    """
    The paths; a folder ends in a slash and stands for all that is in it, and `names` are they without
    it. `told` has been warned of.
    """

    paths: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    told: set[str] = field(default_factory=set)
    _above: frozenset[str] = frozenset()

    def begin(self, paths: Iterable[str]) -> None:
        """From now on it is these."""
        self.paths = frozenset(paths)
        self.names = frozenset(path.rstrip("/") for path in self.paths)
        self._above = frozenset(above for path in self.names for above in _folders(path))

    def but(self, tracked: Iterable[str]) -> list[str]:
        """Those that have nothing to do with what git keeps, in order."""
        taken = {self.named(path) for path in tracked}
        return sorted(path for path in self.paths if taken.isdisjoint(_with_folders(path)))

    def holds(self, path: str) -> bool:
        return bool(self.named(path))

    def named(self, path: str) -> str:
        """
        The path of theirs that this one is, is in, or would be in the place of; empty if it is none of
        these. Git has no qualms about an ignored file where a folder comes, or the other way round.
        """
        bare = path.rstrip("/")
        if bare in self._above:
            return bare
        return next((each for each in _with_folders(bare) if each in self.names), "")


def by_name(folder: str, paths: Iterable[str]) -> list[str]:
    """
    The files in these folders, so that what is new beside them can be told from them; a folder stays
    one where they are very many.
    """
    found: list[str] = []
    for path in sorted(paths):
        inside = _files(folder, path, most=_MOST - len(found)) if path.endswith("/") else None
        found += [path] if inside is None else inside
    return found


def _files(folder: str, path: str, *, most: int) -> list[str] | None:
    """None where they are more; a repository inside is told as one."""
    found: list[str] = []
    for place, folders, files in os.walk(os.path.join(folder, path)):
        here = os.path.relpath(place, folder)
        if ".git" in (*folders, *files):
            found.append(f"{here}/")
            folders.clear()
            continue
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        found += [f"{here}/{name}" for name in (*files, *links)]
        if len(found) > most:
            return None
    return found


def _with_folders(path: str) -> list[str]:
    return [path.rstrip("/"), *_folders(path.rstrip("/"))]


def _folders(path: str) -> list[str]:
    """The folders that a path is in, the innermost first."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]
