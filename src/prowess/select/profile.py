"""
What ranking keeps of one skill: how strongly each stem speaks for it.

A profile depends on nothing but the skill's own text, so it is made once and kept. The weights
were tuned on labelled tasks by cross-validation over the repositories they came from; each sits on
a plateau, and a round number was taken.
"""

import re
import zlib
from array import array
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from prowess.core.skill import Skill
from prowess.select.words import name_words, words

NAME, USE_WHEN, BODY = 1.0, 2.0, 0.2  # against 1 for the rest of the description
SATURATION = 0.9  # BM25's k1, applied after the fields are added up
NORMALISED = 0.8  # BM25's b, for description and body; a name has no length worth the word
DESCRIPTION_WORDS, BODY_WORDS = (
    50.0,
    800.0,
)  # the usual lengths; fixed, so that skills do not depend on each other
STEPS = 128  # a strength is kept in one byte, as so many steps to the whole
STRONGEST = round(STEPS * (SATURATION + 1))
BODY_CHARS, PAIR_CHARS = 12_000, 6_000  # what comes later in a body is detail

_NOT_FOR = re.compile(
    r"(?:\bdo\s+not\s+(?:use|trigger|invoke|activate|apply)\b|\bdon't\s+(?:use|trigger)\b"
    r"|\bnot\s+(?:for|to be used|intended for|when)\b|\bskip\s+(?:for|when|if)\b"
    r"|\bavoid\s+(?:for|when|using)\b|\bnever\s+(?:use|for)\b|\bdoes not\b)[^.;!?\n]*(?:[.;!?\n]|$)",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"(?:\bdo(?:es)?\s+not\b|\bnot\s+for\b|\bnever\b)[^.;!?\n]*(?:[.;!?\n]|$)", re.IGNORECASE
)
_USE_WHEN = re.compile(
    r"\b(?:use|used|invoke|trigger|activate|apply|triggers)\s+(?:this\s+|it\s+|the\s+)?(?:skill\s+)?"
    r"(?:on|when|whenever|for|if|to|this|after|before|proactively)\b[^.\n]*(?:\.|\n|$)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Profile:
    """Stems with their strength, hashes of stems that stand side by side, and stems that the skill says it is not for."""

    strength: dict[str, int]
    pairs: "array[int]"
    refused: frozenset[str]


def profile(skill: Skill, body: str) -> Profile:
    """`body` is the skill's instructions, without their header."""
    description = wanted(skill.description)
    use = words(" ".join(_USE_WHEN.findall(description)) + " " + skill.when_to_use)
    name, rest = name_words(skill.name), words(_USE_WHEN.sub(" ", description))
    first = words(body[:PAIR_CHARS])
    headings = words("\n".join(_HEADING.findall(body[:BODY_CHARS])))
    later = words(body[PAIR_CHARS:BODY_CHARS])
    strength = _strength(name, rest, use, first + later + headings)  # so that headings count twice
    pairs = {pair for stems in (name, rest, use, first) for pair in pairs_of(stems)}
    return Profile(strength, array("I", sorted(pairs)), _refused(skill.description, name))


def wanted(description: str) -> str:
    """A description without the clauses that say what the skill is not for."""
    return _NOT_FOR.sub(" ", description)


def pairs_of(stems: list[str]) -> set[int]:
    """A number for each two different stems that stand side by side."""
    return {zlib.crc32(f"{one} {two}".encode()) for one, two in pairwise(stems) if one != two}


def _strength(name: list[str], rest: list[str], use: list[str], body: list[str]) -> dict[str, int]:
    total: defaultdict[str, float] = defaultdict(float)
    for stem in name:
        total[stem] += NAME
    described = (
        1 - NORMALISED + NORMALISED * max(1, len(rest) + USE_WHEN * len(use)) / DESCRIPTION_WORDS
    )
    told = 1 - NORMALISED + NORMALISED * max(1, len(body)) / BODY_WORDS
    for stems, weight in ((rest, 1 / described), (use, USE_WHEN / described), (body, BODY / told)):
        for stem in stems:
            total[stem] += weight
    return {
        stem: max(1, round(STEPS * weight * (SATURATION + 1) / (weight + SATURATION)))
        for stem, weight in total.items()
    }


def _refused(description: str, name: list[str]) -> frozenset[str]:
    """Stems that occur only where the description says what the skill does not do."""
    refused = set(words(" ".join(_NEVER.findall(description))))
    return frozenset(
        refused.difference(words(_NEVER.sub(" ", description)), name) if refused else ()
    )
