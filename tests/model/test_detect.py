"""What is at hand is found, and no more is told of it than needed."""

import asyncio
import socket

from model.formats import Say
from model.server import ModelServer
from prowess.model.detect import Server, keys_set, local_servers
from prowess.model.names import Named, resolve


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_keys_are_told_by_name_only() -> None:
    environment = {"OPENAI_API_KEY": "the-value", "ANTHROPIC_API_KEY": "", "OTHER_KEY": "x"}

    assert keys_set(environment) == ("OPENAI_API_KEY",)


def test_a_local_server_is_found_with_its_models_and_can_be_used() -> None:
    with ModelServer(Say(text="hi")) as server:
        port = int(server.url.rpartition(":")[2])
        nobody = {"OLLAMA_HOST": f"127.0.0.1:{unused_port()}"}
        found = asyncio.run(local_servers(nobody, ports={"vLLM": port}))

    assert [(each.kind, each.models) for each in found] == [("vLLM", ("scripted",))]
    local = Named(provider="local", model="scripted", base_url=f"{server.url}/v1")
    assert resolve(None, environment={}, servers=found[0].named) == local


def test_ollama_is_looked_for_where_its_variable_says() -> None:
    with ModelServer(Say(text="hi")) as server:
        found = asyncio.run(local_servers({"OLLAMA_HOST": server.url}, ports={}))

    assert [named.name for each in found for named in each.named] == ["ollama:scripted"]


def test_models_that_only_embed_are_not_talked_to() -> None:
    server = Server(kind="vLLM", base_url="http://127.0.0.1/v1", models=("nomic-embed-text", "phi"))

    assert [named.model for named in server.named] == ["phi"]


def test_silence_and_strangers_are_no_servers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, ModelServer(Say(text="hi")) as server:
        ports = {"vLLM": silent.getsockname()[1], "LM Studio": unused_port()}
        stranger = {"OLLAMA_HOST": f"{server.url}/elsewhere"}

        assert asyncio.run(local_servers(stranger, ports=ports)) == ()
