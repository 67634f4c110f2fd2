"""
Runs as a caller may see them: the view of the log, with what the engine knows besides, and without
what is not for this role.
"""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import Any, Literal

from prowess.core.errors import UnknownRunError
from prowess.core.ports import Engine, Log
from prowess.observe.views import RunView, State, run_view
from prowess.permit.redact import redact
from prowess.permit.visibility import Level, Role, Visibility

KEPT = 20_000  # views of ended runs, which never change again
SHOWN = 100  # characters of an id in a message
LOOKED = 200  # runs looked at in one go for those that are wanted
LOOKS = 10
Shown = Literal[State, "interrupted"]


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
            raise UnknownRunError(f"Run not found: {run[:SHOWN]}", hint=self._near(run))
        view = run_view(self._log.run(run))
        if view.ended:
            if len(self._ended) >= KEPT:
                self._ended.clear()
            self._ended[run] = view
        return view

    def _near(self, run: str) -> str:
        import difflib

        there = [*self._log.runs_beginning(run[:4])[:LOOKED], *self._log.runs(limit=LOOKED)]
        near = difflib.get_close_matches(run[:SHOWN], there, n=1, cutoff=0.75)
        return f"did you mean {near[0]}?" if near else ""

    async def page(
        self,
        role: Role,
        *,
        limit: int,
        before: str | None = None,
        state: Shown | None = None,
        skill: str | None = None,
    ) -> tuple[list[dict[str, Any]], str | None]:
        """
        The newest, or those older than `before`, and what `before` is for the next page. Where few
        of many are wanted, a page may hold less than `limit` though another follows.
        """
        told: list[dict[str, Any]] = []
        at_once = limit if state is skill is None else LOOKED
        for _ in range(LOOKS):
            views = await asyncio.to_thread(self._read, limit=at_once, before=before)
            abandoned = await self.abandoned(views)
            for view in views:
                before = view.id
                if state in {None, _state(view, abandoned)} and skill in {None, view.skill}:
                    told.append(self.shown(view, role, abandoned=abandoned))
                if len(told) == limit:
                    return told, before
            if len(views) < at_once:
                return told, None
        return told, before

    def _read(self, *, limit: int, before: str | None) -> list[RunView]:
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
        told = {**view.as_json(), "state": _state(view, abandoned)}
        personal = role not in self._visibility.personal
        return redact(told, personal=personal, known=self._known)


def _state(view: RunView, abandoned: Collection[str]) -> Shown:
    if view.id.partition(".")[0] in abandoned and not view.ended:
        return "interrupted"
    return view.state
