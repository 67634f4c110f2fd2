"""What can happen to a task, and what cannot."""

import pytest

from prowess.board import tasks
from prowess.core.board import TASK_STATUSES, Board, BoardTask, TaskStatus, task_status_named
from prowess.core.errors import ConflictError, NotOnBoardError, ProwessError, UsageError


def a_task(board: Board, title: str = "Fix it", **more: str) -> BoardTask:
    return tasks.create(board, title=title, **{"role": "Engineer", "priority": "high", **more})


def in_status(board: Board, status: TaskStatus) -> BoardTask:
    """A task that came to this status on the shortest way."""
    task = a_task(board)
    if status == "open":
        return task
    task = tasks.claim(board, task.id, session="Ogun")
    if status == "in-progress":
        return task
    return tasks.update(board, task.id, status=status, message="because")


# Making


def test_an_id_is_made_of_role_priority_and_one_counter_for_all(board: Board) -> None:
    made = [
        a_task(board),
        a_task(board, role="tester", priority="C"),
        a_task(board, role="WORKER", priority="low"),
    ]

    assert [task.id for task in made] == ["ENG-H-0001", "TES-C-0002", "WOR-L-0003"]


def test_tasks_stand_by_priority_then_prefix_then_number(board: Board) -> None:
    for role, priority in (
        ("Tester", "low"),
        ("Engineer", "medium"),
        ("Tester", "critical"),
        ("Engineer", "high"),
        ("Architect", "high"),
        ("Engineer", "high"),
    ):
        a_task(board, role=role, priority=priority)

    assert [task.id for task in board.tasks()] == [
        "TES-C-0003",
        "ARC-H-0005",
        "ENG-H-0004",
        "ENG-H-0006",
        "ENG-M-0002",
        "TES-L-0001",
    ]


def test_a_new_task_is_open_and_nobodys(board: Board) -> None:
    task = tasks.create(board, title="  Fix\n it ", role="engineer")

    assert (task.title, task.status, task.session, task.priority) == (
        "Fix it",
        "open",
        "",
        "medium",
    )
    assert task.created == task.updated != ""
    assert board.task(task.number) == task


def test_secrets_are_not_kept(board: Board) -> None:
    task = a_task(board, title="Log in with hunter2", description="hunter2, really")
    tasks.update(board, task.id, message="still hunter2")

    kept = board.task(task.number)
    assert kept
    assert (kept.title, kept.description) == ("Log in with [secret]", "[secret], really")
    assert board.messages(task)[-1].text == "still [secret]"


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ({"title": " "}, "say what"),
        ({"title": "x" * 201}, "within 200"),
        ({"description": "x" * 20_001}, "within 20,000"),
        ({"role": "Enginer"}, "did you mean Engineer?"),
        ({"role": "Pirate"}, "prowess roles"),
        ({"priority": "urgent"}, "critical, high, medium, low"),
    ],
)
def test_a_task_that_makes_no_sense_is_refused(
    board: Board, wrong: dict[str, str], hint: str
) -> None:
    with pytest.raises(UsageError) as refused:
        tasks.create(board, **{"title": "Fix it", "role": "Engineer", **wrong})

    assert hint in refused.value.hint
    assert board.tasks() == []


def test_a_task_needs_a_role_or_a_parent(board: Board) -> None:
    with pytest.raises(UsageError, match="whose"):
        tasks.create(board, title="Fix it")


def test_text_that_no_database_holds_is_kept_as_near_as_can_be(board: Board) -> None:
    task = a_task(board, title="a\udcffb\0c")

    assert task.title == "a\\udcffbc"
    assert board.task(task.number) == task


# Finding


def test_a_task_is_found_by_its_id_in_any_case(board: Board) -> None:
    task = a_task(board)

    assert tasks.find(board, "eng-h-0001") == task


@pytest.mark.parametrize("id", ["ENG-H-0002", "ENG-H-1", "1", "", "ENG-H-" + "9" * 30])
def test_a_task_that_is_not_there_is_not_found(board: Board, id: str) -> None:  # noqa: A002
    a_task(board)

    with pytest.raises(NotOnBoardError, match="there is no task"):
        tasks.find(board, id)


def test_an_id_with_another_priority_is_another_id_and_the_right_one_is_told(board: Board) -> None:
    a_task(board)

    with pytest.raises(NotOnBoardError) as unknown:
        tasks.find(board, "ENG-L-0001")

    assert unknown.value.hint == "did you mean ENG-H-0001?"


# Claiming


def test_who_claims_an_open_task_has_it(board: Board) -> None:
    taken = tasks.claim(board, a_task(board).id, session="ogun")

    assert (taken.status, taken.session) == ("in-progress", "Ogun")
    assert board.tasks(session="OGUN") == [taken]


def test_a_claimed_task_cannot_be_claimed_again_and_the_holder_is_named(board: Board) -> None:
    taken = tasks.claim(board, a_task(board).id, session="Ogun")

    with pytest.raises(ConflictError, match="Ogun has ENG-H-0001"):
        tasks.claim(board, taken.id, session="Eris")
    with pytest.raises(ConflictError, match="Ogun has ENG-H-0001 already"):
        tasks.claim(board, taken.id, session="Ogun")
    assert board.task(1) == taken


def test_who_is_not_at_work_cannot_claim(board: Board) -> None:
    task = a_task(board)

    with pytest.raises(NotOnBoardError, match="Sindri"):
        tasks.claim(board, task.id, session="Sindri")
    assert board.task(1) == task


@pytest.mark.parametrize("status", ["blocked", "done", "failed", "cancelled"])
def test_only_an_open_task_can_be_claimed(board: Board, status: TaskStatus) -> None:
    task = in_status(board, status)

    with pytest.raises(ConflictError):
        tasks.claim(board, task.id, session="Eris")


