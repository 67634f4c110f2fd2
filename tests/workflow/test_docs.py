"""The page about workflows is true."""

import re
from pathlib import Path
from typing import Any

import pytest

from prowess.core.workflow import KINDS
from prowess.workflow.check import find_mistakes
from prowess.workflow.names import BUILT_IN, LEFT_BY_STEP
from prowess.workflow.schema import VALIDATORS, workflow_schema
from prowess.workflow.values import FILTERS

PAGE = (Path(__file__).parents[2] / "docs" / "workflows.md").read_text()
WORKFLOWS = re.findall(r"^```yaml\n(name:.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("text", WORKFLOWS, ids=lambda text: text.split("\n", 1)[0])
def test_every_workflow_on_the_page_has_no_mistakes(text: str) -> None:
    assert find_mistakes(text) == []


def test_every_kind_field_filter_and_name_is_on_the_page() -> None:
    properties = {
        name for part in workflow_schema()["$defs"].values() for name in part.get("properties", ())
    }

    for kind in KINDS:
        assert f"| `{kind}` |" in PAGE
    for word in {*properties, *BUILT_IN, *LEFT_BY_STEP, *VALIDATORS[:4]} - {"type"}:
        assert re.search(rf"`[^`\n]*\b{word}\b[^`\n]*`", PAGE), word
    for name in FILTERS:
        assert f"\\| {name}" in PAGE


def test_the_first_workflow_of_the_page_runs(play: Any) -> None:
    commands = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m"
    assert play(f"steps: [{{command: '{commands} First'}}]").ok

    outcome = play(WORKFLOWS[0], audience="users", count="1")

    assert outcome.ok
    assert re.fullmatch(r"\*\*For users\*\*\n\n[0-9a-f]+ First\n?", outcome.answer)
