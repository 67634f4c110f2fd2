"""
A model server that real coding agents believe in: a script of turns, told in whatever words each
agent's own tools have.

Which turn is due is read off the conversation that the agent sends, so that retries and the many
small requests beside it (a title, a summary) do not disturb the script.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from model.formats import Say
from model.server import Fault, ModelServer, Seen, _Handler

_SHELLS = ("exec_command", "bash", "run_shell_command", "shell_command", "shell", "Bash")
_BESIDE = Say(text="A title")


@dataclass(frozen=True, slots=True)
class Run:
    """The model wants this command run."""

    command: str


@dataclass(frozen=True, slots=True)
class Use:
    """The model wants the tool whose name ends so, as MCP tools' do."""

    tool: str


Turn = Run | Use | Say | Fault


class AgentsServer(ModelServer):
    """The last turn is served again when the conversation goes on."""

    def __init__(self, *turns: Turn) -> None:
        super().__init__(_BESIDE)
        self._http.RequestHandlerClass = _Namespaced
        self._script: Sequence[Turn] = turns
        self.beside = _BESIDE  # what is said to whoever offers no tools

    @property
    def conversations(self) -> list[Seen]:
        """The requests that the script answered."""
        return [seen for seen in self.requests if _tools(seen.body)]

    def next_turn(self, seen: Seen) -> Say | Fault:
        super().next_turn(seen)
        offered = _tools(seen.body)
        turn = self._script[min(_results(seen.body), len(self._script) - 1)]
        if isinstance(turn, Fault):
            return turn
        if isinstance(turn, Say) or not offered:
            return turn if isinstance(turn, Say) and offered else self.beside
        return Say(calls=[_call(turn, offered)])


class _Namespaced(_Handler):
    """Codex wants an MCP tool's name apart from that of its server."""

    def _stream(self, pieces: Sequence[bytes]) -> None:
        if self.path.startswith("/v1/responses"):
            apart = rb'"name": "\2", "namespace": "\1"'
            pieces = [re.sub(rb'"name": "(mcp__\w+?)__(\w+)"', apart, piece) for piece in pieces]
        super()._stream(pieces)


def _call(turn: Run | Use, offered: Sequence[str]) -> tuple[str, Mapping[str, Any]]:
    if isinstance(turn, Use):
        return next(name for name in offered if name.endswith(turn.tool)), {}
    tool = next(name for name in _SHELLS if name in offered)
    word = "cmd" if tool == "exec_command" else "command"
    return tool, {word: turn.command, "description": "as the task asks"}


def _tools(body: Mapping[str, Any]) -> list[str]:
    """The names of what is offered, in each provider's form; a namespace's tools by their full names."""
    names = []
    for tool in body.get("tools") or ():
        inner = tool.get("tools") or ()
        names += [f"{tool['name']}__{each['name']}" for each in inner]
        names += [each["name"] for each in tool.get("functionDeclarations") or ()]
        names.append(tool.get("name") or tool.get("function", {}).get("name") or "")
    return [name for name in names if name]


def _results(body: Mapping[str, Any]) -> int:
    """How many calls have been answered so far."""
    said = json.dumps([body.get(name) for name in ("input", "messages", "contents")])
    return sum(
        said.count(sign)
        for sign in (
            '_call_output"',
            '"role": "tool"',
            '"type": "tool_result"',
            '"functionResponse"',
        )
    )
