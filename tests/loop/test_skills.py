"""Which skills the prompts of a loop carry, and what the loop tells of choosing them."""

from contextlib import suppress
from pathlib import Path

import pytest

from house import skill_file
from loop.looping import Scripted, git, loop, writes
from running import KilledError, Remembering
from support import write_file

ONE = "# Plan\n\n- [ ] Say hello @greeting\n  - `test -f hello.txt` succeeds\n"


@pytest.fixture
def skilled(repo: Path) -> Path:
    """A repository with a skill that says how to greet, switched on for loops."""
    write_file(repo / "prowess.toml", "[skills]\nskills_enabled = true\n")
    skill_file(repo, "greeting", "Be polite.", description="Say hello in a file.")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "a skill")
    return repo


def test_what_a_task_says_of_secrets_and_people_is_told_to_its_agent_alone(skilled: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    plan = ONE.replace("@greeting", f"to bob.miller@example.org with {token}")
    agent = Scripted([writes("hello.txt", "hi")])

    loop(skilled, plan, agent)

    assert token in agent.prompts[0]
    kept = b"".join(each.read_bytes() for each in (skilled.parent / "data").glob("log.*"))
    assert b"SKILLS_SELECTED" in kept
    assert token.encode() not in kept
    assert b"bob.miller" not in kept


def test_what_was_found_and_chosen_is_a_part_of_the_loop(skilled: Path) -> None:
    ended = loop(skilled, ONE, Scripted([writes("hello.txt", "hi")]))

    (chosen,) = ended.told("SKILLS_SELECTED")
    assert chosen["run_id"] == ended.told("SKILLS_DISCOVERED")[0]["run_id"] == "loop"
    assert "greeting" in [each["name"] for each in chosen["skills"]]
    assert ended.kinds().index("SKILLS_SELECTED") < ended.kinds().index("agent.forked")


@pytest.mark.parametrize("steps", range(12))
def test_a_loop_that_was_killed_anywhere_tells_once_what_it_chose(
    skilled: Path, steps: int
) -> None:
    agent = Scripted([writes("hello.txt", "hi")])
    dying = Remembering(run_id="loop", dies_after=steps)

    with suppress(KilledError):
        loop(skilled, ONE, agent, dying)
    ended = loop(skilled, ONE, agent, Remembering(run_id="loop", kept=dying.kept))

    assert ended.kinds().count("SKILLS_SELECTED") == ended.kinds().count("agent.forked") == 1
    assert ended.kinds().count("SKILLS_DISCOVERED") == 1
    assert ended.kinds()[0] == "run.started"


def registered(repo: Path, text: str) -> None:
    """A registry of the project's own, and two skills that no task here asks for."""
    write_file(repo / "registry.yaml", f"version: 1\n{text}")
    toml = '[skills]\nskills_enabled = true\nskills_registry = "registry.yaml"\n'
    write_file(repo / "prowess.toml", toml)
    skill_file(repo, "house-rules", "Tabs, never spaces.", description="Rules of the house.")
    skill_file(repo, "second-look", "Look twice.", description="Judges what others did.")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "a registry")


def read_skills(prompt: str) -> list[str]:
    marker = "Reading: "
    return [line.removeprefix(marker) for line in prompt.splitlines() if line.startswith(marker)]


UNPROVEN = "- [ ] Say hello @greeting\n"


def test_the_prompts_of_a_loop_carry_what_the_registry_names_for_their_phase(
    skilled: Path,
) -> None:
    registered(skilled, "common: [house-rules]\nphases: {review: [second-look]}\n")
    agent = Scripted([writes("hello.txt", "hi")])

    ended = loop(skilled, UNPROVEN, agent, max_attempts=1)

    implementing, reviewing = agent.prompts
    assert read_skills(implementing) == ["house-rules", "greeting"]
    assert read_skills(reviewing) == ["house-rules", "second-look", "greeting"]
    assert "Tabs, never spaces." in implementing
    first, second = ended.told("SKILLS_SELECTED")
    assert first["skills"][0] == {
        "name": "house-rules",
        "reason": "the registry names it for every phase",
    }
    assert second["skills"][1]["reason"] == "the registry names it for the phase review"
    assert first["errors"] == []


def test_a_phase_of_another_name_has_its_own_list_or_that_of_its_type(skilled: Path) -> None:
    registered(
        skilled,
        "phases: {build: [house-rules]}\nphase_type_defaults: {evaluate: [second-look]}\n",
    )
    phases = (
        "version: 1\nstart: build\nphases:\n"
        "  build: {type: execute, transitions: [{to: look}]}\n"
        "  look: {type: evaluate, does: review, transitions: [{to: end}]}\n"
        "  end: {type: terminal, mark: x}\n"
    )
    file = write_file(skilled.parent / "phases.yaml", phases)
    agent = Scripted([writes("hello.txt", "hi")])

    loop(skilled, UNPROVEN, agent, phases=str(file))

    implementing, reviewing = agent.prompts
    assert read_skills(implementing) == ["house-rules", "greeting"]
    assert read_skills(reviewing) == ["second-look", "greeting"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("common: [house-rulse]\n", "registry.yaml:2: common names 'house-rulse'"),
        ("common: house-rules\n", "common is not a list of skill names"),
    ],
)
def test_a_registry_that_cannot_be_followed_is_told_and_the_loop_goes_on(
    skilled: Path, text: str, told: str
) -> None:
    registered(skilled, text)
    agent = Scripted([writes("hello.txt", "hi")])

    ended = loop(skilled, ONE, agent)

    assert ended.outcome.ok
    assert read_skills(agent.prompts[0]) == ["greeting"]
    assert told in ended.told("SKILLS_SELECTED")[0]["errors"][0]


def test_without_a_registry_of_its_own_a_loop_follows_the_one_of_the_pack(skilled: Path) -> None:
    agent = Scripted([writes("hello.txt", "hi")])

    loop(skilled, UNPROVEN, agent, max_attempts=1)

    implementing, reviewing = agent.prompts
    assert read_skills(implementing) == ["safe-shell-search", "greeting"]
    assert read_skills(reviewing) == ["safe-shell-search", "code-quality", "greeting"]


def test_with_skills_switched_off_the_registry_gives_nothing(skilled: Path) -> None:
    registered(skilled, "common: [house-rules]\n")
    write_file(skilled / "prowess.toml", '[skills]\nskills_registry = "registry.yaml"\n')
    git(skilled, "commit", "-qam", "switched off")
    agent = Scripted([writes("hello.txt", "hi")])

    loop(skilled, ONE, agent)

    assert read_skills(agent.prompts[0]) == []
