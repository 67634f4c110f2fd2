"""How one task of a plan ended."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from prowess.core.evidence import Report
from prowess.core.task import Mark
from prowess.core.text import shortened, visible

_MOST_SAID = 300  # characters
_BLOCK = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)


class CutError(Exception):
    """
    What ends the loop before a task has its end; the text says what it is. `told` says in the report
    what that means for the task, and `{}` there is the text; `outside`: nobody here can do anything about it.
    """

    told = ""
    outside = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """
    `cut` says what ended the loop before its phases had, where something did, and `outside` what kind
    of it that is.
    `trouble` is what stopped the agent of the last attempt. `review` is what came of a review, in a
    sentence; `reviewer` is whose approval gave the mark R, and empty where code alone proved it. `said`
    are the last words of the agent of the last attempt. `spoilt` are sentences on attempts that failed
    because the plan was changed meanwhile; `astray` says how the phases led to no end.
    """

    mark: Mark
    reason: str
    attempts: int
    report: Report | None = None
    cut: str = ""
    outside: bool = False
    trouble: str = ""
    review: str = ""
    reviewer: str = ""
    said: str = ""
    spoilt: tuple[str, ...] = ()
    astray: str = ""

    @property
    def already(self) -> bool:
        """It is proven, and nothing was changed for it."""
        return self.mark == "R" and bool(
            self.report and self.report.base and not self.report.scope.files
        )


def cut_short(cut: CutError, status: Mapping[str, Any], report: Report | None) -> Done:
    """What only a review is missing of is implemented; anything else is still to do."""
    whole = status["trouble"] == "none" and status["check"] in ("passed", "unproven")
    return Done(
        mark="x" if whole else " ",
        reason=f"{cut.told.replace('{}', str(cut))} {'reviewed' if whole else 'done'}",
        attempts=status["attempt"],
        report=report,
        cut=str(cut),
        outside=cut.outside,
    )


def spoilt_by(attempt: int, tampered: Sequence[str]) -> str:
    """For the report: no criterion tells why this attempt failed."""
    what = "; ".join(tampered)
    return f"Attempt {attempt} failed because the plan was changed while its agent was at work: {what}."


def last_words(answer: str) -> str:
    """The last paragraph of what an agent said that is no code, as one line."""
    paragraphs = re.split(r"\n\s*\n", _BLOCK.sub("\n\n", answer))
    said = [each for each in map(str.strip, paragraphs) if each and not each.startswith(("{", "["))]
    return shortened(" ".join(visible(said[-1]).split()), _MOST_SAID) if said else ""


def done_as_json(done: Done) -> dict[str, Any]:
    report = None if done.report is None else done.report.for_log()
    return {**asdict(done), "report": report}
