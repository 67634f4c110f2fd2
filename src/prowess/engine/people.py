"""
Asking a person in the middle of a run, and waiting for as long as it takes.

A question is an event; the answer comes from whoever shows it (terminal, page, MCP) and is kept by
the engine. A run that was killed while it waited waits on for the same answer.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from prowess.core.chat import Call
from prowess.core.event import Event
from prowess.core.ports import Record, Steps
from prowess.core.run import Question

YES, ALWAYS, NO = "yes", "always for this run", "no"


@dataclass(frozen=True, kw_only=True)
class People:
    """
    `present` is false where nobody can answer; then every question is answered by None at once.
    `above`: a sub-agent's question is its parent's too, because people watch the parent.
    """

    run: str
    steps: Steps
    record: Record
    present: bool
    above: "People | None" = None
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _granted: set[str] = field(default_factory=set)

    async def ask(self, question: Question, *, grants: str = "") -> str | None:
        """The answer; to let the tool `grants` be used is not for everybody who may answer."""
        if not self.present:
            return None
        asked = replace(question, id=f"{self.run}-q{next(self._numbers)}")
        facts = {**asked.as_json(), **({"grants": grants} if grants else {})}
        self._tell_all("question.asked", f"Question: {asked.prompt}", **facts)
        answer = await self.steps.answer(asked.id)
        self._tell_all("question.answered", "Answered", id=asked.id, answer=answer)
        return answer

    def _tell_all(self, kind: str, summary: str, **facts: object) -> None:
        self.tell(kind, summary, **facts)
        if self.above:
            self.above._tell_all(kind, summary, **facts)  # noqa: SLF001  one of its own

    async def grant(self, call: Call, reason: str) -> bool:
        """Whether a person lets this call through; said once for a whole run, it holds for its tool."""
        if call.tool in self._granted:
            return True
        shown = call.input.get("command") or call.input.get("file_path") or dict(call.input)
        prompt = f"May the skill use {call.tool}: {shown}\n({reason})"
        answer = await self.ask(
            Question(id="", prompt=prompt, options=(YES, ALWAYS, NO), default=NO), grants=call.tool
        )
        if answer == ALWAYS:
            self._granted.add(call.tool)
        return answer in (YES, ALWAYS)

    def tell(self, kind: str, summary: str, **facts: object) -> None:
        """Record a fact of the run that everybody may see."""
        payload = {"summary": summary, "visibility": "SUMMARY", **facts}
        self.record(Event(run=self.run, kind=kind, payload=payload))
