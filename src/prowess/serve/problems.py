"""
What went wrong, as every answer of the server says it.

One table turns errors into statuses and codes. An answer never holds a traceback, nor what was sent.
"""

import json
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.routing import Match

from prowess.core.errors import TOLD_AS, ProwessError

METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
_BY_STATUS = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED"}


class HttpError(ProwessError):
    """An error that only the server knows, with the status and code it is told with."""

    def __init__(self, status: int, code: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.code = code


class ProblemBody(BaseModel):
    """`hint` says what to do next, where that is known."""

    error: bool = True
    message: str
    code: str
    hint: str = ""


def problem_of(error: ProwessError) -> tuple[int, dict[str, Any]]:
    """The status and the body of the answer."""
    if isinstance(error, HttpError):
        return error.status, body(error.code, str(error), error.hint)
    status, code = next(
        ((status, code) for kind, _, status, code in TOLD_AS if isinstance(error, kind)),
        (500, "INTERNAL_ERROR"),
    )
    return status, body(code, str(error), error.hint)


def body(code: str, message: str, hint: str = "") -> dict[str, Any]:
    told: dict[str, Any] = {"error": True, "message": message, "code": code}
    return {**told, "hint": hint} if hint else told


def answer(status: int, told: Mapping[str, Any]) -> JSONResponse:
    return ProblemResponse(dict(told), status_code=status)


class ProblemResponse(JSONResponse):
    """In ASCII: a message may quote what was sent, and that may be no text at all."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content).encode()


def include(app: FastAPI) -> None:
    """Every error that a route raises becomes such an answer."""

    async def known(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, ProwessError)
        return answer(*problem_of(error))

    async def invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return answer(400, body("VALIDATION_ERROR", _told(error), "see /openapi.json"))

    async def http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        code = _BY_STATUS.get(error.status_code, "VALIDATION_ERROR")
        made = answer(error.status_code, body(code, str(error.detail)))
        made.headers.update(error.headers or {})
        if error.status_code == 405:  # noqa: PLR2004
            made.headers["Allow"] = ", ".join(_methods(app, request))
        return made

    app.add_exception_handler(ProwessError, known)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)


def _methods(app: FastAPI, request: Request) -> list[str]:
    """Those that some route at this address takes; the framework itself names those of one route."""

    def taken(method: str) -> bool:
        scope = {**request.scope, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in app.routes)

    return [method for method in METHODS if taken(method)]


def _told(error: RequestValidationError) -> str:
    """Which value is wrong and why, but not the value: it may be a secret."""
    places = [
        f"{'.'.join(str(part) for part in each['loc'][1:]) or each['loc'][0]}: {each['msg']}"
        for each in error.errors()[:3]
    ]
    return "; ".join(places)
