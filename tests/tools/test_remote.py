"""Tools of real MCP servers, over pipes and over HTTP on this machine."""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prowess.core.chat import Call, Observation
from prowess.core.process import Limits
from prowess.tools.box import open_box
from prowess.tools.place import Place
from prowess.tools.toolbox import Toolbox

SERVER = """
import os, sys, time
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ImageContent, ToolAnnotations

server = MCPServer("test")
folder = sys.argv[1]

def count(name):
    with open(os.path.join(folder, name), "a") as file:
        file.write("x")
    return os.path.getsize(os.path.join(folder, name))

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> str:
    "Adds two numbers."
    return f"{a} and {b} is {a + b}"

@server.tool()
def fail() -> str:
    raise ToolError("the disk is full")

@server.tool()
def setting() -> str:
    return os.environ.get("TEST_SETTING", "unset") + os.environ.get("TEST_SECRET", "")

@server.tool()
def slow() -> str:
    time.sleep(5)
    return "at last"

@server.tool()
def picture() -> ImageContent:
    return ImageContent(type="image", data="QUJD", mime_type="image/png")

@server.tool(annotations=ToolAnnotations(idempotent_hint=True))
def dies_once() -> str:
    if count("once") == 1:
        os._exit(1)
    return "still here"

@server.tool(annotations=ToolAnnotations(idempotent_hint=True))
def dies_always() -> str:
    count("always")
    os._exit(1)

@server.tool()
def dies_and_may_not_repeat() -> str:
    count("never")
    os._exit(1)

@server.tool(name="not.plain")
def not_plain() -> str:
    return ""

if len(sys.argv) > 2:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
else:
    server.run("stdio")
"""

Calls = Callable[[Toolbox], Awaitable[None]]


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    return path


@pytest.fixture
def piped(script: Path, tmp_path: Path) -> dict[str, Any]:
    command = [sys.executable, str(script), str(tmp_path)]
    return {"test": {"command": command, "env": {"TEST_SETTING": "seven"}}}


