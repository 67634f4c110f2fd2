"""How one task of a plan ended."""

from dataclasses import asdict, dataclass
from typing import Any

from prowess.core.evidence import Report
from prowess.core.task import Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """
    `cut` says what ended the loop before its phases had, where something did.
    `trouble` is what stopped the agent of the last attempt. `review` is what came of a review, in a
    sentence; `reviewer` is whose approval gave the mark R, and empty where code alone proved it.
    """

    mark: Mark
    reason: str
    attempts: int
    report: Report | None = None
    cut: str = ""
    trouble: str = ""
    review: str = ""
    reviewer: str = ""

    @property
    def already(self) -> bool:
        """It is proven, and nothing was changed for it."""
        return self.mark == "R" and bool(
            self.report and self.report.base and not self.report.scope.files
        )


def done_as_json(done: Done) -> dict[str, Any]:
    report = None if done.report is None else done.report.as_json()
    return {**asdict(done), "report": report}
