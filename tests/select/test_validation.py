"""Validation commands that can prove nothing as they stand are told, with their line, and only those."""

from pathlib import Path

import pytest

from prowess.core.task import Plan
from prowess.select.plan import read_plan
from prowess.select.validation import unreadable, validation_slips


def plan(*lines: str) -> Plan:
    """The commands begin on line 6."""
    fence = "".join(f"{line}\n" for line in lines)
    return read_plan(f"- [ ] x\n\n## Validation commands\n\n```sh\n{fence}```\n".encode())


@pytest.mark.parametrize(
    "lines",
    [("for x in a b; do", '  test -f "$x"', "done"), ("if true", "then true", "fi")],
    ids=["for", "if"],
)
def test_a_command_that_goes_over_several_lines_is_told(lines: tuple[str, ...]) -> None:
    told = dict(unreadable(plan("make test", *lines)))

    assert {7, 9} <= told.keys()
    assert 6 not in told
    assert told[7].startswith(f"{lines[0].strip()!r} is no whole command (syntax error")
    assert "each line is a shell of its own" in told[7]


def test_a_text_that_goes_over_several_lines_is_told() -> None:
    assert [line for line, _ in unreadable(plan("cat <<EOF", "hello", "EOF", "echo 'a", "b'"))] == [
        6,
        9,
        10,
    ]


@pytest.mark.parametrize("line", ["cd app", "export A=1", "A=1 B='x y'", ". ./env.sh", "set -e"])
def test_a_line_that_is_about_those_below_is_told(line: str) -> None:
    ((number, told),) = validation_slips(plan("# first", line, "make test"))

    assert number == 7
    assert told.startswith(f"{line!r} does nothing for the lines below; each line is a shell")


@pytest.mark.parametrize(
    "line",
    [
        "cd app && make test",
        "A=1 make test",
        "(cd app; make)",
        "! grep -r TODO src",
        "for x in *; do test -f $x; done",
        "export A=1; test $A = 1",
        "cat <<< here",
        "make \\\n  test",
    ],
)
def test_a_whole_command_is_none(line: str) -> None:
    assert validation_slips(plan(line)) == []


def test_a_line_that_goes_on_is_told_where_it_begins() -> None:
    found = plan("make \\", "  test", "", "# no", "cd \\", "app", "make")

    assert found.validation == ("make    test", "cd  app", "make")
    assert found.validation_lines == (6, 10, 12)
    assert [line for line, _ in validation_slips(found)] == [10]


def test_nothing_of_a_command_is_run_to_find_out(tmp_path: Path) -> None:
    made = tmp_path / "made"

    assert validation_slips(plan(f"touch {made}", f"echo $(touch {made})")) == []
    assert not made.exists()
