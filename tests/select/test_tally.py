"""In a large catalog only leaders are added up in full, and nobody can tell from the answers."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.core.skill import Skill
from prowess.select.profile import STRONGEST, Profile, profile
from prowess.select.rank import Ranker
from prowess.select.segment import Few, Key, Row, Segment, build
from prowess.select.shelf import open_ranker
from prowess.select.tally import LEADERS, Spoken, Tally, _first_sums, _Part
from support import a_skill as skill

# Of a few hundred words the first are in nearly every skill, the last in hardly any.
VOCABULARY = [f"w{n}" for n in range(400)]
COMMONNESS = [1 / (n + 1) for n in range(400)]


def crowd(count: int) -> list[Skill]:
    choose = random.Random(4)  # noqa: S311  the same every time is the point
    return [
        skill(f"s{n}", " ".join(choose.choices(VOCABULARY, COMMONNESS, k=choose.randint(3, 60))))
        for n in range(count)
    ]


def segment(skills: list[Skill]) -> Segment:
    made: list[tuple[Key, Profile]] = [((s.path, s.state or 0), profile(s, "")) for s in skills]
    return build(made)


CROWD = crowd(20 * LEADERS)
GONE = 150
TALLY = Tally(CROWD[GONE:], [segment(CROWD[:-200]), segment(CROWD[-200:])])


@pytest.mark.parametrize("size", [1, 2, 5, 20, 60, 100])
def test_the_sums_of_leaders_are_those_of_everyone_and_the_best_are_among_them(size: int) -> None:
    choose = random.Random(size)  # noqa: S311  the same every time is the point
    for _ in range(20):
        said = choose.choices(VOCABULARY, COMMONNESS, k=size)
        _, spoken = TALLY.find({word: choose.choice((1.0, 0.8, 0.48)) for word in said})
        named = {choose.randrange(len(TALLY.skills)): 2.0}

        everyone, leaders = TALLY.everyone(spoken, named), TALLY.leaders(spoken, named)

        best = sorted(range(len(everyone)), key=lambda n: -everyone[n])[:20]
        assert {n: everyone[n] for n in leaders} == leaders
        assert sorted(leaders.values())[-20:] == [everyone[n] for n in reversed(best)]


def test_not_everyone_is_added_up() -> None:
    _, spoken = TALLY.find({"w1": 1.0, "w30": 1.0, "w90": 1.0})

    assert LEADERS <= len(TALLY.leaders(spoken, {})) < 5 * LEADERS


def test_of_a_thousand_equals_the_first_by_name_is_first() -> None:
    twins = [skill(f"twin-{n:04}", "Fills in forms.") for n in range(1_000)]
    random.Random(2).shuffle(twins)  # noqa: S311  a shuffle, no secret

    found = open_ranker([*CROWD, *twins], lambda _: "", folder=None).rank("fill forms", limit=3)

    assert [each.skill.name for each in found] == ["twin-0000", "twin-0001", "twin-0002"]


def test_skills_that_are_allowed_are_found_behind_many_that_are_not() -> None:
    strong = [skill(f"form-{n}", "Forms, forms and forms.") for n in range(5 * LEADERS)]
    weak = [skill(f"odd-{n}", f"{'Draws all kinds of graphs. ' * 20} Forms.") for n in range(3)]
    ranker = open_ranker([*strong, *weak], lambda _: "", folder=None)

    found = ranker.rank("forms", allowed=lambda each: each.name.startswith("odd"))

    assert [each.skill.name for each in found] == ["odd-0", "odd-1", "odd-2"]


def test_as_many_are_ranked_as_are_wanted() -> None:
    ranker = Ranker(CROWD, [segment(CROWD)])

    assert len(ranker.rank("w0 w1", limit=5 * LEADERS)) == 5 * LEADERS


@given(
    st.lists(st.floats(min_value=1e-4, max_value=0.1), min_size=1, max_size=40),
    st.lists(st.integers(min_value=0, max_value=STRONGEST), min_size=1, max_size=20),
)
def test_a_first_sum_never_runs_into_its_neighbour(factors: list[float], row: list[int]) -> None:
    """However the words are weighted, and if all of them speak for a skill as strongly as can be."""
    strengths = bytes([STRONGEST, *row])
    part = _Part(build([]), [], set())
    few = Few(range(len(strengths)), strengths)  # type: ignore[arg-type]
    rows = [Spoken("", part, Row(strengths), factor) for factor in factors]
    mixed = [Spoken("", part, few if n % 2 else Row(strengths), f) for n, f in enumerate(factors)]

    alone = [
        _first_sums(1, [Spoken("", part, Row(bytes([s])), f) for f in factors])[0]
        for s in strengths
    ]

    assert list(_first_sums(len(strengths), rows)) == alone
    assert list(_first_sums(len(strengths), mixed)) == alone
