"""Runs over REST, with everything real but the model."""

from collections.abc import Iterator
from contextlib import closing
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from house import skill_file
from prowess.core.event import Event
from prowess.model.scripted import call, final
from prowess.serve import shown
from serve.served import Home, Served
from support import until, write_file

NOTE = [call("Write", file_path="note.txt", content="hello"), final("Written.")]
ASKS = [call("Ask", question="Which one?", options=["red", "blue"]), final("Thank you.")]
WAITS = [call("Bash", command="sleep 30"), final("Rested.")]
TOKENS = {"user" * 5: "END_USER", "maker" * 5: "DEVELOPER", "owner" * 5: "ADMIN"}


@pytest.fixture
def at(home: Path, project: Path, tmp_path: Path) -> Home:
    for name in ("note", "asks", "waits"):
        skill_file(project, name, "Do it.")
    return Home(project, tmp_path / "data", {"note": NOTE, "asks": ASKS, "waits": WAITS})


@pytest.fixture
def served(at: Home) -> Iterator[Served]:
    with at.serving() as served:
        yield served


def waiting(served: Served, run: str) -> dict[str, Any]:
    until(lambda: served.get(f"/api/runs/{run}").json["state"] == "waiting")
    view: dict[str, Any] = served.get(f"/api/runs/{run}").json
    return view


def test_a_run_is_started_watched_and_read(served: Served, project: Path) -> None:
    run = served.start("note", arguments="be brief")

    view = served.ended(run)

    assert (project / "note.txt").read_text() == "hello"
    assert view["state"] == "done"
    assert view["answer"] == "Written."
    assert view["arguments"] == "be brief"
    assert view["progress"] == 100


def test_runs_come_page_by_page_newest_first(served: Served) -> None:
    runs = [served.start("note") for _ in range(3)]
    for run in runs:
        served.ended(run)

    first = served.get("/api/runs?limit=2").json
    second = served.get(f"/api/runs?limit=2&before={first['next']}").json

    assert [view["id"] for view in first["runs"] + second["runs"]] == runs[::-1]
    assert second["next"] is None


def test_runs_are_found_by_state_and_by_skill(served: Served) -> None:
    notes = [served.start("note") for _ in range(3)]
    asking = served.start("asks")
    for run in notes:
        served.ended(run)
    waiting(served, asking)

    def found(query: str) -> list[str]:
        return [view["id"] for view in served.get(f"/api/runs?{query}").json["runs"]]

    assert found("skill=note") == notes[::-1]
    assert found("state=waiting") == [asking]
    assert found("state=done&skill=asks") == []
    assert found("skill=note&limit=2") == notes[:0:-1]
    page = served.get("/api/runs?skill=note&limit=2").json
    assert found(f"skill=note&limit=2&before={page['next']}") == notes[:1]
    assert served.get("/api/runs?state=sleeping").status == 400


def test_runs_are_found_by_their_kind(served: Served) -> None:
    tell(served, "looping", "run.started", skill="PLAN.md", run_kind="loop")
    served.ended(served.start("note"))

    (found,) = served.get("/api/runs?kind=loop").json["runs"]
    assert found["id"] == "looping"
    assert served.get("/api/runs?kind=loop&skill=note").json["runs"] == []
    assert served.get("/api/runs?kind=dream").status == 400


def test_a_run_that_only_the_log_knows_can_be_looked_at(served: Served) -> None:
    tell(served, "foreign", "run.started", skill="note")

    assert served.get("/api/runs/foreign").json["state"] == "running"


def test_an_attempt_of_an_agent_can_be_looked_at_by_its_own_id(served: Served) -> None:
    facts = {"skill": "codex", "summary": "Works", "visibility": "SUMMARY"}
    served.site.log.append(Event(run="loop1.2", kind="attempt.started", payload=facts))

    assert served.get("/api/runs/loop1.2").json["skill"] == "codex"
    assert served.get("/api/runs/loop1.3").status == 404
    assert served.get("/api/runs").json["runs"] == []


def test_a_page_of_few_among_many_leads_on_to_the_next(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "LOOKED", 2)
    monkeypatch.setattr(shown, "LOOKS", 2)
    first = served.start("note")
    served.ended(first)
    for number in range(4):
        tell(served, f"other{number}", "run.started", skill="other")

    page = served.get("/api/runs?skill=note").json

    assert page["runs"] == []
    page = served.get(f"/api/runs?skill=note&before={page['next']}").json
    assert [view["id"] for view in page["runs"]] == [first]
    assert page["next"] is None


def test_an_id_typed_wrong_is_not_found_and_the_near_one_is_offered(served: Served) -> None:
    run = served.start("note")

    answer = served.get(f"/api/runs/{run[:5]}{run[6:]}")

    assert answer.status == 404
    assert answer.json["hint"] == f"did you mean {run}?"
    assert "lists those there are" in served.get("/api/runs/nothing-like-it").json["hint"]


