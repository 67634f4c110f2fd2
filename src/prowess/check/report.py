"""
The artifacts of a check, exactly as other programs know them, validated before they are written.

    <task>-evidence.json   what is known of each criterion, and of the changed files
    phase-report.json      the outcome, for whoever decides what comes next
    phase-record.json      what was claimed, what was committed, what was ignored and why
    task-feedback.md       what the next attempt has to mend; only when it did not pass
"""

import contextlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from prowess.check.feedback import feedback
from prowess.check.schemas import problems
from prowess.core.errors import OutsideError, RefusedError
from prowess.core.evidence import Claim, Criterion, Looked, Report
from prowess.core.workspace import write_in

REPORT, RECORD, FEEDBACK = "phase-report.json", "phase-record.json", "task-feedback.md"


def evidence_json(report: Report) -> dict[str, Any]:
    return {
        "schemaVersion": 1,
        "taskId": report.task,
        "verdict": report.verdict,
        "criteria": [_criterion(each) for each in report.criteria],
        "filesAllowed": {
            "verdict": report.scope.verdict,
            "modifiedFiles": [
                {"path": file.path, "matchedPattern": file.pattern} for file in report.scope.files
            ],
        },
    }


def _criterion(criterion: Criterion) -> dict[str, Any]:
    told = {"reason": criterion.reason} if criterion.reason else {}
    return {
        "criterion": criterion.text,
        "verdict": criterion.verdict,
        **told,
        "evidence": [_item(each) for each in criterion.evidence],
    }


def _item(item: Looked) -> dict[str, Any]:
    """With what we saw; an item that we could not confirm has no confidence left."""
    words = {"confirmed": "Confirmed", "refuted": "Refuted", "unconfirmed": "Not confirmed"}
    evidence = item.evidence
    located = {"location": evidence.location} if evidence.location else {}
    return {
        "type": evidence.type,
        "description": f"{evidence.description.rstrip('.')}. {words[item.state]}: {item.seen.rstrip('.')}.",
        **located,
        "confidence": 0.0 if item.state == "unconfirmed" else evidence.confidence,
    }


def phase_report_json(
    report: Report, *, phase: str = "check", more_tasks: bool = True, refs: Sequence[str] = ()
) -> dict[str, Any]:
    """`more_tasks`: others are left that have not passed; who does not know leaves it true."""
    left = more_tasks or not report.passed
    return {
        "schemaVersion": 1,
        "phase": phase,
        "outcome": "passed" if report.passed else "failed",
        "statusUpdates": {
            "taskPassed": report.passed,
            "taskFailed": not report.passed,
            "hasMoreTasks": left,
            "allTasksComplete": not left,
        },
        "reasons": list(report.reasons),
        "evidenceRefs": list(refs),
    }


def record_json(
    report: Report, claims: Sequence[Claim] = (), *, claimed_outcome: str | None = None
) -> dict[str, Any]:
    """What was claimed beside what was committed."""
    return {
        "schemaVersion": 1,
        "task": report.task,
        "claimed": {
            "outcome": claimed_outcome,
            "criteria": [{"criterion": each.criterion, "verdict": each.verdict} for each in claims],
        },
        "committed": {
            "outcome": report.outcome,
            "verdict": report.verdict,
            "base": report.base,
            "criteria": [
                {
                    "criterion": each.text,
                    "verdict": each.verdict,
                    **{
                        state: sum(item.state == state for item in each.evidence)
                        for state in ("confirmed", "refuted", "unconfirmed")
                    },
                }
                for each in report.criteria
            ],
        },
        "ignored": [{"what": each.what, "why": each.why} for each in report.ignored],
        "notes": list(report.notes),
    }


def write_artifacts(
    report: Report,
    folder: str,
    *,
    claims: Sequence[Claim] = (),
    claimed_outcome: str | None = None,
    phase: str = "check",
    more_tasks: bool = True,
) -> list[str]:
    """Write what belongs to the report into `folder`, and return the names of the files, the report first."""
    evidence = (
        f"{re.sub(r'[^A-Za-z0-9._-]+', '-', report.task).strip('-.') or 'task'}-evidence.json"
    )
    refs = [*([evidence] if report.criteria else []), *([] if report.passed else [FEEDBACK])]
    made = {REPORT: phase_report_json(report, phase=phase, more_tasks=more_tasks, refs=refs)}
    _valid(made[REPORT], "phase-report")
    made[RECORD] = record_json(report, claims, claimed_outcome=claimed_outcome)
    _valid(made[RECORD], "phase-record")
    if report.criteria:
        made[evidence] = evidence_json(report)
        _valid(made[evidence], "evidence")
    texts = {name: _text(value) for name, value in made.items()}
    if not report.passed:
        texts[FEEDBACK] = feedback(report)
    _write(folder, texts)
    return list(texts)


def _valid(value: Mapping[str, Any], name: str) -> None:
    """A wrong artifact is a mistake of ours, and must not be read by anybody."""
    if wrong := problems(value, name):
        raise ValueError(f"{name}: {'; '.join(wrong)}")


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _write(folder: str, texts: Mapping[str, str]) -> None:
    """Feedback of an earlier attempt goes when there is none now: it would mislead the next."""
    try:
        os.makedirs(folder, exist_ok=True)
        for name, text in texts.items():
            write_in(folder, name, text.encode("utf-8", "backslashreplace"))
        if FEEDBACK not in texts:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, FEEDBACK))
    except (OSError, RefusedError) as error:
        raise OutsideError(
            f"the artifacts cannot be written to {folder}: {error}", hint="choose another --out"
        ) from None
