"""The strict check of a skill: every rule of its format, and every step of a workflow."""

import os

from prowess.core.errors import ProwessError
from prowess.core.files import decode, read_beneath
from prowess.core.skill import Problem
from prowess.discover.rules import validate

WORKFLOW = "skill.yaml"


def problems_of(folder: str) -> list[Problem]:
    """All that is wrong with one skill's folder, a place that two checks find told once."""
    found = validate(folder)
    path = os.path.join(folder, WORKFLOW)
    if not os.path.isfile(path):
        return found
    from prowess.workflow.check import find_mistakes

    try:
        text = decode(read_beneath(folder, WORKFLOW))
    except ProwessError:
        return found  # told by the rules of its format
    known = {problem.line for problem in found if problem.path == path}
    return found + [
        Problem(path=path, line=each.line, message=each.message, hint=each.hint)
        for each in find_mistakes(
            text, beside=lambda name: os.path.isfile(os.path.join(folder, name))
        )
        if each.line not in known
    ]
