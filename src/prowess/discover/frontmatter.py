"""
Split a SKILL.md into its YAML header and its Markdown body, and mend what can be mended.

A fence is a line of three dashes and nothing else, so dashes inside a description or a rule in
the body end nothing. Lenient reading repairs what authors get wrong in practice (an unquoted
colon, a reserved character, quotes that end too early, old line ends) and says so; strict reading
reports the same places as errors.
"""

import re
from collections.abc import Callable, Iterator

from prowess.core.errors import SkillError
from prowess.core.plain_yaml import Document
from prowess.core.safe_yaml import YamlRefusedError, YamlSyntaxError, read_mapping
from prowess.discover.blocks import FIELD, blocks, read_on
from prowess.discover.guards import is_guard
from prowess.discover.header import MAX_HEADER, TEXT_FIELDS, Frontmatter, Mended, leave_out_unseen

FENCE = "---"
_CLOSING = re.compile(r"\n---([^\S\n]*)(?=\n|\Z)")
_STARTS_SOMETHING_ELSE = ("|", ">", "#")
# What YAML takes for quoted text, and what follows it on the line.
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*(.*)""")


def parse(text: str) -> Frontmatter:
    """Read leniently; raises `SkillError` only when there is no header to save."""
    return parse_on(text, _raise)[0]


def parse_on(text: str, refuse: Callable[[SkillError], None]) -> tuple[Frontmatter, dict[str, int]]:
    """
    As `parse`, for whoever wants to hear of everything: a field that YAML from strangers may not hold
    is told to `refuse`. If that lets it pass, the rest is read, and the fields now missing come with their lines.
    """
    text, mended = _unix(text)
    header, body, first_line, body_line = _split(text, mended)
    (document, repaired), missing = read_on(
        header,
        lambda rest: _read(rest, first_line),
        refuse,
        first_line=first_line,
        longest=MAX_HEADER,
    )
    mended += [*repaired, *leave_out_unseen(document.value, document.lines)]
    return Frontmatter(document.value, document.lines, body, body_line, mended), missing


def _raise(error: SkillError) -> None:
    raise error


def _read(header: str, first_line: int) -> tuple[Document, list[Mended]]:
    mended: list[Mended] = []
    try:
        document = read_mapping(
            header, first_line=first_line, keep_text=TEXT_FIELDS, max_chars=MAX_HEADER
        )
    except YamlSyntaxError as error:
        document = _repaired(header, first_line, error, mended)
    return document, mended


def _unix(text: str) -> tuple[str, list[Mended]]:
    mended = []
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        if "\n" not in text:
            mended.append(
                Mended(1, "line ends of the old Macintosh kind", "save with \\n line ends")
            )
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, mended


def _split(text: str, mended: list[Mended]) -> tuple[str, str, int, int]:
    """Return header, body, and the line on which each begins."""
    start = 0
    if text.startswith("\n"):
        start = len(text) - len(text.lstrip("\n"))
        mended.append(Mended(1, "blank lines before the header", "begin the file with ---"))
    opening = start + 1  # as a line number
    end = text.find("\n", start)
    first = text[start:end] if end >= 0 else text[start:]
    if first.rstrip() != FENCE or first[:1].isspace():
        raise SkillError(
            "no header",
            hint=f"begin the file with a line of {FENCE}, then `name:` and `description:`, then {FENCE} again",
            line=opening,
        )
    if first != FENCE:
        mended.append(Mended(opening, "blanks after the opening ---", "remove them"))
    if end < 0:
        end = len(text)
    close = _closing(text, end, mended, opening)
    header = text[end + 1 : close + 1]
    after = text.find("\n", close + 1)
    body = text[after + 1 :] if after >= 0 else ""
    return header, body, opening + 1, opening + header.count("\n") + 2


def _closing(text: str, end: int, mended: list[Mended], opening: int) -> int:
    """The position of the line break before the closing fence."""
    if found := _CLOSING.search(text, end):
        if found[1]:
            number = text.count("\n", 0, found.start()) + 2
            mended.append(Mended(number, "blanks after the closing ---", "remove them"))
        return found.start()
    raise SkillError(
        "the header never ends", hint=f"close it with a line of {FENCE} on its own", line=opening
    )


def _repaired(header: str, first_line: int, error: SkillError, mended: list[Mended]) -> Document:
    """
    Read the header field by field, so that one bad value costs at most itself.

    A plain value that YAML misreads is taken as the text it plainly is; a structure that cannot
    be read is dropped and reported. With no field left, the first error stands.
    """
    whole = Document({})
    lines = header.split("\n")
    found = blocks(lines)
    mended += _strays(lines[: found[0].start if found else None], first_line)
    for start, end, key in found:
        block = "\n".join(lines[start:end]) + "\n"
        part = _read_block(key, block, first_line + start, mended)
        for name, value in part.value.items():
            if name in whole.value:
                raise YamlRefusedError(
                    f"refused in YAML: the field {name!r} stands twice",
                    hint="keep one of them",
                    line=part.lines[name],
                )
            whole.value[name] = value
            whole.lines[name] = part.lines[name]
    if not whole.value:
        raise error
    return whole


def _strays(lines: list[str], first_line: int) -> Iterator[Mended]:
    """What stands before the first field and belongs to none."""
    for number, line in enumerate(lines, first_line):
        if line.strip() and not line.startswith("#"):
            yield Mended(number, "a line that belongs to no field was left out", "remove it")


def _read_block(key: str, block: str, line: int, mended: list[Mended]) -> Document:
    try:
        return read_mapping(block, first_line=line, keep_text=TEXT_FIELDS, max_chars=MAX_HEADER)
    except YamlSyntaxError as wrong:
        text = _as_text(block)
        if text is None:
            # A guard that were not there would let in whom it keeps out, so it stays, unreadable.
            kept = Document({key: {}}, {key: line}) if is_guard(key) else Document({})
            what = f"the field {key!r} {'cannot be read' if kept.value else 'was dropped'}: {wrong}"
            mended.append(Mended(wrong.line or line, what, wrong.hint))
            return kept
        mended.append(_misread(key, block, line))
        return Document({key: text}, {key: line})


def _misread(key: str, block: str, line: int) -> Mended:
    """Why the value of `key` was no YAML, though its text is plain to see."""
    for number, row in enumerate(block.split("\n"), line):
        if row.startswith("\t") and FIELD.fullmatch(row.strip()):
            what = f"a tab at the start of a line, which was read as more of {key!r}"
            return Mended(number, what, "a field begins in the first column; indent with spaces")
    found = FIELD.match(block)
    if found and (found[2] or "").startswith(("'", '"')):
        what = f"the quotes of {key!r} are not those of YAML, so it was read as plain text"
        return Mended(
            line, what, "put the whole value in single quotes, and write each ' in it twice"
        )
    what = f"the value of {key!r} needs quotes and was read as plain text"
    return Mended(line, what, "put the value in quotes")


def _as_text(block: str) -> str | None:
    """The value as one line of text, or None when it is clearly meant to be something else."""
    first, *rest = block.rstrip("\n").split("\n")
    found = FIELD.fullmatch(first)
    value = (found[2] or "").strip() if found else ""
    if not value or value.startswith(_STARTS_SOMETHING_ELSE):
        return None
    if value[0] in "[{" and value[-1] in "]}":
        return None
    text = " ".join(part for line in (value, *rest) if (part := line.strip()))
    return _without_quotes(text, value) if value[0] in "\"'" else text


def _without_quotes(text: str, first: str) -> str | None:
    """
    What the author meant with quotes that YAML refuses; None when they never close on the first line.

    Quotes around the whole go; those around some words of it are part of the text.
    """
    if not (closed := _QUOTED.match(first)):
        return None
    if not closed[2] or closed[2].startswith("#"):
        return closed[1][1:-1] if text == first else text  # a bad escape, such as in C:\Users
    quote, after = text[0], closed.end(1)
    whole = text.endswith(quote) and text[after : after + 1].isalnum()  # as in 'it's'
    return text[1:-1] if whole else text
