"""The journey from folders to what a model reads, and the facts that are told on the way."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prowess.core.errors import OutsideError, SettingsError, UsageError
from prowess.core.event import SKILLS_DISCOVERED, SKILLS_LOAD_FAILED, SKILLS_TRUNCATED, Event
from prowess.discover.catalog import open_catalog
from prowess.discover.pack_sync import Synced
from prowess.discover.roots import Root
from prowess.engine import Started, discover, find_roots, load, role_prompt, start, tell
from prowess.observe.log import SqliteLog
from prowess.settings import PACK, Settings, load_settings
from support import write_file, write_skill


@pytest.fixture
def settings(home: Path, project: Path) -> Settings:
    """Those of a new user, with a pack of one skill."""
    write_skill(home / "pack", "built-in")
    return replace(
        load_settings(project=str(project), environment={}),
        skills_builtin_dir=str(home / "pack"),
    )


@pytest.fixture
def facts() -> list[Event]:
    return []


def told(facts: list[Event], kind: str) -> list[dict[str, Any]]:
    """The payloads of a kind without the run, which must be the event's own."""
    payloads = []
    for fact in facts:
        if fact.kind == kind:
            payload = dict(fact.payload)
            assert payload.pop("run_id") == fact.run != ""
            payloads.append(payload)
    return payloads


def skills_of(settings: Settings) -> Path:
    return Path(settings.project) / ".agents" / "skills"


# Where skills are looked for


def test_the_configured_folders_come_first_and_the_pack_last(
    settings: Settings, home: Path
) -> None:
    write_skill(skills_of(settings), "pdf")
    write_skill(home / ".claude" / "skills", "git")

    assert find_roots(settings) == [
        Root(str(skills_of(settings)), "project"),
        Root(str(home / ".claude/skills"), "global"),
        Root(str(home / "pack"), "builtin"),
    ]


def test_folders_named_by_hand_are_searched_and_nothing_else(
    settings: Settings, home: Path, project: Path
) -> None:
    write_skill(skills_of(settings), "pdf")
    for folder in (home / "a", project / "b"):
        folder.mkdir()

    roots = find_roots(replace(settings, only_dirs=("~/a", "b")))

    assert [root.path for root in roots] == [str(home / "a"), str(project / "b")]


@pytest.mark.parametrize("kind", ["missing", "a file"])
def test_a_folder_named_by_hand_must_be_there(settings: Settings, project: Path, kind: str) -> None:
    if kind == "a file":
        write_file(project / "folder", "")

    with pytest.raises(SettingsError) as refused:
        find_roots(replace(settings, only_dirs=("folder",)))

    assert str(refused.value) == "--dir folder: there is no such folder"


# Discovering


def test_what_was_found_is_told_with_exactly_the_seeds_fields(
    settings: Settings, home: Path, facts: list[Event]
) -> None:
    write_skill(skills_of(settings), "pdf")
    write_skill(skills_of(settings), "git")

    catalog = discover(settings, record=facts.append)

    assert list(catalog.skills) == ["git", "pdf", "built-in"]
    assert [fact.kind for fact in facts] == [SKILLS_DISCOVERED]
    assert told(facts, SKILLS_DISCOVERED) == [
        {
            "count": 3,
            "locations": [str(skills_of(settings)), str(home / "pack")],
            "names": ["git", "pdf", "built-in"],
        }
    ]


def test_every_skill_that_could_not_be_loaded_is_told_by_name_with_the_error(
    settings: Settings, facts: list[Event]
) -> None:
    write_file(skills_of(settings) / "a" / "SKILL.md", "---\nname: a\n---\n")
    write_file(skills_of(settings) / "b" / "manifest.json", "[]")
    write_skill(skills_of(settings), "good")

    discover(settings, record=facts.append)

    assert told(facts, SKILLS_LOAD_FAILED) == [
        {"name": "a", "error": "no description"},
        {"name": "b", "error": "the manifest is not an object"},
    ]
    assert told(facts, SKILLS_DISCOVERED)[0]["names"] == ["good", "built-in"]
    assert len({fact.run for fact in facts}) == 1


