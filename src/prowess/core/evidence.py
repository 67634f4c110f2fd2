"""
What a check works with: a task as it was specified, what is claimed of it, what was found, the report.

A claim is what somebody says; a `Looked` is what we saw when we looked ourselves. Only the second
kind carries a verdict, and a criterion that nobody could look at is INCONCLUSIVE, which is no pass.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from prowess.core.task import Task

Ruling = Literal["PASS", "FAIL", "INCONCLUSIVE"]
EvidenceType = Literal["file_inspection", "command_output", "test_result", "file_existence"]
# Confirmed: it is as was said. Refuted: we saw that it is not. Unconfirmed: we could not tell.
State = Literal["confirmed", "refuted", "unconfirmed"]
# Unproven: there is nothing in the task that could be checked.
CheckOutcome = Literal["passed", "failed", "unproven"]
TaskStatus = Literal["pending", "in_progress", "passed", "failed"]

_ID_CHARS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A task as the check reads it, from a plan or from a file of tasks. `files` empty: no restriction."""

    id: str
    title: str
    summary: str = ""
    criteria: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    status: TaskStatus = "pending"


def spec_of(task: Task) -> Spec:
    """A task of a plan; its id is made of its words, so that it stays when lines move."""
    words = re.sub(r"[^a-z0-9]+", "-", task.label.casefold())[:_ID_CHARS].strip("-")
    return Spec(
        id=words or f"line-{task.line}",
        title=task.label,
        summary=task.description,
        criteria=task.criteria,
        files=task.files,
        after=task.after,
        status="passed" if task.mark == "R" else "in_progress" if task.mark == "x" else "pending",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One item: `location` is a path, `path:line` or a command; `confidence` is from 0 to 1."""

    type: EvidenceType
    description: str
    location: str = ""
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What somebody says of one criterion. Nothing of it is believed."""

    criterion: str
    verdict: Ruling
    evidence: tuple[Evidence, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """
    An item of evidence after we looked. `seen` says in a line what we saw; `own`: we proposed it
    ourselves, from the words of the criterion. `changed` are files that looking at it changed. `output` is
    the end of what a command printed that did not show what it was to; no artifact for programs has it.
    """

    evidence: Evidence
    state: State
    seen: str
    own: bool = False
    changed: tuple[str, ...] = ()
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """`text` is the task's own wording. `added`: the check itself asks for it (a validation command)."""

    text: str
    verdict: Ruling
    evidence: tuple[Looked, ...]
    reason: str = ""
    added: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """Something that was claimed and not taken into account, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    A path that differs from the base. `source` is where a rename comes from; `link` is the target
    of a symbolic link that it now is, None when it is none; `twin` is a tracked path that differs
    from it in case alone.
    """

    path: str
    status: str = "M"
    source: str = ""
    link: str | None = None
    submodule: bool = False
    twin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoped:
    """A changed path with the glob that allows it; None: nothing does, and `why` says more."""

    path: str
    pattern: str | None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Every changed path. `failure`: they could not be listed, so nothing can be said for them."""

    files: tuple[Scoped, ...] = ()
    failure: str = ""

    @property
    def violations(self) -> tuple[Scoped, ...]:
        return tuple(file for file in self.files if file.pattern is None)

    @property
    def verdict(self) -> Ruling:
        return "FAIL" if self.failure or self.violations else "PASS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a check found, whole: with it alone every artifact can be written."""

    task: str
    title: str
    outcome: CheckOutcome
    verdict: Ruling
    criteria: tuple[Criterion, ...]
    scope: Scope
    base: str = ""
    reasons: tuple[str, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"

    def as_json(self) -> dict[str, Any]:
        """Plain JSON that `report_from_json` reads back."""
        return asdict(self)

    def for_log(self) -> dict[str, Any]:
        """Without what commands printed, which is for whoever has to mend the work."""
        told = self.as_json()
        for criterion in told["criteria"]:
            for item in criterion["evidence"]:
                del item["output"]
        return told


def report_from_json(value: Mapping[str, Any]) -> Report:
    """The report that `as_json` told, also after it went through a file."""
    return Report(
        **{
            **value,
            "criteria": tuple(map(_criterion, value["criteria"])),
            "scope": Scope(
                files=tuple(Scoped(**each) for each in value["scope"]["files"]),
                failure=value["scope"]["failure"],
            ),
            "reasons": tuple(value["reasons"]),
            "ignored": tuple(Ignored(**each) for each in value["ignored"]),
            "notes": tuple(value["notes"]),
        }
    )


def _criterion(value: Mapping[str, Any]) -> Criterion:
    looked = tuple(
        Looked(
            **{
                **each,
                "evidence": Evidence(**each["evidence"]),
                "changed": tuple(each["changed"]),
            }
        )
        for each in value["evidence"]
    )
    return Criterion(**{**value, "evidence": looked})
