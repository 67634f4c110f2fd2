"""What one definition file says, before the files of a folder are put together into a skill."""

import posixpath
from dataclasses import dataclass, field
from typing import Any

from prowess.core.errors import SkillError
from prowess.core.skill import Format, Level, Problem
from prowess.discover.naming import is_faultless, name_faults

LONGEST_NAME = 200
MOST_PROBLEMS = 100  # of one file
_ACTIVE = frozenset("/\\$`;|&<>")  # people and agents type names into shells


@dataclass(slots=True)
class Draft:
    """A reader fills it; `name` is None until one is found usable, and the folder's name steps in."""

    format: Format
    folder: str
    file: str
    name: str | None = None
    description: str = ""
    header: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

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

    def take_name(self, value: object, line: int | None) -> None:
        """Use the author's name when it can serve as an id; a name that climbs is refused outright."""
        if isinstance(value, str) and is_faultless(value, self.folder):
            self.name = value
            return
        folder = self.folder.rpartition("/")[2]
        if value is None or value == "":
            self.note(
                "no name",
                hint=f"add `name: {folder}`; until then the folder's name is used",
                line=line,
            )
            return
        if not isinstance(value, str):
            self.note(
                "name is not text",
                hint=f"write `name: {folder}`; until then the folder's name is used",
                line=line,
            )
            return
        name = value.strip()
        if climbs(name):
            raise SkillError(
                f"the name {name!r} is a path", hint=f"write `name: {folder}`", line=line
            )
        if (
            not name
            or len(name) > LONGEST_NAME
            or not name.isprintable()
            or name.startswith("--")
            or not _ACTIVE.isdisjoint(name)
        ):
            self.note(
                f"the name {name[:80]!r} cannot be used",
                hint=f"write `name: {folder}`; until then the folder's name is used",
                line=line,
            )
            return
        self.name = name
        if faults := list(name_faults(name, self.folder)):
            told = ", ".join(fault.what for fault in faults)
            self.note(f"the name {name!r} {told}", hint=faults[0].hint, line=line)

    def take_description(self, value: object, line: int | None) -> None:
        """A skill that does not say what it is for cannot be chosen, so it is not loaded."""
        if isinstance(value, str) and value.strip():
            self.description = value.strip()
            return
        what = (
            "no description"
            if value is None or isinstance(value, str)
            else "description is not text"
        )
        raise SkillError(
            what, hint="say in `description:` what the skill does and when to use it", line=line
        )


def climbs(name: str) -> bool:
    """A name made to reach another folder, rather than one that is merely odd."""
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or "." in parts or name.startswith(("/", "\\", "~"))
