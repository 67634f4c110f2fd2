"""
What the server costs: skills beside a bare route with the same bytes, many readers of one run, and
the page of a long run beside a file with the same rows.

    .venv/bin/python bench/serve.py [skills] [readers] [page]

The server, the bare route and the readers are three processes, all on loopback. Requests go to both
servers in turn, over connections that stay open; times are on the clock, so leave the machine alone.
The busy run writes ten events a second; a delay is from writing an event to a reader having it.
A page is opened in real Chromium that has never seen it, and is useful when its newest row is drawn.
"""

import asyncio
import json
import multiprocessing
import os
import re
import resource
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from made_skills import make_skills

PARTS = ("skills", "readers", "page")
SKILLS, ROUNDS, REQUESTS, TOGETHER = 1_000, 6, 400, 8
READERS, EVENTS, PAUSE = 1_000, 100, 0.1
ROWS, OPENED = 5_000, 7
WRITTEN = re.compile(rb'"written":([0-9.]+)')


def serve(folder: str, told: Connection) -> None:
    """Our server in a process of its own; told `write`, it writes a busy run."""
    from prowess.core.event import Event
    from prowess.serve.app import create_app
    from prowess.serve.listening import bound, server_of
    from prowess.serve.site import Site, open_site
    from prowess.settings import load_settings

    def obey(site: Site) -> None:
        def tell(kind: str, run: str = "busy", **facts: Any) -> None:
            payload = {"visibility": "SUMMARY", "summary": "Read a file", "progress": 7, **facts}
            site.log.append(Event(run=run, kind=kind, payload=payload))

        while word := told.recv():
            if word == "begin":
                tell("run.started", skill="busy")
            elif word == "long":
                write_long(tell)
            elif word == "write":
                for _ in range(EVENTS):
                    tell("call.finished", text="x" * 500, written=time.time())
                    time.sleep(PAUSE)
            told.send((resident(), time.process_time()))

    async def live() -> None:
        settings = load_settings(
            project=folder, data=f"{folder}/data", dirs=(f"{folder}/skills",), environment={}
        )
        with bound("127.0.0.1", 0) as place:
            async with open_site(settings, environment={}) as site:
                threading.Thread(target=obey, args=(site,), daemon=True).start()
                port = place.getsockname()[1]
                server = server_of(create_app(site), ready=lambda: told.send(port))
                await server.serve(sockets=[place])

    _many_files()
    asyncio.run(live())


