"""
The look of the commands' own usage lines, and what is said of one that is mistyped.

`NAME` is what must be given, `[NAME]` what may be, as in every manual; Typer writes the first as
`{NAME}`. A command that is not there is looked for where else it may be before a near spelling is
offered: who types `prowess resume` wants a run to go on, and no backup back.
"""

import difflib
from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

F = TypeVar("F", bound=Callable[..., Any])

# What people type out of habit from other commands.
_HABITS = {"version": "--version", "help": "--help", "add": "create", "new": "create", "ls": "list"}


class _Command(TyperCommand):
    def __init__(self, *given: Any, **settings: Any) -> None:
        super().__init__(*given, **settings)
        for each in self.params:
            if each.type.name == "int range":  # which is no word for a person
                each.type.name = "whole number"

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces = (piece.strip("{}") for piece in super().collect_usage_pieces(ctx))
        return [piece for piece in pieces if piece != "[]"]  # what is hidden, and only refused


class _Group(TyperGroup):
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        typed = args[0]
        is_known = typed.startswith("-") or self.get_command(ctx, typed) is not None
        if not is_known and not ctx.resilient_parsing:
            meant = " or ".join(f"'{ctx.command_path} {each}'" for each in self._meant(typed))
            ctx.fail(
                f"There is no command {typed!r}." + (f" Did you mean {meant}?" if meant else "")
            )
        return super().resolve_command(ctx, args)

    def _meant(self, typed: str) -> list[str]:
        """The same word, or what it stands for elsewhere; only then what is spelt almost so."""
        known = _HABITS.get(typed, typed)
        if known in {"--help", *(name for each in self.params for name in each.opts)}:
            return [known]
        places = self._places()
        near = [known] if known in places else difflib.get_close_matches(typed, places, n=1)
        return [place for name in near for place in places[name]]

    def _places(self) -> dict[str, list[str]]:
        """Where each command is, by its own name; one of ours counts more than those of our groups."""
        places: dict[str, list[str]] = {}
        for group, command in self.commands.items():
            for name in getattr(command, "commands", ()):
                places.setdefault(name, []).append(f"{group} {name}")
        return places | {name: [name] for name in self.commands}


class Commands(typer.Typer):
    """Commands that belong together; `@commands.command()` adds one, as with Typer."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(cls=_Group, **settings)

    def command(self, name: str | None = None, **settings: Any) -> Callable[[F], F]:
        return super().command(name, cls=_Command, **settings)
