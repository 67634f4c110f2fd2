import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from support import Cli, write_file, write_skill


def test_a_new_user_sees_the_built_in_skills(cli: Cli) -> None:
    found = cli("list")

    assert found.code == 0
    assert {line.split("\t")[0] for line in found.out.splitlines()} == {
        "code-quality",
        "handoff-workflow",
        "prowess-cli",
        "prowess-orchestrator",
        "prowess-worker",
        "safe-shell-search",
        "session-end",
        "session-start",
        "skill-author",
        "task-management",
        "task-spec-check",
        "tasks-report",
    }
    assert found.err == ""


def test_the_json_has_the_promised_shape(cli: Cli, project: Path) -> None:
    folder = write_skill(project / ".agents/skills", "notes", description="Takes notes.")
    write_skill(project / ".claude/skills", "notes")
    write_file(project / ".claude/skills/bad/SKILL.md", "---\nname: bad\n---\n")

    found = cli("list", "--json").json

    assert found["skills"][0] == {
        "name": "notes",
        "title": "notes",
        "description": "Takes notes.",
        "format": "skill.md",
        "location": "project",
        "path": str(folder),
        "version": "1.0.0",
        "type": "system",
    }
    assert found["problems"] == [
        {
            "path": str(project / ".claude/skills/bad/SKILL.md"),
            "line": None,
            "level": "error",
            "message": "no description",
            "hint": "say in `description:` what the skill does and when to use it",
        }
    ]
    assert found["shadowed"] == [
        {"name": "notes", "path": str(project / ".claude/skills/notes"), "by": str(folder)}
    ]


def test_dir_replaces_the_search_order_and_may_be_repeated(cli: Cli, tmp_path: Path) -> None:
    write_skill(tmp_path / "one", "first")
    write_skill(tmp_path / "two", "second")

    found = cli("list", "--json", "--dir", tmp_path / "two", "--dir", tmp_path / "one").json

    assert [skill["name"] for skill in found["skills"]] == ["second", "first"]


def test_a_folder_that_is_not_there_is_wrong_usage(cli: Cli, tmp_path: Path) -> None:
    found = cli("list", "--dir", tmp_path / "nowhere")

    assert found.code == 2
    assert "there is no such folder" in found.err


def test_an_error_is_json_too_when_json_was_asked_for(cli: Cli, tmp_path: Path) -> None:
    found = cli("list", "--json", "--dir", tmp_path / "nowhere")

    assert found.code == 2
    assert found.json["error"] is True
    assert found.json["code"] == "VALIDATION_ERROR"
    assert found.err == ""


def test_skills_are_found_from_below_up_to_the_git_root(
    cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".git").mkdir()
    write_skill(project / ".agents/skills", "of-the-root")
    write_skill(project.parent / ".agents/skills", "beyond")
    (project / "deep/er").mkdir(parents=True)
    monkeypatch.chdir(project / "deep/er")

    names = {skill["name"] for skill in cli("list", "--json").json["skills"]}

    assert "of-the-root" in names
    assert "beyond" not in names


def test_problems_are_told_as_compilers_do(cli: Cli, project: Path) -> None:
    path = write_file(
        project / ".agents/skills/bad/SKILL.md", "---\nname: bad\nname: bad\ndescription: x\n---\n"
    )

    found = cli("list", "--problems")

    assert found.out.splitlines()[0].startswith(f"{path}:3: error: ")


WORKFLOW = "name: {name}\nversion: '1'\ndescription: A thing.\nsteps:\n  - id: a\n    rnu: {rest}\n"


@pytest.mark.parametrize("words", [("list", "--problems"), ("doctor",), ("show", "wf")])
def test_a_workflow_that_cannot_run_is_a_problem_with_the_field_that_was_meant(
    cli: Cli, project: Path, words: tuple[str, ...]
) -> None:
    path = project / ".agents/skills/wf/skill.yaml"
    write_file(path, WORKFLOW.format(name="wf", rest="echo hi"))

    told = cli(*words).out

    assert f"{path}:6:5: " in told
    assert "a step has no field 'rnu'" in told
    assert "did you mean command?" in told


