"""
A command-line agent at work: started, listened to, ended.

Its stream is read line by line as it comes. When it stops, or is stopped at a limit, all that it
started is gone, and so is its private folder.
"""

import glob
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from prowess.core.agent import AgentEnd, AgentOrder, Trouble
from prowess.core.chat import Usage
from prowess.core.errors import UsageError
from prowess.core.event import Event
from prowess.core.ports import Record
from prowess.core.process import Finished
from prowess.loop.agents.base import Launch, Ways
from prowess.loop.agents.handover import handed_over
from prowess.loop.agents.heard import Heard
from prowess.loop.agents.kept import Kept
from prowess.loop.agents.limits import reset_time, sort
from prowess.loop.agents.loose import json_line
from prowess.loop.agents.private import TEMPORARY, private_folder, write_files
from prowess.sandbox.process import supervise

# What programs need to find their way, to speak to people and to reach the network; no keys.
PASSED = (
    "PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_CTYPE TZ"
    " SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE"
    " HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy"
).split()
_KILLED = -9
_TOLD = 2_000  # characters of an error that are kept
_LAST_WORDS = 4_000  # characters of stderr that are read for what the trouble was


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """An agent that is a program; `path` is where it is, or its name to be looked for."""

    ways: Ways
    path: str

    @property
    def name(self) -> str:
        return self.ways.name

    async def work(self, order: AgentOrder, *, record: Record) -> AgentEnd:
        ways = self.ways
        heard = Heard(
            run=order.run, model=order.model or "", price=_price_for(order), holds=bool(ways.kept)
        )

        async def hear(line: bytes) -> None:
            if heard.waits:
                kept.look()
                heard.settle(kept.codes)
            for event in read_line(ways, heard, line):
                record(event)
            if why := order.enough(heard.used_so_far):
                raise _EnoughError(why)

        with (
            private_folder() as place,
            handed_over(order, links=ways.reads_skills),
            _tidied(order.workspace, ways.leaves),
        ):
            kept = Kept(pattern=os.path.join(glob.escape(place), ways.kept))
            launch = ways.launch(order, place)
            write_files(place, launch.files)
            began, enough = time.monotonic(), ""
            try:
                finished = await supervise(
                    (self.path, *launch.words),
                    cwd=order.workspace,
                    environment=_environment(order, launch, place),
                    stdin=launch.stdin.encode(errors="replace"),
                    wall=order.wall,
                    idle=order.idle,
                    on_line=hear,
                )
            except _EnoughError as stop:
                enough = str(stop)
                finished = Finished(
                    code=_KILLED, out=b"", err=b"", seconds=time.monotonic() - began
                )
            if heard.waits or finished.killed_by:
                kept.look()
                heard.settle(kept.codes)
            if finished.killed_by and kept.error and not _reached(ways, heard):
                heard.stumbled(kept.error, status=kept.status)
        heard.close()
        for event in heard.take():
            record(event)
        end = end_of(ways, heard, finished)
        return replace(end, trouble="budget", told=enough) if enough else end


class _EnoughError(Exception):
    """The agent has used as much as it may."""


def read_line(ways: Ways, heard: Heard, line: bytes) -> list[Event]:
    """What a line of the agent's stream tells; what cannot be understood is counted, no more."""
    heard.last_line = time.time()
    if ways.read_text:
        heard.lines += 1
        ways.read_text(heard, line.decode("utf-8", errors="replace"))
    elif ways.read and (said := json_line(line)) is not None:
        heard.lines += 1
        ways.read(heard, said)
    elif line.strip():
        heard.garbage += 1
    return heard.take()


