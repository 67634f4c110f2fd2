"""
The contract of the event log, held by every implementation of the port.

A log is opened by one word of text, its place; several may open the same place at once.
"""

import itertools
import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prowess.core.errors import OutsideError
from prowess.core.event import Event, Recorded
from prowess.core.ports import Log
from prowess.observe.log import SqliteLog
from prowess.observe.opening import open_log
from prowess.observe.rows import RUNS
from prowess.observe.schema import MIGRATIONS

WRITER = """
import sys
from prowess.core.event import Event
from prowess.observe.opening import open_log

where, run, count, numbered = sys.argv[1:]
log = open_log(where)
print("ready", flush=True)
sys.stdin.readline()
for number in range(1, int(count) + 1):
    event = Event(run=run, kind="written", payload={"by": sys.argv[0], "number": number})
    kept = log.append(event, seq=number if numbered == "numbered" else None)
    print(kept.seq, flush=True)
log.close()
"""


class Place:
    """Where a log is kept, and every log that a test opened there."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._opened: list[Log] = []

    @property
    def path(self) -> Path:
        """Of a log that is a file."""
        return Path(self.where)

    def open(self) -> Log:
        log = open_log(self.where)
        self._opened.append(log)
        return log

    def close(self) -> None:
        for log in self._opened:
            log.close()

    def writer(self, run: str, count: int, *, numbered: bool = False) -> subprocess.Popen[str]:
        """Another process with the log open, waiting for a line on its input to begin."""
        words = [self.where, run, str(count)]
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, *words, "numbered" if numbered else "free"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        return process


@pytest.fixture
def place(where: str) -> Iterator[Place]:
    place = Place(where)
    yield place
    place.close()


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Place]:
    """The place of a log that is a file."""
    place = Place(str(tmp_path / "data" / "log"))
    yield place
    place.close()


@pytest.fixture
def log(place: Place) -> Log:
    return place.open()


def event(run: str = "run", kind: str = "kind", **payload: Any) -> Event:
    return Event(run=run, kind=kind, payload=payload)


def numbers(recorded: Iterator[Recorded]) -> list[int]:
    """The `number` in each payload."""
    return [each.event.payload["number"] for each in recorded]


# Order


def test_a_new_log_is_empty(log: Log) -> None:
    assert list(log.tail()) == []
    assert list(log.run("run")) == []


def test_an_event_comes_back_as_it_was_written(log: Log) -> None:
    written = event(
        "run", "kind", text="words", number=1, list=[1, None, True, 0.5], deep={"a": {}}
    )

    kept = log.append(written)

    assert kept.event == written
    assert (kept.seq, kept.position) == (1, 1)
    assert list(log.run("run")) == list(log.tail()) == [kept]


def test_a_runs_events_are_numbered_from_one_in_the_order_they_were_written(log: Log) -> None:
    kept = [log.append(event(number=number)) for number in range(20)]

    assert [each.seq for each in kept] == list(range(1, 21))
    assert list(log.run("run")) == kept


def test_each_run_has_numbers_of_its_own_and_the_log_has_one_order_of_all(log: Log) -> None:
    for number, run in enumerate("abab"):
        log.append(event(run, number=number))

    assert [(each.event.run, each.seq) for each in log.tail()] == [
        ("a", 1),
        ("b", 1),
        ("a", 2),
        ("b", 2),
    ]
    assert numbers(log.run("b")) == [1, 3]
    positions = [each.position for each in log.tail()]
    assert positions == sorted(set(positions))


def test_a_run_is_ordered_by_number_and_not_by_when_it_was_written(log: Log) -> None:
    for number in (3, 1, 2):
        log.append(event(number=number), seq=number)

    assert numbers(log.run("run")) == [1, 2, 3]
    assert numbers(log.tail()) == [3, 1, 2]


def test_the_next_number_follows_the_highest(log: Log) -> None:
    log.append(event(), seq=7)

    assert log.append(event()).seq == 8


# Written twice


def test_a_number_given_twice_changes_nothing_and_answers_with_what_is_kept(log: Log) -> None:
    first = log.append(event(number=1), seq=1)

    again = log.append(event(kind="other", number=2), seq=1)

    assert again == first
    assert list(log.tail()) == [first]


def test_a_run_written_again_from_its_beginning_is_there_once(log: Log) -> None:
    for _ in range(2):
        for number in (1, 2, 3):
            log.append(event(number=number), seq=number)

    assert numbers(log.tail()) == [1, 2, 3]
    assert log.append(event()).seq == 4


def test_the_same_number_in_another_run_is_another_event(log: Log) -> None:
    log.append(event("a"), seq=1)

    assert log.append(event("b"), seq=1).event.run == "b"
    assert len(list(log.tail())) == 2


# Reading on


def test_a_run_is_read_on_after_a_number(log: Log) -> None:
    for number in range(1, 6):
        log.append(event(number=number))

    assert numbers(log.run("run", after=3)) == [4, 5]
    assert numbers(log.run("run", after=5)) == []


def test_the_log_is_read_on_after_any_position(log: Log) -> None:
    kept = [log.append(event(run)) for run in "abcab"]

    for read, last in enumerate(kept, start=1):
        assert list(log.tail(after=last.position)) == kept[read:]


def test_what_is_written_later_is_found_after_the_position_of_the_last_look(log: Log) -> None:
    log.append(event(number=1))
    (*_, last) = log.tail()
    log.append(event("other", number=2))

    assert numbers(log.tail(after=last.position)) == [2]


def test_one_kind_can_be_asked_for(log: Log) -> None:
    for number, kind in enumerate(["a", "b", "a", "A", "ab"]):
        log.append(event(kind=kind, number=number))

    assert numbers(log.tail(kind="a")) == [0, 2]
    assert numbers(log.tail(after=1, kind="a")) == [2]
    assert numbers(log.tail(kind="none")) == []


def test_kinds_that_nobody_knows_survive(log: Log) -> None:
    log.append(event(kind="FROM_A_NEWER_VERSION", anything={"at": ["all"]}))

    (kept,) = log.tail()
    assert kept.event == event(kind="FROM_A_NEWER_VERSION", anything={"at": ["all"]})


def test_events_may_be_written_while_others_are_read(log: Log) -> None:
    for number in range(5):
        log.append(event(number=number))
    reading = log.tail()
    first = next(reading)
    log.append(event("other", number=9))

    rest = numbers(itertools.islice(reading, 4))

    assert first.event.payload == {"number": 0}
    assert rest == [1, 2, 3, 4]


def test_a_look_at_the_log_ends_though_the_reader_writes_as_it_reads(log: Log) -> None:
    for _ in range(3):
        log.append(event())

    read = 0
    for _ in itertools.islice(log.tail(), 100):
        log.append(event("other"))
        read += 1

    assert read == 3


# Keeping


def test_a_log_that_is_opened_again_goes_on_where_it_ended(place: Place) -> None:
    first = place.open()
    kept = first.append(event(number=1))
    first.close()

    again = place.open()

    assert list(again.tail()) == [kept]
    following = again.append(event(number=2))
    assert following.seq == 2
    assert following.position > kept.position


def test_two_that_are_open_at_once_see_each_other(place: Place) -> None:
    one, two = place.open(), place.open()
    one.append(event(number=1))
    two.append(event(number=2))

    assert numbers(one.tail()) == numbers(two.tail()) == [1, 2]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ünïcode 🦉 \u2028\u2029",
        "quotes \" ' ` and \\ backslashes \\u0041 \\",
        "a\0b",
        "\x1b[31mred\x1b[0m\r\n\t",
        os.fsdecode(b"caf\xe9/\xff"),
        "\ud800 alone",
        "'; drop table event; --",
        "x" * 1_000_000,
    ],
    ids=["empty", "unicode", "quotes", "nul", "control", "bytes", "surrogate", "sql", "long"],
)
def test_a_payload_may_hold_any_text(place: Place, text: str) -> None:
    log = place.open()
    written = Event(run="run", kind="kind", payload={"text": text, text[:100]: [text]})

    assert log.append(written).event == written
    assert [each.event for each in place.open().tail()] == [written]


@pytest.mark.parametrize(
    "word", ["", "with blanks", "'; drop table event; --", "ü🦉", "a%b_c", "what?"]
)
def test_a_run_and_a_kind_may_be_any_text(log: Log, word: str) -> None:
    log.append(event("other", "other"))
    log.append(event(word, word))

    assert [each.event.run for each in log.run(word)] == [word]
    assert [each.event.kind for each in log.tail(kind=word)] == [word]


@pytest.mark.parametrize(("word", "kept"), [("a\0b", "a\\x00b"), ("\ud800", "\\ud800")])
def test_what_no_database_can_keep_in_a_name_is_kept_as_its_escape(
    log: Log, word: str, kept: str
) -> None:
    written = log.append(event(word, word))

    assert (written.event.run, written.event.kind) == (kept, kept)
    assert list(log.run(word)) == list(log.run(kept)) == list(log.tail(kind=word)) == [written]


def test_an_event_can_be_shown_as_json(log: Log) -> None:
    kept = log.append(event("r", "k", number=1))

    assert json.loads(json.dumps(kept.as_json())) == {
        "position": 1,
        "run": "r",
        "seq": 1,
        "at": kept.at,
        "kind": "k",
        "payload": {"number": 1},
    }


def test_an_event_that_is_not_json_is_refused_and_the_log_goes_on(log: Log) -> None:
    with pytest.raises(TypeError):
        log.append(event(strange=object()))

    assert log.append(event(number=1)).seq == 1


# Runs, and the newest


def begin(log: Log, *runs: str) -> None:
    for run in runs:
        log.append(event(run, "run.started"))


def test_the_newest_events_come_in_the_order_they_were_written(log: Log) -> None:
    for number in range(10):
        log.append(event(kind="even" if number % 2 == 0 else "odd", number=number))

    assert numbers(iter(log.last(3))) == [7, 8, 9]
    assert numbers(iter(log.last(2, kind="even"))) == [6, 8]
    assert len(log.last(100)) == 10
    assert list(log.last(0)) == []


def test_runs_are_what_has_begun_newest_first(log: Log) -> None:
    begin(log, "a", "b")
    log.append(event("found", "SKILLS_DISCOVERED"))
    log.append(event("a", "call.started"))
    begin(log, "c")

    assert list(log.runs(limit=10)) == ["c", "b", "a"]
    assert list(log.runs(limit=2)) == ["c", "b"]


def test_older_runs_are_found_before_the_last_that_was_seen(log: Log) -> None:
    begin(log, "a", "b", "c", "d")

    assert list(log.runs(limit=2, before="d")) == ["c", "b"]
    assert list(log.runs(limit=2, before="b")) == ["a"]
    assert list(log.runs(limit=2, before="a")) == []
    assert list(log.runs(limit=2, before="nobody")) == []


def test_a_run_that_begins_twice_is_one_run(log: Log) -> None:
    begin(log, "a", "b", "a")

    assert list(log.runs(limit=10)) == ["b", "a"]
    assert list(log.runs(limit=10, before="b")) == ["a"]


def test_a_run_that_does_not_begin_with_its_beginning_is_a_run(log: Log) -> None:
    log.append(event("a", "SKILLS_SELECTED"))
    begin(log, "a")

    assert list(log.runs(limit=10)) == ["a"]


def test_runs_are_found_by_the_beginning_of_their_id(log: Log) -> None:
    begin(log, "abc", "abd", "xyz", "a%c")
    log.append(event("abe", "SKILLS_SELECTED"))

    assert list(log.runs_beginning("ab")) == ["abd", "abc"]
    assert list(log.runs_beginning("a%")) == ["a%c"]
    assert list(log.runs_beginning("q")) == []


def test_a_sub_agent_is_found_only_by_its_runs_whole_id(log: Log) -> None:
    begin(log, "abc", "abc.1", "abc.1.1", "abc.2")

    assert list(log.runs_beginning("ab")) == ["abc"]
    assert list(log.runs_beginning("abc.")) == ["abc.2", "abc.1"]
    assert list(log.runs_beginning("abc.1.")) == ["abc.1.1"]


# Several threads


def test_threads_may_share_a_log(log: Log) -> None:
    failures: list[BaseException] = []

    def work(run: str) -> None:
        try:
            for number in range(50):
                log.append(event("shared", number=number))
                log.append(event(run, number=number))
                assert numbers(log.run(run)) == list(range(number + 1))
        except BaseException as error:  # noqa: BLE001  seen below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(run,)) for run in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert [each.seq for each in log.run("shared")] == list(range(1, 201))


def test_who_wants_to_know_is_told_of_every_event_until_they_stop(log: Log) -> None:
    told: list[int] = []
    here = threading.current_thread()

    def wake() -> None:
        if threading.current_thread() is here:  # a log may wake from elsewhere, to be certain
            told.append(len(list(log.tail())))

    with log.notify(wake):
        log.append(event())
        log.append(event("other"))
    log.append(event())

    assert told == [1, 2]


# Several processes


def finish(*writers: subprocess.Popen[str]) -> list[list[int]]:
    """Let all begin at once; the numbers that each was given."""
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("go\n")
        writer.stdin.flush()
    given = [writer.communicate()[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * len(writers)
    return [[int(line) for line in lines.splitlines()] for lines in given]


def test_processes_that_write_one_run_at_once_lose_nothing_and_repeat_no_number(
    place: Place,
) -> None:
    log = place.open()
    writers = [place.writer("shared", 50) for _ in range(4)]

    given = finish(*writers)

    assert sorted(itertools.chain(*given)) == list(range(1, 201))
    assert [each.seq for each in log.run("shared")] == list(range(1, 201))
    assert all(each == sorted(each) for each in given)


def test_processes_that_write_runs_of_their_own_share_one_order(place: Place) -> None:
    log = place.open()
    writers = [place.writer(run, 25) for run in "abcd"]

    finish(*writers)

    positions = [each.position for each in log.tail()]
    assert len(positions) == 100
    assert positions == sorted(set(positions))
    for run in "abcd":
        assert numbers(log.run(run)) == list(range(1, 26))


def test_a_run_replayed_by_two_processes_at_once_is_written_once(place: Place) -> None:
    log = place.open()
    writers = [place.writer("shared", 25, numbered=True) for _ in range(2)]

    finish(*writers)

    assert numbers(log.run("shared")) == list(range(1, 26))


def test_a_process_killed_while_it_writes_leaves_a_log_that_goes_on(place: Place) -> None:
    log = place.open()
    writer = place.writer("shared", 1_000_000)
    assert writer.stdin
    assert writer.stdout
    writer.stdin.write("go\n")
    writer.stdin.flush()
    told = [int(writer.stdout.readline()) for _ in range(20)]
    writer.kill()
    writer.communicate()

    kept = [each.seq for each in log.run("shared")]

    assert kept[:20] == told
    assert kept == list(range(1, len(kept) + 1))
    assert log.append(event("shared")).seq == len(kept) + 1


def test_who_reads_on_while_others_write_misses_nothing(place: Place) -> None:
    """The order of positions is the order in which events can be seen, whoever writes."""
    log = place.open()
    writers = [place.writer(run, 100) for run in "abcd"]
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("go\n")
        writer.stdin.flush()
    read: list[Recorded] = []
    over = False
    while not over:
        over = all(writer.poll() is not None for writer in writers)  # before the last look
        read += log.tail(after=read[-1].position if read else 0)
    for writer in writers:
        writer.communicate()

    assert len(read) == 400
    assert read == list(log.tail())
    assert [each.position for each in read] == sorted({each.position for each in read})


# Damage


def assert_explained(error: OutsideError, file: Place) -> None:
    assert str(file.path.parent) in str(error)
    assert "--data" in error.hint


@pytest.mark.parametrize(
    "content", [b"not a log" * 100, os.urandom(8192), b"SQLite format 3\0junk"]
)
def test_a_file_that_is_no_log_is_an_outside_error_with_a_hint(file: Place, content: bytes) -> None:
    file.path.parent.mkdir()
    file.path.write_bytes(content)

    with pytest.raises(OutsideError) as failed:
        file.open()

    assert_explained(failed.value, file)
    assert file.path.read_bytes() == content


def test_a_log_damaged_in_the_middle_is_an_outside_error_with_a_hint(file: Place) -> None:
    log = file.open()
    for number in range(200):
        log.append(event(number=number, text="x" * 500))
    log.close()
    size = file.path.stat().st_size
    with file.path.open("r+b") as damaged:
        damaged.seek(8192)
        damaged.write(b"\xff" * (size - 8192))

    with pytest.raises(OutsideError) as failed:
        list(file.open().tail())

    assert_explained(failed.value, file)


@pytest.mark.parametrize("kind", ["folder in its place", "below a file"])
def test_a_place_where_no_file_can_be_is_an_outside_error_with_a_hint(
    file: Place, kind: str
) -> None:
    if kind == "below a file":
        file.path.parent.write_text("")
    else:
        file.path.mkdir(parents=True)

    with pytest.raises(OutsideError) as failed:
        file.open()

    assert_explained(failed.value, file)


def test_a_log_used_after_it_was_closed_is_an_outside_error(place: Place) -> None:
    log = place.open()
    log.close()

    with pytest.raises(OutsideError):
        log.append(event())


# What only the SQLite log can get wrong


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The bare database of a log, for tests that spoil it."""
    SqliteLog(str(tmp_path / "log")).close()
    database = sqlite3.connect(tmp_path / "log", isolation_level=None)
    yield database
    database.close()


