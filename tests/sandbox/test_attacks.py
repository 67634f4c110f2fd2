"""Commands that try to get out: to files, processes, networks and terminals that are not theirs."""

import asyncio
import os
import pty
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from prowess.core.errors import RefusedError
from prowess.core.ports import Sandbox
from prowess.core.process import Limits
from prowess.sandbox.bubblewrap import Bubblewrap
from sandbox.commands import Run, alive, an_order, python

SOURCE = Path(__file__).parent.parent.parent / "src"


def only_bubblewrap(walls: Sandbox) -> None:
    if walls.level != "bubblewrap":
        pytest.skip("rules only add and take no view away: see the docstring of landlock.py")


def test_nothing_beside_the_workspace_can_be_read(walls: Sandbox, run: Run, outside: Path) -> None:
    for path in (outside / "secret", Path("/etc/shadow"), Path("/var/log"), Path.home() / ".ssh"):
        done = run(walls, "sh", "-c", 'cat "$0" "$0"/*', str(path))

        assert (done.code != 0, done.out) == (True, b""), path


def test_the_home_of_the_user_cannot_be_read(
    walls: Sandbox, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".netrc").write_text("password")
    monkeypatch.setenv("HOME", str(tmp_path))

    done = run(walls, "sh", "-c", 'cat "$0/.netrc" ~/.netrc; ls -A "$0"', str(tmp_path))

    assert b"password" not in done.out
    assert b".netrc" not in done.out


def test_nothing_beside_the_workspace_can_be_written(
    walls: Sandbox, run: Run, outside: Path
) -> None:
    script = 'for place in "$0" /usr /etc /bin /var /dev /; do echo x > "$place/planted"; done'

    run(walls, "sh", "-c", script, str(outside))

    for folder in (outside, "/usr", "/etc", "/bin", "/var", "/dev", "/"):
        assert not os.path.exists(f"{folder}/planted"), folder


def test_a_temporary_file_is_gone_with_its_command(walls: Sandbox, run: Run) -> None:
    run(walls, "sh", "-c", 'echo x > "$TMPDIR/left-behind"; echo x > ~/left-behind')

    done = run(walls, "sh", "-c", 'ls -A "$TMPDIR" ~')

    assert b"left-behind" not in done.out


def test_a_readable_folder_can_be_read_and_not_written(
    walls: Sandbox, run: Run, outside: Path
) -> None:
    attack = (
        'cat "$0/secret"; echo x > "$0/new"; echo x >> "$0/secret"; rm "$0/secret"; chmod 777 "$0"'
    )

    done = run(walls, "sh", "-c", attack, str(outside), readable=[str(outside)])

    assert done.out == b"the secret"
    assert os.listdir(outside) == ["secret"]
    assert (outside / "secret").read_text() == "the secret"


def test_a_readable_folder_inside_a_writable_one_stays_as_it_is(
    walls: Sandbox, run: Run, workspace: Path
) -> None:
    only_bubblewrap(walls)
    skill = workspace / "skills" / "mine"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("as it was")

    done = run(
        walls,
        "sh",
        "-c",
        "echo x > skills/mine/SKILL.md; rm -r skills/mine; mv skills/mine away; echo x > skills/ok",
        readable=[str(skill)],
    )

    assert done.code == 0
    assert (skill / "SKILL.md").read_text() == "as it was"
    assert (workspace / "skills" / "ok").exists()


def test_the_python_we_run_on_cannot_be_written_even_in_a_writable_project(
    walls: Sandbox, run: Run, workspace: Path
) -> None:
    only_bubblewrap(walls)
    if sys.prefix.startswith("/usr"):
        pytest.skip("it is the system's own")
    planted = Path(os.path.realpath(sys.prefix)) / "planted"
    places = [str(workspace), str(planted.parent.parent)]

    done = run(walls, "touch", str(planted), writable=places)

    assert done.code != 0
    assert not planted.exists()


def test_a_link_in_the_workspace_leads_nowhere_outside(
    walls: Sandbox, run: Run, workspace: Path, outside: Path
) -> None:
    (workspace / "link").symlink_to(outside)
    attack = (
        "cat link/secret; echo x > link/new; ln -s $0/secret second; cat second; ln $0/secret hard"
    )

    done = run(walls, "sh", "-c", attack, str(outside))

    assert done.out == b""
    assert os.listdir(outside) == ["secret"]
    assert not (workspace / "hard").exists()


