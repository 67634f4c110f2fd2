"""
The pictures of the README, made from real runs: `python bench/pictures.py`.

A server on a new home runs the examples with the `demo` model; Chromium looks at its dashboard, and
a run in a terminal is drawn as SVG. Nothing in them is painted by hand, and making them again gives
pictures of the product as it is then. Needs Chromium.
"""

import io
import json
import os
import pty
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
COLUMNS = 100
RUNS: Sequence[tuple[str, str]] = (
    ("greeting", "Ada"),
    ("csv-report", "stock.csv"),
    ("csv-report", "members.csv"),
    ("data-visualiser", "visitors.csv"),
    ("greeting", "Grace"),
    ("csv-report", "nothing-like-it.csv"),
    ("api-integration", "list the orders of a customer"),
    ("csv-report", "orders.csv"),
    ("csv-report", "sales-2025.csv"),
)
# An agent that is at work long enough to be looked at, and tells what it does by the paragraph.
SLOWLY = """cat > "$TMPDIR/prompt"
for words in 'I read the task and the files that it names.' 'Now I write what is missing.' 'I run the commands of the plan.'; do
  printf '%s\\n\\n' "$words"; sleep 1.5
done
exec {python} {agent} < "$TMPDIR/prompt"
"""
BOARD: Any = {"x": 0, "y": 0, "width": 1100, "height": 560}
# Rich's own names a font of another site; this one takes the reader's.
SVG = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 16px; font-family: sans-serif; font-weight: bold; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="prowess-pictures-") as home:
        project = Path(home) / "shop"
        shutil.copytree(ROOT / "examples" / "data", project)
        shutil.copytree(ROOT / "examples" / "skills", project / ".agents" / "skills")
        environment = {
            "HOME": home,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "PROWESS_MODEL_DEFAULT": "demo",
        }
        draw_terminal(project, environment)
        with serving(project, environment) as address:
            runs = [run_to_its_end(address, skill, words) for skill, words in RUNS]
            with looping(Path(home) / "temperatures", environment) as loop:
                look(address, runs[-1], loop)
    for path in sorted(PICTURES.iterdir()):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1024:.0f} KB")


def draw_terminal(project: Path, environment: Mapping[str, str]) -> None:
    """Two commands with what they show on a terminal, in its colours."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    for words in (
        ("match", "make a report of the sales in a CSV file"),
        ("run", "csv-report", "sales-2025.csv"),
    ):
        typed = " ".join(f'"{word}"' if " " in word else word for word in words)
        console.print(Text.assemble(("$ ", "bold green"), (f"prowess {typed}", "bold")))
        console.print(Text.from_ansi(on_a_terminal(words, project, environment)))
    text = console.export_svg(title="prowess", code_format=SVG, unique_id="t")
    (PICTURES / "terminal.svg").write_text(text, encoding="utf-8")


def on_a_terminal(words: Sequence[str], project: Path, environment: Mapping[str, str]) -> str:
    """The final lines: what was shown for a moment and then replaced is left out."""
    screen, inner = pty.openpty()
    shown = {**environment, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": "60"}
    started = subprocess.Popen(
        ["prowess", *words],
        cwd=project,
        env=shown,
        stdin=subprocess.DEVNULL,
        stdout=inner,
        stderr=inner,
    )
    os.close(inner)
    seen = b""
    try:
        while chunk := os.read(screen, 65536):
            seen += chunk
    except OSError:  # the other end is closed: it has ended
        pass
    started.wait()
    os.close(screen)
    return settled(seen.decode())


def settled(text: str) -> str:
    """What is left on the screen when `\\r`, 'erase line' and 'one line up' have done their work."""
    lines: list[str] = [""]
    row = 0
    for part in re.split(r"(\r\n|\n|\r|\x1b\[\d*A|\x1b\[2?K|\x1b\[\?25[hl])", text):
        if part in {"\r\n", "\n"}:
            row += 1
            if row == len(lines):
                lines.append("")
        elif match := re.fullmatch(r"\x1b\[(\d*)A", part):
            row = max(0, row - int(match[1] or 1))
        elif part.endswith("K") and part.startswith("\x1b["):
            lines[row] = ""
        elif part and part != "\r" and not part.startswith("\x1b[?25"):
            lines[row] += part
    return "\n".join(lines).rstrip()


@contextmanager
def serving(project: Path, environment: Mapping[str, str]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        ["prowess", "serve", "--port", str(port)], cwd=project, env=dict(environment)
    )
    address = f"http://127.0.0.1:{port}"
    try:
        until(lambda: asked(f"{address}/health"))
        yield address
    finally:
        server.terminate()
        server.wait(30)


def until(holds: Any, *, seconds: float = 60) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if found := holds():
                return found
        except OSError:
            pass
        time.sleep(0.1)
    raise TimeoutError("it never came true")


def asked(url: str, body: Mapping[str, Any] | None = None) -> Any:
    sent = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, sent, {"Content-Type": "application/json"})  # noqa: S310  our own server
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return json.load(answer)


def run_to_its_end(address: str, skill: str, words: str) -> str:
    run = asked(f"{address}/api/runs", {"skill": skill, "arguments": words})["run"]
    until(lambda: asked(f"{address}/api/runs/{run}")["state"] not in {"running", "waiting"})
    return str(run)


@contextmanager
def looping(project: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """The example plan, in the middle of its work: two tasks at work by an agent that takes its time."""
    plans = ROOT / "examples" / "plans"
    project.mkdir()
    shutil.copy(plans / "six-tasks.md", project / "PLAN.md")
    (project / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "A plan")):
        subprocess.run(["git", *words], cwd=project, check=True)
    agent = project.parent / "agent.sh"
    agent.write_text(SLOWLY.format(python=sys.executable, agent=plans / "agent.py"))
    asked = ("--agent", "command", "--command", f"bash {agent}", "--parallel", "2")
    loop = subprocess.Popen(
        ["prowess", "loop", "PLAN.md", *asked],
        cwd=project,
        env={**environment, "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
        | {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert loop.stderr
    try:
        run = loop.stderr.readline().split()[1]
        if not any("works on: Explain the use" in line for line in loop.stderr):
            raise SystemExit("the loop over the example plan ended before its second wave")
        yield run
    finally:
        loop.terminate()
        loop.wait(60)


def look(address: str, run: str, loop: str) -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 900}, color_scheme="light")
        for name, place, choice in (
            ("overview", "", page.get_by_role("button", name="7 days")),
            ("run", f"runs/{run}", page.get_by_label("Show full details")),
        ):
            page.goto("about:blank")
            page.goto(f"{address}/#/{place}")
            page.locator("main:not([aria-busy]) h1").wait_for()
            choice.click()
            page.wait_for_timeout(1500)  # live events keep the network busy; pictures can wait
            page.screenshot(path=str(PICTURES / f"{name}.png"))
        page.goto(f"{address}/#/loop/{loop}")
        page.locator(".heard").first.wait_for()
        page.wait_for_timeout(3500)
        page.screenshot(path=str(PICTURES / "loop.png"), clip=BOARD)
        browser.close()


if __name__ == "__main__":
    main()
