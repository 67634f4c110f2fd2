"""`prowess compare`: what a skill is worth, in figures that anybody can compute again."""

import asyncio
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from check.repository import Repository
from house import skill_file
from prowess.check.compare.comparison import Figure, figures
from prowess.check.compare.plot import bars, svg
from prowess.core.chat import Message
from prowess.core.errors import UnknownSkillError, UsageError
from prowess.core.evidence import Spec
from prowess.core.skill import Skill
from prowess.engine.comparing import Compared, Versus, compare
from prowess.model.scripted import Scripted, Turn, call, final
from prowess.settings import load_settings
from support import Cli, write_file
from terminal import on_terminal

TASKS = [
    Spec(
        id=f"T{number}",
        title=f"Write number {number}",
        criteria=(f"`out/{number}.txt` contains `number {number}`", f"{number} is explained"),
        files=("out/**",),
    )
    for number in range(1, 11)
]


@pytest.fixture
def repo(project: Path) -> Repository:
    made = Repository(project)
    made.put("README.md", "# Work\n")
    skill_file(project, "careful", "Work with great care: CAREFUL.")
    made.commit()
    return made


def evidence(number: int, criterion: str, location: str, quote: str) -> str:
    item = {"type": "file_inspection", "description": f"`{quote}`", "location": location}
    value = {
        "schemaVersion": 1,
        "taskId": f"T{number}",
        "verdict": "PASS",
        "criteria": [
            {
                "criterion": criterion,
                "verdict": "PASS",
                "evidence": [{**item, "confidence": 1.0}],
            }
        ],
        "filesAllowed": {"verdict": "PASS", "modifiedFiles": []},
    }
    return f"```json\n{json.dumps(value)}\n```"


def worker(messages: Sequence[Message]) -> Turn:
    """Careful: does the task and cites the right line. Otherwise: searches in a shell, and boasts."""
    number = int(re.findall(r"Write number (\d+)", messages[1].text)[0])
    said = sum(message.role == "assistant" for message in messages)
    path, text = f"out/{number}.txt", f"number {number}\nit is explained\n"
    if "CAREFUL" in messages[0].text:
        turns = [
            call("Write", file_path=path, content=text),
            call("Read", file_path=path),
            final(evidence(number, f"{number} is explained", f"{path}:2", "it is explained")),
        ]
    else:
        turns = [
            call("Bash", command="grep -rn number ."),
            call("Bash", command="grep -rn number ."),
            call("Write", file_path=path, content=text),
            final(evidence(number, f"{number} is explained", f"{path}:7", "it is explained")),
        ]
    return turns[said]


def looker(messages: Sequence[Message]) -> Turn:
    """Guided by the layers it cites a line that is there; without them one that is not."""
    guided = "Safe shell search" in messages[0].text
    line = "README.md:1" if guided else "README.md:5"
    return final(evidence(1, "it has a title", line, "# Work"))


def compared(repo: Repository, data: Path, versus: Versus, script: Any, tasks: Any) -> Compared:
    settings = load_settings(project=str(repo.folder), data=str(data), environment={})

    def model(name: str | None, skill: Skill | None) -> Scripted:
        return Scripted(script, name="scripted")

    return asyncio.run(compare(tasks, versus, settings, open_model=model))


def table(found: Compared) -> dict[str, tuple[float | None, ...]]:
    return {line.name: line.values for line in figures(found.trials, found.versus.ways)}


def test_ten_tasks_with_and_without_a_skill_are_told_apart_by_what_happened(
    repo: Repository, tmp_path: Path, cli: Cli
) -> None:
    found = compared(repo, tmp_path / "data", Versus(skill="careful"), worker, TASKS)

    told = table(found)
    assert len(found.trials) == 20
    listed = cli("runs", "list", "--data", tmp_path / "data", "--json").json
    assert {each["skill"] for each in listed} == {"with-careful", "without-careful"}
    assert told["success"] == (0.0, 1.0)
    assert told["evidence quality"] == (0.0, 1.0)
    assert told["shell-first searches"] == (2.0, 0.0)
    assert told["duplicate searches"] == (1.0, 0.0)
    assert told["searches per read"] == (None, 0.0)
    assert told["iterations"] == (4.0, 3.0)
    assert repo.git("status", "--porcelain") == ""

    again = cli("compare", "--from-log", found.id, "--data", tmp_path / "data", "--json")
    assert again.json["figures"] == {
        name: dict(zip(("without", "with"), values, strict=True)) for name, values in told.items()
    }
    assert again.json["trials"] == [each.as_json() for each in found.trials]