@pytest.mark.parametrize("command", ["run", "show", "read", "validate"])
def test_a_skill_that_is_broken_is_not_called_missing(
    cli: Cli, project: Path, command: str
) -> None:
    path = project / ".agents/skills/broke/skill.yaml"
    write_file(path, WORKFLOW.format(name="broke", rest="[a"))

    found = cli(command, "broke")

    assert found.code == 1
    told = found.out + found.err
    assert f"{path}:" in told
    assert "not valid YAML" in told
    assert "no skill" not in told


def test_a_description_cannot_drive_a_terminal(cli: Cli, project: Path) -> None:
    write_skill(
        project / ".agents/skills", "sly", description='"red \\x1b[31m \\u202e line\\nline"'
    )

    line = next(line for line in cli("list").out.splitlines() if line.startswith("sly"))

    assert "\x1b" not in line
    assert "\u202e" not in line


def test_an_empty_search_teaches_what_to_do(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    found = cli("list", "--dir", tmp_path / "empty")

    assert found.code == 0
    assert "prowess new" in found.err


def test_what_was_found_is_in_the_log_once(cli: Cli, project: Path) -> None:
    write_file(project / ".agents/skills/bad/SKILL.md", "nothing")
    path = project / ".agents/skills/bad"
    for each in (path, path / "SKILL.md", path.parent):
        os.utime(each, (1_000_000_000, 1_000_000_000.5))

    cli("list")
    cli("list")

    kinds = [event["kind"] for event in cli("log", "--json").json]
    assert kinds == ["SKILLS_DISCOVERED", "SKILLS_LOAD_FAILED"]


def test_a_log_that_cannot_be_written_does_not_hide_the_skills(cli: Cli, tmp_path: Path) -> None:
    write_file(tmp_path / "data", "a file where a folder should be")

    found = cli("list", "--data", tmp_path / "data")

    assert found.code == 0
    assert "code-quality" in found.out
    assert "not recorded" in found.err


def test_names_that_are_not_text_do_not_break_the_listing(cli: Cli, project: Path) -> None:
    folder = os.fsencode(project) + b"/.agents/skills/caf\xe9"
    os.makedirs(folder)
    with open(folder + b"/SKILL.md", "wb") as file:
        file.write(b"---\ndescription: x\n---\n")

    assert cli("list").code == 0
    assert any("caf" in skill["name"] for skill in cli("list", "--json").json["skills"])


def test_a_reader_that_leaves_early_is_no_error(home: Path) -> None:
    command = f"{sys.executable} -m prowess list --json | head -c 1; exit ${{PIPESTATUS[0]}}"

    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)

    assert done.returncode == 0
    assert done.stderr == ""


