"""Hints first, then what matches, or none; and every choice says why."""

import pytest

from prowess.core.selection import SkillSelection, StepKind
from prowess.core.skill import Skill
from prowess.core.task import Task
from prowess.select.choose import Limits, match_task, select_skills
from prowess.select.hints import find_hints
from prowess.select.rank import THRESHOLD, Ranker
from prowess.select.shelf import open_ranker
from support import a_skill as skill

KITCHEN = [
    skill(f"dish-{n}", f"Cooks dish number {n} with vegetables and rice.") for n in range(20)
]
PDF = skill("pdf-forms", "Fills in PDF forms and merges PDF documents.")
SQL = skill("sql-review", "Reviews SQL migrations for locks.")
DEPLOY = skill("deploy", "Deploys the service to production.", **{"disable-model-invocation": True})


def ranker(*skills: Skill, body: str = "") -> Ranker:
    return open_ranker([*KITCHEN, *skills], lambda s: body if s is skills[0] else "", folder=None)


def select(
    label: str,
    *skills: Skill,
    step: StepKind = "implementation",
    limits: Limits = Limits(),
    threshold: float = THRESHOLD,
) -> SkillSelection:
    skills = skills or (PDF, SQL, DEPLOY)
    task = Task(label=label, line=1, mark=" ", hints=find_hints(label))
    known = {each.name: each for each in (*KITCHEN, *skills)}
    return select_skills(
        task, known, step, limits, ranker=ranker(*skills), run_id="run-1", threshold=threshold
    )


def names(selection: SkillSelection) -> list[str]:
    return [match.name for match in selection.skills]


def test_a_hint_is_followed_and_says_so() -> None:
    found = select("Something else entirely @sql-review")

    assert (found.strategy, names(found)) == ("hint", ["sql-review"])
    assert found.skills[0].reason == "the task says @sql-review"
    assert found.skills[0].score is None
    assert found.skills[0].path == "/skills/sql-review"


def test_matching_fills_what_hints_leave() -> None:
    found = select("Fill in and merge the PDF forms @sql-review")

    assert (found.strategy, names(found)) == ("hint", ["sql-review", "pdf-forms"])


def test_what_describes_a_task_is_matched_too() -> None:
    told = Task(label="Do it", line=1, mark=" ", description="Fill in and merge the PDF forms.")
    found = select_skills(
        told, {PDF.name: PDF}, "implementation", Limits(), ranker=ranker(PDF), run_id="run-1"
    )

    assert names(found) == ["pdf-forms"]


def test_the_words_of_a_hint_are_no_words_of_the_task() -> None:
    like = skill("review-sql", "Reviews SQL queries, SQL tables and SQL reviews.")

    assert names(select("Tune the piano @sql-review", PDF, SQL, like)) == ["sql-review"]
    assert names(select("Tune the piano @sql-review-queries", PDF, SQL, like)) == []


def test_a_skill_that_is_hinted_at_and_matches_is_chosen_once() -> None:
    assert names(select("Fill in and merge the PDF forms @pdf-forms")) == ["pdf-forms"]


def test_a_task_that_fits_is_matched_and_the_reason_names_the_words_and_where() -> None:
    found = select("Filling in PDF documents")

    assert (found.strategy, names(found)) == ("match", ["pdf-forms"])
    assert found.skills[0].reason.startswith("matches ")
    assert "PDF (name)" in found.skills[0].reason
    assert "documents (description)" in found.skills[0].reason
    assert "Filling (description)" in found.skills[0].reason


def test_a_word_of_the_body_is_said_to_be_in_the_instructions() -> None:
    (found,) = match_task("(turbines)", ranker(PDF, body="# Turbines"), limit=2, threshold=0)

    assert found.reason == "matches turbines (instructions)"


def test_a_word_that_the_description_only_refuses_is_not_said_to_be_in_it() -> None:
    refusing = skill("pdf", "Fills in forms. Not for turbines.")

    (found,) = match_task("turbines", ranker(refusing, body="Turbines"), limit=1, threshold=0)

    assert found.reason == "matches turbines (instructions)"


def test_a_skill_found_by_its_meaning_alone_is_said_to_be() -> None:
    found = match_task(
        "xyzzy", ranker(PDF), limit=1, threshold=0, adjust=lambda _, scores: [9.0 for _ in scores]
    )

    assert [match.reason for match in found] == ["is near in meaning"]


def test_the_parts_of_a_match_add_up_to_its_score_and_a_hint_has_none() -> None:
    found = select("Fill in pdf-forms, the PDF documents @sql-review")

    hinted, matched = found.skills
    assert hinted.parts == ()
    assert sum(given for _, given in matched.parts) == pytest.approx(matched.score, abs=0.001)
    assert not {"sql", "review"} & dict(matched.parts).keys()


def test_a_task_that_nothing_fits_gets_nothing() -> None:
    found = select("Tune the piano")

    assert (found.strategy, names(found), found.errors) == ("none", [], ())


