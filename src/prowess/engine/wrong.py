"""
What is wrong with all skills together, as every command counts it.

A plain list asks too, so nothing that checks workflows is loaded before there is one to be checked.
"""

import os
from collections.abc import Collection, Iterable, Iterator
from functools import partial

from prowess.core.errors import ProwessError
from prowess.core.skill import Problem, Skill
from prowess.discover.catalog import Catalog
from prowess.settings.fields import PACK

WORKFLOW = "skill.yaml"


def everything_wrong(catalog: Catalog) -> tuple[Problem, ...]:
    """The problems that discovery found, and those that keep workflows from running."""
    found = catalog.problems
    return (*found, *workflow_problems(catalog.skills.values(), found))


def workflow_problems(skills: Iterable[Skill], found: Collection[Problem]) -> list[Problem]:
    """
    What keeps workflows from running: to be quick, discovery `found` only what is wrong in their heads.

    Those of the package are passed over, as our own tests hold them to be right.
    """
    return [
        problem
        for skill in skills
        if skill.format == "workflow" and os.path.dirname(skill.path) != PACK
        for problem in of_workflow(skill.path, found)
    ]


def broken_workflows(skills: Iterable[Skill], found: Iterable[Problem]) -> list[str]:
    """The workflows that are found and cannot be run, by what was `found` wrong."""
    errors = {problem.path for problem in found if problem.level == "error"}
    return [
        skill.name
        for skill in skills
        if skill.format == "workflow" and os.path.join(skill.path, WORKFLOW) in errors
    ]


def of_workflow(folder: str, found: Collection[Problem]) -> Iterator[Problem]:
    """The mistakes of its steps, but not at a place where something was found already."""
    if (text := text_of(folder, WORKFLOW)) is None:
        return
    from prowess.workflow.check import find_mistakes

    path = os.path.join(folder, WORKFLOW)
    known = {problem.line for problem in found if problem.path == path}
    for each in find_mistakes(text, beside=partial(lies_beside, folder)):
        if each.line not in known:
            yield Problem(
                path=path,
                line=each.line,
                column=each.column,
                message=each.message,
                hint=each.hint,
            )


def lies_beside(folder: str, name: str) -> bool:
    """Whether a workflow can use a file of its folder: one that lies elsewhere is not there for it."""
    return _read(folder, name) is not None


def text_of(folder: str, name: str) -> str | None:
    """None when it is not there, or cannot be read: that is told by the rules of its format."""
    data = _read(folder, name)
    if data is None:
        return None
    from prowess.core.files import decode

    try:
        return decode(data)
    except ProwessError:
        return None


def _read(folder: str, name: str) -> bytes | None:
    if not os.path.isfile(os.path.join(folder, name)):
        return None
    from prowess.core.files import read_beneath

    try:
        return read_beneath(folder, name)
    except ProwessError:
        return None
