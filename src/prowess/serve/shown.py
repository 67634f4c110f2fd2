"""
Runs as a caller may see them: the view of the log, with what the engine knows besides, and without
what is not for this role.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from prowess.core.errors import UnknownRunError
from prowess.core.ports import Engine, Log
from prowess.observe.views import RunView, run_view
from prowess.permit.redact import redact
from prowess.permit.visibility import Level, Role, Visibility

KEPT = 20_000  # views of ended runs, which never change again
SHOWN = 100  # characters of an id in a message


class Views:
    def __init__(
        self, log: Log, engine: Engine, *, visibility: Visibility, known: Collection[str]
    ) -> None:
        self._log = log
        self._engine = engine
        self._visibility = visibility
        self._known = known
        self._ended: dict[str, RunView] = {}

    def get(self, run: str) -> RunView:
        """As it stands; `UnknownRunError` for everything that is no run."""
        if kept := self._ended.get(run):
            return kept
        if run not in self._log.runs_beginning(run):
            raise UnknownRunError(f"Run not found: {run[:SHOWN]}")
        view = run_view(self._log.run(run))
        if view.ended:
            if len(self._ended) >= KEPT:
                self._ended.clear()
            self._ended[run] = view
        return view

    def page(self, *, limit: int, before: str | None) -> list[RunView]:
        """The newest, or those older than `before`."""
        return [self.get(run) for run in self._log.runs(limit=limit, before=before)]

    async def abandoned(self, views: Collection[RunView]) -> frozenset[str]:
        """Those under way that nobody works on: their process ended, so they could not say so."""
        if all(view.ended for view in views):
            return frozenset()
        return frozenset(await self._engine.unfinished())

    def shown(self, view: RunView, role: Role, *, abandoned: Collection[str]) -> dict[str, Any]:
        """
        As JSON for this role. Whoever sees no more than a summary learns how a run goes, what it
        asks and what it answers, but not what it was given.
        """
        level = self._visibility.level(role)
        if level < Level.FULL:
            view = replace(view, arguments="", model="")
        if level is Level.HIDDEN:
            view = replace(view, summary="", answer="", reason="")
        told = view.as_json()
        if view.id.partition(".")[0] in abandoned and not view.ended:
            told["state"] = "interrupted"
        personal = role not in self._visibility.personal
        return redact(told, personal=personal, known=self._known)
