"""Guards of transitions: the small language, and nothing beside it."""

from typing import Any

import pytest

from prowess.loop.phase.guards import GuardError, parse_guard

STATUS = {
    "status": {
        "attempt": 2,
        "max_attempts": 3,
        "check": "failed",
        "review": "none",
        "script": "none",
    }
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("status.attempt < status.max_attempts", True),
        ("status.attempt >= 3", False),
        ("status.attempt == 2 and status.check == 'failed'", True),
        ("not status.check == 'failed'", False),
        ("not (status.check == 'passed' or status.attempt > 2)", True),
        ("status.check == 'passed' or status.check == 'failed' and status.attempt == 1", False),
        ("(status.check == 'passed' or status.check == 'failed') and status.attempt != 1", True),
        ('status.review == "none"', True),
        ("'failed' == status.check", True),
        ("status.attempt < '3'", True),
        ("status.check == status.script", False),
    ],
)
def test_a_guard_holds_or_does_not(text: str, holds: object) -> None:
    assert parse_guard(text).holds(STATUS) is holds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "status.attempt <",
        "status.attempt = 2",
        "(status.attempt == 2",
        "status.attempt == 2)",
        "status.check == 'failed",
        "status.check in ['failed']",
        "status.attempt + 1 == 3",
        "len(status.check) == 6",
        "status.check.upper() == 'FAILED'",
        "__import__('os')",
        "status.attempt == 2; true",
        "status.check == 'failed' && true",
        "status.chekc == 'failed'",
        "status",
        "check == 'failed'",
        "task.label == 'x'",
        "status.attempt.real == 2",
        "and",
        "not",
    ],
)
def test_what_is_no_guard_is_an_error_when_it_is_read(text: str) -> None:
    with pytest.raises(GuardError):
        parse_guard(text)


def test_a_guard_about_something_unknown_says_what_is_known() -> None:
    with pytest.raises(GuardError, match=r"'status.tries'; it may about status.attempt"):
        parse_guard("status.tries > 2")


def test_a_guard_nested_beyond_sense_is_an_error_and_never_a_crash() -> None:
    deep: Any = "(" * 5000 + "true" + ")" * 5000

    with pytest.raises(GuardError):
        parse_guard(deep)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("status.check == 'pased'", "status.check is never 'pased'; did you mean 'passed'?"),
        (
            "not 'aproved' == status.review",
            "status.review is never 'aproved'; did you mean 'approved'?",
        ),
        (
            "status.trouble == 'usage_limit'",
            "is never 'usage_limit'; it is one of 'none', 'auth', ",
        ),
        ("status.check == none", "status.check is never none; did you mean 'none'?"),
        ("status.check == 3", "status.check is never 3"),
        ("status.check == 'a, [b] in {c}'", "is never 'a, [b] in {c}'"),
        ("status.check > 'failed'", "which is == or != another, not >"),
        ("status.attempt < 'three'", "status.attempt is a number, and 'three' is none"),
        ("status.attempt == status.check", "status.attempt is a number, and status.check is none"),
        ("status.attempt == true", "status.attempt is a number, and true is none"),
        ("status.attempt", "status.attempt is no truth; compare, as in"),
        ("status.check == 'passed' or not status.script", "status.script is no truth"),
        ("true", "true is always the same"),
        ("1 == 1", "1 == 1 is always the same"),
        ("(status.attempt) > 1", "is no comparison such as"),
    ],
)
def test_a_guard_that_can_decide_nothing_is_an_error_that_says_why(text: str, told: str) -> None:
    with pytest.raises(GuardError) as error:
        parse_guard(text)

    assert told in str(error.value)


def test_all_parts_of_a_guard_that_make_no_sense_are_told() -> None:
    with pytest.raises(GuardError, match=r"'pased'; did you .*; status\.attempt is no truth"):
        parse_guard("status.check == 'pased' and (status.attempt or status.script == 'failed')")
