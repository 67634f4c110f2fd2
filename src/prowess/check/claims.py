"""
Claims, read from a file or from what an agent says: the evidence JSON, and nothing but.

A claim of the wrong shape is no claim. What an agent writes around its JSON is not looked at, and what
its JSON says besides its criteria decides nothing, so that may be missing.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from prowess.check.schemas import problems
from prowess.core.errors import UsageError
from prowess.core.evidence import Claim, Evidence, Ignored

UNREAD = "the evidence of the answer"  # what is told of evidence that was given and cannot be read
MAX_CHARS = 4 * 1024 * 1024
_MOST_STARTS = 2_000  # places in an answer at which JSON is looked for
_DECIDES_NOTHING: Mapping[str, Any] = {
    "schemaVersion": 1,
    "taskId": "unnamed",
    "verdict": "INCONCLUSIVE",
    "filesAllowed": {"verdict": "PASS", "modifiedFiles": []},
}
_MOST_TOLD = 5  # of what is wrong
_INDEX = re.compile(r"\[(\d+)\]")
_START = re.compile(r"\{\s*[\"}]")  # of an object


def read_claims(text: str, *, name: str) -> list[Claim]:
    """The claims of an evidence file; `UsageError` with everything that is wrong with it."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{name} is not JSON: {error}",
            hint="`prowess schema evidence` prints the shape it needs",
        ) from None
    if wrong := problems(value, "evidence"):
        raise UsageError(
            f"{name}: {'; '.join(wrong[:5])}",
            hint="`prowess schema evidence` prints the shape it needs",
        )
    return claims_of(value)


def claims_of(value: Mapping[str, Any]) -> list[Claim]:
    """The claims of an evidence JSON that has its shape."""
    return [
        Claim(
            criterion=each["criterion"],
            verdict=each["verdict"],
            reason=each.get("reason", ""),
            evidence=tuple(Evidence(**item) for item in each["evidence"]),
        )
        for each in value["criteria"]
    ]


def said_claims(answer: str) -> tuple[list[Claim], list[Ignored]]:
    """The claims in an agent's answer: its last JSON that speaks of criteria, if it has the shape."""
    found = [each for each in objects_in(answer) if "criteria" in each]
    if not found and '"criteria"' in answer:
        return [], [Ignored(what=UNREAD, why="its JSON is not whole")]
    if not found:
        return [], [Ignored(what="the answer", why="it holds no evidence JSON")]
    value = {**_DECIDES_NOTHING, "criteria": found[-1]["criteria"]}
    if wrong := problems(value, "evidence"):
        more = f"; and {len(wrong) - _MOST_TOLD} more" if len(wrong) > _MOST_TOLD else ""
        why = "; ".join(map(_worded, wrong[:_MOST_TOLD])) + more
        return [], [Ignored(what=UNREAD, why=why)]
    return claims_of(value), []


def unread(ignored: Iterable[Ignored]) -> str:
    """Why evidence that was given could not be read, or an empty text."""
    return next((each.why for each in ignored if each.what == UNREAD), "")


def _worded(problem: str) -> str:
    """`$.criteria[0].evidence[1]: type is missing` as somebody says it who counts from one."""
    place, _, what = problem.partition(": ")
    counted = _INDEX.sub(lambda found: f" {int(found[1]) + 1}", place.removeprefix("$").lstrip("."))
    named = counted.replace("criteria ", "criterion ").replace(".", ", ")
    return f"{named}: {what}" if named else what


def claimed_outcome(answer: str) -> str | None:
    """What a phase report in the answer claims, for the record; it decides nothing."""
    reports = [each for each in objects_in(answer) if "statusUpdates" in each]
    outcome = reports[-1].get("outcome") if reports else None
    return outcome if outcome in ("passed", "failed") else None


def objects_in(answer: str) -> list[dict[str, Any]]:
    """Every outermost JSON object in what an agent said, in order."""
    text = answer[-MAX_CHARS:]
    decoder = json.JSONDecoder()
    found = []
    # Of very many braces the last count: an agent shows its code first and its evidence at the end.
    starts = [match.start() for match in _START.finditer(text)][-_MOST_STARTS:]
    end = 0
    for place in starts:
        if place < end:
            continue
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            found.append(value)
    return found