def test_a_watching_process_tells_what_comes_changes_and_goes(home: Path, project: Path) -> None:
    root = project / ".agents/skills"
    write_skill(root, "first")
    with subprocess.Popen(
        [sys.executable, "-m", "prowess", "list", "--watch", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as watcher:
        assert watcher.stdout
        assert watcher.stderr
        late = threading.Timer(
            60, watcher.kill
        )  # so that a watcher that sees nothing fails the test
        late.start()
        assert "Watching 13 skills" in watcher.stderr.readline()

        os.replace(write_skill(project / "aside", "second"), root / "second")
        added = json.loads(watcher.stdout.readline())
        changed = write_skill(project / "aside", "second", body="another body") / "SKILL.md"
        os.replace(changed, root / "second/SKILL.md")
        edited = json.loads(watcher.stdout.readline())
        (root / "second/SKILL.md").unlink()
        removed = json.loads(watcher.stdout.readline())
        watcher.terminate()
        late.cancel()

    assert added["added"] == ["second"]
    assert edited["edited"] == ["second"]
    assert removed["removed"] == ["second"]
    synced = home / ".local/share/prowess/skills/code-quality/SKILL.md"
    assert synced.exists()


@pytest.mark.parametrize("options", ["", "--json"])
def test_a_full_disk_is_told_and_not_thrown(home: Path, options: str) -> None:
    command = f"{sys.executable} -m prowess list {options} > /dev/full"

    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("closed", "shown"), [(">&-", False), ("<&-", True), ("2>&-", True), ("<&- >&- 2>&-", False)]
)
@pytest.mark.parametrize("options", ["", "--json"])
def test_a_closed_stream_is_as_good_as_one_that_leads_nowhere(
    home: Path, options: str, closed: str, *, shown: bool
) -> None:
    command = f"{sys.executable} -m prowess list {options} {closed}"

    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)

    assert done.returncode == 0
    assert ("code-quality" in done.stdout) == shown
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_a_table_shows_every_column_at_any_width(home: Path, columns: int) -> None:
    """On a real terminal, by way of a pseudo-terminal."""
    script = (
        "import os, pty, sys; os.environ['COLUMNS'] = sys.argv[1]; os.environ['TERM'] = 'xterm';"
        "sys.exit(os.waitstatus_to_exitcode(pty.spawn([sys.executable, '-m', 'prowess', 'list'])))"
    )

    shown = subprocess.run(
        [sys.executable, "-c", script, str(columns)], capture_output=True, text=True, check=True
    ).stdout

    assert all(heading in shown for heading in ("NAME", "LOCATION", "FORMAT", "DESCRIPTION"))
    assert "prowess-orchestrator" in shown
    assert shown.count("builtin") == 12


def test_wrong_words_are_json_too_when_json_was_asked_for(cli: Cli) -> None:
    found = cli("list", "--bogus", "--json")

    assert found.code == 2
    assert "--bogus" in found.json["message"]


def test_the_name_of_a_folder_leads_to_the_skill_in_it(cli: Cli, project: Path) -> None:
    write_file(
        project / ".agents/skills/review/SKILL.md", "---\nname: Code Expert\ndescription: x\n---\n"
    )

    assert "did you mean 'Code Expert'" in cli("show", "review").err


@pytest.mark.parametrize("command", ["list", "show", "doctor", "sync", "match", "prompt"])
def test_no_command_lets_a_skill_drive_the_terminal(cli: Cli, project: Path, command: str) -> None:
    write_file(
        project / ".agents/skills/sly/SKILL.md",
        '---\nname: sly\ndescription: "x \\e[31m y"\nmodel: "\\e[32mfast"\ndependencies: ["\\e[33mgone"]\n---\n\n\x1b[34mBody\n',
    )
    words = {
        "show": ["show", "sly"],
        "match": ["match", "\x1b[31msly"],
        "prompt": ["prompt", "--role", "worker"],
    }

    found = cli(*words.get(command, [command]))

    assert "\x1b" not in found.out + found.err


def test_every_command_counts_the_same_errors(cli: Cli, project: Path) -> None:
    write_file(project / ".agents/skills/bad/SKILL.md", "---\nname: bad\n---\n")
    for name in ("one", "two"):
        path = project / f".agents/skills/{name}/skill.yaml"
        write_file(path, WORKFLOW.format(name=name, rest="echo hi"))

    shown = cli("list", "--problems")
    told = cli("list", "--json").json["problems"]
    looked = [each for each in cli("doctor", "--json").json["findings"] if each["area"] == "Skills"]

    assert "14 skills, 3 errors, 0 warnings, 0 shadowed." in cli("list").err
    assert "not loaded: bad\n14 skills, 3 errors, 0 warnings, 0 shadowed." in shown.err
    assert shown.out.count(": error: ") == 3
    assert [problem["level"] for problem in told] == ["error"] * 3
    assert [finding["level"] for finding in looked].count("error") == 3


def test_a_list_of_skills_that_are_right_does_not_load_what_checks_workflows(cli: Cli) -> None:
    code = (
        "import sys; from prowess.cli.app import main\n"
        "sys.argv[1:] = ['list', '--json']\n"
        "try: main()\n"
        "finally: print('prowess.workflow.check' in sys.modules, file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stderr.strip() == "False"
