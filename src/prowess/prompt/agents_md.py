"""
Keep one block in AGENTS.md and touch nothing else.

The block is found by its tags at the start of a line. Text before and after it stays as it is, to
the byte, line ends included; writing the same block again changes nothing.
"""

import re
from collections.abc import Callable

from prowess.core.errors import UsageError
from prowess.prompt.cards import TABLE_END, TABLE_START

_OPENING = re.compile(r"<skills_system\b[^>]*>[ \t]*")
_CLOSING = "</skills_system>"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def with_block(text: str, block: str) -> str:
    """`text` with `block` in the place of the old one, or at the end; a broken old one is refused."""
    found = _old_block(text)
    line = _line_end(text)
    block = block.replace("\n", line)
    if found is not None:
        return text[: found[0]] + block + text[found[1] :]
    if not text:
        return f"# Agents\n\n{block}\n"
    gap = "" if text.endswith(line * 2) else line if text.endswith(line) else line * 2
    return f"{text}{gap}{block}{line}"


def without_block(text: str) -> str:
    """`text` without the block and the blank line before it."""
    found = _old_block(text)
    if found is None:
        return text
    before, after = text[: found[0]], text[found[1] :]
    line = _line_end(text)
    if not after.strip():
        return before.removesuffix(line)
    return before + after.removeprefix(line).removeprefix(line)


def _line_end(text: str) -> str:
    """What most lines of the file end with."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def _old_block(text: str) -> tuple[int, int] | None:
    """Where the block begins and ends. One that is torn, or stands twice, is refused: whose text it is nobody knows."""
    blocks = _blocks(
        text, lambda line: bool(_OPENING.fullmatch(line)), lambda line: line.startswith(_CLOSING)
    )
    if not blocks:  # older tools have the comments alone
        blocks = _blocks(
            text, lambda line: line.startswith(TABLE_START), lambda line: line.startswith(TABLE_END)
        )
    if len(blocks) > 1:
        raise UsageError(
            "the file has two skills blocks", hint="remove one of them, then sync again"
        )
    return blocks[0] if blocks else None


def _blocks(
    text: str, opens: Callable[[str], bool], closes: Callable[[str], bool]
) -> list[tuple[int, int]]:
    """Every block outside of fences, by one pass over the lines."""
    found: list[tuple[int, int]] = []
    start, fence, at = None, "", 0
    for full in re.split(r"(?<=\n)", text):
        line = full.rstrip("\r\n")
        if start is None and (mark := _FENCE.match(line)):
            if not fence:
                fence = mark[1]
            elif line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif not fence and opens(line):
            if start is not None:
                raise _torn()
            start = at
        elif start is not None and closes(line):
            end = at + len(_CLOSING if line.startswith(_CLOSING) else TABLE_END)
            found.append((start, end))
            start = None
        at += len(full)
    if start is not None:
        raise _torn()
    return found


def _torn() -> UsageError:
    return UsageError(
        "the file has a skills block that never ends",
        hint="remove the lines from <skills_system> on, or end them with </skills_system>, then sync again",
    )
