"""One request of an MCP client: where it was made, by whom, and in whose role it is answered."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams, CallToolResult, TextContent

from prowess.core.errors import ProwessError, RefusedError
from prowess.permit.visibility import Role
from prowess.serve.audit import Kind, audited
from prowess.serve.mcp_premises import Premises

_RANKS = (Role.END_USER, Role.DEVELOPER, Role.ADMIN)
_SESSION = "mcp-session-id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    premises: Premises
    context: ServerRequestContext[Any, Any]

    @property
    def role(self) -> Role:
        """Over HTTP the guard has said who asks; over pipes it is whoever started us, the owner."""
        if self.context.request is None:
            return Role.ADMIN
        role: Role = self.context.request.scope["state"]["caller"].role
        return role

    @property
    def session(self) -> str | None:
        """
        The client among those of this server: the only one over pipes, or one with a session. None
        for a client without: nothing holds its requests together, and their numbers are not its own.
        """
        if self.context.request is None:
            return ""
        session: str | None = self.context.request.headers.get(_SESSION)
        return session

    @property
    def user(self) -> str:
        """Whose turn and budget a run of this visitor is in the queue; empty for the owner."""
        request = self.context.request
        return "" if request is None else str(request.scope["state"]["caller"].user)

    def may(self, least: Role) -> bool:
        return _RANKS.index(self.role) >= _RANKS.index(least)

    async def audit(self, kind: Kind, what: str) -> None:
        """Keep that a visitor over HTTP changed something, or was not let."""
        request, record = self.context.request, self.premises.audit
        if request is not None and record is not None:
            fact = audited(kind, what, request.scope)
            await self.premises.log.aside(partial(record, fact))

    def must_be(self, least: Role) -> None:
        if not self.may(least):
            raise RefusedError(f"this is for {least}, and your token is {self.role}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call of a tool, with the answers to what an earlier call of it asked."""

    visit: Visit
    params: CallToolRequestParams

    @property
    def arguments(self) -> Mapping[str, Any]:
        return self.params.arguments or {}

    def with_arguments(self, given: dict[str, Any]) -> "ToolCall":
        params = self.params.model_copy(update={"arguments": given})
        return ToolCall(visit=self.visit, params=params)


def told(value: Mapping[str, Any]) -> CallToolResult:
    """Facts, for models as text and for programs as they are."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return CallToolResult(content=[TextContent(text=text)], structured_content=dict(value))


def refused(error: ProwessError) -> CallToolResult:
    """What is wrong, and what next; for the model to read, so that it can do better."""
    text = f"{error}\n{error.hint}" if error.hint else str(error)
    facts = {"error": True, "message": str(error), "hint": error.hint}
    return CallToolResult(content=[TextContent(text=text)], structured_content=facts, is_error=True)
