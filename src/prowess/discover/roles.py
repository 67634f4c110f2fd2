"""Which skills a role gets: every one assigned to it, system skills first, with all they depend on."""

from collections.abc import Mapping

from prowess.core.errors import UsageError
from prowess.core.skill import Skill
from prowess.discover.dependencies import Closure, closure

ROLES = ("worker", "orchestrator")


def for_role(role: str, skills: Mapping[str, Skill]) -> Closure:
    """Dependencies stand before what needs them; what is missing is named, and the rest is there."""
    if role not in ROLES:
        raise UsageError(f"there is no role {role!r}", hint=f"use {' or '.join(ROLES)}")
    assigned = [
        skill
        for skill in skills.values()
        if skill.assign_to and not {role, "all"}.isdisjoint(skill.assign_to)
    ]
    assigned.sort(key=lambda skill: (skill.type != "system", skill.name))
    return closure([skill.name for skill in assigned], skills)
