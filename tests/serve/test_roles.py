"""What a token of each role sees and may, over REST and over MCP alike."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from serve.mcp_talking import Era, Person, client_of, text_of
from serve.served import Home, Served
from support import until, write_file

USER, MAKER = "user" * 5, "maker" * 5
OWNER = "owner" * 5
TOKENS = {USER: "END_USER", MAKER: "DEVELOPER", OWNER: "ADMIN"}
PAY = """
name: pay
description: Pays somebody.
inputs:
  - {name: salary, prompt: How much?, type: number}
steps:
  - {id: look, command: "printf %s kept-in-a-file", store: content}
  - {id: end, output: "Paid."}
"""
BREAKS = """
name: breaks
description: Fails at its second step.
steps:
  - {id: maybe, command: "echo said-by-the-first >&2; exit 2", optional: true}
  - {id: bad, command: "echo said-by-the-second >&2; exit 3"}
"""

GUARDED = """
name: guarded
description: Needs leave.
allowed-tools: Read
steps:
  - {id: make, command: touch granted}
  - {id: end, output: "Made."}
"""
WAITS = """
name: waits
description: Waits for an answer.
steps:
  - {id: which, question: Which one?, store: which}
"""
SKILLS = {"pay": PAY, "breaks": BREAKS, "guarded": GUARDED, "waits": WAITS}


@pytest.fixture
def at(home: Path, project: Path, tmp_path: Path) -> Home:
    for name, written in SKILLS.items():
        write_file(project / ".agents" / "skills" / name / "skill.yaml", written)
    return Home(project, tmp_path / "data", settings={"serve_tokens": TOKENS})


def call(
    served: Served, token: str, tool: str, *, era: Era = "auto", person: Any = None, **given: Any
) -> Any:
    """One call of a tool over MCP."""

    async def work() -> Any:
        async with client_of(served, era=era, token=token, person=person) as client:
            return await client.call_tool(tool, given)

    return asyncio.run(work())


def all_of(served: Served, run: str, token: str) -> str:
    """Everything that a token can read of a run."""
    events = served.events(f"/api/runs/{run}/events", Authorization=f"Bearer {token}")
    pages = [served.get(path, token=token).json for path in (f"/api/runs/{run}", "/api/runs")]
    over_mcp = [
        call(served, token, "prowess_run_events", run=run),
        call(served, token, "prowess_run_show", run=run),
        call(served, token, "prowess_runs"),
    ]
    return json.dumps([list(events), pages, [each.structured_content for each in over_mcp]])


def waiting(served: Served, run: str) -> None:
    until(lambda: served.get(f"/api/runs/{run}").json["state"] == "waiting")


def test_what_a_workflow_was_given_and_stored_is_for_who_sees_it_whole(at: Home) -> None:
    with at.serving(token=MAKER) as served:
        run = served.start("pay", given={"salary": 123456})
        served.ended(run)

        plain, whole = all_of(served, run, USER), all_of(served, run, MAKER)

    assert "Paid." in plain
    assert "123456" not in plain
    assert "kept-in-a-file" not in plain
    assert "123456" in whole
    assert "kept-in-a-file" in whole


def test_where_a_project_lies_is_for_who_sees_a_run_whole(at: Home, project: Path) -> None:
    with at.serving(token=MAKER) as served:
        run = served.start("pay", given={"salary": 1})
        served.ended(run)

        plain, whole = (
            served.get(f"/api/runs/{run}", token=token).json["project"] for token in (USER, MAKER)
        )

    assert (plain, whole) == (project.name, str(project))


def test_the_words_with_which_a_step_failed_are_for_who_sees_it_whole(at: Home) -> None:
    with at.serving(token=MAKER) as served:
        run = served.start("breaks")
        served.ended(run)

        plain, whole = all_of(served, run, USER), all_of(served, run, MAKER)

    assert "maybe: failed" in plain
    assert "the step 'bad' failed" in plain
    assert "said-by-" not in plain
    assert "said-by-the-first" in whole
    assert "said-by-the-second" in whole


def test_only_a_developer_lets_a_tool_be_used_over_rest(at: Home) -> None:
    with at.serving(token=MAKER) as served:
        run = served.start("guarded", ask=True)
        waiting(served, run)

        refused = served.post(f"/api/runs/{run}/answer", {"answer": "yes"}, token=USER)

        assert (refused.status, refused.code) == (403, "FORBIDDEN")
        assert served.get(f"/api/runs/{run}", token=USER).json["question"]["grants"] == "Bash"
        assert not (at.project / "granted").exists()
        assert served.post(f"/api/runs/{run}/answer", {"answer": "yes"}).status == 200
        assert served.ended(run)["answer"] == "Made."


def test_only_a_developer_lets_a_tool_be_used_over_mcp(at: Home) -> None:
    with at.serving(token=MAKER) as served:
        run = served.start("guarded", ask=True)
        waiting(served, run)

        refused = call(served, USER, "answer", run=run, answer="yes")

        assert "this is for DEVELOPER" in text_of(refused)
        assert not (at.project / "granted").exists()
        assert "Made." in text_of(call(served, MAKER, "answer", run=run, answer="yes"))


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_nobody_grants_a_tool_to_himself_over_mcp(at: Home, era: Era) -> None:
    at.settings = {**at.settings, "permissions_default": "ask"}
    user, maker = Person(["yes"]), Person(["yes"])
    with at.serving(token=MAKER) as served:
        plain = call(served, USER, "guarded", era=era, person=user)
        made_by_user = (at.project / "granted").exists()
        whole = call(served, MAKER, "guarded", era=era, person=maker)

    assert plain.is_error
    assert not made_by_user
    assert user.asked == []
    assert "Made." in text_of(whole)
    assert len(maker.asked) == 1


def test_an_end_user_who_goes_on_with_a_run_is_not_asked_for_a_tool(at: Home) -> None:
    """Of another's run that was left while it asked."""
    at.settings = {**at.settings, "permissions_default": "ask"}
    with at.serving(token=MAKER) as served:
        run = served.start("guarded", ask=True)
        waiting(served, run)

        async def go_on() -> Any:
            async with client_of(served, token=USER, person=Person(["yes"])) as client:
                return await client.session.call_tool("guarded", {}, request_state=run)

        told = asyncio.run(go_on())

        assert "To answer it is for DEVELOPER" in text_of(told)
        assert not (at.project / "granted").exists()


