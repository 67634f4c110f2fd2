"""A large skill costs a model far less when it reads what it needs and no more."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SKILL = ROOT / "examples/skills/api-integration"


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Sequence[int]]:
    """For each iteration: eager, with whole files fetched, and with chapters read."""
    kept = tmp_path_factory.mktemp("bench") / "tokens.json"
    subprocess.run(
        [sys.executable, ROOT / "bench/context.py", "--json", kept], check=True, capture_output=True
    )
    return list(json.loads(kept.read_text()).values())


def test_reading_by_chapter_saves_what_the_document_says(tokens: Sequence[Sequence[int]]) -> None:
    eager, whole, chapters = map(sum, tokens)

    document = (ROOT / "docs/writing-skills.md").read_text(encoding="utf-8")
    assert 1 - chapters / eager >= 0.48
    assert f"saves {100 * (1 - chapters / eager):.0f} %" in document
    assert f"saves {100 * (1 - whole / eager):.0f} %" in document


def test_the_first_prompt_has_the_instructions_and_a_line_for_each_file(
    tokens: Sequence[Sequence[int]],
) -> None:
    _, _, chapters = tokens

    instructions = len((SKILL / "SKILL.md").read_text(encoding="utf-8")) / 4
    assert instructions < chapters[0] < instructions + 1_000
