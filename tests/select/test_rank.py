"""Ranking: what speaks for a skill, how loudly, and how sure we are of the first."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prowess.core.skill import Skill
from prowess.select.rank import (
    BY_NAME,
    MEANING,
    SIDE_BY_SIDE,
    THRESHOLD,
    WHOLE,
    Adjust,
    Ranked,
    Ranker,
)
from prowess.select.shelf import open_ranker
from support import a_skill as skill

KITCHEN = [
    skill(f"dish-{n}", f"Cooks dish number {n} with vegetables and rice.") for n in range(20)
]
PDF = skill("pdf-forms", "Fills in PDF forms and merges PDF documents.")
SQL = skill("sql-review", "Reviews SQL migrations for locks.")


def ranker(*skills: Skill, bodies: dict[str, str] | None = None) -> Ranker:
    """Of these skills among twenty that have nothing to do with them."""
    return open_ranker([*KITCHEN, *skills], lambda s: (bodies or {}).get(s.name, ""), folder=None)


def names(ranked: list[Ranked]) -> list[str]:
    return [each.skill.name for each in ranked]


def test_the_skill_that_the_task_is_about_comes_first() -> None:
    found = ranker(PDF, SQL).rank("Please fill in this PDF form")

    assert names(found) == ["pdf-forms"]


def test_a_word_in_the_description_beats_the_same_word_in_the_body() -> None:
    described, told = skill("one", "Resizes images."), skill("two", "Draws graphs.")

    assert names(
        ranker(described, told, bodies={"two": "Resizes images."}).rank("resize images")
    ) == ["one", "two"]


def test_a_word_in_the_name_beats_the_same_word_in_the_body() -> None:
    named, told = skill("images", "Draws graphs."), skill("two", "Draws graphs.")

    assert names(ranker(named, told, bodies={"two": "All about images."}).rank("images"))[0] == (
        "images"
    )


def test_the_body_counts_where_nothing_else_speaks() -> None:
    found = ranker(PDF, SQL, bodies={"sql-review": "Mind the vacuum of Postgres."}).rank("postgres")

    assert names(found) == ["sql-review"]


def test_when_to_use_is_part_of_the_card() -> None:
    one = skill("one", "Draws graphs.", when_to_use="when somebody mentions turbines")

    assert names(ranker(one).rank("turbines")) == ["one"]


def test_a_rare_word_says_more_than_a_common_one() -> None:
    rare, common = skill("zz", "Handles turbines."), skill("aa", "Handles vegetables.")

    assert names(ranker(rare, common).rank("turbines vegetables"))[0] == "zz"


def test_words_side_by_side_say_more_than_words_apart() -> None:
    together = skill("zz-together", "Handles unit prices here and test cases there.")
    apart = skill("aa-apart", "Handles unit cases here and test prices there.")

    found = ranker(together, apart).rank("the unit prices")

    assert names(found)[0] == "zz-together"
    assert found[0].score > found[1].score


def test_a_skill_that_is_named_in_the_task_is_ahead_of_its_like() -> None:
    named = skill("pdf-tools", "Works on documents.")
    like = skill("documents", "Works on documents with PDF and tools.")

    for task in ("run pdf-tools on it", "Run PDF Tools on it"):
        assert names(ranker(named, like).rank(task))[0] == "pdf-tools"


@pytest.mark.parametrize("name", ["nas", "mit", "dell", "aws-ses", "har", "ini", "web-og"])
def test_a_name_that_is_a_little_word_elsewhere_finds_its_skill(name: str) -> None:
    asked = ranker(PDF, skill(name, "Works on devices."))
    said = name.rsplit("-", maxsplit=1)[-1]

    for task in (said, said.upper(), f"set up the {said}", f"the {said.upper()} of the office"):
        assert names(asked.rank(task))[0] == name


@pytest.mark.parametrize(
    "task", ["Backe einen Kuchen mit Nüssen", "el mit der das", "Baue das mit Holz"]
)
def test_a_task_in_another_language_finds_no_skill_by_its_little_words(task: str) -> None:
    assert ranker(PDF, skill("mit", "Licences.")).rank(task) == []


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("code quality", "code-quality"),
        ("The code quality, please!", "code-quality"),
        ("report on tasks", "tasks-report"),
        ("task report", "tasks-report"),
        ("start session", "start-session"),
        ("session start", "session-start"),
        ("Images", "images"),
    ],
)
def test_a_task_that_says_nothing_but_a_name_leaves_no_doubt(task: str, name: str) -> None:
    known = ("code-quality", "tasks-report", "session-start", "start-session", "images")
    like = skill("like", "Code, quality, images, reports on tasks, the start of a session.")

    first = ranker(like, *(skill(each, "Does what it does.") for each in known)).rank(task)[0]

    assert (first.skill.name, first.score) == (name, 1.0)
    assert WHOLE in dict(first.bonuses)


def test_a_task_that_says_more_than_a_name_is_weighed() -> None:
    found = ranker(skill("images", "Draws graphs."), SQL).rank("review the images")

    assert all(each.score < 1 for each in found)


def test_what_a_skill_says_it_is_not_for_speaks_against_it() -> None:
    plain = "Fills in PDF forms. Writes reports."
    refusing = "Fills in PDF forms. Writes reports. Not for spreadsheets."
    other = skill("books", "Keeps spreadsheets.")

    task = "fill in the spreadsheets form"
    with_it = ranker(skill("pdf", refusing), other).rank(task)
    without = ranker(skill("pdf", plain), other).rank(task)

    assert with_it[0].score < without[0].score
    assert "pdf" not in names(ranker(skill("pdf", refusing), other).rank("spreadsheets"))


def test_ties_fall_the_same_way_whatever_the_order_of_skills() -> None:
    twins = [skill(name, "Fills in forms.") for name in ("b", "a", "d", "c", "ab")]

    seen = set()
    for seed in range(6):
        shuffled = random.Random(seed).sample(twins, len(twins))  # noqa: S311  a shuffle, no secret
        found = ranker(*shuffled, PDF).rank("fill in a form", limit=4)
        seen.add(tuple((each.skill.name, each.score) for each in found))

    assert len(seen) == 1
    assert [name for name, _ in seen.pop()] == ["a", "ab", "b", "c"]


def test_ties_fall_by_name_and_not_by_folder() -> None:
    twins = [
        replace(skill(name, "Fills in forms."), path=f"/skills/{place}/{name}")
        for place, name in enumerate(("d", "c", "b", "a"))
    ]

    assert names(ranker(*twins).rank("fill in a form", limit=4)) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "task", ["", "   ", "the", "the of and with", "Please use it!", "\0", "🎉"]
)
def test_a_task_without_meaning_finds_nothing(task: str) -> None:
    chatty = skill("the", "The of and with please use this skill for it.")

    assert ranker(PDF, chatty).rank(task) == []


@pytest.mark.parametrize(
    "task", ["PDF", "pdf " * 10_000, "# **PDF** <b>`forms`</b>", "处理 PDF 文件", "[x](pdf)"]
)
def test_short_long_foreign_and_marked_up_tasks_find_the_skill(task: str) -> None:
    assert names(ranker(PDF, SQL).rank(task)) == ["pdf-forms"]


def test_a_chinese_task_finds_a_chinese_skill() -> None:
    assert names(ranker(PDF, skill("biao", "合并和填写表格。")).rank("请填写这个表格")) == ["biao"]


def test_a_task_of_ten_thousand_different_words_is_ranked() -> None:
    task = "merge PDF documents " + " ".join(f"w{n}" for n in range(10_000))

    assert names(ranker(PDF, SQL).rank(task))[0] == "pdf-forms"


def test_what_is_quoted_says_less_than_what_is_asked() -> None:
    said = "the locks of documents somewhere"  # one word for each of the two

    assert names(ranker(PDF, SQL).rank(f'merge this "{said}"'))[0] == "pdf-forms"
    assert names(ranker(PDF, SQL).rank(f'locks of "{said.replace("locks", "merging")}"'))[0] == (
        "sql-review"
    )


def test_no_skills_are_an_answer_too() -> None:
    assert open_ranker([], lambda _: "", folder=None).rank("fill in a form") == []


def test_the_first_is_surer_when_more_of_the_task_is_explained() -> None:
    rank = ranker(PDF, SQL).rank

    one, three = rank("PDF")[0].score, rank("merge PDF documents")[0].score

    assert one < three


def test_the_first_is_less_sure_the_more_of_the_task_it_does_not_explain() -> None:
    rank = ranker(PDF, SQL).rank
    unknown = " ".join(f"w{n}" for n in range(60))

    alone, among = rank("merge PDF documents")[0], rank(f"merge PDF documents {unknown}")[0]

    assert alone.score > THRESHOLD > among.score > 0
    assert among.skill == alone.skill


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from("fill merge pdf form sql lock review rice 7 表格 the".split())),
    st.integers(min_value=1, max_value=30),
)
def test_scores_are_confidences_and_fall(told: list[str], limit: int) -> None:
    found = SHARED.rank(" ".join(told), limit=limit)

    scores = [each.score for each in found]
    assert len(found) <= limit
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


SHARED = ranker(PDF, SQL, skill("forms", "Fills in forms."))


def test_what_each_word_gave_adds_up_to_the_score() -> None:
    # Apart, so that neither a name nor a pair of words adds to it.
    (found,) = ranker(PDF, SQL).rank("documents xyzzy fill")

    assert {word for word, _ in found.parts} == {"document", "fill"}
    assert sum(given for _, given in found.parts) == pytest.approx(found.score)


def near(task: str, scores: list[float]) -> list[float]:
    return [score + 0.5 for score in scores]


@pytest.mark.parametrize("adjust", [None, near])
@pytest.mark.parametrize("task", ["fill pdf-forms with sql", "pdf forms", "merge PDF documents"])
def test_words_and_bonuses_add_up_to_the_score_strongest_first(
    task: str, adjust: Adjust | None
) -> None:
    for found in ranker(PDF, SQL, skill("forms", "Fills in forms.")).rank(task, adjust=adjust):
        assert sum(given for _, given in found.parts + found.bonuses) == pytest.approx(found.score)
        for told in (found.parts, found.bonuses):
            given = [part for _, part in told]
            assert given == sorted(given, reverse=True)


def test_a_bonus_says_what_it_is_for() -> None:
    asked = ranker(PDF, SQL)

    assert dict(asked.rank("fill pdf forms")[0].bonuses).keys() == {BY_NAME, SIDE_BY_SIDE}
    assert dict(asked.rank("pdf forms")[0].bonuses).keys() == {BY_NAME, SIDE_BY_SIDE, WHOLE}
    assert dict(asked.rank("documents", adjust=near)[0].bonuses).keys() == {MEANING}


def test_another_signal_can_change_the_order() -> None:
    asked = ranker(PDF, SQL)
    favoured = [found.name == "sql-review" for found in asked.skills]

    def adjust(task: str, scores: list[float]) -> list[float]:
        return [score + 50 * more for score, more in zip(scores, favoured, strict=True)]

    assert names(asked.rank("fill in a PDF form", adjust=adjust))[0] == "sql-review"
