"""
The contract of the board's store, held on both databases: whole changes, told in the log, one after
the other.
"""

import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from postgres import server
from prowess.board import handoffs, opening, postgres, schema, sessions, store, tasks
from prowess.board.postgres import PostgresBoard
from prowess.board.store import SqliteBoard
from prowess.core import database
from prowess.core import postgres as connecting
from prowess.core.board import RUN, Board
from prowess.core.errors import ConflictError, NotOnBoardError, OutsideError
from prowess.core.event import Event, Recorded
from prowess.core.place import is_database
from prowess.observe.opening import open_log
from support import until

OpenBoard = Callable[[], Board]

# Another process with the board open, which begins when it gets a line and tells what came of it.
AGENT = """
import sys
from prowess.board import sessions, tasks
from prowess.board.opening import open_board
from prowess.core.errors import ConflictError

place, what, name = sys.argv[1:]
board = open_board(place, clean=str)
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


def together(place: str, what: str, names: list[str]) -> list[list[str]]:
    """Let several processes do the same at once; what each of them printed."""
    agents = [
        subprocess.Popen(
            [sys.executable, "-c", AGENT, place, what, name],
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


def events(place: str) -> list[Recorded]:
    log = open_log(place)
    found = list(log.run(RUN))
    log.close()
    return found


def execute(place: str, *statements: str) -> None:
    """Straight to the tables, past the board."""
    if is_database(place):
        with psycopg.connect(place, autocommit=True) as connection:
            for statement in ("set search_path to prowess", *statements):
                connection.execute(statement)
        return
    database = sqlite3.connect(place, isolation_level=None)
    for statement in statements:
        database.execute(statement)
    database.close()


def everything(place: str) -> bytes:
    """All that is kept, as it is kept."""
    if not is_database(place):
        return b"".join(path.read_bytes() for path in Path(place).parent.iterdir())
    tables = "event", "board_task", "board_message", "board_session", "board_handoff"
    with psycopg.connect(place) as connection:
        return "".join(
            str(connection.execute(f"table prowess.{table}").fetchall()) for table in tables
        ).encode()


# One after the other


def test_of_several_processes_that_claim_a_task_one_gets_it_and_the_others_are_told_who(
    board: Board, place: str
) -> None:
    for _ in range(10):
        tasks.create(board, title="Fix it", role="Engineer")
    names = ["Brokkr", "Sindri", "Wayland", "Kothar"]

    told = together(place, "claim", names)

    for number, answers in enumerate(zip(*told, strict=True), 1):
        winner = board.task(number).session  # type: ignore[union-attr]
        assert winner in names
        for name, answer in zip(names, answers, strict=True):
            assert answer == (winner if name == winner else f"{winner} has ENG-M-{number:04d}")
    assert [each.event.kind for each in events(place)].count("task.claimed") == 10


def test_nobody_else_can_begin_a_change_while_one_is_under_way(
    board: Board, open_board: OpenBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = tasks.create(board, title="Fix it", role="Engineer")
    monkeypatch.setattr(store, "PATIENCE", 0)
    monkeypatch.setattr(connecting, "PATIENCE", 0)
    other = open_board()

    with board.changing(), pytest.raises(OutsideError, match="locked"):  # though nothing is written
        tasks.claim(other, task.id, session="Ogun")
    assert tasks.claim(other, task.id, session="Ogun").session == "Ogun"


def test_no_number_is_given_twice_by_several_processes(board: Board, place: str) -> None:
    told = together(place, "create", ["one", "two", "three", "four"])

    made = [id for each in told for id in each]  # noqa: A001
    assert sorted(made) == [f"ENG-M-{number:04d}" for number in range(1, 41)]
    assert [each.seq for each in events(place)] == list(
        range(1, 43)
    )  # with the two that came to work


def test_a_number_is_not_given_again_when_its_task_is_gone(board: Board, place: str) -> None:
    tasks.create(board, title="Fix it", role="Engineer")
    execute(place, "delete from board_message", "delete from board_task")

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


def test_every_change_is_told_in_the_log_with_what_it_left(board: Board, place: str) -> None:
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

    told = events(place)

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


def test_the_board_is_no_run(board: Board, place: str) -> None:
    log = open_log(place)

    assert log.runs(limit=10) == []
    log.close()


def test_a_secret_reaches_neither_the_tables_nor_the_log(board: Board, place: str) -> None:
    task = tasks.create(board, title="hunter2", role="Engineer", description="hunter2")
    tasks.update(board, task.id, status="blocked", message="hunter2")
    handoffs.create(board, sender="Ogun", to_role="Tester", text="hunter2")
    sessions.start(board, "Loki", role="Tester", task="hunter2")
    sessions.end(board, "Loki", summary="hunter2")
    board.close()

    assert b"[secret]" in everything(place)
    assert b"hunter2" not in everything(place)


# Whole or not at all


def test_a_change_that_fails_leaves_neither_a_row_nor_an_event(board: Board, place: str) -> None:
    before = events(place)
    task = tasks.create(board, title="Fix it", role="Engineer")
    told = events(place)

    with pytest.raises(RuntimeError), board.changing() as change:  # noqa: PT012  the change is what fails
        change.keep(task, "task.updated", summary="again")
        raise RuntimeError

    assert len(told) == len(before) + 1
    assert events(place) == told
    assert len(board.messages(task)) == 1


def test_a_session_that_cannot_end_gives_nothing_back(board: Board, place: str) -> None:
    with pytest.raises(NotOnBoardError):
        sessions.end(board, "Sindri")

    assert len(events(place)) == 2
    assert sessions.at_work(board, "Ogun")  # the board goes on


def test_a_change_is_lost_whole_when_its_event_cannot_be_told(board: Board, place: str) -> None:
    execute(place, "alter table event rename to gone")

    with pytest.raises(OutsideError, match="cannot be used"):
        tasks.create(board, title="Fix it", role="Engineer")
    assert board.tasks() == []


@pytest.mark.parametrize("text", ["a\0b", "\ud800 alone", "Ünïcode 🦉", "100 % sure?", "'; drop"])
def test_a_task_may_hold_any_text_and_is_kept_the_same_everywhere(
    board: Board, open_board: OpenBoard, place: str, text: str
) -> None:
    task = tasks.create(board, title="Fix it", role="Engineer")

    with board.changing() as change:
        said = replace(task, description=text)
        kept = change.keep(said, "task.updated", summary=text, message=text, by=text)

    assert kept.description == text.replace("\0", "\\x00").replace("\ud800", "\\ud800")
    assert open_board().task(task.number) == kept
    assert board.messages(kept)[-1].text == board.messages(kept)[-1].by == kept.description
    assert events(place)[-1].event.payload["summary"] == text


def test_a_name_is_the_same_in_upper_and_lower_case(board: Board) -> None:
    task = tasks.create(board, title="Fix it", role="Engineer")
    tasks.claim(board, task.id, session="ogun")

    assert [each.number for each in board.tasks(session="OGUN")] == [task.number]
    assert board.tasks(session="Eris") == []
    with pytest.raises(ConflictError):
        sessions.start(board, "OGUN", role="Engineer")


def test_no_status_asks_for_nothing(board: Board) -> None:
    tasks.create(board, title="Fix it", role="Engineer")

    assert board.tasks(statuses=()) == []


# Opened again, by others, and by older and newer versions


def test_the_board_is_there_again_when_it_is_opened_again(
    board: Board, open_board: OpenBoard
) -> None:
    task = tasks.create(board, title="Fix it", role="Engineer")
    board.close()

    assert open_board().tasks() == [task]


def test_a_board_used_after_it_was_closed_is_an_outside_error(board: Board) -> None:
    board.close()

    with pytest.raises(OutsideError):
        board.tasks()


def test_a_board_of_a_newer_version_is_refused_and_left_alone(
    board: Board, open_board: OpenBoard, place: str
) -> None:
    board.close()
    if is_database(place):
        execute(place, "insert into version values ('board', 999)")
    else:
        execute(place, "insert into board_version values (999)")

    with pytest.raises(OutsideError, match="newer version"):
        open_board()


def test_an_older_board_is_brought_up_to_date_with_all_that_is_in_it(
    board: Board, open_board: OpenBoard, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = tasks.create(board, title="Fix it", role="Engineer")
    board.close()
    module = postgres if is_database(place) else schema
    newer = (*module.MIGRATIONS, ("create table board_more (number integer)",))
    monkeypatch.setattr(module, "MIGRATIONS", newer)

    assert open_board().tasks() == open_board().tasks() == [task]
    execute(place, "insert into board_more values (1)")


def test_an_update_that_fails_leaves_the_tables_as_they_were(
    board: Board, open_board: OpenBoard, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    board.close()
    module = postgres if is_database(place) else schema
    with monkeypatch.context() as patched:
        broken = (*module.MIGRATIONS, ("create table board_more (number integer)", "no such thing"))
        patched.setattr(module, "MIGRATIONS", broken)
        with pytest.raises(OutsideError):
            open_board()

    assert open_board().tasks() == []
    execute(place, "create table board_more (number integer)")


def test_several_processes_may_open_a_new_board_at_once(place: str) -> None:
    opening = (
        "import sys; from prowess.board.opening import open_board;"
        "open_board(sys.argv[1], clean=str).close()"
    )
    opened = [
        subprocess.Popen([sys.executable, "-c", opening, place], stderr=subprocess.PIPE)
        for _ in range(4)
    ]

    assert [process.communicate(timeout=60)[1] for process in opened] == [b""] * 4


def test_the_log_goes_on_beside_the_board(board: Board, place: str) -> None:
    log = open_log(place)
    last = list(log.tail())[-1]

    tasks.create(board, title="Fix it", role="Engineer")

    assert [each.event.kind for each in log.tail(after=last.position)] == ["task.created"]
    log.close()


# What only the file can get wrong


def test_the_file_is_for_its_owner_only(file: Path) -> None:
    opening.open_board(str(file), clean=str).close()

    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_no_log_made_is_not_made_here(tmp_path: Path) -> None:
    with pytest.raises(OutsideError):
        SqliteBoard(str(tmp_path / "none"), clean=str)
    assert not (tmp_path / "none").exists()


def test_a_path_may_hold_any_character(tmp_path: Path) -> None:
    path = str(tmp_path / "a?b#c%20 d")
    open_log(path).close()
    board = SqliteBoard(path, clean=str)

    assert board.tasks() == []
    board.close()


# What only a server can get wrong


@pytest.fixture
def url() -> str:
    """A database that has a log."""
    url = server().new_database()
    open_log(url).close()
    return url


@pytest.fixture
def shared(url: str) -> Iterator[PostgresBoard]:
    """A board on PostgreSQL."""
    board = PostgresBoard(url, clean=str)
    yield board
    board.close()


def test_a_board_is_found_again_when_its_server_was_restarted(shared: PostgresBoard) -> None:
    task = tasks.create(shared, title="Fix it", role="Engineer")

    server().restart()

    assert shared.tasks() == [task]
    server().restart()
    assert tasks.create(shared, title="Fix that", role="Engineer").number == 2


def test_a_change_is_lost_whole_when_the_server_goes_in_the_middle(shared: PostgresBoard) -> None:
    task = tasks.create(shared, title="Fix it", role="Engineer")

    with pytest.raises(OutsideError), shared.changing() as change:  # noqa: PT012  the change is what fails
        change.keep(task, "task.updated", summary="once")
        server().restart()
        change.keep(task, "task.updated", summary="twice")

    assert len(shared.messages(task)) == 1
    assert tasks.create(shared, title="Fix that", role="Engineer").number == 2


def test_a_change_that_was_not_kept_because_the_server_went_is_told(shared: PostgresBoard) -> None:
    task = tasks.create(shared, title="Fix it", role="Engineer")

    with pytest.raises(OutsideError, match="was not kept") as told, shared.changing() as change:  # noqa: PT012  the change is what fails
        change.keep(task, "task.updated", summary="once")
        server().restart()

    assert "do it again" in told.value.hint
    assert len(shared.messages(task)) == 1


def test_a_change_that_was_kept_when_the_answer_was_lost_is_a_change(
    shared: PostgresBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server commits, and the connection is gone before anybody hears of it."""
    task = tasks.create(shared, title="Fix it", role="Engineer")
    send = database._send

    def unheard(connection: psycopg.Connection[Any], statements: Any) -> None:
        send(connection, statements)
        connection.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    with monkeypatch.context() as patched:
        patched.setattr(database, "_send", unheard)
        with shared.changing() as change:
            change.keep(task, "task.updated", summary="once")

    assert len(shared.messages(task)) == 2


