"""
Many workers on one PostgreSQL: what they lose when they are killed, and how much more they do together.

    .venv/bin/python bench/workers.py                   500 runs under kills, then 1, 2 and 4 workers
    .venv/bin/python bench/workers.py --runs 20         a quick look

Two servers put runs in the queue; they work on none themselves. Two workers take them. Every few
seconds one of them is killed with SIGKILL and another begins in its place, and once the database is
restarted; the last run is asked for after that. Every run asks its model three times; each reply
takes 50 ms and leaves a line in a file, when it is asked for and when it is given. Then it is looked
after:

- every run has ended well, and has told so once;
- its facts are numbered from 1 without a gap;
- no reply was given twice, except one that was just given when its worker was killed and that
  nobody could keep.

Then the same number of runs is done by one, two and four workers, with replies that take three seconds. The
exit code is 1 when a promise is broken. A private PostgreSQL is started for it, as for the tests.
"""

import argparse
import asyncio
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from table import Figure, Found, Plot, add_option, write

from prowess.core.chat import Message, Reply, ToolCard
from prowess.core.skill import Skill
from prowess.model.scripted import Scripted, call, final
from prowess.observe.opening import open_log
from prowess.settings import Settings, load_settings

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from postgres import Server, server  # type: ignore[import-not-found,unused-ignore]

TURNS = 3
LONGEST = 900.0  # seconds for all runs to end
SKILL = """---
name: work
description: Writes two files and says so.
allowed-tools: Write
---

Do it.
"""


class Slow(Scripted):
    """Every reply takes a moment, and is put on record when it is asked for and when it is given."""

    def __init__(self, folder: Path, wait: float) -> None:
        super().__init__(self._script)
        self._folder, self._wait = folder, wait

    @staticmethod
    def _script(messages: Sequence[Message]) -> Reply:
        number = _number(messages)
        turn = 1 + sum(message.role == "assistant" for message in messages)
        if turn == TURNS:
            return final(f"done {number}")
        return call("Write", file_path=f"{number}-{turn}.txt", content=f"{turn}\n")

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolCard]) -> Reply:
        turn = 1 + sum(message.role == "assistant" for message in messages)
        self._note(_number(messages), turn, "asked")
        await asyncio.sleep(self._wait)
        self._note(_number(messages), turn, "given")
        return await super().reply(messages, tools)

    def _note(self, number: str, turn: int, what: str) -> None:
        with (self._folder / number).open("a", encoding="utf-8") as file:
            file.write(f"{turn} {what} {os.getpid()}\n")


def _number(messages: Sequence[Message]) -> str:
    return next(message.text for message in messages if message.role == "user").split()[0]


# The processes


async def work(settings: Settings, folder: Path, wait: float, at_once: int) -> None:
    from prowess.engine.house import open_house
    from prowess.engine.queueing import Queueing

    def model(_name: str | None, _skill: Skill | None) -> Slow:
        return Slow(folder, wait)

    queueing = Queueing(at_once=at_once)
    async with open_house(settings, environment={}, open_model=model, queueing=queueing):
        print("ready", flush=True)
        await asyncio.Event().wait()


async def serve(settings: Settings, folder: Path) -> None:
    from prowess.serve.app import create_app
    from prowess.serve.listening import bound, server_of
    from prowess.serve.site import open_site

    def model(_name: str | None, _skill: Skill | None) -> Slow:
        return Slow(folder, 0)

    with bound("127.0.0.1", 0) as place:
        async with open_site(settings, environment={}, open_model=model) as site:
            port = place.getsockname()[1]
            listening = server_of(create_app(site), ready=lambda: print(port, flush=True))
            await listening.serve(sockets=[place])


