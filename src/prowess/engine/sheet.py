"""One skill as `prowess show` tells it: the row of `list`, and all there is to know besides."""

from typing import Any

from prowess.core.execution import read_execution
from prowess.core.skill import text_list
from prowess.discover.agent_skill import instructions
from prowess.discover.catalog import Catalog
from prowess.discover.dependencies import closure
from prowess.discover.resources import instructions_text, resources


def sheet(catalog: Catalog, name: str) -> dict[str, Any]:
    """As JSON; raises `UnknownSkillError` when there is no such skill."""
    skill = catalog.get(name)
    needs = closure([name], catalog.skills)
    settings, _ = read_execution(skill.fields)
    text = instructions_text(skill)
    return {
        **skill.as_json(),
        "files": list(skill.files),
        "fields": dict(skill.header),
        "settings": settings.as_json(),
        "allowed_tools": None if skill.allowed_tools is None else list(skill.allowed_tools),
        "disallowed_tools": list(skill.disallowed_tools),
        "model_may_invoke": skill.model_may_invoke,
        "user_may_invoke": skill.user_may_invoke,
        "roles": list(skill.assign_to),
        "capabilities": list(text_list(skill.fields.get("capabilities"))),
        "dependencies": [each.name for each in needs.skills if each.name != name],
        "missing": [needed for _, needed in needs.missing],
        "cycles": [list(cycle) for cycle in needs.cycles],
        "resources": [resource.as_json() for resource in resources(skill)],
        "problems": [problem.as_json() for problem in catalog.problems_by_skill[name]],
        "shadowed": [each.as_json() for each in catalog.shadowed if each.name == name],
        "instructions": instructions(text) if skill.files[0].lower() == "skill.md" else text,
    }