def test_the_log_is_held_up_by_nobody_who_is_in_the_middle_of_a_change(
    shared: PostgresBoard, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = tasks.create(shared, title="Fix it", role="Engineer")
    monkeypatch.setattr(connecting, "PATIENCE", 1)  # or else it would wait for us
    log = open_log(url)

    with shared.changing() as change:
        change.keep(task, "task.updated", summary="once")
        log.append(Event(run="run", kind="meanwhile", payload={}))
        change.keep(task, "task.updated", summary="twice")

    kinds = [each.event.kind for each in log.tail()]
    assert kinds == ["task.created", "meanwhile", "task.updated", "task.updated"]
    log.close()


def test_who_stops_in_the_middle_of_a_change_loses_it_and_others_go_on(
    shared: PostgresBoard, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = tasks.create(shared, title="Fix it", role="Engineer")
    monkeypatch.setattr(database, "_STOPPED", "100ms")
    other = PostgresBoard(url, clean=str)
    ours = shared._database.process

    with pytest.raises(OutsideError, match="was not kept"), shared.changing() as change:  # noqa: PT012  the change is what fails
        change.keep(task, "task.updated", summary="once")
        until(lambda: ours not in connected(url))
        assert tasks.create(other, title="Fix that", role="Engineer").number == 2

    assert len(shared.messages(task)) == 1
    other.close()


def test_a_change_that_cannot_be_told_because_the_log_is_locked_leaves_everything_as_it_was(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "PATIENCE", 0.1)
    board = PostgresBoard(url, clean=str)
    with psycopg.connect(url) as somebody:
        somebody.execute("select pg_advisory_xact_lock(%s)", (connecting.LOG,))
        with pytest.raises(OutsideError, match="locked"):
            tasks.create(board, title="Fix it", role="Engineer")

    assert board.tasks() == []
    assert tasks.create(board, title="Fix it", role="Engineer").title == "Fix it"
    board.close()


def connected(url: str) -> set[int]:
    """The numbers by which the server knows its connections."""
    with psycopg.connect(url) as connection:
        found = connection.execute("select pid from pg_stat_activity").fetchall()
    return {pid for (pid,) in found}
