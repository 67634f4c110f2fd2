"""
Hot reload: a catalog that stays true while skills come, change and go.

It looks again by comparing the state of the files, as a start with an index does, so it needs no
service of the operating system and works on every file system. Looking costs milliseconds; the
pause between looks grows with the cost, so that a very large catalog never keeps a core busy.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from prowess.core.skill import Problem
from prowess.discover.catalog import Catalog, rescan
from prowess.discover.index import STATE, WATCHED, Rows
from prowess.discover.roots import Root

SHARE = 20  # of the time at most one part in so many goes into looking


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What differs from the look before, by name, and the catalog as it is now."""

    catalog: Catalog
    added: tuple[str, ...]
    removed: tuple[str, ...]
    edited: tuple[str, ...]
    problems: tuple[Problem, ...]  # those that are new


class LiveCatalog:
    """`current` is always a whole catalog; `refresh` replaces it when the disk has changed."""

    def __init__(self, find_roots: Callable[[], Sequence[Root]]) -> None:
        self._find_roots = find_roots  # asked at every look: a whole folder of skills may appear
        self._known: dict[str, Rows] = {}
        self.current, self._known = rescan(find_roots(), {})

    def refresh(self) -> Change | None:
        """Look now; None when all is as it was."""
        before, states = self.current.skills, self._states()
        catalog, self._known = rescan(self._find_roots(), self._known)
        now = self._states()
        if catalog == self.current and now == states:
            return None
        known = set(self.current.problems)
        self.current = catalog
        return Change(
            problems=tuple(problem for problem in catalog.problems if problem not in known),
            catalog=catalog,
            added=tuple(name for name in catalog.skills if name not in before),
            removed=tuple(name for name in before if name not in catalog.skills),
            edited=tuple(
                name
                for name, skill in catalog.skills.items()
                if name in before
                and (skill != before[name] or now[skill.path] != states[skill.path])
            ),
        )

    def _states(self) -> dict[str, int]:
        """The state of each skill's folder by its path: it tells of edits that leave the header as it was."""
        return {
            f"{root}/{below}" if below else root: row[STATE]
            for root, rows in self._known.items()
            for below, row in rows.items()
            if row[WATCHED] != ""
        }

    def reload(self) -> Catalog:
        """Forget what is known and read everything again."""
        self.current, self._known = rescan(self._find_roots(), {})
        return self.current

    def changes(self, *, every: float = 0.5) -> Iterator[Change]:
        """Wait for changes and yield each; the caller stops by leaving the loop."""
        while True:
            began = time.monotonic()
            if change := self.refresh():
                yield change
            time.sleep(max(every, (time.monotonic() - began) * SHARE))
