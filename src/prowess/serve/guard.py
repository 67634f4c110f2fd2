"""
What every request passes before anything else sees it, and what every answer carries.

A page of another site, or a name that was pointed at this machine, gets nothing: the Host must be
ours, and a browser must say that our own page is asking. Bodies are JSON, whole and small before
the application reads them. This does not replace TLS: on anything but loopback, put it behind one.
"""

import asyncio
import ipaddress
import json
import logging
import re
from functools import partial

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from prowess.core.errors import ProwessError
from prowess.serve.audit import Kind, audited
from prowess.serve.auth import OWNER, Caller, no_token
from prowess.serve.problems import HttpError, answer, body, problem_of
from prowess.serve.site import Site
from prowess.settings import Settings

MAX_BODY = 1024 * 1024
DRAINED = 64 * MAX_BODY  # of a body that is too large, read and dropped so that the answer arrives
BODY_SECONDS = 30.0
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
# What holds no facts: the page that asks for a token, its files, and the sign of life.
OPEN = ("/static/", "/health")
PAGES = frozenset({"/"})
# Posts that change nothing, or of which each face knows more than its path tells.
QUIET = ("/mcp", "/api/match", "/api/plans", "/api/markdown")
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::(?P<port>[0-9]{1,5}))?")
_JSON = re.compile(rb"application/json\s*(;.*)?", re.IGNORECASE)
_LOG = logging.getLogger("prowess.serve")


def names_of(settings: Settings) -> frozenset[str]:
    """
    What the server is called by those who ask: loopback's names, the address it listens on, and what
    the settings add; an address of IPv6 stands in brackets there.
    """
    hosts = [host.lower().strip("[]") for host in (settings.serve_host, *settings.serve_hosts)]
    return LOOPBACK | {f"[{host}]" if ":" in host else host for host in hosts}


