"""One word for one idea: what the glossary rules out is said nowhere that a user looks."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from mcp import Client

from prowess.cli.app import make_app
from serve.mcp_talking import Home as Talk
from serve.served import Home
from test_docs import DOCS, ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
PAGES = ROOT / "src" / "prowess" / "serve"
ROWS = re.findall(r"^\| \*\*(.+?)\*\* \| .* \| (.*?) ?\|$", GLOSSARY, re.MULTILINE)
TWINS = sorted({twin for _, twins in ROWS for twin in twins.split(", ") if twin})
TWIN = re.compile(rf"\b({'|'.join(map(re.escape, TWINS))})s?\b", re.IGNORECASE)
# Where such a word means something else.
MEANT = {
    ("docs/judges.md", "plugin"): "of pytest",
    ("docs/mcp.md", "node"): "the program",
    ("docs/sandbox.md", "node"): "the program",
    ("docs/privacy.md", "issue"): "a verb",
}


def test_the_glossary_has_each_word_once_and_rules_out_none_of_them() -> None:
    words = [word for name, _ in ROWS for word in name.split("**, **")]

    assert len(words) == len(set(words)) > 40
    assert not set(words) & set(TWINS)


def prose(text: str) -> str:
    """Without code, links' targets, and what others named."""
    text = re.sub(r"^(`{3,})[^\n]*\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^    .*$", "", text, flags=re.MULTILINE)
    return re.sub(r"`[^`\n]*`|\]\([^)]*\)|<!--.*?-->", "", text)


@pytest.mark.parametrize(
    "path", [path for path in DOCS if path.name != "glossary.md"], ids=lambda path: path.name
)
def test_the_pages_keep_to_the_glossary(path: Path) -> None:
    here = str(path.relative_to(ROOT))
    said = {found[1].lower() for found in TWIN.finditer(prose(path.read_text(encoding="utf-8")))}

    assert {word for word in said if (here, word) not in MEANT} == set()


def helps(command: typer.core.TyperCommand, name: str) -> Iterator[tuple[str, str]]:
    yield name, f"{command.help} {command.short_help} {command.epilog}"
    for parameter in command.params:
        yield f"{name} {parameter.opts[0]}", f"{parameter.name} {getattr(parameter, 'help', '')}"
    for each, inner in getattr(command, "commands", {}).items():
        yield from helps(inner, f"{name} {each}")


def test_the_help_of_the_commands_keeps_to_the_glossary() -> None:
    texts = dict(helps(typer.main.get_command(make_app()), "prowess"))  # type: ignore[arg-type]

    assert {name: found[1] for name, text in texts.items() if (found := TWIN.search(text))} == {}
    assert len(texts) > 100


def words_of(schema: object) -> Iterator[str]:
    """Paths, fields and descriptions of the OpenAPI."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            yield str(key)
            if key in {"description", "summary", "title"} and isinstance(value, str):
                yield value
            yield from words_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from words_of(value)


def test_rest_keeps_to_the_glossary(project: Path, tmp_path: Path) -> None:
    with Home(project, tmp_path / "data").serving() as served:
        schema = served.get("/openapi.json").json

    said = [word.replace("_", " ").replace("/", " ") for word in words_of(schema["paths"])]
    assert [word for word in said if TWIN.search(word)] == []


def test_mcp_keeps_to_the_glossary(project: Path, tmp_path: Path) -> None:
    async def listed(client: Client) -> list[Any]:
        tools, prompts = await client.list_tools(), await client.list_prompts()
        return [*tools.model_dump()["tools"], *prompts.model_dump()["prompts"]]

    found = Talk(project, tmp_path / "data").talk(listed)
    names = [each["name"] for each in found]

    said = [word.replace("_", " ") for word in (*names, *words_of(found))]
    assert [word for word in said if TWIN.search(word)] == []
    assert len(found) > 20


def shown_by(script: str) -> Iterator[str]:
    """What stands in quotes; a small word alone is a name of the page's own."""
    script = re.sub(r"^\s*//.*$", "", script, flags=re.MULTILINE)
    for found in re.finditer(r'"([^"\n]*)"|`([^`]*)`', script):
        said = re.sub(r"\$\{[^}]*\}", " ", found[1] or found[2] or "")
        if " " in said or said[:1].isupper():
            yield said


@pytest.mark.parametrize(
    "path",
    sorted([*PAGES.glob("static/*.js"), *PAGES.glob("templates/*")]),
    ids=lambda path: path.name,
)
def test_the_dashboard_keeps_to_the_glossary(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".js":
        text = "\n".join(shown_by(text))

    said = {found[1].lower() for found in TWIN.finditer(re.sub(r"<[^>]*>", " ", text))}

    assert {word for word in said if (path.name, word) not in MEANT} == set()


def test_events_keep_to_the_glossary() -> None:
    page = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    kinds = re.findall(r"^\| ((?:`[A-Za-z_.]+`(?:, )?)+) \|", page, re.MULTILINE)
    fields = re.findall(r"`([a-z_]+)`", page)

    assert len(kinds) > 30
    assert [word for word in (*kinds, *fields) if TWIN.search(re.sub(r"[_.]", " ", word))] == []
