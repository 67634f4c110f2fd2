"""Live events: replayed, live, reconnected, filtered, and never a burden on the run."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from house import skill_file
from prowess.core.event import Event
from prowess.model.scripted import call, final
from prowess.serve import channels
from serve.served import Home, Served
from support import until

TOKENS = {"user" * 5: "END_USER", "maker" * 5: "DEVELOPER"}
SCRIPT = [*(call("Read", file_path=f"{n}.txt") for n in range(4)), final("Done.")]


@pytest.fixture
def at(home: Path, project: Path, tmp_path: Path) -> Home:
    skill_file(project, "note", "Do it.")
    return Home(project, tmp_path / "data", {"*": SCRIPT})


@pytest.fixture
def served(at: Home) -> Iterator[Served]:
    with at.serving() as served:
        yield served


def begin(served: Served, run: str) -> None:
    """A run that nobody works on, so that its events come when we say."""
    tell(served, run, "run.started", skill="note", summary="Run note")


def tell(served: Served, run: str, kind: str, **facts: Any) -> None:
    payload = {"visibility": "SUMMARY", **facts}
    served.site.log.append(Event(run=run, kind=kind, payload=payload))


def test_a_run_is_replayed_from_its_beginning_and_the_stream_ends_with_it(served: Served) -> None:
    run = served.start("note")

    told = list(served.events(f"/api/runs/{run}/events"))

    assert [each["id"] for each in told] == list(range(1, len(told) + 1))
    assert told[0]["kind"] == "run.started"
    assert told[-1]["kind"] == "run.finished"
    assert told[-1]["progress"] == 100
    assert [each["seq"] for each in told] == [each["id"] for each in told]


def test_a_reader_who_reconnects_twenty_times_misses_nothing_and_sees_nothing_twice(
    served: Served,
) -> None:
    begin(served, "busy")
    writing = threading.Thread(target=lambda: write(served, "busy", 400))
    writing.start()
    numbers: list[int] = []

    for _ in range(20):
        last = str(numbers[-1]) if numbers else ""
        with served.reading("/api/runs/busy/events", **{"Last-Event-ID": last}) as reader:
            for each, _count in zip(reader, range(20), strict=False):
                numbers.append(each["id"])
    rest = served.events("/api/runs/busy/events", **{"Last-Event-ID": str(numbers[-1])})
    numbers += [each["id"] for each in rest]
    writing.join()

    assert numbers == list(range(1, 403))


def write(served: Served, run: str, count: int) -> None:
    for number in range(count):
        tell(served, run, "run.warned", summary=str(number))
    tell(served, run, "run.finished", outcome={"ending": "done"})


def test_the_header_counts_more_than_the_address(served: Served) -> None:
    begin(served, "old")
    write(served, "old", 5)

    told = list(served.events("/api/runs/old/events?after=1", **{"Last-Event-ID": "5"}))

    assert [each["id"] for each in told] == [6, 7]
    assert [each["id"] for each in served.events("/api/runs/old/events?after=6")] == [7]


def test_a_number_that_is_still_to_come_hides_nothing(served: Served) -> None:
    begin(served, "young")
    with served.reading("/api/runs/young/events", **{"Last-Event-ID": "1000"}) as reader:
        write(served, "young", 3)

        assert [each["id"] for each in reader] == [2, 3, 4, 5]


def test_all_runs_are_followed_from_now_or_from_a_position(served: Served) -> None:
    begin(served, "first")
    position = served.get("/api/runs").json["position"]
    begin(served, "second")

    with served.reading(f"/api/events?after={position}") as reader:
        assert next(iter(reader))["run"] == "second"
    with served.reading("/api/events") as reader:
        begin(served, "third")

        assert next(iter(reader))["run"] == "third"


def test_who_sees_summaries_sees_how_far_it_is_and_nothing_of_what_was_read(at: Home) -> None:
    at.settings = {"serve_tokens": TOKENS}
    user, maker = TOKENS
    with at.serving(token=maker) as served:
        run = served.start("note")
        whole = list(served.events(f"/api/runs/{run}/events"))

        part = list(served.events(f"/api/runs/{run}/events", Authorization=f"Bearer {user}"))

    assert {"model.replied", "call.started"} <= {each["kind"] for each in whole}
    assert {each["kind"] for each in part} == {"run.started", "call.finished", "run.finished"}
    assert all("progress" in each for each in part)
    assert not any("text" in each or "arguments" in each for each in part)


def test_a_quiet_stream_shows_that_it_lives(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "BEAT", 0.02)
    begin(served, "quiet")
    with served.reading("/api/runs/quiet/events?after=1") as reader:
        threading.Timer(0.3, lambda: write(served, "quiet", 1)).start()

        assert [each["id"] for each in reader] == [2, 3]
        assert reader.beats > 3


def test_a_reader_that_takes_nothing_is_let_go_and_the_others_read_on(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "STALLED", 0.5)
    monkeypatch.setattr(channels, "BEAT", 0.5)
    monkeypatch.setattr(channels, "KEPT", 50)
    begin(served, "loud")
    with (
        served.reading("/api/runs/loud/events") as slow,
        served.reading("/api/runs/loud/events") as quick,
    ):
        assert next(iter(slow))["id"] == 1  # and then it reads no more
        writing = threading.Thread(target=lambda: shout(served, "loud", 300))
        writing.start()

        assert [each["id"] for each in quick] == list(range(1, 303))
        writing.join()
        until(lambda: not served.site.channels.open)
        seen = [each["id"] for each in slow.whole()]

    assert seen == list(range(2, len(seen) + 2))
    assert len(seen) < 301
    rest = served.events("/api/runs/loud/events", **{"Last-Event-ID": str(seen[-1])})
    assert [each["id"] for each in rest] == list(range(seen[-1] + 1, 303))


def shout(served: Served, run: str, count: int) -> None:
    for _ in range(count):
        tell(served, run, "run.warned", summary="x" * 50_000)
    tell(served, run, "run.finished", outcome={"ending": "done"})


def test_a_reader_that_fell_behind_what_is_kept_catches_up(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "KEPT", 3)
    begin(served, "burst")
    with served.reading("/api/runs/burst/events") as reader:
        write(served, "burst", 1_000)

        assert [each["id"] for each in reader] == list(range(1, 1_003))


def test_readers_that_leave_leave_nothing_behind(served: Served) -> None:
    begin(served, "left")
    for _ in range(5):
        with served.reading("/api/runs/left/events") as reader:
            next(iter(reader))

    until(lambda: not served.site.channels.open)


def test_a_run_is_followed_once_for_all_its_readers(served: Served) -> None:
    begin(served, "shared")
    files = []
    for _ in range(10):
        connection = socket.create_connection(("127.0.0.1", served.port))
        connection.sendall(
            f"GET /api/runs/shared/events HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode()
        )
        files.append(connection)

    until(lambda: [each.readers for each in served.site.channels.open] == [10])
    for each in files:
        each.close()