def write_long(tell: Callable[..., None]) -> None:
    """A run of so many events that has ended: each iteration a reply and a call that came to its end."""
    tell("run.started", run="long", skill="busy", run_kind="skill")
    for number in range(1, (ROWS - 2) // 3 + 1):
        at = {"run": "long", "iteration": number}
        call = {"call_id": f"c{number}", "tool": "Read", **at}
        tell("model.replied", summary="", model="m", usage={"input_tokens": 9}, **at)
        tell("call.started", input={"file_path": f"{number}.txt"}, **call)
        tell("call.finished", summary=f"Read {number}.txt", ok=True, text="x" * 500, **call)
    tell("run.finished", run="long", summary="Done", outcome={"ending": "done", "answer": "Done"})


def static_page() -> bytes:
    """The rows that the dashboard has of that run, and nothing else."""
    rows = "".join(
        f'<li class="line"><span>✓</span><span>Read {number}.txt</span><time>12:00:00</time></li>'
        for number in range(1, (ROWS - 2) // 3 + 1)
    )
    return f"<!doctype html><title>busy</title><h1>busy</h1><ol class=timeline>{rows}</ol>".encode()


def serve_bare(content: bytes, told: Connection) -> None:
    """The same bytes from a route that does nothing else, and the rows in a file."""
    from fastapi import FastAPI, Response

    from prowess.serve.listening import bound, server_of

    app = FastAPI()

    @app.get("/api/skills")
    async def skills() -> Response:
        return Response(content, media_type="application/json")

    @app.get("/page")
    async def page() -> Response:
        return Response(static_page(), media_type="text/html")

    async def live() -> None:
        with bound("127.0.0.1", 0) as place:
            port = place.getsockname()[1]
            await server_of(app, ready=lambda: told.send(port)).serve(sockets=[place])

    asyncio.run(live())


def resident() -> int:
    """Bytes of memory that this process holds."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _many_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def fetch(port: int, count: int) -> tuple[list[float], bytes]:
    """The seconds that each of so many requests took over one connection, and the last body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    asked = f"GET /api/skills HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    took, body = [], b""
    for _ in range(count):
        began = time.perf_counter()
        writer.write(asked)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        body = await reader.readexactly(length)
        took.append(time.perf_counter() - began)
    writer.close()
    return took, body


async def round_of(port: int) -> tuple[float, list[float]]:
    """Requests a second, and the time of each."""
    began = time.perf_counter()
    done = await asyncio.gather(*(fetch(port, REQUESTS // TOGETHER) for _ in range(TOGETHER)))
    return REQUESTS / (time.perf_counter() - began), [one for took, _ in done for one in took]


class Reader(asyncio.Protocol):
    """A reader that costs little: a thousand of them are one process, and must not be what is measured."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._left = b""
        self.delays: list[float] = []
        self.began = asyncio.Event()
        self.ended = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        asked = f"GET /api/runs/busy/events HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n\r\n"
        cast("asyncio.Transport", transport).write(asked.encode())
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        now = time.time()
        *whole, self._left = (self._left + data).split(b"\n\n")
        for each in whole:
            if b'"run.started"' in each:
                self.began.set()
            elif found := WRITTEN.search(each):
                self.delays.append(now - float(found[1]))
        if len(self.delays) == EVENTS:
            self._transport.close()
            self.ended.set()


async def connected(port: int) -> Reader:
    loop = asyncio.get_running_loop()
    _, reader = await loop.create_connection(lambda: Reader(port), "127.0.0.1", port)
    await reader.began.wait()
    return reader


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


async def compare(ours: int, bare: int) -> None:
    rates: dict[str, list[float]] = {"ours": [], "bare": []}
    times: dict[str, list[float]] = {"ours": [], "bare": []}
    for number in range(ROUNDS + 1):
        for name, port in (("ours", ours), ("bare", bare)):
            rate, took = await round_of(port)
            if number:  # the first warms up
                rates[name].append(rate)
                times[name] += took
    print(f"\nGET /api/skills, {SKILLS:,} skills, {TOGETHER} connections\n")
    print("| | requests a second | p50 ms | p99 ms |\n|---|---|---|---|")
    for name, each in rates.items():
        p50, p99 = (1000 * percentile(times[name], share) for share in (0.5, 0.99))
        print(f"| {name} | {statistics.median(each):.0f} | {p50:.2f} | {p99:.2f} |")
    pairs = zip(rates["ours"], rates["bare"], strict=True)
    print(f"\n{statistics.median(a / b for a, b in pairs):.2f} of the bare route")


async def crowd(port: int, server: Connection) -> None:
    server.send("begin")
    server.recv()
    await connected(port)  # what the first reader needs, the others share
    server.send("look")
    before, _ = server.recv()
    readers = [await connected(port) for _ in range(READERS)]
    server.send("look")
    after, began = server.recv()
    server.send("write")
    for reader in readers:
        await reader.ended.wait()
    found = [one for reader in readers for one in reader.delays]
    _, ended = server.recv()
    memory, cpu = after - before, 1e6 * (ended - began) / len(found)
    print(f"\n{READERS:,} readers of one run, {EVENTS} events, {len(found):,} deliveries\n")
    print("| delay p50 ms | p99 ms | most ms | CPU a delivery, µs | memory a reader, KB |")
    print("|---|---|---|---|---|")
    p50, p99 = (1000 * percentile(found, share) for share in (0.5, 0.99))
    most, each = 1000 * max(found), memory / READERS / 1024
    print(f"| {p50:.0f} | {p99:.0f} | {most:.0f} | {cpu:.0f} | {each:.0f} |")


WATCH = """
    const look = () => document.querySelector(".timeline .line:last-child")
        ? requestAnimationFrame(() => setTimeout(() => { window.useful = performance.now(); }))
        : setTimeout(look, 1);
    look();
"""


def useful(browser: Any, address: str) -> float:
    """The milliseconds until the newest row was drawn, of a page that is new to the browser."""
    context = browser.new_context(bypass_csp=True)  # ours forbids what waits for the page
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_function("window.useful", timeout=60_000)
    took = page.evaluate("window.useful")
    context.close()
    return float(took)


def show_pages(ours: int, bare: int) -> None:
    from playwright.sync_api import sync_playwright

    places = {
        "the run's page": f"http://127.0.0.1:{ours}/#/runs/long",
        "a file with its rows": f"http://127.0.0.1:{bare}/page",
    }
    took: dict[str, list[float]] = {name: [] for name in places}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for number in range(OPENED + 1):
            for name, address in places.items():
                found = useful(browser, address)
                if number:  # the first warms up the server and the browser
                    took[name].append(found)
        browser.close()
    print(f"\nThe page of a run with {ROWS:,} events, in Chromium, middle of {OPENED}\n")
    print("| | useful ms | at least | at most |\n|---|---|---|---|")
    for name, times in took.items():
        cells = (statistics.median(times), min(times), max(times))
        print(f"| {name} | {' | '.join(f'{each:.0f}' for each in cells)} |")


def main(folder: Path, parts: Sequence[str]) -> None:
    make_skills(str(folder / "skills"), SKILLS)
    _many_files()
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    server = spawn.Process(target=serve, args=(str(folder), theirs), daemon=True)
    server.start()
    port = ours.recv()
    _, content = asyncio.run(fetch(port, 1))
    assert len(json.loads(content)) == SKILLS
    bare_ours, bare_theirs = spawn.Pipe()
    bare = spawn.Process(target=serve_bare, args=(content, bare_theirs), daemon=True)
    bare.start()
    bare_port = bare_ours.recv()
    if "skills" in parts:
        asyncio.run(compare(port, bare_port))
    if "readers" in parts:
        asyncio.run(crowd(port, ours))
    if "page" in parts:
        ours.send("long")
        ours.recv()
        show_pages(port, bare_port)
    bare.terminate()
    server.terminate()


if __name__ == "__main__":
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"Load of the machine before it began: {load}, with {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as place:
        main(Path(place), sys.argv[1:] or PARTS)
