"""
The run's own list of what it set out to do, which the model keeps and the partial result counts.

It touches nothing, so it needs no permission and is no step.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from prowess.core.chat import Call, Observation, ToolCard

NAME = "Objectives"
CARD = ToolCard(
    name=NAME,
    description=(
        "Keep the list of what this task has to achieve. Call it once you know the objectives and"
        " again whenever one is achieved; give the whole list each time."
    ),
    parameters={
        "type": "object",
        "properties": {
            "objectives": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"text": {"type": "string"}, "done": {"type": "boolean"}},
                    "required": ["text", "done"],
                },
            }
        },
        "required": ["objectives"],
    },
)

Objectives = Sequence[tuple[str, bool]]


def read(given: Mapping[str, Any]) -> Objectives | None:
    """The list as it was given, or None when it is no such list."""
    items = given.get("objectives")
    if not isinstance(items, list) or not items:
        return None
    if not all(isinstance(item, dict) and isinstance(item.get("text"), str) for item in items):
        return None
    return tuple((item["text"], item.get("done") is True) for item in items)


def observed(call: Call) -> Observation:
    listed = read(call.input)
    if listed is None:
        text = "give `objectives`: a list of {text, done}, at least one"
        return Observation(call_id=call.id, text=text, ok=False)
    return Observation(call_id=call.id, text=counted(listed))


def counted(listed: Objectives) -> str:
    return f"Completed {sum(done for _, done in listed)} of {len(listed)} objectives."


def share(listed: Objectives) -> float | None:
    """How much is done, from 0 to 1; None when nobody has said."""
    return sum(done for _, done in listed) / len(listed) if listed else None
