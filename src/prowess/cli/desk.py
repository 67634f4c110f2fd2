"""
The desk a command works at: settings read, skills found on demand, facts recorded.

The log is opened when the first fact is recorded. A log that cannot be written is a warning: a
full disk must not keep anyone from reading their skills.
"""

import sys
from functools import cached_property

from prowess.core.errors import OutsideError
from prowess.core.event import Event
from prowess.discover.catalog import Catalog
from prowess.settings import Settings, load_settings


class Desk:
    def __init__(self, *, project: str, data: str | None, dirs: list[str] | None) -> None:
        self.settings: Settings = load_settings(project=project, data=data, dirs=tuple(dirs or ()))
        self._silent = False

    @cached_property
    def catalog(self) -> Catalog:
        from prowess.engine import discover

        return discover(self.settings, record=self.record)

    def record(self, event: Event) -> None:
        if self._silent:
            return
        from prowess.observe.log import SqliteLog

        try:
            log = SqliteLog(self.settings.log_file)
            try:
                log.append(event)
            finally:
                log.close()
        except OutsideError as error:
            self._silent = True
            print(f"prowess: not recorded: {error}\n  {error.hint}", file=sys.stderr)
