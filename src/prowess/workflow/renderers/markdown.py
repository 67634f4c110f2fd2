"""
Markdown on stdout, for coding agents that run a command and read what it prints: OpenCode, Claude
Code, Codex, Cursor.

An agent's commands have nobody at their stdin, so a question ends by naming the flag that answers it.
"""

import re

from prowess.core.workflow import TextFormat
from prowess.workflow.renderers.plain import PlainRenderer, as_text, safe

_FENCES = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


class MarkdownRenderer(PlainRenderer):
    def formed(self, text: str, format: TextFormat) -> str:  # noqa: A002
        """Text that is not Markdown is fenced, so that it is shown as it is."""
        if format == "markdown":
            return safe(text)
        content = as_text(text, format)
        longest = max((len(mark) for mark in _FENCES.findall(content)), default=2)
        fence = "`" * (longest + 1)
        return f"{fence}{format}\n{content.rstrip()}\n{fence}"
