"""What a workflow would do is told without doing it."""

import pytest

from prowess.core.errors import UsageError
from prowess.workflow.check import read_workflow
from prowess.workflow.plan import plan_workflow

WORKFLOW = read_workflow("""\
name: w
description: d
inputs: {role: {prompt: Which role?}, count: {type: number, default: 2}}
steps:
  - {id: c, command: 'ls {role} {count}', store: files, when: count > 1}
  - {id: q, question: 'Go on with {files}?', store: go}
  - {id: i, if: go == 'yes', then: [{id: t, output: 'Yes, {role}'}], else: [{id: e, skill: other}]}
  - {id: p, parallel: [{id: a, command: [rm, '{role}']}, {id: b, output: b}]}
  - {id: f, foreach: '{files}', steps: [{id: y, python: 'tool:go', optional: true}]}
""")


def test_every_step_is_told_with_the_values_that_are_known() -> None:
    told = [
        (each.depth, each.step, each.does)
        for each in plan_workflow(WORKFLOW, given={"role": "Tester"})
    ]

    assert told == [
        (0, "c", "run: ls 'Tester' '2'"),
        (0, "q", "ask: Go on with {files}?"),
        (0, "i", "if go == 'yes': 1 steps, else 1"),
        (1, "t", "show: Yes, Tester"),
        (1, "e", "run the skill other"),
        (0, "p", "2 branches at the same time"),
        (1, "a", "run: rm Tester"),
        (1, "b", "show: b"),
        (0, "f", "for each item of {files}"),
        (1, "y", "call tool:go"),
    ]  # fmt: skip


def test_what_would_be_asked_is_told_and_what_is_given_is_not_asked() -> None:
    asked = [each.does for each in plan_workflow(WORKFLOW) if each.does.startswith("ask")]
    given = [each.does for each in plan_workflow(WORKFLOW, given={"role": "a", "go": "yes"})]

    assert asked == ["ask: Which role?", "ask: Go on with {files}?"]
    assert "ask: Go on with {files}? (given: yes)" in given


def test_a_plan_may_begin_at_a_step_and_is_json() -> None:
    planned = list(plan_workflow(WORKFLOW, from_step="f"))

    assert [each.step for each in planned] == ["role", "f", "y"]
    assert planned[-1].as_json()["optional"] is True
    with pytest.raises(UsageError):
        list(plan_workflow(WORKFLOW, from_step="nope"))


def does(steps: str, **given: str) -> list[str]:
    head = "name: w\ndescription: d\ninputs: {note: {required: false}}\nsteps:\n"
    return [each.does for each in plan_workflow(read_workflow(head + steps), given=given)]


def test_a_command_is_told_as_the_shell_would_get_it() -> None:
    line = does("  - command: 'echo {note} \"at {note}\"'", note="x; rm -rf /")
    arguments = does("  - command: [echo, 'a {note}', '']", note="x; rm -rf /")

    assert line == ["run: echo 'x; rm -rf /' \"at x; rm -rf /\""]
    assert arguments == ["run: echo 'a x; rm -rf /' ''"]


def test_what_is_known_is_quoted_also_where_the_rest_is_not() -> None:
    steps = "  - {id: a, command: ls, store: it}\n"
    line = does(steps + "  - command: 'echo {note} {it}'", note="x; y")
    arguments = does(steps + "  - command: [echo, '{note}', 'a={it}']", note="x; y")

    assert line[1] == "run: echo 'x; y' {it}"
    assert arguments[1] == "run: echo 'x; y' a={it}"


@pytest.mark.parametrize("command", ["'rm -rf {note}'", "[rm, -rf, '{note}']"])
def test_a_command_that_would_be_refused_is_told_with_the_reason(command: str) -> None:
    (told,) = does(f"  - command: {command}", note="-f")

    assert "(refused: " in told
    assert "-f" in told.partition("(refused: ")[2]


def test_a_value_that_only_a_step_will_know_is_not_told_as_its_default() -> None:
    steps = "  - {id: a, command: ls}\n  - {output: \"{steps.a.output | default('no')} {note | default('none')}\"}"

    assert does(steps)[1] == "show: {steps.a.output | default('no')} none"


def test_what_a_step_stores_anew_is_not_told_as_it_was_before() -> None:
    steps = """\
  - {foreach: [a], steps: [{command: 'rm {note}'}, {command: ls, store: note}]}
  - {command: 'rm {note}'}
"""

    assert does(steps, note="old")[1:] == ["run: rm {note}", "run: ls", "run: rm {note}"]


def test_an_item_of_a_loop_is_not_told_as_what_is_called_so_outside() -> None:
    steps = """\
  - {foreach: [a], as: note, steps: [{command: 'rm {note}'}]}
  - parallel: [{command: 'ls {note}', store: x}, {command: 'cat {note}'}]
  - {command: 'rm {note}'}
"""

    told = does(steps, note="old")
    assert told[1] == "run: rm {note}"
    assert told[3:] == ["run: ls 'old'", "run: cat 'old'", "run: rm 'old'"]


def test_what_is_given_for_the_steps_that_are_left_out_is_told() -> None:
    workflow = read_workflow("""\
name: w
description: d
steps: [{id: a, command: ls, store: file}, {id: b, command: 'cat {file}'}]
""")

    (told,) = plan_workflow(workflow, given={"file": "f"}, from_step="b")
    assert told.does == "run: cat 'f'"


def test_an_answer_that_is_given_is_told_where_it_is_used() -> None:
    steps = "  - {id: q, question: Who?, store: who}\n  - {command: 'ls {who}'}"
    chosen = (
        "  - {id: q, question: Who?, options: [Ada, Bo], store: who}\n  - {command: 'ls {who}'}"
    )

    assert does(steps, who="Ada")[1] == "run: ls 'Ada'"
    assert does(chosen, q="ada")[1] == "run: ls 'Ada'"
    assert "would be taken for an option" in does(steps, who="-la")[1]


def test_an_answer_to_what_may_not_be_asked_is_not_told() -> None:
    steps = """\
  - {id: q, question: Who?, store: who, when: note == 'ask'}
  - {command: 'ls {who}'}
  - {if: note == 'x', then: [{question: Which?, store: which}, {command: 'ls {which}'}]}
  - {command: 'ls {which}'}
"""

    told = does(steps, who="Ada", which="this")
    assert told[1] == "run: ls {who}"
    assert told[4:] == ["run: ls 'this'", "run: ls {which}"]


def test_what_is_given_for_a_step_that_is_left_out_is_parsed_as_its_output() -> None:
    workflow = read_workflow("""\
name: w
description: d
steps: [{id: a, command: ls, store: file, parse: json}, {id: b, command: 'cat {file.name}'}]
""")

    (told,) = plan_workflow(workflow, given={"file": '{"name": "f"}'}, from_step="b")
    assert told.does == "run: cat 'f'"


def test_what_is_given_for_a_step_that_stores_nothing_is_told_where_its_output_is_used() -> None:
    workflow = read_workflow("""\
name: w
description: d
steps:
  - {id: who, question: Who?}
  - {id: a, command: ls}
  - {id: b, command: 'cat {steps.who.output} {steps.a.output}'}
""")

    (told,) = plan_workflow(workflow, given={"who": "me"}, from_step="b")
    assert told.does == "run: cat 'me' {steps.a.output}"
