"""What `import prowess` gives, and what it costs."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import prowess
from house import skill_file
from support import write_file


def test_every_public_name_is_there() -> None:
    for name in prowess.__all__:
        assert getattr(prowess, name).__name__ == name

    assert set(prowess.__all__) == set(prowess._HOMES)


def test_the_public_names_are_listed_before_they_are_used_and_no_others() -> None:
    words = "import prowess; print([name for name in dir(prowess) if name[:2] != '__'])"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)

    assert done.stdout == f"{sorted(prowess.__all__)}\n"
    assert "__version__" in dir(prowess)


def test_importing_prowess_loads_nothing_else_of_ours() -> None:
    words = "import sys, prowess; print([m for m in sys.modules if m.startswith('prowess.')])"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_a_workflow_is_run_with_what_it_is_given(project: Path) -> None:
    write_file(
        project / ".agents/skills/hello/skill.yaml",
        "name: hello\nversion: '1'\ndescription: Says hello.\ninputs: [{name: who}]\n"
        "steps: [{id: say, type: output, template: said}]\ntemplates: {said: 'Hello, {who}'}\n",
    )

    outcome = asyncio.run(prowess.run("hello", given={"who": "Ada"}))

    assert (outcome.ok, outcome.answer.strip()) == (True, "Hello, Ada")


def test_wrong_settings_of_a_skill_are_an_error_before_the_run(project: Path) -> None:
    skill_file(project, "odd", "Odd.", max_iterations="many")

    with pytest.raises(prowess.ProwessError, match="max_iterations"):
        asyncio.run(prowess.run("odd", model="demo"))


def test_a_run_that_fails_is_an_outcome_that_says_why(project: Path) -> None:
    folder = skill_file(project, "long", "Long.", max_iterations=1)
    write_file(
        folder / "demo.yaml", "turns: [{call: Glob, input: {pattern: '*'}}, {answer: Done.}]"
    )

    outcome = asyncio.run(prowess.run("long", model="demo"))

    assert not outcome.ok
    assert outcome.reason