def test_a_call_that_does_not_tell_its_tool_breaks_no_numbers(served: Served) -> None:
    tell(served, "odd", "run.started", skill="note")
    tell(served, "odd", "call.finished", ok=False)
    tell(served, "odd", "call.recovered")

    told = served.get("/api/stats").json

    assert told["skills"]["note"]["failing_calls"] == 1
    assert told["skills"]["note"]["overcome_calls"] == 1
    assert served.get("/metrics").status == 200


def test_a_loop_is_counted_as_a_loop(served: Served) -> None:
    tell(served, "looping", "run.started", skill="PLAN.md", run_kind="loop")
    tell(served, "looping", "run.finished", outcome={"ending": "done"})

    told = served.get("/api/stats").json

    assert "PLAN.md" not in told["skills"]
    assert told["loops"]["PLAN.md"]["success_rate"] == 1
    assert 'prowess_loops_ended_total{ending="done",plan="PLAN.md"} 1' in (
        served.get("/metrics").body.decode()
    )


@pytest.mark.parametrize("path", ["runs", "plans", "tasks", "sessions", "handoffs"])
def test_a_method_that_is_not_allowed_is_told_which_are(served: Served, path: str) -> None:
    answer = served.ask("PATCH", f"/api/{path}")

    assert answer.status == 405
    assert answer.headers["allow"] == "GET, POST"


def tell(served: Served, run: str, kind: str, **facts: Any) -> None:
    payload = {"visibility": "SUMMARY", **facts}
    served.site.log.append(Event(run=run, kind=kind, payload=payload))


def test_a_question_is_answered_once_and_with_one_of_its_options(served: Served) -> None:
    run = served.start("asks")
    question = waiting(served, run)["question"]

    assert question["options"] == ["red", "blue"]
    assert served.post(f"/api/runs/{run}/answer", {"answer": "green"}).status == 400
    assert served.post(f"/api/runs/{run}/answer", {"answer": "red", "question": "x"}).status == 409
    answer = served.post(f"/api/runs/{run}/answer", {"answer": "red", "question": question["id"]})
    assert answer.json == {"run": run, "question": question["id"], "answer": "red"}
    assert served.ended(run)["answer"] == "Thank you."
    assert served.post(f"/api/runs/{run}/answer", {"answer": "red"}).status == 409


def test_a_second_answer_is_refused_also_while_nobody_works_on_the_run(served: Served) -> None:
    run = served.start("asks")
    waiting(served, run)
    served.post(f"/api/runs/{run}/pause")

    first = served.post(f"/api/runs/{run}/answer", {"answer": "red"})
    second = served.post(f"/api/runs/{run}/answer", {"answer": "blue"})
    served.post(f"/api/runs/{run}/resume")
    served.ended(run)
    answers = [each for each in served.site.log.run(run) if each.event.kind == "question.answered"]

    assert (first.status, second.status, second.code) == (200, 409, "CONFLICT")
    assert [each.event.payload["answer"] for each in answers] == ["red"]


def test_a_run_is_cancelled_for_good(served: Served) -> None:
    run = served.start("waits")

    answer = served.post(f"/api/runs/{run}/cancel")

    assert answer.json == {"run": run, "cancelled": True}
    assert served.ended(run)["state"] == "cancelled"
    assert served.post(f"/api/runs/{run}/cancel").status == 409


def test_a_run_is_tried_again_from_an_iteration(served: Served) -> None:
    run = served.start("note")
    served.ended(run)

    answer = served.post(f"/api/runs/{run}/fork", {"iteration": 2})

    assert answer.status == 201
    assert answer.json["forked"] == run
    assert served.get(f"/api/runs/{answer.json['run']}").status == 200
    assert served.ended(answer.json["run"])["answer"] == "Written."


FLOW = """
name: flow
description: Says where it is.
inputs: [{name: app, default: web}]
steps:
  - {id: where, question: Where to?, options: [here, there], store: where}
  - {id: end, output: "{app} is {where}."}
"""


def test_a_workflow_is_run_as_one_and_asks_what_was_not_given(at: Home) -> None:
    write_file(at.project / ".agents/skills/flow/skill.yaml", FLOW)
    with at.serving() as served:
        asking = served.start("flow", given={"app": "shop"})
        question = waiting(served, asking)["question"]
        served.post(f"/api/runs/{asking}/answer", {"answer": "there"})
        told = served.start("flow", given={"where": "here"})

        assert question["options"] == ["here", "there"]
        assert served.ended(asking)["answer"] == "shop is there."
        assert served.ended(told)["answer"] == "web is here."
        assert served.get(f"/api/runs/{told}").json["kind"] == "workflow"
        forked = served.post(f"/api/runs/{told}/fork", {"step": "end"})
        assert served.ended(forked.json["run"])["answer"] == "web is here."
        wrong = served.post("/api/runs", {"skill": "flow", "given": {"wear": "here"}})
        assert wrong.status == 400
        assert served.post("/api/runs", {"skill": "note", "given": {"a": 1}}).status == 400
        assert len(served.get("/api/runs").json["runs"]) == 3


