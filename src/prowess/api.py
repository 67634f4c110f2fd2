"""
Prowess from Python: one skill run to its end, as `prowess run` does it, and its outcome in hand.

Settings, skills, sandbox and log are those of the command line, so a run that began here can be
looked at, resumed and forked there. For many runs in one process, `open_house` keeps all of it open.
"""

import getpass
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from prowess.core.run import Outcome
from prowess.engine import workflows
from prowess.engine.house import House, new_run, open_house
from prowess.engine.request import RunRequest
from prowess.engine.world import OpenModel
from prowess.settings import Settings, load_settings


async def run(
    skill: str,
    arguments: str = "",
    *,
    given: Mapping[str, Any] | None = None,
    model: str | None = None,
    allow: Sequence[str] = (),
    settings: Settings | None = None,
    open_model: OpenModel | None = None,
) -> Outcome:
    """
    Run a skill or a workflow to its end. It works in the settings' project: without them, here.

    `given` answers a workflow's inputs and questions; nobody is asked. A run that fails is an outcome
    that is not `ok`; what is wrong before it begins (no such skill, no model) is a `ProwessError`.
    """
    chosen = settings or load_settings()
    asked = {
        "skill": skill,
        "arguments": arguments,
        "model": model,
        "allow": tuple(allow),
        **_surroundings(chosen),
    }
    async with open_house(chosen, open_model=open_model) as house:
        if house.world.catalog().get(skill).format == "workflow":
            return await _flow(house, workflows.WorkflowRequest(**asked, given=given or {}))
        request = RunRequest(**asked)
        house.check(request)
        return await house.outcome(await house.start(request))


def _surroundings(settings: Settings) -> dict[str, Any]:
    return {
        "workspace": os.path.realpath(settings.project),
        "user": getpass.getuser(),
        "date": datetime.now(UTC).astimezone().date().isoformat(),
    }


async def _flow(house: House, request: workflows.WorkflowRequest) -> Outcome:
    workflows.check_request(house.world.catalog().get(request.skill), request)
    run = new_run()
    await house.engine.start(workflows.KIND, run, request.as_json())
    return await house.outcome(run)
