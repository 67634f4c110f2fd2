"""Everything that is wrong with a skill.yaml is told at once, each with its line, its column and a hint."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from prowess.core.workflow import (
    CommandStep,
    ConditionalStep,
    ForeachStep,
    OutputStep,
    ParallelStep,
    PythonStep,
    QuestionStep,
    Retry,
    SkillStep,
    WorkflowError,
)
from prowess.workflow.check import find_mistakes, read_workflow

HEAD = "name: w\ndescription: d\n"
SHARED = Path(
    os.environ.get("PROWESS_SHARED", Path(__file__).parent.parent.parent.parent / "shared")
)
SEEDS = sorted((SHARED / "seeds").glob("002*.txt"))
STORES = {  # what the seed's steps were meant to store
    "show-dashboard": "store: dashboard-output\n    parse: json",
    "get-role-selection": "store: role",
    "suggest-daemon-name": "store: suggested_name",
    "confirm-name": "store: name",
}
INPUTS = "inputs: {mythology: {default: m}, mythology_text: {default: t}}\n"


def told(text: str) -> list[tuple[int, int, str]]:
    return [(each.line, each.column, each.message) for each in find_mistakes(text)]


def steps(text: str, head: str = HEAD) -> list[tuple[int, int, str]]:
    """What is wrong with these steps, the first of which is on line 4."""
    return told(f"{head}steps:\n{text}")


def test_five_mistakes_are_five_reports_each_with_its_place() -> None:
    text = """\
name: broken
description: Five mistakes.
steps:
  - id: one
    comand: ls
  - id: two
    command: echo {nope}
  - id: two
    output: hello
  - type: output
    template: missing
  - command: ls
    timeout: soon
"""

    assert told(text) == [
        (5, 5, "a step has no field 'comand'"),
        (7, 19, "nothing is called 'nope' here"),
        (8, 9, "two steps have the id 'two'"),
        (11, 15, "there is no template 'missing'"),
        (13, 14, "timeout is 'soon'"),
    ]
    assert all(each.hint for each in find_mistakes(text))
    with pytest.raises(WorkflowError, match="has 5 mistakes") as caught:
        read_workflow(text)
    assert len(caught.value.mistakes) == 5
    assert caught.value.hint == "mend them and run again"


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("{type: choice, options: [a, b], default: c}", "'c' is not one of: a, b"),
        ("{options: [a, b], default: c}", "'c' is not one of: a, b"),
        ("{type: number, default: many}", "'many' is no number"),
        ("{type: boolean, default: perhaps}", "'perhaps' is neither yes nor no"),
    ],
)
def test_a_default_that_would_be_refused_is_told_when_the_file_is_read(
    wanted: str, message: str
) -> None:
    text = f"{HEAD}inputs: {{x: {wanted}}}\nsteps: [{{output: '{{x}}'}}]\n"

    (mistake,) = find_mistakes(text)
    assert mistake.message == f"the default will not do: {message}"
    assert mistake.line == 3


def test_defaults_that_will_do_are_no_mistake() -> None:
    text = f"""{HEAD}\
inputs: {{a: {{options: [1, 2], default: 1}}, b: {{type: list, default: [x]}}, c: {{default: null}}}}
steps:
  - {{question: q, options: [Yes, No], default: yes}}
  - {{question: q, options: '{{b}}', default: x}}
  - {{question: q, options: {{command: ls}}, default: x}}
  - {{question: q, options: [a], default: '{{a}}'}}
  - {{foreach: [1], as: user, steps: [{{output: '{{user}}'}}], at_once: 2.0}}
