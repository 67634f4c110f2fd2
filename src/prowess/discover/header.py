"""
The header of a SKILL.md, the short way: without the body, and without the parser where it is not needed.

Most files are as the specification has them, and a start reads ten thousand. Any other goes the
long way, through `frontmatter`, with the same result.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from prowess.core.files import decode
from prowess.core.plain_yaml import read_plain
from prowess.core.text import visible

MAX_HEADER = 64 * 1024  # characters
# Shown to people and models as the author typed them, never as numbers or truth values.
TEXT_FIELDS = frozenset(
    "name title description license compatibility metadata version when_to_use when-to-use"
    " argument-hint argument_hint model agent author type".split()
)


@dataclass(slots=True)
class Mended:
    """One thing that was wrong and is now right: where, what, and how the author makes it last."""

    line: int | None
    what: str
    hint: str


@dataclass(slots=True)
class Frontmatter:
    """The header's fields, the line each stands on, the body, and what had to be mended."""

    fields: dict[str, Any]
    lines: dict[str, int]
    body: str
    body_line: int
    mended: list[Mended] = field(default_factory=list)


def parse_header(data: bytes) -> Frontmatter:
    """As `frontmatter.parse`, from bytes and mostly without the body, which most of a file is and nobody wants yet."""
    close = data.find(b"\n---\n", 3, MAX_HEADER)
    if close > 0 and data.startswith(b"---\n") and data.find(b"\n---", 3) == close:
        if not data.isascii():
            decode(data)  # all of it must be text, though only the header is used
        header = data[4 : close + 1].decode()
        # Whatever it answers for is printable, so there is nothing in it to leave out.
        if plain := read_plain(header, first_line=2, keep_text=TEXT_FIELDS):
            return Frontmatter(plain.value, plain.lines, "", 0)
    from prowess.discover.frontmatter import parse  # and the parser with it

    return parse(decode(data))


def leave_out_unseen(fields: dict[str, Any], lines: Mapping[str, int]) -> list[Mended]:
    """
    Take out of the text of `fields` what drives a terminal, or is read by models and seen by nobody.

    The name stays as it is: one like that is not used at all.
    """
    mended = []
    for key, value in fields.items():
        if isinstance(value, str) and key != "name" and not value.isprintable():
            text = value.replace("\r\n", "\n")
            fields[key] = visible(text)
            if codes := [f"U+{ord(each):04X}" for each in sorted(set(text) - set(fields[key]))]:
                what = f"{key} holds characters that nobody sees: {', '.join(codes[:5])}"
                mended.append(Mended(lines.get(key), what, "they are left out; take them out"))
    return mended
