"""
Keep one block in AGENTS.md and touch nothing else.

The block is found by its tags at the start of a line. Text before and after it stays as it is, to
the byte, line ends included; writing the same block again changes nothing.
"""

import re

from prowess.core.errors import UsageError
from prowess.prompt.cards import TABLE_END, TABLE_START

_BLOCK = re.compile(
    r"^<skills_system\b[^>\n]*>[ \t]*\r?$.*?^</skills_system>", re.MULTILINE | re.DOTALL
)
# Blocks of older tools have the comments alone.
_TABLE = re.compile(
    rf"^{re.escape(TABLE_START)}.*?^{re.escape(TABLE_END)}", re.MULTILINE | re.DOTALL
)
_OPENING = re.compile(
    rf"^(?:<skills_system\b[^>\n]*>|{re.escape(TABLE_START)})[ \t]*\r?$", re.MULTILINE
)


def with_block(text: str, block: str) -> str:
    """`text` with `block` in the place of the old one, or at the end; a broken old one is refused."""
    found = _old_block(text)
    line = _line_end(text)
    block = block.replace("\n", line)
    if found is not None:
        return text[: found.start()] + block + text[found.end() :]
    if not text:
        return f"# Agents\n\n{block}\n"
    gap = "" if text.endswith(line * 2) else line if text.endswith(line) else line * 2
    return f"{text}{gap}{block}{line}"


def without_block(text: str) -> str:
    """`text` without the block and the blank line before it."""
    found = _old_block(text)
    if found is None:
        return text
    before, after = text[: found.start()], text[found.end() :]
    line = _line_end(text)
    if not after.strip():
        return before.removesuffix(line)
    return before + after.removeprefix(line).removeprefix(line)


def _line_end(text: str) -> str:
    """What most lines of the file end with."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def _old_block(text: str) -> re.Match[str] | None:
    blocks = list(_BLOCK.finditer(text)) or list(_TABLE.finditer(text))
    if len(blocks) > 1:
        raise UsageError(
            "the file has two skills blocks", hint="remove one of them, then sync again"
        )
    if not blocks and _OPENING.search(text):
        raise UsageError(
            "the file has a skills block that never ends",
            hint="remove the lines from <skills_system> on, or end them with </skills_system>, then sync again",
        )
    return blocks[0] if blocks else None
