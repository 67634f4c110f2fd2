"""`prowess check`, as a person runs it on a change made by hand."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from check.repository import Repository
from model.formats import Say
from model.server import ModelServer
from support import Cli, write_file
from terminal import on_terminal

PLAN = """# Plan

- [R] Begin
- [x] Add the units
  - files: lib/**
  - `lib/units.py` contains `UNITS = 3`
- [ ] Say it in the README
  - `README.md` mentions `units`

## Validation commands

```bash
test -f lib/units.py
```
"""


@pytest.fixture
def repo(project: Path) -> Repository:
    made = Repository(project)
    made.put("README.md", "# Work\n")
    made.put("PLAN.md", PLAN)
    made.commit()
    made.put("lib/units.py", "UNITS = 3\n")
    return made


def claimed(path: Path, location: str, quote: str) -> Path:
    evidence = {"type": "file_inspection", "description": f"`{quote}`", "confidence": 1.0}
    value: dict[str, Any] = {
        "schemaVersion": 1,
        "taskId": "T1",
        "verdict": "PASS",
        "criteria": [
            {
                "criterion": "there are three units",
                "verdict": "PASS",
                "evidence": [{**evidence, "location": location}],
            }
        ],
        "filesAllowed": {"verdict": "PASS", "modifiedFiles": []},
    }
    return write_file(path, json.dumps(value))


def task_file(path: Path, **fields: Any) -> Path:
    task = {"id": "T1", "title": "Units", "acceptanceCriteria": ["there are three units"]}
    return write_file(path, json.dumps({**task, **fields}))


def test_the_last_task_marked_done_is_checked_and_its_proof_told(
    cli: Cli, repo: Repository
) -> None:
    done = cli("check")

    assert done.code == 0
    assert "PASS\t`lib/units.py` contains `UNITS = 3`\tlib/units.py holds" in done.out
    assert "PASS\tThe validation command `test -f lib/units.py` succeeds\texit code 0" in done.out
    assert "passed: Add the units (2 of 2 proven, 1 changed file)" in done.out


def test_artifacts_lie_in_the_project_and_git_does_not_see_them(cli: Cli, repo: Repository) -> None:
    cli("check")

    folder = repo.folder / ".prowess/check/add-the-units"
    assert json.loads((folder / "phase-report.json").read_text())["outcome"] == "passed"
    assert ".prowess" not in repo.git("status", "--porcelain")


def test_a_task_is_named_by_its_line_or_a_part_of_its_text(cli: Cli, repo: Repository) -> None:
    by_line, by_text = cli("check", "7", "--json"), cli("check", "in the readme", "--json")

    assert by_line.json["task"] == by_text.json["task"] == "say-it-in-the-readme"
    assert by_line.code == by_text.code == 1
    assert by_line.json["criteria"][0]["verdict"] == "FAIL"
    assert "failed: Say it in the README" in cli("check", "7").out


def test_a_name_that_fits_none_or_several_tasks_is_refused(cli: Cli, repo: Repository) -> None:
    assert "no task of the plan fits 'nothing'" in cli("check", "nothing").err
    assert "3 tasks of the plan fit 'i'" in cli("check", "i", "--plan", "PLAN.md").err
    assert cli("check", "nothing").code == 2
    assert "there is no file task.json, and no task of the plan" in cli("check", "task.json").err


def test_a_change_outside_the_allowed_files_is_a_no(cli: Cli, repo: Repository) -> None:
    repo.put("setup.py")

    assert "(2 of 2 proven, 2 changed files, 1 of them outside `files:`)" in cli("check").out
    done = cli("check", "--json", "--out", repo.folder / "proof")

    assert done.code == 1
    assert done.json["verdict"] == "FAIL"
    assert done.json["reasons"] == ["setup.py was changed and matches none of the allowed files"]
    assert "Put setup.py back" in (repo.folder / "proof/task-feedback.md").read_text()


def test_work_that_was_committed_is_found_from_its_base(cli: Cli, repo: Repository) -> None:
    start = repo.git("rev-parse", "HEAD")
    repo.commit()

    told = cli("check").out
    assert "no file differs" in told
    assert "name the commit before it (--base HEAD~1)" in told
    assert "not proven: Add the units (2 of 3 proven, 0 changed files)" in told
    assert "failed" not in told
    assert cli("check", "--base", start).code == 0
    assert cli("check", "--base", "HEAD~1").code == 0
    assert "there is no commit 'nowhere'" in cli("check", "--base", "nowhere").err


def test_evidence_from_a_file_is_looked_at_and_not_believed(
    cli: Cli, repo: Repository, tmp_path: Path
) -> None:
    task = task_file(tmp_path / "task.json")
    right = claimed(tmp_path / "right.json", "lib/units.py:1", "UNITS = 3")
    wrong = claimed(tmp_path / "wrong.json", "lib/units.py:9", "UNITS = 3")

    taken = cli("check", task, "--evidence", right)
    assert taken.code == 0
    assert "passed: Units (0 of 1 proven, 1 as cited, 1 changed file)" in taken.out
    (told,) = [each for each in cli("log", "--json").json if each["kind"] == "check.finished"]
    assert told["payload"]["summary"] == "Check passed: 0 of 1 criteria proven, 1 as cited"
    refused = cli("check", task, "--evidence", wrong)
    assert refused.code == 1
    assert "has 1 lines, and line 9 is cited" in refused.out


def test_a_file_of_tasks_is_held_to_its_rules(cli: Cli, repo: Repository, tmp_path: Path) -> None:
    one = {"id": "A", "title": "a", "dependsOn": ["B"]}
    two = {"id": "B", "title": "b", "dependsOn": ["A", "C"]}
    rows = write_file(tmp_path / "tasks.json", json.dumps([one, two, one]))
    odd = write_file(tmp_path / "odd.yaml", "id: A\nacceptanceCriteria: yes\nowner: me\n")

    told = cli("check", rows, "--json").json["message"]

    for problem in (
        "DUPLICATE_ID: A",
        "MISSING_DEPENDENCY: B needs C",
        "CYCLE_DETECTED: A -> B -> A",
    ):
        assert problem in told
    wrong = cli("check", odd, "--json").json["message"]
    assert "title is missing" in wrong
    assert "acceptanceCriteria: must be array" in wrong
    assert "unknown key 'owner'" in wrong


def test_of_several_tasks_one_is_named_or_the_one_under_way_is_taken(
    cli: Cli, repo: Repository, tmp_path: Path
) -> None:
    text = (
        "tasks:\n"
        "- {id: A, title: a, status: passed}\n"
        "- {id: B, title: b, dependsOn: [A]}\n"
        "- {id: C, title: c, status: in_progress}\n"
    )
    tasks = write_file(tmp_path / "tasks.yaml", text)

    assert cli("check", tasks, "--json").json["task"] == "C"
    assert cli("check", tasks, "--id", "B", "--json").json["task"] == "B"
    assert cli("check", tasks, "--id", "X").code == 2
    write_file(tmp_path / "tasks.yaml", text.removeprefix("tasks:\n"))
    assert cli("check", tasks, "--id", "B", "--json").json["task"] == "B"


def test_a_task_with_nothing_to_check_is_not_passed(
    cli: Cli, repo: Repository, tmp_path: Path
) -> None:
    done = cli("check", task_file(tmp_path / "t.json", acceptanceCriteria=[]))

    assert done.code == 1
    assert "unproven: Units" in done.out


def test_an_agent_may_propose_and_is_not_believed_either(
    cli: Cli, repo: Repository, tmp_path: Path
) -> None:
    task = task_file(tmp_path / "task.json")
    right = claimed(tmp_path / "right.json", "lib/units.py:1", "UNITS = 3").read_text()
    for said, code in ((f"```json\n{right}\n```", 0), ("All tests pass. PASS.", 1)):
        with ModelServer(Say(text=said)) as server:
            done = cli("check", task, "--json", "--model", f"{server.url}/v1#m")

        assert done.code == code
        sent = server.requests[0].body
        assert "there are three units" in json.dumps(sent)
        assert {tool["function"]["name"] for tool in sent["tools"]} >= {"Read", "Grep"}
    assert done.json["ignored"] == [{"what": "the answer", "why": "it holds no evidence JSON"}]
    assert "rollout_flag_missing" in done.err


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("", "rollout_flag_missing"),
        ("use_layered_skills = false", "rollout_flag_disabled"),
        ('use_layered_skills = "true"', "rollout_flag_invalid"),
        ("use_layered_skills = 1", "rollout_flag_invalid"),
        ("use_layered_skills = true", ""),
    ],
)
def test_the_layers_guide_where_the_setting_is_literally_true_and_else_the_reason_is_in_the_log(
    cli: Cli, repo: Repository, tmp_path: Path, setting: str, reason: str
) -> None:
    write_file(repo.folder / "prowess.toml", f"[check]\n{setting}\n")
    with ModelServer(Say(text="PASS")) as server:
        cli("check", task_file(tmp_path / "task.json"), "--model", f"{server.url}/v1#m")

    asked = json.dumps(server.requests[0].body)
    layers = ("Skill read: safe-shell-search", "Skill read: task-spec-check")
    assert [layer in asked for layer in layers] == [not reason] * 2
    (told,) = (each for each in cli("log", "--json").json if each["kind"] == "check.layered")
    assert (told["payload"]["on"], told["payload"]["reason"]) == (not reason, reason)


def test_a_check_is_in_the_log(cli: Cli, repo: Repository) -> None:
    cli("check")

    lines = cli("log", "--json").json
    assert [each["kind"] for each in lines if each["kind"].startswith("check.")] == [
        "check.criterion",
        "check.criterion",
        "check.finished",
    ]


def test_secrets_in_output_do_not_reach_the_artifacts(
    cli: Cli, repo: Repository, tmp_path: Path
) -> None:
    token = "ghp_" + "a1B2" * 9
    repo.put("leak.sh", f"echo 'token is {token}' && false\n")
    task = task_file(tmp_path / "t.json", acceptanceCriteria=["`bash leak.sh` succeeds"])

    done = cli("check", task, "--json", "--out", tmp_path / "out")

    assert "token is" in done.out
    texts = [done.out, *(path.read_text() for path in (tmp_path / "out").iterdir())]
    assert not any(token in text for text in texts)


def test_a_file_name_that_is_no_text_is_told_and_kept(cli: Cli, repo: Repository) -> None:
    with open(os.path.join(os.fsencode(repo.folder), b"a\xff.py"), "wb"):
        pass

    done = cli("check", "--json")

    assert done.code == 1
    assert "matches none of the allowed files" in done.json["reasons"][0]
    assert done.err == ""
    assert cli("check").code == 1


def test_on_a_terminal_each_verdict_has_its_colour(repo: Repository, tmp_path: Path) -> None:
    repo.put("lib/units.py", "UNITS = 3\n")
    criteria = ["`lib/units.py` exists", "`lib/no.py` exists", "it is clear"]
    task = task_file(tmp_path / "task.json", acceptanceCriteria=criteria)

    for columns in (100, 30):
        shown = on_terminal("check", str(task), columns=columns)
        assert "\x1b[32mPASS" in shown
        assert "\x1b[31mFAIL" in shown
        assert "\x1b[33mINCONCLUSIVE" in shown
        assert "\x1b[3" not in on_terminal("check", str(task), columns=columns, NO_COLOR="1")
