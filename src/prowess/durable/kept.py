"""
How results and errors are written down, so that a resumed run meets them as the first one did.

What a step gives back is what JSON keeps of it, the first time as well as after a restart. An error
is a value too: it comes back as the same class with the same fields, as long as that class is ours
or Python's own, and otherwise as the nearest of its parents that is.
"""

import builtins
import importlib
import json
from typing import Any

from prowess.core.errors import OutsideError, ProwessError
from prowess.core.ports import Json


def pack(value: Json) -> str:
    """Plain ASCII, so that any text a file system or a model gave us can be stored anywhere."""
    try:
        return json.dumps({"value": value}, separators=(",", ":"))
    except RecursionError:
        raise _too_deep() from None


def pack_error(error: Exception) -> str:
    kind = _nearest(error)
    told: dict[str, Any] = {"type": f"{kind.__module__}:{kind.__qualname__}"}
    told["args"] = list(error.args) if _is_json(list(error.args)) else [str(error)]
    told["fields"] = {name: value for name, value in vars(error).items() if _is_json(value)}
    return json.dumps({"error": told}, separators=(",", ":"))


def unpack(text: str) -> Json:
    """The value that was packed; an error that was packed is raised."""
    try:
        kept = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    if "error" in kept:
        raise restored(**kept["error"])
    return kept["value"]


def restored(*, type: str, args: list[Any], fields: dict[str, Any]) -> Exception:  # noqa: A002  a field of the stored form
    kind = _named(type)
    if not issubclass(kind, ProwessError):
        return kind(*args)
    error = kind.__new__(kind, *args)  # past __init__, whose words differ from class to class
    vars(error).update({"hint": "", **fields})
    return error


def _nearest(error: Exception) -> type[Exception]:
    """The first of the error's classes that a later version of us can be sure to find and to make."""
    for kind in type(error).__mro__:
        if issubclass(kind, ProwessError) and kind.__module__.startswith("prowess."):
            return kind
        if kind.__module__ == "builtins" and issubclass(kind, Exception) and _makes(kind, error):
            return kind if kind is not Exception else OutsideError
    return OutsideError


def _makes(kind: type[Exception], error: Exception) -> bool:
    try:
        kind(*(error.args if _is_json(list(error.args)) else [str(error)]))
    except TypeError:  # a few of Python's own want more than words
        return False
    return True


def _named(name: str) -> type[Exception]:
    """The class of this name; one that is no longer there is simply something that went wrong."""
    module, _, qualified = name.partition(":")
    try:
        found = getattr(
            builtins if module == "builtins" else importlib.import_module(module), qualified
        )
    except (ImportError, AttributeError):
        return OutsideError
    return found if isinstance(found, type) and issubclass(found, Exception) else OutsideError


def _is_json(value: object) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _too_deep() -> OutsideError:
    return OutsideError(
        "a result is nested too deep to be kept", hint="return fewer lists inside each other"
    )
