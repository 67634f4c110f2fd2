"""Conditions compare values and do nothing else."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.workflow.conditions import ConditionError, parse_condition

SCOPE: dict[str, Any] = {
    "role": "Tester",
    "count": "5",
    "n": 3,
    "flag": True,
    "off": "no",
    "empty": "",
    "names": ["a", "b"],
    "found": {"x": 1},
    "steps": {"my-step": {"ok": False}},
}


@pytest.mark.parametrize(
    "text",
    [
        "role == 'Tester'",
        '{role} == "Tester"',
        "role != 'x'",
        "count > 3",
        "count >= 5 and n <= 3",
        "count == 5",
        "10 > count",
        "n < count",
        "not empty",
        "not off",
        "flag",
        "flag == true",
        "off == false",
        "role in ['Tester', 'Architect']",
        "'a' in names",
        "'z' not in names",
        "'est' in role",
        "'x' in found",
        "found.x == 1",
        "not steps.my-step.ok",
        "missing == null",
        "not missing",
        "{missing | default('q')} == 'q'",
        "(role == 'x' or flag) and not (n == 4)",
        "role == 'x' or role == 'y' or n == 3",
        "not not flag",
        "'2' < '10'",
        "'abc' < 'abd'",
    ],
)
def test_what_holds(text: str) -> None:
    assert parse_condition(text).holds(SCOPE)
    assert not parse_condition(f"not ({text})").holds(SCOPE)


@pytest.mark.parametrize(
    "text",
    [
        "", "role ==", "role = 'x'", "== 3", "(role", "role)", "__import__('os')", "role.x()", "a; b",
        "lambda: 1", "role == 'x", "a b", "not", "and a", "a and", "1 +  2", "[1, 2", "a in", "a not b",
        "{role", "{role!r} == 1", "x if y else z", "`id`", "a == b == c", "(" * 40 + "a" + ")" * 40,
    ],
)  # fmt: skip
def test_what_is_no_condition_is_refused_when_it_is_read(text: str) -> None:
    with pytest.raises(ConditionError) as caught:
        parse_condition(text)

    assert caught.value.hint


@given(st.text())
def test_a_value_is_compared_and_never_read_as_part_of_the_condition(value: str) -> None:
    holds = parse_condition("{x} == 'a'").holds({"x": value})

    assert holds == (value == "a")


def test_what_cannot_be_ordered_is_an_error_that_says_so() -> None:
    with pytest.raises(ConditionError, match="cannot be decided"):
        parse_condition("names < 3").holds(SCOPE)


def test_the_names_it_asks_about_are_known_beforehand() -> None:
    slots = parse_condition("a.b == 'x' and {c} in [d, 'e']").slots

    assert [".".join(slot.path) for slot in slots] == ["a.b", "c", "d"]
