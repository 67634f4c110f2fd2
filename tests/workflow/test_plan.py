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
        (0, "c", "run: ls Tester 2"),
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