def test_a_row_that_is_not_json_is_an_outside_error(
    tmp_path: Path, sqlite: sqlite3.Connection
) -> None:
    sqlite.execute("insert into event (run, seq, kind, payload) values ('run', 1, 'kind', '{')")
    log = SqliteLog(str(tmp_path / "log"))

    try:
        with pytest.raises(OutsideError):
            list(log.tail())
    finally:
        log.close()


def test_a_database_with_a_foreign_table_of_the_same_name_is_an_outside_error(
    tmp_path: Path,
) -> None:
    database = sqlite3.connect(tmp_path / "log")
    database.execute("create table event (something text)")
    database.close()

    with pytest.raises(OutsideError):
        SqliteLog(str(tmp_path / "log"))


def test_a_log_that_another_process_is_just_making_is_waited_for(tmp_path: Path) -> None:
    maker = sqlite3.connect(tmp_path / "log", isolation_level=None, check_same_thread=False)
    maker.execute("create table unrelated (a)")
    maker.execute("begin immediate")
    failures: list[OutsideError] = []
    begun = threading.Event()

    def opening() -> None:
        begun.set()
        try:
            SqliteLog(str(tmp_path / "log")).close()
        except OutsideError as error:
            failures.append(error)

    opener = threading.Thread(target=opening)
    opener.start()
    begun.wait()
    opener.join(timeout=0.5)
    maker.execute("commit")
    opener.join()
    maker.close()

    assert failures == []


