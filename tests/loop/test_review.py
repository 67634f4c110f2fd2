"""A reviewer's verdict, read strictly: approval is a form that shows something, or it is none."""

import json

import pytest

from prowess.loop.review import read_review

SHOWN = {
    "type": "file_inspection",
    "description": "it says `hello`",
    "location": "hello.txt:1",
    "confidence": 0.9,
}


def verdict(**given: object) -> str:
    return json.dumps({"verdict": "APPROVED", "evidence": [SHOWN], **given})


@pytest.mark.parametrize(
    "answer",
    [
        verdict(),
        f"All fine.\n\n```json\n{verdict()}\n```\n",
        f'{{"verdict": "CHANGES", "feedback": "at first"}}\nOn second thoughts:\n{verdict()}',
        f"{{not json}} {verdict()}",
    ],
)
def test_an_approval_that_shows_something_is_one(answer: str) -> None:
    review = read_review(answer)

    assert review.said == "approved"
    assert review.evidence[0].location == "hello.txt:1"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "APPROVED",
        "verdict: APPROVED",
        "I would say APPROVED, were it not for the tests.",
        verdict(evidence=[]),
        verdict(evidence="hello.txt:1"),
        verdict(evidence=[{"type": "my word", "location": "hello.txt:1"}]),
        verdict(verdict="approved"),
        verdict(verdict=["APPROVED"]),
        verdict(verdict="APPROVED or CHANGES"),
        verdict()[:-1],
        json.dumps({"verdict": "APPROVED", "criteria": [], "evidence": [SHOWN]}),
        "[" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_everything_else_is_no_verdict_and_says_why(answer: str) -> None:
    review = read_review(answer)

    assert review.said == "none"
    assert review.feedback


def test_the_last_verdict_counts_and_its_feedback_is_kept() -> None:
    review = read_review(f'{verdict()}\n{{"verdict": "CHANGES", "feedback": "rename it"}}')

    assert (review.said, review.feedback) == ("changes", "rename it")


def test_a_confidence_that_is_no_number_is_none() -> None:
    review = read_review(verdict(evidence=[{**SHOWN, "confidence": "certain"}]))

    assert review.evidence[0].confidence == 0.0
