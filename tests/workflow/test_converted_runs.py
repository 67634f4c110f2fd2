"""A converted example gives the same answer and the same files as its original."""

import asyncio
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from prowess.core.ports import Model
from prowess.core.run import Outcome, outcome_from_json
from prowess.core.skill import Skill
from prowess.discover.agent_skill import instructions
from prowess.discover.resources import instructions_text
from prowess.durable.straight import StraightEngine
from prowess.engine import running, workflows
from prowess.engine.finding import discover
from prowess.engine.request import RunRequest
from prowess.engine.world import World, open_sandbox_for
from prowess.model.names import resolve
from prowess.model.providers import open_model
from prowess.observe.log import SqliteLog
from prowess.settings import load_settings
from prowess.workflow.convert import convert

EXAMPLES = Path(__file__).parents[2] / "examples"


def demo(name: str | None, skill: Skill | None) -> Model:
    folder = skill.path if skill else None
    return open_model(resolve("demo"), environment={}, skill_folder=folder)


def run(project: Path, data: Path, name: str, arguments: str, *, converted: bool) -> Outcome:
    """Run an example where it lies, or what it is converted to, put beside it first."""
    settings = load_settings(project=str(project), data=str(data), environment={})
    log = SqliteLog(settings.log_file)
    sandbox, isolated = open_sandbox_for(settings)
    world = World(
        settings=settings,
        catalog=lambda: discover(settings, record=log.append, afresh=True),
        log=log,
        sandbox=sandbox,
        isolated=isolated,
        open_model=demo,
    )
    asked: dict[str, Any] = {
        "skill": name, "arguments": arguments, "workspace": str(project), "date": "2026-11-16",
    }  # fmt: skip
    kind, request = running.KIND, RunRequest(**asked).as_json()
    if converted:
        skill = world.catalog().get(name)
        text = convert(skill, instructions(instructions_text(skill)))
        (Path(skill.path) / "skill.yaml").write_text(text)
        kind, request = workflows.KIND, workflows.WorkflowRequest(**asked).as_json()

    async def go() -> Outcome:
        bodies = {
            running.KIND: partial(running.run_skill, world=world),
            workflows.KIND: partial(workflows.run_workflow_skill, world=world),
        }
        engine = StraightEngine(bodies=bodies)
        await engine.start(kind, "run", request)
        return outcome_from_json(await engine.result("run"))

    try:
        return asyncio.run(go())
    finally:
        log.close()


def files(project: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(project)): path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file() and ".agents" not in path.parts
    }


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("greeting", "Ada Lovelace"),
        ("csv-report", "orders.csv"),
        ("data-visualiser", "visitors.csv"),
        ("api-integration", "create shipments"),
        ("deep-analysis", "Visitors"),
    ],
)
def test_the_converted_example_gives_the_same_answer_and_files(
    name: str, arguments: str, tmp_path: Path, home: Path
) -> None:
    projects = [tmp_path / side / "project" for side in ("original", "converted")]
    outcomes = []
    for project in projects:
        shutil.copytree(EXAMPLES / "data", project)
        shutil.copytree(EXAMPLES / "skills" / name, project / ".agents" / "skills" / name)
        outcomes.append(
            run(project, project.parent / "data", name, arguments, converted=project is projects[1])
        )
    original, converted = outcomes

    assert original.ok, original.reason
    assert converted.ok, converted.reason
    assert converted.answer == original.answer
    assert (converted.iterations, converted.tokens) == (original.iterations, original.tokens)
    assert files(projects[0]).keys() == files(projects[1]).keys()