def test_a_log_that_can_only_be_read_is_an_outside_error_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = sqlite3.connect(tmp_path / "log")
    database.execute("create table unrelated (a)")
    database.close()
    with (tmp_path / "log").open("r+b") as file:
        file.seek(18)
        file.write(b"\x03")  # to be written by a newer SQLite only; root is refused too
    monkeypatch.setattr("time.sleep", lambda _: pytest.fail("it is waited for nothing"))

    with pytest.raises(OutsideError):
        SqliteLog(str(tmp_path / "log"))


# Older and newer files

FIRST_VERSION = """
create table event (
    position integer primary key autoincrement,
    run      text not null,
    seq      integer not null,
    at       text not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    kind     text not null,
    payload  text not null,
    unique (run, seq)
);
create index event_kind on event (kind, position);
insert into event (run, seq, kind, payload) values ('old', 1, 'run.started', '{"number": 1}');
insert into event (run, seq, kind, payload) values ('old', 2, 'kind', '{"number": 2}');
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A log as it was before files had a version."""
    database = sqlite3.connect(tmp_path / "log")
    database.executescript(FIRST_VERSION)
    database.close()
    return tmp_path / "log"


def version_of(path: Path) -> int:
    database = sqlite3.connect(path)
    (version,) = database.execute("pragma user_version").fetchone()
    database.close()
    return int(version)


