"""The system prompt of a run: the skill's own words last and whole, its files as one line each."""

from typing import get_args

import pytest

from prowess.core.execution import Mode
from prowess.core.skill import Resource
from prowess.prompt.run import (
    AGENTS,
    compacted_note,
    confirm_note,
    failed_note,
    last_note,
    malformed_note,
    run_prompt,
)
from support import a_skill

SKILL = a_skill("csv-report", "Reports on tables.")
FILES = [
    Resource(path="reference.md", lines=1200, size=48_000, description="Every\nendpoint"),
    Resource(path="scripts/report.py", lines=1, size=40),
]
BOTH = pytest.mark.parametrize("mode", get_args(Mode))


@BOTH
def test_the_instructions_come_last_and_whole(mode: Mode) -> None:
    instructions = (
        "# Report\n\n{name} {files} {instructions} {}\n\n## Instructions of the skill\n\nEnd."
    )

    prompt = run_prompt(SKILL, f"\n{instructions}\n", FILES, mode=mode)

    assert prompt.endswith(f"\n\n{instructions}")
    assert prompt.count(instructions) == 1


@BOTH
def test_a_supporting_file_is_one_line(mode: Mode) -> None:
    lines = run_prompt(SKILL, "Do it.", FILES, mode=mode).split("\n")

    assert "- reference.md: Every endpoint (1,200 lines)" in lines
    assert "- scripts/report.py (1 line)" in lines
    assert sum(SKILL.path in line for line in lines) == 1


@BOTH
def test_a_skill_alone_in_its_folder_has_no_list_of_files(mode: Mode) -> None:
    prompt = run_prompt(SKILL, "Do it.", [], mode=mode)

    assert "Supporting files" not in prompt
    assert "\n\n\n" not in prompt
    assert "{" not in prompt


def test_the_script_of_the_demo_model_is_not_offered_to_a_real_one() -> None:
    demo = Resource(path="demo.yaml", lines=40, size=900)

    assert run_prompt(SKILL, "Do it.", [demo]) == run_prompt(SKILL, "Do it.", [])


def test_the_same_skill_gives_the_same_prompt() -> None:
    assert run_prompt(SKILL, "Do it.", FILES) == run_prompt(SKILL, "Do it.", list(FILES))


def test_the_model_learns_how_to_end_and_how_to_tell_of_a_partial_result() -> None:
    prompt = run_prompt(SKILL, "Do it.", FILES)

    assert 'the skill "csv-report"' in prompt
    assert "Answer without calling a tool" in prompt
    assert "Completed N of M objectives" in prompt


def test_a_simple_run_plans_once() -> None:
    assert "no second round" in run_prompt(SKILL, "Do it.", [], mode="simple")
    assert "no second round" not in run_prompt(SKILL, "Do it.", [])


@pytest.mark.parametrize("agent", ["Explore", "explore", "Plan", "general-purpose", "Auditor"])
def test_a_sub_agent_is_told_its_part(agent: str) -> None:
    plain, prompt = (
        run_prompt(SKILL, "Do it.", FILES),
        run_prompt(SKILL, "Do it.", FILES, agent=agent),
    )

    assert len(prompt) > len(plain)
    assert "sees only your answer" in prompt
    assert (f'"{agent}"' in prompt) == (agent == "Auditor")
    assert "{" not in prompt


def test_those_who_explore_and_plan_change_nothing() -> None:
    told = {kind: "change nothing" in run_prompt(SKILL, "", [], agent=kind) for kind in AGENTS}

    assert told == {"explore": True, "plan": True, "general-purpose": False, "general": False}


def test_the_notes_say_what_they_are_given() -> None:
    assert failed_note(["Read {a}", "Bash b"]).endswith("- Read {a}\n- Bash b")
    assert "followed: no tool named {Foo}. " in malformed_note("no tool named {Foo}.")
    assert "12,345 characters" in compacted_note(12_345)
    assert "answer now" in last_note()
    assert "final answer" in confirm_note()


def test_the_prompt_is_short() -> None:
    """It is sent with every request of every run."""
    assert len(run_prompt(SKILL, "", [])) < 2_500
    assert len(run_prompt(SKILL, "", [], mode="simple")) < 1_200
