"""What a setting may be: how it is told to people, checked, and read from an environment's text."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from prowess.core.execution import seconds

_YES_NO = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """`allowed` completes the sentence "use …". `path`: a relative one is meant from where it is written."""

    allowed: str
    check: Callable[[Any], bool]
    from_text: Callable[[str], Any] = str
    keep: Callable[[Any], Any] = lambda value: value
    path: bool = False
    secret: bool = False  # a value that no message may show
    # What a project's file, which may be somebody else's, may say of it.
    from_project: Callable[[Any], bool] = lambda value: True


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def whole(least: int, most: int) -> Kind:
    return Kind(
        allowed=f"a whole number from {least:,} to {most:,}",
        check=lambda value: (
            isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        ),
        from_text=lambda text: int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else text,
    )


def choice(*words: str) -> Kind:
    return Kind(
        allowed=" or ".join((", ".join(words[:-1]), words[-1])), check=lambda value: value in words
    )


def _duration(value: Any) -> bool:
    try:
        seconds(value)
    except ValueError:
        return False
    return True


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


YES_NO = Kind(
    allowed="true or false",
    check=lambda value: isinstance(value, bool),
    from_text=lambda text: _YES_NO.get(text.lower(), text),
)
TEXT = Kind(allowed="text", check=_is_text)
MODEL = Kind(
    allowed="a model's name",
    check=_is_text,
    from_project=lambda value: "://" not in value,  # an address would read everything
)
PATH = Kind(allowed="a path, as text", check=_is_text, path=True)
DURATION = Kind(allowed="a time such as 500ms, 30s, 1.5s or 2m", check=_duration, keep=seconds)
FOLDERS = Kind(
    allowed='a list of folders, such as [".agents/skills"]',
    check=lambda value: isinstance(value, list) and all(map(_is_text, value)),
    from_text=lambda text: [part for part in text.split(os.pathsep) if part],
    keep=tuple,
)
WORDS = Kind(
    allowed='a list of words, such as ["one", "two"]',
    check=lambda value: isinstance(value, list) and all(map(_is_text, value)),
    from_text=lambda text: [part.strip() for part in text.split(",") if part.strip()],
    keep=tuple,
)
RULES = replace(WORDS, allowed='a list of rules, such as ["Bash(curl:*)", "WebFetch"]')
DATABASE = Kind(
    allowed="a URL such as postgresql://user@host/database",
    check=lambda value: _is_text(value) and value.startswith(("postgresql://", "postgres://")),
    secret=True,
)
TABLE = Kind(allowed="a table", check=_is_table)
TEXTS = Kind(
    allowed='a table of text, such as name = "value"',
    check=lambda value: _is_table(value) and all(map(_is_text, value.values())),
)
TOKENS = replace(TEXTS, secret=True)
# Kept as it was written: whoever asks for it judges it, and says why it did not count.
AS_WRITTEN = Kind(allowed="true or false", check=lambda value: True)
