"""Text into stems: inflections meet, stop words vanish, nothing crashes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.select.words import STOP, stem, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("form", "forms"),
        ("query", "queries"),
        ("box", "boxes"),
        ("class", "classes"),
        ("patch", "patches"),
        ("run", "running"),
        ("merge", "merging"),
        ("merge", "merged"),
        ("merge", "merges"),
        ("test", "tested"),
        ("test", "testing"),
        ("plan", "planned"),
        ("fill", "filling"),
        ("deploy", "deployed"),
        ("file", "files"),
        ("cache", "caches"),
    ],
)
def test_inflections_of_a_word_meet(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    "word", ["css", "is", "bus", "ring", "red", "seed", "need", "aws", "string"]
)
def test_what_only_looks_like_an_ending_stays(word: str) -> None:
    assert stem(word) == word


def test_words_that_differ_stay_apart() -> None:
    assert len({stem(word) for word in ("test", "text", "rest", "nest", "status", "state")}) == 6


def test_camel_case_gives_the_whole_and_its_parts() -> None:
    assert words("HTTPServer") == [stem("httpserver"), "http", stem("server")]
    assert set(words("parseUrl")) == {"parseurl", stem("parse"), "url"}
    assert words("snake_case") == words("snake case") == words("snake-case")


def test_chinese_japanese_and_korean_give_pairs_of_characters() -> None:
    assert words("处理文件") == ["处理", "理文", "文件"]
    assert words("处理PDF文件") == ["处理", "pdf", "文件"]
    assert words("カナ") == ["カナ"]
    assert words("한국어") == ["한국", "국어"]
    assert words("字") == ["字"]


def test_languages_with_odd_names_are_words() -> None:
    assert words("C++ C# C R") == ["c++", "c#", "c", "r"]
    assert words("A/B and Q&A") == ["a/b", "q&a"]


def test_letters_beyond_ascii_are_letters() -> None:
    assert words("naïve Café ПРИВЕТ") == ["naïve", "café", "привет"]


def test_single_letters_say_nothing_and_digits_do() -> None:
    assert words("x y 7 2024 3d") == ["7", "2024", "3d"]


@pytest.mark.parametrize("text", ["don't", "I'm", "you've", "it's", "haven't", "hasn't", "weren't"])
def test_contractions_are_stop_words(text: str) -> None:
    assert words(text) == []


def test_a_word_without_end_is_cut_and_not_lost() -> None:
    assert [len(word) for word in words("x" * 100_000)] == [64]


@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    found = words(text)

    assert all(found)
    assert found == words(text)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(STOP)),
            st.sampled_from((str.lower, str.upper, str.title)),
            st.sampled_from((" ", ", ", "-", "_", "\n", "**", ". ")),
        )
    )
)
def test_stop_words_never_come_out(told: list[tuple[str, type[str], str]]) -> None:
    text = "".join(f" {change(word)}{after}" for word, change, after in told)

    assert words(text) == []