def test_a_run_is_the_callers_in_the_queue_however_it_was_started(at: Home) -> None:
    at.settings = {**at.settings, "limits": {"user": {"default": {"at_once": 1}}}}
    with at.serving(token=USER) as served:
        first = served.start("waits")
        waiting(served, first)
        second = call(served, USER, "prowess_run", skill="waits", wait=False)
        others = call(served, MAKER, "prowess_run", skill="waits", wait=False)
        waiting(served, others.structured_content["run"])

        told = served.get(f"/api/runs/{second.structured_content['run']}").json

    assert told["state"] == "queued"
    assert told["waits"].startswith("1 of 1 runs of the user token ")


def test_a_fork_is_the_order_of_who_asks_for_it(at: Home) -> None:
    at.settings = {**at.settings, "limits": {"user": {"default": {"at_once": 1}}}}
    with at.serving(token=MAKER) as served:
        original = served.start("pay", given={"salary": 1}, priority=50)
        served.ended(original)
        waiting(served, served.start("waits", token=USER))

        fork = f"/api/runs/{original}/fork"
        forked = {
            token: served.post(fork, {"step": "end"}, token=token).json["run"]
            for token in (USER, MAKER)
        }
        waits = served.get(f"/api/runs/{forked[USER]}").json["waits"]
        state = served.ended(forked[MAKER])["state"]
        with served.site.house.engine._database.connect() as connection:
            rows = connection.execute(text('select run, "user", priority from prowess_queue')).all()

    found = {run: (user, priority) for run, user, priority in rows}
    assert waits.startswith("1 of 1 runs of the user token ")
    assert state == "done"
    assert found[forked[MAKER]] == found[original]
    assert found[forked[USER]][0] != found[original][0]
    assert found[forked[USER]][1] == 0


def test_what_is_changed_or_refused_over_mcp_is_on_record_as_over_rest(at: Home) -> None:
    task: dict[str, Any] = {"title": "x", "role": "Tester"}
    with at.serving(token=OWNER) as served:
        served.post("/api/tasks", task, token=MAKER)
        call(served, MAKER, "prowess_task_create", **task)
        call(served, USER, "prowess_task_create", **task)
        call(served, USER, "prowess_runs")
        call(served, USER, "pay", salary=1)
        kept = [each.event for each in served.site.log.run("audit")]

    maker, user = (served.site.tokens.caller(token.encode()) for token in (MAKER, USER))
    assert maker
    assert user
    assert [(each.kind, each.payload["who"], each.payload["request"]) for each in kept] == [
        ("audit.changed", maker.name, "POST /api/tasks"),
        ("audit.changed", maker.name, "MCP prowess_task_create"),
        ("audit.refused", user.name, "MCP prowess_task_create"),
        ("audit.changed", user.name, "MCP pay"),
    ]
    assert {each.payload["from"] for each in kept} == {"127.0.0.1"}
