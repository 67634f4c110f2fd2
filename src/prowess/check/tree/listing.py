"""
What git tells of a work tree, read: sections of names, changes, what is ignored, where links lead.

Names may be any bytes but NUL, so everything is told between NULs.
"""

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from prowess.check.judges.deciding import may_judge
from prowess.check.tree.objects import Listed
from prowess.core.evidence import Change

_LINK, _SUBMODULE = "120000", "160000"
_SECTIONS = 7
_IN_A_FOLDER = 2_000  # files


def sections_of(out: bytes) -> list[list[str]]:
    sections: list[list[str]] = [[]]
    for each in os.fsdecode(out).split("\0")[:-1]:
        if each:
            sections[-1].append(each)
        else:
            sections.append([])
    return [*sections, *([[]] * (_SECTIONS - len(sections)))][:_SECTIONS]


def changes_in(fields: Sequence[str]) -> Iterator[tuple[Change, str]]:
    """`:old-mode new-mode old-object new-object status`, then the path; the object of a link beside it."""
    for head, path in zip(fields[::2], fields[1::2], strict=True):
        old, new, before, after, status = head[1:].split(" ")
        link = new == _LINK
        inside = _SUBMODULE == old == new and before == after  # as git's short format says it: m
        change = Change(
            path=path,
            status="m" if inside else status[0],
            link="" if link else None,
            submodule=_SUBMODULE in (old, new),
        )
        yield change, after if link and after.strip("0") else ""


def hidden_code(ignored: Sequence[str], of_old: Sequence[str], tracked: Sequence[str]) -> list[str]:
    """Ignored files that the rules of the base do not ignore, and that somebody may gain by hiding."""
    old = set(of_old)
    new = dict.fromkeys(path for path in ignored if path not in old)
    places = [path.removesuffix("pyvenv.cfg") for path in new if path.endswith("/pyvenv.cfg")]
    # Test runners pass over a virtual environment, whatever it is called.
    environments = tuple(
        place for place in places if not any(path.startswith(place) for path in tracked)
    )
    found = [path for path in new if not path.startswith(environments)]
    return [path for path in found if may_judge(path) or path.rpartition("/")[2] == ".gitignore"]


def led_to(path: str, target: str, there: Mapping[str, Listed]) -> dict[str, Listed]:
    """What a link leads to in the same commit, by the names that it has behind the link."""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if place in there:
        return {} if there[place].is_link else {path: there[place]}
    inside = [each for each in there if each.startswith(f"{place}/") and not there[each].is_link]
    if len(inside) > _IN_A_FOLDER:
        return {}
    return {f"{path}{each[len(place) :]}": there[each] for each in inside}


def with_twins(changes: list[Change], tracked: Sequence[str]) -> list[Change]:
    gone = {each.path for each in changes if each.status == "D"}
    known = {path.casefold(): path for path in tracked if path not in gone}
    return [
        replace(each, twin=twin)
        if each.status in ("A", "?")
        and (twin := known.get(each.path.casefold(), each.path)) != each.path
        else each
        for each in changes
    ]
