"""
What is killed again and again, and must lose nothing: runs under kill -9.

    .venv/bin/python bench/kills.py                 100 kills, about five minutes
    .venv/bin/python bench/kills.py --kills 10      a quick look

A child process begins its work, or goes on with it, and is killed at a random moment: mostly at
work, now and then while it starts, and always while it starts for the first time. That is repeated until the work has ended by itself; then the
next work begins. After every death the promises are looked after:

- every event that a follower in another process had read before the kill is still there;
- a call that was told to be finished has not been made again, and a reply that was told has not
  been asked for again;
- the work ends as if nothing had happened.

The exit code is 1 when a promise is broken. `--seed` repeats a choice of moments; the moments
themselves are only as exact as the machine is idle.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from table import Figure, Found, Plot, add_option, write

from prowess.core.chat import Message
from prowess.core.errors import UnknownRunError
from prowess.core.event import Recorded
from prowess.core.skill import Skill
from prowess.engine.house import House, open_house
from prowess.engine.request import RunRequest
from prowess.engine.running import KIND
from prowess.model.scripted import Scripted, Turn, call, final
from prowess.observe.follow import follow
from prowess.observe.log import SqliteLog
from prowess.observe.views import run_view
from prowess.settings import Settings

AT_WORK = 0.8  # seconds at work within which most kills fall
STARTING = 0.1  # of all kills fall before the work begins
MOST = 25  # kills of one work; then it is left to end
LONGEST = 120.0  # seconds that one child may take
READY = b"working\n"


class Subject(Protocol):
    """One work, to be killed and resumed until it ends."""

    def command(self) -> Sequence[str]:
        """A process that begins or goes on, says `working` once it does, and exits with 0 at the end."""
        ...

    async def watch(self) -> None:
        """Notes what is promised while the child lives; cancelled when it is dead."""
        ...

    def check(self, *, ended: bool) -> None:
        """Raises `BrokenError` when a promise was not kept."""
        ...


class BrokenError(Exception):
    """A promise that was not kept."""


async def live(subject: Subject, kill_after: float | None, *, starting: bool) -> bool:
    """One life of the child; true when it came to its end before it was killed."""
    child = await asyncio.create_subprocess_exec(
        *subject.command(), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert child.stdout
    watching = asyncio.create_task(subject.watch())
    try:
        async with asyncio.timeout(LONGEST):
            if not starting and await child.stdout.readline() != READY:
                raise BrokenError((await child.communicate())[1].decode())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(child.wait(), kill_after)
    except TimeoutError:
        raise BrokenError(f"a child was still at work after {LONGEST:.0f} s") from None
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)  # `child.kill()` may reap it and lose its code
        _, told = await child.communicate()
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
    if child.returncode not in (0, -9):
        raise BrokenError(told.decode())
    return child.returncode == 0


async def torment(
    begin: Callable[[Path], Subject],
    folder: Path,
    *,
    kills: int,
    until: float,
    chance: random.Random,
) -> Counter[str]:
    """Work after work until there were so many kills, or the time is up."""
    counts: Counter[str] = Counter()
    while counts["kills"] < kills and time.monotonic() < until:
        subject, ended, deaths = begin(folder / str(counts["works"])), False, 0
        while not ended:
            # The first start of a work makes its databases, and those moments are among the rarest.
            starting = not deaths or chance.random() < STARTING
            spared = counts["kills"] >= kills or deaths >= MOST
            moment = None if spared else chance.uniform(0, 1.5 if starting else AT_WORK)
            ended = await live(subject, moment, starting=starting and not spared)
            subject.check(ended=ended)
            deaths += not ended
            counts["kills"] += not ended
            counts["kills while starting"] += not ended and starting
        counts["works"] += 1
        counts["most kills of one work"] = max(counts["most kills of one work"], deaths)
    return counts


# The first subject: a run of the built-in executor

ITERATIONS = 15  # fourteen that write a file, and one that answers
THINKING = 0.03  # seconds that a reply takes
RUN = "run"
SKILL = "---\nname: scribe\ndescription: Writes files.\nallowed-tools: Write\n---\nWrite them.\n"


@dataclass
class SkillRun:
    """Writes a file in every iteration. A file that is written again is another file on the disk."""

    folder: Path
    seen: list[Recorded] = field(default_factory=list)
    written: dict[str, tuple[int, int]] = field(default_factory=dict)
    asked: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        skill = self.folder / "skills" / "scribe"
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(SKILL)
        (self.folder / "work").mkdir()

    @cached_property
    def log(self) -> SqliteLog:
        """The child makes it; who opens it first would make it in the child's stead."""
        return SqliteLog(settings_of(self.folder).log_file)

    def command(self) -> Sequence[str]:
        return [sys.executable, __file__, "--child", str(self.folder)]

    async def watch(self) -> None:
        await made(settings_of(self.folder).log_file)
        async for each in follow(self.log, RUN, after=len(self.seen)):
            self.seen.append(each)
            payload = each.event.payload
            if each.event.kind == "call.finished":
                self.written[payload["call_id"]] = self._file(payload["call_id"])
            elif each.event.kind == "model.replied":
                self.asked[payload["iteration"]] = self._requests()[payload["iteration"]]

    def check(self, *, ended: bool) -> None:
        kept = kept_as_read(self.log, self.seen)
        for call_id, file in self.written.items():
            hold(self._file(call_id) == file, f"{call_id} was finished and is made again")
        requests = self._requests()
        for iteration, times in self.asked.items():
            hold(requests[iteration] == times, f"reply {iteration} was there and is asked again")
        if ended:
            self._check_end(kept)
            self.log.close()

    def _check_end(self, kept: Sequence[Recorded]) -> None:
        kinds = Counter(each.event.kind for each in kept)
        view = run_view(kept)
        hold(
            (view.state, view.iterations) == ("done", ITERATIONS),
            f"it ended {view.state}: {view.reason}",
        )
        hold(kinds["run.started"] == kinds["run.finished"] == 1, "it began or ended twice")
        hold(kinds["call.finished"] == ITERATIONS - 1, "a call is missing, or told twice")
        files = sorted((self.folder / "work").iterdir(), key=lambda path: int(path.stem))
        hold(
            [path.read_text() for path in files] == [f"text {n}" for n in range(1, ITERATIONS)],
            "a file is missing or wrong",
        )

    def _file(self, call_id: str) -> tuple[int, int]:
        """The n-th reply's call writes the n-th file."""
        found = (self.folder / "work" / f"{call_id.split('_')[1]}.txt").stat()
        return found.st_ino, found.st_mtime_ns

    def _requests(self) -> Counter[int]:
        """How often each reply was asked for."""
        trace = self.folder / "requests"
        return Counter(map(int, trace.read_text().split())) if trace.exists() else Counter()