def test_nothing_is_told_when_nothing_is_new(settings: Settings, facts: list[Event]) -> None:
    write_skill(skills_of(settings), "pdf")
    write_file(skills_of(settings) / "broken" / "SKILL.md", "---\nname: a\n---\n")
    (skills_of(settings) / "odd" / "SKILL.md").mkdir(parents=True)
    (skills_of(settings) / "link").symlink_to("nowhere")
    first = discover(settings, record=facts.append)
    facts.clear()

    for _ in range(3):
        assert discover(settings, record=facts.append) == first

    assert facts == []


def test_a_pipe_in_the_place_of_the_note_of_what_was_told_holds_nobody_up(
    settings: Settings, facts: list[Event]
) -> None:
    discover(settings, record=facts.append)
    (note,) = Path(settings.index_folder).glob("*.told")
    note.unlink()
    os.mkfifo(note)

    discover(settings, record=facts.append)

    assert [fact.kind for fact in facts] == [SKILLS_DISCOVERED] * 2


def test_a_new_skill_is_told_with_the_whole_catalog_in_a_run_of_its_own(
    settings: Settings, facts: list[Event]
) -> None:
    write_skill(skills_of(settings), "pdf")
    discover(settings, record=facts.append)
    write_skill(skills_of(settings), "git")

    discover(settings, record=facts.append)

    assert [fact["names"] for fact in told(facts, SKILLS_DISCOVERED)] == [
        ["pdf", "built-in"],
        ["git", "pdf", "built-in"],
    ]
    assert facts[0].run != facts[1].run


@pytest.mark.parametrize(
    "gone",
    [
        "a skill",
        "a root",
    ],
)
def test_skills_that_are_gone_are_news(settings: Settings, facts: list[Event], gone: str) -> None:
    write_skill(skills_of(settings), "pdf")
    discover(settings, record=facts.append)
    facts.clear()
    shutil.rmtree(skills_of(settings) / "pdf" if gone == "a skill" else skills_of(settings))

    discover(settings, record=facts.append)

    assert [fact["names"] for fact in told(facts, SKILLS_DISCOVERED)] == [["built-in"]]


def test_each_project_is_told_of_its_own(
    settings: Settings, facts: list[Event], tmp_path: Path
) -> None:
    write_skill(skills_of(settings), "pdf")
    other = replace(settings, project=str(tmp_path / "other"))
    write_skill(skills_of(other), "git")

    for _ in range(2):
        discover(settings, record=facts.append)
        discover(other, record=facts.append)

    assert [fact["names"] for fact in told(facts, SKILLS_DISCOVERED)] == [
        ["pdf", "built-in"],
        ["git", "built-in"],
    ]


def test_a_skill_that_breaks_and_is_mended_is_news_both_times(
    settings: Settings, facts: list[Event]
) -> None:
    folder = write_skill(skills_of(settings), "pdf")
    good = (folder / "SKILL.md").read_text()
    discover(settings, record=facts.append)
    write_file(folder / "SKILL.md", "---\nname: pdf\n---\n")
    discover(settings, record=facts.append)
    write_file(folder / "SKILL.md", good)

    discover(settings, record=facts.append)

    assert [fact["names"] for fact in told(facts, SKILLS_DISCOVERED)] == [
        ["pdf", "built-in"],
        ["built-in"],
        ["pdf", "built-in"],
    ]
    assert told(facts, SKILLS_LOAD_FAILED) == [{"name": "pdf", "error": "no description"}]


def test_a_skill_that_fails_for_another_reason_than_before_is_news(
    settings: Settings, facts: list[Event]
) -> None:
    write_file(skills_of(settings) / "pdf" / "SKILL.md", "---\nname: pdf\n---\n")
    discover(settings, record=facts.append)
    write_file(skills_of(settings) / "pdf" / "SKILL.md", "no header at all")

    discover(settings, record=facts.append)

    assert [fact["error"] for fact in told(facts, SKILLS_LOAD_FAILED)] == [
        "no description",
        "no header",
    ]


