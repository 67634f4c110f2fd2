"""
The look of the commands' own usage lines: `NAME` is what must be given, `[NAME]` what may be, as in
every manual. Typer writes the first as `{NAME}`.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand

F = TypeVar("F", bound=Callable[..., Any])


class _Command(TyperCommand):
    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]


class Commands(typer.Typer):
    """Commands that belong together; `@commands.command()` adds one, as with Typer."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[[F], F]:
        return super().command(name, cls=_Command, **settings)
