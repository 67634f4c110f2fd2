"""`prowess mcp` as an agent starts it: a process of its own, spoken to over its pipes."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from house import skill_file
from serve.mcp_talking import Era, Person, text_of
from support import Cli, until, write_file

ERAS: tuple[Era, ...] = ("auto", "legacy")
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
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
PAUSE = f"61.{os.getpid()}"  # so that nobody else's command looks like ours
SLEEP = f"""
turns:
  - {{call: Bash, input: {{command: "sleep {PAUSE}"}}}}
  - answer: done
"""
ASK = """
turns:
  - {call: Ask, input: {question: "Which?", options: [red, blue]}}
  - answer: done
"""


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    chosen: Era = request.param
    return chosen


@pytest.fixture
def at(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PROWESS_MODEL_DEFAULT", "demo")
    note = skill_file(project, "note", "Write a note.")
    write_file(note / "demo.yaml", "turns: [{answer: Noted.}]\n")
    folder = skill_file(project, "slow", "Wait.", **{"allowed-tools": "Bash(sleep:*)"})
    write_file(folder / "demo.yaml", SLEEP)
    write_file(skill_file(project, "ask", "Ask.") / "demo.yaml", ASK)
    return project


def command() -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "prowess", "mcp"], env=dict(os.environ)
    )


def sleeping() -> bool:
    """Whether the command of the skill `slow` runs somewhere."""
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return any(line.split() == ["sleep", PAUSE] for line in found.stdout.splitlines())


class Pipes:
    """The process with its pipes in hand, as a client has them that is about to misbehave."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *words, "-m", "prowess", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def say(self, *messages: Any) -> None:
        assert self.process.stdin
        for each in messages:
            line = each if isinstance(each, bytes) else json.dumps(each).encode()
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def call(self, tool: str, id: int = 2) -> None:  # noqa: A002
        params = {"name": tool, "arguments": {}}
        self.say({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})

    def end(self) -> tuple[bytes, bytes]:
        """Hang up, and what was left in the pipes."""
        return self.process.communicate(timeout=30)


def test_an_agent_lists_runs_and_is_asked(at: Path, era: Era) -> None:
    async def work() -> tuple[set[str], Any]:
        async with Client(command(), mode=era, elicitation_callback=person) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            return tools, await client.call_tool("ask", {})

    person = Person(["blue"])
    tools, result = asyncio.run(work())

    assert {"note", "ask", "prowess_match", "answer"} <= tools
    assert text_of(result).startswith("done")
    assert [each.message for each in person.asked] == ["Which?"]


def test_a_client_that_cancels_stops_the_run(at: Path, era: Era) -> None:
    async def work() -> Any:
        async with Client(command(), mode=era) as client:
            calling = asyncio.create_task(client.call_tool("slow", {}))
            await asyncio.to_thread(until, sleeping)
            calling.cancel()
            await asyncio.wait([calling])
            while True:
                (run,) = (await client.call_tool("prowess_runs", {})).structured_content["runs"]
                if run["ended"]:
                    return run
                await asyncio.sleep(0.05)

    assert asyncio.run(work())["state"] == "cancelled"
    assert not sleeping()


def test_only_the_protocol_is_on_stdout_whatever_comes_in(at: Path) -> None:
    pipes = Pipes()
    pipes.say(b"not json", b"\xff\xfe", b"[]", b"{}", HELLO, READY)
    pipes.say({"jsonrpc": "2.0", "id": 7, "method": "no/such/method"})
    pipes.call("note", id=8)
    answers = {}
    while 8 not in answers:
        heard = pipes.hear()
        assert heard["jsonrpc"] == "2.0"
        answers[heard.get("id")] = heard

    rest, _ = pipes.end()

    assert answers[1]["result"]["serverInfo"]["name"] == "prowess"
    assert answers[7]["error"]["code"] == -32601
    assert not answers[8]["result"]["isError"], answers[8]
    assert rest == b""
    assert pipes.process.returncode == 0


def test_a_client_that_hangs_up_leaves_no_process_and_a_run_that_can_go_on(
    at: Path, cli: Cli
) -> None:
    pipes = Pipes()
    pipes.say(HELLO, READY)
    pipes.call("slow")
    until(sleeping)

    pipes.end()

    assert pipes.process.returncode == 0
    assert not sleeping()
    (run,) = cli("runs", "list", "--json").json
    assert run["state"] == "interrupted"
    assert run["ended"] is None


def test_a_client_that_dies_without_reading_is_survived(at: Path) -> None:
    pipes = Pipes()
    pipes.say(HELLO, READY)
    pipes.hear()
    assert pipes.process.stdout
    assert pipes.process.stdin
    pipes.process.stdout.close()
    pipes.say({"jsonrpc": "2.0", "id": 3, "method": "tools/list"})
    pipes.process.stdin.close()

    assert pipes.process.wait(30) is not None
    assert pipes.process.stderr
    assert b"Traceback" not in pipes.process.stderr.read()
    pipes.process.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_what_it_runs(at: Path, number: signal.Signals) -> None:
    pipes = Pipes()
    pipes.say(HELLO, READY)
    pipes.call("slow")
    until(sleeping)

    pipes.process.send_signal(number)
    pipes.process.wait(30)

    until(lambda: not sleeping())
    _, said = pipes.end()
    assert b"Traceback" not in said


def test_a_client_that_only_looks_waits_for_no_engine(at: Path) -> None:
    pipes = Pipes("-X", "importtime")
    pipes.say(HELLO, READY, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    while pipes.hear().get("id") != 2:
        pass

    _, timed = pipes.end()

    loaded = {line.rpartition("|")[2].strip().split(".")[0] for line in timed.decode().splitlines()}
    assert "mcp" in loaded
    assert not loaded & {"dbos", "sqlalchemy", "pydantic_ai", "fastapi"}


def test_two_agents_may_share_one_project(at: Path) -> None:
    async def work() -> list[str]:
        async with Client(command()) as one, Client(command()) as other:
            results = await asyncio.gather(
                *(client.call_tool("note", {}) for client in (one, other) for _ in range(2))
            )
            assert not any(each.is_error for each in results)
            runs = (await one.call_tool("prowess_runs", {})).structured_content["runs"]
            return [run["state"] for run in runs]

    assert asyncio.run(work()) == ["done"] * 4