def test_a_data_folder_that_cannot_be_written_keeps_nobody_from_finding_skills(
    settings: Settings, facts: list[Event], tmp_path: Path
) -> None:
    write_skill(skills_of(settings), "pdf")
    settings = replace(settings, data=str(write_file(tmp_path / "plain", "") / "data"))

    assert list(discover(settings, record=facts.append).skills) == ["pdf", "built-in"]
    assert told(facts, SKILLS_DISCOVERED) != []


def test_what_could_not_be_recorded_is_told_the_next_time(
    settings: Settings, facts: list[Event]
) -> None:
    write_skill(skills_of(settings), "pdf")

    def full(event: Event) -> None:
        raise OutsideError("the disk is full")

    with pytest.raises(OutsideError):
        discover(settings, record=full)

    discover(settings, record=facts.append)

    assert told(facts, SKILLS_DISCOVERED) != []


def test_a_catalog_can_be_told_as_part_of_a_run(settings: Settings, facts: list[Event]) -> None:
    write_file(skills_of(settings) / "a" / "SKILL.md", "")
    catalog = open_catalog(find_roots(settings))

    tell(catalog, record=facts.append, run="the-run")

    assert [(fact.run, fact.payload["run_id"]) for fact in facts] == [("the-run", "the-run")] * 2


def test_the_facts_can_be_kept_in_the_log_whatever_the_folders_are_called(
    settings: Settings,
) -> None:
    odd = os.fsdecode(b"caf\xe9")
    write_file(skills_of(settings) / odd / "SKILL.md", "no header")
    log = SqliteLog(settings.log_file)

    discover(settings, record=log.append)

    (kept,) = log.tail(kind=SKILLS_LOAD_FAILED)
    log.close()
    assert kept.event.payload["name"] == odd


# The pack in its place


def test_a_start_puts_the_pack_in_its_place_and_it_is_read_from_there(settings: Settings) -> None:
    started = start(settings)

    assert started == Started(
        pack=settings.skills_sync_dir, synced=Synced(written=("built-in",)), failure=None
    )
    roots = find_roots(settings, pack=started.pack)
    assert roots == [Root(settings.skills_sync_dir, "builtin")]
    assert list(open_catalog(roots).skills) == ["built-in"]


def test_a_second_start_changes_nothing(settings: Settings) -> None:
    start(settings)

    assert start(settings).synced == Synced()


def test_a_start_that_may_not_sync_writes_nothing(settings: Settings, home: Path) -> None:
    settings = replace(settings, skills_sync_on_start=False)

    assert start(settings) == Started(pack=str(home / "pack"))
    assert not os.path.exists(settings.skills_sync_dir)


def test_a_sync_that_fails_is_told_and_the_packaged_folder_is_used(
    settings: Settings, home: Path
) -> None:
    plain = write_file(home / "plain", "")
    settings = replace(settings, skills_sync_dir=str(plain / "skills"))

    started = start(settings)

    assert started.pack == str(home / "pack")
    assert started.failure
    assert started.failure.hint


def test_a_copy_with_a_foreign_skill_in_it_is_not_read(settings: Settings, home: Path) -> None:
    write_skill(Path(settings.skills_sync_dir), "built-in", description="Somebody else's.")

    assert start(settings).pack == str(home / "pack")


def test_without_a_start_the_packaged_folder_is_read(settings: Settings, home: Path) -> None:
    start(settings)

    assert find_roots(settings) == [Root(str(home / "pack"), "builtin")]


# Loading


def loaded(settings: Settings, facts: list[Event], *names: str) -> str:
    catalog = open_catalog(find_roots(settings))
    return load([catalog.get(name) for name in names], settings, record=facts.append)


