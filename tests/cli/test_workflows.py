"""`prowess schema`: what an editor needs to help with a skill.yaml."""

import json
from pathlib import Path

import pytest

from prowess.cli import app
from prowess.workflow.schema import workflow_schema
from support import Cli

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.HOMES, "workflows", ("schema", "convert"))


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_the_schema_is_that_of_the_documents(words: tuple[str, ...], cli: Cli) -> None:
    done = cli("schema", "workflow", *words)

    assert done.code == 0
    assert done.json == workflow_schema()
    assert done.json == json.loads((ROOT / "docs/workflow.schema.json").read_text())


def test_a_schema_of_something_else_is_refused_with_what_there_is(cli: Cli) -> None:
    done = cli("schema", "plan")

    assert done.code == 2
    assert "use workflow" in done.err
