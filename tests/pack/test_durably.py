"""The built-in workflows as runs of the durable engine, shown by each tool through the log alone."""

from functools import partial
from pathlib import Path

import pytest

from players import PLAYERS
from prowess.core.ports import Model
from prowess.core.run import Outcome, outcome_from_json
from prowess.core.skill import Skill
from prowess.core.workflow import Renderer
from prowess.durable.opening import open_engine
from prowess.engine.finding import discover
from prowess.engine.presenting import present
from prowess.engine.workflows import KIND, WorkflowRequest, run_workflow_skill
from prowess.engine.world import World, open_sandbox_for
from prowess.observe.log import SqliteLog
from prowess.settings import load_settings
from support import Cli


def no_model(name: str | None, skill: Skill | None) -> Model:
    raise AssertionError


@pytest.mark.parametrize(
    "by", ["terminal", "markdown", "json", "web", "mcp", "mcp before 2026-07-28"]
)
def test_session_start_walks_through_with_its_board_outside_the_sandbox(
    by: str, cli: Cli, project: Path
) -> None:
    outcomes: list[Outcome] = []

    async def talk(renderer: Renderer) -> str:
        settings = load_settings()
        log = SqliteLog(settings.log_file)
        sandbox, isolated = open_sandbox_for(settings)
        world = World(
            settings=settings,
            catalog=lambda: discover(settings, record=log.append),
            log=log,
            sandbox=sandbox,
            isolated=isolated,
            open_model=no_model,
        )
        request = WorkflowRequest(skill="session-start", workspace=str(project), answers=True)
        try:
            bodies = {KIND: partial(run_workflow_skill, world=world)}
            async with open_engine(settings.engine_file, bodies) as engine:
                await engine.start(KIND, "r1", request.as_json())
                await present(log, engine, "r1", renderer)
                outcomes.append(outcome_from_json(await engine.result("r1")))
        finally:
            log.close()
        return outcomes[0].answer

    PLAYERS[by](talk, ["nobody", "engineer", "Ogun"])

    assert outcomes[0].ok, outcomes[0].reason
    (session,) = cli("session", "list", "--json").json
    assert (session["name"], session["role"]) == ("Ogun", "Engineer")
