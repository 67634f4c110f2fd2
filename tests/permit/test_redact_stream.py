"""A stream: nothing leaks at a seam, little is held back, and no text is too long."""

import pytest

from prowess.permit.redact import SECRET, Redactor, redact
from prowess.permit.stream import MARGIN, WINDOW

KEY = "gh" + "p_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


def test_a_key_cut_at_any_place_never_leaks() -> None:
    for cut in range(1, len(KEY)):
        redactor = Redactor()

        first = redactor.feed(f"start: {KEY[:cut]}")
        rest = redactor.feed(f"{KEY[cut:]} :end") + redactor.flush()

        assert first + rest == f"start: {SECRET} :end"


def test_a_line_is_told_as_soon_as_it_is_whole() -> None:
    redactor = Redactor()

    assert redactor.feed("one\ntw") == "one\n"
    assert redactor.feed("o\n") == "two\n"


def test_a_line_without_end_is_not_held_back_for_ever() -> None:
    redactor = Redactor()

    out = sum(len(redactor.feed("words " * 100)) for _ in range(100))

    assert out >= 60_000 - WINDOW


@pytest.mark.parametrize(
    "place", [WINDOW - MARGIN - 20, WINDOW - MARGIN, WINDOW - 20, WINDOW, 3 * WINDOW]
)
def test_a_key_in_a_long_line_goes_wherever_the_windows_meet(place: int) -> None:
    line = "x" * (place - 1) + " " + f"password={KEY} " + "y" * (2 * WINDOW)

    assert redact(line) == line.replace(KEY, SECRET)


@pytest.mark.parametrize("size", [1, 1000, WINDOW - 1, WINDOW, WINDOW + 1])
def test_a_long_line_says_the_same_however_it_was_cut(size: int) -> None:
    line = f"user=bob@example.com password={KEY} " * 600
    redactor = Redactor()

    pieces = [redactor.feed(line[at : at + size]) for at in range(0, len(line), size)]

    assert "".join(pieces) + redactor.flush() == redact(line)


def test_a_secret_longer_than_a_window_goes_whole() -> None:
    secret = "aB3d" * WINDOW

    out = redact(f'token="{secret}" and more')

    assert "aB3d" not in out
    assert out.endswith('" and more')


def test_after_a_flush_a_new_text_begins() -> None:
    redactor = Redactor()
    redactor.feed("-----BEGIN RSA PRIV" + "ATE KEY-----\n")
    redactor.flush()

    assert redactor.feed("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9w\n").startswith(
        "QUJD"
    )


@pytest.mark.parametrize(
    "bait",
    ["a", "password=", 'password="', "token=x&", "a@", "4", "\n", "eyJ", "sk-", "\\", "mysql ", "<password ", "%41", "п"],
)  # fmt: skip
def test_no_bait_makes_it_hang(bait: str) -> None:
    redact(bait * (200_000 // len(bait)))