def kept_as_read(log: SqliteLog, seen: Sequence[Recorded]) -> list[Recorded]:
    """All events of the run, in order; those that were read before a kill are as they were."""
    kept = list(log.run(RUN))
    hold(kept[: len(seen)] == list(seen), "an event that was read is lost or changed")
    hold([each.seq for each in kept] == [*range(1, len(kept) + 1)], "events are not in order")
    return kept


async def made(file: str) -> None:
    while not os.path.exists(file):  # noqa: ASYNC110, ASYNC240  in another process
        await asyncio.sleep(0.01)


def hold(promise: bool, broken: str) -> None:  # noqa: FBT001  what is held reads first
    if not promise:
        raise BrokenError(broken)


def settings_of(folder: Path) -> Settings:
    return Settings(
        project=str(folder / "work"), data=str(folder / "data"), only_dirs=(str(folder / "skills"),)
    )


class Slow(Scripted):
    """Takes its time, so that a kill may fall into it, and leaves a trace of every request."""

    def __init__(self, trace: Path) -> None:
        def turn(messages: Sequence[Message]) -> Turn:
            number = 1 + sum(message.role == "assistant" for message in messages)
            with trace.open("a") as file:
                file.write(f"{number}\n")
            if number == ITERATIONS:
                return final("all written")
            return call("Write", file_path=f"{number}.txt", content=f"text {number}")

        super().__init__(turn)

    async def reply(self, messages: Sequence[Message], tools: Sequence[Any]) -> Any:
        await asyncio.sleep(THINKING)
        return await super().reply(messages, tools)


async def child(folder: Path) -> None:
    def open_model(_name: str | None, _skill: Skill | None) -> Slow:
        return Slow(folder / "requests")

    request = RunRequest(skill="scribe", workspace=str(folder / "work"), model="scripted")
    async with open_house(settings_of(folder), open_model=open_model) as house:
        await live_on(house, KIND, request.as_json())


async def live_on(house: House, kind: str, request: Mapping[str, Any]) -> None:
    """One life of a child, from where the last one ended; it says when kills may fall."""
    await begin_or_go_on(house, RUN, kind, request)
    print(READY.decode(), end="", flush=True)
    await house.outcome(RUN)


async def begin_or_go_on(house: House, run: str, kind: str, request: Mapping[str, Any]) -> None:
    """What a child does with a work: it cannot know whether it is the first to have it."""
    try:
        state = await house.engine.state(run)
    except UnknownRunError:
        await house.engine.start(kind, run, request)
        return
    if state == "interrupted":
        await house.engine.resume(run)


def options(about: str, *, kills: int) -> argparse.ArgumentParser:
    """What every bench that kills is asked."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--kills", type=int, default=kills)
    parser.add_argument("--minutes", type=float, default=15.0, help="begin nothing after so long")
    parser.add_argument("--seed", type=int, default=None)
    add_option(parser)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    return parser


def play(
    begin: Callable[[Path], Subject],
    child: Callable[[Path], Coroutine[Any, Any, None]],
    given: argparse.Namespace,
) -> int:
    """Be the child that is killed, or torment it and print what came of it; 1 when a promise is broken."""
    if given.child:
        asyncio.run(child(given.child))
        return 0
    return judge(begin, given)


def judge(begin: Callable[[Path], Subject], given: argparse.Namespace) -> int:
    seed = random.randrange(10**6) if given.seed is None else given.seed
    told: dict[str, Any] = {"seed": seed, "kills asked for": given.kills}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        try:
            told |= asyncio.run(
                torment(
                    begin,
                    Path(folder).resolve(),
                    kills=given.kills,
                    until=began + 60 * given.minutes,
                    chance=random.Random(seed),
                )
            )
        except BrokenError as error:
            told["broken"] = str(error)
    told["seconds"] = round(time.monotonic() - began)
    print(json.dumps(told, indent=2))
    write(given.figures, found_of(told))
    return "broken" in told


def found_of(told: Mapping[str, Any]) -> Found:
    counted = {name: told.get(name, 0) for name in ("kills", "works")}
    return Found(
        figures=[
            Figure(name="promises broken", value=int("broken" in told), at_most=0),
            Figure(name="kills outlived", value=counted["kills"], at_least=told["kills asked for"]),
        ],
        plot=Plot(
            title="Killed at random, and ended as if nothing had happened",
            unit="",
            bars={"kills": counted["kills"], "ended right": counted["works"]},
        ),
    )


def main() -> int:
    given = options("Kill runs at random moments, and look what is lost.", kills=100).parse_args()
    return play(SkillRun, child, given)


if __name__ == "__main__":
    sys.exit(main())