"""

    assert find_mistakes(text) == []


def test_a_workflow_that_would_run_itself_without_end_is_told() -> None:
    text = f"{HEAD}steps: [{{skill: w}}]\n"

    (mistake,) = find_mistakes(text, beside=lambda name: False)
    assert "stands for the SKILL.md beside the skill.yaml" in mistake.message
    assert find_mistakes(text, beside=lambda name: name == "SKILL.md") == []


def test_a_pattern_that_is_none_is_told_by_us_alone(capfd: pytest.CaptureFixture[str]) -> None:
    assert find_mistakes(f"{HEAD}steps: [{{question: q, validate: {{pattern: '('}}}}]\n")

    assert capfd.readouterr() == ("", "")


def test_one_mistake_is_told_as_one() -> None:
    with pytest.raises(WorkflowError, match="has a mistake") as caught:
        read_workflow(f"{HEAD}steps: []\n")

    assert caught.value.hint == "mend it and run again"


@pytest.mark.parametrize(
    ("step", "message", "hint"),
    [
        ("{command: ls, optoinal: true}", "a command step has no field 'optoinal'", "did you mean optional?"),
        ("{comand: ls}", "a step has no field 'comand'", "did you mean command?"),
        ("{rnu: ls}", "a step has no field 'rnu'", "did you mean command?"),
        ("{xyzzy: ls}", "a step has no field 'xyzzy'", "add one of: command, output"),
        ("{id: a}", "nothing says what the step does", "add one of: command, output"),
        ("{type: questoin, prompt: p}", "there is no step of the kind 'questoin'", "did you mean question?"),
        ("{type: command}", "a command step has no command", "add `command:`"),
        ("{type: output}", "an output step has no output or template", "add `output:`"),
        ("{if: 'true'}", "a conditional step has no then", "add `then:`"),
        ("{command: ls, parse: xml}", "parse is 'xml'", "use one of: text, lines, json"),
        ("{command: []}", "command is []", "use text or at least one"),
        ("{command: ls, retry: -1}", "retry is -1", "use a number from 0 to 20 or fields"),
        ("{command: ls, timeout: 0s}", "timeout is '0s'", "use a time such as 500ms, 30s, 1.5s or 2m, at most 24h and more than 0"),
        ("{command: ls, timeout: 0ms}", "timeout is '0ms'", "use a time"),
        ("{command: ls, timeout: 25h}", "timeout is '25h'", "use a time"),
        ("{command: ls, retry: {times: 1, pause: 0s}}", "pause is '0s'", "use a time"),
        ("{foreach: [1], as: index, steps: [{command: ls}]}", "the name 'index' is taken", "choose another"),
        ("{foreach: [1], as: steps, steps: [{command: ls}]}", "the name 'steps' is taken", "choose another"),
        ("{question: q, options: [a, b], default: c}", "the default will not do: 'c' is not one of: a, b", "give another"),
        ("{question: q, validate: number, default: many}", "the default will not do: 'many' is no number", "give another"),
        ("{question: q, validate: {pattern: '[a-z]'}, default: '1'}", "the default will not do: '1' does not have", "give another"),
        ("{output: hi, template: nope}", "there is no template 'nope'", "write it under"),
        ("{command: ls, id: 'a b'}", "id is 'a b'", "use a name of letters, digits, - and _"),
        ("{command: ls, when: a =}", "the condition makes no sense: '=' is not part of a condition", "use names"),
        ("{command: ls, store: steps}", "the name 'steps' is taken", "choose another"),
        ("{python: 'os.system'}", "python is 'os.system'", "use module:function"),
        ("{question: q, validate: role-exists}", "role-exists needs options", "add `options:`"),
        ("{question: q, validate: {pattern: '('}}", "this is no regular expression", "check its brackets"),
        ("{skill: '{arguments}'}", "a value cannot choose the skill", "write its name"),
        ("{output: '{user | shout}'}", "there is no filter 'shout'", "the filters are"),
        ("{output: '{user | json(1)}'}", "the filter json is given too much", "give it 0"),
        ("{output: '{user.name}'}", "{user.name} asks for a part of a text", "parse: json"),
        ("{output: '{usr}'}", "nothing is called 'usr' here", "did you mean user?"),
        ("{output: '{steps.x.output}'}", "there is no step 'x' before this one", "only steps"),
        ("{command: 'bash -c {user}'}", "no placeholder may stand here", "as an argument"),
        ("{command: [sh, -c, '{user}']}", "no placeholder may stand here", "as an argument"),
        ("7", "a step is 7", "write its fields"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_what_to_do(step: str, message: str, hint: str) -> None:
    (mistake,) = find_mistakes(f"{HEAD}steps:\n  - {step}\n")

    assert mistake.message.startswith(message)
    assert mistake.hint.startswith(hint) or hint in mistake.hint
    assert mistake.line == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the workflow has no name"),
        ("name: w\nsteps: [{command: ls}]\n", "the workflow has no description"),
        (HEAD, "the workflow has no steps"),
        (HEAD + "steps: []\n", "steps is []"),
        (HEAD + "steps: [{command: ls}]\nstep: 1\n", "the workflow has no field 'step'"),
        (HEAD + "steps: [{command: ls}]\ninputs: [{type: text}]\n", "inputs has no name"),
        (HEAD + "steps: [{command: ls}]\ninputs: {a: {tpye: text}}\n", "a has no field 'tpye'"),
        (HEAD + "steps: [{command: ls}]\ninputs: {date: {}}\n", "the name 'date' is taken"),
        (HEAD + "steps: [{command: ls}]\ninputs: {a: {type: choice}}\n", "the choice 'a' has no options"),
        (HEAD + "steps: [{command: ls}]\ntemplates: {t: 7}\n", "t is 7"),
        ("a: [", "not valid YAML"),
        ("name: w\nname: x\n", "refused in YAML: the field 'name' stands twice"),
    ],
)  # fmt: skip
def test_mistakes_outside_the_steps_are_found_too(text: str, message: str) -> None:
    assert any(found.startswith(message) for _, _, found in told(text))


def test_a_name_in_a_block_of_text_is_found_to_the_letter() -> None:
    text = f"{HEAD}steps:\n  - output: |\n      one\n      two {{user}} {{nope}}\n"

    assert told(text) == [(6, 18, "nothing is called 'nope' here")]


def test_the_second_time_a_name_stands_there_is_told_apart_from_the_first() -> None:
    assert [column for _, column, _ in steps("  - output: '{x} {x}'\n")] == [14, 18]


def test_a_name_is_known_only_after_it_was_stored() -> None:
    text = "  - output: '{late}'\n  - id: it\n    command: ls\n    store: late\n"
    (mistake,) = find_mistakes(f"{HEAD}steps:\n{text}")

    assert mistake.hint == "the step 'it' stores it, and comes later or in another branch"


def test_names_reach_out_of_branches_and_loops_but_not_across_parallel_branches() -> None:
    text = """\
  - if: user == 'a'
    then: [{command: ls, store: a}]
    else: [{command: ls, store: b}]
  - foreach: [1, 2]
    steps: [{command: 'echo {item} {index}', store: c}]
  - parallel:
      - {id: p, command: ls, store: d}
      - [{command: 'echo {d}'}, {command: ls, store: e}]
  - output: "{a} {b} {c} {d} {e} {steps.p.ok}"
  - output: "{item}"
