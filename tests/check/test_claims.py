"""Of what an agent answers only its criteria count, and what was not taken is told to the next attempt."""

import json
from typing import Any

import pytest

from check.checks import check
from check.repository import Repository
from prowess.check.claims import read_claims, said_claims
from prowess.check.feedback import feedback
from prowess.core.errors import UsageError
from prowess.core.evidence import Ignored
from prowess.core.ports import Sandbox

CRITERION = {
    "criterion": "it is clear",
    "verdict": "PASS",
    "evidence": [
        {
            "type": "file_inspection",
            "description": "says `A = 2`",
            "location": "lib/a.py:1",
            "confidence": 0.9,
        }
    ],
}


@pytest.mark.parametrize(
    "beside",
    [
        {},
        {"schemaVersion": 1, "taskId": "t", "verdict": "PASS"},
        {"schemaVersion": "1.0", "filesAllowed": ["lib/a.py"], "notes": "all done"},
    ],
)
def test_what_stands_beside_the_criteria_of_an_answer_decides_nothing(
    beside: dict[str, Any],
) -> None:
    text = json.dumps({**beside, "criteria": [CRITERION]})

    claims, ignored = said_claims(f"Done.\n```json\n{text}\n```")

    assert [each.criterion for each in claims] == ["it is clear"]
    assert ignored == []
    with pytest.raises(UsageError):
        read_claims(text, name="e.json")


def test_criteria_of_the_wrong_shape_are_no_claims_and_only_what_is_wrong_with_them_is_told() -> (
    None
):
    criterion = {**CRITERION, "verdict": "fine"}

    claims, (ignored,) = said_claims(json.dumps({"criteria": [criterion]}))

    assert claims == []
    assert ignored.why == "criterion 1, verdict: must be one of PASS, FAIL, INCONCLUSIVE"


def test_the_next_attempt_is_told_what_was_not_taken_and_why(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put("lib/a.py", "A = 2\n")
    claims, ignored = said_claims('{"criteria": [{"criterion": "it is clear"}]}')
    more = [
        Ignored(what=f"claim {number}", why="the task has no such criterion") for number in range(9)
    ]

    report = check(repo, sandbox, "it is clear", claims=claims, ignored=(*ignored, *more))
    told = [line for line in feedback(report).splitlines() if "not taken" in line]

    assert told[0].startswith(
        "- Evidence that was not taken: the evidence of the answer, because criterion 1: verdict is missing"
    )
    assert report.criteria[0].reason == (
        "evidence was given, and it cannot be read:"
        " criterion 1: verdict is missing; criterion 1: evidence is missing"
    )
    assert "Nothing was proposed" not in report.criteria[0].evidence[0].evidence.description
    assert (
        told[1] == "- Evidence that was not taken: claim 0, because the task has no such criterion."
    )
    assert len(told) == 5


def test_what_speaks_of_the_rest_of_a_criterion_may_be_unreadable_too(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put("lib/a.py", "A = 2\n")
    _, ignored = said_claims('Done. {"criteria": [{"criterion": "a",]}')
    asked = ("`lib/a.py` exists and is clear", "`lib/a.py` exists", "`lib/b.py` exists")

    report = check(repo, sandbox, *asked, ignored=ignored)

    assert [each.reason for each in report.criteria] == [
        "evidence was given, and it cannot be read: its JSON is not whole",
        "",
        "lib/b.py is not there",
    ]
