"""The REST of skills, request by request."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from serve.served import Home, Served
from support import until, write_file, write_skill

CLI = {
    "name": "Maestro CLI",
    "version": "1.0.0",
    "description": "Core CLI commands and capabilities for all Maestro sessions",
    "type": "system",
    "assignTo": ["all"],
    "dependencies": [],
}
WORKER = {
    "name": "Maestro Worker",
    "version": "1.0.0",
    "description": "Worker-specific capabilities for task execution",
    "type": "role",
    "assignTo": ["worker"],
    "dependencies": ["maestro-cli"],
}
ORCHESTRATOR = {
    "name": "Maestro Orchestrator",
    "version": "1.0.0",
    "description": "Orchestrator-specific capabilities for task delegation",
    "type": "role",
    "assignTo": ["orchestrator"],
    "dependencies": ["maestro-cli"],
}
TEXT = "# Maestro Worker Skill\n\n## Overview\n..."


def row(name: str, manifest: dict[str, Any]) -> dict[str, Any]:
    kept = {key: manifest[key] for key in ("name", "description", "type", "version")}
    return {"id": name, **kept}


@pytest.fixture
def folder(home: Path) -> Path:
    """The folder that such servers have always had."""
    folder = home / ".agents-ui" / "maestro-skills"
    for name, manifest in {
        "maestro-cli": CLI,
        "maestro-worker": WORKER,
        "maestro-orchestrator": ORCHESTRATOR,
    }.items():
        write_file(folder / name / "manifest.json", json.dumps(manifest))
        write_file(folder / name / "skill.md", TEXT)
    return folder


@pytest.fixture
def served(folder: Path, project: Path, tmp_path: Path) -> Iterator[Served]:
    settings = {"only_dirs": (str(folder),)}
    with Home(project, tmp_path / "data", settings=settings).serving() as served:
        yield served


def test_the_list_has_every_skill_with_its_five_fields(served: Served) -> None:
    answer = served.get("/api/skills")

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert sorted(answer.json, key=lambda each: str(each["id"])) == [
        row("maestro-cli", CLI),
        row("maestro-orchestrator", ORCHESTRATOR),
        row("maestro-worker", WORKER),
    ]


def test_one_skill_has_its_instructions(served: Served) -> None:
    answer = served.get("/api/skills/maestro-worker")

    assert answer.status == 200
    assert answer.json == {**row("maestro-worker", WORKER), "instructions": TEXT}


def test_a_role_has_its_skills_and_what_they_need_first(served: Served) -> None:
    answer = served.get("/api/skills/role/worker")

    assert answer.json == [row("maestro-cli", CLI), row("maestro-worker", WORKER)]


def test_what_one_call_returns_the_next_accepts(served: Served) -> None:
    for each in served.get("/api/skills/role/orchestrator").json:
        assert served.get(f"/api/skills/{each['id']}").status == 200


def test_a_reload_reads_the_skill_again(served: Served, folder: Path) -> None:
    changed = {**WORKER, "version": "2.0.0"}
    write_file(folder / "maestro-worker" / "manifest.json", json.dumps(changed))

    answer = served.post("/api/skills/maestro-worker/reload")

    assert answer.status == 200
    assert answer.json == {**row("maestro-worker", changed), "reloaded": True}


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/api/skills/nope"), ("POST", "/api/skills/nope/reload")]
)
def test_an_unknown_skill_is_not_found(served: Served, method: str, path: str) -> None:
    answer = served.ask(method, path)

    assert answer.status == 404
    assert answer.json == {"error": True, "message": "Skill not found: nope", "code": "NOT_FOUND"}


def test_a_name_typed_wrong_is_not_found_and_the_near_one_is_offered(served: Served) -> None:
    answer = served.get("/api/skills/maestro-wroker")

    assert answer.status == 404
    assert "maestro-worker" in answer.json["hint"]


def test_a_role_that_is_none_is_refused(served: Served) -> None:
    answer = served.get("/api/skills/role/manager")

    assert answer.status == 400
    assert answer.json["error"] is True
    assert answer.code == "VALIDATION_ERROR"


def frozen(served: Served) -> None:
    """From now on nobody looks at the disk for new skills."""
    skills = cast("Any", SimpleNamespace(current=served.site.catalog))
    served.app.state.site = replace(served.site, skills=skills)


def test_a_skill_that_cannot_be_read_is_our_trouble_not_the_callers(
    served: Served, folder: Path
) -> None:
    write_skill(folder, "plain")
    until(lambda: served.get("/api/skills/plain").status == 200)
    frozen(served)
    shutil.rmtree(folder / "plain")

    answer = served.get("/api/skills/plain")

    assert answer.status == 500
    assert answer.code == "INTERNAL_ERROR"
    assert answer.json["message"] == "Failed to load skill: plain"


def test_skills_that_cannot_be_read_again_say_so(served: Served) -> None:
    frozen(served)

    answer = served.post("/api/skills/maestro-worker/reload")

    assert answer.status == 501
    assert answer.code == "NOT_IMPLEMENTED"


def test_a_folder_that_goes_away_holds_no_skills_and_is_no_error(
    served: Served, folder: Path
) -> None:
    shutil.rmtree(folder)

    until(lambda: served.get("/api/skills").json == [])


def test_a_new_skill_is_there_without_a_reload(served: Served, folder: Path) -> None:
    write_skill(folder, "fresh")

    until(lambda: served.get("/api/skills/fresh").status == 200)
    assert served.get("/api/skills/fresh").json["version"] == "1.0.0"


def test_the_catalog_tells_problems_with_hints_and_what_is_shadowed(
    served: Served, folder: Path
) -> None:
    write_file(folder / "bad" / "manifest.json", "{")

    until(lambda: bool(served.get("/api/catalog").json["problems"]))
    told = served.get("/api/catalog").json
    assert set(told) == {"skills", "problems", "shadowed", "searched"}
    assert told["problems"][0]["hint"]
    assert told["skills"][0]["path"].startswith(str(folder))


def test_the_catalog_tells_what_keeps_a_workflow_from_running(served: Served, folder: Path) -> None:
    write_file(
        folder / "flow" / "skill.yaml", "name: flow\ndescription: Flows.\nsteps:\n  - {id: a}\n"
    )

    until(lambda: "flow" in str(served.get("/api/catalog").json["skills"]))
    (problem,) = served.get("/api/catalog").json["problems"]
    assert problem["path"] == str(folder / "flow" / "skill.yaml")
    assert problem["line"] == 4


def test_one_skill_whole_is_what_the_command_shows(served: Served) -> None:
    told = served.get("/api/catalog/maestro-worker").json

    assert told["dependencies"] == ["maestro-cli"]
    assert told["roles"] == ["worker"]
    assert served.get("/api/catalog/nope").status == 404


def test_those_who_follow_are_told_of_a_reload(served: Served) -> None:
    before = served.site.log.last(1, kind="SKILLS_DISCOVERED")

    served.post("/api/skills/maestro-worker/reload")

    until(lambda: served.site.log.last(1, kind="SKILLS_DISCOVERED") != before)
