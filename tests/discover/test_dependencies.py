"""Closures come in dependency order; cycles and gaps are named, and the rest is there."""

import itertools
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.core.skill import Problem, Skill
from prowess.discover.dependencies import closure, problems
from support import a_skill


def graph(needs: Mapping[str, str]) -> dict[str, Skill]:
    """Skills from `{"a": "b c"}`: a needs b and c."""
    return {name: a_skill(name, dependencies=needed.split()) for name, needed in needs.items()}


def ordered(start: str, needs: Mapping[str, str]) -> str:
    """The names of the closure, in order."""
    return " ".join(skill.name for skill in closure(start.split(), graph(needs)).skills)


def told(needs: Mapping[str, str]) -> list[Problem]:
    """The problems of all these skills."""
    return problems(list(needs), graph(needs))


def test_a_skill_that_needs_nothing_comes_alone() -> None:
    assert ordered("a", {"a": "", "b": ""}) == "a"


def test_what_is_needed_comes_before_what_needs_it() -> None:
    assert ordered("a", {"a": "b", "b": "c", "c": ""}) == "c b a"


def test_dependencies_come_in_the_order_they_are_written() -> None:
    assert ordered("a", {"a": "z m b", "z": "", "m": "", "b": ""}) == "z m b a"


def test_dependencies_of_dependencies_come_in_the_order_they_are_written() -> None:
    assert ordered("a", {"a": "b", "b": "z m c", "z": "", "m": "", "c": ""}) == "z m c b a"


def test_a_dependency_shared_by_two_comes_once_before_both() -> None:
    assert ordered("top", {"top": "left right", "left": "base", "right": "base", "base": ""}) == (
        "base left right top"
    )


def test_a_skill_asked_for_that_is_also_a_dependency_comes_once() -> None:
    assert ordered("a b", {"a": "b", "b": ""}) == "b a"
    assert ordered("b a b", {"a": "b", "b": ""}) == "b a"


def test_the_order_of_asking_is_kept_where_nothing_depends() -> None:
    assert ordered("c a b", {"a": "", "b": "", "c": ""}) == "c a b"


def test_a_chain_of_five_thousand_is_no_trouble() -> None:
    needs = {f"s{n}": f"s{n + 1}" for n in range(5_000)} | {"s5000": ""}

    found = closure(["s0"], graph(needs))

    assert [skill.name for skill in found.skills] == [f"s{n}" for n in range(5_000, -1, -1)]
    assert found.cycles == found.missing == ()


def test_a_missing_dependency_is_named_with_who_needs_it_and_the_rest_is_there() -> None:
    found = closure(["a"], graph({"a": "b gone", "b": "lost"}))

    assert found.missing == (("b", "lost"), ("a", "gone"))
    assert [skill.name for skill in found.skills] == ["b", "a"]


def test_what_is_missing_is_named_once_though_its_skill_is_asked_for_twice() -> None:
    found = closure(["a", "b"], graph({"a": "b", "b": "gone b"}))

    assert found.missing == (("b", "gone"),)
    assert found.cycles == (("b", "b"),)


@pytest.mark.parametrize(
    ("needs", "cycle"),
    [
        ({"a": "a"}, ("a", "a")),
        ({"a": "b", "b": "a"}, ("a", "b", "a")),
        ({"a": "b", "b": "c", "c": "a"}, ("a", "b", "c", "a")),
        ({"a": "b", "b": "c", "c": "b"}, ("b", "c", "b")),
    ],
)
def test_a_cycle_is_named_once_from_where_it_begins_and_all_its_skills_are_there(
    needs: dict[str, str], cycle: tuple[str, ...]
) -> None:
    found = closure(["a"], graph(needs))

    assert found.cycles == (cycle,)
    assert {skill.name for skill in found.skills} == set(needs)


def test_two_cycles_through_one_skill_are_two_cycles() -> None:
    found = closure(["a"], graph({"a": "b c", "b": "a", "c": "a"}))

    assert found.cycles == (("a", "b", "a"), ("a", "c", "a"))


def test_every_missing_dependency_is_a_problem_at_the_file_that_can_mend_it() -> None:
    (problem,) = told({"a": "", "b": "gone"})

    assert problem.path == "/skills/b/SKILL.md"
    assert problem.level == "warning"
    assert problem.message == "b needs gone, and there is no such skill"
    assert problem.hint


def test_a_cycle_is_told_once_however_many_skills_lead_into_it() -> None:
    (problem,) = told({"x": "a", "y": "b", "a": "b", "b": "a"})

    assert problem.message == "dependencies in a circle: a → b → a"


def test_skills_that_fit_together_have_no_problems() -> None:
    assert told({"a": "b", "b": "", "c": "b a"}) == []


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdefgh"), max_size=4))
)
def test_any_graph_gives_each_reachable_skill_once_and_in_order_but_for_cycles(
    wanted: dict[str, list[str]],
) -> None:
    skills = graph({name: " ".join(needed) for name, needed in wanted.items()})

    found = closure(skills, skills)

    names = [skill.name for skill in found.skills]
    assert sorted(names) == sorted(skills)
    circular = {frozenset(pair) for cycle in found.cycles for pair in itertools.pairwise(cycle)}
    for name, needed in wanted.items():
        for each in needed:
            if each not in skills:
                assert (name, each) in found.missing
            elif names.index(each) > names.index(name) or each == name:
                assert frozenset((name, each)) in circular


def test_many_that_need_each_other_are_told_in_a_few_words() -> None:
    names = [f"s{n}" for n in range(60)]
    skills = graph(dict.fromkeys(names, " ".join(names)))

    told = problems(names, skills)

    assert 1 <= len(told) <= 20
    assert max(len(problem.message) for problem in told) < 200


def test_what_one_skill_misses_is_told_at_once_and_in_a_few_words() -> None:
    skills = graph({"a": " ".join(f"gone-{n}" for n in range(5_000))})

    (problem,) = problems(["a"], skills)

    assert len(problem.message) < 200
