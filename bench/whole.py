"""
The whole of it at once: runs of all kinds, four at a time, under kills and faults, watched by readers.

    .venv/bin/python bench/whole.py                 200 runs, some minutes
    .venv/bin/python bench/whole.py --runs 12       a quick look

Four processes work off skills, sub-agents, workflows and loops on one database (`bench/mixed.py`); each
is killed at random moments and begun anew until all its works have ended. Meanwhile a real
`prowess serve` on the same database is read by pages that follow everything, lose their connection now
and then, and ask for runs as a dashboard does. In the end:

- every work has ended as it should, with what it had to make;
- every reader was told the end of every run, nothing twice and all in order;
- the event log passes `observe/integrity.py`, and no run is open;
- the server holds no more memory for the second half of the runs than it should;
- no process, no work tree and no temporary file is left.

The exit code is 1 when one of these is not so. `--seed` repeats a choice; moments are never exact.
"""

import argparse
import asyncio
import json
import os
import random
import shlex
import statistics
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit

from mixed import kind_of, lay, lay_skills, name_of, settings_of, wrong_with
from table import Figure, Found, Plot, add_option, print_table, target_table, write

from prowess.core.scratch import clear_left
from prowess.observe.integrity import Examined, examine
from prowess.observe.log import SqliteLog

HERE = Path(__file__).parent
HANDS, READERS = 4, 3
LIFE = (1.0, 8.0)  # seconds at work after which a hand is killed
FIRST = (0.05, 0.4)  # and of its first life, so that few works are interrupted too
PATIENCE = 180.0  # seconds in which a hand must end a work, or say that it is ready
GROWTH = 64.0  # KB a run that the server may grow by while it has readers
MANY = 100  # runs, below which that says nothing: the server is still warming up
SETTLED = 30.0  # seconds for what is dead to be gone, and for what is told to arrive


@dataclass
class Tally:
    """What was seen, and what was wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    endings: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    memory: list[tuple[int, float]] = field(
        default_factory=list
    )  # runs ended, and MB of the server


# ── The hands ────────────────────────────────────────────────────────────────────────────────────


async def work_through(
    folder: Path, runs: Sequence[str], tally: Tally, chance: random.Random
) -> None:
    """One life after another until every one of these works has ended."""
    life = FIRST
    while left := [run for run in runs if run not in tally.endings]:
        seed = str(chance.randrange(10**6))
        hand = await asyncio.create_subprocess_exec(
            sys.executable, HERE / "mixed.py", folder, seed, *left,
            stdout=PIPE, stderr=PIPE, env=environment(folder),
        )  # fmt: skip
        killed = await _live(hand, tally, chance.uniform(*life))
        life = LIFE
        _, told = await hand.communicate()
        tally.counts["kills"] += killed
        if hand.returncode not in (0, -9):
            raise RuntimeError(f"a hand failed: {told.decode()[-2000:]}")


async def _live(hand: Process, tally: Tally, seconds: float) -> bool:
    """Note what has ended until the hand ends or is killed; true when it was killed."""
    assert hand.stdout
    ready = await asyncio.wait_for(hand.stdout.readline(), PATIENCE)
    if ready != b"ready\n":
        return False
    until = time.monotonic() + seconds
    while True:
        try:
            line = await asyncio.wait_for(hand.stdout.readline(), until - time.monotonic())
        except TimeoutError:
            hand.kill()
            return True
        if not line:
            return False
        run, ending, reason = shlex.split(line.decode())
        tally.endings[run] = ending
        if ending != "done":
            tally.wrong.append(f"{run} ended {ending}: {reason}")


def environment(folder: Path) -> dict[str, str]:
    """Temporary files go where they are counted; nothing of this machine's own settings gets in."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")}


# ── The server and its readers ───────────────────────────────────────────────────────────────────


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[Process, int]]:
    settings = settings_of(folder)
    words = ["--project", settings.project, "--data", settings.data, "--dir", *settings.only_dirs]
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "prowess", "serve", "--port", "0", "--json", *words,
        stdout=PIPE, env=environment(folder),
    )  # fmt: skip
    try:
        assert server.stdout
        told = await asyncio.wait_for(server.stdout.readline(), PATIENCE)
        yield server, urlsplit(json.loads(told)["address"]).port or 0
    finally:
        if server.returncode is None:
            server.terminate()
        await asyncio.wait_for(server.wait(), PATIENCE)


@dataclass
class Reader:
    """A page that follows everything and comes back where it was when its connection is gone."""

    port: int
    chance: random.Random
    last: int = 0
    lives: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    async def read(self) -> None:
        while True:
            self.lives += 1
            with suppress(TimeoutError):
                async with asyncio.timeout(self.chance.uniform(2, 10)):
                    await self._stream()

    async def _stream(self) -> None:
        async with asking(self.port, "/api/events", f"Last-Event-ID: {self.last}") as lines:
            number = 0
            async for line in lines:
                if line.startswith(b"id: "):
                    number = int(line[4:])
                elif line.startswith(b"data: "):
                    self._told(number, json.loads(line[6:]))

    def _told(self, number: int, event: dict[str, str]) -> None:
        if number <= self.last:
            self.wrong.append(f"a reader was told event {number} after {self.last}")
        self.last = number
        if event["kind"] == "run.finished":
            self.ended[event["run"]] += 1


async def browse(port: int, chance: random.Random, tally: Tally) -> None:
    """What a dashboard asks for while somebody looks at it."""
    while True:
        for path in ("/api/runs", "/api/stats", "/"):
            async with asking(port, path, "Connection: close") as lines:
                tally.counts["pages"] += len([line async for line in lines]) > 1
        await asyncio.sleep(chance.uniform(0.2, 1.0))


