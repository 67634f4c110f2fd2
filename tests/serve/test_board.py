"""The board, matching, plans, numbers and settings over REST; and sessions that are spawned."""

import gzip
import json
import os
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from house import skill_file
from prowess.model.scripted import call, final
from serve.served import Home, Served
from support import until

ASKS = [call("Ask", question="Go on?", options=["yes"]), final("All done.")]
TOKENS = {"user" * 5: "END_USER", "maker" * 5: "DEVELOPER"}


@pytest.fixture
def at(home: Path, project: Path, tmp_path: Path) -> Home:
    skill_file(project, "pdf-forms", "Fill it.", description="Fill in PDF forms from a table.")
    scripts = {"prowess-worker": ASKS, "*": [final("Filled.")]}
    return Home(project, tmp_path / "data", scripts)


@pytest.fixture
def served(at: Home) -> Iterator[Served]:
    with at.serving() as served:
        yield served


def task(served: Served, title: str = "Fix it") -> str:
    answer = served.post("/api/tasks", {"title": title, "role": "engineer", "priority": "high"})
    assert answer.status == 201
    return str(answer.json["id"])


def test_a_task_goes_its_way(served: Served) -> None:
    id_ = task(served)
    served.post("/api/sessions", {"name": "Ptah", "role": "engineer"})

    taken = served.post(f"/api/tasks/{id_}/claim", {"session": "Ptah"})
    again = served.post(f"/api/tasks/{id_}/claim", {"session": "Ptah"})
    served.post(f"/api/tasks/{id_}/update", {"message": "half way"})
    done = served.post(f"/api/tasks/{id_}/done", {"message": "proved", "session": "Ptah"})

    assert taken.json["status"] == "in-progress"
    assert (again.status, again.code) == (409, "CONFLICT")
    assert done.json["status"] == "done"
    said = [each["text"] for each in served.get(f"/api/tasks/{id_}").json["messages"]]
    assert said == ["", "", "half way", "proved"]
    assert served.get("/api/tasks").json == []
    assert [each["id"] for each in served.get("/api/tasks?all=true").json] == [id_]


def test_a_handoff_goes_its_way(served: Served) -> None:
    served.post("/api/sessions", {"name": "Ptah", "role": "engineer"})
    served.post("/api/sessions", {"name": "Anansi", "role": "tester"})

    made = served.post("/api/handoffs", {"sender": "Ptah", "to_role": "tester", "text": "Try it"})
    number = made.json["id"]

    assert served.post(f"/api/handoffs/{number}/complete", {}).status == 409
    assert served.post(f"/api/handoffs/{number}/accept", {"session": "Anansi"}).status == 200
    assert served.post(f"/api/handoffs/{number}/complete", {}).json["status"] == "completed"
    assert served.get("/api/handoffs").json == []
    assert served.get("/api/handoffs?all=true&role=tester").json[0]["id"] == number


def test_the_board_is_seen_at_a_glance(served: Served) -> None:
    id_ = task(served)
    served.post("/api/sessions", {"name": "Ptah", "role": "engineer"})

    told = served.get("/api/board").json

    assert told["next"][0]["id"] == id_
    assert told["sessions"][0]["name"] == "Ptah"
    assert served.get("/api/roles").json[2]["prefix"] == "ENG"
    assert len(served.get("/api/names/engineer?count=2").json) == 2
    assert served.get("/api/names/nobody").status == 400


def test_what_is_not_on_the_board_is_not_found(served: Served) -> None:
    assert served.get("/api/tasks/ENG-H-9999").status == 404
    assert served.get("/api/tasks/..%2f..").status == 404
    assert served.post("/api/sessions/Nobody/end", {}).status == 404
    assert served.post("/api/handoffs/77/accept", {"session": "x"}).status == 404
    assert served.post(f"/api/handoffs/{10**30}/accept", {"session": "x"}).status == 400


def test_an_end_user_looks_at_the_board_and_changes_nothing(at: Home) -> None:
    at.settings = {"serve_tokens": TOKENS}
    user, _ = TOKENS
    with at.serving(token=user) as served:
        assert served.get("/api/board").status == 200
        assert served.post("/api/tasks", {"title": "x", "role": "engineer"}).status == 403
        assert served.get("/api/settings").status == 403
        assert served.get("/metrics").status == 403
        assert served.get("/api/catalog").status == 403


