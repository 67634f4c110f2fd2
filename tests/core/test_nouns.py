"""The nouns as JSON and back, and the small decisions that they make themselves."""

import json
from dataclasses import replace
from typing import Any

import pytest

from prowess.core import event
from prowess.core.agent import AgentEnd, end_from_json
from prowess.core.board import (
    BoardTask,
    handoff_status_named,
    priority_named,
    role_named,
    task_status_named,
)
from prowess.core.chat import (
    Call,
    Message,
    Observation,
    Usage,
    message_as_json,
    message_from_json,
    observation_as_json,
    observation_from_json,
)
from prowess.core.errors import (
    TOLD_AS,
    CancelledRunError,
    ConflictError,
    ContextTooLongError,
    CutShortError,
    InDoubtError,
    NotOnBoardError,
    ProwessError,
    RefusedError,
    SettingsError,
    UnknownRunError,
    UnknownSkillError,
    UsageError,
    WaitingRunError,
)
from prowess.core.event import skills_discovered, skills_load_failed, skills_truncated
from prowess.core.evidence import (
    Criterion,
    Evidence,
    Ignored,
    Looked,
    Report,
    Scope,
    Scoped,
    report_from_json,
    spec_of,
)
from prowess.core.place import is_database, shown
from prowess.core.run import Outcome, Question, outcome_from_json
from prowess.core.task import Mark, Plan, Task
from prowess.core.text import shortened, storable
from prowess.core.workflow import Mistake, WorkflowError

MISTAKE = Mistake(message="no such field", hint="take it out", line=3, column=5)


def through_a_file(value: Any) -> Any:
    return json.loads(json.dumps(value))


def a_task(label: str, mark: Mark = " ", *after: str, ignored: bool = False) -> Task:
    return Task(label=label, line=1, mark=mark, after=after, ignored=ignored)


def test_a_message_is_the_same_after_it_was_written_down() -> None:
    made = Call(id="c", tool="Read", input={"file_path": "a"})
    message = Message(
        role="assistant", text="t", calls=(made,), answers="x", ok=False, kept={"k": 1}
    )

    assert message_from_json(through_a_file(message_as_json(message))) == message


def test_an_observation_is_the_same_after_it_was_written_down() -> None:
    seen = Observation(
        call_id="c", text="t", ok=False, refused=True, healed=("a", "b"), facts={"f": 1}
    )

    assert observation_from_json(through_a_file(observation_as_json(seen))) == seen


def test_an_outcome_is_the_same_after_it_was_written_down_and_only_done_is_ok() -> None:
    outcome = Outcome(
        ending="done", answer="a", reason="r", iterations=2, tokens=3, cost=None, details={"d": 1}
    )

    assert outcome_from_json(through_a_file(outcome.as_json())) == outcome
    assert outcome.ok
    assert not replace(outcome, ending="partial").ok


def test_a_question_is_told_whole() -> None:
    asked = Question(id="q", prompt="Which?", options=("a", "b"), default="a")

    assert asked.as_json() == {"id": "q", "prompt": "Which?", "options": ["a", "b"], "default": "a"}


def test_an_agents_end_is_the_same_after_it_was_written_down() -> None:
    end = AgentEnd(
        agent="codex", code=1, trouble="crash", usage=Usage(input_tokens=5), refusals=("Bash",)
    )

    assert end_from_json(through_a_file(end.as_json())) == end


def test_a_report_is_the_same_after_it_was_written_down() -> None:
    looked = Looked(
        evidence=Evidence(type="test_result", description="d", location="l", confidence=0.5),
        state="confirmed",
        seen="f",
        changed=("a",),
    )
    report = Report(
        task="t",
        title="T",
        outcome="passed",
        verdict="PASS",
        criteria=(Criterion(text="c", verdict="PASS", evidence=(looked,), reason="r"),),
        scope=Scope(files=(Scoped(path="a", pattern="*"),)),
        reasons=("r",),
        ignored=(Ignored(what="i", why="w"),),
        notes=("n",),
    )

    assert report_from_json(through_a_file(report.as_json())) == report
    assert report.passed


