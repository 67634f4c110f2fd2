"""
What a workflow costs beyond the durable engine it runs on: 1,000 python steps that do nothing.

    .venv/bin/python bench/workflow.py

The first row is the durable engine as its library has it: as many steps that do nothing, kept one by
one in a file of its own, with its settings made as quick as ours. The second is the same through our
own journal, which is many times quicker. The last is a workflow on it: values filled, a function
called in the sandbox, two events a step. The promise is a factor of 2 of the first at most; how it
stands to the second is told as well. Another row tells two events a step and calls nothing, to show
where the rest goes. The rounds take turns, but on a machine with other work they still differ by
more than the factor itself: believe the middle of a quiet one, and look at the CPU time beside it.
"""

import asyncio
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from prowess.core.errors import UsageError
from prowess.core.event import Event
from prowess.core.ports import Body, Engine, Json, Model, Steps
from prowess.core.skill import Skill
from prowess.durable.opening import open_engine
from prowess.engine.finding import discover
from prowess.engine.workflows import KIND, WorkflowRequest, run_workflow_skill
from prowess.engine.world import World, open_sandbox_for
from prowess.observe.log import SqliteLog
from prowess.settings import load_settings

STEPS, ROUNDS = 1_000, 5
Times = tuple[float, ...]  # milliseconds a step, on the clock and of our own CPU time
PROMISED = 2.0


def library(place: str, told: Connection) -> None:
    """The library by itself, in a process of its own because it can be open once; a round for each word."""
    from dbos import DBOS

    from prowess.durable.sqlite import open_sqlite

    @DBOS.step()
    async def nothing() -> None:
        return None

    @DBOS.workflow()
    async def thousand() -> None:
        for _ in range(STEPS):
            await nothing()

    async def rounds() -> None:
        while await asyncio.to_thread(told.recv):
            began = time.perf_counter(), time.process_time()
            await (await DBOS.start_workflow_async(thousand)).get_result()
            ended = time.perf_counter(), time.process_time()
            told.send(a_step(began, ended))

    sql = open_sqlite(place)
    DBOS(
        config={
            "name": "bare",
            "system_database_url": sql.url.render_as_string(),
            "system_database_engine": sql,
            "log_level": "CRITICAL",
        }
    )
    DBOS.launch()
    asyncio.run(rounds())
    DBOS.destroy()


def a_step(began: tuple[float, float], ended: tuple[float, float]) -> Times:
    return tuple(1000 * (end - begin) / STEPS for begin, end in zip(began, ended, strict=True))


async def alone(steps: Steps, request: Mapping[str, Any]) -> Json:
    async def nothing() -> Json:
        return None

    for number in range(STEPS):
        await steps.do(f"s{number}", nothing)
    return None


async def told(steps: Steps, request: Mapping[str, Any], world: World) -> Json:
    async def nothing() -> Json:
        return None

    record = world.recorder(steps.run_id)
    for number in range(STEPS):
        facts = {"summary": f"s{number}", "visibility": "SUMMARY", "step": f"s{number}"}
        record(Event(run=steps.run_id, kind="step.started", payload=facts))
        await steps.do(f"s{number}", nothing)
        record(Event(run=steps.run_id, kind="step.finished", payload=facts))
    return None


def write_workflow(project: Path) -> None:
    folder = project / ".agents" / "skills" / "thousand"
    folder.mkdir(parents=True)
    steps = "".join(f"  - {{id: s{number}, python: 'tool:nothing'}}\n" for number in range(STEPS))
    head = "name: thousand\ndescription: Does nothing, a thousand times.\n"
    (folder / "skill.yaml").write_text(f"{head}steps:\n{steps}")
    (folder / "tool.py").write_text("def nothing():\n    return None\n")


def no_model(name: str | None, skill: Skill | None) -> Model:
    raise UsageError("nothing here needs a model")


def open_world(folder: Path) -> World:
    project = folder / "project"
    write_workflow(project)
    settings = load_settings(project=str(project), data=str(folder / "data"), environment={})
    settings = replace(settings, only_dirs=(str(project / ".agents" / "skills"),))
    log = SqliteLog(settings.log_file)
    sandbox, isolated = open_sandbox_for(settings)
    return World(
        settings=settings,
        catalog=lambda: discover(settings, record=log.append),
        log=log,
        sandbox=sandbox,
        isolated=isolated,
        open_model=no_model,
    )


async def milliseconds(engine: Engine, kind: str, run: str, request: dict[str, Any]) -> Times:
    began = time.perf_counter(), time.process_time()
    await engine.start(kind, run, request)
    result = await engine.result(run)
    ended = time.perf_counter(), time.process_time()
    if result is not None:
        assert result["ending"] == "done", result["reason"]
    return a_step(began, ended)


async def main(folder: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    bare, theirs = spawn.Pipe()
    other = spawn.Process(target=library, args=(str(folder / "bare"), theirs), daemon=True)
    other.start()
    world = open_world(folder)
    request = WorkflowRequest(skill="thousand", workspace=world.settings.project).as_json()
    bodies: dict[str, Body] = {
        "alone": alone,
        "told": partial(told, world=world),
        KIND: partial(run_workflow_skill, world=world),
    }
    took: dict[str, list[Times]] = {kind: [] for kind in ("library", *bodies)}
    async with open_engine(world.settings.engine_file, bodies) as engine:
        for number in range(ROUNDS):
            bare.send("round")
            took["library"].append(await asyncio.to_thread(bare.recv))
            for kind in bodies:
                took[kind].append(await milliseconds(engine, kind, f"{kind}-{number}", request))
    world.log.close()
    bare.send("")
    other.join()
    show(took)


def show(took: Mapping[str, list[Times]]) -> None:
    names = {
        "library": "the durable engine as it comes",
        "alone": "through our journal",
        "told": "with two events a step",
        KIND: "a workflow",
    }
    columns = "clock, middle | clock, best | CPU, middle | CPU, best"
    print(f"| {STEPS} steps that do nothing | {columns} |\n|---|---|---|---|---|")
    base = figures(took["library"])
    for kind, times in took.items():
        pairs = zip(figures(times), base, strict=True)
        cells = [f"{figure:.2f} ms, {figure / of:.2f} x" for figure, of in pairs]
        print(f"| {names[kind]} | {' | '.join(cells)} |")
    flow, own = figures(took[KIND]), figures(took["alone"])
    print(
        f"\nPromised: {PROMISED:.1f} x at most, in the middle. This time: {flow[2] / base[2]:.2f} x of CPU"
        f" time, {flow[0] / base[0]:.2f} x on the clock; {flow[2] / own[2]:.1f} x of our own journal's."
    )


def figures(times: list[Times]) -> list[float]:
    """The middle and the best round, on the clock and then of CPU time."""
    columns = zip(*times, strict=True)
    return [figure for column in columns for figure in (statistics.median(column), min(column))]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        asyncio.run(main(Path(place)))
