"""What one definition file says, before the files of a folder are put together into a skill."""

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from prowess.core.errors import SkillError
from prowess.core.files import decode
from prowess.core.skill import Format, Level, Problem
from prowess.discover.guards import may_hold_guards, unread_guards
from prowess.discover.header import Mended
from prowess.discover.naming import is_faultless, name_faults, suggestion

LONGEST_NAME = 200
MOST_PROBLEMS = 100  # of one file
UNFILLED = "Describe in one or two sentences what "  # how `prowess new` begins a description
UNDESCRIBED = "the description is still the one of the template"
_ACTIVE = frozenset("/\\$`;|&<>")  # people and agents type names into shells


@dataclass(slots=True)
class Draft:
    """
    A reader fills it; `name` is None until one is found usable, and the folder's name steps in.

    A `strict` one is for an author who wants to hear of everything at once.
    """

    format: Format
    folder: str
    file: str
    name: str | None = None
    description: str = ""
    header: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    strict: bool = False

    def note(
        self, message: str, *, hint: str, line: int | None = None, level: Level = "warning"
    ) -> None:
        if len(self.problems) > MOST_PROBLEMS:
            return
        if len(self.problems) == MOST_PROBLEMS:
            message, hint, line, level = (
                "more problems than are shown",
                "mend these first",
                None,
                "warning",
            )
        self.problems.append(
            Problem(
                path=posixpath.join(self.folder, self.file),
                message=message,
                hint=hint,
                line=line,
                level=level,
            )
        )

    def refuse(self, error: SkillError) -> None:
        """Give up the file; in the strict reading, note what is wrong and read on."""
        if not self.strict:
            raise error
        self.note(str(error), hint=error.hint, line=error.line, level="error")

    def text_of(self, data: bytes) -> str:
        """The file as text; read on, what is not UTF-8 shows as U+FFFD."""
        try:
            return decode(data)
        except SkillError as error:
            self.refuse(error)
            return data.decode("utf-8", "replace")

    def take_header(self, fields: dict[str, Any], mended: Iterable[Mended]) -> None:
        self.header = fields
        for each in mended:
            self.note(each.what, hint=each.hint, line=each.line)

    def take_name(self, value: object, line: int | None) -> None:
        """Use the author's name when it can serve as an id; a name that climbs is refused outright."""
        if isinstance(value, str) and is_faultless(value, self.folder):
            self.name = value
            return
        better = folder_name(self.folder)
        until = f"write `name: {better}`; until then the skill is called so"
        if value is None or value == "":
            self.note("no name", hint=until, line=line)
            return
        if not isinstance(value, str):
            self.note("name is not text", hint=until, line=line)
            return
        name = value.strip()
        if climbs(name):
            self.refuse(
                SkillError(
                    f"the name {name!r} is a path", hint=f"write `name: {better}`", line=line
                )
            )
            return
        if not is_usable(name):
            self.note(f"the name {name[:80]!r} cannot be used", hint=until, line=line)
            return
        self.name = name
        if faults := list(name_faults(name, self.folder)):
            told = ", ".join(fault.what for fault in faults)
            self.note(f"the name {name!r} {told}", hint=faults[0].hint, line=line)

    def take_folder_name(self) -> None:
        """For a format whose id is the folder's name."""
        self.name = folder_name(self.folder)
        if self.name != (folder := posixpath.basename(self.folder)):
            self.note(
                f"the folder's name {folder!r} cannot be used",
                hint=f"call it {self.name}; until then the skill is called so",
            )

    def take_description(self, value: object, line: int | None) -> None:
        """A skill that does not say what it is for cannot be chosen, so it is not loaded."""
        if isinstance(value, str) and value.strip():
            self.description = value.strip()
            self.warn_if_unfilled(self.description, line)
            return
        what = (
            "no description"
            if value is None or isinstance(value, str)
            else "description is not text"
        )
        hint = "say in `description:` what the skill does and when to use it"
        self.refuse(SkillError(what, hint=hint, line=line))

    def warn_of_guards(self, fields: Mapping[str, Any], lines: Mapping[str, int]) -> None:
        """The skill is listed, and gives away less, until its author is understood."""
        if not may_hold_guards(fields):
            return
        for unread in unread_guards(fields):
            line = lines.get(unread.field)
            self.note(unread.message, hint=unread.hint, line=line, level="error")

    def warn_if_unfilled(self, description: str, line: int | None) -> None:
        """A new skill is listed before it is described, but not in silence."""
        if description.startswith(UNFILLED):
            self.note(UNDESCRIBED, hint="say what the skill does and when to use it", line=line)


def folder_name(path: str) -> str:
    """The folder's name as an id; the nearest that can be one where it cannot be used as it is."""
    name = posixpath.basename(path)
    return name if is_usable(name) else suggestion(name)


def is_usable(name: str) -> bool:
    """Can it be an id, which agents are told to type into a shell and prompts hold in a line?"""
    return (
        0 < len(name) <= LONGEST_NAME
        and name.isprintable()
        and not name.startswith("--")
        and _ACTIVE.isdisjoint(name)
        and not climbs(name)
    )


def climbs(name: str) -> bool:
    """A name made to reach another folder, rather than one that is merely odd."""
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or "." in parts or name.startswith(("/", "\\", "~"))
