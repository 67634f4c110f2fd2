"""What every sandbox does for a command, whatever it stands on: it runs it, and holds its limits."""

import asyncio
import os
from pathlib import Path
from uuid import uuid4

import pytest

from prowess.core.errors import OutsideError, RefusedError
from prowess.core.ports import Sandbox
from prowess.core.process import Limits
from prowess.sandbox import cgroup
from sandbox.commands import Run, alive, an_order, python

MIB = 1024**2
HANG = "import sys, time; time.sleep(1000)"


def test_a_command_is_run_as_it_is_and_no_shell_reads_its_words(sandbox: Sandbox, run: Run) -> None:
    done = run(sandbox, "printf", "%s|", "a b", "$HOME", "; exit 3", "*", "")

    assert (done.code, done.out, done.err) == (0, b"a b|$HOME|; exit 3|*||", b"")
    assert (done.killed_by, done.dropped) == ("", 0)


def test_the_exit_code_and_both_streams_come_back(sandbox: Sandbox, run: Run) -> None:
    done = run(sandbox, "sh", "-c", "echo out; echo err >&2; exit 7")

    assert (done.code, done.out, done.err) == (7, b"out\n", b"err\n")


def test_a_program_that_is_not_there_is_told_as_a_shell_tells_it(
    sandbox: Sandbox, run: Run
) -> None:
    done = run(sandbox, "no-such-program")

    assert done.code == 127
    assert b"no-such-program" in done.err


def test_a_word_that_no_program_is_given_is_refused_in_plain_words(
    sandbox: Sandbox, run: Run
) -> None:
    assert run(sandbox, "true", "é" * 65_535).code == 0

    with pytest.raises(RefusedError, match="131,072 bytes") as refused:
        run(sandbox, "true", "é" * 65_536)

    assert "write it to a file" in refused.value.hint


def test_a_variable_that_no_program_is_given_is_left_out(sandbox: Sandbox, run: Run) -> None:
    given = {"LONG": "x" * 131_072, "FITS": "y" * 131_066}

    done = run(sandbox, "sh", "-c", 'echo "${#LONG} ${#FITS}"', environment=given)

    assert done.out == b"0 131066\n"


def test_what_is_given_to_read_is_read_to_its_end(sandbox: Sandbox, run: Run) -> None:
    text = os.urandom(300_000)

    assert run(sandbox, "cat", stdin=text).out == text


def test_nothing_to_read_is_the_end_at_once(sandbox: Sandbox, run: Run) -> None:
    assert run(sandbox, "cat").out == b""


def test_it_works_in_its_folder_and_its_files_stay(
    sandbox: Sandbox, run: Run, workspace: Path
) -> None:
    (workspace / "old").write_text("old")

    done = run(sandbox, "sh", "-c", "pwd; cat old; echo new > new; rm old; mkdir deep")

    assert done.out.decode() == f"{workspace}\nold"
    assert sorted(os.listdir(workspace)) == ["deep", "new"]


def test_python_and_node_are_found(sandbox: Sandbox, run: Run) -> None:
    assert run(sandbox, "python3", "-c", "import ssl, sqlite3; print(6 * 7)").out == b"42\n"
    if run(sandbox, "sh", "-c", "command -v node").code == 0:
        assert run(sandbox, "node", "-e", "console.log(6 * 7)").out == b"42\n"


