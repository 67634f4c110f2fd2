"""
Running git: with none of our secrets and none of the repository's hooks, and not for ever.

The environment is made anew, so that nothing in ours says where a repository is or what is in it.
Grafts and replacements could give a commit another history, so git is told to know of none.
"""

import asyncio
import os
import re
import shutil
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

from prowess.core.errors import OutsideError

_LOCK = re.compile(r"Unable to create '(/.+?\.lock)': File exists")
_HELD = 10.0  # seconds that another git is waited for; a lock that lasts longer has no owner
_LOOK = 0.1
_NO_PROGRAM = 127
_FEW = 5  # names in a sentence
_QUIET = (
    *("-c", "advice.graftFileDeprecated=false"),  # we name a file of grafts, and an empty one
    *(
        "-c",
        "core.safecrlf=false",
    ),  # what ends a line in an agent's file is no reason to end a loop
)
_HINT = re.compile(
    r"^hint:.*\n?", re.MULTILINE
)  # advice for who types, who is not the one that reads
_PASSED_ON = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR")
LONGEST = 600.0  # seconds; a git that reads a pipe in the place of a file never ends
# What has a program end with us, also where we are killed; without it a git that waits would stay.
_WITH_US = ("setpriv", "--pdeathsig", "KILL", "--")


async def run_git(
    *words: str, cwd: str, more: Mapping[str, str] = {}, seconds: float = LONGEST
) -> tuple[int, str, str]:
    """Its exit code, and what it printed; once more where another git held the repository."""
    run = partial(_run, *words, cwd=cwd, more=more, seconds=seconds)
    code, out, err = await run()
    if code and (lock := _LOCK.search(err)):
        await _free(lock[1])
        code, out, err = await run()
    return code, out, err


async def _run(
    *words: str, cwd: str, more: Mapping[str, str], seconds: float
) -> tuple[int, str, str]:
    if not _is_there(cwd):
        raise OutsideError(f"the folder {cwd} is gone", hint="put it back, and begin again")
    try:
        process = await asyncio.create_subprocess_exec(
            *(_WITH_US if _is_had(_WITH_US[0]) else ()),
            "git",
            *_QUIET,
            *words,
            cwd=cwd,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**_environment(cwd), **more},
            start_new_session=True,
        )
    except FileNotFoundError:
        raise _no_git() from None
    try:
        async with asyncio.timeout(seconds):  # `wait_for` can lose an order to stop
            out, err = await process.communicate()
    except TimeoutError:
        raise OutsideError(
            f"git does not come to an end in {cwd}",
            hint="look for a named pipe in the place of a file, such as .gitattributes",
        ) from None
    finally:
        await _end(process)
    if process.returncode == _NO_PROGRAM and not _is_had("git"):
        raise _no_git()
    # Names need not be text; what is no UTF-8 in them comes back when it is handed to git again.
    told = _HINT.sub("", err.decode(errors="replace"))
    return process.returncode or 0, os.fsdecode(out), told


async def _end(process: asyncio.subprocess.Process) -> None:
    """With all it started; nothing where it has ended by itself."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _no_git() -> OutsideError:
    return OutsideError("git is not on this machine", hint="install git")


def _is_had(program: str) -> bool:
    return shutil.which(program) is not None


def printable(path: str) -> str:
    """A name for people and for the log, also where it is no text."""
    return os.fsencode(path).decode(errors="replace")


def few(paths: Sequence[str]) -> str:
    return ", ".join(map(printable, paths[:_FEW])) + (" …" if len(paths) > _FEW else "")


async def _free(lock: str) -> None:
    """Wait for the git that holds this lock; one that nobody lets go of was left, and is taken away."""
    for _ in range(round(_HELD / _LOOK)):
        if not _is_there(lock):
            return
        await asyncio.sleep(_LOOK)
    with suppress(FileNotFoundError):
        os.unlink(lock)


def _is_there(path: str) -> bool:
    return os.path.lexists(path)


def _environment(folder: str) -> dict[str, str]:
    """What git needs and no more; the work tree is where it is, whatever the repository says."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    kept |= {name: value for name, value in os.environ.items() if name.startswith("GIT_AUTHOR")}
    place = {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": os.devnull,
        "LC_ALL": "C.UTF-8",
    }
    if os.path.isdir(os.path.join(folder, ".git")):
        place |= {"GIT_WORK_TREE": folder, "GIT_DIR": os.path.join(folder, ".git")}
    return kept | place