@pytest.mark.parametrize("writable", [True, False])
def test_a_place_behind_a_link_is_refused(
    walls: Sandbox, workspace: Path, outside: Path, *, writable: bool
) -> None:
    """One command could have laid it for the next."""
    (workspace / "skills").symlink_to(outside.parent)
    (workspace / "skill").symlink_to(outside)
    for path in (workspace / "skill", workspace / "skills" / "outside"):
        places = [str(workspace), str(path)]
        order = (
            an_order(workspace, "true", writable=places)
            if writable
            else an_order(workspace, "true", readable=places)
        )

        with pytest.raises(RefusedError, match="link"):
            asyncio.run(walls.run(order))


@pytest.mark.parametrize("path", ["relative", "/usr/../etc", "/no/such/place"])
def test_a_place_that_is_no_whole_path_is_refused(
    walls: Sandbox, workspace: Path, path: str
) -> None:
    with pytest.raises(RefusedError):
        asyncio.run(walls.run(an_order(workspace, "true", readable=[path])))


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("home", ["", "users/me"])
def test_a_home_folder_is_no_place_for_a_command(
    walls: Sandbox, workspace: Path, monkeypatch: pytest.MonkeyPatch, home: str, *, writable: bool
) -> None:
    """What shells, git and we ourselves obey lies there, to be changed for the next run."""
    (workspace / home).mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("HOME", str(workspace / home))
    places = [str(workspace)]
    order = (
        an_order(workspace, "true", writable=places)
        if writable
        else an_order(workspace, "true", readable=places, writable=[])
    )

    with pytest.raises(RefusedError, match="home folder"):
        asyncio.run(walls.run(order))


def test_a_working_folder_outside_of_the_places_is_refused(
    walls: Sandbox, workspace: Path, outside: Path
) -> None:
    with pytest.raises(RefusedError, match="working folder"):
        asyncio.run(walls.run(an_order(outside, "true", writable=[str(workspace)])))


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


CONNECT = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5) as connection:
    print("connected")
"""


def test_a_server_on_this_machine_cannot_be_reached(
    walls: Sandbox, run: Run, server: socket.socket
) -> None:
    done = run(walls, *python(CONNECT, server.getsockname()[1]))

    assert done.code != 0
    assert b"connected" not in done.out


def test_it_can_when_the_network_is_granted(
    walls: Sandbox, run: Run, server: socket.socket
) -> None:
    done = run(walls, *python(CONNECT, server.getsockname()[1]), network=True)

    assert done.out == b"connected\n"


def test_no_datagram_gets_out(walls: Sandbox, run: Run) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(0)
        send = (
            "import socket, sys; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"
            ".sendto(b'x', ('127.0.0.1', int(sys.argv[1])))"
        )

        run(walls, *python(send, listener.getsockname()[1]))

        with pytest.raises(BlockingIOError):
            listener.recv(1)


@pytest.mark.parametrize("abstract", [True, False])
def test_the_socket_of_a_daemon_cannot_be_reached(
    walls: Sandbox, run: Run, outside: Path, *, abstract: bool
) -> None:
    name = f"\0prowess-{os.getpid()}" if abstract else str(outside / "docker.sock")
    connect = (
        "import socket, sys; socket.socket(socket.AF_UNIX)"
        ".connect(sys.argv[1].replace('@', chr(0), 1)); print('connected')"
    )
    with socket.socket(socket.AF_UNIX) as daemon:
        daemon.bind(name)
        daemon.listen()

        done = run(walls, *python(connect, name.replace("\0", "@")))

    assert done.code != 0
    assert b"connected" not in done.out


@pytest.mark.parametrize("family", [40, 38, 17], ids=["vsock", "alg", "packet"])
def test_other_families_of_sockets_cannot_be_opened(walls: Sandbox, run: Run, family: int) -> None:
    opened = f"import socket; socket.socket({family}, socket.SOCK_STREAM); print('opened')"

    for network in (False, True):
        assert b"opened" not in run(walls, *python(opened), network=network).out


def test_other_processes_are_neither_seen_nor_touched(walls: Sandbox, run: Run) -> None:
    with subprocess.Popen(["sleep", "1000"], env={"A_SECRET": "sesame"}) as victim:
        attack = """
import os, signal, sys
pid = int(sys.argv[1])
for name in ("environ", "cmdline", "maps", "root/etc/shadow", "cwd/setup"):
    try:
        print(open(f"/proc/{pid}/{name}").read())
    except OSError:
        pass
for target in (pid, os.getppid(), -1):
    try:
        os.kill(target, signal.SIGKILL)
    except OSError:
        pass
