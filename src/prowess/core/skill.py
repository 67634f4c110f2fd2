"""
A skill: one folder, whatever its format, as one unchanging value.

The value holds what discovery needs and nothing more. Instructions and supporting files
stay on disk until somebody asks for them, so ten thousand skills fit in a few megabytes.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

Format = Literal["skill.md", "manifest", "workflow"]
Location = Literal["project", "global", "builtin"]
Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong with a file, where, and what to do about it."""

    path: str
    message: str
    level: Level = "error"
    hint: str = ""
    line: int | None = None
    column: int | None = None

    @property
    def place(self) -> str:
        """As compilers write it and editors understand it: the path, and what is known of line and column."""
        known = (each for each in (self.path, self.line, self.line and self.column) if each)
        return ":".join(map(str, known))

    def as_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "line": self.line,
            **({"column": self.column} if self.column else {}),
            "level": self.level,
            "message": self.message,
            "hint": self.hint,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadowed:
    """A skill that is not used, because another of the same name comes first."""

    name: str
    path: str
    by: str

    def as_json(self) -> dict[str, str]:
        return {"name": self.name, "path": self.path, "by": self.by}


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A supporting file: where it is in the skill's folder, how long, and what SKILL.md says of it."""

    path: str
    lines: int
    size: int
    description: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "lines": self.lines,
            "size": self.size,
            "description": self.description,
        }


@dataclass(frozen=True, kw_only=True)
class Skill:
    """
    `name` is the id everywhere. `path` is the folder, absolute.

    `files` are the files that define it, the one that names it first. `header` holds every other
    field the author wrote, as written, unknown ones included; the properties below read it.
    """

    name: str
    description: str
    format: Format
    location: Location
    path: str
    files: tuple[str, ...]
    header: Mapping[str, Any] = field(repr=False)
    # Another number whenever one of its files is; None while that cannot be relied on.
    state: int | None = field(default=None, repr=False, compare=False)

    @property
    def file(self) -> str:
        """The absolute path of the file that names the skill."""
        return posixpath.join(self.path, self.files[0])

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The header with one spelling for each field: `allowed-tools` is `allowed_tools`."""
        return spelled_alike(self.header)

    @property
    def title(self) -> str:
        return str(self.fields.get("title") or self.name)

    @property
    def version(self) -> str:
        version = self.fields.get("version")
        if version is None and isinstance(metadata := self.fields.get("metadata"), Mapping):
            version = metadata.get("version")
        return "1.0.0" if version in (None, "") else str(version)

    @property
    def type(self) -> str:
        return str(self.fields.get("type") or "system")

    @property
    def allowed_tools(self) -> tuple[str, ...] | None:
        """None when the author says nothing: the platform's default then decides."""
        value = self.fields.get("allowed_tools")
        return None if value is None else tool_list(value)

    @property
    def disallowed_tools(self) -> tuple[str, ...]:
        """What cannot be read may have forbidden anything, so it forbids everything."""
        value = self.fields.get("disallowed_tools")
        return tool_list(value) if value is None or names_tools(value) else ("*",)

    @property
    def when_to_use(self) -> str:
        return str(self.fields.get("when_to_use") or "")

    @property
    def dependencies(self) -> tuple[str, ...]:
        return text_list(self.fields.get("dependencies"))

    @property
    def assign_to(self) -> tuple[str, ...]:
        return text_list(self.fields.get("assign_to"))

    @property
    def model_may_invoke(self) -> bool:
        """Not where that is in doubt either: whoever writes the field wants to keep models out."""
        value = self.fields.get("disable_model_invocation")
        return not truth(value, default=value is not None)

    @property
    def user_may_invoke(self) -> bool:
        return truth(self.fields.get("user_invocable"), default=True)

    def as_json(self) -> dict[str, Any]:
        """The skill as one row of `prowess list`."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "format": self.format,
            "location": self.location,
            "path": self.path,
            "version": self.version,
            "type": self.type,
        }


def spelled_alike(header: Mapping[str, Any]) -> dict[str, Any]:
    """`allowed-tools`, `allowed_tools` and (in manifests) `assignTo` are one field each."""
    # Should a field stand in two spellings, the specification's, with hyphens, wins.
    keys = sorted(header, key=lambda key: "-" in key)
    return {_CAMEL.sub(r"_\1", key).lower().replace("-", "_"): header[key] for key in keys}


_CAMEL = re.compile(r"(?<=[a-z])([A-Z])")


def tool_list(value: object) -> tuple[str, ...]:
    """Space-separated, comma-separated and YAML lists all occur; they mean the same."""
    if isinstance(value, list):
        return _texts(value)
    text = value if isinstance(value, str) else ""  # anything else names no tool
    tools, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")" and depth > 0)
        if depth == 0 and (letter == "," or letter.isspace()):  # inside brackets it parts nothing
            tools.append(text[start:at])
            start = at + 1
    return tuple(tool for tool in (*tools, text[start:]) if tool)


def names_tools(value: object) -> bool:
    """Is it of a kind that `tool_list` reads whole?"""
    if isinstance(value, list):
        return all(item is None or isinstance(item, str) for item in value)
    return isinstance(value, str)


def text_list(value: object) -> tuple[str, ...]:
    """A list of names; one name, or several between commas, counts as a list."""
    return _texts(value if isinstance(value, list) else str(value or "").split(","))


def _texts(values: list[Any]) -> tuple[str, ...]:
    return tuple(text for value in values if value is not None and (text := str(value).strip()))


_TRUTHS = dict.fromkeys(("true", "yes", "y", "on", "1"), True) | dict.fromkeys(
    ("false", "no", "n", "off", "0"), False
)


def truth(value: object, *, default: bool) -> bool:
    """YAML 1.1 authors write `yes`, YAML 1.2 authors `true`, others `1`; all mean it."""
    if isinstance(value, str | int):
        return _TRUTHS.get(str(value).strip().lower(), default)
    return default


def says_truth(value: object) -> bool:
    """Is it a spelling of yes or of no?"""
    return truth(value, default=True) == truth(value, default=False)
