"""
The desk a command works at: settings read, skills found on demand, facts recorded.

The log is opened when the first fact is recorded. A log that cannot be written is a warning: a
full disk must not keep anyone from reading their skills.
"""

import os
from functools import cached_property

from prowess.cli.output import note
from prowess.core.errors import OutsideError
from prowess.core.event import Event
from prowess.core.ports import Log
from prowess.discover.catalog import Catalog
from prowess.settings import Settings, load_settings, unknown_variables


class Desk:
    def __init__(self, *, project: str, data: str | None, dirs: list[str] | None) -> None:
        self.settings: Settings = load_settings(project=project, data=data, dirs=tuple(dirs or ()))
        self._complained = False

    def tell_misspelt(self) -> None:
        """Before something that costs money: variables that look like settings, and are none."""
        for variable, hint in unknown_variables(os.environ).items():
            if hint.startswith("did you mean"):
                note(f"prowess: {variable} changes nothing, {hint}")

    @cached_property
    def catalog(self) -> Catalog:
        from prowess.discover.catalog import open_catalog
        from prowess.engine import discover, find_roots
        from prowess.observe.opening import is_there

        try:
            return discover(
                self.settings,
                record=self._append,
                afresh=not is_there(self.settings.log_place),
            )
        except OutsideError as error:
            self._complain(error)
            return open_catalog(find_roots(self.settings), index_folder=self.settings.index_folder)

    def record(self, event: Event) -> None:
        """Keep the fact, or say that it could not be kept."""
        try:
            self._append(event)
        except OutsideError as error:
            self._complain(error)

    def _append(self, event: Event) -> None:
        self._log.append(event)

    @cached_property
    def _log(self) -> Log:
        """Opened with the first fact; it ends with the command."""
        from prowess.engine.log import open_log_of

        return open_log_of(self.settings)

    def _complain(self, error: OutsideError) -> None:
        if not self._complained:
            self._complained = True
            note(f"prowess: not recorded: {error}\n  {error.hint}")
