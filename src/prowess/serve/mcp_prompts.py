"""
Every skill that a person may invoke, as a prompt: its text with the arguments filled in.

A prompt only loads; nothing in it is run. A workflow has no text to follow, so its prompt asks for
its tool.
"""

import getpass
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from prowess.core.errors import UnknownSkillError
from prowess.core.skill import Skill
from prowess.serve.mcp_schemas import one_text, properties
from prowess.serve.mcp_visit import Visit


def listed(visit: Visit) -> Iterator[Prompt]:
    for skill in visit.premises.catalog().skills.values():
        if skill.user_may_invoke:
            yield Prompt(
                name=skill.name,
                title=skill.title,
                description=skill.description,
                arguments=[
                    PromptArgument(name=name, description=made.get("description"))
                    for name, made in properties(skill).items()
                ],
            )


def get(visit: Visit, name: str, given: Mapping[str, str]) -> GetPromptResult:
    skill = visit.premises.catalog().get(name)
    if not skill.user_may_invoke:
        raise UnknownSkillError(f"{name} is for models only")
    said = _asking(skill, given) if skill.format == "workflow" else _loaded(visit, skill, given)
    message = PromptMessage(role="user", content=TextContent(text=said))
    return GetPromptResult(description=skill.description, messages=[message])


def _loaded(visit: Visit, skill: Skill, given: Mapping[str, str]) -> str:
    from prowess.discover.agent_skill import instructions
    from prowess.discover.resources import instructions_text
    from prowess.prompt.read import read_form
    from prowess.prompt.variables import fill_instructions, values_for

    said = instructions(instructions_text(skill))
    values = values_for(
        skill,
        said,
        arguments=one_text(skill, given),
        workspace=visit.premises.workspace,
        user=getpass.getuser(),
        date=datetime.now(UTC).astimezone().date().isoformat(),
    )
    return read_form(skill, fill_instructions(said, values).text)


def _asking(skill: Skill, given: Mapping[str, str]) -> str:
    known = f" with {json.dumps(dict(given), ensure_ascii=False)}" if given else ""
    return (
        f"Call the tool `{skill.name}`{known}. It is a workflow: {skill.description}\n"
        "Show what it returns. What it asks is for the person to answer, not for you."
    )
