import pytest

from prowess.core.text import clean_beginning, headline, shortened, visible

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


def redacted(text: str) -> str:
    return text.replace("my secret", "[secret]")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("short, my secret", "short, my secret"),
        ("it is all here: my secret", "it is all here: …"),
        ("my secret, my secret and on", "[secret], [secret] …"),
        ("a line\nmy secret", "a line"),
        ("  one\n" + "two " * 9_999, "one"),
        ("word " * 9_999, "word word word word …"),
    ],
)
def test_a_headline_is_the_first_line_cleaned_before_it_is_cut(text: str, line: str) -> None:
    assert headline(text, 22, redacted) == line


def test_a_secret_at_the_end_of_what_was_looked_at_is_never_shown_in_part() -> None:
    text = "my secret" * 10_000

    for limit in range(40):
        assert "my" not in clean_beginning(text, limit, redacted)


def test_a_text_is_cut_between_words() -> None:
    assert shortened("one two three", 9) == "one two …"
    assert shortened("onetwothree", 9) == "…"
    assert shortened("one two", 9) == "one two"