"""

    assert [(line, found) for line, _, found in steps(text)] == [
        (11, "nothing is called 'd' here"),
        (13, "nothing is called 'item' here"),
    ]


def test_of_two_branches_only_one_runs_so_neither_knows_what_the_other_stores() -> None:
    text = """\
  - if: user == 'a'
    then: [{id: mk, command: ls, store: made}]
    else: [{output: "{made} {steps.mk.output}"}]
  - output: "{made} {steps.mk.output}"
"""

    assert [(line, found) for line, _, found in steps(text)] == [
        (6, "nothing is called 'made' here"),
        (6, "there is no step 'mk' before this one"),
    ]


@pytest.mark.parametrize(
    "again",
    [
        "parallel: [{command: ls, store: x, parse: json}, {command: ls}]",
        "foreach: [1]\n    steps: [{command: ls, store: x, parse: json}]",
        "if: user\n    then: [{command: ls, store: x, parse: json}]",
        "if: user\n    then: [{command: ls}]\n    else: [{command: ls, store: x, parse: json}]",
    ],
)
def test_a_text_that_a_branch_stores_again_as_a_value_may_have_fields(again: str) -> None:
    text = f"  - {{command: ls, store: x}}\n  - {again}\n  - output: '{{x.k}}'\n"

    assert steps(text) == []


@pytest.mark.parametrize(
    "branch",
    [
        "parallel: [{command: ls, store: x}, {command: ls}]",
        "foreach: [1]\n    steps: [{command: ls, store: x}]",
        "if: user\n    then: [{command: ls, store: x}]",
    ],
)
def test_a_text_that_a_branch_stores_has_no_fields(branch: str) -> None:
    (found,) = steps(f"  - {branch}\n  - output: '{{x.k}}'\n")

    assert found[2] == "{x.k} asks for a part of a text"


def test_a_template_knows_its_data_and_the_fields_of_its_source() -> None:
    text = """\
  - {command: ls, store: dashboard-output, parse: json}
  - {template: t, data: {source: dashboard-output}}
  - {template: u, data: {name: "{user}"}}