def test_skills_are_loaded_one_after_the_other_as_openskills_reads_them(
    settings: Settings, facts: list[Event]
) -> None:
    folder = write_skill(skills_of(settings), "pdf", body="Run !`date` for $ARGUMENTS.")
    write_skill(skills_of(settings), "git")

    text = loaded(settings, facts, "pdf", "git")

    assert text.startswith(f"Reading: pdf\nBase directory: {folder}\n\n---\nname: pdf\n")
    assert "Run !`date` for $ARGUMENTS." in text
    assert "\n\nSkill read: pdf\n\nReading: git\n" in text
    assert text.endswith("Skill read: git")
    assert facts == []


def test_a_skill_that_is_too_long_is_cut_and_told_with_exactly_the_seeds_fields(
    settings: Settings, facts: list[Event]
) -> None:
    write_skill(skills_of(settings), "long", body="x" * 500)
    write_skill(skills_of(settings), "short")
    settings = replace(settings, skills_max_body_chars=200)

    text = loaded(settings, facts, "long", "short")

    assert [fact.kind for fact in facts] == [SKILLS_TRUNCATED]
    assert told(facts, SKILLS_TRUNCATED) == [{"name": "long", "max_chars": 200}]
    assert "x" * 200 not in text
    assert "Skill read: short" in text


def test_a_skill_of_just_the_allowed_length_is_not_cut(
    settings: Settings, facts: list[Event]
) -> None:
    folder = write_skill(skills_of(settings), "exact", body="x" * 500)
    length = len((folder / "SKILL.md").read_text())

    loaded(replace(settings, skills_max_body_chars=length), facts, "exact")
    assert facts == []
    loaded(replace(settings, skills_max_body_chars=length - 1), facts, "exact")

    assert [fact.kind for fact in facts] == [SKILLS_TRUNCATED]


def test_references_are_loaded_in_name_order_only_when_asked_for(
    settings: Settings, facts: list[Event]
) -> None:
    folder = write_skill(skills_of(settings), "pdf")
    write_file(folder / "references" / "b.md", "Reference B.")
    write_file(folder / "references" / "a.md", "Reference A.")
    write_file(folder / "references" / "logo.png", b"\x89PNG")
    write_file(folder / "scripts" / "run.py", "print('hello')")

    without = loaded(settings, facts, "pdf")
    text = loaded(replace(settings, skills_load_references=True), facts, "pdf")

    assert "Reference A." not in without
    assert text.index("Reference A.") < text.index("Reference B.")
    assert "hello" not in text
    assert "PNG" not in text


def test_references_count_towards_the_length(settings: Settings, facts: list[Event]) -> None:
    folder = write_skill(skills_of(settings), "pdf")
    write_file(folder / "references" / "long.md", "x" * 500)
    settings = replace(settings, skills_max_body_chars=300)

    loaded(settings, facts, "pdf")
    assert facts == []
    loaded(replace(settings, skills_load_references=True), facts, "pdf")

    assert told(facts, SKILLS_TRUNCATED) == [{"name": "pdf", "max_chars": 300}]


def test_loading_runs_nothing(settings: Settings, facts: list[Event], project: Path) -> None:
    folder = write_skill(skills_of(settings), "bait", body=f"!`touch {project}/ran`\n")
    write_file(folder / "scripts" / "run.sh", f"touch {project}/ran\n")

    loaded(replace(settings, skills_load_references=True), facts, "bait")

    assert not (project / "ran").exists()


# Roles


@pytest.fixture
def pack(settings: Settings) -> Settings:
    return replace(settings, skills_builtin_dir=PACK)


def test_a_role_reads_the_skills_it_gets_in_order(pack: Settings) -> None:
    text, missing = role_prompt("worker", open_catalog(find_roots(pack)))

    assert text.index("# Prowess CLI (v1.0.0)") < text.index("# Prowess Worker (v1.0.0)")
    assert "Prowess Orchestrator" not in text
    assert missing == ()


def test_a_role_that_does_not_exist_is_refused(pack: Settings) -> None:
    with pytest.raises(UsageError):
        role_prompt("admin", open_catalog(find_roots(pack)))
