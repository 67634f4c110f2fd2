"""What failed is remembered by tool and input, refused when it failed too often, and forgiven when it works."""

import pytest

from prowess.core.chat import Call, Observation
from prowess.execute.attempts import Attempts


def read(path: str = "a", tool: str = "Read") -> Call:
    return Call(id="c", tool=tool, input={"file_path": path})


def seen(*, ok: bool = False, text: str = "no such file", **more: object) -> Observation:
    return Observation(call_id="c", text=text, ok=ok, **more)  # type: ignore[arg-type]


def test_a_call_may_fail_so_often_and_no_more() -> None:
    attempts = Attempts(2)
    attempts.note(read(), seen())
    assert attempts.spent(read()) == ""

    attempts.note(read(), seen(text="still not there"))

    assert attempts.spent(read()).startswith("Not run: this very call has failed 2 times.")
    assert "Last error: still not there" in attempts.spent(read())
    assert attempts.spent(read("b")) == ""


@pytest.mark.parametrize("most", [0, 1])
def test_every_call_may_be_made_once(most: int) -> None:
    attempts = Attempts(most)
    assert attempts.spent(read()) == ""

    attempts.note(read(), seen())

    assert "has failed once." in attempts.spent(read())


def test_a_refusal_is_no_failure() -> None:
    attempts = Attempts(1)

    assert attempts.note(read(), seen(refused=True)) == ""
    assert attempts.failed == {}


def test_the_same_call_that_works_again_is_another_try_and_forgiven() -> None:
    attempts = Attempts(3)
    attempts.note(read(), seen())

    assert attempts.note(read(), seen(ok=True)) == "another try"
    assert attempts.failures() == []
    assert attempts.note(read(), seen(ok=True)) == ""


def test_another_input_that_works_is_another_approach_told_once() -> None:
    attempts = Attempts(3)
    attempts.note(read("a"), seen())

    assert attempts.note(read("x", "Grep"), seen(ok=True)) == ""
    assert attempts.note(read("b"), seen(ok=True)) == "another approach with Read"
    assert attempts.note(read("c"), seen(ok=True)) == ""
    assert len(attempts.failures()) == 1


def test_what_the_tool_healed_itself_is_told_in_its_words() -> None:
    told = Attempts(3).note(read(), seen(ok=True, healed=("took a.txt", "read as latin-1")))

    assert told == "took a.txt; read as latin-1"


def test_failures_are_listed_with_the_newest_last_on_one_short_line_each() -> None:
    attempts = Attempts(3)
    for call in (read("a"), read("b"), read("a")):
        attempts.note(call, seen(text="no\nsuch   file " + "so " * 500))

    before, newest = attempts.failures()

    assert before.startswith('Read {"file_path": "b"} (1 of 3): ')
    assert newest.startswith('Read {"file_path": "a"} (2 of 3): no such file so so')
    assert len(newest) < 250


def test_what_may_not_be_kept_is_taken_out_before_a_failure_is_shortened() -> None:
    attempts = Attempts(3, lambda text: text.replace("two words", "[secret]"))
    attempts.note(read("so " * 45 + "two words"), seen(text="so " * 51 + "two words, and more"))

    (line,) = attempts.failures()

    assert "two" not in line


def test_the_same_input_in_another_order_is_the_same_call() -> None:
    attempts = Attempts(1)
    attempts.note(Call(id="c", tool="Grep", input={"pattern": "x", "path": "."}), seen())

    assert attempts.spent(Call(id="d", tool="Grep", input={"path": ".", "pattern": "x"}))
