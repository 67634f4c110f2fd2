"""
The settings: one frozen value, read once and handed down.

Later wins: the defaults below, the user's prowess.toml, the project's prowess.toml, the
environment (`PROWESS_` and the field's name in capitals), the flags. A name or value that we do
not know is refused with what is allowed; nothing is guessed.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from prowess.core.errors import SettingsError
from prowess.discover.roots import DEFAULT_DIRS, ladder

FILE = "prowess.toml"
MAX_BYTES = 256 * 1024
PACK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pack")
_HOME_DATA = "~/.local/share/prowess"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The fields of `[skills]` have the names and defaults of the loop orchestrator; `data` is a flag's or the environment's."""

    project: str = "."
    data: str = _HOME_DATA
    skills_enabled: bool = False
    skills_builtin_dir: str = PACK
    skills_sync_dir: str = f"{_HOME_DATA}/skills"
    skills_sync_on_start: bool = True
    skills_dirs: tuple[str, ...] = DEFAULT_DIRS
    skills_max_selected_impl: int = 2
    skills_max_selected_review: int = 1
    skills_load_references: bool = False
    skills_max_body_chars: int = 20_000
    skills_max_catalog_chars: int = 0
    skills_semantic: bool = False
    skills_registry: str = os.path.join(PACK, "registry.yaml")
    only_dirs: tuple[str, ...] = ()  # --dir: these and nothing else
    sources: tuple[str, ...] = field(default=(), compare=False)  # the files that were read

    @property
    def index_folder(self) -> str:
        return os.path.join(self.data, "index")

    @property
    def log_file(self) -> str:
        return os.path.join(self.data, "log.sqlite3")


def load_settings(
    *,
    project: str = ".",
    data: str | None = None,
    dirs: tuple[str, ...] = (),
    environment: Mapping[str, str] = os.environ,
) -> Settings:
    """Read the files and the environment; the arguments are the flags."""
    project = os.path.abspath(os.path.expanduser(project))
    if not os.path.isdir(project):
        raise SettingsError(
            f"--project {project}: there is no such folder", hint="name the folder of your project"
        )
    home = environment.get("XDG_CONFIG_HOME") or "~/.config"
    values: dict[str, Any] = {}
    sources = []
    of_user = os.path.join(os.path.expanduser(home), "prowess", FILE)
    of_project = project_file(project)
    # A path is meant from where it is written; the user's file is about every project.
    for path, base in ((of_user, project), (of_project, os.path.dirname(of_project or ""))):
        if path and os.path.isfile(path):
            placed = _placed(_from_file(path), base)
            if path == of_project:
                _refuse_reaching_out(placed, path, (base, _default_data(environment)))
            values |= placed
            sources.append(path)
    values |= _placed(_from_environment(environment), project)
    if data is None:
        data = environment.get("PROWESS_DATA") or _default_data(environment)
    values["data"] = os.path.abspath(os.path.expanduser(data))
    values.setdefault("skills_sync_dir", os.path.join(_default_data(environment), "skills"))
    return replace(Settings(), project=project, only_dirs=dirs, sources=tuple(sources), **values)


def _refuse_reaching_out(values: Mapping[str, Any], file: str, folders: tuple[str, ...]) -> None:
    """A project may be somebody else's: its file names no folder of yours to be read from or written to."""
    for name, value in values.items():
        if isinstance(value, str) and not any(
            os.path.commonpath([value, os.path.abspath(folder)]) == os.path.abspath(folder)
            for folder in folders
        ):
            raise SettingsError(
                f"{file}: {name} leads out of the project, to {value}",
                hint="a project's file may not; set it in your own ~/.config/prowess/prowess.toml or in the environment",
            )


def project_file(project: str) -> str | None:
    """The nearest prowess.toml from the working folder up to the git root; outside of git only its own."""
    candidates = (os.path.join(step, FILE) for step in ladder(project))
    return next((path for path in candidates if os.path.isfile(path)), None)


def _default_data(environment: Mapping[str, str]) -> str:
    return os.path.expanduser(
        os.path.join(environment.get("XDG_DATA_HOME") or "~/.local/share", "prowess")
    )


