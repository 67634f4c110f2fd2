"""A server as people meet it: on a port of loopback, with a scripted model in its house."""

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from prowess.model.scripted import Script, Scripted
from prowess.serve.app import FACES, create_app
from prowess.serve.listening import bound, server_of
from prowess.serve.site import Site, open_site
from prowess.settings import Settings, load_settings


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return str(self.json["code"])


@dataclass
class Served:
    """`token` goes with every request that does not bring its own."""

    site: Site
    app: FastAPI
    port: int
    loop: asyncio.AbstractEventLoop
    token: str = ""

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        token: str | None = None,
    ) -> Answer:
        given = dict(headers or {})
        if chosen := self.token if token is None else token:
            given.setdefault("Authorization", f"Bearer {chosen}")
        if body is not None:
            given.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            text = body if isinstance(body, bytes | None) else json.dumps(body).encode()
            connection.request(method, path, body=text, headers=given)
            response = connection.getresponse()
            return Answer(response.status, dict(response.headers), response.read())
        finally:
            connection.close()

    def get(self, path: str, **asked: Any) -> Answer:
        return self.ask("GET", path, **asked)

    def post(self, path: str, body: Any = None, **asked: Any) -> Answer:
        return self.ask("POST", path, body, **asked)

    def start(self, skill: str, *, token: str | None = None, **asked: Any) -> str:
        answer = self.post("/api/runs", {"skill": skill, **asked}, token=token)
        assert answer.status == 201, answer.body
        return str(answer.json["run"])

    def ended(self, run: str) -> dict[str, Any]:
        """The run when it is over."""
        for _ in self.events(f"/api/runs/{run}/events"):
            pass
        view: dict[str, Any] = self.get(f"/api/runs/{run}").json
        return view

    @contextmanager
    def reading(self, path: str, **headers: str) -> Iterator["Reader"]:
        """An open stream of live events."""
        given = {"Host": f"127.0.0.1:{self.port}", **headers}
        if self.token:
            given.setdefault("Authorization", f"Bearer {self.token}")
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode())
            with closing(Reader(connection)) as reader:
                yield reader

    def events(self, path: str, **headers: str) -> Generator[dict[str, Any], None, None]:
        """Every event until the stream ends."""
        with self.reading(path, **headers) as reader:
            yield from reader

    def within(self, work: Any) -> Any:
        """Await something where the server lives."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)


class Reader:
    """Server-sent events as a browser reads them: `id` is beside the data."""

    def __init__(self, connection: socket.socket) -> None:
        self._file = connection.makefile("rb")
        self.status = int(self._file.readline().split()[1])
        self.headers = {}
        while line := self._file.readline().strip():
            name, _, value = line.decode().partition(":")
            self.headers[name.lower()] = value.strip()
        self.beats = 0

    def close(self) -> None:
        self._file.close()  # or the connection would stay open with it

    def __iter__(self) -> Iterator[dict[str, Any]]:
        number = ""
        for line in self._lines():
            if line.startswith(":"):
                self.beats += 1
            elif line.startswith("id: "):
                number = line[4:]
            elif line.startswith("data: "):
                yield {**json.loads(line[6:]), "id": int(number)}

    def whole(self) -> Iterator[dict[str, Any]]:
        """The events that arrived whole, of a stream that was cut."""
        try:
            yield from self
        except (OSError, ValueError):
            return

    def _lines(self) -> Iterator[str]:
        left = b""
        while chunk := self._chunk():
            *whole, left = (left + chunk).split(b"\n")
            yield from (line.decode() for line in whole)

    def _chunk(self) -> bytes:
        size = int(self._file.readline() or b"0", 16)
        data = self._file.read(size)
        self._file.readline()
        return data if size else b""


@dataclass
class Home:
    """
    A project, its data, its settings, and what is scripted for each skill; `*` for all others.
    Where nothing `is_scripted`, models are those that the settings and the environment name.
    """

    project: Path
    data: Path
    scripts: Mapping[str, Script] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    is_scripted: bool = True

    @contextmanager
    def serving(self, *, token: str = "", faces: Any = None) -> Iterator[Served]:
        """A server in a thread of its own, until the block ends."""
        ready, ended = threading.Event(), threading.Event()
        told: dict[str, Any] = {}

        async def serve() -> None:
            with bound("127.0.0.1", 0) as place:
                async with open_site(
                    self._settings(),
                    environment=self.environment,
                    open_model=self._model if self.is_scripted else None,
                ) as site:
                    app = create_app(site, faces=FACES if faces is None else faces)
                    server = server_of(app, ready=ready.set)
                    told.update(
                        server=server,
                        app=app,
                        site=site,
                        port=place.getsockname()[1],
                        loop=asyncio.get_running_loop(),
                    )
                    await server.serve(sockets=[place])

        def live() -> None:
            try:
                asyncio.run(serve())
            except BaseException as error:  # noqa: BLE001  told to whoever waits
                told["error"] = error
            finally:
                ended.set()
                ready.set()

        thread = threading.Thread(target=live, daemon=True)
        thread.start()
        ready.wait(60)
        if "error" in told:
            raise told["error"]
        try:
            yield Served(told["site"], told["app"], told["port"], told["loop"], token)
        finally:
            told["server"].should_exit = True
            thread.join(60)
            assert ended.is_set()
            if "error" in told:
                raise told["error"]

    def _settings(self) -> Settings:
        from dataclasses import replace

        read = load_settings(
            project=str(self.project), data=str(self.data), environment=self.environment
        )
        return replace(read, **self.settings)

    def _model(self, name: str | None, skill: Any) -> Scripted:
        key = skill.name if skill and skill.name in self.scripts else "*"
        return Scripted(self.scripts[key], name=name or "scripted")
