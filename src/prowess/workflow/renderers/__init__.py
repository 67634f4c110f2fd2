"""
How each tool shows a workflow and asks its questions; behind one protocol, `prowess.core.workflow.Renderer`.

The same workflow tells the same facts through each of them. Only their form differs.
"""

import sys

from prowess.core.errors import UsageError
from prowess.core.workflow import Renderer

NAMES = ("terminal", "markdown", "aider", "json")  # those that speak through stdin and stdout


def open_renderer(name: str) -> Renderer:
    """A renderer on this process's own streams. Questions that nobody can answer are answered by None."""
    from prowess.workflow.renderers.lines import Lines

    lines = Lines(_stdin())
    match name:
        case "terminal":
            from prowess.workflow.renderers.terminal import TerminalRenderer

            return TerminalRenderer(sys.stdout, lines, aside=sys.stderr)
        case "markdown":
            from prowess.workflow.renderers.markdown import MarkdownRenderer

            return MarkdownRenderer(sys.stdout, lines)
        case "aider":
            from prowess.workflow.renderers.aider import AiderRenderer

            return AiderRenderer(sys.stdout, lines)
        case "json":
            from prowess.workflow.renderers.json_lines import JsonRenderer

            return JsonRenderer(sys.stdout, lines)
    raise UsageError(f"there is no renderer {name!r}", hint=f"use {', '.join(NAMES)}")


def _stdin() -> int | None:
    try:
        return sys.stdin.fileno() if sys.stdin is not None else None
    except OSError:  # it was replaced by something that is no file
        return None
