"""The scripted server speaks each format whole as well as in a stream."""

import asyncio
import socket
from typing import Any

import pytest
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest

from model.conftest import MODELS
from model.formats import Say
from model.server import Fault, ModelServer
from prowess.model.names import Named, Provider
from prowess.model.providers import _OPEN


def asked_whole(provider: Provider, server: ModelServer) -> Any:
    base_url = server.url if provider in ("anthropic", "google") else f"{server.url}/v1"

    async def ask() -> Any:
        named = Named(provider=provider, model=MODELS[provider], base_url=base_url)
        model, close = _OPEN[provider](named, "key")
        task = [ModelRequest.user_text_prompt("go")]
        try:
            return await model_request(model, task, model_settings={"max_tokens": 100})
        finally:
            await close()

    return asyncio.run(ask())


def test_a_whole_answer_says_the_same_as_a_stream(provider: Provider) -> None:
    with ModelServer(Say(text="I look.", calls=[("Read", {"path": "a"})])) as server:
        response = asked_whole(provider, server)

    (call,) = response.tool_calls
    assert response.text == "I look."
    assert (call.tool_name, call.args_as_dict()) == ("Read", {"path": "a"})
    assert (response.usage.input_tokens, response.usage.output_tokens) == (100, 20)


@pytest.mark.parametrize("provider", ["openai"], indirect=True)
def test_turns_come_in_order_and_the_last_stays(provider: Provider) -> None:
    with ModelServer(Say(text="first"), Say(text="last")) as server:
        said = [asked_whole(provider, server).text for _ in range(3)]

    assert said == ["first", "last", "last"]
    assert len(server.requests) == 3


def test_a_server_with_a_hanging_request_can_be_closed() -> None:
    with ModelServer(Fault(trouble="hang")) as server:
        port = int(server.url.rpartition(":")[2])
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"POST /v1/messages HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
        begun = client.recv(15)

    client.close()
    assert begun == b"HTTP/1.1 200 OK"
