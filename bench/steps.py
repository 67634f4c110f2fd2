"""
What it costs a run to outlive its process: iterations of two steps, kept and not kept.

    .venv/bin/python bench/steps.py

An iteration is a request to the model and a call of a tool, both of which take no time here; its
two events are in the last row. CPU time says what our side costs; the time on the clock has the disk
and everybody else on the machine in it.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from table import Figure, Found, Plot, add_option, write

from prowess.core.event import Event
from prowess.core.ports import Engine, Json, Log, Steps
from prowess.durable.opening import open_engine
from prowess.durable.straight import StraightEngine
from prowess.observe.log import SqliteLog

ITERATIONS, ROUNDS = 200, 5
REPLY = {"text": "x" * 2_000}  # about what a reply and a result are long


async def timed(steps: Steps, request: Mapping[str, Any], log: Log | None = None) -> Json:
    """The milliseconds that each iteration took, of CPU time and on the clock."""

    async def work() -> Json:
        return REPLY

    took = []
    for _ in range(ITERATIONS):
        began = time.thread_time(), time.perf_counter()
        await steps.do("model", work)
        await steps.do("call Write", work, repeatable=request["repeatable"])
        if log:
            for kind in ("model.replied", "call.finished"):
                log.append(Event(run=steps.run_id, kind=kind, payload=REPLY))
        ended = time.thread_time(), time.perf_counter()
        took.append([1000 * (end - begin) for begin, end in zip(began, ended, strict=True)])
    return took


async def rounds(engine: Engine, name: str, *, repeatable: bool = True) -> list[list[float]]:
    took: list[list[float]] = []
    for number in range(ROUNDS):
        run = f"{name} {number}"
        await engine.start("measured", run, {"repeatable": repeatable})
        took += await engine.result(run)
    return took


def show(name: str, took: list[list[float]]) -> float:
    """Print a row; returns the CPU milliseconds."""
    cpu, clock = (float(statistics.median(times)) for times in zip(*took, strict=True))
    print(f"| {name} | {cpu:.2f} | {clock:.2f} |")
    return cpu


async def measure(folder: Path) -> dict[str, float]:
    """The CPU milliseconds of an iteration, by how it is kept."""
    bars = {}
    print("| two steps | CPU ms | on the clock, ms |\n|---|---|---|")
    straight = StraightEngine(bodies={"measured": timed})
    bars["not kept"] = show("not kept", await rounds(straight, "straight"))
    async with open_engine(str(folder / "engine"), {"measured": timed}) as engine:
        bars["kept"] = show("kept", await rounds(engine, "kept"))
        took = await rounds(engine, "doubt", repeatable=False)
        bars["not repeatable"] = show("kept, the call not to be repeated", took)
    log = SqliteLog(str(folder / "log"))

    async def told(steps: Steps, request: Mapping[str, Any]) -> Json:
        return await timed(steps, request, log)

    async with open_engine(str(folder / "engine"), {"measured": told}) as engine:
        bars["with two events"] = show("kept, with two events", await rounds(engine, "told"))
    log.close()
    return bars


def main() -> None:
    parser = argparse.ArgumentParser(description="What it costs a run to outlive its process.")
    add_option(parser)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bars = asyncio.run(measure(Path(folder)))
    two = Figure(name="two durable steps", value=bars["kept"], unit="ms of CPU time")
    events = Figure(
        name="two steps with their events", value=bars["with two events"] / bars["kept"], unit="x"
    )
    plot = Plot(title="An iteration of two steps, kept", unit="ms of CPU time", bars=bars)
    write(given.figures, Found(figures=[two, events], plot=plot))


if __name__ == "__main__":
    main()
