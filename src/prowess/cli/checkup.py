"""What `prowess doctor` looks at: the settings, the skills, the data folder, and this machine."""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from prowess import __version__
from prowess.cli.desk import Desk
from prowess.cli.output import clean, counted
from prowess.core.errors import ProwessError, SettingsError, UsageError
from prowess.core.files import make_private
from prowess.discover.roots import DEFAULT_DIRS
from prowess.settings import unknown_variables
from prowess.settings.fields import FIELDS

MANY = 8  # problems shown one by one; the rest are counted


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report, and what to do when it is not well."""

    area: str
    level: Literal["ok", "info", "warning", "error"]
    what: str
    hint: str = ""

    def as_json(self) -> dict[str, str]:
        return {"area": self.area, "level": self.level, "what": self.what, "hint": self.hint}


def checkup(*, project: str, data: str | None, dirs: list[str] | None) -> list[Finding]:
    """Everything that can be looked at; settings that are wrong do not hide the rest."""
    try:
        desk = Desk(project=project, data=data, dirs=dirs)
    except SettingsError as error:
        unseen = "the skills and the data were not looked at"
        about_project = [
            Finding("Settings", "error", str(error), error.hint),
            Finding("Settings", "info", unseen, "mend the settings, then ask again"),
        ]
    else:
        about_project = [*_settings(desk), *_skills(desk), *_data(desk), *_default(desk)]
    return [*_variables(), *about_project, *_models(), *_agents(), *_sandbox(), *_machine()]


def _variables() -> Iterator[Finding]:
    """Told, because a misspelt one would only be missed."""
    for name, hint in unknown_variables(os.environ).items():
        yield Finding("Settings", "warning", f"{name} is set and changes nothing", hint)


def _settings(desk: Desk) -> Iterator[Finding]:
    from prowess.engine.tables import check_tables

    settings = desk.settings
    for path in settings.sources:
        yield Finding("Settings", "ok", path)
    for variable in (f"PROWESS_{name.upper()}" for name in FIELDS):
        if os.environ.get(variable):
            yield Finding("Settings", "ok", f"{variable} is set")
    if not settings.sources:
        what = "no prowess.toml, the defaults hold for all the rest"
        yield Finding("Settings", "info", what, "`prowess init` writes one")
    try:
        check_tables(settings)
    except SettingsError as error:
        yield Finding("Settings", "error", str(error), error.hint)
    yield Finding(
        "Settings",
        "info",
        f"skills in the loop's prompts: {'on' if settings.skills_enabled else 'off'} (skills_enabled)",
    )


def _absent(desk: Desk) -> Iterator[Finding]:
    """Folders that somebody configured and that are not there; of the usual ones most never are."""
    settings, roots = desk.settings, desk.catalog.roots
    for folder in settings.skills_dirs if settings.skills_dirs != DEFAULT_DIRS else ():
        if not any(
            root.path.endswith(os.path.normpath(os.path.expanduser(folder))) for root in roots
        ):
            what = f"skills_dirs names {folder}, and there is no such folder"
            yield Finding("Skills", "warning", what, "make it, or take it out")
    if not os.path.isdir(settings.skills_builtin_dir):
        what = f"skills_builtin_dir is {settings.skills_builtin_dir}, and there is no such folder"
        yield Finding("Skills", "error", what, "take the setting out to have the packaged skills")


def _skills(desk: Desk) -> Iterator[Finding]:
    from prowess.discover.registry import load_registry
    from prowess.engine.wrong import everything_wrong

    catalog = desk.catalog
    yield from _absent(desk)
    for root in catalog.roots:
        inside = sum(
            os.path.commonpath([skill.path, root.path]) == root.path
            for skill in catalog.skills.values()
        )
        yield Finding("Skills", "ok", f"{root.path} ({root.location}): {counted(inside, 'skill')}")
    found = everything_wrong(catalog)
    errors = [problem for problem in found if problem.level == "error"]
    for problem in errors[:MANY]:
        what = clean(f"{problem.place}: {problem.message}")
        yield Finding("Skills", "error", what, clean(problem.hint))
    if len(errors) > MANY:
        yield Finding(
            "Skills",
            "error",
            counted(len(errors) - MANY, "more error"),
            "`prowess list --problems` shows them",
        )
    warnings = len(found) - len(errors)
    if warnings or catalog.shadowed:
        what = f"{counted(warnings, 'warning')}, {len(catalog.shadowed)} shadowed"
        yield Finding("Skills", "warning", what, "`prowess list --problems` shows them")
    try:
        registry = load_registry(desk.settings.skills_registry, catalog.skills)
    except ProwessError as error:
        yield Finding("Skills", "error", str(error), error.hint)
        return
    yield Finding("Skills", "ok", f"registry {desk.settings.skills_registry}")
    for problem in registry.problems:
        if not desk.settings.only_dirs:  # a search narrowed by hand cannot know every skill
            yield Finding("Skills", "warning", problem.message, problem.hint)


def _data(desk: Desk) -> Iterator[Finding]:
    from prowess.observe.integrity import examine
    from prowess.observe.opening import open_log

    if desk.settings.database_url:
        yield from _database(desk.settings.database_url)
        return
    folder = desk.settings.data
    try:
        make_private(folder)
        log = open_log(desk.settings.log_place)
        found = examine(log)
        log.close()
    except ProwessError as error:
        yield Finding("Data", "error", str(error), error.hint)
    except OSError as error:
        yield Finding(
            "Data",
            "error",
            f"{folder}: {error.strerror}",
            "name a folder that you can write to with --data",
        )
    else:
        yield Finding("Data", "ok", f"{folder}: {counted(found.events, 'event')} in the log")
        for flaw in found.flaws[:MANY]:
            hint = "`prowess restore` brings a backup back; `prowess log` shows what is there"
            yield Finding("Data", "error", f"the log of {flaw.run}: {flaw.what}", hint)
    yield from _runs(desk.settings.engine_place)


def _runs(place: str) -> Iterator[Finding]:
    """Whether runs can be gone on with, and how many wait for it."""
    from prowess.durable.standing import standing

    try:
        left = standing(place)
    except ProwessError as error:
        yield Finding("Data", "error", str(error), error.hint)
        return
    if left:
        what = f"{counted(len(left), 'run')} under way on which nobody works"
        yield Finding("Data", "info", what, "`prowess runs list` tells of each")


def _database(url: str) -> Iterator[Finding]:
    from prowess.core.place import shown
    from prowess.core.postgres import ask
    from prowess.observe.opening import open_log

    try:
        answer = ask(url)
        log = open_log(url)
        newest = log.last(1)
        log.close()
    except ProwessError as error:
        yield Finding("Data", "error", str(error), error.hint)
        return
    what = f"{shown(url)}: PostgreSQL {answer.version} answers in {answer.seconds * 1000:.1f} ms"
    yield Finding("Data", "ok", what)
    last = f"the newest of its events is of {newest[0].at}" if newest else "there are no events yet"
    yield Finding("Data", "ok", last)


def _default(desk: Desk) -> Iterator[Finding]:
    """The model of a run that names none, if the settings name one."""
    from prowess.model.names import NoModelError, resolve

    settings = desk.settings
    if not settings.model_default:
        return
    what = f"model.default is {settings.model_default}"
    try:
        named = resolve(settings.model_default, aliases=settings.model_aliases)
    except NoModelError as error:
        yield Finding("Models", "warning", clean(f"{what}: {error}"), error.hint)
    except UsageError as error:
        yield Finding("Models", "error", clean(f"{what}: {error}"), error.hint)
    else:
        whole = "" if named.name == settings.model_default else f", which is {named.name}"
        yield Finding("Models", "ok", clean(what + whole))


def _models() -> Iterator[Finding]:
    """What a run could think with; of a key only the name of its variable is told."""
    import asyncio

    from prowess.model.detect import keys_set, local_servers
    from prowess.model.names import ways

    found = False
    for variable in keys_set():
        found = True
        yield Finding("Models", "ok", f"{variable} is set")
    for server in asyncio.run(local_servers()):
        found = True
        models = ", ".join(server.models[:MANY]) or "no models yet"
        yield Finding("Models", "ok", clean(f"{server.kind} at {server.base_url}: {models}"))
    if not found:
        yield Finding("Models", "info", "no key is set and no local server answers", ways())


def _agents() -> Iterator[Finding]:
    """Coding agents that `prowess loop` could give tasks to."""
    from prowess.loop.agents.known import detect

    found = detect()
    for agent in found:
        yield Finding("Agents", "ok", f"{agent.name}: {agent.path}")
    if not found:
        what = "no coding agent is on the PATH; the built-in one needs only a model"
        yield Finding("Agents", "info", what)


def _sandbox() -> Iterator[Finding]:
    from prowess.sandbox.probe import HINT, probe

    found = probe()
    if found.level == "none":
        yield Finding("Sandbox", "warning", found.reason, HINT)
    else:
        yield Finding("Sandbox", "ok", found.reason)


def _machine() -> Iterator[Finding]:
    yield Finding(
        "Machine",
        "ok",
        f"prowess {__version__}, Python {platform.python_version()} ({sys.platform})",
    )
    if path := shutil.which("git"):
        yield Finding("Machine", "ok", f"git: {path}")
    else:
        what = "git is not here (needed for plans and checks)"
        yield Finding("Machine", "info", what, "install the package of git when you need it")
