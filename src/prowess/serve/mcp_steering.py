"""Tools that change how a run goes on: cancel, pause, resume, fork."""

from typing import Any

from prowess.permit.visibility import Role
from prowess.serve import steering
from prowess.serve.mcp_facts import RUN, views_of
from prowess.serve.mcp_own import Own, Returned, number, text
from prowess.serve.mcp_visit import ToolCall, told


def _steering_tool(name: str, about: str, work: Any) -> Own:
    async def called(call: ToolCall) -> Returned:
        house, views = await call.visit.premises.house(), await views_of(call.visit)
        return told(await work(house, views, call.arguments["run"]))

    return Own(
        name=f"prowess_run_{name}",
        about=about,
        properties={"run": RUN},
        needs=("run",),
        work=called,
    )


async def _fork(call: ToolCall) -> Returned:
    visit, given = call.visit, call.arguments
    forked = await steering.fork(
        await visit.premises.house(),
        await views_of(visit),
        given["run"],
        iteration=given.get("iteration"),
        step=given.get("step"),
        user=visit.user,
        hurries=visit.may(Role.DEVELOPER),
    )
    return told(forked)


TOOLS = (
    _steering_tool("cancel", "Stop a run for good.", steering.cancel),
    _steering_tool(
        "pause", "Stop a run where it is; `prowess_run_resume` goes on with it.", steering.pause
    ),
    _steering_tool(
        "resume", "Go on with a run that was paused, or whose process ended.", steering.resume
    ),
    Own(
        name="prowess_run_fork",
        about="Try again from an iteration of a skill's run or a step of a workflow's, as a run of its own.",
        properties={
            "run": RUN,
            "iteration": number(
                "The ways part at the beginning of this iteration of a skill.", most=1_000_000
            ),
            "step": {**text("Or at this step of a workflow."), "minLength": 1, "maxLength": 200},
        },
        needs=("run",),
        work=_fork,
    ),
)
