"""
Rank skills for a task: BM25 over fields, a bonus for words side by side, and how sure we are.

The first score is the confidence, from 0 to 1, that the best skill is meant at all: how much speaks
for it, how far ahead of the second it is, less what it says it is not for. However much that is, it
must be a fair share of the task: many words have a few in common with anything. The others stand in
proportion, so that one threshold fits short tasks and long ones. Only a task that says nothing but
a skill's name, in whatever order, leaves no doubt: the score is 1. No model is asked, and the same
skills give the same answer in whatever order they come.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from heapq import nlargest

from prowess.core.skill import Skill
from prowess.select.profile import STEPS, pairs_of
from prowess.select.segment import Segment
from prowess.select.stop import OTHERS
from prowess.select.tally import LEADERS, Spoken, Tally
from prowess.select.words import name_words, words

NAMED = 2.0  # when all words of a skill's name stand in the task, in order, or are the task
CERTAIN = 1.0  # when they are the task
PAIR, PAIR_TOP = (
    0.6,
    20,
)  # for each pair of the task's words that stands in the skill too; only the best are looked at
HEAD_WORDS, TAIL, QUOTED = 15, 0.8, 0.6  # what comes later in a task, and what it quotes, says less
EVIDENCE, LEAD, REFUSED = 4.0, 0.5, 2.0
MIDDLE, SPREAD = 11.5, 3.0  # of the curve that makes it a confidence
THRESHOLD = 0.30
FAIR_SHARE = 1.5  # of the root of what a task says, because a long one says much besides

_QUOTE = re.compile(
    r"```.*?(?:```|\Z)|\"[^\"\n]{20,}\"|“[^“”\n]{20,}”|(?<!\w)'[^'\n]{25,}'(?!\w)", re.DOTALL
)
_PLAIN = re.compile("[a-z0-9]+")
_WORDS = re.compile(r"\w+")
_LONGEST_NAME = 7  # words
_NOTHING = 1e-9  # what is left of sums that are equal
MOST_CHARS = 20_000  # of a task; the rest adds time and no meaning

Adjust = Callable[[str, list[float]], list[float]]
Allowed = Callable[[Skill], bool]
Parts = tuple[tuple[str, float], ...]
# What a bonus is for. In brackets, as no stem is.
BY_NAME, SIDE_BY_SIDE, MEANING, WHOLE = "(named)", "(side by side)", "(meaning)", "(whole name)"


@dataclass(frozen=True)
class Ranked:
    """A skill with its score, which is all that `parts` and `bonuses` give, added up."""

    skill: Skill
    score: float
    _tell: Callable[[], tuple[Parts, Parts]] = field(repr=False, compare=False)

    @property
    def parts(self) -> Parts:
        """What each stem of the task gave it, strongest first; found out when it is asked for."""
        return self._told[0]

    @property
    def bonuses(self) -> Parts:
        """What it has besides, each with what it is for."""
        return self._told[1]

    @cached_property
    def _told(self) -> tuple[Parts, Parts]:
        return self._tell()


class Ranker:
    """Answers for one catalog."""

    def __init__(self, skills: Sequence[Skill], segments: Sequence[Segment]) -> None:
        self._tally = Tally(skills, segments)
        self._names: dict[tuple[str, ...], list[int]] = {}
        said: set[str] = set()
        for n, skill in enumerate(self.skills):
            name = tuple(_PLAIN.findall(skill.name.lower()))
            said.update(name)
            if len(name) > 1:
                self._names.setdefault(name, []).append(n)
        self._little = said & OTHERS

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
        kept = self._kept(task)
        weight = _query(task, kept)
        rarity, spoken = self._tally.find(weight)
        whole = self._whole(weight, rarity, spoken)
        named = dict.fromkeys(self._named(task) | whole, NAMED)
        most = max(PAIR_TOP, limit)
        plain = self._top(task, spoken, named, most=most, adjust=adjust, allowed=allowed)
        if not plain:
            return []
        pairs = self._side_by_side(words(task, kept=kept), plain)
        top = self._in_order((n, score + pairs.get(n, 0.0)) for n, score in plain)
        confidence = min(
            self._confidence(top, spoken, rarity),
            THRESHOLD * self._share(top, weight, rarity) / FAIR_SHARE,
        )
        scale = confidence / top[0][1]
        if whole:
            top.sort(key=lambda pair: pair[0] not in whole)
        found = []
        for n, score in top[:limit]:
            sure = CERTAIN if n in whole else scale * score
            bonuses = {
                BY_NAME: scale * named.get(n, 0.0),
                SIDE_BY_SIDE: scale * pairs.get(n, 0.0),
                WHOLE: sure - scale * score,
            }
            told = partial(self._told, n, spoken, scale, bonuses, sure)
            found.append(Ranked(self.skills[n], sure, told))
        return found

    def _kept(self, task: str) -> set[str]:
        """Little words of other languages that are names here: a task that has others too is in that language."""
        said = {word for word in OTHERS.intersection(_WORDS.findall(task.lower())) if word[1:]}
        return said if said <= self._little else set()

    def _whole(
        self, weight: Mapping[str, float], rarity: Mapping[str, float], spoken: Sequence[Spoken]
    ) -> set[int]:
        """The skills whose name is all that the task says, in whatever order."""
        if not 0 < len(weight) == len(rarity) <= _LONGEST_NAME:
            return set()
        rarest = max(rarity, key=lambda stem: rarity[stem])
        return {
            n
            for each in spoken
            if each.stem == rarest
            for n in self._tally.places(each, least=STEPS)  # as a name by itself gives
            if set(name_words(self.skills[n].name)) == weight.keys()
        }

    def _top(
        self,
        task: str,
        spoken: Sequence[Spoken],
        named: Mapping[int, float],
        *,
        most: int,
        adjust: Adjust | None,
        allowed: Allowed | None,
    ) -> list[tuple[int, float]]:
        """The best `most` that are allowed with their scores, best first."""
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

    def _side_by_side(self, stems: list[str], top: Sequence[tuple[int, float]]) -> dict[int, float]:
        """What each two words of the task that stand side by side in them too give to the best."""
        pairs = pairs_of(stems)
        return {n: PAIR * self._pairs_in_common(n, pairs) for n, _ in top[:PAIR_TOP]}

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

    def _share(
        self,
        top: Sequence[tuple[int, float]],
        weight: Mapping[str, float],
        rarity: Mapping[str, float],
    ) -> float:
        """What the first has, and its lead, of all that the task says, words that no skill has included."""
        first = top[0][1]
        second = top[1][1] if len(top) > 1 else 0.0
        unknown = self._tally.rarity(0)
        said = sum(each * rarity.get(stem, unknown) for stem, each in weight.items())
        return (first + LEAD * (first - second)) / math.sqrt(said) if said else math.inf

    def _told(
        self,
        n: int,
        spoken: Sequence[Spoken],
        scale: float,
        bonuses: Mapping[str, float],
        score: float,
    ) -> tuple[Parts, Parts]:
        parts = self._tally.parts(n, spoken)
        told = [(each.stem, scale * each.factor * strength) for each, strength in parts]
        meaning = score - sum(each for _, each in told) - sum(bonuses.values())
        besides = {**bonuses, MEANING: meaning}
        return _strongest_first(told), _strongest_first(
            (label, given) for label, given in besides.items() if abs(given) > _NOTHING
        )


def _strongest_first(parts: Iterable[tuple[str, float]]) -> Parts:
    return tuple(sorted(parts, key=lambda part: (-part[1], part[0])))


def _query(task: str, kept: Collection[str]) -> dict[str, float]:
    """The stems of a task with their weight."""
    weight: dict[str, float] = {}

    def add(text: str, importance: float) -> None:
        for stem in words(text, kept=kept):
            weight[stem] = max(weight.get(stem, 0.0), importance)

    plain = _QUOTE.sub(" . ", task).split()
    add(" ".join(plain[:HEAD_WORDS]), 1.0)
    add(" ".join(plain[HEAD_WORDS:]), TAIL)
    for quoted in _QUOTE.findall(task):
        add(quoted, TAIL * QUOTED)
    return weight
