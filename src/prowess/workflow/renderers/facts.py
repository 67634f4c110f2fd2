"""What happens in a workflow as JSON, for programs and pages: the same words in both."""

from typing import Any

from prowess.core.run import Question
from prowess.core.workflow import Progress, TextFormat

Fact = dict[str, Any]


def output(text: str, step: str, format: TextFormat) -> Fact:  # noqa: A002
    return {"kind": "output", "step": step, "format": format, "text": text}


def question(asked: Question, step: str, wrong: str) -> Fact:
    return {"kind": "question", "step": step, **asked.as_json(), "wrong": wrong}


def answer(asked: Question, step: str, given: str | None) -> Fact:
    return {"kind": "answer", "step": step, "id": asked.id, "answer": given}


def progress(told: Progress) -> Fact:
    return {
        "kind": "progress",
        "step": told.step,
        "step_kind": told.kind,
        "index": told.index,
        "total": told.total,
        "summary": told.summary,
        "state": told.state,
    }