@pytest.fixture
def served(script: Path, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """The same server over HTTP; a new one is started when it dies, as a service manager would."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    keeper = "import subprocess, sys\nfor _ in range(4): subprocess.run(sys.argv[1:])"
    command = [sys.executable, "-c", keeper, sys.executable, str(script), str(tmp_path), str(port)]
    with (tmp_path / "http.log").open("w") as log:
        process = subprocess.Popen(command, stderr=log, stdout=log, start_new_session=True)
    wait_for(port)
    yield {"test": {"url": f"http://127.0.0.1:{port}/mcp"}}
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()


def wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as there:
            if there.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the server did not start")


@pytest.fixture(params=["piped", "served"])
def servers(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = request.getfixturevalue(request.param)
    return found


def using(place: Place, servers: dict[str, Any], calls: Calls) -> None:
    async def go() -> None:
        async with open_box(place, servers) as box:
            await calls(box)

    asyncio.run(go())


async def call(box: Toolbox, tool: str, **given: Any) -> Observation:
    return await box.act(Call(id="c", tool=f"mcp__test__{tool}", input=given))


def test_a_server_s_tools_are_in_the_box_and_work(place: Place, servers: dict[str, Any]) -> None:
    async def calls(box: Toolbox) -> None:
        cards = {card.name: card for card in box.cards()}
        seen = await call(box, "add", a=2, b=3)

        assert cards["mcp__test__add"].description == "Adds two numbers."
        assert set(cards["mcp__test__add"].parameters["properties"]) == {"a", "b"}
        assert seen.ok
        assert seen.text == "2 and 3 is 5"
        assert {"Read", "Bash"} <= set(cards)

    using(place, servers, calls)


def test_what_a_server_says_of_its_tools_is_heeded(place: Place, piped: dict[str, Any]) -> None:
    async def calls(box: Toolbox) -> None:
        kinds = {
            name: (tool.reads_only, tool.repeatable, tool.kind)
            for name in ("add", "dies_once", "fail")
            if (tool := box.get(f"mcp__test__{name}"))
        }

        assert kinds == {
            "add": (True, True, "API"),
            "dies_once": (False, True, "API"),
            "fail": (False, False, "API"),
        }

    using(place, piped, calls)


def test_an_error_of_a_tool_is_an_observation(place: Place, servers: dict[str, Any]) -> None:
    async def calls(box: Toolbox) -> None:
        seen = await call(box, "fail")

        assert not seen.ok
        assert "the disk is full" in seen.text

    using(place, servers, calls)


def test_arguments_are_mended_for_servers_too(place: Place, piped: dict[str, Any]) -> None:
    async def calls(box: Toolbox) -> None:
        seen = await call(box, "add", arguments='{"A": "2", "b": 3,}')

        assert seen.text.startswith("2 and 3 is 5")

    using(place, piped, calls)


def test_a_picture_is_named_rather_than_shown(place: Place, piped: dict[str, Any]) -> None:
    async def calls(box: Toolbox) -> None:
        assert (await call(box, "picture")).text == "[image, image/png, 3 bytes]"

    using(place, piped, calls)


def test_a_server_gets_only_the_environment_it_is_given(
    place: Place, piped: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_SECRET", "leaked")

    async def calls(box: Toolbox) -> None:
        assert (await call(box, "setting")).text == "seven"

    using(place, piped, calls)


def test_a_call_that_takes_too_long_is_given_up(place: Place, piped: dict[str, Any]) -> None:
    async def calls(box: Toolbox) -> None:
        seen = await call(box, "slow")

        assert not seen.ok
        assert "did not answer within 0.2 s" in seen.text

    using(replace(place, limits=Limits(seconds=0.2)), piped, calls)


def test_a_tool_whose_name_is_not_plain_is_left_out_and_told(
    place: Place, piped: dict[str, Any]
) -> None:
    async def calls(box: Toolbox) -> None:
        assert box.get("mcp__test__not.plain") is None
        assert box.warnings == (
            "the MCP server test has tools whose names are not plain: 'not.plain'",
        )

    using(place, piped, calls)


def test_a_dead_server_is_connected_to_again(place: Place, servers: dict[str, Any]) -> None:
    async def until_it_is_back(pause: float) -> None:
        wait_for(int(servers["test"]["url"].split(":")[2].split("/")[0]))

    async def calls(box: Toolbox) -> None:
        seen = await call(box, "dies_once")

        assert seen.ok, seen.text
        assert seen.text.startswith("still here")
        assert seen.healed[-1] == "connected to test again"

    using(replace(place, sleep=until_it_is_back), servers, calls)


def test_without_healing_a_dead_server_stays_an_error(place: Place, piped: dict[str, Any]) -> None:
    async def calls(box: Toolbox) -> None:
        assert not (await call(box, "dies_once")).ok

    using(replace(place, heals=False), piped, calls)


def test_a_server_that_dies_every_time_is_tried_twice_only(
    place: Place, piped: dict[str, Any], tmp_path: Path
) -> None:
    async def calls(box: Toolbox) -> None:
        seen = await call(box, "dies_always")

        assert not seen.ok
        assert "went away" in seen.text
        assert (tmp_path / "always").read_text() == "xx"

    using(place, piped, calls)


def test_a_call_that_may_not_be_repeated_is_left_in_doubt(
    place: Place, servers: dict[str, Any], tmp_path: Path
) -> None:
    async def calls(box: Toolbox) -> None:
        seen = await call(box, "dies_and_may_not_repeat")

        assert not seen.ok
        assert "Whether it was made is not known" in seen.text
        assert (tmp_path / "never").read_text() == "x"

    using(place, servers, calls)


def test_after_a_death_the_next_call_finds_a_new_server(
    place: Place, piped: dict[str, Any]
) -> None:
    async def calls(box: Toolbox) -> None:
        await call(box, "dies_and_may_not_repeat")
        both = await asyncio.gather(call(box, "add", a=1, b=1), call(box, "add", a=2, b=2))

        assert [seen.text for seen in both] == ["1 and 1 is 2", "2 and 2 is 4"]

    using(place, piped, calls)


@pytest.mark.parametrize(
    ("server", "why"),
    [
        ({"command": ["no-such-program-anywhere"]}, "no-such-program-anywhere"),
        ({"command": [sys.executable, "-c", "import sys; sys.exit('no licence')"]}, "no licence"),
        ({"url": "http://127.0.0.1:9/mcp"}, "is not there: "),
    ],
)
def test_a_server_that_cannot_be_had_does_not_stop_the_run(
    place: Place, piped: dict[str, Any], server: dict[str, Any], why: str
) -> None:
    async def calls(box: Toolbox) -> None:
        told = box.warnings[0]

        assert told.startswith("the MCP server gone is not there: ")
        assert why in told
        assert (await call(box, "add", a=1, b=2)).ok

    using(place, {"gone": server, **piped}, calls)


def test_no_server_is_left_running_when_the_box_is_closed(
    place: Place, script: Path, tmp_path: Path
) -> None:
    script.write_text(
        SERVER.replace(
            "server =", "open(sys.argv[1] + '/pid', 'w').write(str(os.getpid()))\nserver =", 1
        )
    )
    servers = {"test": {"command": [sys.executable, str(script), str(tmp_path)]}}

    async def calls(box: Toolbox) -> None:
        assert (await call(box, "add", a=1, b=2)).ok

    using(place, servers, calls)

    assert not Path("/proc", (tmp_path / "pid").read_text()).exists()


def test_without_servers_the_box_has_the_standard_tools(place: Place) -> None:
    async def calls(box: Toolbox) -> None:
        assert next(iter(box.cards())).name == "Read"
        assert box.warnings == ()

    using(place, {}, calls)
