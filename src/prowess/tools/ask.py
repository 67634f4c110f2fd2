"""Ask: a question to a person. Only where somebody can be asked is it in the box at all."""

from functools import partial
from typing import Annotated

from pydantic import Field

from prowess.core.chat import Observation
from prowess.core.ports import Ask
from prowess.core.run import Question
from prowess.tools.place import Place
from prowess.tools.toolbox import Tool, failed, seen, typed


def ask_tools(place: Place) -> list[Tool]:
    if place.ask is None:
        return []
    return [typed("Ask", "QUESTION", partial(ask, place.ask), repeatable=True)]


async def ask(
    put: Ask,
    *,
    question: Annotated[str, Field(description="one question, in plain words", min_length=1)],
    options: Annotated[list[str], Field(description="answers to choose from, if any")] = [],  # noqa: B006 (pydantic copies it)
    default: Annotated[str, Field(description="what you will do without an answer")] = "",
) -> Observation:
    answer = await put(
        Question(id="", prompt=question, options=tuple(options), default=default or None)
    )
    if answer is None:
        return failed(
            "Nobody can answer now. Decide sensibly, and say in your answer what you took for granted."
        )
    return seen(answer or "(The answer was left empty.)")
