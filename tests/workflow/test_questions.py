"""Questions are answered by people, by files or by defaults, and asked again when an answer will not do."""

from pathlib import Path
from typing import Any

import pytest

from prowess.cli.flow import given_values
from prowess.core.errors import UsageError
from prowess.core.run import Outcome
from support import write_file

ROLE = "{id: ask, question: 'Which role?', options: [Tester, Architect], store: role}"


def test_a_question_is_asked_and_its_answer_stored(play: Any) -> None:
    play.renderer.answers = ["Tester"]

    outcome = play(f"steps: [{ROLE}, {{output: 'Hello {{role}}'}}]")

    assert outcome.answer == "Hello Tester"
    assert play.renderer.asked[0].options == ("Tester", "Architect")


def test_an_answer_that_will_not_do_is_asked_for_again_with_the_reason(play: Any) -> None:
    play.renderer.answers = ["Cook", "architect"]

    outcome = play(f"steps: [{ROLE}]")

    assert outcome.details["values"]["role"] == "Architect"
    assert play.renderer.wrong == ["", "'Cook' is not one of: Tester, Architect"]


def test_nobody_is_asked_for_ever(play: Any) -> None:
    play.renderer.answers = ["Cook"] * 50

    outcome = play(f"steps: [{ROLE}]")

    assert outcome.ending == "failed"
    assert "no answer would do" in outcome.reason
    assert len(play.renderer.asked) == 5


def test_where_nobody_can_answer_the_input_to_pass_is_named(play: Any) -> None:
    outcome = play(f"steps: [{ROLE}]")

    assert outcome.ending == "failed"
    assert "nobody is here to answer 'Which role?'" in outcome.reason
    assert "--set role=..." in outcome.reason
    assert ") (" not in outcome.reason
    assert outcome.details["unanswered"] is True


@pytest.mark.parametrize(
    ("steps", "given", "wrong"),
    [
        (ROLE, {"role": "Cook"}, "'Cook' is not one of: Tester, Architect"),
        (ROLE, {"ask": "Cook"}, "'Cook' is not one of: Tester, Architect"),
        ("{question: q, validate: number, store: n}", {"n": "many"}, "'many' is no number"),
        (f"{{if: user, then: [{ROLE}]}}", {"role": "Cook"}, "'Cook' is not one of"),
    ],
)
def test_an_answer_that_can_be_known_to_be_wrong_is_refused_before_the_first_step(
    play: Any, steps: str, given: dict[str, str], wrong: str
) -> None:
    with pytest.raises(UsageError) as refused:
        play(f"steps: [{{command: touch begun}}, {steps}]", **given)

    (name,) = given
    assert str(refused.value).startswith(f"{name} is wrong: {wrong}")
    assert f"--set {name}=..." in refused.value.hint
    assert play.commands == []


def test_an_answer_that_will_do_for_one_of_two_questions_of_a_name_is_not_refused(
    play: Any,
) -> None:
    other = ROLE.replace("ask", "else-ask").replace("Tester", "Cook")

    outcome = play(f"steps: [{{if: user, then: [{other}], else: [{ROLE}]}}]", role="Cook")

    assert outcome.details["values"]["role"] == "Cook"


def test_an_answer_whose_options_are_known_on_the_way_is_refused_with_what_to_give(
    play: Any,
) -> None:
    step = "{id: ask, question: q, options: {command: echo Tester}, store: role}"

    outcome = play(f"steps: [{step}]", role="Cook")

    told = "'Cook' is not one of: Tester (run it again with --set role=..., or with --answers FILE)"
    assert outcome.reason.endswith(told)
    assert "fork" not in outcome.reason


def test_a_failure_inside_a_skill_is_told_without_parentheses_in_a_row(play: Any) -> None:
    play.skills["other"] = Outcome(ending="failed", answer="", reason="it broke (mend it)")

    outcome = play("steps: [{skill: other}]")

    assert "it broke (mend it); mend the cause" in outcome.reason


def test_a_workflow_inside_that_lacks_an_answer_leaves_the_outer_one_without_it_too(
    play: Any,
) -> None:
    play.skills["other"] = Outcome(
        ending="failed", answer="", reason="r", details={"unanswered": True}
    )

    assert play("steps: [{skill: other}]").details["unanswered"] is True


def test_where_nobody_can_answer_the_default_is_the_answer(play: Any) -> None:
    outcome = play("steps: [{question: q, default: '{user}', validate: not-empty, store: name}]")

    assert outcome.ending == "done"
    assert outcome.details["values"]["name"] == "ada"


def test_a_default_that_will_not_do_fails_where_nobody_can_answer(play: Any) -> None:
    outcome = play("""\
steps:
  - {command: echo many, store: usual}
  - {id: how, question: q, default: '{usual}', validate: number, store: n}
""")

    assert outcome.ending == "failed"
    assert "'many' is no number" in outcome.reason


