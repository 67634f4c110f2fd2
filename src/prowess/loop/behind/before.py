"""
What an agent could change behind the loop's back, as it was before its attempt began.

It is kept with a durable step. An attempt that was cut off by a kill is made again, and what lies
there by then may be the agent's work already: it is put back by what was kept, and not by a new look.
"""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from prowess.core.ports import Json
from prowess.loop import marks
from prowess.loop.behind.guarding import added
from prowess.loop.behind.plan_back import PutBack, restore_plan
from prowess.loop.git.refs import Refs, look_at_refs, put_refs_back, refs_from_bytes
from prowess.loop.git.repository import Repository


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """
    The plan as it lay there, with its `marks`, and the branches of a person; `plan` and `refs` are None
    where an older version kept no more than the marks.
    """

    marks: list[Any]
    plan: bytes | None = None
    refs: Refs | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "marks": self.marks,
            "plan": _packed(self.plan),
            "refs": _packed(self.refs.as_bytes() if self.refs else None),
        }

    def put_plan_back(self, path: str, aside: str) -> tuple[list[str], PutBack]:
        """Tasks that were ticked, and what else was done to those of the plan; all of it is undone."""
        unticked = marks.undo_ticks(path, self.marks)
        return unticked, PutBack() if self.plan is None else restore_plan(path, self.plan, aside)

    def added_to(self, path: str) -> list[str]:
        """The labels of tasks that came into the plan since."""
        return [] if self.plan is None else added(self.plan, marks.content(path))

    async def put_refs_back(self, repository: Repository, run: str) -> list[str]:
        """What was done to branches, tags and stashes so that nothing in them is lost, in words."""
        return await put_refs_back(repository, self.refs, run) if self.refs else []


async def look(plan: str, repository: Repository, branch: str) -> Before:
    """As it is now, before an agent works on this branch."""
    return Before(
        marks=marks.now(plan),
        plan=marks.content(plan),
        refs=await look_at_refs(repository, but=branch),
    )


def before_from_json(value: Mapping[str, Json]) -> Before:
    refs = _unpacked(value.get("refs"))
    return Before(
        marks=value["marks"],
        plan=_unpacked(value.get("plan")),
        refs=None if refs is None else refs_from_bytes(refs),
    )


def _packed(content: bytes | None) -> str | None:
    """As text of which every store gives back every byte."""
    return None if content is None else base64.b64encode(zlib.compress(content)).decode()


def _unpacked(text: str | None) -> bytes | None:
    return None if text is None else zlib.decompress(base64.b64decode(text))
