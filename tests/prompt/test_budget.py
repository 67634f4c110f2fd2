from hypothesis import given
from hypothesis import strategies as st

from prowess.prompt.budget import fit, fit_best, shortened
from prowess.prompt.cards import Card, to_prompt


def card(name: str, description: str) -> Card:
    return Card(name, description, "project", f"/skills/{name}/SKILL.md")


SHORT, LONG = card("short", "A few words."), card("long", "many words " * 50)


def test_what_fits_is_left_alone() -> None:
    fitted = fit([SHORT, LONG], max_chars=10_000, form=to_prompt)

    assert fitted.cards == [SHORT, LONG]
    assert fitted.cut == ()
    assert fitted.limit is None


def test_zero_means_no_limit() -> None:
    assert fit([LONG], max_chars=0, form=to_prompt).cards == [LONG]


def test_the_long_ones_shrink_to_one_length_and_the_short_ones_stay_whole() -> None:
    other = card("other", "different words " * 40)

    fitted = fit([SHORT, LONG, other], max_chars=700, form=to_prompt)

    assert len(to_prompt(fitted.cards)) <= 700
    assert fitted.cards[0] == SHORT
    assert fitted.cut == ("long", "other")
    lengths = [len(each.description) for each in fitted.cards[1:]]
    assert abs(lengths[0] - lengths[1]) <= 20  # a word apart


def test_names_stay_even_when_they_alone_are_too_much() -> None:
    fitted = fit([LONG, SHORT], max_chars=10, form=to_prompt)

    assert [each.name for each in fitted.cards] == ["long", "short"]
    assert [each.description for each in fitted.cards] == ["", ""]


@given(
    descriptions=st.lists(st.text(min_size=1, max_size=200), min_size=1, max_size=12),
    room=st.integers(min_value=1, max_value=3_000),
)
def test_the_budget_holds_unless_names_alone_exceed_it(descriptions: list[str], room: int) -> None:
    offered = [card(f"s{i}", text) for i, text in enumerate(descriptions)]
    bare = len(to_prompt([card(each.name, "") for each in offered]))

    fitted = fit(offered, max_chars=room, form=to_prompt)

    assert len(to_prompt(fitted.cards)) <= max(room, bare)
    assert [each.name for each in fitted.cards] == [each.name for each in offered]
    assert set(fitted.cut) == {
        old.name
        for old, new in zip(offered, fitted.cards, strict=True)
        if old.description != new.description
    }


@given(text=st.text(max_size=100), limit=st.integers(min_value=0, max_value=120))
def test_shortened_text_is_never_longer_than_asked(text: str, limit: int) -> None:
    assert len(shortened(text, limit)) <= limit or len(text) <= limit


def test_of_the_best_the_last_go_until_the_others_say_something() -> None:
    offered = [card(f"{n}{'x' * 60}", "many words " * 50) for n in range(9)]

    fitted = fit_best(offered, max_chars=1_500, least=40, form=to_prompt)

    assert [each.name for each in fitted.cards] == [each.name for each in offered[:5]]
    assert fitted.limit is not None
    assert fitted.limit >= 40
    assert len(to_prompt(fitted.cards)) <= 1_500


def test_a_name_that_takes_the_room_of_all_leaves_the_others_theirs() -> None:
    huge = card("x" * 2_000, "Words.")

    fitted = fit_best([huge, SHORT], max_chars=1_500, least=20, form=to_prompt)

    assert fitted.cards == [SHORT]


def test_where_all_have_room_enough_none_of_the_best_goes() -> None:
    both = fit_best([LONG, SHORT], max_chars=500, least=20, form=to_prompt)

    assert both == fit([LONG, SHORT], max_chars=500, form=to_prompt)
    assert len(both.cards) == 2