@asynccontextmanager
async def asking(port: int, path: str, header: str) -> AsyncIterator[AsyncIterator[bytes]]:
    """The lines of an answer. Sizes of chunks are lines too, and nobody here looks at them."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**22)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{header}\r\n\r\n".encode())

        async def lines() -> AsyncIterator[bytes]:
            while line := await reader.readline():
                yield line

        yield lines()
    finally:
        writer.close()


async def weigh(server: Process, tally: Tally) -> None:
    while True:
        tally.memory.append((len(tally.endings), resident(server.pid)))
        await asyncio.sleep(0.5)


def resident(process: int) -> float:
    """Megabytes of memory that a process holds."""
    pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


def growth(memory: Sequence[tuple[int, float]]) -> float:
    """KB a run by which the server grew over the second half of the runs; the first warms it up."""
    late = memory[len(memory) // 2 :]
    if len({ended for ended, _ in late}) < 2:
        return 0.0
    slope, _ = statistics.linear_regression(*zip(*late, strict=True))
    return 1024 * slope


# ── The whole ────────────────────────────────────────────────────────────────────────────────────


async def everything(folder: Path, runs: Sequence[str], chance: random.Random) -> Tally:
    tally = Tally()
    async with serving(folder) as (server, port):
        readers = [Reader(port, random.Random(chance.random())) for _ in range(READERS)]
        watching = [
            asyncio.create_task(work)
            for work in (
                *(reader.read() for reader in readers),
                browse(port, chance, tally),
                weigh(server, tally),
            )
        ]
        try:
            async with asyncio.TaskGroup() as hands:
                for hand in range(HANDS):
                    own = random.Random(chance.random())
                    hands.create_task(work_through(folder, runs[hand::HANDS], tally, own))
            await _all_told(readers, runs)
        finally:
            for task in watching:
                task.cancel()
            ended = await asyncio.gather(*watching, return_exceptions=True)
        tally.wrong += [
            f"a watcher failed: {each!r}"
            for each in ended
            if not isinstance(each, asyncio.CancelledError)
        ]
    for reader in readers:
        tally.counts["connections of readers"] += reader.lives
        tally.wrong += reader.wrong
        tally.wrong += [
            f"a reader was not told once: {run}" for run in runs if reader.ended[run] != 1
        ]
    return tally


async def _all_told(readers: Sequence[Reader], runs: Sequence[str]) -> None:
    for _ in range(int(10 * SETTLED)):
        if all(reader.ended[run] for reader in readers for run in runs):
            return
        await asyncio.sleep(0.1)


def examined(folder: Path, tally: Tally) -> Examined:
    with closing(SqliteLog(settings_of(folder).log_file)) as log:
        found = examine(log)
    tally.wrong += [f"the log: {flaw.run}: {flaw.what}" for flaw in found.flaws]
    tally.wrong += [f"the log: {run} is open" for run in found.open]
    return found


def left_behind(folder: Path) -> list[str]:
    """Processes that have to do with this folder, and temporary files."""
    until = time.monotonic() + SETTLED
    while (alive := [*_processes(folder)]) and time.monotonic() < until:
        time.sleep(0.1)
    with patch.object(tempfile, "tempdir", str(folder / "tmp")):
        for kind in ("agent", "index", "check"):  # of the killed; the next run would clear them
            clear_left(kind)
    return [*alive, *(f"temporary file {path.name}" for path in (folder / "tmp").iterdir())]


def _processes(folder: Path) -> Iterator[str]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with suppress(OSError):
                words = (entry / "cmdline").read_bytes()
                if str(folder).encode() in words + (entry / "environ").read_bytes():
                    yield f"process {entry.name}: {words.replace(bytes(1), b' ')[:120].decode()}"


def found_of(runs: Sequence[str], tally: Tally, log: Examined, left: Sequence[str]) -> Found:
    kinds = Counter(kind_of(run) for run, ending in tally.endings.items() if ending == "done")
    right = Figure(name="ended right", value=kinds.total(), unit="runs", at_least=len(runs))
    flat = GROWTH if len(runs) >= MANY else None
    return Found(
        figures=[
            right,
            Figure(name="kills", value=tally.counts["kills"]),
            Figure(name="events", value=log.events),
            Figure(name="flaws of the log", value=len(log.flaws), at_most=0),
            Figure(
                name="the server grew by",
                value=growth(tally.memory),
                unit="KB a run",
                at_most=flat,
            ),
            Figure(name="connections of readers", value=tally.counts["connections of readers"]),
            Figure(name="pages read", value=tally.counts["pages"]),
            Figure(name="left behind", value=len(left), at_most=0),
            Figure(name="wrong in all", value=len(tally.wrong), at_most=0),
        ],
        plot=Plot(title="Ended right, by kind", unit="runs", bars=dict(kinds)),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Everything at once, under kills and faults.")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    add_option(parser)
    given = parser.parse_args()
    runs = [name_of(number) for number in range(given.runs)]
    with tempfile.TemporaryDirectory(prefix="prowess-whole-") as place:
        folder = Path(place).resolve()
        for name in ("home", "tmp"):
            (folder / name).mkdir()
        lay_skills(folder)
        for run in runs:
            lay(folder, run)
        tally = asyncio.run(everything(folder, runs, random.Random(given.seed)))
        log, left = examined(folder, tally), left_behind(folder)
        tally.wrong += [*left, *filter(None, (wrong_with(folder, run) for run in runs))]
    found = found_of(runs, tally, log, left)
    print(f"{given.runs} runs, {HANDS} at a time, seed {given.seed}\n")
    print_table(*target_table(found.figures))
    print("".join(f"\n- {what}" for what in tally.wrong[:20]))
    write(given.figures, found)
    return int(any(each.verdict == "missed" for each in found.figures))


if __name__ == "__main__":
    sys.exit(main())
