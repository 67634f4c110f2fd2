"""
One block of lines between two marks at the end of somebody's file, TOML or YAML.

The text before it stays as it is, and taking the block out gives back the file to the byte: the
block ends with a line end only if the file did, and stands at the very beginning only if there was
no file.
"""

import re

START = "# >>> prowess >>> (taken out again by `prowess integrate --remove`)"
END = "# <<< prowess <<<"
_START, _END = (re.compile(rf"^{re.escape(mark)}(?=\r?$)", re.MULTILINE) for mark in (START, END))


def with_block(text: str | None, lines: str) -> str:
    block = f"{START}\n{lines}\n{END}"
    if text is None:
        return f"{block}\n"
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    block = block.replace("\n", newline)
    if text == "" or text.endswith("\n"):
        return f"{text}{newline}{block}{newline}"
    return f"{text}{newline}{newline}{block}"


def has_block(text: str) -> bool:
    return _place(text) is not None


def without_block(text: str) -> str | None:
    """
    The text as it was before `with_block`; None when there was no file. Text that was added behind
    the block since then stays, and so does everything where there is no block.
    """
    place = _place(text)
    if place is None:
        return text
    before, after = text[: place[0]], text[place[1] :]
    newline = "\r\n" if after.startswith("\r\n") or before.endswith("\r\n") else "\n"
    if not before and after == newline:
        return None
    if not after:
        return before.removesuffix(newline * 2)
    return before.removesuffix(newline) + after.removeprefix(newline)


def _place(text: str) -> tuple[int, int] | None:
    """From the last line that is our first mark, as an earlier one may be inside of somebody's text."""
    starts = list(_START.finditer(text))
    end = _END.search(text, starts[-1].end()) if starts else None
    return (starts[-1].start(), end.end()) if end else None
