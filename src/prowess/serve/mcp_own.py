"""A tool of the server itself, as opposed to a skill: what it is called, takes and does."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult, InputRequiredResult, Tool, ToolAnnotations

from prowess.permit.visibility import Role
from prowess.serve.mcp_visit import ToolCall

Returned = CallToolResult | InputRequiredResult
Properties = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """`least`: the role a caller must have at least."""

    name: str
    about: str
    work: Callable[[ToolCall], Awaitable[Returned]]
    properties: Properties
    needs: tuple[str, ...] = ()
    reads_only: bool = False
    least: Role = Role.END_USER

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: dict(value) for name, value in self.properties.items()},
            "required": list(self.needs),
            "additionalProperties": False,
        }

    def card(self) -> Tool:
        return Tool(
            name=self.name,
            description=self.about,
            input_schema=self.schema,
            annotations=ToolAnnotations(
                read_only_hint=self.reads_only, destructive_hint=False, open_world_hint=False
            ),
        )


def text(about: str) -> dict[str, Any]:
    return {"type": "string", "description": about}


def number(about: str, *, least: int = 1, most: int | None = None) -> dict[str, Any]:
    made = {"type": "integer", "description": about, "minimum": least}
    return made if most is None else {**made, "maximum": most}


def flag(about: str) -> dict[str, Any]:
    return {"type": "boolean", "description": about}


def choice(options: Collection[str], about: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(options), "description": about}
