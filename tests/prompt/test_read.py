import pytest

from prowess.core.skill import Skill
from prowess.prompt.read import loaded, read_form

SKILL = Skill(
    name="notes",
    description="Takes notes.",
    format="skill.md",
    location="project",
    path="/skills/notes",
    files=("SKILL.md",),
    header={},
)
TEXT = "---\nname: notes\ndescription: Takes notes.\n---\n\nWrite. !`rm -rf /` $ARGUMENTS\n"


def test_the_read_form_is_that_of_openskills_and_touches_nothing() -> None:
    assert read_form(SKILL, TEXT) == (
        f"Reading: notes\nBase directory: /skills/notes\n\n{TEXT}\n\nSkill read: notes\n"
    )


def test_a_skill_that_fits_is_loaded_whole() -> None:
    text, cut = loaded(SKILL, TEXT, [], max_chars=len(TEXT))

    assert not cut
    assert text == read_form(SKILL, TEXT).rstrip("\n")


def test_a_skill_that_is_too_long_is_cut_at_a_character_and_says_so() -> None:
    text, cut = loaded(SKILL, "é" * 30, [], max_chars=20)

    assert cut
    assert "é" * 20 in text
    assert "é" * 21 not in text
    assert "20 of 30 characters" in text
    assert "/skills/notes/SKILL.md" in text
    assert text.endswith("Skill read: notes")


@pytest.mark.parametrize("character", ["é", "漢", "🎉", "e\u0301"])
def test_characters_are_counted_and_not_bytes(character: str) -> None:
    whole = character * (20 // len(character))

    text, cut = loaded(SKILL, whole, [], max_chars=20)

    assert not cut
    assert whole in text
    assert f"\n{(whole * 2)[:19]}\n" in loaded(SKILL, whole * 2, [], max_chars=19)[0]


def test_references_follow_in_the_order_given_and_count_towards_the_limit() -> None:
    references = [("references/a.md", "AAA"), ("references/b.md", "BBB")]

    whole, _ = loaded(SKILL, "body", references, max_chars=1_000)
    tight, cut = loaded(SKILL, "body", references, max_chars=40)

    assert whole.index("body") < whole.index("Reference: references/a.md") < whole.index("BBB")
    assert cut
    assert "BBB" not in tight


def test_a_cut_says_where_the_rest_is() -> None:
    references = [("references/a.md", "AAA"), ("references/b.md", "BBB")]
    shown = len("body\n\nReference: references/a.md\n\nAAA")

    in_the_second, _ = loaded(SKILL, "body", references, max_chars=shown + 5)
    in_the_body, _ = loaded(SKILL, "body", references, max_chars=2)

    assert "prowess read notes --file references/b.md" in in_the_second
    assert "SKILL.md" not in in_the_second
    assert "/skills/notes/SKILL.md, or with `prowess read notes`" in in_the_body
    assert "prowess read notes --file references/a.md" in in_the_body
