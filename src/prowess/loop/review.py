"""
A reviewer's verdict, read strictly: one JSON object at the end of the answer, or there is none.

An approval counts as far as code finds what it cites.
"""

import json
from dataclasses import dataclass
from typing import Any, Literal

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


def read_review(answer: str) -> Review:
    """The last JSON object with a `verdict` in the answer decides; words around it never do."""
    found = [each for each in _objects(answer) if "verdict" in each and "criteria" not in each]
    if not found:
        return Review(said="none", feedback="the review gave no verdict")
    last = found[-1]
    if last["verdict"] == "CHANGES":
        return Review(said="changes", feedback=str(last.get("feedback") or "changes are wanted"))
    if last["verdict"] != "APPROVED":
        return Review(said="none", feedback=f"the review's verdict is {last['verdict']!r}")
    evidence = tuple(_evidence(last.get("evidence")))
    if not evidence:
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


def _objects(text: str) -> list[dict[str, Any]]:
    """Every outermost JSON object in a text, in order."""
    decoder, found, at = json.JSONDecoder(), [], text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except ValueError:
            end = at + 1
        else:
            found.append(value)
        at = text.find("{", end)
    return [each for each in found if isinstance(each, dict)]
