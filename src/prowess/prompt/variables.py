"""
Variables in a skill's text: the arguments of this run, and where and when it runs.

One pass over what the author wrote, so that a value is never looked into again, and nothing but
our own names is touched: `$HOME`, `$(date)`, `$5.00` and `awk '{print $1}'` come through as they
are. A variable without a value stays as it stands, with a warning.

`$1` is the first argument, unless the skill uses `$0`: then that is the first, as in today's Claude
Code. `$ARGUMENTS[0]` is always the first. `\\$1` is a literal `$1`.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from prowess.core.skill import Skill
from prowess.prompt.commands import Segment

# A number is no argument where it is a price: $5.00, $1,000, $3-5, $20k.
_NUMBER = r"\$(?P<number>[0-9]{1,3})(?![A-Za-z0-9_]|[.,\u2013-][0-9])"
_ARGUMENTS = r"\$ARGUMENTS(?:\[(?P<index>[0-9]{1,3})\]|(?![A-Za-z0-9_]))"
_BRACED = r"\$\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*)\}"
_BASE_DIR = r"(?P<base>\{baseDir\})(?!\})"
_ESCAPE = r"(?P<escape>(?<!\\)\\)?"
# The columns of awk look like arguments. Possessive, so that no text makes the pattern slow.
_AWK = re.compile(r"\b[gm]?awk(?:\s+-[vF]\s+\S+|\s+-\S+)*+\s+'(?P<program>[^']*)'")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """
    `arguments` as they were typed. `names` are those the skill declares, in order. `first` is the
    number of the first argument, 0 or 1. What is empty among the rest has no value.
    """

    arguments: str = ""
    names: tuple[str, ...] = ()
    first: int = 1
    session_id: str = ""
    skill_dir: str = ""
    workspace: str = ""
    user: str = ""
    date: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments one by one, split as a shell would; at blanks when the quotes do not pair."""
        try:
            return tuple(shlex.split(self.arguments))
        except ValueError:
            return tuple(self.arguments.split())

    @property
    def parameters(self) -> tuple[str, ...]:
        """What follows `bash -c COMMAND`, so that a command's own `$1` is what the text's `$1` is."""
        return ("bash", *self.words)[1 - self.first :] if self.words else ("bash",)

    @property
    def environment(self) -> dict[str, str]:
        """What a command finds in its environment: a value is never pasted into shell text."""
        return {name: value for name, value in _places(self).items() if value} | {
            "ARGUMENTS": self.arguments
        }

    @property
    def shell_variables(self) -> dict[str, str]:
        """What a command finds in each variable that somebody else than its author has filled."""
        numbered = dict(enumerate(self.parameters[:10]))
        everything = " ".join(self.parameters[1:])
        return {
            **self.environment,
            **{str(number): numbered.get(number, "") for number in range(10)},
            "@": everything,
            "*": everything,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """`used`: some argument stands in the text now."""

    text: str
    warnings: tuple[str, ...] = ()
    used: bool = False


def values_for(
    skill: Skill,
    instructions: str,
    *,
    arguments: str = "",
    session_id: str = "",
    workspace: str = "",
    user: str = "",
    date: str = "",
) -> Values:
    """The values of one run; `instructions` say how the skill counts its arguments."""
    names = declared(skill)
    return Values(
        arguments=arguments,
        names=names,
        first=0 if "0" in _numbers(instructions, names) else 1,
        session_id=session_id,
        skill_dir=skill.path,
        workspace=workspace,
        user=user,
        date=date,
    )


def declared(skill: Skill) -> tuple[str, ...]:
    """The names in `arguments:`, which authors write as a list, a line, or a list of `name: …`."""
    value = skill.fields.get("arguments")
    listed = re.split(r"[\s,]+", value) if isinstance(value, str) else value
    names = [
        each.get("name") if isinstance(each, Mapping) else each
        for each in (listed if isinstance(listed, list) else ())
    ]
    return tuple(name for name in names if isinstance(name, str) and _NAME.fullmatch(name))


def fill_instructions(written: str | Sequence[Segment], values: Values) -> Filled:
    """The text of SKILL.md for a model; arguments that it has no place for are put at its end."""
    filled = fill_variables(written, values)
    if filled.used or not values.arguments.strip():
        return filled
    text = f"{filled.text}\n\nARGUMENTS: {values.arguments}"
    return Filled(text=text, warnings=filled.warnings, used=True)


def fill_variables(written: str | Sequence[Segment], values: Values) -> Filled:
    """The text with its variables filled in; what a command printed is left alone."""
    segments = [Segment(text=written)] if isinstance(written, str) else written
    filling = _Filling(values=values, words=values.words, places=_places(values))
    text = "".join(
        segment.text if segment.printed else filling.fill(segment.text) for segment in segments
    )
    return Filled(text=text, warnings=tuple(filling.warnings()), used=filling.used)


@dataclass(slots=True, kw_only=True)
class _Filling:
    """One pass over a text, and what was noticed on the way."""

    values: Values
    words: tuple[str, ...]
    places: Mapping[str, str]
    used: bool = False
    missing: dict[str, None] = field(default_factory=dict)  # in the order they were met
    unknown: dict[str, None] = field(default_factory=dict)

    def fill(self, text: str) -> str:
        return "".join(
            self._value(found) if isinstance(found, re.Match) else found
            for found in _pieces(text, self.values.names)
        )

    def _value(self, found: re.Match[str]) -> str:
        token = found[0]
        if found["braced"] and found["braced"] not in self.places:
            if found["braced"].isupper() and not found["escape"]:
                self.unknown[token] = None
            return token
        if found["escape"]:
            return token[1:]
        value = self._place(found) if found["braced"] or found["base"] else self._argument(found)
        if value is None:
            self.missing[token] = None
            return token
        return value

    def _place(self, found: re.Match[str]) -> str | None:
        return self.places[found["braced"] or "SKILL_DIR"] or None

    def _argument(self, found: re.Match[str]) -> str | None:
        if found["name"]:
            at = self.values.names.index(found["name"])
        elif found["number"]:
            at = int(found["number"]) - self.values.first
        elif found["index"]:
            at = int(found["index"])
        else:
            self.used = True
            return self.values.arguments
        if not 0 <= at < len(self.words):
            return None
        self.used = True
        return self.words[at]

    def warnings(self) -> Iterator[str]:
        if self.missing:
            yield f"no value for {', '.join(self.missing)}; left as it stands"
        if self.unknown:
            yield f"not a variable of skills, left as it stands: {', '.join(self.unknown)}"


def _places(values: Values) -> dict[str, str]:
    return {
        "SESSION_ID": values.session_id,
        "CLAUDE_SESSION_ID": values.session_id,
        "SKILL_DIR": values.skill_dir,
        "CLAUDE_SKILL_DIR": values.skill_dir,
        "WORKSPACE": values.workspace,
        "USER": values.user,
        "DATE": values.date,
    }


def _pieces(text: str, names: tuple[str, ...]) -> Iterator[str | re.Match[str]]:
    """The text cut at what may be a variable of ours: plain text, and matches to be judged."""
    columns = [found.span("program") for found in _AWK.finditer(text)]
    at = 0
    for found in _pattern(names).finditer(text):
        while columns and columns[0][1] <= found.start():
            columns.pop(0)
        if found["number"] and columns and columns[0][0] <= found.start():
            continue
        yield text[at : found.start()]
        yield found
        at = found.end()
    yield text[at:]


def _numbers(text: str, names: tuple[str, ...]) -> set[str]:
    return {
        found["number"]
        for found in _pieces(text, names)
        if isinstance(found, re.Match) and found["number"] and not found["escape"]
    }


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Longer names first: `$branch_name` is not `$branch` and a tail."""
    ordered = sorted(names, key=len, reverse=True)
    named = "|".join(map(re.escape, ordered)) or r"(?!)"
    name = rf"\$(?P<name>{named})(?![A-Za-z0-9_])"
    dollar = rf"(?<!\$)(?:{_BRACED}|{_ARGUMENTS}|{_NUMBER}|{name})"
    return re.compile(rf"{_ESCAPE}(?:{dollar}|{_BASE_DIR})")
