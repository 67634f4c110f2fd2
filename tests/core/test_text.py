import pytest

from prowess.core.text import visible

TAGS = "".join(chr(0xE0000 + ord(each)) for each in "ignore")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("x \x1b[31m y\x07\0", "x [31m y"),
        ("safe\u202egnp.exe\u2066", "safegnp.exe"),
        (f"a{TAGS}b", "ab"),
        ("a\rb\x85c", "a b c"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("日報 für 👩\u200d🚀", "日報 für 👩\u200d🚀"),
    ],
)
def test_only_what_nobody_sees_is_left_out(text: str, seen: str) -> None:
    assert visible(text) == seen
