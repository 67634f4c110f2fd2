"""A workflow is carried out step by step, and a killed one goes on where it was."""

from typing import Any

import pytest

from prowess.core.errors import UsageError
from prowess.core.run import Outcome
from support import write_file


def values(outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = outcome.details["values"]
    return found


def test_a_workflow_runs_its_steps_in_order_and_keeps_what_they_store(play: Any) -> None:
    outcome = play("""\
inputs: {who: {default: world}}
steps:
  - {id: greet, command: 'echo hello {who}', store: greeting}
  - {id: tell, output: 'It said: {greeting} ({steps.greet.code})'}
""")

    assert outcome.ok
    assert values(outcome) == {"who": "world", "greeting": "hello world"}
    assert outcome.answer == "It said: hello world (0)"
    assert play.renderer.shown == ["It said: hello world (0)"]
    assert play.path() == ["+greet", "-greet", "+tell", "-tell"]


def test_every_step_is_told_with_where_the_workflow_stands(play: Any) -> None:
    play("steps: [{id: a, command: echo hi, store: x, description: Say hi}, {id: b, output: x}]")

    started, finished = play.payloads("step.started")[0], play.payloads("step.finished")[0]
    assert started == {
        "summary": "Say hi",
        "visibility": "SUMMARY",
        "step": "a",
        "step_kind": "command",
        "index": 1,
        "total": 2,
        "progress": 0,
    }
    assert (finished["ok"], finished["stored"], finished["output"]) == (True, "x", "hi")
    assert finished["progress"] == 50
    assert [(each.step, each.state) for each in play.renderer.places] == [
        ("a", "started"), ("a", "finished"), ("b", "started"), ("b", "finished"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("parse", "expected"),
    [("text", '["a", 1]'), ("lines", ['["a", 1]']), ("json", ["a", 1])],
)
def test_output_is_parsed_as_the_step_says(play: Any, parse: str, expected: Any) -> None:
    outcome = play(f"""steps: [{{command: [echo, '["a", 1]'], parse: {parse}, store: x}}]""")

    assert values(outcome)["x"] == expected


def test_output_that_is_not_json_fails_a_step_that_wants_json(play: Any) -> None:
    outcome = play("steps: [{id: it, command: echo no, parse: json, store: x}]")

    assert outcome.ending == "failed"
    assert "the step 'it' failed: its output is not JSON" in outcome.reason


def test_a_step_that_fails_stops_the_workflow_and_says_what_to_do(play: Any) -> None:
    outcome = play("steps: [{id: bad, command: 'echo oh >&2; exit 3'}, {id: next, output: x}]")

    assert outcome.ending == "failed"
    assert outcome.reason == (
        "the step 'bad' failed: exit code 3: oh "
        "(mend the cause, then go on: prowess runs fork run --from bad)"
    )
    assert play.path() == ["+bad", "-bad"]


def test_what_our_own_commands_say_as_json_is_told_in_words(play: Any) -> None:
    outcome = play("""\
steps:
  - id: bad
    command: |-
      echo '{"error": true, "message": "Ada is here", "hint": "take another"}' >&2
      exit 1
""")

    assert "failed: exit code 1: Ada is here (take another); mend the cause" in outcome.reason


def test_a_step_that_fails_with_an_answer_says_how_to_answer_anew(play: Any) -> None:
    flow = "steps: [{id: who, question: Who?, store: name}, {id: bad, command: [test, '{name}', =, x]}]"

    given = play(flow, name="Ada")
    play.renderer.answers = ["Ada"]
    asked = play(flow)

    assert asked.reason.endswith("; or answer anew: prowess runs fork run --from who)")
    assert "answer anew" not in given.reason


def test_a_step_that_is_optional_may_fail(play: Any) -> None:
    outcome = play("""\
steps:
  - {id: bad, command: exit 3, optional: true, store: x}
  - {output: "{x | default('nothing')} {steps.bad.ok} {steps.bad.code}"}
""")

    assert outcome.ok
    assert outcome.answer == "nothing false 3"


def test_a_value_that_was_never_stored_fails_the_step_that_needs_it(play: Any) -> None:
    outcome = play("steps: [{command: exit 1, optional: true, store: x}, {id: b, output: '{x}'}]")

    assert "the step 'b' failed: {x} has no value here" in outcome.reason


def test_when_a_condition_does_not_hold_the_step_is_left_out(play: Any) -> None:
    play("""\
inputs: {n: {type: number, default: 3}}
steps: [{id: a, output: a, when: n > 5}, {id: b, output: b, when: n < 5}]
""")

    assert play.path() == ["~a", "+b", "-b"]


def test_a_branch_is_taken_by_its_condition(play: Any) -> None:
    text = """\
inputs: {role: {default: x}}
steps:
  - id: choose
    if: role == 'Tester'
    then: [{id: t, command: echo t, store: chosen}]
    else: [{id: e, command: echo e, store: chosen}]
  - output: '{chosen}'
"""

    assert play(text, role="Tester").answer == "t"
    assert play(text).answer == "e"
    assert play.path()[:4] == ["+choose", "+t", "-t", "-choose"]


def test_a_step_is_tried_again_as_often_as_it_says(play: Any) -> None:
    outcome = play("""\
steps:
  - {command: 'echo x >> tries; test $(wc -l < tries) = 3', retry: {times: 2, pause: 1ms}}
""")

    assert outcome.ok
    assert play.payloads("step.finished")[0]["tries"] == 3


def test_a_step_whose_output_does_not_hold_has_failed(play: Any) -> None:
    outcome = play("steps: [{command: echo 3, validate: output > 5}]")

    assert "its output does not hold against `output > 5`" in outcome.reason


def test_a_command_that_takes_too_long_is_ended(play: Any) -> None:
    outcome = play("steps: [{command: sleep 30, timeout: 200ms}]")

    assert "it took longer than" in outcome.reason


@pytest.mark.parametrize("said", ["NaN", "[-Infinity]", '{"a": Infinity}', "1e999"])
def test_a_number_that_json_does_not_have_is_not_json(play: Any, said: str) -> None:
    outcome = play(
        "inputs: [{name: said}]\nsteps: [{command: 'echo {said}', parse: json}]", said=said
    )

    assert "its output is not JSON" in outcome.reason
    assert "is not a number of JSON" in outcome.reason


@pytest.mark.parametrize("levels", [201, 50_000])
def test_json_that_is_nested_too_deep_is_refused_in_words(play: Any, levels: int) -> None:
    write_file(play.folder / "deep", levels * "[" + levels * "]")

    outcome = play("steps: [{command: cat deep, parse: json}]")

    assert "its output is not JSON: it is nested deeper than 200 levels" in outcome.reason


def test_json_that_is_nested_as_deep_as_it_may_be_is_a_value(play: Any) -> None:
    write_file(play.folder / "deep", 200 * "[" + 200 * "]")

    outcome = play("steps: [{command: cat deep, parse: json, store: x}]")

    assert outcome.ok


def test_what_a_function_returns_may_not_be_nested_too_deep(play: Any) -> None:
    deep = "def deep():\n    x = []\n    for _ in range(201):\n        x = [x]\n    return x\n"
    write_file(play.folder / "tool.py", deep)

    outcome = play("steps: [{python: 'tool:deep'}]")

    assert "nested deeper than 200 levels" in outcome.reason


def test_a_complaint_is_told_short_however_long_it_is(play: Any) -> None:
    write_file(
        play.folder / "tool.py", "def go():\n    raise ValueError('why ' + 'x' * 3_000_000)\n"
    )

    raised = play("steps: [{id: a, python: 'tool:go'}]")
    refused = play("inputs: {n: {}}\nsteps: [{id: a, command: 'ls {n}'}]", n="-" * 100_000)

    assert "tool:go failed: ValueError: why xxx" in raised.reason
    assert "the value '-----" in refused.reason
    assert all(len(outcome.reason) < 2_000 for outcome in (raised, refused))
    assert all(len(str(event.payload)) < 4_000 for event in play.events)


@pytest.mark.parametrize("how", ["store: all", "parse: lines", "parse: json"])
def test_a_value_is_never_taken_from_output_that_was_cut(play: Any, how: str) -> None:
    outcome = play(f"steps: [{{command: seq 1 700000, {how}}}]")

    assert "bytes more than can be kept" in outcome.reason


def test_options_are_never_taken_from_output_that_was_cut(play: Any) -> None:
    outcome = play("steps: [{question: Which?, options: {command: seq 1 700000}}]")

    assert "bytes more than can be kept" in outcome.reason


def test_output_that_nobody_uses_may_be_cut_and_the_event_says_so(play: Any) -> None:
    outcome = play("steps: [{command: seq 1 700000}]")

    assert outcome.ok
    assert play.payloads("step.finished")[0]["dropped"] > 0


def test_a_command_that_complains_too_much_keeps_its_output(play: Any) -> None:
    outcome = play("steps: [{command: 'seq 1 700000 >&2; echo out', store: said}]")

    assert values(outcome)["said"] == "out"


def test_a_command_that_is_not_permitted_is_not_run(play: Any) -> None:
    play.refuse = "rm"

    outcome = play("steps: [{command: rm x}]")

    assert "it may not be run: no rule grants it" in outcome.reason
    assert play.commands == []


def test_a_loop_goes_through_a_list_and_gathers_what_its_steps_leave(play: Any) -> None:
    outcome = play("""\
steps:
  - {command: 'printf "a\\nb c\\n"', parse: lines, store: files}
  - id: each
    foreach: '{files}'
    as: file
    steps: [{id: it, command: 'echo {index}-{file}', store: last}]
    store: all
""")

    assert values(outcome)["all"] == ["1-a", "2-b c"]
    assert values(outcome)["last"] == "2-b c"
    assert "file" not in values(outcome)
    assert "+it[2]" in play.path()


@pytest.mark.parametrize("at_once", [1, 3])
def test_an_item_whose_last_step_is_left_out_has_no_value_of_another(
    play: Any, at_once: int
) -> None:
    outcome = play(f"""\
steps:
  - foreach: [a, b, c]
    at_once: {at_once}
    steps:
      - {{command: 'echo {{item}}'}}
      - {{id: only-a, when: item == 'a', command: 'echo A-{{item}}'}}
    store: got
""")

    assert values(outcome)["got"] == ["A-a", None, None]


def test_a_loop_that_failed_leaves_what_its_steps_were_at_last(play: Any) -> None:
    outcome = play("""\
steps:
  - optional: true
    foreach: [0, 1]
    steps: [{command: 'echo {item}', store: seen}, {id: d, command: 'exit {item}'}]
  - {output: '{steps.d.ok} {seen}'}
""")

    assert outcome.answer == "false 1"


def test_branches_leave_what_they_stored_also_when_one_of_them_failed(play: Any) -> None:
    outcome = play("""\
steps:
  - optional: true
    parallel: [{id: a, command: exit 1}, {command: echo b, store: b}]
  - {output: '{steps.a.ok} {b}'}
""")

    assert outcome.answer == "false b"


def test_only_a_line_feed_ends_a_line(play: Any) -> None:
    outcome = play("""\
steps:
  - {command: ['printf', 'a\\fb\\342\\200\\250c\\r\\nd\\n'], parse: lines, store: parsed}
  - {command: ['printf', 'a\\fb\\342\\200\\250c\\r\\nd\\n'], store: text}
  - {foreach: '{text}', steps: [{output: '{item}'}], store: gone-through}
""")

    assert values(outcome)["parsed"] == ["a\fb\u2028c", "d"]
    assert values(outcome)["gone-through"] == ["a\fb\u2028c", "d"]


def test_text_is_gone_through_line_by_line_and_nothing_not_at_all(play: Any) -> None:
    text = "steps: [{foreach: '%s', steps: [{output: '{item}'}]}]"

    play(text % "a\\n\\nb")
    play("steps: [{foreach: [], steps: [{output: '{item}'}]}]")

    assert play.renderer.shown == ["a\\n\\nb"]  # a backslash is a backslash in single quotes


def test_branches_run_at_the_same_time_and_their_values_come_together(play: Any) -> None:
    outcome = play("""\
steps:
  - parallel:
      - {command: 'touch a; while [ ! -e b ]; do sleep 0.01; done; echo 1', store: x, timeout: 20s}
      - [{command: 'touch b; while [ ! -e a ]; do sleep 0.01; done; echo 2', store: y, timeout: 20s},
         {command: 'echo {y}3', store: z}]
  - {output: '{x} {y} {z}'}
""")

    assert outcome.answer == "1 2 23"


def test_what_the_later_branch_stores_counts_also_where_it_was_so_before(play: Any) -> None:
    outcome = play("""\
steps:
  - {command: "printf ''", store: text}
  - {command: echo 1, parse: json, store: number}
  - parallel:
      - {command: echo first, store: text}
      - {command: "printf ''", store: text}
  - {foreach: [5, 1], at_once: 2, steps: [{command: 'echo {item}', parse: json, store: number}]}
""")

    assert values(outcome) == {"text": "", "number": 1}


def test_what_is_stored_inside_branches_of_branches_comes_out_of_all_of_them(play: Any) -> None:
    outcome = play("""\
steps:
  - {command: echo a, store: x}
  - parallel:
      - {command: echo b, store: x}
      - parallel: [{command: echo c, store: x}, {id: last, command: echo a, store: x}]
  - {output: '{x} {steps.last.output}'}
""")

    assert outcome.answer == "a a"


def test_items_of_a_loop_may_run_at_once(play: Any) -> None:
    outcome = play("""\
steps:
  - foreach: [a, b]
    at_once: 2
    steps: [{command: 'touch {item}; while [ ! -e a ] || [ ! -e b ]; do sleep 0.01; done', timeout: 20s}]
""")

    assert outcome.ok


def test_when_a_branch_fails_the_others_end_their_step_and_the_workflow_stops(play: Any) -> None:
    outcome = play("""\
steps:
  - id: both
    parallel:
      - {id: a, command: exit 1}
      - [{id: b, command: echo b}, {id: c, command: echo c}]
""")

    assert "the step 'a' failed" in outcome.reason
    assert play.path() == ["+both", "+a", "+b", "-a", "-b", "-both"]
    assert play.commands == ["exit 1", "echo b"]


def test_loops_in_branches_in_loops_still_go_in_order(play: Any) -> None:
    outcome = play("""\
steps:
  - foreach: [1, 2]
    at_once: 2
    as: outer
    steps:
      - parallel:
          - {id: p, command: 'echo p{outer}'}
          - {foreach: [x, y], steps: [{id: q, command: 'echo q{outer}{item}'}]}
""")

    assert outcome.ok
    labels = [name for _, (name, _) in sorted(play.steps.kept.items())]
    assert labels == ["p[1]", "q[1][1]", "p[2]", "q[2][1]", "q[1][2]", "q[2][2]"]


def test_another_skill_is_run_and_its_answer_is_the_steps_output(play: Any) -> None:
    play.skills["other"] = Outcome(
        ending="done", answer='{"n": 2}', reason="", iterations=3, tokens=50, cost=0.5
    )

    outcome = play("""\
steps:
  - {skill: other, arguments: 'about {user}', inputs: {who: '{user}'}, parse: json, store: found}
  - {output: '{found.n}'}
""")

    assert outcome.answer == "2"
    assert play.called == [("other", "about ada", {"who": "ada"})]
    assert (outcome.iterations, outcome.tokens, outcome.cost) == (3, 50, 0.5)


def test_a_skill_that_ends_badly_fails_its_step(play: Any) -> None:
    play.skills["other"] = Outcome(ending="partial", answer="half", reason="the budget ended")

    outcome = play("steps: [{skill: other}]")

    assert "other ended as partial: the budget ended" in outcome.reason


def test_from_a_step_on_the_ones_before_are_left_out_and_their_values_given(play: Any) -> None:
    text = "steps: [{id: a, command: echo 1, store: x}, {id: b, output: 'got {x}'}]"

    outcome = play(text, from_step="b", x="mine")

    assert outcome.answer == "got mine"
    assert play.path() == ["~a", "+b", "-b"]
    with pytest.raises(UsageError, match="has no step 'c'"):
        play(text, from_step="c")


@pytest.mark.parametrize(
    ("parse", "text", "answer"),
    [("json", '{"name": "Ada"}', "Ada"), ("json", {"name": "Bo"}, "Bo"), ("lines", "a\nb", "b")],
)
def test_what_is_given_for_a_step_that_is_left_out_is_parsed_as_its_output(
    play: Any, parse: str, text: Any, answer: str
) -> None:
    place = "name" if parse == "json" else "1"
    steps = (
        f"[{{id: a, command: ls, parse: {parse}, store: x}}, {{id: b, output: '{{x.{place}}}'}}]"
    )

    assert play(f"steps: {steps}", from_step="b", x=text).answer == answer


def test_what_is_given_for_json_and_is_none_is_refused_before_anything_runs(play: Any) -> None:
    text = "steps: [{id: a, command: ls, parse: json, store: x}, {id: b, output: '{x.name}'}]"

    with pytest.raises(UsageError, match="x is wrong: it is not JSON"):
        play(text, from_step="b", x="{")

    assert not play.events


LEFT_OUT = """\
steps:
  - {id: who, question: Who?}
  - {id: list, command: ls, parse: lines}
  - {id: c, output: "{steps.who.output} {steps.list.value | join('+')}"}
"""


def test_what_a_step_that_is_left_out_says_can_be_given_by_its_id(play: Any) -> None:
    outcome = play(LEFT_OUT, from_step="c", who="me", list="a\nb")

    assert outcome.answer == "me a+b"


def test_what_is_missing_of_a_step_that_is_left_out_is_asked_for_by_a_name_that_is_taken(
    play: Any,
) -> None:
    outcome = play(LEFT_OUT, from_step="c", list="a")

    assert "(give it one with --set who=..., or write {steps.who.output | default" in outcome.reason
    assert play(LEFT_OUT, from_step="c", list="a", who="me").answer == "me a"


def test_an_input_that_has_no_value_is_asked_for_by_its_name(play: Any) -> None:
    outcome = play("inputs: {role: {required: false}}\nsteps: [{output: '{role}'}]")

    assert "(give it one with --set role=..., or write {role | default" in outcome.reason


def test_nobody_is_told_to_set_what_cannot_be_set(play: Any) -> None:
    text = """\
steps:
  - {if: user == 'nobody', then: [{id: mk, command: ls, store: made}]}
  - {id: say, output: "%s"}
"""

    for slot in ("{made}", "{steps.mk.output}"):
        reason = play(text % slot).reason
        assert f"{slot} has no value here (write " in reason
        assert "--set" not in reason


@pytest.mark.parametrize("from_step", ["", "mk"])
def test_what_a_step_will_store_itself_cannot_be_set(play: Any, from_step: str) -> None:
    text = "steps: [{id: a, command: ls}, {id: mk, command: ls, store: made}, {output: '{made}'}]"

    with pytest.raises(UsageError, match="'made' cannot be set: the step 'mk'") as refused:
        play(text, from_step=from_step, made="zzz")

    assert "--from" in refused.value.hint
    assert not play.events


def test_what_nobody_asks_for_cannot_be_set(play: Any) -> None:
    with pytest.raises(UsageError, match="nothing called 'rol'") as caught:
        play("inputs: {role: {default: a}}\nsteps: [{output: x}]", rol="b")

    assert caught.value.hint == "did you mean role?"


KILLED = """\
inputs: {who: {prompt: Who?}}
steps:
  - {id: one, command: 'echo one >> done; echo 1', store: a}
  - {id: ask, question: 'Which, {who}?', options: [x, y], store: b}
  - parallel:
      - [{id: p1, command: 'echo p1 >> done'}, {id: p2, command: 'echo p2 >> done'}]
      - {id: q, command: 'echo q >> done; echo q', store: c}
  - {foreach: [1, 2], steps: [{id: each, command: 'echo each{item} >> done'}]}
  - {id: end, output: '{a} {b} {c}'}
"""


@pytest.mark.parametrize("dies_at", range(9))
def test_a_killed_workflow_goes_on_where_it_was_and_does_nothing_twice(
    play: Any, dies_at: int
) -> None:
    play.renderer.answers = ["ada", "x"]
    play.steps.dies_at = dies_at
    with pytest.raises(BaseException) as caught:  # noqa: PT011
        play(KILLED)
    first = list(play.events)
    finished = {name.replace("[", "").rstrip("]") for name, _ in play.steps.kept.values()}
    play.events.clear()
    play.steps = play.steps.again()

    outcome = play(KILLED)

    assert type(caught.value).__name__ == "KilledError"
    assert outcome.answer == "1 x q"
    done = (play.folder / "done").read_text().split()
    assert set(done) == {"each1", "each2", "one", "p1", "p2", "q"}
    assert all(done.count(name) == 1 for name in finished & set(done))
    assert len(play.renderer.asked) == 2
    # What was told before is told again in the same words, so that the log keeps it once.
    timeless = [(each.kind, {**each.payload, "seconds": 0}) for each in play.events]
    assert timeless[: len(first)] == [(each.kind, {**each.payload, "seconds": 0}) for each in first]


def test_a_function_beside_the_file_is_called_with_values(play: Any) -> None:
    write_file(play.folder / "tool.py", "def add(a, b):\n    return {'sum': a + b}\n")

    outcome = play("""\
inputs: {n: {type: number, default: 2}}
steps:
  - {python: 'tool:add', arguments: {a: '{n}', b: 3}, store: found}
  - {output: '{found.sum}'}
""")

    assert outcome.answer == "5"


def test_output_of_another_format_is_told_with_it(play: Any) -> None:
    play("steps: [{output: '{user}', format: text}]")

    (shown,) = play.payloads("output.shown")
    assert (shown["text"], shown["format"], shown["step"]) == ("ada", "text", "step-1")


def test_a_template_is_filled_from_its_data_and_its_source(play: Any) -> None:
    outcome = play("""\
steps:
  - {command: [echo, '{"active": 2}'], parse: json, store: dashboard-output}
  - {template: status, data: {source: dashboard-output, who: 'Dr. {user}'}}
templates: {status: '{active} for {who}'}
""")

    assert outcome.answer == "2 for Dr. ada"


def test_long_output_is_shortened_in_the_log_and_whole_in_the_value(play: Any) -> None:
    outcome = play("steps: [{command: 'head -c 9000 /dev/zero | tr \"\\\\0\" x', store: x}]")

    assert len(values(outcome)["x"]) == 9000
    assert len(play.payloads("step.finished")[0]["output"]) < 2_100
