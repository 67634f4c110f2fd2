"""
What a process has for all its runs: settings, skills, the log, a sandbox, models.

A run is handed the world and takes from it; nothing in a run reaches past it.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from prowess.core.errors import OutsideError
from prowess.core.event import Event
from prowess.core.ports import Clean, Log, Model, Record, Sandbox
from prowess.core.process import Limits
from prowess.core.skill import Skill
from prowess.discover.catalog import Catalog
from prowess.engine.log import cleaner
from prowess.engine.pen import Pen
from prowess.settings import Settings

# A model by its name, None for whichever can be had; the skill is for models that follow its script.
OpenModel = Callable[[str | None, Skill | None], Model]


@dataclass(frozen=True, kw_only=True)
class World:
    """
    `isolated`: the sandbox holds, or the settings do without one. Where it is false, commands run
    only after a person said yes to each.
    """

    settings: Settings
    catalog: Callable[[], Catalog]
    log: Log
    sandbox: Sandbox
    isolated: bool
    open_model: OpenModel
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def recorder(self, run: str) -> Record:
        """Writes the facts of one run, numbered from 1, so that a replay writes nothing twice."""
        write = self._pen.numbered()
        return lambda event: write(replace(event, run=run))

    def appender(self, run: str) -> Record:
        """
        Writes the facts of something that is itself one step, such as an agent's attempt: they are
        not numbered, because a second try of the step tells another story.
        """
        write = self._pen.write
        return lambda event: write(replace(event, run=run))

    def clean(self, event: Event) -> Event:
        """The fact as the log would keep it."""
        return replace(event, payload=self._clean(dict(event.payload)))

    @cached_property
    def _pen(self) -> Pen:
        return Pen(self.log, far=bool(self.settings.database_url))

    @cached_property
    def _clean(self) -> Clean:
        return cleaner(self.settings, self.environment)

    def clean_text(self, text: str) -> str:
        return str(self._clean({"text": text})["text"])

    @property
    def limits(self) -> Limits:
        settings = self.settings
        return Limits(
            seconds=settings.sandbox_seconds,
            cpu_seconds=max(1, round(settings.sandbox_seconds)) * (os.cpu_count() or 1),
            memory_bytes=settings.sandbox_memory_mb * 1024**2,
            processes=settings.sandbox_processes,
            file_bytes=settings.sandbox_file_mb * 1024**2,
        )


def open_sandbox_for(settings: Settings) -> tuple[Sandbox, bool]:
    """The strongest that runs here, or the one that was asked for; and whether it may be relied on."""
    from prowess.sandbox.probe import open_sandbox

    try:
        return open_sandbox(settings.sandbox_level), True  # type: ignore[arg-type]
    except OutsideError:
        if settings.sandbox_level != "auto":
            raise
        return open_sandbox("none"), False


async def model_opener(settings: Settings, environment: Mapping[str, str]) -> OpenModel:
    """Models by name. Where none is named and no key is set, a local server that answers will do."""
    from prowess.model.demo_script import has_script
    from prowess.model.detect import keys_set, local_servers
    from prowess.model.names import resolve

    lonely = not settings.model_default and not keys_set(environment)
    servers = await local_servers(environment) if lonely else ()
    local = [named for server in servers for named in server.named]

    def opened(name: str | None, skill: Skill | None) -> Model:
        from prowess.model.providers import open_model

        named = resolve(
            name,
            aliases=settings.model_aliases,
            environment=environment,
            servers=local,
            has_script=skill is not None and has_script(skill.path),
        )
        return open_model(
            named, environment=environment, skill_folder=skill.path if skill else None
        )

    return opened
