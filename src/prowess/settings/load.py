"""
Where settings come from. Later wins: the defaults, the user's prowess.toml, the project's
prowess.toml, the environment (`PROWESS_` and the field's name in capitals), the flags. A name or
value that we do not know is refused with what is allowed; nothing is guessed.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from prowess.core.errors import RefusedError, SettingsError
from prowess.core.files import at_once, read_plain
from prowess.discover.roots import ladder
from prowess.settings.fields import BY_PLACE, FIELDS, FILE, TABLES, Field, Settings

MAX_BYTES = 256 * 1024
# Ours too, and no settings: what our tests are told, and marks of processes that we started.
_TOLD = frozenset(("PROWESS_SHARED", "PROWESS_REQUIRE_ALL", "PROWESS_ATTEMPT", "PROWESS_COMMAND"))
# Kubernetes sets these in every pod beside a service of our name.
_OF_A_SERVICE = re.compile(r"PROWESS_(SERVICE|PORT)(_|$)")
_HEADER = re.compile(r"""\s*\[+\s*["']?([^"'\].\s]+)["']?\s*(\.?)""")
# Where TOML's own errors say that they are.
_AT_LINE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_AT_END = " (at end of document)"
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
        if path and os.path.lexists(path):
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
    values.setdefault("skills_sync_dir", os.path.join(values["data"], "skills"))
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
    return next((path for path in candidates if os.path.lexists(path)), None)


def _default_data(environment: Mapping[str, str]) -> str:
    return os.path.expanduser(
        os.path.join(environment.get("XDG_DATA_HOME") or "~/.local/share", "prowess")
    )


def _from_file(path: str) -> dict[str, Any]:
    text = _text_of(path)
    tables = _tables(path, text)
    return {
        field.name: _checked(field, value, f"{_where(path, text, *field.place)}: {place}")
        for field, place, value in _fields_of(tables, path, text)
    }


def _text_of(path: str) -> str:
    """What is called so must be a file that can be read: settings are not passed over in silence."""
    try:
        descriptor = at_once(path, os.O_RDONLY)
        try:
            data = read_plain(descriptor, path, os.fstat(descriptor), limit=MAX_BYTES)
        finally:
            os.close(descriptor)
        text = data.decode("utf-8-sig")  # some editors begin a file with a mark of their own
    except RefusedError as error:
        raise SettingsError(str(error), hint=error.hint) from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: not UTF-8", hint="save the file as UTF-8") from None
    except OSError as error:
        raise SettingsError(
            f"{path}: cannot be read: {error.strerror}", hint="mend the link or the permissions"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _tables(path: str, text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOML's own error is a ValueError
        what, where, hint = str(error), path, "mend the file at this place"
        if found := _AT_LINE.search(what):
            what, where = what[: found.start()] + f" (column {found[2]})", f"{path}:{found[1]}"
        elif what.endswith(_AT_END):
            what = what.removesuffix(_AT_END)
            where = f"{path}:{text.rstrip().count(chr(10)) + 1}"
            hint = "close the bracket or the quotes that are still open there"
        raise SettingsError(f"{where}: not valid TOML: {what}", hint=hint) from None


def _fields_of(tables: Mapping[str, Any], path: str, text: str) -> Iterator[tuple[Field, str, Any]]:
    """Every value of the file with the field it is for, and how to name it."""
    for table, content in tables.items():
        if (table,) in BY_PLACE and table not in TABLES:
            yield BY_PLACE[table,], table, content
            continue
        if table not in TABLES:
            kind, named = (
                ("table", f"[{table}]") if isinstance(content, dict) else ("setting", table)
            )
            raise SettingsError(
                f"{_where(path, text, table)}: unknown {kind} {named}",
                hint=_home_of(table) or _near(table, TABLES, "the tables are"),
            )
        if not isinstance(content, dict):
            raise SettingsError(
                f"{_where(path, text, table)}: {table} is not a table",
                hint=f"write [{table}] on a line of its own",
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
            within = header[1] + header[2]  # a table in a table has other keys
            place = (header[1], "")
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


def unknown_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """
    Variables that are named like ours and change nothing, each with a hint. Somebody else may have
    set one, so they are told and not refused.
    """
    names = ["DATA", *(name.upper() for name in FIELDS)]
    known = {f"PROWESS_{name}" for name in names} | _TOLD
    ours = [each for each in environment if each.startswith("PROWESS_") and each not in known]
    return {each: _meant(each, names) for each in sorted(ours) if not _OF_A_SERVICE.match(each)}


def _meant(variable: str, names: Sequence[str]) -> str:
    """Names with all its words, as when the table was left out; else one that is spelt almost so."""
    import difflib

    said = variable.removeprefix("PROWESS_")
    with_all = [name for name in names if f"_{said}_" in f"_{name}_"]
    near = with_all[:3] or difflib.get_close_matches(said, names, n=1)
    meant = " or ".join(f"PROWESS_{name}" for name in near)
    return (
        f"did you mean {meant}?" if meant else "no setting is called so; docs/settings.md has them"
    )


def _unknown(where: str, name: str, known: Iterable[str]) -> SettingsError:
    hint = _near(name, known, "known settings:")
    return SettingsError(f"{where}: there is no such setting", hint=hint)


def _home_of(name: str) -> str:
    """Where a setting belongs that stands in no table; empty when it is none."""
    places = [FIELDS[name].place] if name in FIELDS else []
    places += [place for place in BY_PLACE if place[1:] == (name,)]
    return " or ".join(
        f"write `{place[1]} = …` below [{place[0]}]" for place in dict.fromkeys(places) if place[1:]
    )


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
