"""
What of the file system a command may see: the programs of this machine, and the places of its order.

Nothing of a home folder is among the programs, save the Python that runs us, the node on the PATH
and the toolchains of `toolchains.py`, where they are installed there. The places of an order are real paths without links: who
follows a link does so once, before anything has run, and the command can lay none for the next.
"""

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain

from prowess.core.errors import RefusedError
from prowess.core.process import Order
from prowess.sandbox.limits import LONGEST_WORD, size

# The merged /usr, and the folders beside it on systems that have not merged them.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# What programs look up to start at all, to show text and to trust certificates. No keys, no
# passwords, no configuration that may hold credentials (gitconfig, npmrc, pip.conf).
ETC_FOLDERS = ("/etc/alternatives", "/etc/fonts", "/etc/pki/ca-trust", "/etc/ssl/certs")
ETC_FILES = tuple(
    f"/etc/{name}"
    for name in (
        "ld.so.cache localtime mime.types nsswitch.conf os-release pki/tls/cert.pem"
        " pki/tls/openssl.cnf protocols services ssl/cert.pem ssl/openssl.cnf timezone"
    ).split()
)
NETWORK = ("/etc/hosts", "/etc/resolv.conf")  # only of use, and only seen, where there is a network
# A folder that looks like a repository is none to git unless it is called .git: what a command
# has written there could otherwise name programs for the next one to run.
_GIT = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.bareRepository",
    "GIT_CONFIG_VALUE_0": "explicit",
}
_PATH = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A path of an order, held open: what is there now is what the command will get."""

    path: str
    descriptor: int
    writable: bool


def pin(order: Order, stack: ExitStack) -> list[Place]:
    """
    Open every place of the order, outer ones first; the stack closes them.

    Raises `RefusedError` for a path that is relative, missing or behind a link, for the home folder
    or one that holds it, for a working folder that is in none of the places, and for a NUL anywhere:
    it would end one word of ours and begin another.
    """
    words = (order.cwd, *order.argv, *order.readable, *order.writable)
    words += tuple(word for each in order.laid for word in (each.path, each.source))
    if any("\0" in word for word in (*words, *chain(*order.environment.items()))):
        raise RefusedError("a word of the command holds a NUL", hint="leave it out")
    wanted = {**dict.fromkeys(order.readable, False), **dict.fromkeys(order.writable, True)}
    laid = [each.path for each in order.laid]
    places = []
    for path in sorted((*wanted, *laid)):
        if holds_home(path):
            # Keys lie there, and what shells, git and we ourselves obey: no wall would be left.
            raise RefusedError(
                f"{path} is or holds your home folder, which no sandboxed command gets",
                hint="work in a folder of its own, below it",
            )
    for path in sorted(wanted):
        descriptor = open_place(path)
        stack.callback(os.close, descriptor)
        places.append(Place(path=path, descriptor=descriptor, writable=wanted[path]))
    if not inside(os.path.normpath(order.cwd), [*wanted, *laid]):
        raise RefusedError(
            f"the working folder {order.cwd} is not among the places of the command",
            hint="make it readable or writable",
        )
    return places


def shown(paths: Mapping[str, str], stack: ExitStack) -> list[Place]:
    """Open what is to be seen besides, read-only: real paths by the paths that they are seen at."""
    places = []
    for path, real in paths.items():
        with suppress(RefusedError):  # it has just gone
            descriptor = open_place(real)
            stack.callback(os.close, descriptor)
            places.append(Place(path=path, descriptor=descriptor, writable=False))
    return places


def open_place(path: str) -> int:
    """A descriptor for a real path, no part of which is a link; `RefusedError` for another one."""
    if not path.startswith("/") or os.path.normpath(path) != path:
        raise RefusedError(
            f"{path!r} is not a whole path", hint="name it from the root, without .."
        )
    here = os.open("/", os.O_PATH | os.O_CLOEXEC)
    for part in path.split("/")[1:]:
        try:
            deeper = os.open(part, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
        except OSError as error:
            raise RefusedError(
                f"{path} cannot be opened: {error.strerror}",
                hint="a place of a command must exist, and no part of it may be a link",
            ) from None
        finally:
            os.close(here)
        here = deeper
    if stat.S_ISLNK(os.fstat(here).st_mode):
        os.close(here)
        raise RefusedError(f"{path} is a link", hint="name what it leads to")
    return here


def environment(
    home: str, temporary: str, added: Mapping[str, str], *, path: Sequence[str] = ()
) -> dict[str, str]:
    """
    All the variables a command gets; none of ours is among them unless the order names it. One that
    is too long for any program to be given is left out. `path` are more folders of programs.
    """
    return {
        "PATH": ":".join((*search_path(), *path, *_PATH)),
        "HOME": home,
        "TMPDIR": temporary,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        **_GIT,
        **carried(added),
    }


def carried(added: Mapping[str, str]) -> dict[str, str]:
    """Those of the variables that are not too long to be handed to a program."""
    return {name: value for name, value in added.items() if size(f"{name}={value}") <= LONGEST_WORD}


@cache
def programs() -> tuple[str, ...]:
    """Folders outside of the system's that hold Python and node, each by the names it goes by."""
    found: dict[str, None] = {}
    for folder in (*_python(), *_node()):
        for path in (folder, os.path.realpath(folder)):
            if os.path.isdir(path) and not inside(path, SYSTEM) and not holds_home(path):
                found[path] = None
    return tuple(path for path in found if not inside(path, [p for p in found if p != path]))


@cache
def search_path() -> tuple[str, ...]:
    """Where Python and node are, in front of the system's own programs."""
    node = shutil.which("node")
    folders = (_python_meant(), os.path.dirname(node) if node else "")
    return tuple(folder for folder in dict.fromkeys(folders) if inside(folder, programs()))


def _python_meant() -> str:
    """
    The folder of what people here call `python3`. That is ours where they work in the environment that
    we are installed in; else not, or a command would find our packages, and none of theirs.
    """
    named, ours = os.path.dirname(shutil.which("python3") or ""), os.path.dirname(sys.executable)
    if named == ours:
        return ours
    # What only leads to a Python, as pyenv's programs do, cannot be run inside.
    return "" if inside(named, SYSTEM) else os.path.join(sys.base_prefix, "bin")


def _python() -> Iterator[str]:
    yield sys.prefix
    yield sys.base_prefix


def _node() -> Iterator[str]:
    """Only its programs and modules: what lies beside them may be anything, a home folder too."""
    if node := shutil.which("node"):
        for path in (node, os.path.realpath(node)):
            yield os.path.dirname(path)
            yield os.path.join(os.path.dirname(os.path.dirname(path)), "lib", "node_modules")


def inside(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def holds_home(path: str) -> bool:
    home = os.path.realpath(os.path.expanduser("~"))
    return path == "/" or inside(home, (path, os.path.realpath(path)))