def test_a_task_is_matched_with_its_reason_and_the_choice_is_recorded(served: Served) -> None:
    told = served.post("/api/match", {"task": "fill in a PDF form"}).json

    assert told["strategy"] == "match"
    assert told["skills"][0]["name"] == "pdf-forms"
    assert told["skills"][0]["reason"]
    assert served.get("/api/stats").json["counters"]["skills_selected_total"] == 1
    assert served.post("/api/match", {"task": "zzz qqq"}).json["strategy"] == "none"


def test_plans_are_read_by_name_and_as_text(served: Served, project: Path) -> None:
    (project / "PLAN.md").write_text("- [x] First\n- [ ] Second\n")
    (project / "README.md").write_text("# No tasks\n")
    (project / "link.md").symlink_to("/etc/passwd")

    assert [each["name"] for each in served.get("/api/plans").json] == ["PLAN.md"]
    assert served.get("/api/plans/PLAN.md").json["next"]["label"] == "Second"
    for name in ("link.md", "nope.md", "..%2fPLAN.md", "%2e%2e%2f"):
        assert served.get(f"/api/plans/{name}").status == 404
    assert served.post("/api/plans", {"text": "- [ ] One\n"}).json["next"]["label"] == "One"


def test_numbers_are_told_to_people_and_machines(served: Served) -> None:
    served.ended(served.start("pdf-forms"))

    page = served.get("/metrics")

    assert page.headers["content-type"].startswith("text/plain")
    text = page.body.decode()
    assert "skills_discovered_total " in text
    assert "skills_selected_total 0.0" in text
    assert "skills_load_failed_total 0.0" in text
    assert "skills_truncated_total 0.0" in text
    assert "prowess_success_ratio 1.0" in text
    assert 'prowess_runs_ended_total{ending="done",skill="pdf-forms"} 1.0' in text
    told = served.get("/api/stats").json
    assert told["all"]["runs"] == 1
    assert told["skills"]["pdf-forms"]["success_rate"] == 1.0


def test_settings_are_told_without_what_is_secret(at: Home) -> None:
    server = {"command": ["true"], "env": {"KEY": "hidden-value"}}
    at.settings = {"serve_tokens": TOKENS, "mcp_servers": {"x": server}}
    _, maker = TOKENS
    with at.serving(token=maker) as served:
        answer = served.get("/api/settings")

    assert answer.json["settings"]["serve_tokens"] == 2
    assert answer.json["visibility"]["levels"]["END_USER"]["DATABASE"] == "HIDDEN"
    assert answer.json["role"] == "DEVELOPER"
    assert maker not in answer.body.decode()
    assert "hidden-value" not in answer.body.decode()


def test_the_sign_of_life_says_no_more_to_strangers(at: Home) -> None:
    at.settings = {"serve_tokens": TOKENS}
    with at.serving() as served:
        assert served.get("/health").json == {"status": "ok"}
        assert "version" in served.get("/health", token=next(iter(TOKENS))).json


def test_a_spawned_session_has_its_tasks_its_skills_and_a_run_and_ends_with_it(
    served: Served,
) -> None:
    id_ = task(served, "Fill the form")

    told = served.post("/api/sessions/spawn", {"tasks": [id_], "skills": ["pdf-forms", "gone"]})

    assert told.status == 201, told.body
    manifest = json.loads(Path(told.json["manifest"]).read_text())
    assert [each["id"] for each in manifest["skills"]] == [
        "prowess-cli",
        "prowess-worker",
        "pdf-forms",
    ]
    assert manifest["missing"] == ["gone"]
    assert manifest["tasks"][0]["id"] == id_
    run = told.json["run"]
    assert served.get(f"/api/tasks/{id_}").json["session"] == told.json["session"]["name"]
    assert "Fill the form" in served.get(f"/api/runs/{run}").json["arguments"]
    answer(served, run)
    until(lambda: served.get(f"/api/tasks/{id_}").json["status"] == "done")
    until(lambda: served.get("/api/sessions").json == [])


def test_a_spawned_session_outlives_its_server(at: Home) -> None:
    with at.serving() as served:
        id_ = task(served)
        run = served.post("/api/sessions/spawn", {"taskIds": [id_]}).json["run"]

    with at.serving() as served:
        answer(served, run)

        until(lambda: served.get(f"/api/tasks/{id_}").json["status"] == "done")