"""

        done = run(walls, *python(attack, victim.pid))

        assert victim.poll() is None
        victim.kill()
    assert b"sesame" not in done.out
    assert b"1000" not in done.out


def test_our_environment_is_not_to_be_found_anywhere(
    walls: Sandbox, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = """
import glob
for path in ("/proc/self/environ", *glob.glob("/proc/[0-9]*/environ")):
    try:
        print(open(path).read())
    except OSError:
        pass
"""
    with subprocess.Popen(["sleep", "1000"], env={"OUR_TOKEN": "sesame"}) as other:
        done = run(walls, *python(look))
        other.kill()

    assert b"PATH=" in done.out
    assert b"sesame" not in done.out


def test_the_variables_of_an_order_work_only_inside(
    walls: Sandbox, run: Run, outside: Path
) -> None:
    """The loader writes a log where it is told to, in every program that has the variable."""
    loader = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(outside / "log")}

    done = run(walls, "true", environment=loader)

    assert done.code == 0
    assert os.listdir(outside) == ["secret"]


def test_a_variable_cannot_smuggle_in_a_place(
    walls: Sandbox, workspace: Path, outside: Path
) -> None:
    smuggled = f"x\0--bind\0{outside}\0{outside}"
    for order in (
        an_order(workspace, "true", environment={"X": smuggled}),
        an_order(workspace, "true", environment={smuggled: "x"}),
        an_order(workspace, "true", readable=[f"{workspace}/{smuggled}"]),
        an_order(workspace, "true", smuggled),
    ):
        with pytest.raises(RefusedError, match="NUL"):
            asyncio.run(walls.run(order))


def test_the_variables_of_an_order_are_not_shown_to_everybody(
    walls: Sandbox, workspace: Path
) -> None:
    order = an_order(workspace, "sleep", "2.71", environment={"TOKEN": "open-sesame"})

    async def look() -> list[bytes]:
        running = asyncio.ensure_future(walls.run(order))
        while not (shown := [words for words in _arguments() if b"2.71" in words]):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.wait({running})
        return shown

    for words in asyncio.run(look()):
        assert b"open-sesame" not in words


def _arguments() -> Iterator[bytes]:
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                yield Path(f"/proc/{name}/cmdline").read_bytes()
            except OSError:
                continue


def test_it_is_nobody_without_any_rights(walls: Sandbox, run: Run) -> None:
    only_bubblewrap(walls)
    done = run(walls, "sh", "-c", "id -u; grep CapEff /proc/self/status; unshare -U true; mount")

    assert done.out.startswith(b"65534\nCapEff:\t0000000000000000\n")
    assert b"unshare" in done.err


def test_new_namespaces_and_mounts_are_refused(walls: Sandbox, run: Run, outside: Path) -> None:
    for words in (
        ["unshare", "-Ur", "true"],
        ["unshare", "-m", "true"],
        ["mount", "--bind", "/usr", str(outside)],
    ):
        assert run(walls, *words).code != 0


def test_kernel_keyrings_are_out_of_reach(walls: Sandbox, run: Run) -> None:
    add = """