class Fleet:
    """A project, its database, and the processes on it."""

    def __init__(self, folder: Path, postgres: Server) -> None:
        self.folder, self.postgres = folder, postgres
        self.url = postgres.new_database()
        self.notes = folder / "notes"
        self.notes.mkdir(parents=True)
        project = folder / "project"
        (project / ".agents" / "skills" / "work").mkdir(parents=True)
        (project / ".agents" / "skills" / "work" / "SKILL.md").write_text(SKILL)
        self.killed: set[int] = set()
        self._processes: list[subprocess.Popen[str]] = []
        self.ports: list[int] = []
        self.workers: list[subprocess.Popen[str]] = []

    @property
    def settings(self) -> Settings:
        settings = load_settings(
            project=str(self.folder / "project"), data=str(self.folder / "data"), environment={}
        )
        return replace(
            settings, database_url=self.url, serve_works=False, skills_enabled=True, sandbox_level="none"
        )  # fmt: skip

    def begin(self, role: str, **more: float) -> subprocess.Popen[str]:
        words = [
            sys.executable,
            __file__,
            "--role",
            role,
            "--folder",
            str(self.folder),
            "--url",
            self.url,
        ]
        words += [str(word) for name, value in more.items() for word in (f"--{name}", value)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self._processes.append(process)
        return process

    def serve(self, count: int) -> None:
        begun = [self.begin("server") for _ in range(count)]
        self.ports = [int(_line(each)) for each in begun]

    def work(self, count: int, *, wait: float, at_once: int) -> None:
        begun = [self.begin("worker", wait=wait, **{"at-once": at_once}) for _ in range(count)]
        for each in begun:
            assert _line(each) == "ready"
        self.workers += begun

    def ask(self, number: int) -> str:
        """Begin a run over HTTP, at one of the servers in turn; its id."""
        port = self.ports[number % len(self.ports)]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=180)
        body = {"skill": "work", "arguments": str(number), "answers": False}
        connection.request(
            "POST", "/api/runs", json.dumps(body), {"Content-Type": "application/json"}
        )
        response = connection.getresponse()
        told = json.loads(response.read())
        connection.close()
        assert response.status == 201, told
        run: str = told["run"]
        return run

    def end(self, process: subprocess.Popen[str]) -> None:
        process.send_signal(signal.SIGKILL)
        process.wait()

    def kill_one(self) -> None:
        victim = self.workers.pop(random.randrange(len(self.workers)))
        self.killed.add(victim.pid)
        self.end(victim)

    def close(self) -> None:
        for process in self._processes:
            with process:
                process.kill()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


# What is measured


def under_kills(fleet: Fleet, *, runs: int, every: float) -> dict[str, Any]:
    fleet.serve(2)
    fleet.work(2, wait=0.05, at_once=8)
    log = open_log(fleet.url)
    began, kills, restarted = time.monotonic(), 0, False
    with ThreadPoolExecutor(4) as asking:
        asked = [asking.submit(fleet.ask, number) for number in range(runs - 1)]
        while (ended := _ended(log)) < runs:
            assert time.monotonic() - began < LONGEST, f"{ended} of {runs} have ended"
            time.sleep(every)
            fleet.kill_one()
            kills += 1
            fleet.work(1, wait=0.05, at_once=8)
            if not restarted and ended >= runs // 3:
                fleet.postgres.restart()
                restarted = True
                asked.append(asking.submit(fleet.ask, runs - 1))
        ids = [each.result() for each in asked]
    seconds = time.monotonic() - began
    found = [_looked_after(list(log.run(run))) for run in ids]
    for run, each in zip(ids, found, strict=True):
        if not all(each.values()):
            print(
                f"{run}: {[(it.seq, it.event.kind, it.event.payload.get('summary')) for it in log.run(run)]}"
            )
    log.close()
    twice, again = _replies(fleet)
    return {
        "runs": runs,
        "kills": kills,
        "restarts": int(restarted),
        "ended well": sum(each["well"] for each in found),
        "told their end once": sum(each["once"] for each in found),
        "facts without a gap": sum(each["whole"] for each in found),
        "replies given twice": twice,
        "replies asked again after a kill": again,
        "seconds": round(seconds, 1),
    }


def _ended(log: Any) -> int:
    return sum(1 for _ in log.tail(kind="run.finished"))


def _looked_after(facts: Sequence[Any]) -> Mapping[str, bool]:
    ends = [each.event.payload["outcome"] for each in facts if each.event.kind == "run.finished"]
    replies = [each for each in facts if each.event.kind == "model.replied"]
    return {
        "well": bool(ends) and ends[-1]["ending"] == "done" and len(replies) == TURNS,
        "once": len(ends) == 1 and facts[-1].event.kind == "run.finished",
        "whole": [each.seq for each in facts] == list(range(1, len(facts) + 1)),
    }


