"""
A reviewer's verdict, read strictly: one JSON object at the end of the answer, or there is none.

An approval counts as far as code finds what it cites.
"""

from dataclasses import dataclass
from typing import Any, Literal

from prowess.check.claims import objects_in
from prowess.core.evidence import Claim, Evidence

Said = Literal["approved", "changes", "none"]
_TYPES = ("file_inspection", "command_output", "test_result", "file_existence")


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """`none`: the answer holds no verdict that could be read; `feedback` says why."""

    said: Said
    feedback: str = ""
    evidence: tuple[Evidence, ...] = ()

    def claim(self, criterion: str) -> Claim:
        return Claim(criterion=criterion, verdict="PASS", evidence=self.evidence)

    def told(self, reviewer: str, *, implementer: str) -> str:
        """What came of it, for the report."""
        if self.said == "approved":
            if reviewer != implementer:
                return f"Reviewed by {reviewer}."
            return (
                f"Reviewed by {reviewer}, the agent that implemented it, which proves nothing;"
                " `--reviewer` names another one."
            )
        why = self.feedback.partition("\n")[0].rstrip(".:")
        if self.said == "changes":
            return f"{reviewer} wants changes: {why}."
        return f"The review by {reviewer} does not count: {why}."


def read_review(answer: str) -> Review:
    """The last JSON object with a `verdict` in the answer decides; words around it never do."""
    found = [each for each in objects_in(answer) if "verdict" in each and "criteria" not in each]
    if not found:
        return Review(said="none", feedback="the review gave no verdict")
    last = found[-1]
    if last["verdict"] == "CHANGES":
        return Review(said="changes", feedback=str(last.get("feedback") or "changes are wanted"))
    if last["verdict"] != "APPROVED":
        return Review(said="none", feedback=f"the review's verdict is {last['verdict']!r}")
    evidence = tuple(_evidence(last.get("evidence")))
    if all(each.type == "file_existence" for each in evidence):
        return Review(said="none", feedback="the review approves and shows nothing")
    return Review(said="approved", evidence=evidence)


def _evidence(given: Any) -> list[Evidence]:
    """Items that have the shape of evidence; others show nothing."""
    made = []
    for each in given if isinstance(given, list) else ():
        if isinstance(each, dict) and each.get("type") in _TYPES:
            sure = each.get("confidence", 1.0)
            made.append(
                Evidence(
                    type=each["type"],
                    description=str(each.get("description", "")),
                    location=str(each.get("location", "")),
                    confidence=float(sure) if isinstance(sure, int | float) else 0.0,
                )
            )
    return made
