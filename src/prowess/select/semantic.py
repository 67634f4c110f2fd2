"""
A second opinion from word vectors, added to the lexical score. Off unless `skills_semantic` is on.

The vectors come inside the wheel of WordLlama (the extra `semantic`); nothing is ever downloaded.
"""

import os
from collections.abc import Sequence
from functools import cache
from typing import Any

from prowess.core.errors import SettingsError
from prowess.core.extras import IN_BRACKETS
from prowess.core.skill import Skill
from prowess.select.profile import wanted
from prowess.select.rank import Adjust

WEIGHT = 4.0  # of the cosine; tuned on labelled tasks, flat from 3 to 6


def open_semantic(skills: Sequence[Skill]) -> Adjust:
    """A function that adds to each score, in the order of `skills`, how near the skill's card is to the task."""
    model = _model()
    vectors = model.embed(
        [f"{skill.name.replace('-', ' ')}. {wanted(skill.description)}" for skill in skills],
        norm=True,
    )

    def adjust(task: str, scores: list[float]) -> list[float]:
        near = vectors @ model.embed([task], norm=True)[0]
        return [score + WEIGHT * float(each) for score, each in zip(scores, near, strict=True)]

    return adjust


@cache
def _model() -> Any:
    try:
        import wordllama  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise SettingsError(
            "skills_semantic is on, and the extra is not installed",
            hint="set skills_semantic = false, or install Prowess again with its extra semantic, "
            f"{IN_BRACKETS}",
        ) from None
    folder = os.path.dirname(wordllama.__file__)
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
