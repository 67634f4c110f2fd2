"""Answers: where they are given, whether they will do, and what they become."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from prowess.core.errors import UsageError
from prowess.core.patterns import compiled
from prowess.core.workflow import Input
from prowess.workflow.values import text_of

_YES, _NO = ("yes", "y", "true", "on", "1"), ("no", "n", "false", "off", "0")
_NUMBER = re.compile(r"\s*[-+]?[0-9]{1,18}(\.[0-9]{1,18})?\s*")
_LISTED = 12  # options that are named when an answer is none of them


class WrongAnswerError(UsageError):
    """The answer will not do; the message says what will."""


def set_hint(name: str) -> str:
    """What to do about an answer that is missing or wrong."""
    return f"run it again with --set {name}=..., or with --answers FILE"


def answer_to(
    answer: str, *, options: Sequence[str], default: str | None, validate: str | Mapping[str, str]
) -> str:
    """The answer that was meant, or `WrongAnswerError`."""
    text = answer.strip()
    if not text and default is not None:
        text = default
    if options:
        return _one_of(text, options)
    if isinstance(validate, Mapping):
        if not compiled(validate["pattern"]).fullmatch(text):
            raise WrongAnswerError(
                validate.get("message") or f"{text!r} does not have the right form"
            )
    elif validate == "not-empty" and not text:
        raise WrongAnswerError("an answer is needed")
    elif validate == "number" and not _NUMBER.fullmatch(text):
        raise WrongAnswerError(f"{text!r} is no number")
    elif validate == "whole-number" and not re.fullmatch(r"[-+]?[0-9]{1,18}", text):
        raise WrongAnswerError(f"{text!r} is no whole number")
    elif validate == "yes-no":
        return "yes" if _truth(text) else "no"
    return text


def input_value(wanted: Input, value: Any) -> Any:
    """A value as the input's type has it, or `WrongAnswerError`."""
    text = text_of(value).strip()
    if wanted.type == "number":
        if isinstance(value, bool) or not _NUMBER.fullmatch(text):
            raise WrongAnswerError(f"{text!r} is no number")
        return float(text) if "." in text else int(text)
    if wanted.type == "boolean":
        return value if isinstance(value, bool) else _truth(text)
    if wanted.type == "list":
        return value if isinstance(value, list) else _items(text)
    if wanted.options:
        return _one_of(text, wanted.options)
    return value if isinstance(value, str) else text


def _one_of(text: str, options: Sequence[str]) -> str:
    if text in options:
        return text
    alike = [option for option in options if option.casefold() == text.casefold()]
    if len(alike) == 1:
        return alike[0]
    shown = ", ".join(options[:_LISTED]) + (", …" if len(options) > _LISTED else "")
    raise WrongAnswerError(f"{text!r} is not one of: {shown}")


def _truth(text: str) -> bool:
    if text.lower() not in (*_YES, *_NO):
        raise WrongAnswerError(f"{text!r} is neither yes nor no")
    return text.lower() in _YES


def _items(text: str) -> list[Any]:
    """A list as people type one: JSON, one item a line, or commas between."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if isinstance(value, list):
        return value
    return [
        item for each in re.split("\n" if "\n" in text else ",", text) if (item := each.strip())
    ]
