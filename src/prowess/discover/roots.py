"""
Where skills are looked for, and in which order.

The first match wins, so the order is a promise: the configured folders as written, each relative
one from the working folder up to the git root, nearest first, and the built-in pack last.
"""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from prowess.core.skill import Location

DEFAULT_DIRS = (
    ".agents/skills",
    ".agent/skills",
    "~/.agents/skills",
    "~/.agent/skills",
    ".claude/skills",
    "~/.claude/skills",
    ".opencode/skills",
    ".cursor/skills",
    ".codex/skills",
    ".github/skills",
    "~/.agents-ui/maestro-skills",
)


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of skills, and whose it is."""

    path: str
    location: Location


def search_order(dirs: Sequence[str], *, project: str, builtin: str | None) -> list[Root]:
    """
    The folders that exist, in search order, each once.

    `project` is the working folder. A folder reached a second time, by another spelling or
    through a link, is left out: the same skills would only shadow themselves.
    """
    steps = ladder(os.path.abspath(project))
    candidates = []
    for each in dirs:
        expanded = os.path.expanduser(each)
        if os.path.isabs(expanded):
            candidates.append(
                Root(
                    os.path.normpath(expanded),
                    "project"
                    if _inside(expanded, steps[-1]) and not each.startswith("~")
                    else "global",
                )
            )
        else:
            candidates += [
                Root(os.path.normpath(os.path.join(step, expanded)), "project") for step in steps
            ]
    if builtin is not None:
        candidates.append(Root(os.path.abspath(builtin), "builtin"))
    return _once(candidates)


def ladder(project: str) -> list[str]:
    """The working folder and the ones above it up to the git root; only itself outside of git."""
    steps, here = [project], project
    while not _is_git_root(here):
        above = os.path.dirname(here)
        if above == here:
            return [project]
        here = above
        steps.append(here)
    return steps


def _is_git_root(folder: str) -> bool:
    """With a .git of our own: one that somebody else left above us, in a shared folder, is no project of ours."""
    try:
        return os.lstat(os.path.join(folder, ".git")).st_uid in (os.getuid(), 0)
    except OSError:
        return False


def _inside(path: str, folder: str) -> bool:
    return os.path.commonpath([os.path.abspath(path), folder]) == folder


def _once(candidates: list[Root]) -> list[Root]:
    seen: set[tuple[int, int]] = set()
    roots = []
    for root in candidates:
        try:
            status = os.stat(root.path)
        except (OSError, ValueError):  # a path may hold what no path can
            continue
        place = (status.st_dev, status.st_ino)
        if place not in seen and stat.S_ISDIR(status.st_mode):
            seen.add(place)
            roots.append(root)
    return roots
