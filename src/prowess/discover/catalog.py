"""
The catalog: every usable skill by name, what stands in its shadow, and every problem.

A catalog is one unchanging picture. Looking again gives a new one; whoever holds the old one
is not disturbed.
"""

import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from prowess.core.errors import UnknownSkillError
from prowess.core.skill import Problem, Shadowed, Skill
from prowess.discover import dependencies, index
from prowess.discover.index import (
    DESCRIPTION,
    FILES,
    FORMAT,
    HEADER,
    NAME,
    NEEDY,
    PLAIN,
    PROBLEMS,
    SETTLED,
    STATE,
    Row,
    Rows,
)
from prowess.discover.roots import Root
from prowess.discover.scan import DEFINITIONS, Scan, scan

_ALONE = ("SKILL.md",)  # one tuple for the many skills that are nothing else


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """`skills` in search order, then as the walk met them. `failed` names the folders that gave no skill, and why."""

    skills: Mapping[str, Skill]
    problems: tuple[Problem, ...] = ()
    shadowed: tuple[Shadowed, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    roots: tuple[Root, ...] = ()

    def get(self, name: str) -> Skill:
        """The skill called `name`, or an error that offers the nearest names."""
        try:
            return self.skills[name]
        except KeyError:
            hint = self.near(name) or "`prowess list` shows what there is"
            raise UnknownSkillError(f"no skill named {name!r}", hint=hint) from None

    def near(self, name: str) -> str:
        """A question that offers the names most like `name`; empty when none is."""
        import difflib

        for skill in self.skills.values():
            if os.path.basename(skill.path) == name:
                return f"did you mean {skill.name!r}? Its folder is called {name}."
        near = difflib.get_close_matches(name, self.skills, n=3, cutoff=0.6)
        return "did you mean " + " or ".join(repr(each) for each in near) + "?" if near else ""

    @cached_property
    def problems_by_skill(self) -> Mapping[str, tuple[Problem, ...]]:
        """Each skill's own problems by name, those of a definition file that gave nothing to it included."""
        by_folder: dict[str, list[Problem]] = {}
        for problem in self.problems:
            folder, _, file = problem.path.rpartition("/")
            if file in DEFINITIONS:
                by_folder.setdefault(folder, []).append(problem)
        return {skill.name: tuple(by_folder.get(skill.path, ())) for skill in self.skills.values()}


def open_catalog(roots: Sequence[Root], *, index_folder: str | None = None) -> Catalog:
    """Look through `roots` in order. With `index_folder`, what has not changed is not read again."""
    with _no_collecting():
        return _open(roots, index_folder)


def _open(roots: Sequence[Root], index_folder: str | None) -> Catalog:
    scans = []
    for root in roots:
        known = index.load(index_folder, root.path) if index_folder else {}
        found = scan(root.path, known)
        if found.changed and index_folder:
            index.save(index_folder, root.path, found.rows)
        scans.append((root, found))
    return assemble(scans)


def rescan(roots: Sequence[Root], known: Mapping[str, Rows]) -> tuple[Catalog, dict[str, Rows]]:
    """Look again with the rows in hand; for processes that live long enough to keep them."""
    scans = [(root, scan(root.path, known.get(root.path, {}))) for root in roots]
    return assemble(scans), {root.path: found.rows for root, found in scans}


def assemble(scans: Sequence[tuple[Root, Scan]]) -> Catalog:
    """Put the roots together: the first of a name wins, the others are reported."""
    skills: dict[str, Skill] = {}
    problems: list[Problem] = []
    shadowed: list[Shadowed] = []
    failed: list[tuple[str, str]] = []
    needy: list[str] = []
    for root, found in scans:
        problems += found.problems
        for below, row in found.rows.items():
            if row[PROBLEMS]:
                problems += [_problem(parts) for parts in row[PROBLEMS]]
            if row[NAME] is not None:
                skill = _skill(root, below, row)
                winner = skills.setdefault(skill.name, skill)
                if winner is not skill and os.path.realpath(skill.path) != os.path.realpath(
                    winner.path
                ):
                    shadowed.append(Shadowed(name=skill.name, path=skill.path, by=winner.path))
                elif winner is skill and row[NEEDY]:
                    needy.append(skill.name)
            elif row[PROBLEMS]:
                why = next(
                    (message for _, message, level, *_ in row[PROBLEMS] if level == "error"), ""
                )
                failed.append((os.path.basename(below or root.path), why))
    problems += dependencies.problems(needy, skills)
    return Catalog(
        skills=skills,
        problems=tuple(problems),
        shadowed=tuple(shadowed),
        failed=tuple(failed),
        roots=tuple(root for root, _ in scans),
    )


def _skill(root: Root, below: str, row: Row) -> Skill:
    # Filled in at once and not through its frozen __init__, which takes three times as long: this
    # runs for every skill at every start.
    skill = object.__new__(Skill)
    vars(skill).update(
        name=row[NAME],
        description=row[DESCRIPTION],
        format=row[FORMAT] or "skill.md",
        location=root.location,
        path=f"{root.path}/{below}" if below else root.path,
        files=_ALONE if row[FILES] == PLAIN else tuple(row[FILES].split("\n")),
        header=row[HEADER],
        state=row[STATE] if row[SETTLED] else None,
    )
    return skill


def _problem(parts: list[Any]) -> Problem:
    path, message, level, hint, line = parts
    return Problem(path=path, message=message, level=level, hint=hint, line=line)


@contextmanager
def _no_collecting() -> Iterator[None]:
    """Thousands of small values are made and kept; looking for garbage among them finds none."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():  # the new values go straight to the oldest generation
                gc.freeze()
                gc.unfreeze()
            gc.enable()