def _replies(fleet: Fleet) -> tuple[int, int]:
    """Given twice though the first who gave it was not killed; and asked for again."""
    twice = again = 0
    for file in fleet.notes.iterdir():
        lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
        asked = Counter(turn for turn, what, _ in lines if what == "asked")
        again += sum(count - 1 for count in asked.values())
        given = [(turn, int(process)) for turn, what, process in lines if what == "given"]
        first = dict(reversed(given))
        twice += sum(
            first[turn] not in fleet.killed
            for turn, count in Counter(turn for turn, _ in given).items()
            if count > 1
        )
    return twice, again


def throughput(fleet: Fleet, *, workers: int, runs: int, wait: float, at_once: int) -> float:
    """Runs ended in a second, from the first that a worker can take to the last that ended."""
    fleet.serve(1)
    for number in range(runs):
        fleet.ask(number)
    log = open_log(fleet.url)
    fleet.work(workers, wait=wait, at_once=at_once)
    before, began = _ended(log), time.monotonic()
    while (ended := _ended(log)) < runs:
        assert time.monotonic() - began < LONGEST, f"{ended} of {runs} have ended"
        time.sleep(0.1)
    seconds = time.monotonic() - began
    log.close()
    return (runs - before) / seconds


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--every", type=float, default=3.0, help="seconds between two kills")
    parser.add_argument("--only", choices=["kills", "throughput"])
    parser.add_argument("--counts", default="1,2,4", help="workers, for the throughput")
    parser.add_argument("--role", choices=["worker", "server"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--wait", type=float, default=3.0, help="seconds of a reply, then")
    parser.add_argument("--at-once", type=int, default=4)
    add_option(parser)
    given = parser.parse_args()
    if given.role:
        return _role(given)
    folder = Path(tempfile.mkdtemp(prefix="workers-"))
    try:
        return _bench(given, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _role(given: argparse.Namespace) -> int:
    folder = Path(given.folder)
    settings = load_settings(
        project=str(folder / "project"),
        data=str(folder / "data" / str(os.getpid())),
        environment={},
    )
    settings = replace(
        settings,
        database_url=given.url,
        serve_works=False,
        sandbox_level="none",
        skills_enabled=True,
    )
    if given.role == "worker":
        asyncio.run(work(settings, folder / "notes", given.wait, given.at_once))
    else:
        asyncio.run(serve(settings, folder / "notes"))
    return 0


def _bench(given: argparse.Namespace, folder: Path) -> int:
    figures, rates = list[Figure](), dict[str, float]()
    if given.only != "throughput":
        fleet = Fleet(folder / "kills", server())
        try:
            found = under_kills(fleet, runs=given.runs, every=given.every)
        finally:
            fleet.close()
        print("| under kills | |\n|---|---:|")
        for name, value in found.items():
            print(f"| {name} | {value} |")
        figures += [
            Figure(name=f"{name}, of {given.runs} runs", value=found[name], at_least=given.runs)
            for name in ("ended well", "told their end once", "facts without a gap")
        ]
        figures.append(
            Figure(name="replies given twice", value=found["replies given twice"], at_most=0)
        )
        figures += [
            Figure(name=name, value=found[name], at_least=1) for name in ("kills", "restarts")
        ]
    if given.only != "kills":
        print("\n| workers | runs a second | x one |\n|---:|---:|---:|")
        for count in map(int, given.counts.split(",")):
            fleet = Fleet(folder / f"rate {count}", server())
            try:
                rate = throughput(
                    fleet, workers=count, runs=min(given.runs, 24 * count), wait=given.wait, at_once=given.at_once
                )  # fmt: skip
            finally:
                fleet.close()
            rates[str(count)] = rate
            print(f"| {count} | {rate:.2f} | {rate / rates['1']:.2f} |", flush=True)
        if {"1", "4"} <= set(rates):
            times = rates["4"] / rates["1"]
            figures.append(Figure(name="4 workers", value=times, unit="x one worker", at_least=3.0))
    plot = Plot(title="Runs a second by workers", unit="runs/s", bars=rates) if rates else None
    write(given.figures, Found(figures=figures, plot=plot))
    return 0 if all(each.verdict == "met" for each in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