class Guard:
    def __init__(self, app: ASGIApp, *, site: Site) -> None:
        self._app = app
        self._site = site
        self._hosts = names_of(site.settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self._http(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        answered = _Answer(send, quiet=scope["path"].startswith("/static/"))
        try:
            caller = self._admitted(scope)
            answered.stranger = caller is None and scope["path"] in PAGES
            scope.setdefault("state", {})["caller"] = caller
            received = await _whole_body(scope, receive)
            await self._app(scope, received, answered)
            await self._audit(scope, caller, answered.status)
        except ProwessError as error:
            await answer(*problem_of(error))(scope, receive, answered)
        except Exception:
            _LOG.exception("a mistake of Prowess, at %s", scope["path"])
            if answered.status:
                raise  # too late for another answer; the connection ends
            told = body("INTERNAL_ERROR", "a mistake of Prowess", "the server's log says more")
            await answer(500, told)(scope, receive, answered)

    def _admitted(self, scope: Scope) -> Caller | None:
        """The caller; None for a stranger at a place that is open to all. Everybody else is refused."""
        host = self._host(scope)
        self._same_origin(scope, host)
        path = scope["path"]
        if not self._site.tokens.required:
            if not _is_loopback(scope):
                raise HttpError(
                    403,
                    "FORBIDDEN",
                    "without tokens, only this machine may ask",
                    hint="set tokens in [serve.tokens]",
                )
            return OWNER
        given = _values(scope, b"authorization")
        if given and (caller := self._bearer(given)):
            return caller
        if not given and (path in PAGES or path.startswith(OPEN)) and scope["method"] in SAFE:
            return None
        raise no_token()

    def _bearer(self, given: list[bytes]) -> Caller | None:
        scheme, _, token = given[0].partition(b" ")
        if len(given) > 1 or scheme.lower() != b"bearer" or not token:
            return None
        return self._site.tokens.caller(token)

    def _host(self, scope: Scope) -> str:
        """The port of the host that was asked for; a name that is not ours is refused."""
        given = [value.decode("latin-1") for value in _values(scope, b"host")]
        found = _HOST.fullmatch(given[0]) if len(given) == 1 else None
        if not found or found["name"].lower() not in self._hosts:
            raise HttpError(
                421, "WRONG_HOST", "this server has another name", hint="serve.hosts adds names"
            )
        return found["port"] or ""

    def _same_origin(self, scope: Scope, port: str) -> None:
        """Browsers say whose page is asking; other programs say nothing."""
        refused = HttpError(
            403,
            "FORBIDDEN",
            "pages of other sites may not ask",
            hint="ask from a page of this server, or from a program",
        )
        for origin in _values(scope, b"origin"):
            scheme, _, rest = origin.decode("latin-1").partition("://")
            found = _HOST.fullmatch(rest)
            same = found and (found["port"] or "") == port and found["name"].lower() in self._hosts
            if scheme not in {"http", "https"} or not same:
                raise refused
        for site in _values(scope, b"sec-fetch-site"):
            link = scope["method"] == "GET" and scope["path"] in PAGES
            if site not in {b"same-origin", b"none"} and not link:
                raise refused

    async def _audit(self, scope: Scope, caller: Caller | None, status: int) -> None:
        """Who changed what, or tried to without the right."""
        path = scope["path"]
        if caller is None or scope["method"] in SAFE or path.startswith(QUIET):
            return
        if status < 400 or status in {401, 403}:  # noqa: PLR2004
            kind: Kind = "changed" if status < 400 else "refused"  # noqa: PLR2004
            fact = audited(kind, f"{scope['method']} {path}", scope)
            await self._site.log.aside(partial(self._site.record, fact))


class _Answer:
    """Sends on, with our headers; knows whether an answer has begun, and with which status."""

    def __init__(self, send: Send, *, quiet: bool) -> None:
        self._send = send
        self._kept = quiet  # files may be kept by a browser; facts may not
        self.status = 0
        self.stranger = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if self.stranger and message["status"] == 200:  # noqa: PLR2004
                message["status"] = 401  # the page is there to ask for the token
            self.status = message["status"]
            given = {name.lower() for name, _ in message.get("headers", ())}
            ours = [*_HEADERS, *([] if self._kept else [(b"cache-control", b"no-store")])]
            if self.status == 401:  # noqa: PLR2004
                ours.append((b"www-authenticate", b"Bearer"))
            message["headers"] = [
                *message.get("headers", ()),
                *(each for each in ours if each[0] not in given),
            ]
        await self._send(message)


async def _whole_body(scope: Scope, receive: Receive) -> Receive:
    """A `receive` that has the body in hand; nothing comes through that is not JSON or too large."""
    lengths = _values(scope, b"content-length")
    if (not lengths or lengths == [b"0"]) and not _values(scope, b"transfer-encoding"):
        return receive
    if any(value.lower() != b"identity" for value in _values(scope, b"content-encoding")):
        raise HttpError(
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            "packed bodies are not taken",
            hint="send it without Content-Encoding",
        )
    types = _values(scope, b"content-type")
    if len(types) != 1 or not _JSON.fullmatch(types[0]):
        raise HttpError(
            415, "UNSUPPORTED_MEDIA_TYPE", "the body is not JSON", hint="say application/json"
        )
    whole = await _read(receive, waits=bool(_values(scope, b"expect")), lengths=lengths)
    if not _is_text(whole):
        raise HttpError(
            400, "VALIDATION_ERROR", "the body holds what is no text", hint="send JSON in UTF-8"
        )
    return in_hand(whole, receive)


def in_hand(whole: bytes, receive: Receive) -> Receive:
    """A `receive` that gives a body which was read already, and then goes on."""
    given = False

    async def received() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": whole, "more_body": False}

    return received


async def _read(receive: Receive, *, waits: bool, lengths: list[bytes]) -> bytes:
    large = HttpError(
        413, "TOO_LARGE", f"the body has more than {MAX_BODY:,} bytes", hint="send less at a time"
    )
    if waits and lengths and int(lengths[0]) > MAX_BODY:
        raise large  # it was not sent yet, and need not be
    parts: list[bytes] = []
    size, more = 0, True
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while more and size <= DRAINED:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise HttpError(
                        400, "VALIDATION_ERROR", "the body ended too soon", hint="send it again"
                    )
                size += len(message.get("body", b""))
                more = message.get("more_body", False)
                if size <= MAX_BODY:
                    parts.append(message.get("body", b""))
                else:
                    parts.clear()
    except TimeoutError:
        raise HttpError(408, "TIMEOUT", "the body did not come", hint="send it again") from None
    if size > MAX_BODY:
        raise large
    return b"".join(parts)


def _is_text(whole: bytes) -> bool:
    """JSON can spell half a character, which nothing behind us could write down again."""
    if b"\\ud" not in whole.lower():
        return True
    try:
        json.dumps(json.loads(whole), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    except (ValueError, RecursionError):
        return True  # no JSON at all; that is told elsewhere
    return True


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]


def _is_loopback(scope: Scope) -> bool:
    try:
        return ipaddress.ip_address((scope.get("client") or ("",))[0]).is_loopback
    except ValueError:
        return False
