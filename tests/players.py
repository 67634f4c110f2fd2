"""
Every renderer with somebody at its other end: a person who types lines, a program, a page, an MCP client.

A player plays a conversation with given answers and returns what was seen. It is silent after the
last answer: then nobody is there any more.
"""

import asyncio
import io
import json
import os
import pty
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Literal, TextIO

import mcp_types as types
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer

from prowess.core.run import Outcome
from prowess.core.workflow import Renderer
from prowess.workflow.renderers.aider import AiderRenderer
from prowess.workflow.renderers.json_lines import JsonRenderer
from prowess.workflow.renderers.lines import Lines
from prowess.workflow.renderers.markdown import MarkdownRenderer
from prowess.workflow.renderers.mcp import FIELD, McpRenderer, Returned
from prowess.workflow.renderers.terminal import TerminalRenderer
from prowess.workflow.renderers.web import WebRenderer

Talk = Callable[[Renderer], Awaitable[str]]
Player = Callable[[Talk, Sequence[str]], str]
Make = Callable[[io.StringIO, Lines], Renderer]


def typing(make: Make) -> Player:
    """Somebody who types the answers ahead and then closes the line."""

    def play(talk: Talk, answers: Sequence[str]) -> str:
        out = io.StringIO()
        reading, writing = os.pipe()
        os.write(writing, "".join(f"{answer}\n" for answer in answers).encode())
        os.close(writing)

        async def go() -> None:
            await talk(make(out, Lines(reading)))

        try:
            asyncio.run(go())
        finally:
            os.close(reading)
        return out.getvalue()

    return play


def at_a_terminal(talk: Talk, answers: Sequence[str]) -> str:
    """A person at a real terminal, who answers whenever there is a prompt and then hangs up."""
    keyboard, screen = pty.openpty()
    seen: list[str] = []
    left = list(answers)

    def person() -> None:
        with suppress(OSError):  # the terminal is closed
            while part := os.read(keyboard, 65536):
                seen.append(part.decode("utf-8", "replace"))
                if "> " in part.decode("utf-8", "replace"):
                    os.write(keyboard, f"{left.pop(0)}\n".encode() if left else b"\x04")

    typist = threading.Thread(target=person)
    typist.start()

    async def go(out: TextIO) -> None:
        await talk(TerminalRenderer(out, Lines(screen), aside=out))

    try:
        with open(os.dup(screen), "w", encoding="utf-8") as out:
            asyncio.run(go(out))
    finally:
        os.close(screen)
        typist.join()
        os.close(keyboard)
    return "".join(seen).replace("\r\n", "\n")


def as_a_program(talk: Talk, answers: Sequence[str]) -> str:
    """JSON in, JSON out; what was seen is every text in it."""
    lines = [json.dumps({"answer": answer}) for answer in answers]
    out = typing(JsonRenderer)(talk, lines)
    return texts([json.loads(line) for line in out.splitlines()])


def on_a_page(talk: Talk, answers: Sequence[str]) -> str:
    facts: list[dict[str, Any]] = []
    left = list(answers)

    async def go() -> None:
        def tell(fact: dict[str, Any]) -> None:
            facts.append(fact)
            if fact["kind"] == "question":
                asyncio.get_running_loop().call_soon(send, fact["id"])

        def send(question: str) -> None:
            renderer.answer(question, left.pop(0) if left else None)

        renderer = WebRenderer(tell)
        await talk(renderer)

    asyncio.run(go())
    return texts(facts)


def texts(facts: Sequence[dict[str, Any]]) -> str:
    seen: list[str] = []
    for fact in facts:
        seen += [fact.get(name, "") for name in ("wrong", "text", "prompt", "summary")]
        seen += [f"{number}. {option}" for number, option in enumerate(fact.get("options", ()), 1)]
    return "\n".join(seen)


def over_mcp(mode: Literal["auto", "legacy"], *, elicits: bool) -> Player:
    """A real client of a real server; without elicitation it answers by the tool `answer`."""

    def play(talk: Talk, answers: Sequence[str]) -> str:
        return asyncio.run(_over_mcp(talk, list(answers), mode=mode, elicits=elicits))

    return play


async def _over_mcp(
    talk: Talk, answers: list[str], *, mode: Literal["auto", "legacy"], elicits: bool
) -> str:
    seen: list[str] = []
    server = MCPServer("tried")
    running: dict[str, tuple[McpRenderer, asyncio.Task[Outcome]]] = {}

    async def work(renderer: McpRenderer) -> Outcome:
        return Outcome(ending="done", answer=await talk(renderer), reason="")

    @server.tool(structured_output=False)
    async def go(ctx: Context) -> Returned:
        run = ctx.request_state or "r1"
        if run not in running:
            renderer = McpRenderer(run)
            running[run] = renderer, asyncio.create_task(work(renderer))
        renderer, ending = running[run]
        return await renderer.converse(ctx, ending)

    @server.tool(structured_output=False)
    async def answer(ctx: Context, run: str, answer: str | None = None) -> Returned:
        renderer, ending = running[run]
        renderer.answer(answer)
        return await renderer.converse(ctx, ending)

    async def person(ctx: Any, asked: types.ElicitRequestFormParams) -> types.ElicitResult:
        options = asked.requested_schema["properties"][FIELD].get("enum", [])
        seen.append(asked.message)
        seen.extend(f"{number}. {option}" for number, option in enumerate(options, 1))
        if not answers:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content={FIELD: answers.pop(0)})

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        seen.append(message or "")

    callback: Any = person if elicits else None
    async with Client(server, mode=mode, elicitation_callback=callback) as client:
        result = await client.call_tool("go", {}, progress_callback=heard)
        while True:
            seen.extend(getattr(part, "text", "") for part in result.content)
            if "question" not in (result.structured_content or {}):
                return "\n".join(seen)
            given = {"run": "r1", **({"answer": answers.pop(0)} if answers else {})}
            result = await client.call_tool("answer", given, progress_callback=heard)


PLAYERS: dict[str, Player] = {
    "terminal": at_a_terminal,
    "terminal in a pipe": typing(lambda out, lines: TerminalRenderer(out, lines, aside=out)),
    "markdown": typing(MarkdownRenderer),
    "aider": typing(AiderRenderer),
    "json": as_a_program,
    "web": on_a_page,
    "mcp": over_mcp("auto", elicits=True),
    "mcp before 2026-07-28": over_mcp("legacy", elicits=True),
    "mcp without elicitation": over_mcp("legacy", elicits=False),
}