@pytest.mark.parametrize(
    ("scope", "verdict"),
    [
        (Scope(), "PASS"),
        (Scope(files=(Scoped(path="a", pattern="a"),)), "PASS"),
        (Scope(files=(Scoped(path="a", pattern=None),)), "FAIL"),
        (Scope(failure="git is not here"), "FAIL"),
    ],
)
def test_a_path_that_nothing_allows_or_nobody_could_list_is_out_of_scope(
    scope: Scope, verdict: str
) -> None:
    assert scope.verdict == verdict


@pytest.mark.parametrize(
    ("mark", "status"), [("R", "passed"), ("x", "in_progress"), (" ", "pending"), ("~", "pending")]
)
def test_a_task_is_specified_by_its_words_and_its_mark(mark: Mark, status: str) -> None:
    spec = spec_of(a_task("Add the Flag: --json!", mark))

    assert (spec.id, spec.title, spec.status) == (
        "add-the-flag-json",
        "Add the Flag: --json!",
        status,
    )
    assert spec_of(replace(a_task("Sort"), description="It is long.")).summary == "It is long."
    assert spec_of(a_task("检查")).id == "line-1"
    assert len(spec_of(a_task("word " * 50)).id) <= 48


def test_the_next_task_is_the_first_whose_predecessors_are_done() -> None:
    plan = Plan(
        tasks=(
            a_task("Done", "x"),
            a_task("Left out", ignored=True),
            a_task("Blocked", "~"),
            a_task("Waits", " ", "Blocked"),
            a_task("Ready (@sql)", " ", "done."),
            a_task("Last", " ", "nowhere", "ready"),
        )
    )

    chosen = plan.next()

    assert chosen is not None
    assert chosen.label == "Ready (@sql)"
    assert {task.label: why for task, why in plan.waiting().items()} == {
        "Waits": ["Blocked"],
        "Last": ["ready"],
    }
    assert [(task.label, name) for task, name in plan.unknown()] == [("Last", "nowhere")]
    assert Plan(tasks=(a_task("Done", "R"),)).next() is None


def test_a_task_of_the_board_has_an_id_that_says_whose_it_is_and_how_urgent() -> None:
    task = BoardTask(number=7, title="t", role="engineer", priority="high")

    assert task.id == "ENG-H-0007"
    assert task.order < replace(task, priority="medium", number=1).order
    assert task.order < replace(task, number=8).order
    assert replace(task, role="architect").order < task.order


def test_names_on_the_board_are_read_as_people_write_them() -> None:
    assert role_named("ENGINEER").prefix == "ENG"
    assert [priority_named(name) for name in ("H", "low", "Critical")] == [
        "high",
        "low",
        "critical",
    ]
    assert [task_status_named(name) for name in ("In_Progress", "in progress", "COMPLETED")] == [
        "in-progress",
        "in-progress",
        "done",
    ]
    assert handoff_status_named("Accepted") == "accepted"


def test_a_name_that_is_not_on_the_board_is_refused_with_the_nearest_or_with_all() -> None:
    with pytest.raises(UsageError, match="no role 'enginer'") as near:
        role_named("enginer")
    with pytest.raises(UsageError) as far:
        role_named("zzz")
    with pytest.raises(UsageError, match="no priority 'x'") as priority:
        priority_named("x")
    with pytest.raises(UsageError, match="no status 'don'") as mistyped:
        task_status_named("don")
    assert mistyped.value.hint.startswith("did you mean done? use open,")
    with pytest.raises(UsageError, match="no status 'x'") as status:
        task_status_named("x")
    with pytest.raises(UsageError, match="no status 'x'") as handoff:
        handoff_status_named("x")

    assert near.value.hint == "did you mean Engineer?"
    assert far.value.hint == "`prowess roles` lists them"
    assert priority.value.hint == "use critical, high, medium, low"
    assert status.value.hint.startswith("use open, in-progress, blocked, done")
    assert handoff.value.hint == "use pending, accepted, completed, cancelled"