def test_a_log_of_the_first_version_is_brought_up_to_date_and_keeps_everything(old: Path) -> None:
    log = SqliteLog(str(old))
    try:
        log.append(event("old", number=3))

        assert numbers(log.run("old")) == [1, 2, 3]
        assert list(log.runs(limit=5)) == ["old"]
        assert version_of(old) == len(MIGRATIONS)
    finally:
        log.close()


def test_a_new_log_is_of_the_newest_version(tmp_path: Path) -> None:
    SqliteLog(str(tmp_path / "log")).close()

    assert version_of(tmp_path / "log") == len(MIGRATIONS)


def test_every_version_leads_to_the_same_tables(tmp_path: Path) -> None:
    made = set()
    for version in range(len(MIGRATIONS) + 1):
        path = tmp_path / str(version)
        database = sqlite3.connect(path)
        for statement in itertools.chain(*MIGRATIONS[:version]):
            database.execute(statement)
        database.execute(f"pragma user_version = {version}")
        database.commit()
        SqliteLog(str(path)).close()
        made.add(tuple(database.execute("select name, sql from sqlite_master order by name")))
        database.close()

    assert len(made) == 1


def test_an_update_that_fails_leaves_the_file_as_it_was(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = (*MIGRATIONS, ("create table more (a)", "no such statement"))
    monkeypatch.setattr("prowess.observe.schema.MIGRATIONS", broken)

    with pytest.raises(OutsideError):
        SqliteLog(str(old))

    database = sqlite3.connect(old)
    names = {name for (name,) in database.execute("select name from sqlite_master")}
    database.close()
    assert version_of(old) == 0
    assert not names & {"more", "run_started"}


def test_processes_that_open_an_old_log_at_once_update_it_once(old: Path) -> None:
    script = "import sys; from prowess.observe.log import SqliteLog; SqliteLog(sys.argv[1]).close()"
    openers = [subprocess.Popen([sys.executable, "-c", script, str(old)]) for _ in range(4)]

    assert [opener.wait() for opener in openers] == [0] * 4
    assert version_of(old) == len(MIGRATIONS)


def test_a_log_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "log"
    SqliteLog(str(path)).close()
    database = sqlite3.connect(path)
    database.execute(f"pragma user_version = {len(MIGRATIONS) + 1}")
    database.close()

    with pytest.raises(OutsideError, match="newer version") as failed:
        SqliteLog(str(path))

    assert "--data" in failed.value.hint
    assert version_of(path) == len(MIGRATIONS) + 1


def test_runs_are_listed_without_a_look_at_other_events(sqlite: sqlite3.Connection) -> None:
    plan = sqlite.execute(f"explain query plan {RUNS} order by position desc limit 5").fetchall()

    told = " ".join(str(line[-1]) for line in plan)
    assert "SEARCH start USING INDEX event_kind" in told
    assert "SEARCH event USING INDEX run_started" in told
    assert "TEMP B-TREE" not in told


def test_two_logs_in_one_process_lose_nothing_that_others_write(tmp_path: Path) -> None:
    """Closing a descriptor of the file drops the locks of every connection of the process."""
    path = str(tmp_path / "log.sqlite3")
    first, second = SqliteLog(path), SqliteLog(path)
    script = (
        "import sys; from prowess.core.event import Event; from prowess.observe.log import SqliteLog;"
        "log = SqliteLog(sys.argv[1]);"
        "log.append(Event(run='r', kind='k', payload={'n': sys.argv[2]})); log.close()"
    )

    for number in range(3):
        subprocess.run([sys.executable, "-c", script, path, str(number)], check=True)

    assert len(list(first.run("r"))) == 3
    assert len(list(second.run("r"))) == 3
    first.close()
    second.close()
    again = SqliteLog(path)
    assert len(list(again.run("r"))) == 3
    again.close()
