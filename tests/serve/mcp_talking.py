"""The official client in conversation with the MCP server: everything real but the model."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.session import ElicitationFnT
from mcp.client.streamable_http import streamable_http_client

from prowess.core.event import Recorded
from prowess.model.scripted import Script, Scripted
from prowess.serve.mcp import create_server
from prowess.serve.mcp_premises import Premises, open_premises
from prowess.settings import load_settings
from serve.served import Served

T = TypeVar("T")
Era = Literal["auto", "legacy"]


@dataclass
class Person:
    """Answers in order and remembers what was asked; None declines."""

    answers: list[str | None]
    asked: list[types.ElicitRequestParams] = field(default_factory=list)

    async def __call__(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params)
        answer = self.answers.pop(0)
        if answer is None:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content={"answer": answer})


@dataclass
class Home:
    """A project, its data folder, and what is scripted for each skill; `*` for all others."""

    project: Path
    data: Path
    scripts: Mapping[str, Script] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @asynccontextmanager
    async def premises(self) -> AsyncIterator[Premises]:
        read = load_settings(project=str(self.project), data=str(self.data), environment={})
        async with open_premises(
            replace(read, **self.settings), environment={}, open_model=self._model
        ) as premises:
            yield premises

    @asynccontextmanager
    async def client(
        self, era: Era = "auto", person: ElicitationFnT | None = None
    ) -> AsyncIterator[Client]:
        async with (
            self.premises() as premises,
            Client(create_server(premises), mode=era, elicitation_callback=person) as client,
        ):
            yield client

    def talk(
        self,
        work: Callable[[Client], Awaitable[T]],
        *,
        era: Era = "auto",
        person: ElicitationFnT | None = None,
    ) -> T:
        """Connect, do the work, hang up."""

        async def go() -> T:
            async with self.client(era, person) as client:
                return await work(client)

        return asyncio.run(go())

    def call(
        self, tool: str, era: Era = "auto", person: ElicitationFnT | None = None, **given: Any
    ) -> Any:
        return self.talk(lambda client: client.call_tool(tool, given), era=era, person=person)

    def events(self, run: str) -> list[Recorded]:
        from prowess.observe.log import SqliteLog

        log = SqliteLog(str(self.data / "log.sqlite3"))
        try:
            return list(log.run(run))
        finally:
            log.close()

    def _model(self, name: str | None, skill: Any) -> Scripted:
        key = skill.name if skill and skill.name in self.scripts else "*"
        return Scripted(self.scripts[key], name=name or "scripted")


@asynccontextmanager
async def client_of(
    served: Served, *, era: Era = "auto", token: str = "", person: Any = None
) -> AsyncIterator[Client]:
    """Over HTTP, to a server that others use too."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        line = streamable_http_client(f"http://127.0.0.1:{served.port}/mcp", http_client=http)
        async with Client(line, mode=era, elicitation_callback=person) as client:
            yield client


def text_of(result: Any) -> str:
    return "\n".join(each.text for each in result.content)
