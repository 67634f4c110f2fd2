"""Which agents there are, and which of them are on this machine."""

import os
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from prowess.core.errors import OutsideError, UsageError
from prowess.core.near import did_you_mean
from prowess.loop.agents.aider import AIDER
from prowess.loop.agents.base import Agent, Ways
from prowess.loop.agents.claude import CLAUDE
from prowess.loop.agents.codex import CODEX
from prowess.loop.agents.command import command_agent
from prowess.loop.agents.gemini import GEMINI
from prowess.loop.agents.opencode import OPENCODE
from prowess.loop.agents.program import Program
from prowess.loop.agents.qwen import QWEN

PROGRAMS: Mapping[str, Ways] = {
    ways.name: ways for ways in (CLAUDE, CODEX, OPENCODE, GEMINI, QWEN, AIDER)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A program that is an agent, and where it is."""

    name: str
    path: str


def detect(path: str | None = None) -> list[Found]:
    """The agents on the PATH, or on the one that is given; nothing is started to find out."""
    return [
        Found(name=ways.name, path=found)
        for ways in PROGRAMS.values()
        if (found := shutil.which(ways.program, path=path))
    ]


def open_program(
    name: str, *, command: tuple[str, ...] = (), home: str = "", path: str | None = None
) -> Agent:
    """
    A command-line agent by its name; `command` is what the agent named `command` runs, and `home` is
    the folder from which its relative paths lead.
    """
    if name == "command":
        return _open_command(command, home)
    ways = PROGRAMS.get(name)
    if ways is None:
        near = did_you_mean(name, ("built-in", *PROGRAMS, "command"))
        raise UsageError(
            f"there is no agent named {name!r}",
            hint=f"{near} There are built-in, {', '.join(PROGRAMS)} and command".lstrip(),
        )
    found = shutil.which(ways.program, path=path)
    if found is None:
        raise OutsideError(
            f"the agent {name} is not on this machine",
            hint=f"install it so that `{ways.program}` is on the PATH, or choose another agent",
        )
    return Program(ways=ways, path=found)


def _open_command(words: tuple[str, ...], home: str) -> Agent:
    agent = command_agent(words, home=home)
    if shutil.which(agent.path) is None:
        if os.sep in agent.path and os.path.isfile(agent.path):
            raise OutsideError(
                f"the agent's command {words[0]} is there, but not executable",
                hint=f"`chmod +x {shlex.quote(words[0])}`",
            )
        raise OutsideError(
            f"the agent's command {words[0]} is no program on this machine",
            hint=f"a name is looked for on the PATH, a path from {home or 'the work tree'}",
        )
    return agent


def passed_on(name: str, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that somebody who chooses this agent means it to have, keys among them."""
    known = PROGRAMS[name].variables if name in PROGRAMS else ()
    return {each: environment[each] for each in known if environment.get(each)}
