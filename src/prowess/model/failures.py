"""
What a failed request means: whether another try may help, and what a person can do.

The library sorts what the providers say into classes; here each becomes a `ModelError`. A message
quotes the provider in at most a few lines, and never a key.
"""

import re
from typing import Any

from pydantic_ai import exceptions as library

from prowess.core.errors import ContextTooLongError, ModelError
from prowess.model.json_form import NoToolsError
from prowess.model.names import KEYS, Named

_SHOWN = 300  # characters of what a provider said
_TOO_LARGE = 413
_TRY_AGAIN = frozenset((408, 409, 425, 429))
_LATER = (
    library.ModelRateLimitError,
    library.ModelUnavailableError,
    library.ModelServerError,
    library.ModelConnectionError,
    library.ModelRequestTimeout,
)
_TOO_LONG = re.compile(
    r"context (size|length|window)|prompt is too long|too many tokens", re.IGNORECASE
)
_NO_TOOLS = re.compile(r"not support (tool|function)|tools? (is|are) not supported", re.IGNORECASE)


def explained(error: Exception, named: Named) -> ModelError:
    """The error for whatever came up while a request was made."""
    said = _said(error)
    status = getattr(error, "status_code", None)
    if isinstance(error, library.ModelAPIError):
        return _refused(error, named, said, status) or _failed(error, named, said, status)
    if isinstance(error, library.ContentFilterError):
        return ModelError(
            f"{named.name} declined to answer: {said}", hint="word the task otherwise"
        )
    if isinstance(error, UnicodeEncodeError):
        return ModelError(
            f"the request to {named.name} cannot be written: {said}",
            hint="look for half a surrogate pair in what the tools are called and described as",
        )
    # What a library makes of bytes that are no answer; they may be one the next time.
    return ModelError(
        f"{named.name} answered what cannot be read: {said}",
        hint=_place(named),
        transient=not isinstance(error, library.UserError),
    )


def _refused(
    error: library.ModelAPIError, named: Named, said: str, status: int | None
) -> ModelError | None:
    """The refusals that have a remedy."""
    if (
        isinstance(error, library.ModelContextWindowExceededError)
        or status == _TOO_LARGE
        or (isinstance(error, library.ModelRequestRejectedError) and _TOO_LONG.search(said))
    ):
        return ContextTooLongError(
            f"the conversation is too long for {named.name}: {said}",
            hint="use a model that reads more, or a smaller task",
        )
    if isinstance(error, library.ModelAuthenticationError):
        return ModelError(f"{named.name} refused the key ({status}): {said}", hint=_key(named))
    if isinstance(error, library.ModelQuotaExceededError):
        return ModelError(
            f"{named.name}: the account's credit is used up: {said}",
            hint="top it up, or use another model",
        )
    if isinstance(error, library.ModelNotFoundError):
        near = getattr(error, "suggested_model_id", None)
        hint = f"did you mean {near}?" if near else "check the name of the model, and the address"
        return ModelError(f"{named.name} is not known there ({status}): {said}", hint=hint)
    if isinstance(error, library.ModelRequestRejectedError) and _NO_TOOLS.search(said):
        return NoToolsError(f"{named.name} cannot call tools: {said}")
    return None


def _failed(
    error: library.ModelAPIError, named: Named, said: str, status: int | None
) -> ModelError:
    # Without a status nobody refused anything: the answer was no answer.
    rejected = isinstance(error, library.ModelRequestRejectedError)
    transient = (
        isinstance(error, _LATER) or status in _TRY_AGAIN or (status is None and not rejected)
    )
    number = f" ({status})" if status else ""
    return ModelError(
        f"{named.name} did not answer{number}: {said}"
        if transient
        else f"{named.name} refused the request{number}: {said}",
        hint=_next(error, named, transient=transient),
        transient=transient,
        retry_after=error.retry_after,
    )


def _next(error: library.ModelAPIError, named: Named, *, transient: bool) -> str:
    if isinstance(error, library.ModelConnectionError):
        return _place(named)
    if transient:
        return "it may answer later, and a run that was kept goes on: `prowess runs resume`"
    return "its words say what it minds; `prowess doctor` shows which models are set up"


def _said(error: Exception) -> str:
    """The provider's own words, wherever it put them, on one line; our sentence goes on after them."""
    body: Any = getattr(error, "body", None)
    while isinstance(body, dict) and not isinstance(body.get("message"), str):
        body = body.get("error")
    text = body["message"] if isinstance(body, dict) else str(error) or type(error).__name__
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def _key(named: Named) -> str:
    variable = named.key_variable or next(iter(KEYS.get(named.provider, ())), "")
    if variable:
        return f"check the key in {variable}"
    return f"the server at {named.base_url} wants a key; use openai:{named.model} with OPENAI_BASE_URL and OPENAI_API_KEY"


def _place(named: Named) -> str:
    if named.base_url:
        return f"check that a model server is running at {named.base_url}"
    return "check the network"