def test_only_the_variables_of_the_order_and_a_few_plain_ones_are_set(
    sandbox: Sandbox, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_TOKEN", "sesame")

    done = run(sandbox, *python(PRINT_VARIABLES), environment={"GIVEN": "a b", "LANG": "C"})

    assert b"sesame" not in done.out
    assert {b"GIVEN=a b", b"LANG=C", b"TERM=dumb"} <= set(done.out.splitlines())
    names = {line.partition(b"=")[0] for line in done.out.splitlines()}
    plain = (
        b"LANG TERM PATH HOME TMPDIR PWD LC_CTYPE PROWESS_COMMAND CARGO_HOME RUSTUP_HOME".split()
    )
    git = b"GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 GIT_CONFIG_NOSYSTEM".split()
    assert names <= {b"GIVEN", *plain, *git}


PRINT_VARIABLES = "import os; [print(f'{name}={value}') for name, value in os.environ.items()]"


def test_a_folder_for_passing_things_is_there_and_can_be_written(
    sandbox: Sandbox, run: Run
) -> None:
    done = run(
        sandbox, "sh", "-c", 'echo x > "$TMPDIR/x-$$" && cat "$TMPDIR/x-$$" && rm "$TMPDIR/x-$$"'
    )

    assert done.out == b"x\n", done.err


def test_two_full_pipes_stop_nobody(sandbox: Sandbox, run: Run) -> None:
    both = "import os; [os.write(n, b'x' * 1000) for _ in range(300) for n in (1, 2)]"

    done = run(sandbox, *python(both))

    assert (done.code, len(done.out), len(done.err)) == (0, 300_000, 300_000)


def test_output_over_the_limit_is_counted_and_harms_nobody(sandbox: Sandbox, run: Run) -> None:
    talk = "import os; [os.write(1, b'x' * 1000) for _ in range(500)]"

    done = run(sandbox, *python(talk), limits=Limits(seconds=60, output_bytes=70_000))

    assert (done.code, done.killed_by) == (0, "")
    assert (len(done.out), done.dropped) == (70_000, 430_000)


def test_a_flood_without_end_is_stopped(sandbox: Sandbox, run: Run) -> None:
    done = run(sandbox, "yes", limits=Limits(seconds=60, output_bytes=10_000))

    assert done.killed_by == "output"
    assert len(done.out) == 10_000


def test_time_that_is_up_ends_the_whole_tree(sandbox: Sandbox, run: Run) -> None:
    token = uuid4().hex
    children = f"sleep 1000 & {CHILD} & setsid {CHILD} & wait"

    done = run(sandbox, *shell(children, token), limits=Limits(seconds=1.5))

    assert (done.killed_by, done.code) == ("timeout", -9)
    assert b"started\nstarted\n" in done.out
    assert alive(token) == []


def test_nothing_outlives_the_command_and_nobody_waits_for_it(sandbox: Sandbox, run: Run) -> None:
    token = uuid4().hex
    kinds = (CHILD, f"nohup {CHILD}", f"setsid {CHILD}", f"(setsid {CHILD} &)")
    children = " & ".join(kinds) + " & sleep 1; echo parent is done"

    done = run(sandbox, *shell(children, token))

    assert (done.code, done.killed_by) == (0, "")
    assert done.out.count(b"started") == len(kinds)
    assert b"parent is done" in done.out
    assert alive(token) == []


CHILD = '"$0" -ISc "print(\\"started\\", flush=True); import time; time.sleep(1000)" "$1"'


def shell(script: str, token: str) -> list[str]:
    """A shell script that starts Python as $0, its processes known by the token."""
    return ["sh", "-c", script, python("")[0], token]


def test_a_cancelled_wait_ends_the_whole_tree(sandbox: Sandbox, workspace: Path) -> None:
    token = uuid4().hex
    order = an_order(workspace, *shell(f"setsid {CHILD} & touch here; {CHILD}", token))

    async def cancel() -> None:
        running = asyncio.ensure_future(sandbox.run(order))
        while len(alive(token)) < 2 or not (workspace / "here").exists():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancel())
    assert alive(token) == []


def test_a_wait_cancelled_at_once_leaves_nothing(sandbox: Sandbox, workspace: Path) -> None:
    token = uuid4().hex

    async def cancel(after: int) -> None:
        running = asyncio.ensure_future(sandbox.run(an_order(workspace, *python(HANG, token))))
        for _ in range(after):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    for after in range(1, 8):
        asyncio.run(cancel(after))
    assert alive(token) == []


def test_many_processes_are_stopped(sandbox: Sandbox, run: Run) -> None:
    token = uuid4().hex
    breed = """
import os, time
for n in range(400):
    if not os.fork():
        time.sleep(1000)
print("all of them live", flush=True)
time.sleep(1000)
"""

    done = run(sandbox, *python(breed, token), limits=Limits(seconds=60, processes=60))

    assert done.killed_by == "processes" or done.code != 0
    assert alive(token) == []


def test_a_fork_bomb_is_stopped(sandbox: Sandbox, run: Run, workspace: Path) -> None:
    """A thousand at most, should nothing stop it: whoever runs the tests needs their machine."""
    token = uuid4().hex

    done = run(sandbox, *python(BOMB, token), limits=Limits(seconds=2, processes=60))

    assert done.killed_by in {"processes", "timeout"}
    assert len(os.listdir(workspace)) < 500
    assert alive(token) == []