import ctypes, platform
call = {"x86_64": 248, "aarch64": 217}[platform.machine()]
print(ctypes.CDLL(None).syscall(call, b"user", b"prowess", b"x", 1, -2))
"""

    assert run(walls, sys.executable, "-Ic", add).out == b"-1\n"


def test_it_cannot_type_into_our_terminal(walls: Sandbox, workspace: Path) -> None:
    """We get a terminal of our own to lose, and the command tries to open it."""
    child, terminal = pty.fork()
    if not child:
        script = TYPE.format(workspace=str(workspace), level=walls.level)
        os.environ["PYTHONPATH"] = str(SOURCE)
        os.execv(sys.executable, [sys.executable, "-c", script])  # noqa: S606
    said = b""
    while b"end." not in said:
        said += os.read(terminal, 4096)
    os.waitpid(child, 0)
    os.close(terminal)

    assert b"we have a terminal" in said
    assert b"typed" not in said


TYPE = """
import asyncio, sys
from prowess.core.process import Order
from prowess.sandbox.probe import open_sandbox
attack = '''
import fcntl, os, termios
for path in ("/dev/tty", "/dev/console", "/proc/self/fd/0", "/proc/self/fd/2"):
    try:
        fcntl.ioctl(os.open(path, os.O_RDWR), termios.TIOCSTI, b"x")
        print("ty" + "ped")
    except OSError:
        pass
'''
open("/dev/tty").close()
print("we have a terminal")
order = Order(argv=[sys.executable, "-ISc", attack], cwd={workspace!r}, writable=[{workspace!r}])
done = asyncio.run(open_sandbox({level!r}).run(order))
print(done.out.decode(), "end.")
"""


def test_a_folder_that_only_looks_like_a_repository_runs_nothing(
    walls: Sandbox, run: Run, workspace: Path
) -> None:
    planted = workspace / "planted"
    subprocess.run(["git", "init", "-q", "--bare", planted], check=True)
    setting = ["git", "-C", str(planted), "config"]
    subprocess.run([*setting, "core.bare", "false"], check=True)
    subprocess.run([*setting, "core.worktree", str(workspace)], check=True)
    subprocess.run([*setting, "core.fsmonitor", f"touch {workspace}/taken;"], check=True)

    done = run(walls, "git", "-C", "planted", "status")

    assert done.code != 0
    assert b"bare" in done.err
    assert not (workspace / "taken").exists()


def test_files_in_memory_are_limited_too(walls: Sandbox, run: Run) -> None:
    only_bubblewrap(walls)
    fill = 'for n in 1 2 3 4 5 6 7 8; do head -c 50000000 /dev/zero > "$0/$n" || echo full; done'

    for folder in ("/tmp", "/dev/shm"):  # noqa: S108
        limits = Limits(seconds=60, memory_bytes=200 * 1024**2)
        done = run(walls, "sh", "-c", fill, folder, limits=limits)

        assert b"full" in done.out, folder


def test_a_sandbox_dies_with_us(walls: Sandbox, workspace: Path) -> None:
    """Even when we are killed without a word."""
    script = (
        "import asyncio; from prowess.core.process import Order;"
        "from prowess.sandbox.probe import open_sandbox;"
        f"order = Order(argv=['sh', '-c', 'touch here; while sleep 0.05; do date > beat; done'],"
        f" cwd={str(workspace)!r}, writable=[{str(workspace)!r}]);"
        f"asyncio.run(open_sandbox({walls.level!r}).run(order))"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen([sys.executable, "-c", script], env=environment) as prowess:
        while not (workspace / "beat").exists():
            assert prowess.poll() is None
        prowess.kill()
    _wait_until_still(workspace / "beat")


def test_a_command_does_not_begin_when_we_died_before_its_sandbox_stood(
    walls: Sandbox, workspace: Path
) -> None:
    """Killed at any moment of the beginning, by a signal that ends our threads one after the other."""
    if not isinstance(walls, Bubblewrap):
        pytest.skip("only bubblewrap builds its sandbox in a process of its own")
    for milliseconds in range(0, 24, 4):
        _begin_and_die(walls.binary, workspace, after=milliseconds / 1000)

        assert not (workspace / "started").exists(), milliseconds


def test_nothing_of_a_sandbox_stays_when_we_died_before_its_first_process_began(
    walls: Sandbox, workspace: Path, tmp_path: Path
) -> None:
    if not isinstance(walls, Bubblewrap):
        pytest.skip("only bubblewrap builds its sandbox in a process of its own")
    late = tmp_path / "late"
    late.write_text(f'#!/bin/sh\nsleep 0.3\nexec {walls.binary} "$@"\n')
    late.chmod(0o755)

    _begin_and_die(str(late), workspace, after=0)

    assert not (workspace / "started").exists()


def _begin_and_die(binary: str, workspace: Path, *, after: float) -> None:
    """Until nothing of the command is left."""
    token = uuid4().hex
    script = f"""
import asyncio, os, signal, threading
from prowess.core.process import Order
from prowess.sandbox.bubblewrap import Bubblewrap
place = {str(workspace)!r}
order = Order(argv=["sh", "-c", "sleep 1; touch started", {token!r}], cwd=place, writable=[place])
async def start_and_die():
    for _ in range(20):
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    running = asyncio.ensure_future(Bubblewrap({binary!r}).run(order))
    await asyncio.sleep({after})
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(start_and_die())
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=False)
    until = time.monotonic() + 60
    while left := alive(token):
        assert time.monotonic() < until, [Path(f"/proc/{pid}/wchan").read_text() for pid in left]
        time.sleep(0.01)


def _wait_until_still(beat: Path) -> None:
    for _ in range(50):
        beat.unlink(missing_ok=True)
        subprocess.run(["sleep", "0.3"], check=True)
        if not beat.exists():
            return
    pytest.fail("it goes on")