def test_all_mistakes_of_a_workflow_are_in_its_error_and_the_first_says_the_line() -> None:
    both = WorkflowError("skill.yaml", (MISTAKE, replace(MISTAKE, line=9)))

    assert str(both).startswith("skill.yaml has 2 mistakes:\n  line 3, column 5: no such field")
    assert both.line == 3
    assert "has a mistake:" in str(WorkflowError("skill.yaml", (MISTAKE,)))
    assert MISTAKE.as_json() == {
        "message": "no such field",
        "hint": "take it out",
        "line": 3,
        "column": 5,
    }


def test_a_long_text_is_cut_between_words_and_never_inside_one() -> None:
    assert shortened("short", 5) == "short"
    assert shortened("some long words", 11) == "some long …"
    assert shortened("some long words", 10) == "some …"
    assert shortened("secretsecret", 6) == "…"


def test_what_no_database_keeps_is_written_as_its_escape() -> None:
    assert storable("plain ü") == "plain ü"
    assert storable("a\0b\udcffc") == "a\\x00b\\udcffc"


def test_a_database_is_shown_without_who_may_use_it() -> None:
    secret = "postgresql://me:" + "word@host:5432/prowess?sslmode=require"

    assert shown(secret) == "postgresql://host:5432/prowess"
    assert shown("/data/log.sqlite3") == "/data/log.sqlite3"
    assert is_database("postgres://host/x")
    assert not is_database("/postgresql://x")


def test_facts_about_skills_have_the_fields_that_observers_know() -> None:
    found = skills_discovered("r", locations=["project"], names=["a", "b"])
    failed = skills_load_failed("r", name="a", error="no header")
    cut = skills_truncated("r", name="a", max_chars=10)

    assert found.kind == "SKILLS_DISCOVERED"
    assert found.payload == {
        "run_id": "r",
        "count": 2,
        "locations": ["project"],
        "names": ["a", "b"],
    }
    assert failed.payload == {"run_id": "r", "name": "a", "error": "no header"}
    assert cut.payload == {"run_id": "r", "name": "a", "max_chars": 10}


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (UnknownSkillError("x"), (1, 404, "NOT_FOUND")),
        (UnknownRunError("x"), (1, 404, "NOT_FOUND")),
        (NotOnBoardError("x"), (1, 404, "NOT_FOUND")),
        (ConflictError("x"), (1, 409, "CONFLICT")),
        (WaitingRunError("x"), (4, 409, "WAITING")),
        (CancelledRunError("x"), (1, 409, "CANCELLED")),
        (InDoubtError("x"), (1, 409, "IN_DOUBT")),
        (CutShortError("x"), (1, 409, "IN_DOUBT")),
        (SettingsError("x"), (2, 400, "VALIDATION_ERROR")),
        (WorkflowError("x", (MISTAKE,)), (1, 422, "SKILL_ERROR")),
        (RefusedError("x"), (1, 403, "REFUSED")),
        (ContextTooLongError("x"), (3, 503, "OUTSIDE_ERROR")),
    ],
)
def test_programs_are_told_the_same_of_an_error_in_every_version(
    error: ProwessError, told: tuple[int, int, str]
) -> None:
    first = next(row for row in TOLD_AS if isinstance(error, row[0]))

    assert first[1:] == told


def test_a_task_of_a_plan_is_told_whole() -> None:
    task = Task(label="l", line=3, mark="x", hints=("h",), criteria=("c",), files=("f",))

    assert task.as_json() == {
        "label": "l",
        "line": 3,
        "mark": "x",
        "section": "",
        "description": "",
        "hints": ["h"],
        "criteria": ["c"],
        "files": ["f"],
        "after": [],
        "ignored": False,
    }


def test_events_that_observers_know_keep_their_names() -> None:
    known = {name: value for name, value in vars(event).items() if name.startswith("SKILLS_")}

    assert known == {
        name: name
        for name in (
            "SKILLS_DISCOVERED",
            "SKILLS_SELECTED",
            "SKILLS_LOAD_FAILED",
            "SKILLS_TRUNCATED",
        )
    }
