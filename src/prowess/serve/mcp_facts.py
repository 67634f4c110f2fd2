"""Tools that tell: which skill fits, what it says, how runs stand."""

import asyncio
from functools import partial
from typing import Any, get_args

from mcp_types import CallToolResult, TextContent

from prowess.core.errors import RefusedError
from prowess.core.run import Kind
from prowess.core.selection import SkillSelection
from prowess.core.skill import Skill
from prowess.permit.visibility import seen
from prowess.serve.mcp_own import Own, Returned, choice, number, text
from prowess.serve.mcp_visit import ToolCall, Visit, told
from prowess.serve.shown import Shown, Views
from prowess.serve.steering import shown

SHOWN = 20  # runs
EVENTS = 100
RUN = text("A run's id.")


def invocable(visit: Visit, name: str) -> Skill:
    """The skill, if a model may use it; what is for people only is theirs."""
    skill = visit.premises.catalog().get(name)
    if not skill.model_may_invoke:
        raise RefusedError(
            f"{name} may be used by a person only", hint="go on without it, or ask the person"
        )
    return skill


async def _match(call: ToolCall) -> Returned:
    premises, given = call.visit.premises, call.arguments

    def chosen() -> SkillSelection:
        return premises.asking().select(
            given["task"], "implementation", record=premises.log.append, limit=given.get("limit")
        )

    return told((await asyncio.to_thread(chosen)).as_json())


async def _read(call: ToolCall) -> Returned:
    from prowess.discover.resources import read_resource
    from prowess.engine import load

    premises, file = call.visit.premises, call.arguments.get("file")
    skill = invocable(call.visit, call.arguments["name"])
    if file:
        said = read_resource(skill, file)
    else:
        log = premises.log
        said = await log.aside(partial(load, [skill], premises.settings, record=log.append))
    return CallToolResult(content=[TextContent(text=said)])


async def _runs(call: ToolCall) -> Returned:
    views = await views_of(call.visit)
    runs, following = await views.page(call.visit.role, **{"limit": SHOWN, **call.arguments})
    return told({"runs": runs, "next": following})


async def _show(call: ToolCall) -> Returned:
    house, views = await call.visit.premises.house(), await views_of(call.visit)
    return told(await shown(house, views, call.arguments["run"], call.visit.role))


async def _events(call: ToolCall) -> Returned:
    visit, given = call.visit, call.arguments
    await (await views_of(visit)).get(given["run"])
    read = partial(_lines, visit, given["run"], given.get("after", 0), given.get("limit", EVENTS))
    return told({"run": given["run"], "events": await visit.premises.log.aside(read)})


def _lines(visit: Visit, run: str, after: int, limit: int) -> list[dict[str, Any]]:
    """Those of the events that this visitor may see."""
    lines: list[dict[str, Any]] = []
    for each in visit.premises.log.run(run, after=after):
        payload = seen(
            each.event.payload,
            kind=each.event.kind,
            role=visit.role,
            rules=visit.premises.visibility,
            known=visit.premises.known,
        )
        if payload is not None:
            lines.append({**payload, "kind": each.event.kind, "seq": each.seq, "at": each.at})
        if len(lines) == limit:
            break
    return lines


async def views_of(visit: Visit) -> Views:
    """Runs as they stand, in the words of REST; the engine knows which of them nobody works on."""
    house, premises = await visit.premises.house(), visit.premises
    return Views(house.log, house.engine, visibility=premises.visibility, known=premises.known)


TOOLS = (
    Own(
        name="prowess_match",
        about="Which skills fit a task, with a score and a reason for each; none when none fits.",
        properties={
            "task": text("The task in plain words."),
            "limit": number("How many at most.", most=50),
        },
        needs=("task",),
        reads_only=True,
        work=_match,
    ),
    Own(
        name="prowess_read",
        about="Read a skill's instructions, or one of its files, to follow them yourself.",
        properties={
            "name": text("A skill's name."),
            "file": text("A supporting file, relative to the skill's folder."),
        },
        needs=("name",),
        reads_only=True,
        work=_read,
    ),
    Own(
        name="prowess_runs",
        about="The newest runs, newest first.",
        properties={
            "limit": number("How many.", most=200),
            "before": text("Only those older than this run: the `next` of the page before."),
            "state": choice(get_args(Shown), "Only those that stand so."),
            "skill": text("Only those of this skill."),
            "kind": choice(get_args(Kind), "Only those of this kind."),
        },
        reads_only=True,
        work=_runs,
    ),
    Own(
        name="prowess_run_show",
        about="One run: how it stands, what it asks, what it answered.",
        properties={"run": RUN},
        needs=("run",),
        reads_only=True,
        work=_show,
    ),
    Own(
        name="prowess_run_events",
        about="What happened in a run, in order.",
        properties={
            "run": RUN,
            "after": number("Only those after this `seq`.", least=0),
            "limit": number("How many at most.", most=500),
        },
        needs=("run",),
        reads_only=True,
        work=_events,
    ),
)
