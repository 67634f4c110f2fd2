from pathlib import Path

import pytest

from support import Cli, write_file, write_skill


def test_the_cards_come_first_and_loaded_skills_after(cli: Cli, project: Path) -> None:
    write_skill(project / ".agents/skills", "notes", body="Write them down.")

    text = cli("prompt", "--load", "notes").out

    assert text.startswith("<available_skills>")
    assert text.index("</available_skills>") < text.index("Reading: notes")
    assert text.rstrip().endswith("Skill read: notes")


def test_only_the_named_skills_are_offered(cli: Cli, project: Path) -> None:
    for name in ("one", "two"):
        write_skill(project / ".agents/skills", name)

    assert cli("prompt", "two", "--format", "to-prompt").out.count("<skill>") == 1


def test_a_long_skill_is_cut_and_the_log_says_so(cli: Cli, project: Path) -> None:
    write_skill(project / ".agents/skills", "long", body="x" * 500)
    write_file(project / "prowess.toml", "[skills]\nskills_max_body_chars = 100\n")

    text = cli("prompt", "long", "--load", "long").out

    assert "100 of 5" in text
    (event,) = cli("log", "--json", "--kind", "SKILLS_TRUNCATED").json
    assert event["payload"] == {"run_id": event["run"], "name": "long", "max_chars": 100}


def test_references_are_loaded_in_name_order_when_the_setting_says_so(
    cli: Cli, project: Path
) -> None:
    folder = write_skill(project / ".agents/skills", "long")
    write_file(folder / "references/b.md", "BBB")
    write_file(folder / "references/a.md", "AAA")

    without = cli("prompt", "--load", "long").out
    write_file(project / "prowess.toml", "[skills]\nskills_load_references = true\n")
    with_them = cli("prompt", "--load", "long").out

    assert "AAA" not in without
    assert with_them.index("AAA") < with_them.index("BBB")


def test_a_budget_shortens_descriptions_and_reports_it(cli: Cli, project: Path) -> None:
    for name in ("one", "two"):
        write_skill(project / ".agents/skills", name, description="many words " * 40)

    found = cli("prompt", "one", "two", "--budget", "600", "--json").json

    assert found["chars"] <= 600
    assert found["cut"] == ["one", "two"]


def test_the_role_form_has_system_skills_and_dependencies_first(cli: Cli) -> None:
    worker = cli("prompt", "--format", "role", "--role", "worker").out
    orchestrator = cli("prompt", "--format", "role", "--role", "orchestrator").out

    titles = [line for line in worker.splitlines() if line.startswith("# Prowess")]
    assert titles == ["# Prowess CLI (v1.0.0)", "# Prowess Worker (v1.0.0)"]
    assert "# Prowess Orchestrator (v1.0.0)" in orchestrator
    assert "# Prowess Worker" not in orchestrator


def test_an_unknown_role_or_form_is_wrong_usage(cli: Cli) -> None:
    assert cli("prompt", "--format", "role", "--role", "king").code == 2
    assert cli("prompt", "--format", "yaml").code == 2


def test_sync_writes_once_and_then_changes_nothing(cli: Cli, project: Path) -> None:
    (project / "AGENTS.md").write_text("# Mine\n")

    first = cli("sync", "--json").json
    text = (project / "AGENTS.md").read_bytes()
    second = cli("sync", "--json").json

    assert first["changed"] is True
    assert second["changed"] is False
    assert (project / "AGENTS.md").read_bytes() == text
    assert text.startswith(b"# Mine\n\n<skills_system")


def test_check_changes_nothing_and_answers_by_its_exit_code(cli: Cli, project: Path) -> None:
    stale = cli("sync", "--check")
    assert stale.code == 1
    assert not (project / "AGENTS.md").exists()

    cli("sync")

    assert cli("sync", "--check").code == 0


def test_remove_gives_the_file_back(cli: Cli, project: Path) -> None:
    (project / "AGENTS.md").write_text("# Mine\n\ntext\n")
    cli("sync")

    cli("sync", "--remove")

    assert (project / "AGENTS.md").read_text() == "# Mine\n\ntext\n"


def test_a_linked_agents_file_stays_a_link(cli: Cli, project: Path) -> None:
    (project / "CLAUDE.md").write_text("# Mine\n")
    (project / "AGENTS.md").symlink_to("CLAUDE.md")

    cli("sync")

    assert (project / "AGENTS.md").is_symlink()
    assert "<skills_system" in (project / "CLAUDE.md").read_text()


def test_a_file_that_is_not_utf8_is_refused_and_kept(cli: Cli, project: Path) -> None:
    (project / "AGENTS.md").write_bytes(b"caf\xe9\n")

    found = cli("sync")

    assert found.code == 2
    assert (project / "AGENTS.md").read_bytes() == b"caf\xe9\n"


def test_a_torn_block_is_refused_and_kept(cli: Cli, project: Path) -> None:
    torn = '# Mine\n\n<skills_system priority="1">\nmy notes\n'
    (project / "AGENTS.md").write_text(torn)

    found = cli("sync")

    assert found.code == 2
    assert "never ends" in found.err
    assert (project / "AGENTS.md").read_text() == torn


def test_a_skill_for_people_only_is_not_in_the_block(cli: Cli, project: Path) -> None:
    write_file(
        project / ".agents/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: x\ndisable-model-invocation: true\n---\n",
    )

    assert "deploy" not in cli("sync", "--json").json["skills"]
    assert "<name>deploy</name>" in cli("prompt", "deploy").out


def test_a_role_names_what_its_skills_need_and_have_not(cli: Cli, project: Path) -> None:
    write_file(
        project / ".agents/skills/triage/manifest.json",
        '{"name": "Triage", "version": "1.0.0", "description": "d", "assignTo": ["worker"], "dependencies": ["absent"]}',
    )

    found = cli("prompt", "--role", "worker")

    assert "# Triage (v1.0.0)" in found.out
    assert "triage needs absent" in found.err


def test_words_without_effect_are_refused(cli: Cli) -> None:
    assert cli("prompt", "--role", "worker", "--format", "to-prompt").code == 2
    assert cli("prompt", "--role", "worker", "code-quality").code == 2
    assert cli("prompt", "--role", "worker", "--budget", "9").code == 2
    assert cli("sync", "--location", "elsewhere").code == 2


def test_names_that_alone_exceed_the_budget_are_said_to(cli: Cli) -> None:
    assert "names alone need" in cli("prompt", "--budget", "100").err


def test_sync_from_a_folder_below_keeps_the_file_of_the_git_root(
    cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".git").mkdir()
    (project / "src/deep").mkdir(parents=True)
    monkeypatch.chdir(project / "src/deep")

    assert cli("sync", "--json").json["path"] == str(project / "AGENTS.md")
    assert not (project / "src/deep/AGENTS.md").exists()


def test_a_link_that_leads_out_of_the_project_is_not_followed(cli: Cli, project: Path) -> None:
    outside = write_file(project.parent / "outside.txt", "precious\n")
    (project / "AGENTS.md").symlink_to(outside)

    found = cli("sync")

    assert found.code == 2
    assert f"--output {outside}" in found.err
    assert outside.read_text() == "precious\n"
    assert cli("sync", "--output", outside).code == 0


def test_only_the_projects_own_skills_can_be_written(cli: Cli, project: Path) -> None:
    write_skill(project / ".agents/skills", "mine")

    assert cli("sync", "--location", "project", "--json").json["skills"] == ["mine"]
