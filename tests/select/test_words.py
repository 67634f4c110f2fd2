"""Text into stems: inflections meet, stop words vanish, nothing crashes."""

# ruff: noqa: RUF001  letters of other alphabets are meant
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prowess.select.words import STOP, name_words, stem, words


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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("המרת קבצים לטקסט", ["המרת", "קבצים", "לטקסט"]),
        ("تحويل الملفات إلى نص", ["تحويل", "الملفات", "نص"]),
        ("हिन्दी में रिपोर्ट लिखें", ["हिन्दी", "रिपोर्ट", "लिखें"]),
        ("Tiếng Việt, ế ạ", ["tiếng", "việt"]),
        ("ქართული ენა", ["ქართული", "ენა"]),
    ],
)
def test_letters_of_every_script_make_words_with_their_marks(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_alphabets_without_blanks_give_threes() -> None:
    assert words("แปลง") == ["แปล", "ปลง"]
    assert words("แปลงPDF") == ["แปล", "ปลง", "pdf"]
    assert words("ຂໍ້") == ["ຂໍ້"]


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("cafe\u0301", "café"),
        ("\uff30\uff24\uff26\u3000\uff11", "PDF 1"),
        ("\ufb01le", "file"),
        ("\uff76\uff85", "カナ"),
    ],
)
def test_the_same_letters_are_the_same_word_however_they_were_typed(typed: str, plain: str) -> None:
    assert words(typed) == words(plain) != []


def test_a_letter_and_its_accent_stay_together_in_a_long_text() -> None:
    text = "e\u0301t " * 1_000

    assert words(text) == ["ét"] * 1_000


@pytest.mark.parametrize(
    "text",
    [
        "wenn der Nutzer einen für die",
        "quand l'utilisateur doit utiliser les",
        "cuando el usuario necesita usar la",
        "quando l'utente usa gli",
        "quando o usuário pode usar uma",
        "wanneer de gebruiker het een",
        "когда пользователь или нужен для",
        "عندما المستخدم في هذا",
        "के लिए उपयोग करें",
        "用户使用的",
        "ユーザー、ください",
        "사용자 사용",
        "ketika pengguna yang untuk dengan ini",
        "och till som har med när användaren",
        "og til som har med når brugeren ikke",
        "kun käyttäjä joka tai myös",
        "kui kasutaja ning või",
        "és az akik akkor ha felhasználó",
        "když uživatel který nebo jako",
        "keď používateľ ktorý alebo ako",
        "kada korisnik koji ili kako",
        "când utilizatorul pentru și sau",
        "kai vartotojas kuris arba yra",
        "kad lietotājs kurš vai arī",
        "quan amb els usuari és",
        "khi người dùng và của cho",
        "όταν ο χρήστης και για τους που",
        "коли користувач та для які",
        "когато потребителят и за които",
        "када корисник који и за",
        "כאשר המשתמש של את עם",
        "وقتی کاربر که برای این را",
        "جب صارف کے لیے اور",
        "যখন এবং জন্য থেকে",
    ],
)
def test_little_words_of_other_languages_give_nothing(text: str) -> None:
    assert words(text) == []


@pytest.mark.parametrize(
    "name",
    [
        *(
            "ai",
            "jest",
            "pod",
            "os",
            "com",
            "todo",
            "comment",
            "sin",
            "go",
            "io",
            "ci",
            "vi",
            "op",
            "var",
        ),
        *(
            "sense",
            "wake",
            "volt",
            "care",
            "pro",
            "men",
            "mint",
            "hindi",
            "stata",
            "immer",
            "nav",
            "alt",
        ),
    ],
)
def test_a_little_word_that_is_also_a_name_of_the_trade_is_kept(name: str) -> None:
    assert words(name) == [stem(name)]


@pytest.mark.parametrize("name", ["NAS", "MIT", "DELL", "SES", "USA", "IST", "AUS"])
def test_a_little_word_of_another_language_in_capitals_is_a_name(name: str) -> None:
    assert words(f"Set up the {name} server") == [*words("set"), name.lower(), stem("server")]
    assert words(name.lower()) == []


def test_capitals_say_nothing_where_all_is_in_capitals_nor_for_english() -> None:
    assert words("MIT DER OMA AUS DEM HAUS") == ["oma", "haus"]
    assert words("Do THE work AND do IT") == ["work"]


def test_a_name_keeps_the_little_words_of_other_languages_and_not_those_of_english() -> None:
    assert name_words("the-nas-of-dell") == ["nas", "dell"]


def test_little_words_between_characters_are_cut_out() -> None:
    assert words("用户的文件") == ["文件"]
    assert words("請求書を作成する") == ["請求", "求書", "作成"]


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
            st.sampled_from((str.lower, str.title)),
            st.sampled_from((" ", ", ", "-", "_", "\n", "**", ". ")),
        )
    )
)
def test_stop_words_never_come_out(told: list[tuple[str, type[str], str]]) -> None:
    text = "".join(f" {change(word)}{after}" for word, change, after in told)

    assert words(text) == []


@given(st.text(st.characters(), max_size=12))
@example("・")
@example("฿฿")
@example("x\u0302y")
@example("\u20dd")
def test_english_as_it_is_set_gives_what_the_reading_of_every_script_gives(text: str) -> None:
    """A letter of Cyrillic at the end asks for the long way; it adds one stem and changes no other."""
    asked = f"use {text} — “it” ™ ① 🚀"
    assert words(f"{asked} ж ш") == [*words(asked), *words("ж ш")]