# Moving on


@pytest.mark.parametrize("wanted", TASK_STATUSES)
@pytest.mark.parametrize("status", TASK_STATUSES)
def test_a_task_moves_as_the_table_says_and_in_no_other_way(
    board: Board, status: TaskStatus, wanted: TaskStatus
) -> None:
    task = in_status(board, status)

    if wanted in tasks.NEXT[status]:
        assert tasks.update(board, task.id, status=wanted, message="so").status == wanted
    else:
        with pytest.raises(ConflictError) as refused:
            tasks.update(board, task.id, status=wanted, message="so")
        assert refused.value.hint
        assert board.task(task.number) == task


def test_an_open_task_must_be_claimed_before_it_is_done(board: Board) -> None:
    with pytest.raises(ConflictError) as refused:
        tasks.update(board, a_task(board).id, status="done")

    assert "prowess task claim ENG-H-0001" in refused.value.hint


@pytest.mark.parametrize("status", ["blocked", "failed"])
def test_blocked_and_failed_say_why_until_it_is_over(board: Board, status: TaskStatus) -> None:
    task = in_status(board, "in-progress")

    with pytest.raises(UsageError, match="message"):
        tasks.update(board, task.id, status=status)
    assert tasks.update(board, task.id, status=status, message="no key").reason == "no key"
    assert tasks.update(board, task.id, status="open").reason == ""


def test_a_task_set_to_open_is_free_for_others(board: Board) -> None:
    task = in_status(board, "in-progress")

    tasks.update(board, task.id, status="open", by="Ogun")

    assert tasks.claim(board, task.id, session="Eris").session == "Eris"


def test_a_blocked_task_goes_on_in_the_same_hands(board: Board) -> None:
    task = in_status(board, "blocked")

    assert tasks.update(board, task.id, status="in-progress").session == "Ogun"


def test_a_blocked_task_that_nobody_has_cannot_just_go_on(board: Board) -> None:
    task = a_task(board)
    tasks.update(board, task.id, status="blocked", message="no key")

    with pytest.raises(ConflictError, match="nobody"):
        tasks.update(board, task.id, status="in-progress")


def test_another_session_cannot_change_a_task_that_is_in_somebodys_hands(board: Board) -> None:
    task = in_status(board, "in-progress")

    with pytest.raises(ConflictError, match="Ogun"):
        tasks.update(board, task.id, status="done", by="Eris")
    assert tasks.update(board, task.id, status="done", by="Ogun").session == "Ogun"


def test_a_person_can_change_any_task(board: Board) -> None:
    assert tasks.update(board, in_status(board, "in-progress").id, status="cancelled").finished


def test_when_a_task_was_finished_is_known_until_it_is_opened_again(board: Board) -> None:
    done = in_status(board, "done")

    assert done.finished == done.updated
    assert tasks.update(board, done.id, status="open").finished == ""


def test_a_message_alone_changes_no_status(board: Board) -> None:
    task = in_status(board, "in-progress")

    assert tasks.update(board, task.id, message="half way").status == "in-progress"
    with pytest.raises(UsageError):
        tasks.update(board, task.id)


def test_all_that_was_said_is_kept_in_order(board: Board) -> None:
    task = in_status(board, "in-progress")
    tasks.update(board, task.id, status="blocked", message="no key", by="Ogun")

    assert [(said.by, said.status, said.text) for said in board.messages(task)] == [
        ("", "open", ""),
        ("Ogun", "in-progress", ""),
        ("Ogun", "blocked", "no key"),
    ]


# Parents


def test_a_subtask_takes_after_its_parent(board: Board) -> None:
    parent = a_task(board)

    below = tasks.create(board, title="First half", parent=parent.id)
    other = tasks.create(board, title="Try it", parent=parent.id, role="Tester", priority="low")

    assert (below.id, other.id) == ("ENG-H-0002", "TES-L-0003")
    assert board.tasks(parent=parent.id) == [below, other]


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
def test_a_task_is_not_finished_before_its_subtasks(board: Board, status: TaskStatus) -> None:
    parent = in_status(board, "in-progress")
    below = tasks.create(board, title="Half", parent=parent.id)

    with pytest.raises(ConflictError, match=below.id):
        tasks.update(board, parent.id, status=status, message="so")
    tasks.update(board, below.id, status="cancelled")
    assert tasks.update(board, parent.id, status=status, message="so").status == status


def test_a_finished_task_takes_no_subtasks_and_gets_none_back(board: Board) -> None:
    parent = in_status(board, "in-progress")
    below = tasks.create(board, title="Half", parent=parent.id)
    tasks.update(board, below.id, status="cancelled")
    tasks.update(board, parent.id, status="done")

    with pytest.raises(ConflictError) as no_more:
        tasks.create(board, title="More", parent=parent.id)
    with pytest.raises(ConflictError) as not_back:
        tasks.update(board, below.id, status="open")
    for told in (no_more, not_back):
        assert f"prowess task update {parent.id} --status open" in told.value.hint


def test_a_parent_must_be_there(board: Board) -> None:
    with pytest.raises(NotOnBoardError):
        tasks.create(board, title="Half", parent="ENG-H-0001")


# Words


@pytest.mark.parametrize(
    ("word", "status"),
    [("completed", "done"), ("in_progress", "in-progress"), ("In Progress", "in-progress")],
)
def test_the_words_of_other_tools_are_understood(word: str, status: str) -> None:
    assert task_status_named(word) == status


def test_a_word_that_is_no_status_is_refused_with_those_that_are() -> None:
    with pytest.raises(ProwessError) as refused:
        task_status_named("finito")

    assert all(status in refused.value.hint for status in TASK_STATUSES)
