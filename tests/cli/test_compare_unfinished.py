"""A comparison that was ended before its end is none yet, and says how far it came."""

import asyncio
from pathlib import Path

import pytest

from check.repository import Repository
from house import skill_file
from prowess.check.compare.comparison import Trial, figures
from prowess.check.compare.hygiene import Hygiene
from prowess.core.evidence import Spec
from prowess.engine.comparing import Compared, Versus, compare
from prowess.model.scripted import Scripted, final
from prowess.settings import load_settings
from support import Cli

TASKS = [Spec(id=f"T{number}", title="One") for number in range(1, 4)]
WAYS = ("without", "with")


@pytest.fixture
def repo(project: Path) -> Repository:
    made = Repository(project)
    made.put("README.md", "# Work\n")
    skill_file(project, "careful", "CAREFUL")
    made.commit()
    return made


class KilledError(Exception):
    """What ends a comparison in the middle."""


def compared(repo: Repository, data: Path, *, lines: list[str], killed_after: int = 99) -> Compared:
    def tell(line: str) -> None:
        lines.append(line)
        if len(lines) > killed_after:
            raise KilledError

    settings = load_settings(project=str(repo.folder), data=str(data), environment={})
    versus = Versus(skill="careful")
    return asyncio.run(
        compare(
            TASKS,
            versus,
            settings,
            open_model=lambda *_: Scripted(lambda messages: final("Done.")),
            tell=tell,
        )
    )


def trial(task: str, way: str, *, success: bool, number: int = 1, unanswered: str = "") -> Trial:
    return Trial(
        task=task,
        way=way,
        number=number,
        run="r",
        success=success,
        cited=0,
        confirmed=0,
        tokens=100,
        cost=None,
        iterations=1,
        hygiene=Hygiene(),
        unanswered=unanswered,
    )


def test_one_that_was_killed_is_told_to_be_unfinished(
    repo: Repository, tmp_path: Path, cli: Cli
) -> None:
    lines: list[str] = []
    with pytest.raises(KilledError):
        compared(repo, tmp_path / "data", lines=lines, killed_after=3)
    key = lines[0].removeprefix("comparison ")

    words = ("compare", "--from-log", key, "--data", tmp_path / "data")
    done, told = cli(*words), cli(*words, "--json")

    assert done.code == told.code == 1
    assert "With and without careful: 3 tasks, unfinished: 3 of 6 runs." in done.err
    assert "1 run left out too: the same was not answered in the other way." in done.err
    assert (told.json["unfinished"], told.json["planned"]) == (True, 6)


def test_a_whole_one_is_not(repo: Repository, tmp_path: Path, cli: Cli) -> None:
    found = compared(repo, tmp_path / "data", lines=[])

    done = cli("compare", "--from-log", found.id, "--data", tmp_path / "data")

    assert done.code == 0
    assert "3 tasks, 6 runs." in done.err


def test_clones_of_one_that_was_killed_are_gone_with_the_next(
    repo: Repository, tmp_path: Path
) -> None:
    left = tmp_path / "data" / "compare" / "prowess-compare-left" / "T1-with-1"
    left.mkdir(parents=True)

    compared(repo, tmp_path / "data", lines=[])

    assert list((tmp_path / "data" / "compare").iterdir()) == []


def test_figures_are_of_what_both_ways_answered() -> None:
    trials = [
        trial("A", "without", success=True),
        trial("A", "with", success=False, unanswered="away"),
        trial("B", "without", success=False),
        trial("B", "with", success=True),
        trial("C", "without", success=True),
    ]

    found = {each.name: each for each in figures(trials, WAYS)}

    assert found["success"].values == (0.0, 1.0)


def test_who_won_which_task_is_told_beside_the_mean() -> None:
    ends = {"A": (True, False), "B": (False, True), "C": (False, True), "D": (True, True)}
    trials = [
        trial(task, way, success=good)
        for task, both in ends.items()
        for way, good in zip(WAYS, both, strict=True)
    ]

    (won,) = [each for each in figures(trials, WAYS) if each.name == "tasks won"]

    assert won.values == (1.0, 2.0)
    assert won.unit == "tasks, by success; 1 of 4 the same"
