"""The published schema says what the check says."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from prowess.core.safe_yaml import read_mapping
from prowess.workflow.check import TEXT_FIELDS, find_mistakes
from prowess.workflow.schema import workflow_schema

ROOT = Path(__file__).parent.parent.parent
SCHEMA = jsonschema_rs.validator_for(workflow_schema())
HEAD: dict[str, Any] = {"name": "w", "description": "d"}

GOOD = [
    {"command": "ls"}, {"command": ["ls", 1]}, {"type": "command", "command": "ls", "timeout": "30s"},
    {"output": "x", "format": "text"}, {"type": "question", "prompt": "p", "options": ["a", 1]},
    {"question": "p", "options": {"type": "command", "command": "ls"}, "validate": "role-exists"},
    {"question": "p", "validate": {"pattern": "a+", "message": "m"}}, {"if": "true", "then": [{"output": "x"}]},
    {"parallel": [{"output": "x"}, [{"output": "y"}]]}, {"foreach": [1], "steps": [{"output": "x"}], "at_once": 2},
    {"skill": "s", "inputs": {"a": 1}}, {"python": "m:f", "arguments": {"a": [1]}, "retry": {"times": 2}},
]  # fmt: skip
BAD = [
    {}, {"comand": "ls"}, {"command": 7}, {"command": []}, {"command": "ls", "timeout": "soon"}, {"command": "ls", "x": 1},
    {"type": "nope", "command": "ls"}, {"type": "output", "command": "ls"}, {"output": 7}, {"question": "p", "validate": "nope"},
    {"question": "p", "options": {"cmd": "ls"}}, {"if": "true"}, {"parallel": []}, {"parallel": [7]}, {"foreach": [1]},
    {"python": "os.system"}, {"skill": ["a"]}, {"command": "ls", "retry": 99}, {"command": "ls", "optional": "yes"},
    {"command": "ls", "id": "a b"}, {"if": "true", "then": [{"nope": 1}]}, {"output": "x", "timeout": 3}, "ls",
]  # fmt: skip


def with_step(step: Any) -> dict[str, Any]:
    return {**HEAD, "steps": [step]}


@pytest.mark.parametrize("step", GOOD, ids=str)
def test_what_the_check_takes_the_schema_takes(step: Any) -> None:
    assert SCHEMA.is_valid(with_step(step))
    assert find_mistakes(json.dumps(with_step(step))) == []


@pytest.mark.parametrize("step", BAD, ids=str)
def test_what_the_schema_refuses_the_check_refuses(step: Any) -> None:
    assert not SCHEMA.is_valid(with_step(step))
    assert find_mistakes(json.dumps(with_step(step)))


@pytest.mark.parametrize(
    "workflow",
    [
        {}, {**HEAD}, {**HEAD, "steps": []}, {**with_step(GOOD[0]), "nope": 1}, {**with_step(GOOD[0]), "inputs": [{}]},
        {**with_step(GOOD[0]), "inputs": {"a b": {}}}, {**with_step(GOOD[0]), "templates": {"a": 1}},
        {**with_step(GOOD[0]), "description": ""},
    ],
    ids=str,
)  # fmt: skip
def test_they_agree_about_the_whole_file(workflow: Any) -> None:
    assert not SCHEMA.is_valid(workflow)
    assert find_mistakes(json.dumps(workflow))


def test_the_schema_in_the_documentation_is_this_one() -> None:
    published = json.loads((ROOT / "docs" / "workflow.schema.json").read_text())

    assert published == workflow_schema()


def files() -> list[Path]:
    places = (ROOT / "src" / "prowess" / "pack", ROOT / "examples", Path(__file__).parent)
    return [
        path for place in places for path in (*place.rglob("skill.yaml"), *place.glob("*.yaml"))
    ]


@pytest.mark.parametrize(
    "path", [each for each in files() if each.name != "registry.yaml"], ids=lambda path: path.parent.name
)  # fmt: skip
def test_every_workflow_that_we_ship_is_taken_by_both(path: Path) -> None:
    text = path.read_text()

    assert find_mistakes(text) == []
    assert SCHEMA.is_valid(read_mapping(text, keep_text=TEXT_FIELDS).value)