def _from_file(path: str) -> dict[str, Any]:
    import tomllib

    try:
        if os.path.getsize(path) > MAX_BYTES:
            raise SettingsError(
                f"{path} has more than {MAX_BYTES:,} bytes",
                hint="keep settings in it, and nothing else",
            )
        with open(path, "rb") as file:
            tables = tomllib.load(file)
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: not UTF-8", hint="save the file as UTF-8") from None
    except (ValueError, RecursionError) as error:  # TOML's own error is a ValueError
        raise SettingsError(
            f"{path}: not valid TOML: {error}", hint="mend the file at this place"
        ) from None
    except OSError as error:
        raise SettingsError(
            f"{path}: cannot be read: {error.strerror}", hint="check its permissions"
        ) from None
    for table in tables:
        if table != "skills":
            raise SettingsError(
                f"{path}: unknown table [{table}]", hint="the settings are in [skills]"
            )
    skills = tables.get("skills", {})
    if not isinstance(skills, dict):
        raise SettingsError(
            f"{path}: skills is not a table", hint="write [skills] on a line of its own"
        )
    return {name: _checked(name, value, f"{path}: {name}") for name, value in skills.items()}


def _placed(values: dict[str, Any], folder: str) -> dict[str, Any]:
    """Single paths as whole ones; those of `skills_dirs` stay, they are searched for."""
    return {
        name: os.path.normpath(os.path.join(folder, os.path.expanduser(value)))
        if isinstance(value, str)
        else value
        for name, value in values.items()
    }


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found = {}
    for variable, text in environment.items():
        name = variable.removeprefix("PROWESS_").lower()
        if variable.startswith("PROWESS_SKILL") and text:
            found[name] = _checked(name, _from_text(name, text), variable)
    return found


def _from_text(name: str, text: str) -> Any:
    """Environment variables are text: read it as the kind of value the field has."""
    default = _FIELDS.get(name)
    if isinstance(default, bool):
        return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(
            text.lower(), text
        )
    if isinstance(default, int):
        return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else text
    if isinstance(default, tuple):
        return [part for part in text.split(os.pathsep) if part]
    return text


def _checked(name: str, value: Any, where: str) -> Any:
    if name not in _FIELDS:
        import difflib

        near = difflib.get_close_matches(name, _FIELDS, n=1)
        prefix, spelt = ("PROWESS_", str.upper) if where.startswith("PROWESS_") else ("", str)
        hint = (
            f"did you mean {prefix}{spelt(near[0])}?"
            if near
            else f"known settings: {', '.join(_FIELDS)}"
        )
        raise SettingsError(f"{where}: there is no such setting", hint=hint)
    allowed, check = (
        _ALLOWED[type(_FIELDS[name])] if name not in _NUMBERS else _whole(*_NUMBERS[name])
    )
    if not check(value):
        raise SettingsError(f"{where} is {value!r}", hint=f"use {allowed}")
    return tuple(value) if isinstance(value, list) else value


def _whole(least: int, most: int) -> tuple[str, Callable[[Any], bool]]:
    return (
        f"a whole number from {least:,} to {most:,}",
        lambda value: (
            isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        ),
    )


_FIELDS: Mapping[str, Any] = {
    each.name: each.default for each in fields(Settings) if each.name.startswith("skills_")
}
_NUMBERS = {
    "skills_max_selected_impl": (0, 255),
    "skills_max_selected_review": (0, 255),
    "skills_max_body_chars": (1, 10_000_000),
    "skills_max_catalog_chars": (0, 10_000_000),
}
_ALLOWED: Mapping[type, tuple[str, Callable[[Any], bool]]] = {
    bool: ("true or false", lambda value: isinstance(value, bool)),
    str: (
        "a path, as text",
        lambda value: isinstance(value, str) and bool(value.strip()) and "\0" not in value,
    ),
    tuple: (
        'a list of folders, such as [".agents/skills"]',
        lambda value: (
            isinstance(value, list)
            and all(isinstance(part, str) and part.strip() and "\0" not in part for part in value)
        ),
    ),
}
