"""task-feedback.md: what the next attempt has to mend, for a reader who knows nothing else."""

import re
from collections.abc import Iterator

from prowess.check.judges.as_before import AS_BEFORE
from prowess.check.judges.touched import TOUCHES
from prowess.check.running.commands import NOT_HERE, NOT_SHOWN
from prowess.check.tree.beside import HIDDEN, MISSED
from prowess.core.evidence import Criterion, Looked, Report

_MOST_IGNORED = 5
_MOST_LINES, _MOST_CHARS = 60, 6_000  # of what one command printed
_ADVICE = {
    NOT_SHOWN: "Bring what commands can be shown",
    TOUCHES: "Nothing may be softened that judges the work",
}
_MARKS = {"confirmed": "seen", "refuted": "seen to be otherwise", "unconfirmed": "not confirmed"}


def feedback(report: Report) -> str:
    """
    The headings, in their order; every line is about something that is not proven. What commands printed
    comes last, and only where one did not show what it was to.
    """
    return "\n".join(
        (
            f"# Task Feedback: {report.task}",
            "",
            "## Failed Criteria",
            "",
            *_failed(report),
            "",
            "## Suggested Fixes",
            "",
            *(f"{number}. {fix}" for number, fix in enumerate(_fixes(report), 1)),
            "",
            "## Files to Review",
            "",
            *(_files(report) or ["- None in particular."]),
            "",
            *_printed(report),
        )
    )


def _open(report: Report) -> list[Criterion]:
    return [each for each in report.criteria if each.verdict != "PASS"]


def _failed(report: Report) -> Iterator[str]:
    for each in _open(report):
        yield f'- {each.verdict}: "{_line(each.text)}": {_sentence(each.reason)}'
        for item in each.evidence:
            if item.state != "confirmed" and item.seen != each.reason:
                where = (
                    f"`{_line(item.evidence.location)}`" if item.evidence.location else "evidence"
                )
                yield f"  - {where}: {_MARKS[item.state]}, {_line(item.seen)}"
    for file in report.scope.violations:
        yield f"- FAIL: files. {_line(file.path)} was changed and {_line(file.why)}."
    if report.scope.failure:
        yield f"- FAIL: files. {_sentence(report.scope.failure)}"
    if report.outcome == "unproven":
        yield f"- INCONCLUSIVE: {_sentence(report.reasons[0])}"
    # Where code saw all for itself, nobody misses evidence.
    missed = any(each.verdict == "INCONCLUSIVE" for each in report.criteria)
    for ignored in report.ignored[:_MOST_IGNORED] if missed else ():
        yield f"- Evidence that was not taken: {_line(ignored.what)}, because {_sentence(ignored.why)}"


def _fixes(report: Report) -> Iterator[str]:
    for each in _open(report):
        yield _fix(each)
    for file in report.scope.violations:
        yield f"Put {_line(file.path)} back as it was at the base commit, or ask for it to be allowed."
    if report.scope.failure:
        yield "Work in a git repository, so that the changed files can be listed."
    for note in report.notes if _open(report) else ():
        if note.startswith(HIDDEN):
            yield (
                f"Have the commands make what they need, or put it where git keeps it: {_line(note)}."
                " What has to be installed, a person installs before the work begins."
            )
    if report.outcome == "unproven":
        yield "Give the task acceptance criteria, or the plan validation commands."


def _fix(criterion: Criterion) -> str:
    """The smallest step that would let it pass, by what kept it from passing."""
    worst = next((each for each in criterion.evidence if each.state == "refuted"), None)
    if worst:
        return _mend(worst)
    if criterion.verdict == "FAIL":
        return f'Make this true: "{_line(criterion.text)}".'
    item = next((each for each in criterion.evidence if each.state == "unconfirmed"), None)
    if item is None or not item.evidence.location:
        return f'Show "{_line(criterion.text)}" with a test, a command, or a line that says it.'
    return _shown(item)


def _shown(item: Looked) -> str:
    """How what could not be confirmed could be."""
    if item.seen.startswith(NOT_HERE):
        return (
            f"Nothing in the work: whoever runs this check has to see to it ({_line(item.seen)})."
        )
    if item.evidence.location.startswith("git diff --stat"):
        return _sentence(f"Do what the task asks for: {item.seen}")
    if item.seen.startswith(MISSED):
        return f"Nothing in the work: a person has to put back what it was checked with ({_line(item.seen)})."
    if item.seen.startswith(AS_BEFORE):
        return (
            "Make the work pass the tests as they were, or ask for those that have to change to be named in"
            f" `files:` ({_line(item.seen)})."
        )
    for begins, advice in _ADVICE.items():
        if item.seen.startswith(begins):
            return _sentence(f"{advice}: {item.seen}")
    return f"Cite evidence that can be seen again: {_line(item.evidence.location)} could not ({_line(item.seen)})."


def _mend(item: Looked) -> str:
    target = _line(item.evidence.location)
    if item.evidence.type == "test_result":
        return f"Run `{target}`, read what fails{_below(item)}, and mend it."
    if item.evidence.type == "command_output":
        return _sentence(f"Make `{target}` end as it has to; it gave: {item.seen}{_below(item)}")
    return _sentence(f"Mend this: {item.seen}")


def _below(item: Looked) -> str:
    return " (what it printed stands below)" if item.output else ""


def _files(report: Report) -> list[str]:
    places: dict[str, str] = {}
    for each in _open(report):
        for item in each.evidence:
            if (
                item.evidence.type in ("file_inspection", "file_existence")
                and item.evidence.location
            ):
                places.setdefault(_line(item.evidence.location), _line(item.seen))
    for file in report.scope.violations:
        places.setdefault(_line(file.path), "changed outside the allowed files")
    if not places and _open(report):
        places = {_line(each.path): "changed for this task" for each in report.scope.files[:10]}
    return [f"- {path}: {why}" for path, why in places.items()]


def _printed(report: Report) -> Iterator[str]:
    """Commands ran on a ground of their own, so nobody else has seen what they printed."""
    ends = {
        _line(item.evidence.location): item.output
        for each in _open(report)
        for item in each.evidence
        if item.output
    }
    if ends:
        yield from ("## What Commands Printed", "")
    for command, output in ends.items():
        text = last_lines(output)
        fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
        yield from (f"The end of what `{command}` printed:", "", f"{fence}text", text, fence, "")


def last_lines(text: str) -> str:
    """As many whole lines from the end as somebody reads; what is left out is told."""
    lines = text.splitlines()[-_MOST_LINES:]
    while len(lines) > 1 and sum(map(len, lines)) + len(lines) > _MOST_CHARS:
        del lines[0]
    told = "\n".join(lines)
    if len(told) > _MOST_CHARS:
        told = told[-_MOST_CHARS:].partition(" ")[2]
    return told if len(told) == len(text) else f"…\n{told}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _sentence(text: str) -> str:
    return f"{_line(text).rstrip('.')}."
