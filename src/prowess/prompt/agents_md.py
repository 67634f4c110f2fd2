"""
Keep one block in AGENTS.md and touch nothing else.

The block is found by its tags at the start of a line. Text before and after it stays as it is, to
the byte, line ends included; writing the same block again changes nothing, and taking out what was
put in gives the file back.
"""

import re
from collections.abc import Callable

from prowess.core.errors import UsageError
from prowess.prompt.cards import TABLE_END, TABLE_START
from prowess.prompt.fences import Fence, fenced

_OPENING = re.compile(r"<skills_system\b[^>]*>[ \t]*")
_CLOSING = "</skills_system>"
_LINE_START = re.compile(r"(?<=\n)")
# Two line ends of one kind: before a `\n\n` of ours, a `\r` is the file's own. Others put in one.
_BLANK_LINE = re.compile(r"(?:\r\n\r\n|\n\n|\r?\n)\Z")
_BOM = "\ufeff"


def with_block(text: str, block: str) -> str:
    """`text` with `block` in the place of the old one, or at the end; a broken old one is refused."""
    found = _old_block(text)
    if found is not None:
        before, after = text[: found[0]], text[found[1] :]
        # The old block's lines have no say, or each sync would undo the one before.
        beside = before + after
        line = _line_end(beside if "\n" in beside else text)
        return before + block.replace("\n", line) + after
    line = _line_end(text)
    block = block.replace("\n", line)
    if not text:
        return f"# Agents\n\n{block}\n"
    # The block ends with a line end only if the file did, so that `without_block` can tell.
    after = f"{text}{line}{block}{line}" if text.endswith("\n") else f"{text}{line * 2}{block}"
    _old_block(after)  # what could not be found again is not written
    return after


def without_block(text: str) -> str:
    """`text` as it was before `with_block`. Text behind the block moves up to where it stood."""
    found = _old_block(text)
    if found is None:
        return text
    before, after = text[: found[0]], text[found[1] :]
    if after.strip():
        return before + re.sub(r"\A(?:\r?\n){1,2}", "", after)
    return re.sub(r"\r?\n\Z" if after else _BLANK_LINE, "", before)


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
    lines = _LINE_START.split(text)
    inside = fenced(lines)
    found: list[tuple[int, int]] = []
    start, at = None, 0
    for number, full in enumerate(lines):
        mark = _BOM if number == 0 and full.startswith(_BOM) else ""
        line = full.removeprefix(mark).rstrip("\r\n")
        if opens(line):
            if start is not None:
                raise _torn()
            if number not in inside:
                start = at + len(mark)
            elif inside[number].last is None:
                raise _endless(inside[number])
        elif closes(line) and start is not None:
            end = at + len(_CLOSING if line.startswith(_CLOSING) else TABLE_END)
            found.append((start, end))
            start = None
        elif closes(line) and line in (_CLOSING, TABLE_END) and number not in inside:
            raise _headless(line)
        at += len(full)
    if start is not None:
        raise _torn()
    return found


def _endless(fence: Fence) -> UsageError:
    return UsageError(
        f"the code fence of line {fence.first + 1} never ends, so a skills block behind it is an example",
        hint="end the fence, then sync again",
    )


def _headless(line: str) -> UsageError:
    return UsageError(
        f"the file has {line} and no beginning of that skills block",
        hint="remove what is left of the block, or give its first tag a line of its own, then sync again",
    )


def _torn() -> UsageError:
    return UsageError(
        "the file has a skills block that never ends",
        hint="remove the lines from <skills_system> on, or end them with </skills_system>, then sync again",
    )
