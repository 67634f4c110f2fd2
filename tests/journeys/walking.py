"""
A newcomer at a terminal: one shell, a home that nobody has lived in, an empty folder.

What they see is told as if the home were /home/ada, and ports that a page names are replaced by
free ones, so that a page says what its reader will see and two walks do not meet.
"""

import fcntl
import os
import pty
import re
import select
import shlex
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from journeys.page import Typed, Written, is_as_shown, read_page

ROOT = Path(__file__).parents[2]
HOME = "/home/ada"
PORTS = ("7700", "7701", "8123")
COLUMNS, LINES = 80, 50
PATIENCE = 300.0  # seconds for one command on a busy machine
_MARK = "-- the walker is through --"


class Shell:
    """A real bash whose output is a terminal; it keeps its variables from command to command."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._screen, screen = pty.openpty()
        fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self._bash = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=screen,
            stderr=screen,
            start_new_session=True,
        )
        os.close(screen)
        self.code = 0

    def type(self, command: str) -> str:
        """Run it and return what was shown. `$?` is that of the command before."""
        assert self._bash.stdin
        script = f"(exit {self.code}); eval {shlex.quote(command)} < /dev/null\nprintf '\\n%s%s\\n' '{_MARK}' $?\n"
        self._bash.stdin.write(script.encode())
        self._bash.stdin.flush()
        seen, _, code = self._until_marked().rpartition(f"\n{_MARK}")
        self.code = int(code)
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)

    def _until_marked(self) -> str:
        seen, end = b"", time.monotonic() + PATIENCE
        while not re.search(rf"{_MARK}\d+\r?\n$".encode(), seen):
            ready, _, _ = select.select([self._screen], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError(f"no end after {PATIENCE:.0f} s:\n{seen.decode()}")
            seen += os.read(self._screen, 65536)
        return seen.decode().replace("\r\n", "\n").rstrip("\n")

    def close(self) -> None:
        """End it with all that it left running."""
        assert self._bash.stdin
        self._bash.stdin.close()
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._bash.pid, sign)
                self._bash.wait(20)
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
        self._bash.wait(20)
        os.close(self._screen)


class Walk:
    """A page, followed from its first line to its last."""

    def __init__(self, at: Path, *, folders: Iterable[Path] = (), **more: str) -> None:
        """`folders` are searched for programs too; `more` are variables."""
        self.home = at / "ada"
        self.folder = self.home / "project"
        self.folder.mkdir(parents=True)
        (self.home / "prowess").symlink_to(ROOT)  # where the pages say that it was cloned
        (at / "tmp").mkdir()
        self._ports = dict(zip(PORTS, map(str, _free_ports(len(PORTS))), strict=True))
        self._environment = {
            "HOME": str(self.home),
            "TMPDIR": str(at / "tmp"),
            "PATH": ":".join(map(str, (Path(sys.executable).parent, *folders, os.environ["PATH"]))),
            "PYTHONPATH": str(ROOT / "src"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",  # tables as on a terminal, and nothing that moves
            "USER": "ada",
            "LOGNAME": "ada",
            "PAGER": "cat",
            "GIT_CONFIG_GLOBAL": str(_git_settings(self.home)),
            **more,
        }

    def through(self, page: Path) -> None:
        """Whoever expects a command to fail asks `echo $?` next."""
        with self.shell() as shell:
            for step in read_page(page):
                if isinstance(step, Written):
                    self.write(step)
                    continue
                where = f"{page.name}:{step.line}: $ {step.command}"
                assert shell.code == 0 or step.command == "echo $?", f"before {where}: {shell.code}"
                seen = self.seen(shell, step)
                assert is_as_shown(step.shown, seen), (
                    f"{where}\n-- the page says\n{step.shown}\n-- a terminal shows\n{seen}"
                )
            assert shell.code == 0, page.name

    @contextmanager
    def shell(self) -> Iterator[Shell]:
        shell = Shell(self.folder, self._environment)
        try:
            yield shell
        finally:
            shell.close()

    def write(self, step: Written) -> None:
        path = self.folder / step.name.replace("~", str(self.home), 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._here(step.text), encoding="utf-8")

    def seen(self, shell: Shell, step: Typed) -> str:
        return self._told(shell.type(self._here(step.command)))

    def _here(self, text: str) -> str:
        for named, free in self._ports.items():
            text = text.replace(named, free)
        return text

    def _told(self, text: str) -> str:
        for named, free in self._ports.items():
            text = text.replace(free, named)
        return text.replace(os.path.realpath(self.home), HOME).replace(str(self.home), HOME)


def _free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()


def _git_settings(home: Path) -> Path:
    """Everybody who uses git has told it their name."""
    path = home / ".gitconfig"
    path.write_text(
        "[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n",
        encoding="utf-8",
    )
    return path
