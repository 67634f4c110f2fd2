"""Long lines go on in the next one, and no word is ever broken."""

import pytest

from prowess.core.wrapping import wrapped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("short", "short"),
        ("who kept it on a point of wording", "who kept it\non a point\nof wording"),
        ("  ✓ all of it was done", "  ✓ all of\n    it was\n    done"),
        ("[2/7] all of it was done", "[2/7] all of\n      it was\n      done"),
        ("a\n\nall of it was done", "a\n\nall of it\nwas done"),
        ("at /a/path/that/is/wide there", "at\n/a/path/that/is/wide\nthere"),
        ("a  b      c d e f", "a  b      c\nd e f"),
    ],
)
def test_a_line_is_broken_between_words_and_hangs_below_its_mark(text: str, shown: str) -> None:
    assert wrapped(text, 12) == shown
