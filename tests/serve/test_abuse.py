"""
Requests that nobody means well with, sent byte by byte; those of the shared collection
(`PROWESS_SHARED`, default ../shared) when it lies beside the checkout, and our own always.
"""

import base64
import gzip
import json
import os
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from house import skill_file
from prowess.model.scripted import call, final
from serve.served import Home, Served
from support import until

SHARED = Path(
    os.environ.get("PROWESS_SHARED", Path(__file__).parent.parent.parent.parent / "shared")
)
FILE = SHARED / "data" / "security" / "http_abuse.jsonl"
CASES = [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []
TOKEN = "Abuse-" + "0123456789" * 2
ROUTES = {
    "list_skills": "/api/skills",
    "get_skill": "/api/skills/{id}",
    "list_runs": "/api/runs",
    "get_run": "/api/runs/{id}",
    "run_events": "/api/runs/{id}/events",
    "start_run": "/api/runs",
    "cancel_run": "/api/runs/{id}/cancel",
    "answer_question": "/api/runs/{id}/answer",
    "mcp": "/mcp",
    "metrics": "/metrics",
    "openapi": "/openapi.json",
    "health": "/health",
    "dashboard": "/",
    "dashboard_data": "/api/stats",
}


@dataclass(frozen=True)
class Raw:
    status: int
    head: str
    body: bytes

    def header(self, name: str) -> list[str]:
        found = re.findall(rf"(?im)^{re.escape(name)}:\s*(.*?)\r?$", self.head)
        return [str(each) for each in found]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    at = tmp_path_factory.mktemp("abuse")
    project = at / "project"
    skill_file(project, "note", "Do it.")
    script = [call("Read", file_path="x.txt"), final("Done.")]
    settings = {"serve_tokens": {TOKEN: "ADMIN"}, "skills_sync_dir": str(at / "pack")}
    home = Home(project, at / "data", {"*": script}, settings)
    with home.serving(token=TOKEN) as served:
        yield served


@pytest.fixture(scope="module")
def run(served: Served) -> str:
    """A run that has ended."""
    run = served.start("note")
    served.ended(run)
    return run


def send(served: Served, request: bytes, *, stream: bool = False) -> Raw:
    """What comes back for exactly these bytes; of a stream, what comes within a moment."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as connection:
        with suppress(OSError):  # it may have heard enough; its answer is still there to be read
            connection.sendall(request)
        if stream:
            connection.settimeout(1)
        got = b""
        with suppress(OSError):
            while piece := connection.recv(65536):
                got += piece
    head, _, body = got.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 "), got[:200]
    return Raw(int(head.split()[1]), head.decode("latin-1"), body)


def request(method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode("latin-1") + body


def chunked(size: int) -> bytes:
    piece = b"10000\r\n" + b"0" * 65536 + b"\r\n"
    return piece * (size // 65536) + b"0\r\n\r\n"


def filled(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for name, text in words.items():
            value = value.replace(f"{{{name}}}", text)
        return value
    if isinstance(value, dict):
        return {filled(key, words): filled(each, words) for key, each in value.items()}
    return [filled(each, words) for each in value] if isinstance(value, list) else value


def made(case: dict[str, Any], served: Served, words: Mapping[str, str]) -> bytes:
    """The bytes of a case."""
    headers = {"Host": f"127.0.0.1:{served.port}", **case["headers"]}
    if case["auth"] == "valid":
        headers["Authorization"] = f"Bearer {TOKEN}"
    given = "SKILL" if "skill" in case["route"] else "RUN"
    path = case.get("path") or ROUTES[case["route"]].replace(
        "{id}", case.get("resource_id", words[given])
    )
    if case.get("query"):
        path += "?" + urlencode(case["query"])
    if "raw" in case:
        return str(case["raw"]).encode("latin-1")
    body = b""
    if "json" in case:
        body = json.dumps(case["json"]).encode()
    elif "body" in case or "raw_body" in case:
        body = str(case.get("body", case.get("raw_body"))).encode("latin-1")
    elif "body_size" in case:
        body = b"0" * case["body_size"]
    elif "gzip_zeros" in case:
        body = gzip.compress(b"0" * int(case["gzip_zeros"]))
    if "chunked_size" in case:
        return request(
            case["method"],
            path,
            {**headers, "Transfer-Encoding": "chunked"},
            chunked(case["chunked_size"]),
        )
    if body and "Content-Length" not in headers:
        headers["Content-Length"] = str(len(body))
    return request(case["method"], path, headers, body)


def known_routes() -> list[Any]:
    """Cases whose route we have; others are left out and named in the id of none."""
    return [
        pytest.param(case, id=case["id"])
        for case in CASES
        if case["route"] in ROUTES or case["route"] == "raw_path"
    ] or [pytest.param({}, marks=pytest.mark.skip(reason="PROWESS_SHARED says where cases lie"))]


@pytest.mark.parametrize("case", known_routes())
def test_the_shared_collection_holds(case: dict[str, Any], served: Served, run: str) -> None:
    ids = [each.seq for each in served.site.log.run(run)]
    words = {
        "PORT": str(served.port),
        "TOKEN": TOKEN,
        "TOKEN_PREFIX": TOKEN[:-1],
        "TOKEN_UPPER": TOKEN.upper(),
        "TOKEN_B64": base64.b64encode(TOKEN.encode()).decode(),
        "SKILL": "note",
        "RUN": run,
        "LAST_ID": str(ids[-1]),
        "MID_ID": str(ids[2]),
        "OTHER_RUN_EVENT": "1",
        "ROUTE": ROUTES.get(case["route"], ""),
    }
    case = filled(case, words)
    before = len(list(served.site.log.tail(kind="run.started")))

    answer = send(served, made(case, served, words), stream=case["route"] == "run_events")

    expected = case["expect"]
    assert answer.status in expected["status_in"], case["why"]
    text = answer.body.decode("utf-8", "replace")
    for word in expected.get("body_not_contains", ()):
        assert word not in text
    for name, wanted in expected.get("headers_required", {}).items():
        value = ", ".join(answer.header(name))
        assert value
        assert all(word in value for word in wanted)
    if expected.get("no_side_effect"):
        assert len(list(served.site.log.tail(kind="run.started"))) == before
    if "replayed" in expected:
        assert [int(each) for each in re.findall(r"(?m)^id: (\d+)", text)] == ids[3:]


def good(served: Served, **more: str) -> dict[str, str]:
    return {
        "Host": f"127.0.0.1:{served.port}",
        "Authorization": f"Bearer {TOKEN}",
        **{name.replace("_", "-"): value for name, value in more.items()},
    }


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example#127.0.0.1",
        "user@127.0.0.1",
        "127.0.0.1:80:80",
        "0.0.0.0",  # noqa: S104
        "2130706433",
        "127.1",
        "localhost.",
        "[::ffff:7f00:1]",
        "",
    ],
)
def test_a_name_that_is_not_ours_gets_nothing(served: Served, host: str) -> None:
    answer = send(served, request("GET", "/api/skills", {**good(served), "Host": host}))

    assert answer.status in {400, 421}


@pytest.mark.parametrize("host", ["localhost:{PORT}", "LOCALHOST:{PORT}", "[::1]:{PORT}"])
def test_every_name_of_loopback_is_ours(served: Served, host: str) -> None:
    name = host.replace("{PORT}", str(served.port))

    assert send(served, request("GET", "/api/skills", {**good(served), "Host": name})).status == 200


def test_two_hosts_are_one_too_many(served: Served) -> None:
    twice = request("GET", "/api/skills", good(served)).replace(
        b"Connection:", b"Host: evil.example\r\nConnection:"
    )

    assert send(served, twice).status in {400, 421}


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://evil.example",
        "http://127.0.0.1:1",
        "http://localhost.evil.example:{PORT}",
        "file://",
        "http://127.0.0.1:{PORT}@evil.example",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/api/runs", "/mcp"])
def test_a_page_of_another_site_changes_nothing(served: Served, origin: str, path: str) -> None:
    body = b'{"skill": "note"}'
    headers = good(
        served,
        Origin=origin.replace("{PORT}", str(served.port)),
        Content_Type="application/json",
        Content_Length=str(len(body)),
    )

    assert send(served, request("POST", path, headers, body)).status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_browser_that_asks_for_another_page_reads_nothing(served: Served, site: str) -> None:
    asked = good(served, Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors")

    assert send(served, request("GET", "/api/skills", asked)).status == 403
    assert (
        send(served, request("GET", "/", asked)).status == 200
    )  # a link to the page may be followed


@pytest.mark.parametrize(
    "given",
    [
        "",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN.upper()}",
        f"Basic {TOKEN}",
        f"Bearer  {TOKEN}",
        "Bearer ",
        TOKEN,
        "Bearer \xff\xfe",
        f"Bearer {TOKEN}, Bearer {TOKEN}",
    ],
)
@pytest.mark.parametrize("path", ["/api/skills", "/metrics", "/openapi.json", "/mcp", "/nowhere"])
def test_without_the_token_there_is_nothing_to_learn(served: Served, given: str, path: str) -> None:
    headers = {"Host": f"127.0.0.1:{served.port}"}
    if given:
        headers["Authorization"] = given

    answer = send(served, request("GET", path, headers))

    assert answer.status == 401
    assert answer.header("www-authenticate") == ["Bearer"]


def test_a_token_in_a_cookie_or_in_the_address_opens_nothing(served: Served) -> None:
    headers = {"Host": f"127.0.0.1:{served.port}", "Cookie": f"token={TOKEN}"}

    assert send(served, request("GET", f"/api/skills?token={TOKEN}", headers)).status == 401


def test_the_page_is_there_to_ask_for_the_token_and_knows_nothing(served: Served) -> None:
    answer = send(served, request("GET", "/", {"Host": f"127.0.0.1:{served.port}"}))

    assert answer.status == 401
    assert b"<html" in answer.body.lower()
    assert b"note" not in answer.body.lower().replace(b"noted", b"")


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Content-Type": "text/plain"}, b"{}", 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, b"skill=note", 415),
        ({"Content-Type": "multipart/form-data; boundary=x"}, b"--x--", 415),
        ({}, b'{"skill": "note"}', 415),
        (
            {"Content-Type": "application/json", "Content-Encoding": "gzip"},
            gzip.compress(b"{}", mtime=0),
            415,
        ),
        ({"Content-Type": "application/json"}, b"{", 400),
        ({"Content-Type": "application/json"}, b"\xff\xfe", 400),
        ({"Content-Type": "application/json"}, b"[" * 100_000, 400),
        ({"Content-Type": "application/json"}, b'{"a":' * 100_000, 400),
        ({"Content-Type": "application/json"}, b'{"skill": "\\ud800"}', 400),
        ({"Content-Type": "application/json"}, b'{"skill": "\\u0000"}', 404),
        ({"Content-Type": "application/json"}, b'{"skill": NaN}', 400),
        ({"Content-Type": "application/json"}, b'{"skill": 1' + b"0" * 10_000 + b"}", 400),
        ({"Content-Type": "application/json"}, b"0" * 2_000_000, 413),
    ],
)
def test_a_body_that_is_not_small_plain_json_starts_nothing(
    served: Served, headers: dict[str, str], body: bytes, status: int
) -> None:
    given = {**good(served), **headers, "Content-Length": str(len(body))}

    answer = send(served, request("POST", "/api/runs", given, body))

    assert answer.status == status
    assert json.loads(answer.body)["error"] is True


def test_a_body_in_pieces_is_counted_as_it_comes(served: Served) -> None:
    headers = good(served, Content_Type="application/json", Transfer_Encoding="chunked")

    answer = send(served, request("POST", "/api/runs", headers, chunked(20_000_000)))

    assert answer.status == 413


def test_every_answer_carries_the_headers_that_protect_it(served: Served) -> None:
    for path in ("/", "/api/skills", "/nowhere", "/health"):
        for host in (f"127.0.0.1:{served.port}", "evil.example"):
            answer = send(served, request("GET", path, {**good(served), "Host": host}))

            assert "frame-ancestors 'none'" in answer.header("Content-Security-Policy")[0]
            assert answer.header("X-Content-Type-Options") == ["nosniff"]
            assert not answer.header("Server")
            assert not answer.header("Access-Control-Allow-Origin")


def test_a_preflight_is_granted_nothing(served: Served) -> None:
    asked = good(served, Origin="http://evil.example", Access_Control_Request_Method="POST")

    answer = send(served, request("OPTIONS", "/api/runs", asked))

    assert answer.status == 403
    assert not answer.header("Access-Control-Allow-Origin")


@pytest.mark.parametrize("given", ["x", "-5", "1e9", "1" * 40, "1.5", "\xb2", "0x10", "1 2"])
def test_a_number_that_we_never_gave_is_refused(served: Served, run: str, given: str) -> None:
    asked = good(served, Last_Event_ID=given)

    answer = send(served, request("GET", f"/api/runs/{run}/events", asked), stream=True)

    assert answer.status == 400


def test_a_mistake_of_ours_is_told_without_its_inside(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("the inside")

    monkeypatch.setattr(served.site.views, "page", broken)

    answer = send(served, request("GET", "/api/runs", good(served)))

    assert answer.status == 500
    assert json.loads(answer.body)["code"] == "INTERNAL_ERROR"
    assert b"inside" not in answer.body
    assert answer.header("X-Content-Type-Options")


def test_the_server_lives_on(served: Served) -> None:
    until(lambda: served.get("/health").status == 200)
