"""
Aider speaks no MCP: it is told to read AGENTS.md, where `prowess sync` keeps the skills.

A list under `read` gets one more line; a file without `read` gets a marked block. Whether the file
then says what it should is checked by reading it again.
"""

import re
from typing import Any

from prowess.core.errors import SkillError
from prowess.core.safe_yaml import read_mapping
from prowess.integrate import marked
from prowess.integrate.tool import ADD, TAKE_OUT, Tool, by_hand

FILE = ".aider.conf.yml"
AGENTS = "AGENTS.md"
SNIPPET = f"read:\n  - {AGENTS}"
_LIST = re.compile(r"^read:[ \t]*(?:#[^\r\n]*)?(\r?\n)(?=([ \t]*)- )", re.MULTILINE)
_LINE = re.compile(r"^[ \t]*- AGENTS\.md  # prowess\r?\n", re.MULTILINE)


def add(text: str | None) -> str:
    if text is None:
        return marked.with_block(text, SNIPPET)
    before = _read(text, do=ADD)
    listed = before.get("read") or []
    names = listed if isinstance(listed, list) else [listed]
    if AGENTS in names:
        return text
    if "read" in before:
        after = _LIST.sub(rf"\g<0>\g<2>- {AGENTS}  # prowess\g<1>", text, count=1)
    else:
        after = marked.with_block(text, SNIPPET)
    if not _says(after, {**before, "read": [AGENTS, *names]}):
        raise by_hand(f"{FILE} has a `read` that cannot be added to", SNIPPET)
    return after


def remove(text: str | None) -> str | None:
    if text is None:
        return None
    before = _read(text, do=TAKE_OUT)
    if marked.START not in text:
        return _LINE.sub("", text, count=1)
    after = marked.without_block(text)
    before.pop("read", None)
    if not _says(after or "", before):
        raise by_hand(f"{FILE} was changed between Prowess's marks", SNIPPET, do=TAKE_OUT)
    return after


def _read(text: str, *, do: str) -> dict[str, Any]:
    try:
        return read_mapping(text.removeprefix("\ufeff")).value
    except SkillError as error:
        raise by_hand(f"{FILE}: {error}", SNIPPET, do=do) from None


def _says(text: str, value: dict[str, Any]) -> bool:
    try:
        return read_mapping(text.removeprefix("\ufeff")).value == value
    except SkillError:
        return False


AIDER = Tool(
    name="aider",
    file=FILE,
    add=add,
    remove=remove,
    then=f"`prowess sync` keeps the skills in {AGENTS}; in Aider, `/run prowess run session-start` runs one",
)
