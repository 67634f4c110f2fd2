"""MCP inside `prowess serve`: the same server, behind the application's guard."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from house import skill_file
from prowess.model.scripted import Script, call, final
from prowess.serve.mcp import include
from serve.mcp_talking import Era, Person, client_of, text_of
from serve.served import Home, Served
from support import until, write_skill

ERAS: tuple[Era, ...] = ("auto", "legacy")
END_USER, DEVELOPER = "token-of-an-end-user", "token-of-a-developer"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
JSON = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    chosen: Era = request.param
    return chosen


@pytest.fixture
def at(home: Path, project: Path) -> Path:
    return project


@contextmanager
def serving(at: Path, scripts: dict[str, Script], **settings: Any) -> Iterator[Served]:
    with Home(at, at / ".data", scripts, settings).serving(faces=(include,)) as served:
        yield served


def test_a_skill_runs_and_its_question_is_answered_over_http(at: Path, era: Era) -> None:
    skill_file(at, "ask", "Ask.")
    script = [call("Ask", question="Which?", options=["red", "blue"]), final("done")]
    told: list[str | None] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async def work(served: Served) -> Any:
        async with client_of(served, era=era, person=person) as client:
            return await client.call_tool("ask", {}, progress_callback=tell)

    person = Person(["blue"])
    with serving(at, {"ask": script}) as served:
        result = asyncio.run(work(served))
        view = served.get(f"/api/runs/{result.structured_content['run']}").json

    assert text_of(result).startswith("done")
    assert [each.message for each in person.asked] == ["Which?"]
    assert told[0] == "Run ask"
    assert view["state"] == "done"


def test_tools_prompts_and_skills_are_listed_over_http(at: Path, era: Era) -> None:
    write_skill(at / ".agents/skills", "pdf")

    async def work(served: Served) -> tuple[set[str], set[str], str]:
        async with client_of(served, era=era) as client:
            tools = {each.name for each in (await client.list_tools()).tools}
            prompts = {each.name for each in (await client.list_prompts()).prompts}
            (read,) = (await client.read_resource("skill://pdf/SKILL.md")).contents
            return tools, prompts, getattr(read, "text", "")

    with serving(at, {}) as served:
        tools, prompts, read = asyncio.run(work(served))

    assert {"pdf", "prowess_match"} <= tools
    assert "pdf" in prompts
    assert read.startswith("---\nname: pdf")


def test_hanging_up_cancels_the_run_of_a_client_without_a_session(at: Path) -> None:
    skill_file(at, "slow", "Wait.", **{"allowed-tools": "Bash(sleep:*)"})
    script = [call("Bash", command="sleep 62"), final("never")]

    async def work(served: Served) -> None:
        async with client_of(served) as client:
            calling = asyncio.create_task(client.call_tool("slow", {}))
            await asyncio.to_thread(until, lambda: bool(served.get("/api/runs").json["runs"]))
            calling.cancel()
            await asyncio.wait([calling])

    with serving(at, {"slow": script}) as served:
        asyncio.run(work(served))
        until(lambda: served.get("/api/runs").json["runs"][0]["state"] == "cancelled")


def test_a_client_with_a_session_cancels_by_saying_so(at: Path) -> None:
    skill_file(at, "slow", "Wait.", **{"allowed-tools": "Bash(sleep:*)"})
    script = [call("Bash", command="sleep 62"), final("never")]

    async def work(served: Served) -> None:
        async with client_of(served, era="legacy") as client:
            calling = asyncio.create_task(client.call_tool("slow", {}))
            await asyncio.to_thread(until, lambda: bool(served.get("/api/runs").json["runs"]))
            calling.cancel()
            await asyncio.wait([calling])
            await asyncio.to_thread(
                until, lambda: served.get("/api/runs").json["runs"][0]["state"] == "cancelled"
            )

    with serving(at, {"slow": script}) as served:
        asyncio.run(work(served))


def test_clients_that_count_alike_are_not_mixed_up(at: Path) -> None:
    for name in ("one", "two"):
        skill_file(at, name, "x")
    scripts: dict[str, Script] = {name: [final(f"from {name}")] for name in ("one", "two")}

    async def work(served: Served) -> list[Any]:
        async with client_of(served) as first, client_of(served) as second:
            calls = [(first, "one"), (second, "two")] * 3
            return await asyncio.gather(*(client.call_tool(name, {}) for client, name in calls))

    with serving(at, scripts) as served:
        results = asyncio.run(work(served))

    assert [text_of(each).split("\n")[0] for each in results] == ["from one", "from two"] * 3


def test_without_a_token_nobody_comes_in_where_tokens_are_set(at: Path) -> None:
    with serving(at, {}, serve_tokens={DEVELOPER: "DEVELOPER"}) as served:
        stranger = served.post("/mcp", HELLO, headers=JSON)
        wrong = served.post("/mcp", HELLO, headers=JSON, token=DEVELOPER[::-1])
        known = served.post("/mcp", HELLO, headers=JSON, token=DEVELOPER)

    assert (stranger.status, wrong.status, known.status) == (401, 401, 200)


def test_a_role_sees_and_changes_no_more_than_over_rest(at: Path) -> None:
    skill_file(at, "note", "Write.")
    script = [call("Write", file_path="note.txt", content="hidden words"), final("Written.")]

    async def work(served: Served, token: str) -> list[Any]:
        async with client_of(served, token=token) as client:
            done = await client.call_tool("note", {"arguments": "a private matter"})
            run = done.structured_content["run"]
            return [
                done,
                await client.call_tool("prowess_run_show", {"run": run}),
                await client.call_tool("prowess_run_events", {"run": run}),
                await client.call_tool("prowess_task_create", {"title": "x", "role": "Tester"}),
            ]

    tokens = {END_USER: "END_USER", DEVELOPER: "DEVELOPER"}
    with serving(at, {"note": script}, serve_tokens=tokens) as served:
        plain = asyncio.run(work(served, END_USER))
        full = asyncio.run(work(served, DEVELOPER))

    assert text_of(plain[0]).startswith("Written.")
    told = json.dumps([each.structured_content for each in plain])
    assert "hidden words" not in told
    assert "a private matter" not in told
    assert "this is for DEVELOPER" in text_of(plain[3])
    told = json.dumps([each.structured_content for each in full])
    assert "hidden words" in told
    assert "a private matter" in told
    assert full[3].structured_content["id"] == "TES-M-0001"


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}]
)
def test_pages_of_other_sites_get_nothing(at: Path, headers: dict[str, str]) -> None:
    with serving(at, {}) as served:
        answer = served.post("/mcp", HELLO, headers={**JSON, **headers})

    assert answer.status in (403, 421)
    assert b"prowess" not in answer.body


def test_a_body_that_is_too_large_or_no_json_is_refused(at: Path) -> None:
    with serving(at, {}) as served:
        large = served.post("/mcp", b'{"a": "' + b"x" * 2_000_000 + b'"}', headers=JSON)
        broken = served.post("/mcp", b"{", headers=JSON)
        deep = served.post("/mcp", b"[" * 100_000, headers=JSON)

    assert large.status == 413
    assert broken.status == 400
    assert deep.status == 400


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"jsonrpc": "2.0", "apikey": "what-was-sent"}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": ["what-was-sent"]}, -32600),
        ([{"jsonrpc": "2.0", "id": 1, "method": "what-was-sent"}], -32600),
        (b'{"apikey": "what-was-sent', -32700),
    ],
)
def test_what_is_no_message_is_not_quoted(at: Path, body: Any, code: int) -> None:
    with serving(at, {}) as served:
        answer = served.post("/mcp", body, headers=JSON)

    assert answer.status == 400
    assert answer.json["error"]["code"] == code
    assert b"what-was-sent" not in answer.body
    assert b"pydantic" not in answer.body


@pytest.mark.parametrize("host", ["fd00::1", "FD00::1", "[fd00::1]"])
def test_an_address_of_ipv6_is_a_name_of_the_server(at: Path, host: str) -> None:
    """As clients write it; that it listens there is not needed for that."""
    with serving(at, {}, serve_host=host) as served:
        headers = {"Host": "[fd00::1]:7700", "Origin": "http://[fd00::1]:7700"}
        rest = served.get("/api/runs", headers=headers)
        mcp = served.post("/mcp", HELLO, headers={**JSON, **headers})
        other = served.get("/api/runs", headers={"Host": "[fd00::2]:7700"})

    assert (rest.status, mcp.status, other.status) == (200, 200, 421)
