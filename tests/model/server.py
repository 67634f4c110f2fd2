"""
A model server on loopback that says what a script tells it to, in the providers' own formats.

It speaks Anthropic's messages, OpenAI's chat completions and responses, and Gemini, streamed and
whole, and can fail in the ways that real ones do. What it was sent is kept for the tests to look at.
"""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

from model.formats import Say, streamed, whole

Trouble = Literal["hang-up", "early-end", "hang", "endless", "garbage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """
    A request that goes wrong: answered with `status`, or with `trouble`.

    `hang-up`: half a stream, then the connection is gone. `early-end`: half a stream, and a clean
    end. `hang`: half a stream, then silence until the server closes. `endless`: text and more text.
    `garbage`: no JSON at all.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


class ModelServer:
    """Serves its turns in order, one a request; the last is served again when they run out."""

    def __init__(self, *turns: Say | Fault) -> None:
        self.requests: list[Seen] = []
        self.closing = threading.Event()
        self._turns = turns
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.model = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def next_turn(self, seen: Seen) -> Say | Fault:
        with self._lock:
            self.requests.append(seen)
            return self._turns[min(len(self.requests), len(self._turns)) - 1]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    model: ModelServer
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves in the middle is what many of the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a stream of small pieces would wait for each to be confirmed
    server: _Http

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it
        pass

    def do_GET(self) -> None:
        models = {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
        self._json(200, models) if self.path == "/v1/models" else self._json(404, {})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        seen = Seen(path=self.path, headers=dict(self.headers.items()), raw=raw)
        turn = self.server.model.next_turn(seen)
        if isinstance(turn, Fault):
            self._fault(turn, seen)
        elif _wants_stream(seen):
            self._stream(streamed(seen.path, turn, seen.body.get("model", "")))
            self._chunk(b"")
        else:
            self._json(200, whole(seen.path, turn, seen.body.get("model", "")))

    def _fault(self, fault: Fault, seen: Seen) -> None:
        if fault.trouble is None:
            self._json(fault.status, fault.body or _error(fault.status), fault.headers)
        elif fault.trouble == "garbage":
            self._bytes(200, b"<html>it works!</html>", {"Content-Type": "text/html"})
        elif fault.trouble == "endless":
            pieces = streamed(seen.path, Say(text="x" * 100_000), "scripted")
            middle = (len(pieces) - 1) // 2  # a piece of the text in every format
            self._stream(pieces[:middle])
            while not self.server.model.closing.is_set():
                self._chunk(pieces[middle])
        else:
            pieces = streamed(seen.path, Say(text="half of an ans"), "scripted")
            self._stream(pieces[: len(pieces) // 2])
            if fault.trouble == "early-end":
                self._chunk(b"")
            elif fault.trouble == "hang":
                self.server.model.closing.wait()
            self.close_connection = True

    def _stream(self, pieces: Sequence[bytes]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self._chunk(piece)

    def _chunk(self, piece: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def _json(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        kind = {"Content-Type": "application/json"}
        self._bytes(status, json.dumps(value).encode(), kind | dict(headers or {}))

    def _bytes(self, status: int, data: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _wants_stream(seen: Seen) -> bool:
    return "streamGenerateContent" in seen.path or bool(seen.body.get("stream"))


def _error(status: int) -> Any:
    """An error body that every provider's library can read."""
    kinds = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
    told = {"type": kinds.get(status, "api_error"), "message": f"scripted {status}", "code": status}
    return {"type": "error", "error": told}
