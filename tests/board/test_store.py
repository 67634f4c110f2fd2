"""The contract of the board's store: whole changes, told in the log, one after the other."""

import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from prowess.board import handoffs, schema, sessions, store, tasks
from prowess.board.store import SqliteBoard
from prowess.core.board import RUN, Board
from prowess.core.errors import ConflictError, NotOnBoardError, OutsideError
from prowess.core.event import Recorded
from prowess.observe.log import SqliteLog

OpenBoard = Callable[[], Board]

# Another process with the board open, which begins when it gets a line and tells what came of it.
AGENT = """
import sys
from prowess.board import sessions, tasks
from prowess.board.store import SqliteBoard
from prowess.core.errors import ConflictError

path, what, name = sys.argv[1:]
board = SqliteBoard(path, clean=str)
if what == "claim":
    sessions.start(board, name, role="Engineer")
print("ready", flush=True)
sys.stdin.readline()
for number in range(1, 11):
    if what == "create":
        print(tasks.create(board, title=name, role="Engineer").id, flush=True)
        continue
    try:
        print(tasks.claim(board, f"ENG-M-{number:04d}", session=name).session, flush=True)
    except ConflictError as told:
        print(told, flush=True)
"""


def together(file: Path, what: str, names: list[str]) -> list[list[str]]:
    """Let several processes do the same at once; what each of them printed."""
    agents = [
        subprocess.Popen(
            [sys.executable, "-c", AGENT, str(file), what, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    for agent in agents:
        assert agent.stdout
        assert agent.stdout.readline() == "ready\n"
    for agent in agents:
        assert agent.stdin
        agent.stdin.write("go\n")
        agent.stdin.flush()
    told = [agent.communicate(timeout=60)[0].splitlines() for agent in agents]
    assert [agent.returncode for agent in agents] == [0] * len(names)
    return told


def events(file: Path) -> list[Recorded]:
    log = SqliteLog(str(file))
    found = list(log.run(RUN))
    log.close()
    return found


# One after the other


def test_of_several_processes_that_claim_a_task_one_gets_it_and_the_others_are_told_who(
    board: Board, file: Path
) -> None:
    for _ in range(10):
        tasks.create(board, title="Fix it", role="Engineer")
    names = ["Brokkr", "Sindri", "Wayland", "Kothar"]

    told = together(file, "claim", names)

    for number, answers in enumerate(zip(*told, strict=True), 1):
        winner = board.task(number).session  # type: ignore[union-attr]
        assert winner in names
        for name, answer in zip(names, answers, strict=True):
            assert answer == (winner if name == winner else f"{winner} has ENG-M-{number:04d}")
    assert [each.event.kind for each in events(file)].count("task.claimed") == 10


def test_nobody_else_can_begin_a_change_while_one_is_under_way(
    board: Board, open_board: OpenBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = tasks.create(board, title="Fix it", role="Engineer")
    monkeypatch.setattr(store, "PATIENCE", 0)
    other = open_board()

    with board.changing(), pytest.raises(OutsideError, match="locked"):  # though nothing is written
        tasks.claim(other, task.id, session="Ogun")
    assert tasks.claim(other, task.id, session="Ogun").session == "Ogun"


def test_no_number_is_given_twice_by_several_processes(board: Board, file: Path) -> None:
    told = together(file, "create", ["one", "two", "three", "four"])

    made = [id for each in told for id in each]  # noqa: A001
    assert sorted(made) == [f"ENG-M-{number:04d}" for number in range(1, 41)]
    assert [each.seq for each in events(file)] == list(
        range(1, 43)
    )  # with the two that came to work


def test_a_number_is_not_given_again_when_its_task_is_gone(board: Board, file: Path) -> None:
    tasks.create(board, title="Fix it", role="Engineer")
    with sqlite3.connect(file) as database:
        database.execute("delete from board_task")
    database.close()

    assert tasks.create(board, title="Fix it", role="Engineer").number == 2


def test_threads_share_a_board(board: Board) -> None:
    task = tasks.create(board, title="Fix it", role="Engineer")

    def attempt(number: int) -> bool:
        name = f"Agent-{number}"
        sessions.start(board, name, role="Engineer")
        try:
            return tasks.claim(board, task.id, session=name).session == name
        except ConflictError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(8))) == 1


def test_what_one_changes_the_other_sees(board: Board, open_board: OpenBoard) -> None:
    other = open_board()
    task = tasks.create(board, title="Fix it", role="Engineer")

    tasks.claim(other, task.id, session="Ogun")

    assert board.tasks() == other.tasks()
    assert board.tasks()[0].session == "Ogun"


# Told in the log


def test_every_change_is_told_in_the_log_with_what_it_left(board: Board, file: Path) -> None:
    task = tasks.create(board, title="Fix it", role="Engineer")
    tasks.claim(board, task.id, session="Ogun")
    done = tasks.update(board, task.id, status="done", message="it stands", by="Ogun")
    handoffs.create(board, sender="Ogun", to_role="Tester", text="try it")
    handoffs.create(board, sender="Ogun", to_role="Tester", text="try that")
    handoffs.accept(board, 1, session="Eris")
    handoffs.complete(board, 1)
    handoffs.cancel(board, 2)
    tasks.update(board, task.id, status="open")
    sessions.end(board, "Ogun")

    told = events(file)

    assert [each.event.kind for each in told] == [
        "session.started",
        "session.started",
        "task.created",
        "task.claimed",
        "task.done",
        "handoff.created",
        "handoff.created",
        "handoff.accepted",
        "handoff.completed",
        "handoff.cancelled",
        "task.updated",
        "session.ended",
    ]
    assert told[4].event.payload == {
        "summary": "ENG-M-0001 is done: Fix it",
        "visibility": "SUMMARY",
        "by": "Ogun",
        "message": "it stands",
        "task": done.as_json(),
    }


def test_the_board_is_no_run(board: Board, file: Path) -> None:
    log = SqliteLog(str(file))

    assert log.runs(limit=10) == []
    log.close()


def test_a_secret_reaches_neither_the_tables_nor_the_log(board: Board, file: Path) -> None:
    task = tasks.create(board, title="hunter2", role="Engineer", description="hunter2")
    tasks.update(board, task.id, status="blocked", message="hunter2")
    handoffs.create(board, sender="Ogun", to_role="Tester", text="hunter2")
    sessions.start(board, "Loki", role="Tester", task="hunter2")
    sessions.end(board, "Loki", summary="hunter2")
    board.close()

    assert b"hunter2" not in b"".join(path.read_bytes() for path in file.parent.iterdir())


# Whole or not at all


def test_a_change_that_fails_leaves_neither_a_row_nor_an_event(board: Board, file: Path) -> None:
    before = events(file)
    task = tasks.create(board, title="Fix it", role="Engineer")
    told = events(file)

    with pytest.raises(RuntimeError), board.changing() as change:  # noqa: PT012  the change is what fails
        change.keep(task, "task.updated", summary="again")
        raise RuntimeError

    assert len(told) == len(before) + 1
    assert events(file) == told
    assert len(board.messages(task)) == 1


def test_a_session_that_cannot_end_gives_nothing_back(board: Board, file: Path) -> None:
    with pytest.raises(NotOnBoardError):
        sessions.end(board, "Sindri")

    assert len(events(file)) == 2
    assert sessions.at_work(board, "Ogun")  # the board goes on


def test_a_change_is_lost_whole_when_its_event_cannot_be_told(board: Board, file: Path) -> None:
    with sqlite3.connect(file) as database:
        database.execute("alter table event rename to gone")
    database.close()

    with pytest.raises(OutsideError, match="cannot be used"):
        tasks.create(board, title="Fix it", role="Engineer")
    assert board.tasks() == []


# The file


def test_the_board_is_there_again_when_it_is_opened_again(
    board: Board, open_board: OpenBoard
) -> None:
    task = tasks.create(board, title="Fix it", role="Engineer")
    board.close()

    assert open_board().tasks() == [task]


def test_the_file_is_for_its_owner_only(board: Board, file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_no_log_made_is_not_made_here(tmp_path: Path) -> None:
    with pytest.raises(OutsideError):
        SqliteBoard(str(tmp_path / "none"), clean=str)
    assert list(tmp_path.iterdir()) == []


def test_a_path_may_hold_any_character(tmp_path: Path) -> None:
    path = str(tmp_path / "a?b#c%20 d")
    SqliteLog(path).close()
    board = SqliteBoard(path, clean=str)

    assert board.tasks() == []
    board.close()


def test_a_board_of_a_newer_version_is_refused_and_left_alone(board: Board, file: Path) -> None:
    board.close()
    with sqlite3.connect(file) as database:
        database.execute("insert into board_version values (?)", (len(schema.MIGRATIONS) + 1,))
    database.close()

    with pytest.raises(OutsideError, match="newer version"):
        SqliteBoard(str(file), clean=str)


def test_an_older_board_is_brought_up_to_date_with_all_that_is_in_it(
    board: Board, file: Path, open_board: OpenBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = tasks.create(board, title="Fix it", role="Engineer")
    board.close()
    newer = (*schema.MIGRATIONS, ("create table board_more (number integer)",))
    monkeypatch.setattr(schema, "MIGRATIONS", newer)

    assert open_board().tasks() == open_board().tasks() == [task]
    with sqlite3.connect(file) as database:
        versions = database.execute("select version from board_version").fetchall()
    database.close()
    assert versions == [(number,) for number in range(1, len(newer) + 1)]


def test_several_processes_may_open_a_new_board_at_once(file: Path) -> None:
    opening = "import sys; from prowess.board.store import SqliteBoard; SqliteBoard(sys.argv[1], clean=str).close()"
    opened = [
        subprocess.Popen([sys.executable, "-c", opening, str(file)], stderr=subprocess.PIPE)
        for _ in range(4)
    ]

    assert [process.communicate(timeout=60)[1] for process in opened] == [b""] * 4


def test_the_log_goes_on_beside_the_board(board: Board, file: Path) -> None:
    log = SqliteLog(str(file))
    last = list(log.tail())[-1]

    tasks.create(board, title="Fix it", role="Engineer")

    assert [each.event.kind for each in log.tail(after=last.position)] == ["task.created"]
    log.close()
