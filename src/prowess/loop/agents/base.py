"""
One protocol for every agent, and what makes a program on the PATH into one of them.

An agent works on a prompt in a folder until it stops or is stopped. It is believed in nothing: its
end says what happened to it, and its work is for checks to judge.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from prowess.core.agent import AgentEnd, AgentOrder
from prowess.core.ports import Record
from prowess.loop.agents.heard import Heard
from prowess.tools.servers import Server, read_servers


class Agent(Protocol):
    """Something that can be given a prompt, whatever it is made of."""

    @property
    def name(self) -> str: ...

    async def work(self, order: AgentOrder, *, record: Record) -> AgentEnd:
        """
        Work until it stops by itself or a limit of the order stops it. Nothing that it started runs
        when this returns or raises. `OutsideError` when it cannot be started at all.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """
    How a program is started: its words, its variables, what it reads. `files` are written into the
    private folder, by their names there. Standard input ends after `stdin`.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    stdin: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """
    How one program wants to be spoken to and how it speaks.

    `launch` gets the order and the private folder, which is empty and gone afterwards: whatever the
    program keeps, it keeps there and not in the person's own folders. `read` takes one object of its
    JSON lines, or `read_text` one line of its text. `variables` are those of the person's environment
    that it knows, keys among them. `reads_skills`: it looks into `.agents/skills`. `kept` is where below
    the private folder it writes down what its stream leaves out; `leaves` is what it drops into the
    work tree and nobody wants. `last_words` finds in its stderr what it says there of its trouble; `logged` what a
    log there, in which nobody else writes, tells of errors since a moment, in seconds since 1970.
    """

    name: str
    program: str
    launch: Callable[[AgentOrder, str], Launch]
    read: Callable[[Heard, Mapping[str, Any]], None] | None = None
    read_text: Callable[[Heard, str], None] | None = None
    variables: tuple[str, ...] = ()
    reads_skills: bool = False
    kept: str = ""
    leaves: tuple[str, ...] = ()
    last_words: Callable[[str], str] = lambda told: told
    logged: Callable[[str, float], str] = lambda told, since: ""


def mcp_file(servers: Mapping[str, Any], *, address: str = "url") -> dict[str, Any]:
    """MCP servers in the form that most agents read; `address` is what they call a server's."""

    def entry(server: Server) -> dict[str, Any]:
        if server.url:
            return {"type": "http", address: server.url}
        command, *words = server.command
        return {"command": command, "args": words, "env": dict(server.env)}

    return {"mcpServers": {server.name: entry(server) for server in read_servers(servers)}}