def end_of(ways: Ways, heard: Heard, finished: Finished) -> AgentEnd:
    trouble, told = _trouble(ways, heard, finished)
    resets_at = heard.resets_at
    if trouble == "usage_limit" and not resets_at and (at := reset_time(told, now=heard.now())):
        resets_at = at.isoformat()
    return AgentEnd(
        agent=ways.name,
        answer=heard.answer,
        said_done=heard.done or (ways.read is None and finished.code == 0 and not heard.error),
        code=finished.code,
        killed_by=finished.killed_by,
        trouble=trouble,
        told=told.strip()[-_TOLD:],
        resets_at=resets_at,
        usage=heard.used_so_far,
        iterations=heard.iteration,
        refusals=tuple(heard.refusals),
        seconds=round(finished.seconds, 3),
        spoke=bool(heard.lines or heard.garbage),
        reached=_reached(ways, heard),
        calls=heard.calls,
    )


def _reached(ways: Ways, heard: Heard) -> bool:
    """Of one that speaks plain text nobody knows whose words they are, unless it told of an error."""
    if ways.read is None and not heard.error:
        return True
    used = heard.usage.input_tokens or heard.usage.output_tokens
    return heard.replies or bool(heard.calls or used)


def _trouble(ways: Ways, heard: Heard, finished: Finished) -> tuple[Trouble, str]:
    """What kept it from its end, the cause before what came of it."""
    said = finished.err.decode("utf-8", errors="replace")[-_LAST_WORDS:]
    last_words, logged = ways.last_words(said), ways.logged(said, heard.last_line)
    if heard.trouble in ("auth", "usage_limit"):
        return heard.trouble, heard.error
    if finished.killed_by in ("timeout", "idle"):
        return _stopped(heard, finished, logged if _reached(ways, heard) else last_words)
    if heard.error or finished.killed_by:
        return "crash", heard.error or f"stopped: {finished.killed_by}"
    if finished.code != 0:
        # What it says on its way out is about itself only as long as no tool has printed anything, or
        # where it stands in a log of its own.
        return sort(logged if heard.calls else last_words), last_words
    if ways.read and not heard.done:
        return (
            "malformed",
            f"its story has no end ({heard.lines} lines, {heard.garbage} unreadable)",
        )
    return "none", ""


def _stopped(heard: Heard, finished: Finished, own_words: str) -> tuple[Trouble, str]:
    """Several ask for ever where their provider gives nothing, and say so in their last words only."""
    if (kind := sort(own_words)) != "crash":
        return kind, own_words
    stopped: Trouble = "idle" if finished.killed_by == "idle" else "timeout"
    return stopped, heard.error or f"stopped after {finished.seconds:.0f} s"


def _price_for(order: AgentOrder) -> Callable[[str, Usage], float | None]:
    """What a provider takes for it; somebody's own server has no price."""

    def price(model: str, usage: Usage) -> float | None:
        from prowess.model.cost import price
        from prowess.model.names import DEFAULTS, resolve

        if any(name.endswith("_BASE_URL") for name in order.environment) or not model:
            return None
        try:  # the keys are the agent's business; the name is all that matters here
            named = resolve(
                model.rpartition("/")[2], environment=dict.fromkeys(DEFAULTS, "its own")
            )
        except UsageError:
            return None
        return price(
            named,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cached_tokens=usage.cached_tokens,
        )

    return price


def _environment(order: AgentOrder, launch: Launch, place: str) -> dict[str, str]:
    """Nothing of ours but what is needed, then what the agent needs, then what the order says."""
    ours = {name: os.environ[name] for name in PASSED if name in os.environ}
    temporary = os.path.join(place, TEMPORARY)
    return {**ours, "TERM": "dumb", "TMPDIR": temporary, **launch.environment, **order.environment}


@contextmanager
def _tidied(workspace: str, leaves: tuple[str, ...]) -> Iterator[None]:
    """What a program drops into the work tree is taken away, unless it was there before."""

    def dropped() -> set[str]:
        inside = glob.escape(workspace)
        return {path for name in leaves for path in glob.glob(os.path.join(inside, name))}

    before = dropped()
    try:
        yield
    finally:
        for path in dropped() - before:
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)
