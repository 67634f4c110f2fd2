"""
How cleanly an agent worked, counted from the events of its run and from nothing else.

The same events always give the same figures, so a comparison can be made again from the log.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from prowess.check.compare.searches import Search, deeds
from prowess.core.event import Event

_CLAIM = re.compile(
    r"\b(?:tests? (?:now )?(?:pass|passes|passed|are green)|exists?|does not exist|there is no"
    r"|(?:is|are) (?:missing|fixed|implemented|documented|covered|verified|met|done)"
    r"|works?|passes|succeeds|verified|confirmed|PASS)\b"
)
_SHOWN = re.compile(r"`[^`\n]+`|\b[\w./-]{1,200}\.\w{1,20}:\d+\b|\"location\"")
_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hygiene:
    """
    `shell_first_searches`: searches in a shell before a search tool was tried. `duplicate_searches`:
    the same question in the same place again. `claims_without_evidence`: sentences of the answer
    that say how things are and name neither a place nor words that were seen there.
    """

    searches: int = 0
    reads: int = 0
    shell_first_searches: int = 0
    duplicate_searches: int = 0
    commands: int = 0
    failed_commands: int = 0
    claims: int = 0
    claims_without_evidence: int = 0

    @property
    def searches_per_read(self) -> float | None:
        """None where nothing was read."""
        return self.searches / self.reads if self.reads else None

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "searches_per_read": self.searches_per_read}


def hygiene(events: Iterable[Event]) -> Hygiene:
    """The figures of one run from its events in order."""
    tally = _Tally()
    for event in events:
        tally.add(event.kind, event.payload)
    return tally.figures()


@dataclass(slots=True)
class _Tally:
    searches: int = 0
    reads: int = 0
    shell_first: int = 0
    duplicates: int = 0
    commands: int = 0
    failed: int = 0
    answer: str = ""
    structured: bool = False
    asked: set[Search] = field(default_factory=set)

    def add(self, kind: str, payload: Mapping[str, Any]) -> None:
        if kind == "call.started":
            self._call(payload["tool"], payload.get("tool_kind", ""), payload.get("input") or {})
        elif kind == "call.finished":
            ran = payload.get("tool_kind") == "SHELL" and not payload.get("refused")
            self.commands += ran
            self.failed += ran and not payload.get("ok")
        elif kind == "model.replied" and not payload.get("calls"):
            self.answer = str(payload.get("thought", ""))

    def _call(self, tool: str, tool_kind: str, given: Mapping[str, Any]) -> None:
        for deed in deeds(tool, tool_kind, given):
            if deed == "read":
                self.reads += 1
                continue
            self.searches += 1
            self.shell_first += tool_kind == "SHELL" and not self.structured
            self.duplicates += deed in self.asked
            self.asked.add(deed)
        self.structured = self.structured or tool_kind == "SEARCH"

    def figures(self) -> Hygiene:
        words = _FENCED.sub("", self.answer)  # the evidence JSON is no sentence
        claims = [each for each in _SENTENCE.split(words) if _CLAIM.search(each)]
        return Hygiene(
            searches=self.searches,
            reads=self.reads,
            shell_first_searches=self.shell_first,
            duplicate_searches=self.duplicates,
            commands=self.commands,
            failed_commands=self.failed,
            claims=len(claims),
            claims_without_evidence=sum(not _SHOWN.search(each) for each in claims),
        )
