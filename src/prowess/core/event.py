"""
Facts about what happened. The log keeps them; everything shown is computed from them.

A kind is stored on disk, so a retired one is never used again, and one from a newer version is
kept whole by an older.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from prowess.core.selection import SkillSelection

SKILLS_DISCOVERED = "SKILLS_DISCOVERED"
SKILLS_SELECTED = "SKILLS_SELECTED"
SKILLS_LOAD_FAILED = "SKILLS_LOAD_FAILED"
SKILLS_TRUNCATED = "SKILLS_TRUNCATED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One fact of one run; `payload` is JSON."""

    run: str
    kind: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An event as the log keeps it: `seq` orders the run, `position` the whole log, `at` is only for people."""

    event: Event
    seq: int
    position: int
    at: str

    def as_json(self) -> dict[str, Any]:
        return {
            "position": self.position,
            "run": self.event.run,
            "seq": self.seq,
            "at": self.at,
            "kind": self.event.kind,
            "payload": dict(self.event.payload),
        }


def skills_discovered(run: str, *, locations: list[str], names: list[str]) -> Event:
    payload = {"run_id": run, "count": len(names), "locations": locations, "names": names}
    return Event(run=run, kind=SKILLS_DISCOVERED, payload=payload)


def skills_selected(selection: SkillSelection) -> Event:
    return Event(run=selection.run_id, kind=SKILLS_SELECTED, payload=selection.as_event())


def skills_load_failed(run: str, *, name: str, error: str) -> Event:
    return Event(
        run=run, kind=SKILLS_LOAD_FAILED, payload={"run_id": run, "name": name, "error": error}
    )


def skills_truncated(run: str, *, name: str, max_chars: int) -> Event:
    return Event(
        run=run,
        kind=SKILLS_TRUNCATED,
        payload={"run_id": run, "name": name, "max_chars": max_chars},
    )
