import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.core.errors import UsageError
from prowess.prompt.agents_md import with_block, without_block
from prowess.prompt.cards import Card, skills_block

BLOCK = skills_block([Card("csv", "Reads CSV.", "project", "/s/csv/SKILL.md")])
OTHER = skills_block([Card("pdf", "Reads $& and \\1.", "project", "/s/pdf/SKILL.md")])
BESIDE = "# Mine\n\nKeep this.\n"


def test_a_file_without_a_block_gets_one_at_its_end() -> None:
    assert with_block(BESIDE, BLOCK) == f"{BESIDE}\n{BLOCK}\n"


def test_an_empty_file_gets_a_title() -> None:
    assert with_block("", BLOCK) == f"# Agents\n\n{BLOCK}\n"


def test_only_the_old_block_is_replaced() -> None:
    text = f"before\n\n{BLOCK}\nafter, no line end"

    assert with_block(text, OTHER) == f"before\n\n{OTHER}\nafter, no line end"


def test_windows_line_ends_stay() -> None:
    text = BESIDE.replace("\n", "\r\n")

    once = with_block(text, BLOCK)

    assert "\n" not in once.replace("\r\n", "")
    assert with_block(once, BLOCK) == once


def test_a_block_of_an_older_tool_that_has_only_the_comments_is_replaced() -> None:
    text = "x\n\n<!-- SKILLS_TABLE_START -->\nold\n<!-- SKILLS_TABLE_END -->\n\ny\n"

    assert with_block(text, BLOCK) == f"x\n\n{BLOCK}\n\ny\n"


def test_the_tags_in_a_sentence_are_not_a_block() -> None:
    text = "We keep `<skills_system priority>` and </skills_system> here.\n"

    assert with_block(text, BLOCK) == f"{text}\n{BLOCK}\n"


@pytest.mark.parametrize("broken", [BLOCK[:-20], f"{BLOCK}\n\n{OTHER}"])
def test_a_block_that_is_torn_or_doubled_is_refused(broken: str) -> None:
    with pytest.raises(UsageError) as caught:
        with_block(f"{BESIDE}\n{broken}\n", BLOCK)

    assert "then sync again" in caught.value.hint


def test_taking_the_block_out_gives_the_file_back() -> None:
    assert without_block(with_block(BESIDE, BLOCK)) == BESIDE
    assert without_block(BESIDE) == BESIDE


NO_MARKS = st.text(st.characters(codec="utf-8", exclude_characters="<`~"))


@given(text=NO_MARKS)
def test_syncing_twice_changes_nothing_whatever_the_file_holds(text: str) -> None:
    once = with_block(text, BLOCK)

    assert with_block(once, BLOCK) == once
    assert with_block(with_block(once, OTHER), BLOCK) == once
    assert once.startswith(text)


@given(text=st.text(st.sampled_from("ab`~-*1. \n"), min_size=1))
def test_taking_the_block_out_gives_back_any_file_to_the_byte(text: str) -> None:
    for mine in (text, text.replace("\n", "\r\n")):
        with contextlib.suppress(UsageError):  # a fence that never ends
            once = with_block(mine, BLOCK)

            assert with_block(once, BLOCK) == once
            assert without_block(once) == mine


def test_taking_out_a_block_with_other_line_ends_than_the_file_leaves_no_half_of_one() -> None:
    text = f"# Mine\r\n\r\n{BLOCK}\r\n\r\nMore.\r\n"

    assert without_block(text) == "# Mine\r\n\r\nMore.\r\n"
    assert without_block(f"# Mine\r\n\r\n{BLOCK}\r\n") == "# Mine\r\n"


def test_the_lines_of_the_old_block_do_not_decide_on_those_of_the_new() -> None:
    many = skills_block([Card(f"s{n}", "Reads.", "project", f"/s/{n}") for n in range(60)])
    windows = many.replace("\n", "\r\n")
    mine = "mine\n" * 200

    once = with_block(f"{mine}\n{windows}\n", many)

    assert once == f"{mine}\n{many}\n"
    assert with_block(once, many) == once
    assert with_block(windows, OTHER) == OTHER.replace("\n", "\r\n")


@given(
    before=st.text(st.sampled_from("a\r\n"), max_size=8),
    after=st.text(st.sampled_from("a\r\n"), max_size=8),
    end=st.sampled_from(("\n", "\r\n")),
)
def test_syncing_twice_changes_nothing_whatever_the_line_ends(
    before: str, after: str, end: str
) -> None:
    text = f"{before}\n{BLOCK}\n{after}".replace("\n", end)

    once = with_block(text, OTHER)

    assert with_block(once, OTHER) == once


@given(text=st.text(st.sampled_from("a\r\n"), min_size=1, max_size=12))
def test_taking_the_block_out_gives_back_a_file_with_mixed_line_ends(text: str) -> None:
    assert without_block(with_block(text, BLOCK)) == text


@pytest.mark.parametrize("text", ["x\r", "x\r\n", "a\r\nx\r", "x\n\r", "x"])
def test_a_file_that_ends_in_half_a_line_end_keeps_it(text: str) -> None:
    assert without_block(with_block(text, BLOCK)) == text


def test_a_second_opening_before_the_end_is_a_torn_block_and_nothing_is_lost() -> None:
    text = f"<skills_system>\nPRECIOUS\n\n{BLOCK}\n"

    with pytest.raises(UsageError):
        with_block(text, OTHER)


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\n- ```bash\n  make test\n  ```\n\nMore.\n",
        "1. First\n\n   ```bash\n   make test\n   ```\n",
        "10) ~~~\n    make test\n    ~~~\n",
        "- a\n  - ```\n    make test\n    ```\nMore.\n",
        "-\t```\n\tmake test\n\t```\n",
        "```make test```\n",
        "* * *\n  ```\nmake test\n  ```\n",
        "````\n```\n````\n",
        "~~~ `a`\n```\n~~~\n",
        "> ```\n> make test\n> ```\n",
    ],
)
def test_the_block_is_found_again_after_code_of_every_kind(text: str) -> None:
    once = with_block(text, BLOCK)

    assert with_block(once, BLOCK) == once
    assert with_block(once, OTHER).count("<skills_system") == 1
    assert without_block(once) == text


@pytest.mark.parametrize("rest", ["", f"\n{BLOCK}\n"])
def test_a_fence_that_never_ends_is_told_rather_than_written_behind(rest: str) -> None:
    with pytest.raises(UsageError) as caught:
        with_block(f"# Mine\n\n```bash\nmake test\n{rest}", BLOCK)

    assert "line 3 never ends" in str(caught.value)


def test_a_fence_that_never_ends_behind_the_block_is_not_our_affair() -> None:
    text = f"{BLOCK}\n\n```bash\nmake test\n"

    assert with_block(text, OTHER) == text.replace(BLOCK, OTHER)


def test_a_block_behind_a_byte_order_mark_is_replaced() -> None:
    assert with_block(f"\ufeff{BLOCK}\nMine.\n", OTHER) == f"\ufeff{OTHER}\nMine.\n"


def test_a_block_whose_first_line_holds_other_text_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        with_block(BLOCK.replace('priority="1">', 'priority="1"> mine', 1), OTHER)

    assert "a line of its own" in caught.value.hint


def test_a_block_shown_in_a_fence_is_an_example_and_left_alone() -> None:
    text = f"# Mine\n\n```markdown\n{BLOCK}\n```\n"

    assert with_block(text, OTHER) == f"{text}\n{OTHER}\n"


def test_many_openings_are_refused_at_once() -> None:
    with pytest.raises(UsageError):
        with_block("<skills_system>\n" * 60_000, BLOCK)
