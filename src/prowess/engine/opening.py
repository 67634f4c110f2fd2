"""
How a run begins: the skill is read once, its commands are run, its variables filled in.

All of it is two steps. What they found is what the run works with to its end, also when the skill
is edited or gone by the time the run goes on after a crash.
"""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from prowess.core.chat import Message
from prowess.core.errors import SkillError
from prowess.core.execution import Execution, read_execution
from prowess.core.ports import Gate, Json
from prowess.core.process import Finished, Order
from prowess.core.skill import Resource, Skill
from prowess.core.verdict import Verdict
from prowess.engine.request import RunRequest
from prowess.engine.world import World
from prowess.prompt.variables import Values


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """
    What the platform allowed when the run began. A run that goes on under other settings keeps to
    these: with others, its replay would go another way.
    """

    permissions: str = "sandbox"
    never: tuple[str, ...] = ()
    isolated: bool = True
    max_iterations: int = 15
    max_retries: int = 3
    seconds: float = 300.0
    max_depth: int = 2


def platform_of(world: World) -> Platform:
    settings = world.settings
    return Platform(
        permissions=settings.permissions_default,
        never=settings.permissions_never,
        isolated=world.isolated,
        max_iterations=settings.run_max_iterations,
        max_retries=settings.run_max_retries_per_tool,
        seconds=settings.run_timeout_per_iteration,
        max_depth=settings.run_max_depth,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A skill, and the platform it runs on, as they were when the run began."""

    skill: Skill
    instructions: str
    resources: tuple[Resource, ...]
    execution: Execution
    model: str | None
    platform: Platform = Platform()


def read_skill(request: RunRequest, world: World) -> Json:
    """The first step: everything the run needs to know of its skill."""
    from prowess.discover.agent_skill import instructions
    from prowess.discover.resources import instructions_text, resources
    from prowess.model.names import choose

    skill = world.catalog().get(request.skill)
    # A linked folder is bound into the sandbox where it really is.
    skill = replace(skill, path=os.path.realpath(skill.path))
    execution, wrong = read_execution(skill.fields)
    if wrong:
        raise SkillError(
            f"{skill.file}: {wrong[0].message}",
            hint=f"{wrong[0].hint}; the skill is not run until it is mended",
        )
    model = choose(
        call=request.model,
        skill=execution.model,
        platform=world.settings.model_default or None,
    )
    return {
        "skill": _skill_as_json(skill),
        "instructions": instructions(instructions_text(skill)),
        "resources": [each.as_json() for each in resources(skill)],
        "execution": execution.as_json(),
        "model": model,
        "platform": asdict(platform_of(world)),
    }


def opened_from_json(value: Mapping[str, Any]) -> Opened:
    return Opened(
        skill=Skill(**{**value["skill"], "files": tuple(value["skill"]["files"])}),
        instructions=value["instructions"],
        resources=tuple(Resource(**each) for each in value["resources"]),
        execution=Execution(**value["execution"]),
        model=value["model"],
        platform=Platform(
            **{**value["platform"], "never": tuple(value["platform"].get("never", ()))}
        ),
    )


def _skill_as_json(skill: Skill) -> Json:
    return {
        "name": skill.name,
        "description": skill.description,
        "format": skill.format,
        "location": skill.location,
        "path": skill.path,
        "files": list(skill.files),
        "header": dict(skill.header),
    }


def values_of(opened: Opened, request: RunRequest, run: str) -> Values:
    from prowess.prompt.variables import values_for

    return values_for(
        opened.skill,
        opened.instructions,
        arguments=request.arguments,
        session_id=run,
        workspace=request.workspace,
        user=request.user,
        date=request.date,
    )


async def injected(
    opened: Opened, request: RunRequest, values: Values, *, world: World, gate: Gate
) -> Json:
    """The second step: commands of the skill run once, variables filled in, in this order."""
    from prowess.core.chat import Call
    from prowess.prompt.commands import fill_commands
    from prowess.prompt.variables import fill_instructions

    def judge(command: str) -> Verdict:
        given = {"command": command}
        return gate(Call(id="", tool="Bash", input=given, values=values.shell_variables))

    async def run(command: str) -> Finished:
        return await world.sandbox.run(
            Order(
                argv=("bash", "-c", command, *values.parameters),
                cwd=request.workspace,
                environment=values.environment,
                writable=(request.workspace,),
                readable=(opened.skill.path,),
                network=world.settings.sandbox_network,
                limits=world.limits,
            )
        )

    done = await fill_commands(opened.instructions, run=run, judge=judge)
    filled = fill_instructions(done.segments, values)
    return {
        "instructions": filled.text,
        "warnings": list(filled.warnings),
        "audit": [each.as_json() for each in done.audit],
    }


def first_messages(
    opened: Opened, instructions: str, request: RunRequest, *, agent: str | None
) -> list[Message]:
    """What the model reads first: who it is and what the skill says, then what is asked."""
    from prowess.prompt.run import run_prompt

    system = run_prompt(
        opened.skill,
        instructions,
        opened.resources,
        mode=opened.execution.mode,
        agent=agent,
    )
    task = request.arguments.strip() or f"Carry out the skill {opened.skill.name}."
    return [Message(role="system", text=system), Message(role="user", text=task)]