def test_a_fork_bomb_is_stopped_where_there_are_no_control_groups(
    sandbox: Sandbox, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroup, "_parent", lambda: None)
    token = uuid4().hex

    done = run(sandbox, *python(BOMB, token), limits=Limits(seconds=30, processes=60))

    assert done.killed_by == "processes" or sandbox.level == "landlock" or os.geteuid()
    assert alive(token) == []


BOMB = """
import os, time
for n in range(10):
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)
open(str(os.getpid()), "w").close()
time.sleep(2)
"""


def test_one_process_gets_no_more_memory_than_the_limit(sandbox: Sandbox, run: Run) -> None:
    greedy = "x = bytearray(600 << 20); print('got it')"

    done = run(sandbox, *python(greedy), limits=Limits(seconds=60, memory_bytes=200 * MIB))

    assert done.killed_by == "memory" or done.code != 0
    assert b"got it" not in done.out


def test_many_processes_together_get_no_more_memory_than_the_limit(
    sandbox: Sandbox, run: Run
) -> None:
    greedy = """
import os, time
for n in range(5):
    if not os.fork():
        x = bytearray(os.urandom(1 << 20) * 100)
        time.sleep(1000)
time.sleep(1000)
"""

    done = run(sandbox, *python(greedy), limits=Limits(seconds=60, memory_bytes=300 * MIB))

    assert done.killed_by == "memory"


def test_memory_that_children_share_is_counted_once(sandbox: Sandbox, run: Run) -> None:
    shared = """
import os, time
x = bytearray(os.urandom(1 << 20) * 150)
for n in range(8):
    if not os.fork():
        time.sleep(1)
        os._exit(0)
for n in range(8):
    os.wait()
print("fine")
"""

    done = run(sandbox, *python(shared), limits=Limits(seconds=60, memory_bytes=400 * MIB))

    assert (done.out, done.killed_by) == (b"fine\n", "")


def test_a_busy_tree_ends_when_its_cpu_time_is_used(sandbox: Sandbox, run: Run) -> None:
    busy = "import os; os.fork(); os.fork()\nwhile True: pass"

    done = run(sandbox, *python(busy), limits=Limits(seconds=60, cpu_seconds=1))

    assert done.killed_by == "cpu"


def test_a_file_grows_to_its_limit_and_no_further(
    sandbox: Sandbox, run: Run, workspace: Path
) -> None:
    fill = "with open('big', 'wb') as f: [f.write(bytes(1 << 16)) for _ in range(1000)]"

    done = run(sandbox, *python(fill), limits=Limits(seconds=60, file_bytes=2 * MIB))

    assert done.code != 0
    assert (workspace / "big").stat().st_size == 2 * MIB


def test_the_loop_goes_on_and_several_commands_run_at_once(
    sandbox: Sandbox, workspace: Path
) -> None:
    """Each waits for the file of the one before it, so that none can end unless all run."""
    wait = 'touch "made-$1"; until [ -e "made-$2" ]; do sleep 0.02; done; echo done'

    async def all_of_them() -> list[bytes]:
        orders = [
            an_order(workspace, "sh", "-c", wait, "sh", str(n), str((n + 1) % 6)) for n in range(6)
        ]
        return [done.out for done in await asyncio.gather(*map(sandbox.run, orders))]

    assert asyncio.run(all_of_them()) == [b"done\n"] * 6


def test_no_descriptor_and_no_zombie_is_left(sandbox: Sandbox, run: Run) -> None:
    run(sandbox, "true")
    before = sorted(os.listdir("/proc/self/fd"))

    for _ in range(5):
        run(sandbox, "sh", "-c", "sleep 1000 & echo hello", stdin=b"x")

    assert len(os.listdir("/proc/self/fd")) == len(before)
    assert not [line for line in _children() if line[0] == "Z"]


def _children() -> list[list[str]]:
    stats = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                text = Path(f"/proc/{name}/stat").read_text()
            except OSError:
                continue
            state, parent, *_ = text.rpartition(")")[2].split()
            if int(parent) == os.getpid():
                stats.append([state, name])
    return stats


def test_a_working_folder_that_is_not_there_is_the_callers_mistake(
    sandbox: Sandbox, workspace: Path
) -> None:
    gone = an_order(workspace / "gone", "true", writable=[str(workspace / "gone")])

    with pytest.raises((OutsideError, RefusedError)) as raised:
        asyncio.run(sandbox.run(gone))

    assert raised.value.hint
