"""Programs that run long and outside of any sandbox, such as other agents."""

import asyncio
import os
import time
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

import pytest

from prowess.core.errors import OutsideError
from prowess.core.process import Finished
from prowess.sandbox.output import OnLine
from prowess.sandbox.process import supervise
from sandbox.commands import alive, python

ENVIRONMENT = {"PATH": os.environ["PATH"]}


def supervised(
    *argv: str,
    environment: Mapping[str, str] = ENVIRONMENT,
    stdin: bytes = b"",
    wall: float = 60,
    idle: float | None = None,
    on_line: OnLine | None = None,
) -> Finished:
    return asyncio.run(
        supervise(
            argv,
            cwd="/",
            environment=environment,
            stdin=stdin,
            wall=wall,
            idle=idle,
            on_line=on_line,
        )
    )


def test_lines_are_told_while_the_program_runs(tmp_path: Path) -> None:
    """It goes on only when its first line was heard."""
    heard: list[bytes] = []

    async def hear(line: bytes) -> None:
        heard.append(line)
        (tmp_path / "heard").touch()

    wait = 'echo first; until [ -e "$0" ]; do sleep 0.01; done; echo; printf last'
    done = supervised("sh", "-c", wait, str(tmp_path / "heard"), on_line=hear)

    assert heard == [b"first", b"", b"last"]
    assert (done.code, done.out) == (0, b"first\n\nlast")


def test_lines_of_any_length_come_whole() -> None:
    heard: list[int] = []

    async def hear(line: bytes) -> None:
        heard.append(len(line))

    talk = "print('x' * 3_000_000); print('y' * 70_000); print('z')"
    supervised(*python(talk), on_line=hear)

    assert heard == [3_000_000, 70_000, 1]


def test_a_slow_listener_hears_everything() -> None:
    heard: list[bytes] = []

    async def hear(line: bytes) -> None:
        await asyncio.sleep(0.001)
        heard.append(line)

    supervised("seq", "300", on_line=hear)

    assert heard == [str(n).encode() for n in range(1, 301)]


def test_a_listener_that_fails_ends_the_program() -> None:
    token = uuid4().hex

    async def fail(line: bytes) -> None:
        raise LookupError(line.decode())

    talk = "import time; print('hello', flush=True); time.sleep(1000)"
    with pytest.raises(LookupError, match="hello"):
        supervised(*python(talk, token), on_line=fail)
    assert alive(token) == []


def test_dots_on_stderr_are_no_word() -> None:
    dots = "while :; do printf . >&2; sleep 0.1; done"

    done = supervised("sh", "-c", dots, idle=1, wall=30)

    assert (done.killed_by, done.out) == ("idle", b"")
    assert done.err.startswith(b"..")


def test_a_program_that_falls_silent_is_ended() -> None:
    done = supervised("sh", "-c", "echo hello; sleep 1000", idle=0.5)

    assert (done.killed_by, done.out) == ("idle", b"hello\n")


def test_a_program_that_talks_on_is_not_silent() -> None:
    talk = "for n in 1 2 3 4 5 6 7 8; do echo $n; sleep 0.2; done"

    done = supervised("sh", "-c", talk, idle=1)

    assert (done.code, done.killed_by) == (0, "")


def test_time_that_is_up_ends_it_with_all_it_started() -> None:
    token = uuid4().hex
    child = f'"$0" -ISc "import time; time.sleep(1000)" {token}'
    script = f"{child} & setsid {child} & (setsid nohup {child} >&- 2>&- &) ; wait"

    done = supervised("sh", "-c", script, python("")[0], wall=1)

    assert done.killed_by == "timeout"
    assert alive(token) == []


def test_time_is_up_also_for_one_whose_listener_never_waits() -> None:
    """One chunk of short lines keeps it busy for longer than the program may run."""

    async def hear(line: bytes) -> None:
        time.sleep(0.0005)  # noqa: ASYNC251 - this is the listener that never waits

    done = supervised("yes", "x", wall=1.0, idle=0.5, on_line=hear)

    assert done.killed_by == "timeout"
    assert done.seconds < 8


def test_a_daemon_that_closed_everything_does_not_outlive_it() -> None:
    token = uuid4().hex
    daemon = """
import os, subprocess, sys
if not os.fork():
    os.setsid()
    if not os.fork():
        for n in range(3):
            os.close(n)
        os.execv(sys.executable, [sys.executable, "-ISc", "import time; time.sleep(1000)", sys.argv[1]])
    os._exit(0)
os.wait()
"""

    done = supervised(*python(daemon, token))

    assert (done.code, done.killed_by) == (0, "")
    assert alive(token) == []


def test_its_environment_is_the_one_that_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OURS", "x")

    names = supervised("env", environment={**ENVIRONMENT, "KEY": "value"}).out.decode()

    assert "KEY=value" in names
    assert "OURS" not in names


def test_what_it_reads_ends() -> None:
    assert supervised("cat", stdin=b"a plan").out == b"a plan"
    assert supervised("cat").out == b""


def test_a_signal_is_told_as_a_negative_code() -> None:
    assert supervised("sh", "-c", "kill -SEGV $$").code == -11


def test_a_program_that_is_not_there_is_an_error_with_a_hint() -> None:
    with pytest.raises(OutsideError, match="no-such-agent") as raised:
        supervised("no-such-agent")

    assert raised.value.hint
