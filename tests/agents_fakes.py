"""Fake agents: real small programs that tell a story, and note how they were started."""

import asyncio
import stat
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prowess.core.agent import AgentEnd, AgentOrder
from prowess.core.event import Event
from prowess.loop.agents.base import Ways
from prowess.loop.agents.program import Program

_FAKE = """#!{python}
import json, os, subprocess, sys, time
here = {here!r}
noted = {{"words": sys.argv[1:], "environment": dict(os.environ), "stdin": sys.stdin.read()}}
noted["files"] = sorted(os.path.join(at, name) for at, _, names in os.walk(".") for name in names)
open(os.path.join(here, "noted.json"), "w").write(json.dumps(noted))
{before}
with open(os.path.join(here, "stream"), "rb") as stream:
    sys.stdout.buffer.write(stream.read())
    sys.stdout.flush()
{after}
sys.exit({code})
"""


@dataclass
class Ended:
    """An agent that has worked, and all that can be seen of it."""

    end: AgentEnd
    events: list[Event]
    noted: Mapping[str, Any] = field(default_factory=dict)

    def payloads(self, kind: str) -> list[Mapping[str, Any]]:
        return [event.payload for event in self.events if event.kind == kind]


Work = Callable[..., Ended]


def worked(agent: Any, order: AgentOrder) -> Ended:
    events: list[Event] = []
    end = asyncio.run(agent.work(order, record=events.append))
    return Ended(end, events)


def fake(ways: Ways, here: Path, *, code: int = 0, before: str = "", after: str = "") -> Program:
    """A program that tells what is in the file `stream`; `before` and `after` are done around it."""
    path = here / ways.program
    path.write_text(
        _FAKE.format(python=sys.executable, here=str(here), before=before, after=after, code=code)
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return Program(ways=ways, path=str(path))
