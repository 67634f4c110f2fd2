"""`@name` is a hint only where nobody could have meant anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.select.hints import find_hints


@pytest.mark.parametrize(
    "text",
    [
        "@pdf",
        "Fill it in @pdf",
        "(@pdf)",
        "@pdf, then rest",
        "then @pdf.",
        "@pdf. Then",
        "@pdf!",
        "@pdf:",
        "@pdf?",
        '"@pdf"',
        "**@pdf**",
        "[@pdf]",
        "@pdf's",
        "line\n@pdf\nline",
        "`code` @pdf `code`",
        "``a ` @no`` @pdf",
        "an odd ` and @pdf",
        "`` of two, @pdf, ` of one",
        "``` `@no` ``` @pdf",
    ],
)
def test_a_hint_may_stand_beside_punctuation(text: str) -> None:
    assert find_hints(text) == ("pdf",)


@pytest.mark.parametrize(
    "text",
    [
        "me@example.org",
        "me@pdf",
        "ü@pdf",
        "@types/node",
        "@scope/pkg@1.0",
        "@example.org",
        "user.@pdf",
        "https://host/@pdf",
        "`@pdf`",
        "``run @pdf now``",
        "``run ` @pdf ` now``",
        "```py\n@pdf\n```",
        "@PDF",
        "@Pdf",
        "@pdF",
        "@-pdf",
        "@pdf_x",
        "@@pdf",
        "@ pdf",
        "@",
        "@é",
        "",
    ],
)
def test_what_only_resembles_a_hint_is_none(text: str) -> None:
    assert find_hints(text) == ()


@pytest.mark.parametrize("text", ["@pdf--forms", "@" + "a" * 65])
def test_what_cannot_be_the_name_of_a_skill_is_no_hint(text: str) -> None:
    assert find_hints(text) == ()


def test_hints_come_once_each_in_the_order_they_stand() -> None:
    assert find_hints("@b-2 (@a) @b-2, @c.") == ("b-2", "a", "c")


@given(st.text(alphabet="@a-Z1./` ,é\n"))
def test_whatever_the_text_every_hint_stands_in_it(text: str) -> None:
    for name in find_hints(text):
        assert f"@{name}" in text
        assert not name.startswith("-")
        assert not name.endswith("-")
