"""
Runs as a caller may see them: the view of the log, with what the engine knows besides, and without
what is not for this role.
"""

import asyncio
import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from prowess.core.errors import UnknownRunError
from prowess.core.event import Recorded
from prowess.core.ports import Engine, Log, Standing
from prowess.core.run import Kind
from prowess.observe.views import RunView, State, run_view
from prowess.permit.redact import redact
from prowess.permit.visibility import Level, Role, Visibility, brief

KEPT = 20_000  # views of ended runs, which never change again
SHOWN = 100  # characters of an id in a message
LOOKED = 200  # runs looked at in one go for those that are wanted
LOOKS = 10
LISTED = "GET /api/runs lists those there are, as do `prowess runs` and the tool `prowess_runs`"
Shown = Literal[State, Standing]


class Views:
    def __init__(
        self, log: Log, engine: Engine, *, visibility: Visibility, known: Collection[str]
    ) -> None:
        self._log = log
        self._engine = engine
        self._visibility = visibility
        self._known = known
        self._ended: dict[tuple[str, bool], RunView] = {}  # by run, and whether it is the brief one

    async def get(self, run: str) -> RunView:
        """As it stands, whole; `UnknownRunError` for everything that is no run."""
        return await self._log.aside(partial(self._look_up, run, is_brief=False))

    async def show(self, run: str, role: Role) -> dict[str, Any]:
        """As JSON for this role."""
        is_brief = self._visibility.level(role) < Level.FULL
        view = await self._log.aside(partial(self._look_up, run, is_brief=is_brief))
        return self._shown(view, role, standing=await self.standing([view]))

    def _look_up(self, run: str, *, is_brief: bool) -> RunView:
        if kept := self._ended.get((run, is_brief)):
            return kept
        if run not in self._log.runs_beginning(run) and not self._is_part(run):
            raise UnknownRunError(f"Run not found: {run[:SHOWN]}", hint=self._near(run) or LISTED)
        events = self._log.run(run)
        view = run_view(map(_brief, events) if is_brief else events)
        if view.ended:
            if len(self._ended) >= KEPT:
                self._ended.clear()
            self._ended[run, is_brief] = view
        return view

    def _is_part(self, run: str) -> bool:
        """An agent's attempt, say, which tells its story beside the run that it belongs to."""
        return "." in run and next(iter(self._log.run(run)), None) is not None

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
        kind: Kind | None = None,
    ) -> tuple[list[dict[str, Any]], str | None]:
        """
        The newest, or those older than `before`, and what `before` is for the next page. Where few
        of many are wanted, a page may hold less than `limit` though another follows.
        """
        told: list[dict[str, Any]] = []
        at_once = limit if state is skill is kind is None else LOOKED
        is_brief = self._visibility.level(role) < Level.FULL
        for _ in range(LOOKS):
            views = await asyncio.to_thread(self._read, at_once, before, is_brief=is_brief)
            standing = await self.standing(views)
            for view in views:
                before = view.id
                alike = skill in {None, view.skill} and kind in {None, view.kind}
                if alike and state in {None, _state(view, standing)}:
                    told.append(self._shown(view, role, standing=standing))
                if len(told) == limit:
                    return told, before
            if len(views) < at_once:
                return told, None
        return told, before

    def _read(self, limit: int, before: str | None, *, is_brief: bool) -> list[RunView]:
        runs = self._log.runs(limit=limit, before=before)
        return [self._look_up(run, is_brief=is_brief) for run in runs]

    async def standing(self, views: Collection[RunView]) -> Mapping[str, Standing]:
        """Those under way that nobody works on, and why: of that they could not tell themselves."""
        under_way = {_whole(view) for view in views if not view.ended}
        return await self._engine.standing(under_way) if under_way else {}

    def _shown(
        self, view: RunView, role: Role, *, standing: Mapping[str, Standing]
    ) -> dict[str, Any]:
        """
        Whoever sees no more than a summary, of a view that is brief, learns how a run goes, what it
        asks and what it answers, but not what it was given, nor where its project lies.
        """
        level = self._visibility.level(role)
        if level < Level.FULL:
            view = replace(
                view, arguments="", model="", project=os.path.basename(view.project.rstrip("/"))
            )
        if level is Level.HIDDEN:
            view = replace(view, summary="", answer="", reason="")
        told = {**view.as_json(), "state": _state(view, standing)}
        personal = role not in self._visibility.personal
        return redact(told, personal=personal, known=self._known)


def _brief(each: Recorded) -> Recorded:
    return replace(each, event=replace(each.event, payload=brief(each.event.payload)))


def _state(view: RunView, standing: Mapping[str, Standing]) -> Shown:
    return view.state if view.ended else standing.get(_whole(view), view.state)


def _whole(view: RunView) -> str:
    """The run that it is, or that it is a part of."""
    return view.id.partition(".")[0]
