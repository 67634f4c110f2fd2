"""
Here-documents, taken as a shell takes them: whole lines, up to one that is the delimiter.

The parser has its own idea of where the text ends. Where the two differ, nothing is granted.
"""

import re

from tree_sitter import Node

from prowess.permit.shell.source import Source
from prowess.permit.shell.words import RefusedError

_START = re.compile(r"'(\w+)'|\"(\w+)\"|(\w+)", re.ASCII)


def check_heredoc(source: Source, node: Node) -> None:
    """The text is literal, and ends where the parser says."""
    (start,) = (child for child in node.children if child.type == "heredoc_start")
    found = _START.fullmatch(source.of(start))
    if not found or source.text[start.end_byte : start.end_byte + 1] not in (" ", "\t", "\n"):
        raise RefusedError("the end of a here-document must be one plain word, such as EOF")
    delimiter = found[1] or found[2] or found[3]
    ends = [child for child in node.children if child.type == "heredoc_end"]
    begin = _first_line_end(source.text, start)
    if len(ends) != 1 or (source.depth and source.text[:begin].count("`") % 2):
        raise RefusedError("this here-document cannot be read for certain; write it plainly")
    tabs = any(child.type == "<<-" for child in node.children)
    end = _end(source.text, begin, delimiter, tabs=tabs)
    if end != ends[0].start_byte:
        raise RefusedError("this here-document ends where the parser does not see it")
    if found[3] and any(letter in source.text[begin:end] for letter in "$`\\"):
        raise RefusedError(f"the here-document is not literal; quote its end: <<'{delimiter}'")


def _first_line_end(text: str, start: Node) -> int:
    """Where the text begins: after the first newline that no backslash hides."""
    at = start.end_byte
    while (at := text.find("\n", at)) >= 0:
        if text[at - 1] != "\\":
            if "<<" in text[start.end_byte : at].replace("<<<", ""):
                raise RefusedError("two here-documents on one line cannot be granted")
            return at + 1
        at += 1
    raise RefusedError("this here-document has no text")


def _end(text: str, begin: int, delimiter: str, *, tabs: bool) -> int:
    """Where the line with the delimiter begins, after its tabs if those do not count."""
    at = begin
    for line in text[begin:].split("\n"):
        bare = line.lstrip("\t") if tabs else line
        if bare == delimiter:
            return at + len(line) - len(bare)
        at += len(line) + 1
    raise RefusedError(f"this here-document has no end; close it with a line of {delimiter}")
