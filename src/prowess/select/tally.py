"""
Add up what the words of a task say for each skill.

A first sum, of one byte for each skill, only tells who may be among the best: the rows of common
words are added whole, as numbers of as many bytes, which costs next to nothing. What those leaders
truly have is then added up for them alone. `everyone` does without the first sum.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from prowess.core.skill import Skill
from prowess.select.profile import STEPS, STRONGEST
from prowess.select.segment import Few, Key, Row, Segment

RARITY_POWER = 0.7  # flatter than BM25's: plain verbs such as "review" do tell skills apart
LEADERS = 100  # of a segment; more when the last of them tie
_MOST, _MOST_WORDS = 255, 40  # a byte holds no more; of more words each would have too little of it
_BYTES = bytes(range(_MOST + 1))
_SHIFTED = 256  # factors are whole numbers of 256ths


@dataclass(frozen=True, slots=True)
class _Part:
    """A segment in use: where in `skills` each of its skills stands, and which of them are gone."""

    segment: Segment
    places: list[int]
    gone: set[int]


@dataclass(frozen=True, slots=True)
class Spoken:
    """One stem in one segment, and how much a step of strength counts."""

    stem: str
    part: _Part
    found: Row | Few
    factor: float


class Tally:
    """The sums for one catalog."""

    def __init__(self, skills: Iterable[Skill], segments: Iterable[Segment]) -> None:
        self.skills: list[Skill] = []
        self.origin: list[tuple[Segment, int]] = []  # of each skill: its segment, its number there
        self._parts: list[_Part] = []
        wanted = {(skill.path, skill.state or 0): skill for skill in skills}
        for segment in segments:
            self._parts.append(self._take(segment, wanted))

    def _take(self, segment: Segment, wanted: dict[Key, Skill]) -> _Part:
        places, gone = [], set()
        for n, key in enumerate(segment.keys):
            places.append(len(self.skills))
            if skill := wanted.pop(key, None):
                self.skills.append(skill)
                self.origin.append((segment, n))
            else:
                gone.add(n)
        return _Part(segment, places, gone)

    def find(self, weight: Mapping[str, float]) -> tuple[dict[str, float], list[Spoken]]:
        """The rarity of each stem that is known, and where the stems speak."""
        rarity: dict[str, float] = {}
        spoken: list[Spoken] = []
        for stem, importance in weight.items():
            found = [(part, hits) for part in self._parts if (hits := part.segment.find(stem))]
            if count := sum(hits.count(part.gone) for part, hits in found):
                rarity[stem] = self.rarity(count)
                factor = importance * rarity[stem] / STEPS
                spoken += [Spoken(stem, part, hits, factor) for part, hits in found]
        return rarity, spoken

    def rarity(self, count: int) -> float:
        """How much a stem says that so many skills have."""
        odds = (len(self.skills) - count + 0.5) / (count + 0.5)
        return math.pow(math.log(1 + odds), RARITY_POWER)

    def parts(self, place: int, spoken: Iterable[Spoken]) -> Iterator[tuple[Spoken, int]]:
        """The stems that speak for one skill, and how strongly."""
        segment, n = self.origin[place]
        for each in spoken:
            if each.part.segment is segment and (strength := each.found.strength(n)):
                yield each, strength

    def places(self, spoken: Spoken, *, least: int) -> Iterator[int]:
        """The skills for which a stem speaks at least so strongly."""
        part = spoken.part
        for n, strength in spoken.found.hits():
            if strength >= least and n not in part.gone:
                yield part.places[n]

    def everyone(self, spoken: Sequence[Spoken], given: Mapping[int, float]) -> list[float]:
        """The sum of every skill; `given` is what some have before."""
        score: list[float] = []
        for part in self._parts:
            sums = [given.get(place, 0.0) for place in part.places]
            for each in spoken:
                if each.part is part:
                    factor = each.factor
                    for n, strength in each.found.hits():
                        sums[n] += factor * strength
            score += [value for n, value in enumerate(sums) if n not in part.gone]
        return score

    def leaders(self, spoken: Sequence[Spoken], given: Mapping[int, float]) -> dict[int, float]:
        """The sums of those that may be the best; of all that have any when those are few."""
        if len({each.stem for each in spoken}) > _MOST_WORDS:
            return {n: value for n, value in enumerate(self.everyone(spoken, given)) if value}
        score: dict[int, float] = {}
        for part in self._parts:
            own = [each for each in spoken if each.part is part]
            near = _near(part, own)
            for place in given:
                segment, n = self.origin[place]
                if segment is part.segment:
                    near.add(n)
            sums = {n: given.get(part.places[n], 0.0) for n in near}
            for each in own:
                _add(each, sums)
            score |= {part.places[n]: value for n, value in sums.items()}
        return score


def _add(spoken: Spoken, sums: dict[int, float]) -> None:
    """What a stem says for the skills in `sums` and for no others."""
    factor = spoken.factor
    if isinstance(spoken.found, Row):
        row = spoken.found.strengths
        for n in sums:
            sums[n] += factor * row[n]
    else:
        for n, strength in spoken.found.hits():
            if n in sums:
                sums[n] += factor * strength


def _near(part: _Part, spoken: Sequence[Spoken]) -> set[int]:
    """The numbers of the skills with the highest first sums; of all that have any when those are few."""
    rough = _first_sums(len(part.segment.keys), spoken)
    for n in part.gone:
        rough[n] = 0
    if least := bisect_right(_BYTES[1:], -LEADERS, key=lambda v: -_reached(rough, v)):
        return set(_places(rough.translate(bytes(least) + b"\1" * (_MOST + 1 - least))))
    return {n for each in spoken for n, _ in each.found.hits()} - part.gone


def _first_sums(size: int, spoken: Sequence[Spoken]) -> bytearray:
    """One byte for each skill of a segment; scaled so that no sum, rounded up as it may be, is too large for it."""
    total = sum(each.factor for each in spoken)
    scale = _SHIFTED * (_MOST - len(spoken) / 2) / STRONGEST / total if spoken else 0.0
    tables = [_scaled(int(each.factor * scale)) for each in spoken]
    rows = 0
    for each, table in zip(spoken, tables, strict=True):
        if isinstance(each.found, Row):
            rows += int.from_bytes(each.found.strengths.translate(table), "little")
    sums = bytearray(rows.to_bytes(size, "little"))
    for each, table in zip(spoken, tables, strict=True):
        if isinstance(each.found, Few):
            for n, strength in each.found.hits():
                sums[n] += table[strength]
    return sums


@cache
def _scaled(factor: int) -> bytes:
    """What each strength becomes, by that many parts of _SHIFTED."""
    return bytes(min(_MOST, (n * factor + _SHIFTED // 2) // _SHIFTED) for n in _BYTES)


def _reached(sums: bytearray, least: int) -> int:
    """How many are at least that."""
    return len(sums.translate(None, _BYTES[:least]))


def _places(flags: bytearray) -> Iterator[int]:
    """Where it is 1."""
    at = flags.find(1)
    while at >= 0:
        yield at
        at = flags.find(1, at + 1)
