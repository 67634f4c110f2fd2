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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from heapq import nlargest

from prowess.core.skill import Skill
from prowess.select.profile import STEPS, pairs_of
from prowess.select.segment import Segment
from prowess.select.tally import LEADERS, Spoken, Tally
from prowess.select.words import words

NAMED = 2.0  # when all words of a skill's name stand in the task, in order
PAIR, PAIR_TOP = (
    0.6,
    20,
)  # for each pair of the task's words that stands in the skill too; only the best are looked at
HEAD_WORDS, TAIL, QUOTED = 15, 0.8, 0.6  # what comes later in a task, and what it quotes, says less
EVIDENCE, LEAD, REFUSED = 4.0, 0.5, 2.0
MIDDLE, SPREAD = 11.5, 3.0  # of the curve that makes it a confidence
THRESHOLD = 0.30

_QUOTE = re.compile(
    r"```.*?(?:```|\Z)|\"[^\"\n]{20,}\"|“[^”\n]{20,}”|(?<!\w)'[^'\n]{25,}'(?!\w)", re.DOTALL
)
_PLAIN = re.compile("[a-z0-9]+")
_LONGEST_NAME = 7  # words
MOST_CHARS = 20_000  # of a task; the rest adds time and no meaning

Adjust = Callable[[str, list[float]], list[float]]
Allowed = Callable[[Skill], bool]


@dataclass(frozen=True)
class Ranked:
    """A skill with its score."""

    skill: Skill
    score: float
    _tell: Callable[[], tuple[tuple[str, float], ...]] = field(repr=False, compare=False)

    @cached_property
    def parts(self) -> tuple[tuple[str, float], ...]:
        """What each stem of the task gave it, strongest first; found out when it is asked for."""
        return self._tell()


class Ranker:
    """Answers for one catalog."""

    def __init__(self, skills: Sequence[Skill], segments: Sequence[Segment]) -> None:
        self._tally = Tally(skills, segments)
        self._names: dict[tuple[str, ...], list[int]] = {}
        for n, skill in enumerate(self.skills):
            name = tuple(_PLAIN.findall(skill.name.lower()))
            if len(name) > 1:
                self._names.setdefault(name, []).append(n)

    @property
    def skills(self) -> Sequence[Skill]:
        """In the order in which `adjust` gets their scores."""
        return self._tally.skills

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
        rarity, spoken = self._tally.find(weight)
        most = max(PAIR_TOP, limit)
        top = self._top(task, spoken, most=most, adjust=adjust, allowed=allowed)
        if not top:
            return []
        top = self._with_pairs(task, top)
        scale = self._confidence(top, spoken, rarity) / top[0][1]
        return [
            Ranked(self.skills[n], scale * score, partial(self._told, n, spoken, scale))
            for n, score in top[:limit]
        ]

    def _top(
        self,
        task: str,
        spoken: Sequence[Spoken],
        *,
        most: int,
        adjust: Adjust | None,
        allowed: Allowed | None,
    ) -> list[tuple[int, float]]:
        """The best `most` that are allowed with their scores, best first."""
        named = dict.fromkeys(self._named(task), NAMED)
        if adjust is None and most <= LEADERS:
            leaders = self._tally.leaders(spoken, named)
            top = self._largest(leaders, most, allowed)
            if len(top) == most or len(leaders) < LEADERS:
                return top
        score = self._tally.everyone(spoken, named)
        if adjust:
            score = adjust(task, score)
        return self._largest(dict(enumerate(score)), most, allowed)

    def _named(self, task: str) -> set[int]:
        """The skills whose name, of two words or more, stands in the task, hyphens or not."""
        said = _PLAIN.findall(task.lower())
        return {
            n
            for start in range(len(said))
            for length in range(2, _LONGEST_NAME + 1)
            for n in self._names.get(tuple(said[start : start + length]), ())
        }

    def _largest(
        self, score: Mapping[int, float], most: int, allowed: Allowed | None
    ) -> list[tuple[int, float]]:
        """The best `most` of those that are allowed, which is asked only of as many as need be."""
        size = most
        while True:
            least = min(nlargest(size, score.values()), default=0.0)
            near = self._in_order(
                (n, each) for n, each in score.items() if each >= least and each > 0
            )
            kept = [pair for pair in near if allowed is None or allowed(self.skills[pair[0]])]
            if len(kept) >= most or size >= len(score):
                return kept[:most]
            size *= 4

    def _in_order(self, scores: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
        return sorted(scores, key=lambda pair: (-pair[1], self.skills[pair[0]].name))

    def _with_pairs(self, task: str, top: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
        """In their new order, with more for the best for each two words of the task that stand side by side in them too."""
        pairs = pairs_of(words(task))
        best = [(n, score + PAIR * self._pairs_in_common(n, pairs)) for n, score in top[:PAIR_TOP]]
        return self._in_order([*best, *top[PAIR_TOP:]])

    def _pairs_in_common(self, n: int, pairs: set[int]) -> int:
        segment, number = self._tally.origin[n]
        start, stop = segment.pair_starts[number], segment.pair_starts[number + 1]
        places = [(pair, bisect_left(segment.pairs, pair, start, stop)) for pair in pairs]
        return sum(at < stop and segment.pairs[at] == pair for pair, at in places)

    def _confidence(
        self,
        top: Sequence[tuple[int, float]],
        spoken: Sequence[Spoken],
        rarity: Mapping[str, float],
    ) -> float:
        """That the first of `top` is meant at all."""
        n, first = top[0]
        second = top[1][1] if len(top) > 1 else 0.0
        segment, number = self._tally.origin[n]
        evidence = sum(strength for _, strength in self._tally.parts(n, spoken)) / STEPS
        refused = sum(rarity.get(stem, 0.0) for stem in segment.refused.get(number, ()))
        value = EVIDENCE * math.sqrt(evidence) + LEAD * (first - second) - REFUSED * refused
        return 1 / (1 + math.exp(-(value - MIDDLE) / SPREAD))

    def _told(
        self, n: int, spoken: Sequence[Spoken], scale: float
    ) -> tuple[tuple[str, float], ...]:
        parts = self._tally.parts(n, spoken)
        told = [(each.stem, scale * each.factor * strength) for each, strength in parts]
        return tuple(sorted(told, key=lambda part: (-part[1], part[0])))


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