def answer(served: Served, run: str) -> None:
    until(lambda: served.get(f"/api/runs/{run}").json["state"] == "waiting")
    assert served.post(f"/api/runs/{run}/answer", {"answer": "yes"}).status == 200


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({}, 400, "invalid_task_ids"),
        ({"tasks": []}, 400, "invalid_task_ids"),
        ({"tasks": [1]}, 400, "invalid_task_ids"),
        ({"tasks": ["{task}"], "source": "cron"}, 400, "invalid_spawn_source"),
        ({"tasks": ["{task}"], "source": "session"}, 400, "missing_session_id"),
        ({"tasks": ["{task}"], "sessionId": "Nobody"}, 404, "parent_session_not_found"),
        ({"tasks": ["{task}"], "session": "Ptah"}, 403, "spawn_requires_coordinator"),
        ({"tasks": ["ENG-H-9999"]}, 404, "task_not_found"),
        ({"tasks": ["{task}"], "project": "elsewhere"}, 404, "project_not_found"),
        ({"tasks": ["{task}"], "role": "nobody"}, 400, "VALIDATION_ERROR"),
        ({"tasks": ["{task}"], "agent": "nobody"}, 400, "VALIDATION_ERROR"),
    ],
)
def test_what_cannot_be_spawned_says_why_and_leaves_nothing(
    served: Served, asked: dict[str, Any], status: int, code: str
) -> None:
    id_ = task(served)
    served.post("/api/sessions", {"name": "Ptah", "role": "engineer"})
    text = json.dumps(asked).replace("{task}", id_)

    told = served.post("/api/sessions/spawn", json.loads(text))

    assert (told.status, told.code) == (status, code)
    assert [each["name"] for each in served.get("/api/sessions").json] == ["Ptah"]
    assert served.get("/api/runs").json["runs"] == []


def test_a_manifest_that_cannot_be_written_ends_the_session(served: Served, tmp_path: Path) -> None:
    id_ = task(served)
    (tmp_path / "data" / "sessions").write_text("in the way")

    told = served.post("/api/sessions/spawn", {"tasks": [id_]})

    assert (told.status, told.code) == (500, "manifest_generation_failed")
    assert served.get("/api/sessions").json == []
    assert served.get("/api/runs").json["runs"] == []
    assert served.get(f"/api/tasks/{id_}").json["status"] == "open"


def test_a_coding_agent_is_hired_where_git_shows_what_it_changes(
    at: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    aider = tmp_path / "bin" / "aider"
    aider.parent.mkdir()
    aider.write_text(
        "#!/bin/sh\necho changed > made.txt\necho 'Tokens: 10 sent, 3 received.'\n"
        "echo 'The form is filled.'\n"
    )
    aider.chmod(0o755)
    monkeypatch.setenv("PATH", f"{aider.parent}:{os.environ['PATH']}")
    with at.serving() as served:
        id_ = task(served)
        asked = {"tasks": [id_], "agent": "aider"}
        refused = served.post("/api/sessions/spawn", asked)
        subprocess.run(["git", "init", "-q", at.project], check=True)

        told = served.post("/api/sessions/spawn", asked)

        assert (refused.status, refused.code) == (400, "not_a_git_repo")
        assert told.status == 201, told.body
        view = served.ended(told.json["run"])
        assert (at.project / "made.txt").read_text() == "changed\n"
        assert view["kind"] == "agent"
        assert view["children"][0]["skill"] == "aider"
        until(lambda: served.get("/api/sessions").json == [])
        assert served.get(f"/api/tasks/{id_}").json["status"] in {"done", "failed"}


def test_a_coordinator_spawns(served: Served) -> None:
    id_ = task(served)
    served.post("/api/sessions", {"name": "Nut", "role": "orchestrator"})

    assert served.post("/api/sessions/spawn", {"tasks": [id_], "session": "Nut"}).status == 201


def test_a_run_becomes_a_trace_where_somebody_said_where_to(
    at: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    got: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Collector) as collector:
        Thread(target=collector.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{collector.server_port}"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        at.environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": address}
        with at.serving() as served:
            served.ended(served.start("pdf-forms"))
        collector.shutdown()

    assert [path for path, _ in got] == ["/v1/traces"]
    assert b"invoke_agent pdf-forms" in gzip_or_plain(got[0][1])


def gzip_or_plain(body: bytes) -> bytes:
    return gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body
