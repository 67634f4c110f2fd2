"""
Toolchains that people keep in their home folder, and what of them a command is shown, read-only.

    the Python that a .venv of the workspace was made of    its programs and modules
    cargo and rustup                                        their programs and the toolchains
    uv                                                      its program and the Pythons it installed

What lies beside them stays hidden: credentials, settings, caches, everything else. A command has a
home of its own, so links there lead to where the programs look for their toolchains. Of which Python
a .venv was made is told by a file of the workspace, which anybody may have written who worked there:
nothing is shown for its sake that is not an installed Python by its looks.
"""

import glob
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from prowess.core.errors import RefusedError
from prowess.core.process import Order
from prowess.core.workspace import read_in
from prowess.sandbox.places import SYSTEM, holds_home, inside, programs

_HOMES = ("CARGO_HOME", "RUSTUP_HOME")  # where these programs are told to keep their things
_ENVIRONMENTS = (".venv", "venv")
_PARTS = ("bin", "lib", "include")  # of an installed Python; a home folder has a `share` too
_MADE_OF = re.compile(r"^home[ \t]*=[ \t]*(/[^\0\n]*?)[ \t\r]*$", re.MULTILINE)
_NO_FILES = ("/proc", "/sys", "/dev")  # nothing can be shown there
_UV = ("uv", "uvx")
_MOST_BYTES = 64 * 1024

Shown = Iterator[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchains:
    """
    `shown` are real paths by the paths that they are seen at; `links` and `files` belong into the home
    of the command, by their paths in it; `path` are folders of programs.
    """

    shown: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    path: tuple[str, ...] = ()


def toolchains(order: Order, home: str) -> Toolchains:
    """What this command is shown besides its places; `home` is where its own home will be."""
    cargo, rustup = _kept("CARGO_HOME", ".cargo/bin"), _kept("RUSTUP_HOME", ".rustup/toolchains")
    uv = {name: path for name in _UV if os.path.isfile(path := _kept("", f".local/bin/{name}"))}
    pythons = _kept("", ".local/share/uv/python")
    kept = [folder for folder in (cargo, rustup, pythons) if os.path.isdir(folder)]
    links = {f".local/bin/{name}": path for name, path in uv.items()}
    links |= {".rustup/toolchains": rustup} if rustup in kept else {}
    links |= {".local/share/uv/python": pythons} if pythons in kept else {}
    wanted = {path: path for path in (*kept, *uv.values())} | dict(_made_of(order))
    return Toolchains(
        shown=dict(_to_show(wanted, order)),
        links=links,
        files=dict(_choice(os.path.dirname(rustup), order)) if rustup in kept else {},
        path=(*([cargo] if cargo in kept else []), *([f"{home}/.local/bin"] if uv else [])),
    )


def own_homes() -> dict[str, str]:
    """The variables that say where toolchains are, for a command that sees all that we see."""
    return {name: os.environ[name] for name in _HOMES if os.environ.get(name)}


def _kept(variable: str, usual: str) -> str:
    """The real path of what is at `usual` in the home folder, unless a variable names its folder."""
    outer, _, rest = usual.partition("/")
    named = os.environ.get(variable) or os.path.join(os.path.expanduser("~"), outer)
    return os.path.realpath(os.path.join(named, rest))


def _to_show(wanted: Mapping[str, str], order: Order) -> Shown:
    """What is not seen anyway, and holds no more than it should."""
    laid = [each.path for each in order.laid]
    seen = (*SYSTEM, *programs(), *order.readable, *order.writable, *laid)
    for path, real in wanted.items():
        outer = (*seen, *_NO_FILES, *(each for each in wanted if each != path))
        known = inside(path, outer) or inside(real, (*order.writable, *laid, *_NO_FILES))
        if not known and os.path.exists(real) and not holds_home(real):
            yield path, real


def _made_of(order: Order) -> Shown:
    """The Pythons of the workspace's environments, by the names that they go by there."""
    laid = [each.source for each in order.laid if each.source]
    beside = [os.path.dirname(source) for source in laid]
    for place in dict.fromkeys((order.cwd, *order.writable, *order.readable, *laid, *beside)):
        for name in _ENVIRONMENTS:
            if found := _MADE_OF.search(_text(place, f"{name}/pyvenv.cfg")):
                yield from _installed(os.path.normpath(found[1]))


def _installed(programs_of: str) -> Shown:
    real = os.path.realpath(programs_of)
    folder = os.path.dirname(real)
    known = os.path.isfile(f"{real}/python3") and glob.glob(
        f"{glob.escape(folder)}/lib/python3.*/os.py"
    )
    names = {os.path.basename(real), os.path.basename(programs_of)}
    if not known or names != {"bin"} or holds_home(folder):
        return
    for part in _PARTS:
        target = os.path.realpath(f"{folder}/{part}")
        if inside(target, (folder,)):  # a link would show what it leads to
            yield f"{folder}/{part}", target
            yield f"{os.path.dirname(programs_of)}/{part}", target


def _choice(rustup: str, order: Order) -> Iterator[tuple[str, bytes]]:
    """Which toolchain rustup takes: of its settings what concerns this command, and no other project."""
    try:
        settings = tomllib.loads(_text(rustup, "settings.toml"))
    except tomllib.TOMLDecodeError:
        return
    told = {name: settings.get(name) for name in ("version", "default_toolchain")}
    overrides = settings.get("overrides")
    chosen = {
        folder: name
        for folder, name in (overrides.items() if isinstance(overrides, dict) else ())
        if inside(order.cwd, (folder,))
    }
    lines = [*_toml(told), "[overrides]", *_toml(chosen)]
    yield ".rustup/settings.toml", "\n".join(lines).encode() + b"\n"


def _toml(values: Mapping[str, object]) -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, str):
            yield f"{json.dumps(name)} = {json.dumps(value)}"


def _text(folder: str, path: str) -> str:
    """What a file in this folder says; nothing where there is none, or a link leads out of it."""
    try:
        return read_in(folder, path, limit=_MOST_BYTES).decode("utf-8", "replace")
    except (RefusedError, OSError):
        return ""
