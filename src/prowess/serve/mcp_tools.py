"""
The tools: first those of the server itself, then every skill that a model may call.

A skill's tool has the skill's name, as everything else about it has. Where a name is ours, or is
none that clients take for a tool's, the skill is reached through `prowess_run`.
"""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, Tool, ToolAnnotations

from prowess.core.errors import ProwessError, RefusedError
from prowess.core.skill import Skill
from prowess.serve import mcp_board, mcp_facts, mcp_steering
from prowess.serve.mcp_own import Own, Returned, text
from prowess.serve.mcp_runs import Runs
from prowess.serve.mcp_schemas import WHOLE, can_be_tool, checked, schema
from prowess.serve.mcp_visit import ToolCall, Visit, refused, told


class Tools:
    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        own = (*mcp_facts.TOOLS, *mcp_steering.TOOLS, *self._running(), *mcp_board.TOOLS)
        self._own = {each.name: each for each in own}

    def listed(self, visit: Visit) -> Iterator[Tool]:
        yield from (each.card() for each in self._own.values())
        for skill in visit.premises.catalog().skills.values():
            if can_be_tool(skill) and skill.name not in self._own:
                yield _card(skill)

    async def call(self, call: ToolCall) -> Returned:
        """What goes wrong is told to the model; what it changed, or was not let, is kept for admins."""
        own, what = self._own.get(call.params.name), f"MCP {call.params.name}"
        try:
            returned = await self._done(call, own)
        except ProwessError as error:
            if isinstance(error, RefusedError):
                await call.visit.audit("refused", what)
            return refused(error)
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True):  # what it began may go on without it
                await self._changed(call, own, what)
            raise
        await self._changed(call, own, what)
        return returned

    async def _done(self, call: ToolCall, own: Own | None) -> Returned:
        """A tool that is not there is the client's mistake."""
        if own:
            call.visit.must_be(own.least)
            return await own.work(call.with_arguments(checked(own.schema, call.arguments)))
        skill = call.visit.premises.catalog().skills.get(call.params.name)
        if skill is None or not can_be_tool(skill):
            raise MCPError(INVALID_PARAMS, f"there is no tool {call.params.name!r}")
        return await self._run(call, skill, checked(schema(skill), call.arguments))

    async def _changed(self, call: ToolCall, own: Own | None, what: str) -> None:
        if own is None or not own.reads_only:
            await call.visit.audit("changed", what)

    async def _run(self, call: ToolCall, skill: Skill, given: Mapping[str, Any]) -> Returned:
        if call.params.request_state:
            run = await self._runs.go_on(call, skill)
        else:
            run = await self._runs.start(call.visit, skill, given)
        return await self._runs.follow(call, run)

    async def _run_named(self, call: ToolCall) -> Returned:
        skill = mcp_facts.invocable(call.visit, call.arguments["skill"])
        given = call.arguments.get("inputs") or {}
        if WHOLE in call.arguments:
            given = {**given, WHOLE: call.arguments[WHOLE]}
        given = checked(schema(skill), given)
        if call.arguments.get("wait", True):
            return await self._run(call, skill, given)
        return told({"run": await self._runs.start(call.visit, skill, given)})

    def _running(self) -> tuple[Own, ...]:
        return (
            Own(
                name="prowess_run",
                about="Run any skill by its name to its end, and return its answer.",
                properties={
                    "skill": text("A skill's name."),
                    WHOLE: text("What the skill is to do."),
                    "inputs": {"type": "object", "description": "What it takes by name."},
                    "wait": {
                        "type": "boolean",
                        "description": "False returns at once; `prowess_run_show` tells the rest.",
                    },
                },
                needs=("skill",),
                work=self._run_named,
            ),
            Own(
                name="answer",
                about="Answer the question that a run waits with, and wait for what comes next.",
                properties={
                    "run": text("The run that asks."),
                    "answer": text("What the person answers."),
                },
                needs=("run", "answer"),
                work=self._runs.answer,
            ),
        )


def _card(skill: Skill) -> Tool:
    about = f"{skill.description} {skill.when_to_use}".strip()
    return Tool(
        name=skill.name,
        title=skill.title,
        description=about,
        input_schema=schema(skill),
        annotations=ToolAnnotations(read_only_hint=False, open_world_hint=False),
    )
