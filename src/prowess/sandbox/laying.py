"""
Folders and files that a command finds in the place of others, in the words of bubblewrap.

What may be written and is to be dropped is laid as an overlay: the source below, over it what hides
some of its paths, and what the command writes above both, on a disk or else in memory. Where the
kernel, the file system or an older bubblewrap has no overlays, the source itself is written.
"""

import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from prowess.core.process import Laid
from prowess.core.scratch import scratch
from prowess.sandbox.places import SYSTEM, open_place

_Above = Literal["disk", "memory", "none"]


def laying(laid: "tuple[Laid, ...]", binary: str, stack: ExitStack) -> dict[str, tuple[str, ...]]:
    """By its path, what bubblewrap is told of each before that path; the stack keeps them there."""
    found: dict[str, tuple[str, ...]] = {}
    if not laid:
        return found
    room = stack.enter_context(scratch("overlay"))
    for each in laid:
        descriptor = open_place(each.source)
        stack.callback(os.close, descriptor)
        whole = each.kept or not os.path.isdir(each.source)
        how = "none" if whole else overlays(binary, each.source)
        if how != "none":
            above = os.path.join(room, str(len(found)))
            os.mkdir(above)
            found[each.path] = tuple(_overlay(each, above, how))
        elif not each.without:
            written = each.kept or os.path.isdir(each.source)
            found[each.path] = ("--bind-fd" if written else "--ro-bind-fd", str(descriptor))
    return found


def descriptors(found: "dict[str, tuple[str, ...]]") -> list[int]:
    """Those that bubblewrap has to inherit."""
    return [int(words[1]) for words in found.values() if words[0].endswith("-fd")]


def _overlay(laid: Laid, above: str, how: _Above) -> Iterator[str]:
    """The source, what takes something away from it, and where what is written goes."""
    yield from ("--overlay-src", laid.source)
    if laid.without:
        os.mkdir(mask := os.path.join(above, "mask"))
        for path in laid.without:
            place = os.path.join(mask, path.rstrip("/"))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            os.mknod(place, stat.S_IFCHR, os.makedev(0, 0))  # to overlays: nothing is here
        yield from ("--overlay-src", mask)
    if how == "memory":
        yield "--tmp-overlay"
        return
    yield "--overlay"
    for name in ("written", "work"):
        os.mkdir(place := os.path.join(above, name))
        yield place


def overlays(binary: str, folder: str) -> _Above:
    """Where what is written over this folder goes with this bubblewrap, found out by trying."""
    how = _above(binary)
    below = _Below(device=os.stat(folder).st_dev, folder=folder)
    return how if how != "none" and _may_be_below(binary, how, below) else "none"


@dataclass(frozen=True, slots=True)
class _Below:
    """A file system, by a folder in it."""

    device: int
    folder: str = field(compare=False)


@cache
def _may_be_below(binary: str, how: _Above, below: _Below) -> bool:
    """Not every file system may be: not an overlay on another one, for example."""
    with scratch("overlay") as above:
        words = _overlay(Laid(path=below.folder, source=below.folder), above, how)
        return _runs(binary, [*words, below.folder], "true", below.folder)


@cache
def _above(binary: str) -> _Above:
    """In a temporary folder: a command finds nothing that is hidden, and leaves nothing in the source."""
    with scratch("overlay") as place:
        os.mkdir(lower := os.path.join(place, "lower"))
        with open(os.path.join(lower, "hidden"), "x"):
            pass
        laid = Laid(path=lower, source=lower, without=("hidden",))
        for how in ("disk", "memory"):
            os.mkdir(above := os.path.join(place, how))
            try:
                words = [*_overlay(laid, above, how), lower]
            except OSError:  # a kernel that lets no user say that nothing is there
                continue
            works = _runs(binary, words, 'cd "$0" && test ! -e hidden && echo >made', lower)
            if works and os.listdir(lower) == ["hidden"]:
                return how
    return "none"


def _runs(binary: str, words: list[str], script: str, folder: str) -> bool:
    seen = [word for path in SYSTEM for word in ("--ro-bind-try", path, path)]
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            [binary, "--unshare-all", "--unshare-user", *seen, *words, "sh", "-c", script, folder],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
