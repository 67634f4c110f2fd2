"""A workflow whose process is killed, again and again, does no finished step twice."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

KILLS = 3  # bench/workflow_kills.py does 100
STEPS = 12
CHILD = """
import asyncio, sys
from functools import partial
from prowess.durable.opening import open_engine
from prowess.engine.finding import discover
from prowess.engine.workflows import KIND, WorkflowRequest, run_workflow_skill
from prowess.engine.world import World, open_sandbox_for
from prowess.observe.log import SqliteLog
from prowess.settings import load_settings

async def main(project, data, look):
    settings = load_settings(project=project, data=data, environment={})
    log = SqliteLog(settings.log_file)
    sandbox, isolated = open_sandbox_for(settings)
    world = World(settings=settings, catalog=lambda: discover(settings, record=log.append), log=log,
                  sandbox=sandbox, isolated=isolated, open_model=None)
    async with open_engine(settings.engine_file, {KIND: partial(run_workflow_skill, world=world)}) as engine:
        request = WorkflowRequest(skill="w", workspace=project)
        await engine.start(KIND, "r", request.as_json())
        if await engine.state("r") == "interrupted" and not look:
            await engine.resume("r")
        if look:
            print(*await engine.steps("r"))
        else:
            print((await engine.result("r"))["ending"])

asyncio.run(main(*sys.argv[1:3], len(sys.argv) > 3))
"""


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    folder = tmp_path / "killed" / ".agents" / "skills" / "w"
    folder.mkdir(parents=True)
    steps = "".join(
        f"  - {{id: s{number}, command: 'echo s{number} >> done'}}\n" for number in range(STEPS - 2)
    )
    branches = (
        "  - parallel: [{id: p, command: 'echo p >> done'}, {id: q, command: 'echo q >> done'}]\n"
    )
    head = "name: w\ndescription: Is killed.\nsteps:\n"
    (folder / "skill.yaml").write_text(head + steps + branches)
    return folder.parents[2]


def child(project: Path, *look: str) -> "subprocess.Popen[str]":
    data = str(project.parent / "data")
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(project), data, *look],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def output(process: "subprocess.Popen[str]") -> str:
    with process:
        return process.communicate(timeout=120)[0].strip()


def counted(project: Path) -> Counter[str]:
    done = project / "done"
    return Counter(done.read_text().split()) if done.exists() else Counter()


def test_no_finished_step_runs_twice_however_often_it_is_killed(project: Path) -> None:
    finished: dict[str, int] = {}
    chance = random.Random(7)  # noqa: S311
    for _ in range(KILLS):
        before = sum(counted(project).values())
        process = child(project)
        begun = time.monotonic()
        # Somewhere in the middle of its work, never at a fixed place.
        while sum(counted(project).values()) == before and time.monotonic() - begun < 60:
            if process.poll() is not None:
                break
            time.sleep(0.01)
        time.sleep(chance.random() * 0.1)
        with process:
            process.send_signal(signal.SIGKILL)
        kept = set(output(child(project, "look")).split())
        for name, count in counted(project).items():
            if name in kept:
                assert finished.setdefault(name, count) == count

    assert output(child(project)) == "done"

    counts = counted(project)
    assert set(counts) == {*(f"s{number}" for number in range(STEPS - 2)), "p", "q"}
    assert all(counts[name] == count for name, count in finished.items())
    assert all(count <= 1 + KILLS for count in counts.values())
