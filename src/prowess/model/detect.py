"""
What is at hand on this machine: keys in the environment, and local model servers.

Of a key only the name of its variable is told, never a character of its value. Servers are looked
for where they usually listen on this machine, and where OLLAMA_HOST says; each is asked for its
list of models and has a moment to answer.
"""

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from prowess.model.names import DEFAULTS, Named, Provider, ollama_address

PORTS: Mapping[str, int] = {"llama.cpp": 8080, "vLLM": 8000, "LM Studio": 1234}
_SECONDS = 0.5
_MAX_BYTES = 1024 * 1024
_OK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server that answered. `kind` is what usually listens there; more it does not tell."""

    kind: str
    base_url: str
    models: tuple[str, ...]

    @property
    def named(self) -> tuple[Named, ...]:
        """Its models that can be talked to."""
        provider: Provider = "ollama" if self.kind == "Ollama" else "local"
        return tuple(
            Named(provider=provider, model=model, base_url=self.base_url)
            for model in self.models
            if "embed" not in model.lower()
        )


def keys_set(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The names of the variables that hold a key."""
    return tuple(variable for variable in DEFAULTS if environment.get(variable))


async def local_servers(
    environment: Mapping[str, str] = os.environ, *, ports: Mapping[str, int] = PORTS
) -> tuple[Server, ...]:
    """The model servers that answer, all asked at the same time."""
    places = {"Ollama": ollama_address(environment.get("OLLAMA_HOST", ""))}
    places |= {kind: f"http://127.0.0.1:{port}/v1" for kind, port in ports.items()}
    asked = (asyncio.to_thread(_ask, kind, address) for kind, address in places.items())
    return tuple(filter(None, await asyncio.gather(*asked)))


def _ask(kind: str, base_url: str) -> Server | None:
    try:
        models = _models(base_url)
    except (OSError, HTTPException, ValueError, LookupError, TypeError):
        return None  # nobody there, or somebody who is no model server
    return Server(kind=kind, base_url=base_url, models=models)


def _models(base_url: str) -> tuple[str, ...]:
    place = urlsplit(base_url)
    connect = HTTPSConnection if place.scheme == "https" else HTTPConnection
    connection = connect(place.hostname or "", place.port, timeout=_SECONDS)
    try:
        connection.request("GET", f"{place.path}/models")
        answer = connection.getresponse()
        if answer.status != _OK:
            raise ValueError(answer.status)
        return tuple(str(model["id"]) for model in json.loads(answer.read(_MAX_BYTES))["data"])
    finally:
        connection.close()
