"""One exact change, never an ambiguous one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from prowess.core.chat import Observation
from support import write_file

Act = Callable[..., Observation]


def test_a_text_that_occurs_once_is_replaced(act: Act, workspace: Path) -> None:
    path = write_file(workspace / "a.py", "one\ntwo\nthree\n")

    seen = act("Edit", file_path="a.py", old_string="two", new_string="2")

    assert seen.text == "Edited a.py at line 2."
    assert path.read_text() == "one\n2\nthree\n"


def test_an_ambiguous_text_is_not_replaced(act: Act, workspace: Path) -> None:
    path = write_file(workspace / "a.py", "x = 1\ny = 1\nx = 1\n")

    seen = act("Edit", file_path="a.py", old_string="x = 1", new_string="x = 2")

    assert not seen.ok
    assert "2 times (lines 1, 3)" in seen.text
    assert path.read_text() == "x = 1\ny = 1\nx = 1\n"


def test_every_occurrence_is_replaced_when_asked(act: Act, workspace: Path) -> None:
    path = write_file(workspace / "a.py", "x = 1\nx = 1\n")

    seen = act("Edit", file_path="a.py", old_string="1", new_string="2", replace_all="true")

    assert "2 times" in seen.text
    assert path.read_text() == "x = 2\nx = 2\n"


@pytest.mark.parametrize(
    ("there", "old", "new", "then"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "A\nB", b"A\r\nB\r\nc\r\n"),
        (b"a\nb\nc\n", "a\r\nb", "A\r\nB", b"A\nB\nc\n"),
        (b"a  \nb\t\nc\n", "a\nb\n", "A\nB\n", b"A\nB\nc\n"),
        (b"a\nb\nc\n", "a   \nb", "A\nB", b"A\nB\nc\n"),
        (b"a  \r\nb\r\nc\r\n", "a\nb", "A\nB", b"A\r\nB\r\nc\r\n"),
        (b"a\nb\nc\n", "     1\ta\n     2\tb", "     1\tA\n     2\tB", b"A\nB\nc\n"),
    ],
    ids=["crlf", "lf", "blanks in file", "blanks in quote", "crlf and blanks", "line numbers"],
)
def test_common_slips_of_quoting_are_allowed_for(
    act: Act, workspace: Path, *, there: bytes, old: str, new: str, then: bytes
) -> None:
    path = write_file(workspace / "a.txt", there)

    seen = act("Edit", file_path="a.txt", old_string=old, new_string=new)

    assert seen.ok
    assert len(seen.healed) == 1
    assert path.read_bytes() == then


def test_blanks_are_not_allowed_for_where_two_places_fit(act: Act, workspace: Path) -> None:
    path = write_file(workspace / "a.txt", "a \nb\na\t\nb\n")

    assert not act("Edit", file_path="a.txt", old_string="a\nb", new_string="x").ok
    assert path.read_text() == "a \nb\na\t\nb\n"


def test_the_encoding_of_the_file_is_kept(act: Act, workspace: Path) -> None:
    path = write_file(workspace / "a.csv", "José;1\n".encode("latin-1"))
    marked = write_file(workspace / "b.csv", "José;1\n".encode("utf-16"))

    for name in ("a.csv", "b.csv"):
        assert act("Edit", file_path=name, old_string="1", new_string="é").ok

    assert path.read_bytes() == "José;é\n".encode("latin-1")
    assert marked.read_bytes() == "José;é\n".encode("utf-16")


def test_a_letter_the_encoding_lacks_is_told(act: Act, workspace: Path) -> None:
    path = write_file(workspace / "a.csv", "José;1\n".encode("latin-1"))

    seen = act("Edit", file_path="a.csv", old_string="1", new_string="漢")

    assert "which has no '漢'" in seen.text
    assert path.read_bytes() == "José;1\n".encode("latin-1")


def test_a_near_text_is_quoted(act: Act, workspace: Path) -> None:
    write_file(workspace / "a.py", "import os\n\ndef compute_total(items):\n    return 1\n")

    seen = act("Edit", file_path="a.py", old_string="def compute_totals(item):", new_string="x")

    assert not seen.ok
    assert "     3\tdef compute_total(items):" in seen.text


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("", "x", "use Write"),
        ("same", "same", "nothing to change"),
        ("gone", "there", "seems to be made already"),
        ("zzzzzz", "x", "Read the file and quote it exactly"),
    ],
)
def test_what_cannot_be_done_is_told(
    act: Act, workspace: Path, old: str, new: str, told: str
) -> None:
    write_file(workspace / "a.txt", "it is there\n")

    assert told in act("Edit", file_path="a.txt", old_string=old, new_string=new).text


def test_a_near_file_name_is_offered_and_not_edited(act: Act, workspace: Path) -> None:
    path = write_file(workspace / "Notes.md", "x")

    seen = act("Edit", file_path="notes.md", old_string="x", new_string="y")

    assert not seen.ok
    assert "Did you mean Notes.md?" in seen.text
    assert path.read_text() == "x"


FUNCTION = "class A:\n    def one(self):\n        return 1\n"


def test_the_indentation_of_the_file_is_kept(act: Act, workspace: Path) -> None:
    path = write_file(workspace / "a.py", FUNCTION)

    seen = act(
        "Edit",
        file_path="a.py",
        old_string="def one(self):\n  return 1",
        new_string="def one(self):\n  x = 2\n\n  return x",
    )

    assert seen.ok, seen.text
    assert "kept the file's indentation" in seen.healed
    assert path.read_text() == ("class A:\n    def one(self):\n        x = 2\n\n        return x\n")


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (FUNCTION, "def one(self):\n  return 1", "def one(self):\n    return 2"),  # unknown depth
        (FUNCTION + FUNCTION, "def one(self):\n  return 1", "def one(self):\n  return 2"),
        ("if a:\n    b\n  c\n", "if a:\n b\n c", "if a:\n d"),  # one depth said, two there
    ],
)
def test_an_indentation_that_is_not_certain_is_not_guessed(
    act: Act, workspace: Path, text: str, old: str, new: str
) -> None:
    path = write_file(workspace / "a.py", text)

    seen = act("Edit", file_path="a.py", old_string=old, new_string=new)

    assert not seen.ok
    assert path.read_text() == text


def test_typographic_quotes_are_taken_for_plain_ones(act: Act, workspace: Path) -> None:
    path = write_file(workspace / "a.py", "print('a', \"b\")\n")

    act(
        "Edit",
        file_path="a.py",
        old_string="print(\u2018a\u2019, \u201cb\u201d)",
        new_string="print(\u2018c\u2019)",
    )

    assert path.read_text() == "print('c')\n"
