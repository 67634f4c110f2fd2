"""
What a list item of a plan says: a task's label, and what stands with it and below it.

The first paragraph is the label; what follows describes the task. `files:` and `after:` may be lines
of a paragraph or items of their own, and every other item below is a criterion, however deep it is.
"""

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

TASK = re.compile(r"\[([ ~xXR])\](\??)[ \t]+(\S.*)", re.DOTALL)
_FIELD = re.compile(r"(files|after)[ \t]*:[ \t]*(.*)", re.IGNORECASE)
# What only heads the criteria, with or without one of them after its colon.
_HEAD = re.compile(
    r"[*_]*(?:acceptance(?:\s+criteria)?|criteria|done\s+when|definition\s+of\s+done)[*_]*"
    r"(?:[ \t]*:[*_]*[ \t]*(.*))?",
    re.IGNORECASE,
)
# What is nearly a field: its name in emphasis or misspelt, or another word for it.
_NEARLY = re.compile(r"[*_`]*([A-Za-z][A-Za-z ]{2,15}?)[*_`]*[ \t]*:[*_`]*(?:[ \t].*)?", re.DOTALL)
_OTHER_WORDS = {
    "file": "files",
    "after": "after",
    "blocked by": "after",
    "depends": "after",
    "depends on": "after",
    "dependencies": "after",
    "files": "files",
}
_LIKE = 0.85  # how alike two names are that mean the same
_Values = list[list[str]]  # of each time a field is written, its lines


@dataclass(slots=True)
class Item:
    """A list item as the parser meets it: its own paragraphs, and the items below it."""

    line: int = 0  # where its text begins
    paragraphs: list[str] = field(default_factory=list)
    children: list["Item"] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.paragraphs[0] if self.paragraphs else ""


class Told:
    """
    What an item that is a task tells; `text` is its first paragraph without the box. `slips` are lines
    that are nearly fields, or fields that say nothing, each with what is wrong with it.
    """

    def __init__(self, item: Item, text: str) -> None:
        self.criteria: list[str] = []
        self.slips: list[tuple[int, str]] = []
        self._empty_at = 0  # where `files:` stands first
        self._fields: dict[str, _Values] = {"files": [], "after": []}
        first, _, more = text.partition("\n")  # its first line is its own, whatever it says
        self.label = " ".join([*first.split(), *" ".join(self._words(more)).split()])
        told = ["\n".join(self._words(each)) for each in item.paragraphs[1:]]
        self._notes = [each for each in told if each]
        self._look_for_slips(item.line + 1, more)
        for child in item.children:
            self._add(child)
        if self._empty_at and not self.files:
            empty = "`files:` names no file, so that any may be changed; name some, or take it out"
            self.slips.append((self._empty_at, empty))

    def _look_for_slips(self, first: int, text: str) -> None:
        for line, said in enumerate(map(str.strip, text.split("\n") if text else ()), first):
            found = _FIELD.fullmatch(said)
            if found and found[1].lower() == "files":
                self._empty_at = self._empty_at or line
            elif not found and (meant := _nearly(said)):
                told = f"{said!r} is taken for words of the task; did you mean `{meant}:`?"
                self.slips.append((line, told))

    @property
    def description(self) -> str:
        return "\n\n".join(self._notes)

    @property
    def files(self) -> tuple[str, ...]:
        # A comma at the end of a line may stand inside braces, so that the next line belongs to them.
        return tuple(values("\n".join(each).replace(",\n", ",") for each in self._fields["files"]))

    @property
    def after(self) -> tuple[str, ...]:
        """As it was written: whether a comma parts two names or belongs to one, only the plan can tell."""
        return tuple(line for lines in self._fields["after"] if (line := " ".join(lines).strip()))

    def _words(self, paragraph: str) -> list[str]:
        """The lines of a task's paragraph that are neither a field nor about criteria."""
        rest = self._without_fields(paragraph)
        for at, line in enumerate(rest):
            if (head := _HEAD.fullmatch(line)) and head[1] is not None:
                self.criteria += filter(None, [" ".join([head[1], *rest[at + 1 :]]).strip()])
                return rest[:at]
        return rest

    def _without_fields(self, paragraph: str, *, whole: bool = False) -> list[str]:
        """
        The lines that are no field. A field goes on in the next line after a comma, or when nothing
        stood there yet; `whole`: it goes on to the next field.
        """
        rest: list[str] = []
        into: list[str] | None = None
        for line in map(str.strip, paragraph.split("\n") if paragraph else ()):
            if found := _FIELD.fullmatch(line):
                into = [found[2]]
                self._fields[found[1].lower()].append(into)
            elif into is not None and (whole or not into[-1] or into[-1].endswith(",")):
                into.append(line)
            else:
                into = None
                rest.append(line)
        return rest

    def _add(self, item: Item, into: _Values | None = None) -> None:
        """What an item below says, and all below it; `into`: it stands below a field, and holds values."""
        if TASK.fullmatch(item.text):
            return  # a task of its own, with criteria of its own
        if into is None:
            self._look_for_slips(item.line, item.text)
        if found := _FIELD.fullmatch(item.text.partition("\n")[0].strip()):
            self._without_fields(item.text, whole=True)
            self._notes += item.paragraphs[1:]
            into = self._fields[found[1].lower()]
        else:
            lines = [line for each in item.paragraphs for line in self._without_fields(each)]
            if into is not None:
                into.append(lines)
            elif (text := " ".join(" ".join(lines).split())) and not _heads(item, text):
                self.criteria.append(text)
        for child in item.children:
            self._add(child, into)


def _nearly(line: str) -> str:
    """The field that a line would be if its name were written so; empty where none is meant."""
    found = _NEARLY.fullmatch(line)
    if found is None:
        return ""
    name = found[1].strip().lower()
    alike = difflib.get_close_matches(name, ("files", "after"), n=1, cutoff=_LIKE)
    return _OTHER_WORDS.get(name) or (alike[0] if alike else "")


def _heads(item: Item, text: str) -> bool:
    """Whether it is only there for the items below it."""
    head = _HEAD.fullmatch(text)
    only = text.rstrip("*_ ").endswith(":") or (head is not None and not head[1])
    return only and bool(item.children)


def values(lines: Iterable[str]) -> Iterator[str]:
    """Between commas, but not those inside braces, which belong to a glob: there the next brace closes."""
    for line in lines:
        pieces = re.split(r"(?<=[{}])", line)
        apart = "".join(each if each[-1:] == "}" else each.replace(",", "\n") for each in pieces)
        for value in apart.split("\n"):
            if bare := value.strip().strip("`").strip():
                yield bare