def test_a_fork_says_where_it_begins(served: Served) -> None:
    run = served.start("note")
    served.ended(run)

    for where in ({}, {"iteration": 1, "step": "x"}, {"iteration": 9}):
        assert served.post(f"/api/runs/{run}/fork", where).status == 400


def test_runs_that_a_server_left_unfinished_go_on_in_the_next(at: Home) -> None:
    with at.serving() as served:
        run = served.start("asks")
        waiting(served, run)

    with at.serving() as served:
        waiting(served, run)
        served.post(f"/api/runs/{run}/answer", {"answer": "blue"})

        assert served.ended(run)["answer"] == "Thank you."
        assert served.post(f"/api/runs/{run}/resume").status == 409


def test_what_is_no_run_is_not_found(served: Served) -> None:
    for path in ("nope", "audit", "board", "%00", "..%2f..%2fetc", "x" * 3000):
        for end in ("", "/events"):
            assert served.get(f"/api/runs/{path}{end}").status == 404
        for verb in ("cancel", "resume"):
            assert served.post(f"/api/runs/{path}/{verb}").status == 404


def test_a_run_that_cannot_begin_is_refused_with_the_reason(served: Served) -> None:
    assert served.post("/api/runs", {"skill": "nope"}).status == 404
    assert served.post("/api/runs", {"skill": "note", "max_iterations": 0}).status == 400
    assert served.post("/api/runs", {"skill": "note", "wrong": 1}).code == "VALIDATION_ERROR"
    assert served.post("/api/runs", {}).status == 400


DEMO = "turns:\n  - answer: Played.\n"


def test_a_run_for_which_no_model_can_be_had_is_refused_at_once(at: Home) -> None:
    at.is_scripted, at.settings = False, {"model_default": "sonnet"}
    write_file(skill_file(at.project, "plays", "Do it.") / "demo.yaml", DEMO)
    with at.serving() as served:
        refused = served.post("/api/runs", {"skill": "note"})
        playable = served.post("/api/runs", {"skill": "plays"}).json["hint"]
        begun = served.get("/api/runs").json["runs"]

    assert refused.status == 400
    assert set(refused.json) == {"error", "message", "code", "hint"}
    assert refused.code == "VALIDATION_ERROR"
    assert "ANTHROPIC_API_KEY is not set" in refused.json["message"]
    assert 'the field "model"' in refused.json["hint"]
    assert "--model" not in refused.json["hint"] + playable
    assert 'offline with "model": "demo"' in playable
    assert "demo" not in refused.json["hint"]
    assert begun == []


def test_what_needs_no_model_of_the_servers_is_not_refused_for_want_of_one(at: Home) -> None:
    at.is_scripted, at.settings = False, {"model_default": "sonnet"}
    write_file(skill_file(at.project, "own", "Do it.", model="demo") / "demo.yaml", DEMO)
    write_file(skill_file(at.project, "plays", "Do it.") / "demo.yaml", DEMO)
    write_file(at.project / ".agents/skills/flow/skill.yaml", FLOW)
    with at.serving() as served:
        runs = [
            served.start("own"),
            served.start("plays", model="demo"),
            served.start("flow", given={"where": "here"}),
        ]

        assert [served.ended(run)["state"] for run in runs] == ["done", "done", "done"]


def test_who_sees_only_summaries_learns_the_answer_but_not_what_was_given(at: Home) -> None:
    at.settings = {"serve_tokens": TOKENS}
    user, maker, _ = TOKENS
    with at.serving(token=maker) as served:
        run = served.start("note", arguments="the secret plan")
        whole = served.ended(run)

        summary = served.get(f"/api/runs/{run}", token=user).json

        assert whole["arguments"] == "the secret plan"
        assert summary["arguments"] == ""
        assert summary["answer"] == "Written."
        assert "the secret plan" not in served.get("/api/runs", token=user).body.decode()


def test_only_developers_grant_tools(at: Home) -> None:
    at.settings = {"serve_tokens": TOKENS}
    user, maker, _ = TOKENS
    with at.serving(token=user) as served:
        asked = {"skill": "note", "allow": ["Bash(rm:*)"]}

        assert served.post("/api/runs", asked).status == 403
        assert served.post("/api/runs", asked, token=maker).status == 201


def test_changes_are_on_record_for_admins(at: Home) -> None:
    at.settings = {"serve_tokens": TOKENS}
    user, maker, owner = TOKENS
    with at.serving(token=maker) as served:
        served.start("note")
        served.post("/api/skills/note/reload", token=user)

        kinds = {
            role: [
                each["request"] for each in take(served, role) if each["kind"].startswith("audit.")
            ]
            for role in TOKENS
        }

    assert kinds[owner] == ["POST /api/runs", "POST /api/skills/note/reload"]
    assert kinds[maker] == kinds[user] == []


def take(served: Served, token: str) -> list[dict[str, Any]]:
    """What a reader with this token sees of the log so far."""
    served.site.record(Event(run="end", kind=f"end.{token}", payload={}))
    events = served.events("/api/events?after=0", Authorization=f"Bearer {token}")
    with closing(events):
        return list(takewhile(lambda each: each["kind"] != f"end.{token}", events))