def test_layered_guidance_is_compared_by_the_evidence_it_leads_to(
    repo: Repository, tmp_path: Path
) -> None:
    task = Spec(id="T1", title="Title", criteria=("it has a title",))

    found = compared(repo, tmp_path / "data", Versus(), looker, [task])

    assert found.versus.ways == ("plain", "layered")
    assert table(found)["evidence quality"] == (0.0, 1.0)
    assert table(found)["success"] == (0.0, 1.0)


def test_who_proposes_nothing_has_no_success_by_what_the_check_sees_itself(
    repo: Repository, tmp_path: Path
) -> None:
    title = "`README.md` contains `# Work`"

    def script(messages: Sequence[Message]) -> Turn:
        guided = "Safe shell search" in messages[0].text
        return final(evidence(1, title, "README.md:1", "# Work") if guided else "It is so.")

    task = Spec(id="T1", title="Title", criteria=(title,))
    found = compared(repo, tmp_path / "data", Versus(), script, [task])

    assert {each.verdicts for each in found.trials} == {("PASS",)}
    assert table(found)["success"] == (0.0, 1.0)


def test_a_table_bars_and_a_picture_are_shown(repo: Repository, tmp_path: Path) -> None:
    found = compared(repo, tmp_path / "data", Versus(skill="careful"), worker, TASKS[:1])
    words = ["compare", "--from-log", found.id, "--data", str(tmp_path / "data")]

    shown = on_terminal(*words, "--svg", str(tmp_path / "p.svg"), columns=100, NO_COLOR="1")

    assert "FIGURE" in shown
    assert "  with     ████████████████████████  1" in shown
    texts = [each.text for each in ET.parse(tmp_path / "p.svg").iter() if each.text]  # noqa: S314
    assert "With and without careful, 1 task" in texts
    assert "evidence quality" in texts


def test_a_pipe_gets_the_rows_and_no_bars(repo: Repository, tmp_path: Path, cli: Cli) -> None:
    found = compared(repo, tmp_path / "data", Versus(skill="careful"), worker, TASKS[:1])

    done = cli("compare", "--from-log", found.id, "--data", tmp_path / "data")

    assert "success\t0\t1\tshare of runs" in done.out.splitlines()
    assert all(line.count("\t") == 3 for line in done.out.splitlines())


def test_bars_are_as_long_as_their_share_and_nothing_is_no_bar() -> None:
    lines = [Figure(name="tokens & more", unit="", values=(50.0, 100.0, None))]

    drawn = bars(lines, ("a", "b", "c")).splitlines()

    assert [line.count("█") for line in drawn] == [0, 12, 24, 0]
    assert drawn[3].endswith("-")
    assert "tokens &amp; more" in svg(lines, ("a", "b", "c"), title="<t>")


def test_what_cannot_be_compared_is_refused_before_anything_runs(
    repo: Repository, tmp_path: Path, cli: Cli
) -> None:
    tasks = write_file(tmp_path / "tasks.json", '{"id": "A", "title": "a"}')

    assert cli("compare", "--skill", "careful").code == 2
    assert cli("compare", "--tasks", tasks).code == 2
    assert cli("compare", "--tasks", tasks, "--skill", "careful", "--layered").code == 2
    demo = cli("compare", "--tasks", tasks, "--skill", "careful", "--model", "demo")
    assert "the demo model plays a script and reads no skill" in demo.err
    assert "no comparison 'x'" in cli("compare", "--from-log", "x").err
    missing = cli("compare", "--tasks", "nowhere.yaml", "--skill", "careful").err
    assert missing.startswith("prowess: nowhere.yaml cannot be read: No such file or directory\n")
    with pytest.raises(UnknownSkillError):
        compared(repo, tmp_path / "data", Versus(skill="none"), worker, TASKS)


@pytest.mark.parametrize(
    ("is_repository", "told"),
    [(False, "is not a git repository"), (True, "the repository has no commit yet")],
)
def test_a_project_without_a_commit_cannot_be_compared_in(
    project: Path, tmp_path: Path, *, is_repository: bool, told: str
) -> None:
    skill_file(project, "careful", "CAREFUL")
    if is_repository:
        subprocess.run(["git", "init", "-q", project], check=True)
    settings = load_settings(project=str(project), data=str(tmp_path / "data"), environment={})

    with pytest.raises(UsageError, match=told):
        asyncio.run(
            compare(
                TASKS, Versus(skill="careful"), settings, open_model=lambda *_: Scripted(worker)
            )
        )
