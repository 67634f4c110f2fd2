"""Ticking a plan that belongs to a person: exactly one mark changes, at the right task, or nothing."""

import stat
from pathlib import Path

import pytest

from prowess.core.task import Task
from prowess.loop import marks
from support import write_file

PLAN = "# Plan\r\n\r\n- [ ] One\r\n  - a criterion\r\n- [ ] Two\r\n"


def task(path: Path, label: str) -> Task:
    plan = marks.read(str(path))
    assert plan
    return next(each for each in plan.tasks if each.label == label)


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "PLAN.md"
    path.write_bytes(PLAN.encode())
    return path


def test_one_mark_changes_and_no_other_byte(plan: Path) -> None:
    assert marks.tick(str(plan), task(plan, "Two"), "R")

    assert plan.read_bytes() == PLAN.replace("[ ] Two", "[R] Two").encode()


def test_a_task_that_has_moved_is_found_by_its_words(plan: Path) -> None:
    two = task(plan, "Two")
    plan.write_text("Preface.\n\n" + plan.read_text() + "- [ ] Three\n")

    assert marks.tick(str(plan), two, "x")
    assert "- [x] Two" in plan.read_text()
    assert "- [ ] Three" in plan.read_text()


@pytest.mark.parametrize("above", ["", "Two lines\n\n"], ids=["where it was", "moved"])
def test_of_two_tasks_with_the_same_words_the_same_is_ticked(plan: Path, above: str) -> None:
    twins = "- [ ] Test it\n- [ ] Other\n- [ ] Test it\n"
    plan.write_text(twins)
    read = marks.read(str(plan))
    assert read
    plan.write_text(above + twins)

    marks.tick(str(plan), read.tasks[2], "R")

    assert plan.read_text() == above + "- [ ] Test it\n- [ ] Other\n- [R] Test it\n"


def test_of_two_tasks_with_the_same_words_the_one_that_is_left_is_ticked(plan: Path) -> None:
    plan.write_text("- [R] Test it\n- [ ] Other\n- [ ] Test it\n")
    read = marks.read(str(plan))
    assert read
    plan.write_text("- [ ] Other\n- [ ] Test it\n")

    marks.tick(str(plan), read.tasks[2], "R")

    assert plan.read_text() == "- [ ] Other\n- [R] Test it\n"


def test_a_task_that_is_gone_changes_nothing(plan: Path) -> None:
    two = task(plan, "Two")
    plan.write_text("- [ ] One\n")

    assert not marks.tick(str(plan), two, "R")
    assert plan.read_text() == "- [ ] One\n"


def test_ticking_twice_is_ticking_once(plan: Path) -> None:
    two = task(plan, "Two")
    marks.tick(str(plan), two, "R")
    first = plan.stat()

    assert marks.tick(str(plan), two, "R")
    assert plan.stat().st_ino == first.st_ino


def test_the_rights_of_the_file_stay_and_nothing_lies_beside_it(plan: Path) -> None:
    plan.chmod(0o640)

    marks.tick(str(plan), task(plan, "One"), "~")

    assert stat.S_IMODE(plan.stat().st_mode) == 0o640
    assert [each.name for each in plan.parent.iterdir()] == ["PLAN.md"]


@pytest.mark.parametrize("data", [b"", b"Nothing to do.\n", b"\xff\xfe\0", b"- [ ]text\n-[ ] x\n"])
def test_a_plan_without_a_task_is_none(tmp_path: Path, data: bytes) -> None:
    path = tmp_path.resolve() / "PLAN.md"
    path.write_bytes(data)

    assert marks.read(str(path)) is None


def test_marks_of_done_work_that_somebody_else_set_are_taken_back(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "PLAN.md"
    write_file(path, "- [ ] One\n- [ ] Two\n- [R] Three\n- [ ] Four\n- [~] Five\n")
    before = marks.now(str(path))
    write_file(path, "- [R] One\n- [x] Two\n- [R] Three\n- [~] Four\n- [R] Five\n- [x] New\n")

    undone = marks.undo_ticks(str(path), before)

    assert undone == ["One", "Two", "Five"]
    assert path.read_text() == (
        "- [ ] One\n- [ ] Two\n- [R] Three\n- [~] Four\n- [~] Five\n- [x] New\n"
    )
