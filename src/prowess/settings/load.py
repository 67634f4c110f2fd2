"""
Where settings come from. Later wins: the defaults, the user's prowess.toml, the project's
prowess.toml, the environment (`PROWESS_` and the field's name in capitals), the flags. A name or
value that we do not know is refused with what is allowed; nothing is guessed.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from prowess.core.errors import SettingsError
from prowess.discover.roots import ladder
from prowess.settings.fields import BY_PLACE, FIELDS, FILE, TABLES, Field, Settings

MAX_BYTES = 256 * 1024
_HEADER = re.compile(r"""\s*\[+\s*["']?([^"'\].\s]+)""")
_KEY = re.compile(r"""\s*["']?([\w-]+)["']?\s*[.=]""")


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
                _refuse_more(placed, path, replace(Settings(), **values))
            values |= placed
            sources.append(path)
    values |= _placed(_from_environment(environment), project)
    if data is None:
        data = environment.get("PROWESS_DATA") or _default_data(environment)
    values["data"] = os.path.abspath(os.path.expanduser(data))
    values.setdefault("skills_sync_dir", os.path.join(_default_data(environment), "skills"))
    return replace(Settings(), project=project, only_dirs=dirs, sources=tuple(sources), **values)


def _refuse_reaching_out(values: Mapping[str, Any], file: str, folders: tuple[str, ...]) -> None:
    """
    A project may be somebody else's: its file names no folder of yours, and loosens nothing that
    protects you.
    """
    for name, value in values.items():
        if FIELDS[name].own or not FIELDS[name].kind.from_project(value):
            shown = "" if FIELDS[name].kind.secret else f" to {value!r}"
            raise SettingsError(
                f"{file}: a project's file may not set {'.'.join(FIELDS[name].place)}{shown}",
                hint="set it in your own ~/.config/prowess/prowess.toml or in the environment",
            )
        if FIELDS[name].kind.path and not any(
            os.path.commonpath([value, os.path.abspath(folder)]) == os.path.abspath(folder)
            for folder in folders
        ):
            raise SettingsError(
                f"{file}: {name} leads out of the project, to {value}",
                hint="a project's file may not; set it in your own ~/.config/prowess/prowess.toml or in the environment",
            )


def _refuse_more(values: Mapping[str, Any], file: str, before: Settings) -> None:
    """A project's file may make a limit stricter than it is for you, and not looser."""
    for name, value in values.items():
        if FIELDS[name].lower and value > getattr(before, name):
            raise SettingsError(
                f"{file}: {'.'.join(FIELDS[name].place)} is more than the {getattr(before, name):g} that holds here",
                hint="a project's file may only lower it; set it in your own ~/.config/prowess/prowess.toml",
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
        with open(path, encoding="utf-8") as file:
            text = file.read()
        tables = tomllib.loads(text)
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
    return {
        field.name: _checked(field, value, f"{path}: {place}")
        for field, place, value in _fields_of(tables, path, text)
    }


def _fields_of(tables: Mapping[str, Any], path: str, text: str) -> Iterator[tuple[Field, str, Any]]:
    """Every value of the file with the field it is for, and how to name it."""
    for table, content in tables.items():
        if (table,) in BY_PLACE and table not in TABLES:
            yield BY_PLACE[table,], table, content
            continue
        if table not in TABLES:
            raise SettingsError(
                f"{_where(path, text, table)}: unknown table [{table}]",
                hint=_near(table, TABLES, "the tables are"),
            )
        if not isinstance(content, dict):
            raise SettingsError(
                f"{path}: {table} is not a table", hint=f"write [{table}] on a line of its own"
            )
        if (table,) in BY_PLACE:
            yield BY_PLACE[table,], table, content
            continue
        for key, value in content.items():
            shown = key if table == "skills" else f"{table}.{key}"
            if (table, key) not in BY_PLACE:
                known = [place[1] for place in BY_PLACE if place[0] == table and len(place) > 1]
                raise _unknown(f"{_where(path, text, table, key)}: {shown}", key, known)
            yield BY_PLACE[table, key], shown, value


def _where(path: str, text: str, table: str, key: str = "") -> str:
    """The file and the line of a table, or of a key in it; the file alone where it is written in another way."""
    within = ""
    for number, line in enumerate(text.splitlines(), 1):
        place = ("", "")
        if header := _HEADER.match(line):
            within = header[1]
            place = (within, "")
        elif named := _KEY.match(line):
            place = (within, named[1]) if within else (named[1], "")
        if place == (table, key):
            return f"{path}:{number}"
    return path


def _placed(values: dict[str, Any], folder: str) -> dict[str, Any]:
    """Single paths as whole ones; those of `skills_dirs` stay, they are searched for."""
    return {
        name: os.path.normpath(os.path.join(folder, os.path.expanduser(value)))
        if FIELDS[name].kind.path
        else value
        for name, value in values.items()
    }


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    # PROWESS_SKILL catches PROWESS_SKILL_DIRS, which would otherwise be passed over in silence.
    ours = ("PROWESS_SKILL", "PROWESS_DATABASE", *(f"PROWESS_{table.upper()}_" for table in TABLES))
    found = {}
    for variable, text in environment.items():
        if not variable.startswith(ours) or not text:
            continue
        name = variable.removeprefix("PROWESS_").lower()
        if name not in FIELDS:
            known = [f"PROWESS_{each.upper()}" for each in FIELDS]
            raise _unknown(variable, variable, known)
        found[name] = _checked(FIELDS[name], FIELDS[name].kind.from_text(text), variable)
    return found


def _unknown(where: str, name: str, known: Iterable[str]) -> SettingsError:
    hint = _near(name, known, "known settings:")
    return SettingsError(f"{where}: there is no such setting", hint=hint)


def _near(name: str, known: Iterable[str], else_: str) -> str:
    import difflib

    known = list(known)
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"{else_} {', '.join(known)}"


def _checked(field: Field, value: Any, where: str) -> Any:
    if not field.kind.check(value):
        told = "is not what it may be" if field.kind.secret else f"is {value!r}"
        raise SettingsError(f"{where} {told}", hint=f"use {field.kind.allowed}")
    return field.kind.keep(value)
