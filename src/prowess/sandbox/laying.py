"""
Folders and files that a command finds in the place of others, in the words of bubblewrap.

What may be written and is to be dropped is laid as an overlay: the source below, what the command
writes above it, on a disk or else in memory. Where the kernel, the file system or an older bubblewrap
has no overlays, the source itself is written.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
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
    above = stack.enter_context(scratch("overlay"))
    empty = os.path.join(above, "empty")
    with open(empty, "xb"):
        pass
    for each in laid:
        path = each.path.rstrip("/")
        if not each.source:
            found[path] = ("--tmpfs",) if each.path != path else ("--ro-bind", empty)
            continue
        descriptor = open_place(each.source)
        stack.callback(os.close, descriptor)
        if each.kept or not os.path.isdir(each.source):
            bind = "--bind-fd" if each.kept else "--ro-bind-fd"
            found[path] = (bind, str(descriptor))
        elif (how := overlays(binary)) == "none":
            found[path] = ("--bind-fd", str(descriptor))
        else:
            found[path] = tuple(_overlay(each.source, above, len(found), how))
    return found


def descriptors(found: "dict[str, tuple[str, ...]]") -> list[int]:
    """Those that bubblewrap has to inherit."""
    return [int(words[1]) for words in found.values() if words[0].endswith("-fd")]


def _overlay(source: str, above: str, number: int, how: _Above) -> Iterator[str]:
    yield from ("--overlay-src", source)
    if how == "memory":
        yield "--tmp-overlay"
        return
    yield "--overlay"
    for name in ("written", "work"):
        os.makedirs(place := os.path.join(above, str(number), name))
        yield place


@cache
def overlays(binary: str) -> _Above:
    """Where what is written over a folder goes with this bubblewrap, found out by trying."""
    with scratch("overlay") as place:
        os.mkdir(lower := os.path.join(place, "lower"))
        for how in ("disk", "memory"):
            os.mkdir(above := os.path.join(place, how))
            words = [*_overlay(lower, above, 0, how), lower]
            if _runs(binary, words, os.path.join(lower, "made")):
                return how
    return "none"


def _runs(binary: str, words: list[str], made: str) -> bool:
    seen = [word for path in SYSTEM for word in ("--ro-bind-try", path, path)]
    touch = ["sh", "-c", 'echo >"$0"', made]
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            [binary, "--unshare-all", "--unshare-user", *seen, *words, *touch],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and not os.path.lexists(made)
