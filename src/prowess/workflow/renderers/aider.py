"""
Plain text for Aider's chat: no markup, no colours, nothing that the chat would take for something else.

Aider runs a command with `/run` and puts what it printed into the conversation as it is. So Markdown
becomes the text that it says: headings and emphasis lose their marks, tables become columns, links
show where they lead.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prowess.core.workflow import TextFormat
from prowess.workflow.renderers.plain import PlainRenderer, as_text, columns, safe

if TYPE_CHECKING:
    from markdown_it.token import Token


class AiderRenderer(PlainRenderer):
    def formed(self, text: str, format: TextFormat) -> str:  # noqa: A002
        return unmarked(safe(text)) if format == "markdown" else as_text(text, format)


def unmarked(text: str) -> str:
    """Markdown without its marks."""
    from markdown_it import MarkdownIt

    return _Writer(MarkdownIt("commonmark").enable("table").parse(text)).text()


class _Writer:
    """One pass over the tokens; `_lists` are the open lists, each with the number of its next item."""

    def __init__(self, tokens: "Sequence[Token]") -> None:
        self._tokens = tokens
        self._blocks: list[str] = []
        self._lists: list[int | None] = []
        self._mark = ""
        self._rows: list[list[str]] = []

    def text(self) -> str:
        for token in self._tokens:
            self._take(token)
        return "".join(self._blocks).strip("\n")

    def _take(self, token: "Token") -> None:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                numbered = token.type == "ordered_list_open"
                self._lists.append(int(token.attrs.get("start", 1)) if numbered else None)
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
                if not self._lists:
                    self._blocks.append("\n")
            case "list_item_open":
                self._mark = self._next_mark()
            case "tr_open":
                self._rows.append([])
            case "inline" if self._rows:
                self._rows[-1].append(_said(token).replace("\n", " "))
            case "table_close":
                self._block(columns(self._rows))
                self._rows = []
            case _:
                self._take_text(token)

    def _take_text(self, token: "Token") -> None:
        match token.type:
            case "inline":
                self._block(_said(token))
            case "fence" | "code_block":
                self._block("\n".join(f"    {line}" for line in token.content.rstrip().split("\n")))
            case "html_block":
                self._block(token.content.rstrip())
            case "hr":
                self._block("----")

    def _next_mark(self) -> str:
        number = self._lists[-1]
        if number is None:
            return "- "
        self._lists[-1] = number + 1
        return f"{number}. "

    def _block(self, text: str) -> None:
        """Inside a list, a block is one item's; it stands as deep as its list."""
        if not self._lists:
            self._blocks.append(f"{text}\n\n")
            return
        indent = "  " * (len(self._lists) - 1)
        hanging = " " * len(self._mark)
        first, *rest = text.split("\n")
        lines = [f"{indent}{self._mark}{first}", *(f"{indent}{hanging}{line}" for line in rest)]
        self._mark = "  "
        self._blocks.append("\n".join(lines) + "\n")


def _said(inline: "Token") -> str:
    parts: list[str] = []
    links: list[tuple[str, int]] = []
    for token in inline.children or ():
        match token.type:
            case "softbreak" | "hardbreak":
                parts.append("\n")
            case "link_open":
                links.append((str(token.attrs.get("href", "")), len(parts)))
            case "link_close":
                target, start = links.pop()
                if target != "".join(parts[start:]):
                    parts.append(f" ({target})")
            case _:
                parts.append(token.content)
    return "".join(parts)