"""
    templates = "templates: {t: '{anything} {goes}', u: '{name} {nope}'}\n"

    found = told(f"{HEAD}steps:\n{text}{templates}")

    assert [message for _, _, message in found] == ["nothing is called 'nope' here"]


def test_a_python_step_needs_its_module_beside_the_file() -> None:
    text = f"{HEAD}steps:\n  - python: report:build\n  - python: lib.tool:go\n"

    found = find_mistakes(text, beside={"report.py"}.__contains__)

    assert [each.message for each in found] == ["there is no lib/tool.py beside the skill.yaml"]


def seed() -> str:
    """The session-start of the seed, as its authors wrote it."""
    found = re.search(r"```yaml\n(name: session-start.*?)```", SEEDS[0].read_text(), re.DOTALL)
    assert found
    return found[1]


@pytest.mark.skipif(not SEEDS, reason="the seeds are not here")
def test_the_seeds_own_file_is_told_which_answers_it_never_stores() -> None:
    names = {message.split("'")[1] for _, _, message in told(seed())}

    assert names == {
        "dashboard-output", "role", "suggested_name", "name", "mythology", "mythology_text",
        "active_agents", "tasks_in_progress", "tasks_completed",
    }  # fmt: skip


@pytest.mark.skipif(not SEEDS, reason="the seeds are not here")
def test_the_seeds_own_file_loads_once_its_answers_are_stored() -> None:
    text = INPUTS + seed()
    for step, store in STORES.items():
        text = text.replace(f"id: {step}\n", f"id: {step}\n    {store}\n")

    workflow = read_workflow(text)

    assert [step.kind for step in workflow.steps].count("question") == 2
    assert workflow.version == "1.0"
    assert workflow.steps[2].validate == "role-exists"


def test_every_kind_of_step_becomes_a_value() -> None:
    text = """\
name: whole
description: All kinds.
version: 1.10
category: demo
compatibility: [opencode, cursor]
inputs:
  role: {options: [a, b], default: a}
  count: {type: number, prompt: How many?}
steps:
  - {id: c, command: 'ls {role}', retry: {times: 2, pause: 500ms}, timeout: 2m, parse: lines, store: files}
  - {command: [ls, 7]}
  - {type: output, template: t, data: {who: "{role}"}}
  - {type: question, prompt: Which?, options: {type: command, command: ls}, validate: role-exists, store: q}
  - {if: q == 'a', then: [{output: yes}]}
  - {parallel: [{output: a}, [{output: b}, {output: c}]]}
  - {foreach: '{files}', as: file, at_once: 3, steps: [{output: '{file}'}]}
  - {skill: other, arguments: 'do {role}', inputs: {x: '{count}'}, optional: true}
  - {python: 'tool:go', arguments: {n: '{count}'}, when: count > 3}
templates: {t: 'Hi {who}'}
"""

    workflow = read_workflow(text)
    command, as_list, output, question, conditional, parallel, foreach, skill, python = (
        workflow.steps
    )

    assert (workflow.version, workflow.compatibility) == ("1.10", ("opencode", "cursor"))
    assert [(each.name, each.type, each.required) for each in workflow.inputs] == [
        ("role", "choice", False),
        ("count", "number", True),
    ]
    assert isinstance(command, CommandStep)
    assert (command.retry, command.timeout) == (Retry(times=2, pause=0.5), 120)
    assert isinstance(as_list, CommandStep)
    assert (as_list.id, as_list.command) == ("step-2", ("ls", "7"))
    assert isinstance(output, OutputStep)
    assert output.text == "Hi {who}"
    assert isinstance(question, QuestionStep)
    assert question.options_command == "ls"
    assert isinstance(conditional, ConditionalStep)
    assert isinstance(parallel, ParallelStep)
    assert [len(branch) for branch in parallel.branches] == [1, 2]
    assert isinstance(foreach, ForeachStep)
    assert (foreach.name, foreach.at_once) == ("file", 3)
    assert isinstance(skill, SkillStep)
    assert skill.optional
    assert isinstance(python, PythonStep)
    assert (python.module, python.function, python.when) == ("tool", "go", "count > 3")


@pytest.mark.parametrize("junk", [None, 1, "x", [], {}, [[]], {"a": 1}, True])
def test_nothing_that_yaml_can_hold_breaks_the_check(junk: Any) -> None:
    import json

    for field in ("steps", "inputs", "templates", "name", "version"):
        found = find_mistakes(json.dumps({"name": "w", "description": "d", field: junk}))
        assert all(each.line == 1 for each in found)
    for kind in ("command", "output", "question", "if", "parallel", "foreach", "skill", "python"):
        for field in (
            "then",
            "steps",
            "data",
            "options",
            "when",
            "store",
            "id",
            "retry",
            "validate",
        ):
            step = {kind: junk, field: junk}
            find_mistakes(json.dumps({"name": "w", "description": "d", "steps": [step]}))
