"""
Who is asking: a token has a role, and without tokens whoever sits at this machine is its owner.

Tokens are compared by their SHA-256, every one of them every time, so the time it takes says
nothing about any of them.
"""

import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from prowess.core.errors import SettingsError
from prowess.permit.visibility import Role
from prowess.serve.problems import HttpError

RANKS = (Role.END_USER, Role.DEVELOPER, Role.ADMIN)
LEAST_LENGTH = 16
_DIGEST = re.compile(r"sha256:[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """`name` tells callers apart in the log and cannot be turned back into a token."""

    role: Role
    name: str = "owner"

    @property
    def user(self) -> str:
        """Whose turn and budget it is in the queue; empty for the owner, who is this process's account."""
        return "" if self == OWNER else self.name

    def may(self, role: Role) -> bool:
        return RANKS.index(self.role) >= RANKS.index(role)


OWNER = Caller(role=Role.ADMIN)


class Tokens:
    """Who may come in. `required`: there are tokens, so nobody comes in without one."""

    def __init__(self, callers: Mapping[bytes, Caller]) -> None:
        self._callers = callers
        self.required = bool(callers)

    def caller(self, token: bytes) -> Caller | None:
        given, found = hashlib.sha256(token).digest(), None
        for digest, caller in self._callers.items():
            if hmac.compare_digest(digest, given):
                found = caller
        return found


def read_tokens(table: Mapping[str, str]) -> Tokens:
    """From the settings: a token, or `sha256:` and its digest, with its role. Messages quote none."""
    callers = {}
    for number, (token, name) in enumerate(table.items(), 1):
        if name.upper() not in {role.value for role in Role}:
            raise SettingsError(
                f"serve.tokens: token {number} has the role {name!r}",
                hint=f"use {', '.join(role.value for role in Role)}",
            )
        digest = _digest(token, number)
        callers[digest] = Caller(role=Role(name.upper()), name=f"token {digest.hex()[:8]}")
    return Tokens(callers)


def _digest(token: str, number: int) -> bytes:
    if _DIGEST.fullmatch(token):
        return bytes.fromhex(token.partition(":")[2])
    if len(token) < LEAST_LENGTH or not token.isascii() or not token.isprintable():
        raise SettingsError(
            f"serve.tokens: token {number} is not one that can be used",
            hint=f"at least {LEAST_LENGTH} letters and digits, or sha256: and 64 hexadecimal digits",
        )
    return hashlib.sha256(token.encode()).digest()


def no_token() -> HttpError:
    return HttpError(
        401, "UNAUTHORIZED", "a token is needed", hint="send it as Authorization: Bearer TOKEN"
    )


async def caller_of(request: Request) -> Caller:
    """The caller that the guard let in."""
    caller: Caller | None = request.scope["state"].get("caller")
    if caller is None:
        raise no_token()
    return caller


def _at_least(role: Role) -> Callable[[Request], Awaitable[Caller]]:
    async def check(request: Request) -> Caller:
        caller = await caller_of(request)
        if not caller.may(role):
            raise HttpError(
                403, "FORBIDDEN", f"this is for {role}, and your token is {caller.role}"
            )
        return caller

    return check


Anyone = Annotated[Caller, Depends(caller_of)]
Developer = Annotated[Caller, Depends(_at_least(Role.DEVELOPER))]
