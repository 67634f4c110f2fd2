"""A model that does not answer has measured nothing, and `prowess compare` says so."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from check.repository import Repository
from house import skill_file
from prowess.check.compare.comparison import figures
from prowess.core.chat import Message
from prowess.core.errors import ModelError
from prowess.core.evidence import Spec
from prowess.core.skill import Skill
from prowess.engine.comparing import Compared, Versus, compare
from prowess.model.scripted import Script, Scripted, Turn, call, final
from prowess.settings import load_settings
from support import Cli

TASKS = [Spec(id="T1", title="One"), Spec(id="T2", title="Two")]
REFUSED = ModelError("the model cannot be reached", hint="start it")


@pytest.fixture
def repo(project: Path) -> Repository:
    made = Repository(project)
    made.put("README.md", "# Work\n")
    skill_file(project, "careful", "CAREFUL")
    made.commit()
    return made


def compared(repo: Repository, data: Path, script: Script) -> Compared:
    settings = load_settings(project=str(repo.folder), data=str(data), environment={})

    def model(name: str | None, skill: Skill | None) -> Scripted:
        return Scripted(script, name="scripted")

    return asyncio.run(compare(TASKS, Versus(skill="careful"), settings, open_model=model))


def dead(messages: Sequence[Message]) -> Turn:
    return REFUSED


def dead_at_first(messages: Sequence[Message]) -> Turn:
    """It is away while the first task is done with the skill, after a call of that run."""
    if "CAREFUL" in messages[0].text and "One" in messages[1].text:
        return REFUSED if len(messages) > 2 else call("Read", file_path="README.md")
    return final("Done.")


def test_where_no_run_had_an_answer_nothing_was_compared(
    repo: Repository, tmp_path: Path, cli: Cli
) -> None:
    found = compared(repo, tmp_path / "data", dead)

    done = cli("compare", "--from-log", found.id, "--data", tmp_path / "data")

    assert done.code == 3
    assert done.out == ""
    assert "4 of 4 runs had no answer from the model (the model cannot be reached" in done.err
    assert "nothing was compared" in done.err


def test_a_run_without_an_answer_is_in_no_figure_and_is_told_to_be_left_out(
    repo: Repository, tmp_path: Path, cli: Cli
) -> None:
    found = compared(repo, tmp_path / "data", dead_at_first)
    words = ("compare", "--from-log", found.id, "--data", tmp_path / "data")

    (iterations,) = [
        each for each in figures(found.trials, found.versus.ways) if each.name == "iterations"
    ]

    assert iterations.values == (1.0, 1.0)
    done = cli(*words)
    assert done.code == 0
    assert "1 of 4 runs had no answer from the model" in done.err
    assert cli(*words, "--json").json["left_out"] == 1
