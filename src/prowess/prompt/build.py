"""
The prompts of the loop: one task, what proves it, the skills that fit, and what went wrong last time.

Templates are prose; a part with nothing to say is left out with its heading. Without a task (the
plan could not be read) or without skills (they are switched off) the prompt is the plain one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from prowess.core.task import Task
from prowess.prompt.templates import template

_PART = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What of the skills goes into a prompt: cards of those that may fit, and the text of those that were chosen."""

    available: str = ""
    loaded: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    What a step of the loop is about. `task` is None when the plan could not be read, or skills are
    switched off: the agent then picks from the plan itself.
    """

    plan: str  # its path
    task: Task | None = None
    validation: Sequence[str] = ()
    feedback: str = ""  # what the check or the review said of the last attempt
    offer: Offer = Offer()


def build_implementation_prompt(step: Step) -> str:
    """For whoever is to do the task."""
    return _built("implementation", step)


def build_review_prompt(step: Step) -> str:
    """For whoever is to judge it: about the task that was just implemented, which is not the next one."""
    return _built("review", step)


def _built(kind: str, step: Step) -> str:
    feedback = _part("feedback", step.feedback)
    if step.task is None:
        return _filled(f"{kind}-plain.md", {"plan": step.plan, "feedback": feedback})
    return _filled(
        f"{kind}.md",
        {
            "plan": step.plan,
            "task": step.task.text,
            "line": str(step.task.line),
            "criteria": _part("criteria", _bullets(step.task.criteria)),
            "files": _part("files", _bullets(step.task.files)),
            "validation": _part("validation", "\n".join(step.validation)),
            "feedback": feedback,
            "available": _part("available", step.offer.available),
            "loaded": _part("loaded", step.offer.loaded),
        },
    )


def _part(name: str, text: str) -> str:
    """A part of a prompt under its heading, or nothing."""
    return (
        f"\n{template(f'part-{name}.md').replace('{text}', text.rstrip(chr(10)))}\n"
        if text.strip()
        else ""
    )


def _filled(name: str, values: dict[str, str]) -> str:
    """In one pass, so that what stands in a value is never taken for a place."""
    return _PART.sub(lambda found: values.get(found[1], found[0]), template(name)) + "\n"


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
