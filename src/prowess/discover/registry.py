"""
registry.yaml: which skills go with which phase of a loop.

    version: 1
    common: [safe-shell-search]              # every phase
    phases: {check: [task-spec-check]}       # this phase
    phase_type_defaults: {evaluate: []}      # a phase of this type that has no list of its own
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from prowess.core.errors import ProwessError, SettingsError, SkillError
from prowess.core.files import decode, read_beneath
from prowess.core.safe_yaml import read_mapping
from prowess.core.skill import Problem, Skill

PHASE_TYPES = ("execute", "evaluate", "script", "terminal")
Names = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """Names of skills by phase. `problems` names those that are not in the catalog; they are left out."""

    common: Names = ()
    phases: Mapping[str, Names]
    phase_type_defaults: Mapping[str, Names]
    problems: tuple[Problem, ...] = ()

    def skills_for(self, phase: str, phase_type: str) -> Names:
        """The common ones, then the phase's own list, else that of its type; each once."""
        own = self.phases.get(phase)
        if own is None:
            own = self.phase_type_defaults.get(phase_type, ())
        return tuple(dict.fromkeys((*self.common, *own)))


def load_registry(path: str, skills: Mapping[str, Skill]) -> Registry:
    """Read and check the whole file; a wrong shape is a `SettingsError`, an unknown skill only a problem."""
    folder, name = os.path.split(os.path.abspath(path))
    try:
        document = read_mapping(decode(read_beneath(folder, name)))
    except SkillError as error:
        where = f"{path}:{error.line}" if error.line else path
        raise SettingsError(f"{where}: {error}", hint=error.hint) from None
    except ProwessError:
        raise SettingsError(
            f"{path} cannot be read", hint="set `skills_registry` to a registry.yaml that exists"
        ) from None
    value, lines = document.value, document.lines
    if value.get("version") != 1:
        raise SettingsError(
            f"{path}: version is {value.get('version')!r}", hint="write `version: 1`"
        )
    if unknown := value.keys() - {"version", "common", "phases", "phase_type_defaults"}:
        field = min(unknown)
        raise SettingsError(
            f"{path}:{lines[field]}: unknown field {field!r}",
            hint="use common, phases, phase_type_defaults",
        )
    problems: list[Problem] = []

    def known(names: Names, field: str) -> Names:
        problems.extend(
            Problem(
                path=path,
                line=lines.get(field),
                level="warning",
                message=f"{field} names {name!r}, and there is no such skill",
                hint="install the skill or take the name out",
            )
            for name in names
            if name not in skills
        )
        return tuple(name for name in names if name in skills)

    lists = {
        field: _lists(value.get(field), f"{path}: {field}")
        for field in ("phases", "phase_type_defaults")
    }
    if strange := lists["phase_type_defaults"].keys() - set(PHASE_TYPES):
        raise SettingsError(
            f"{path}: unknown phase type {min(strange)!r}", hint=f"use {', '.join(PHASE_TYPES)}"
        )
    return Registry(
        common=known(_names(value.get("common"), f"{path}: common"), "common"),
        phases={phase: known(names, "phases") for phase, names in lists["phases"].items()},
        phase_type_defaults={
            kind: known(names, "phase_type_defaults")
            for kind, names in lists["phase_type_defaults"].items()
        },
        problems=tuple(problems),
    )


def _lists(value: Any, where: str) -> dict[str, Names]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise SettingsError(f"{where} is not a mapping", hint="write `phase: [skill, …]` below it")
    return {key: _names(names, f"{where}.{key}") for key, names in value.items()}


def _names(value: Any, where: str) -> Names:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise SettingsError(
            f"{where} is not a list of skill names", hint="write `[skill-one, skill-two]`"
        )
    return tuple(value)
