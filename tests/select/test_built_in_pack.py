"""With nothing installed but the built-in pack: plain tasks find its skills, and others find none."""

from pathlib import Path

import pytest

import prowess
from prowess.discover.catalog import open_catalog
from prowess.discover.roots import Root
from prowess.engine import Asking, ask
from prowess.settings import Settings


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Asking:
    root = Path(prowess.__file__).parent / "pack"
    settings = Settings(data=str(tmp_path_factory.mktemp("data")))
    return ask(open_catalog([Root(str(root), "builtin")], index_folder=None), settings)


@pytest.mark.parametrize(
    ("task", "skill"),
    [
        ("start a session on the board", "session-start"),
        ("close the session and leave the board in order", "session-end"),
        ("report on open tasks", "tasks-report"),
        ("add a task to the board", "task-management"),
        ("hand this work over with a handoff", "handoff-workflow"),
        ("create a skill for our release notes", "skill-author"),
        ("write a new skill from these notes", "skill-author"),
        ("review this pull request", "code-quality"),
        ("verify the acceptance criteria", "task-spec-check"),
        ("check whether the task is done", "task-spec-check"),
        ("grep returned nothing", "safe-shell-search"),
        ("search the code base for a setting", "safe-shell-search"),
        ("list skills with the prowess command", "prowess-cli"),
        ("split this goal into tasks", "prowess-orchestrator"),
        ("code quality", "code-quality"),
        ("tasks report", "tasks-report"),
        ("report on tasks", "tasks-report"),
        ("skill author", "skill-author"),
        ("start my session", "session-start"),
        ("end the session", "session-end"),
    ],
)
def test_a_plain_task_finds_the_skill_of_the_pack(pack: Asking, task: str, skill: str) -> None:
    assert [match.name for match in pack.match(task, limit=1)] == [skill]


@pytest.mark.parametrize(
    ("task", "skill"),
    [
        ("review my change", "code-quality"),
        ("write a new skill", "skill-author"),
        ("hand over my work", "handoff-workflow"),
        ("search the code base", "safe-shell-search"),
        ("verify that the task is done", "task-spec-check"),
    ],
)
def test_a_task_too_short_to_be_sure_has_its_skill_nearest(
    pack: Asking, task: str, skill: str
) -> None:
    assert pack.nearest(task, limit=1)[0].name == skill


# Long enough to have some words in common with anything.
@pytest.mark.parametrize(
    "task",
    [
        (
            "Bake a chocolate birthday cake for Anna: first read the recipe in the kitchen, write a shopping list, check whether "
            "the oven works before you begin, look at the flour, open the windows, and when it is done put a note on the table "
            "with what is left over so that nobody has to search for it or ask again."
        ),
        (
            "Plan a two week holiday in Italy for a family of four, with trains between Rome, Florence and Venice, find hotels "
            "that are not too expensive, check the opening times of the museums, and write down what to see each day and where "
            "to eat in the evening, with a second choice for rainy days."
        ),
        (
            "Water the plants in the living room every second day while we are away, open the windows in the morning, close them "
            "before you leave, take the letters out of the box and put them on the table, and call me if anything looks broken."
        ),
        (
            "Draw a picture of a fox reading a newspaper in the park, in the style of an old book, and check that the hands look "
            "right"
        ),
    ],
)
def test_a_long_task_that_no_skill_fits_gets_none(pack: Asking, task: str) -> None:
    assert pack.match(task, limit=2) == []
    assert pack.match(task, limit=2, abstain=False) != []