@pytest.mark.parametrize("name", ["role", "ask"])
def test_an_answer_may_be_given_by_the_stored_name_or_the_step(play: Any, name: str) -> None:
    outcome = play(f"steps: [{ROLE}]", **{name: "tester"})

    assert outcome.details["values"]["role"] == "Tester"
    assert play.renderer.asked == []
    assert play.payloads("question.answered")[0]["answer"] == "Tester"


def test_options_may_be_the_lines_of_a_command(play: Any) -> None:
    play.renderer.answers = ["b c"]

    outcome = play("""\
steps:
  - type: question
    prompt: Which?
    options: {type: command, command: 'printf "a\\nb c\\n"'}
    validate: role-exists
    store: chosen
""")

    assert play.renderer.asked[0].options == ("a", "b c")
    assert outcome.details["values"]["chosen"] == "b c"


def test_options_may_be_a_stored_list(play: Any) -> None:
    play.renderer.answers = ["y"]

    play("steps: [{command: 'printf x\\\\ny', store: all}, {question: q, options: '{all}'}]")

    assert play.renderer.asked[0].options == ("x", "y")


def test_options_whose_command_fails_fail_the_question(play: Any) -> None:
    outcome = play("steps: [{id: q, question: q, options: {command: exit 4}}]")

    assert "the step 'q' failed: exit code 4" in outcome.reason


def test_no_answer_is_the_default(play: Any) -> None:
    play.renderer.answers = [""]

    outcome = play("steps: [{question: q, default: '{user}', store: name}]")

    assert play.renderer.asked[0].default == "ada"
    assert outcome.details["values"]["name"] == "ada"


@pytest.mark.parametrize(
    ("validate", "wrong", "right"),
    [
        ("not-empty", "  ", "x"),
        ("number", "many", "-3.5"),
        ("whole-number", "3.5", "35"),
        ("yes-no", "perhaps", "no"),
        ("{pattern: '[A-Z]+-[0-9]+'}", "eng-1", "ENG-1"),
    ],
)
def test_an_answer_has_the_form_that_the_question_wants(
    play: Any, validate: str, wrong: str, right: str
) -> None:
    play.renderer.answers = [wrong, right]

    outcome = play(f"steps: [{{question: q, validate: {validate}, store: x}}]")

    assert outcome.details["values"]["x"] == right
    assert play.renderer.wrong[1]


def test_a_pattern_says_its_own_message(play: Any) -> None:
    play.renderer.answers = ["x", "7"]

    play("steps: [{question: q, validate: {pattern: '[0-9]', message: One digit please}}]")

    assert play.renderer.wrong[1] == "One digit please"


def inputs(play: Any, text: str, **given: Any) -> Outcome:
    outcome: Outcome = play(f"inputs: {{x: {text}}}\nsteps: [{{output: 'done'}}]", **given)
    return outcome


@pytest.mark.parametrize(
    ("type_", "given", "value"),
    [
        ("text", "a b", "a b"),
        ("number", "3", 3),
        ("number", "2.5", 2.5),
        ("number", 7, 7),
        ("boolean", "yes", True),
        ("boolean", "false", False),
        ("boolean", True, True),
        ("list", "a, b", ["a", "b"]),
        ("list", '["a", 1]', ["a", 1]),
        ("list", "a\nb, c", ["a", "b, c"]),
        ("list", [1, 2], [1, 2]),
    ],
)
def test_an_input_becomes_what_its_type_says(play: Any, type_: str, given: Any, value: Any) -> None:
    assert inputs(play, f"{{type: {type_}}}", x=given).details["values"]["x"] == value


@pytest.mark.parametrize(("type_", "given"), [("number", "many"), ("boolean", "perhaps")])
def test_an_input_of_the_wrong_type_stops_the_workflow_before_its_first_step(
    play: Any, type_: str, given: str
) -> None:
    with pytest.raises(UsageError, match=f"x is wrong: '{given}'") as refused:
        inputs(play, f"{{type: {type_}}}", x=given)

    assert "--set x=..." in refused.value.hint
    assert play.path() == []


def test_an_input_is_asked_for_only_when_it_is_needed(play: Any) -> None:
    play.renderer.answers = ["z", "b"]

    inputs(play, "{default: d}")
    inputs(play, "{required: false}")
    outcome = inputs(play, "{type: choice, options: [a, b], prompt: Which?}")

    assert [each.prompt for each in play.renderer.asked] == ["Which?", "Which?"]
    assert outcome.details["values"]["x"] == "b"


def test_answers_come_from_a_file_and_from_settings_which_win(tmp_path: Path) -> None:
    file = write_file(tmp_path / "answers.yaml", "role: Tester\nfiles: [a, b]\nn: 3\n")
    given = given_values(str(file), ["role=Architect", "x=a=b", "y="])

    assert given == {"role": "Architect", "files": ["a", "b"], "n": 3, "x": "a=b", "y": ""}
    assert given_values(None, []) == {}


@pytest.mark.parametrize("setting", ["role", "=x", " =x"])
def test_a_setting_without_a_name_or_a_value_is_refused(setting: str) -> None:
    with pytest.raises(UsageError, match="--set"):
        given_values(None, [setting])
