"""Runs that are there already are paused, resumed and tried again over MCP, in the words of REST."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from house import skill_file
from prowess.core.event import Event
from prowess.model.scripted import call, final
from prowess.observe.log import SqliteLog
from serve.mcp_talking import Home, text_of


@pytest.fixture
def at(home: Path, project: Path) -> Path:
    return project


async def ask(client: Client, tool: str, **given: Any) -> Any:
    return (await client.call_tool(f"prowess_{tool}", given)).structured_content


def test_a_run_is_paused_and_resumed_and_ended_only_once(at: Path, tmp_path: Path) -> None:
    skill_file(at, "ask", "Ask.")
    script = [call("Ask", question="Which?", options=["red", "blue"]), final("done")]

    async def work(client: Client) -> list[Any]:
        run = (await client.call_tool("ask", {})).structured_content["run"]
        paused = await ask(client, "run_pause", run=run)
        stands = (await ask(client, "run_show", run=run))["state"]
        resumed = await ask(client, "run_resume", run=run)
        again = await client.call_tool("prowess_run_resume", {"run": run})
        answered = await client.call_tool("answer", {"run": run, "answer": "blue"})
        over = [
            text_of(await client.call_tool(f"prowess_run_{name}", {"run": run}))
            for name in ("pause", "resume", "cancel")
        ]
        return [run, paused, stands, resumed, again, answered, over]

    home = Home(at, tmp_path / "data", {"ask": script})
    run, paused, stands, resumed, again, answered, over = home.talk(work)

    assert (paused, stands) == ({"run": run, "paused": True}, "paused")
    assert resumed == {"run": run, "resumed": True}
    assert "is being worked on" in text_of(again)
    assert text_of(answered).startswith("done")
    assert all(f"the run {run} has ended: done" in each for each in over)


def test_a_run_is_tried_again_from_an_iteration(at: Path, tmp_path: Path) -> None:
    skill_file(at, "note", "Write.")
    script = [call("Write", file_path="a.txt", content="1"), final("Written.")]
    home = Home(at, tmp_path / "data", {"note": script})

    async def work(client: Client) -> list[Any]:
        run = (await client.call_tool("note", {})).structured_content["run"]
        (at / "a.txt").unlink()
        nowhere = await client.call_tool("prowess_run_fork", {"run": run})
        forked = await ask(client, "run_fork", run=run, iteration=2)
        async with asyncio.timeout(60):
            while (await ask(client, "run_show", run=forked["run"]))["state"] == "running":  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        whole = await ask(client, "run_fork", run=run, iteration=2.0)
        wrong = [
            text_of(await client.call_tool("prowess_run_fork", {"run": run, **each}))
            for each in ({"step": ""}, {"step": "9" * 150}, {"iteration": 10**9})
        ]
        return [run, nowhere, forked, whole, wrong]

    run, nowhere, forked, whole, wrong = home.talk(work)

    assert "say where it forks" in text_of(nowhere)
    assert forked["forked"] == run
    assert forked["run"] != run
    assert not (at / "a.txt").exists(), "what came before is not done again"
    assert whole["forked"] == run, "2.0 is a whole number, too"
    assert "should be non-empty" in wrong[0]
    assert "has no iteration 999" in wrong[1]
    assert "maximum" in wrong[2]


def test_a_part_of_a_run_is_not_stopped_alone(at: Path, tmp_path: Path) -> None:
    skill_file(at, "ask", "Ask.")
    script = [call("Ask", question="Which?"), final("done")]

    async def work(client: Client) -> list[str]:
        run = (await client.call_tool("ask", {})).structured_content["run"]
        log = SqliteLog(str(tmp_path / "data" / "log.sqlite3"))
        log.append(Event(run=f"{run}.1", kind="run.started", payload={"skill": "ask"}))
        log.close()
        return [
            text_of(await client.call_tool(f"prowess_run_{name}", {"run": f"{run}.1"}))
            for name in ("pause", "resume", "cancel")
        ]

    told = Home(at, tmp_path / "data", {"ask": script}).talk(work)

    assert all("name the whole run" in each for each in told), told
