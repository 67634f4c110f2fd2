"""
Rank skills for a task: BM25 over fields, a bonus for words side by side, and how sure we are.

The first score is the confidence, from 0 to 1, that the best skill is meant at all: how much of the
task it explains, how far ahead of the second it is, less what it says it is not for. The others
stand in proportion, so that one threshold fits short tasks and long ones. No model is asked, and
the same skills give the same answer in whatever order they come.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest

from prowess.core.skill import Skill
from prowess.select.profile import pairs_of
from prowess.select.segment import Key, Segment
from prowess.select.words import words

RARITY_POWER = 0.7  # flatter than BM25's: plain verbs such as "review" do tell skills apart
NAMED = 2.0  # when all words of a skill's name stand in the task, in order
PAIR, PAIR_TOP = (
    0.6,
    20,
)  # for each pair of the task's words that stands in the skill too; only the best are looked at
HEAD_WORDS, TAIL, QUOTED = 15, 0.8, 0.6  # what comes later in a task, and what it quotes, says less
EVIDENCE, LEAD, REFUSED = 4.0, 1.0, 2.0
MIDDLE, SPREAD = 12.0, 3.0  # of the curve that makes it a confidence
THRESHOLD = 0.30

_QUOTE = re.compile(
    r"```.*?(?:```|\Z)|\"[^\"\n]{20,}\"|“[^”\n]{20,}”|(?<!\w)'[^'\n]{25,}'(?!\w)", re.DOTALL
)
_PLAIN = re.compile("[a-z0-9]+")
_LONGEST_NAME = 7  # words
MOST_CHARS = 20_000  # of a task; the rest adds time and no meaning

Adjust = Callable[[str, list[float]], list[float]]
Allowed = Callable[[Skill], bool]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A skill with its score and what each stem of the task gave it, strongest first."""

    skill: Skill
    score: float
    parts: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A segment in use: where in `skills` each of its skills stands, -1 for one that is gone, None when all stand as they are."""

    segment: Segment
    places: list[int] | None
    base: int = 0


class Ranker:
    """Answers for one catalog."""

    def __init__(self, skills: Sequence[Skill], segments: Sequence[Segment]) -> None:
        self._parts: list[_Part] = []
        wanted = {(skill.path, skill.state or 0): skill for skill in skills}
        self._skills: list[Skill] = []
        self._origin: list[tuple[Segment, int]] = []
        for segment in segments:
            self._take(segment, wanted)
        self._names: dict[tuple[str, ...], list[int]] = {}
        for n, skill in enumerate(self._skills):
            name = tuple(_PLAIN.findall(skill.name.lower()))
            if len(name) > 1:
                self._names.setdefault(name, []).append(n)

    def _take(self, segment: Segment, wanted: dict[Key, Skill]) -> None:
        base, places = len(self._skills), []
        for n, key in enumerate(segment.keys):
            skill = wanted.pop(key, None)
            places.append(-1 if skill is None else len(self._skills))
            if skill is not None:
                self._skills.append(skill)
                self._origin.append((segment, n))
        whole = len(self._skills) - base == len(segment.keys)
        self._parts.append(_Part(segment, None if whole else places, base))

    @property
    def skills(self) -> Sequence[Skill]:
        """In the order in which `adjust` gets their scores."""
        return self._skills

    def rank(
        self,
        task: str,
        *,
        limit: int = 10,
        adjust: Adjust | None = None,
        allowed: Allowed | None = None,
    ) -> list[Ranked]:
        """Best first; skills that share no word with the task are left out. `adjust` may add another signal, `allowed` leave skills out."""
        task = task[:MOST_CHARS]
        weight = _query(task)
        score, rarity = self._scores(weight)
        for n in self._named(task):
            score[n] += NAMED
        if adjust:
            score = adjust(task, score)
        top = self._best(task, score, limit, allowed)
        if not top:
            return []
        second = score[top[1]] if len(top) > 1 else 0.0
        sure = self._confidence(top[0], score[top[0]], second, rarity)
        scale = sure / score[top[0]]
        return [
            Ranked(self._skills[n], scale * score[n], self._told(n, weight, rarity, scale))
            for n in top[:limit]
        ]

    def _scores(self, weight: Mapping[str, float]) -> tuple[list[float], dict[str, float]]:
        """The score of every skill, and the rarity of each stem that is known."""
        score = [0.0] * len(self._skills)
        rarity: dict[str, float] = {}
        for stem, importance in weight.items():
            found = [hits for part in self._parts if (hits := _hits(part, stem))]
            count = sum(len(places) for places, _ in found)
            if not count:
                continue
            rarity[stem] = math.log(1 + (len(score) - count + 0.5) / (count + 0.5)) ** RARITY_POWER
            factor = importance * rarity[stem]
            for places, strengths in found:
                for n, strength in zip(places, strengths, strict=True):
                    score[n] += factor * strength
        return score, rarity

    def _named(self, task: str) -> set[int]:
        """The skills whose name, of two words or more, stands in the task, hyphens or not."""
        said = _PLAIN.findall(task.lower())
        return {
            n
            for start in range(len(said))
            for length in range(2, _LONGEST_NAME)
            for n in self._names.get(tuple(said[start : start + length]), ())
        }

    def _best(
        self, task: str, score: list[float], limit: int, allowed: Allowed | None
    ) -> list[int]:
        """The places of the best skills, with what their pairs of words add."""
        cut = max(score, default=0.0) / 2
        near = [n for n, each in enumerate(score) if each > cut > 0]
        most = max(PAIR_TOP, limit)
        top = self._largest(near, score, most, allowed)
        if len(top) < limit:
            top = self._largest(
                [n for n, each in enumerate(score) if each > 0], score, most, allowed
            )
        pairs = pairs_of(words(task))
        for n in top[:PAIR_TOP]:
            score[n] += PAIR * self._pairs_in_common(n, pairs)
        return sorted(top, key=lambda n: (-score[n], self._skills[n].name))

    def _largest(
        self, places: list[int], score: list[float], most: int, allowed: Allowed | None
    ) -> list[int]:
        """The best `most` of those that are allowed, which is asked only of as many as need be."""
        size = most
        while True:
            least = min(nlargest(size, [score[n] for n in places]), default=0.0)
            top = sorted(
                (n for n in places if score[n] >= least),
                key=lambda n: (-score[n], self._skills[n].name),
            )
            kept = [n for n in top if allowed is None or allowed(self._skills[n])]
            if len(kept) >= most or size >= len(places):
                return kept[:most]
            size *= 4

    def _pairs_in_common(self, n: int, pairs: set[int]) -> int:
        segment, place = self._origin[n]
        kept = segment.pairs[segment.pair_starts[place] : segment.pair_starts[place + 1]]
        return sum(
            (at := bisect_left(kept, pair)) < len(kept) and kept[at] == pair for pair in pairs
        )

    def _confidence(
        self, n: int, first: float, second: float, rarity: Mapping[str, float]
    ) -> float:
        segment, place = self._origin[n]
        evidence = sum(_strength(segment, stem, place) for stem in rarity)
        refused = sum(rarity.get(stem, 0.0) for stem in segment.refused.get(place, ()))
        value = EVIDENCE * math.sqrt(evidence) + LEAD * (first - second) - REFUSED * refused
        return 1 / (1 + math.exp(-(value - MIDDLE) / SPREAD))

    def _told(
        self, n: int, weight: Mapping[str, float], rarity: Mapping[str, float], scale: float
    ) -> tuple[tuple[str, float], ...]:
        segment, place = self._origin[n]
        parts = [
            (stem, scale * weight[stem] * rarity[stem] * _strength(segment, stem, place))
            for stem in rarity
        ]
        return tuple(
            sorted((part for part in parts if part[1] > 0), key=lambda part: (-part[1], part[0]))
        )


def _query(task: str) -> dict[str, float]:
    """The stems of a task with their weight."""
    weight: dict[str, float] = {}

    def add(text: str, importance: float) -> None:
        for stem in words(text):
            weight[stem] = max(weight.get(stem, 0.0), importance)

    plain = _QUOTE.sub(" . ", task).split()
    add(" ".join(plain[:HEAD_WORDS]), 1.0)
    add(" ".join(plain[HEAD_WORDS:]), TAIL)
    for quoted in _QUOTE.findall(task):
        add(quoted, TAIL * QUOTED)
    return weight


def _hits(part: _Part, stem: str) -> tuple[Sequence[int], Sequence[float]] | None:
    """Where the stem speaks, as places in the catalog, and how strongly."""
    segment = part.segment
    at = segment.place.get(stem)
    if at is None:
        return None
    start, stop = segment.starts[at], segment.starts[at + 1]
    skills, strengths = segment.skills[start:stop], segment.strengths[start:stop]
    if part.places is None:
        return (skills if part.base == 0 else [part.base + n for n in skills]), strengths
    alive = [
        (place, x) for n, x in zip(skills, strengths, strict=True) if (place := part.places[n]) >= 0
    ]
    return [place for place, _ in alive], [x for _, x in alive]


def _strength(segment: Segment, stem: str, skill: int) -> float:
    """How strongly a stem speaks for a skill, 0 when it does not."""
    place = segment.place.get(stem)
    if place is None:
        return 0.0
    start, stop = segment.starts[place], segment.starts[place + 1]
    at = bisect_left(segment.skills, skill, start, stop)
    return segment.strengths[at] if at < stop and segment.skills[at] == skill else 0.0