@pytest.mark.parametrize("label", ["", "the of and", "Please use the skill", "的"])
def test_stop_words_choose_nothing_even_without_a_threshold(label: str) -> None:
    full = skill("menus", "Please use the skill for the menus of the day. 菜单 的 翻译")

    assert select(label, PDF, SQL, full, threshold=0.0).strategy == "none"


# Rare as they are among English skills, such words would weigh most.
@pytest.mark.parametrize(
    ("label", "description"),
    [
        (
            "Backe einen Kuchen für die Oma, wenn der Nutzer Hunger hat",
            "Schreibt Berichte für einen Nutzer. Verwende es, wenn der Nutzer einen Bericht möchte.",
        ),
        ("给用户烤蛋糕时使用烤箱", "处理文件并生成报告。当用户需要报告时使用。"),
        ("Испечь торт, когда нужен десерт", "Пишет отчёты. Используйте, когда нужен отчёт."),
    ],
)
def test_little_words_of_any_language_choose_nothing(label: str, description: str) -> None:
    assert names(select(label, skill("reports", description), PDF, SQL)) == []


@pytest.mark.parametrize(
    "description",
    [
        "המרת קבצים לטקסט והפקת דוחות",
        "تحويل الملفات إلى نص",
        "रिपोर्ट लिखना और फ़ाइल बदलना",
        "แปลงไฟล์เป็นข้อความ",
    ],
)
def test_a_skill_is_found_by_its_description_in_any_script(description: str) -> None:
    assert names(select(description, skill("foreign", description), PDF)) == ["foreign"]


def test_the_threshold_decides_and_none_under_it_is_chosen() -> None:
    label = "Fill in PDF documents"
    (match,) = select(label).skills
    assert match.score is not None

    assert names(select(label, threshold=match.score - 0.01)) == ["pdf-forms"]
    assert names(select(label, threshold=match.score + 0.01)) == []


def test_a_score_is_told_with_four_digits() -> None:
    (match,) = select("Fill in PDF documents").skills
    assert match.score is not None

    assert match.score == round(match.score, 4)


def test_a_score_is_compared_as_it_is_told() -> None:
    asked, label = ranker(PDF, SQL), "Fill in PDF documents"
    (exact,) = asked.rank(label, limit=1)
    told = round(exact.score, 4)

    for threshold in (told, exact.score):
        assert len(match_task(label, asked, limit=1, threshold=threshold)) == (told >= threshold)


def test_an_unknown_hint_is_an_error_and_the_rest_goes_on() -> None:
    found = select("Fill in and merge the PDF forms @nothing")

    assert (found.strategy, names(found)) == ("match", ["pdf-forms"])
    assert len(found.errors) == 1
    assert "@nothing" in found.errors[0]


def test_a_hint_over_the_limit_is_an_error_and_the_first_ones_stay() -> None:
    found = select("Do @sql-review @deploy @pdf-forms @nothing")

    assert names(found) == ["sql-review", "deploy"]
    assert ["@pdf-forms" in found.errors[0], "@nothing" in found.errors[1]] == [True, True]


@pytest.mark.parametrize(
    ("step", "limits", "count"),
    [
        ("implementation", Limits(), 2),
        ("review", Limits(), 1),
        ("implementation", Limits(implementation=3), 3),
        ("review", Limits(review=0), 0),
        ("implementation", Limits(implementation=0), 0),
    ],
)
def test_a_step_has_as_many_skills_as_it_may(step: StepKind, limits: Limits, count: int) -> None:
    likes = [skill(f"pdf-{n}", "Fills in PDF forms and merges PDF documents.") for n in range(5)]

    found = select("Fill in PDF forms, merge PDF", *likes, step=step, limits=limits, threshold=0.0)

    assert names(found) == [f"pdf-{n}" for n in range(count)]
    assert found.strategy == ("match" if count else "none")


def test_a_skill_for_people_only_is_never_matched_but_can_be_hinted_at() -> None:
    assert select("Deploy the service to production", threshold=0.0).strategy == "none"
    assert names(select("Deploy the service to production @deploy")) == ["deploy"]


@pytest.mark.parametrize("count", [1, 30])
def test_skills_for_people_only_take_nothing_from_the_others(count: int) -> None:
    hidden = [
        skill(f"a-pdf-forms-{n}", PDF.description, **{"disable-model-invocation": True})
        for n in range(count)
    ]

    assert names(select("Fill in the PDF form", PDF, SQL)) == ["pdf-forms"]
    assert names(select("Fill in the PDF form", PDF, SQL, *hidden)) == ["pdf-forms"]


def test_the_event_has_the_fields_that_observers_know_and_the_json_the_score_beside() -> None:
    found = select("Fill in PDF documents @nothing", step="review")
    (match,) = found.skills

    assert found.as_event() == {
        "run_id": "run-1",
        "step_kind": "review",
        "task_label": "Fill in PDF documents @nothing",
        "skills": [{"name": "pdf-forms", "reason": match.reason}],
        "strategy": "match",
        "errors": list(found.errors),
    }
    assert found.as_json()["skills"] == [
        {
            "name": "pdf-forms",
            "path": "/skills/pdf-forms",
            "score": match.score,
            "reason": match.reason,
        }
    ]
