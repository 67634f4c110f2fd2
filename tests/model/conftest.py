"""A talk with a real provider's library, at a server that is ours."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from model.formats import Say
from model.server import Fault, ModelServer, Seen
from prowess.core.chat import Message, Reply, ToolCard
from prowess.model.names import Named, Provider
from prowess.model.providers import open_model

MODELS: dict[Provider, str] = {
    "anthropic": "claude-sonnet-5-5",
    "openai": "gpt-5.5",
    "openai-responses": "gpt-5.5",
    "google": "gemini-3.8-flash",
    "ollama": "qwen3",
}
READ = ToolCard(
    name="Read",
    description="Reads a file.",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
START = (Message(role="system", text="Be brief."), Message(role="user", text="go"))


@dataclass
class Talk:
    """What came of a conversation: the replies, the text as it came, and what the server was sent."""

    replies: list[Reply] = field(default_factory=list)
    messages: list[Message] = field(default_factory=lambda: list(START))
    heard: list[str] = field(default_factory=list)
    requests: list[Seen] = field(default_factory=list)

    @property
    def reply(self) -> Reply:
        return self.replies[-1]


Converse = Callable[..., Talk]


@pytest.fixture(params=MODELS)
def provider(request: pytest.FixtureRequest) -> Provider:
    named: Provider = request.param
    return named


@pytest.fixture
def talk(provider: Provider) -> Converse:
    """Ask the provider once for each turn of its server, answering every call."""

    def converse(*turns: Say | Fault, asks: int | None = None, **options: Any) -> Talk:
        done = Talk()
        with ModelServer(*turns) as server:
            done.requests = server.requests
            asyncio.run(_converse(server.url, provider, done, asks or len(turns), options))
        return done

    return converse


async def _converse(
    url: str, provider: Provider, done: Talk, asks: int, options: dict[str, Any]
) -> None:
    base_url = url if provider in ("anthropic", "google") else f"{url}/v1"
    named = Named(
        provider=provider, model=MODELS[provider], base_url=base_url, key_variable="THE_KEY"
    )
    model = open_model(
        named, environment={"THE_KEY": "key-of-the-test"}, on_text=done.heard.append, **options
    )
    try:
        for _ in range(asks):
            reply = await model.reply(done.messages, [READ])
            done.replies.append(reply)
            done.messages.append(reply.message)
            done.messages += [
                Message(role="tool", text=f"seen {call.input}", ok=False, answers=call.id)
                for call in reply.message.calls
            ] or [Message(role="user", text="go on")]
    finally:
        await model.close()
