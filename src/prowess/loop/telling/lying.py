"""What a loop has left in a repository of its own making, for its report to name: work trees and branches."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from prowess.core.errors import OutsideError
from prowess.loop.git.repository import Repository

TREES = "worktrees"  # in the data folder


@dataclass(frozen=True, slots=True)
class Lying:
    """
    Folders of work trees that were not removed, and all branches of the loop that there are. `needed`: the
    loop may go on there.
    """

    trees: Sequence[str] = ()
    branches: Sequence[str] = ()
    needed: bool = False


def trees_of(data: str, run: str) -> str:
    """The folder that the work trees of a loop lie in."""
    return os.path.join(os.path.realpath(data), TREES, run)


def reason_with(reason: str, folder: str) -> str:
    """The reason, and the folder in which lies what was done of a task, where there is one."""
    lies = os.path.isdir(folder)
    return f"{reason}; what was done of it lies in {folder}" if lies else reason


async def lying(repository: Repository, data: str, run: str) -> Lying:
    """What lies there now; nothing is changed, and no program of anybody's is run."""
    told = ""
    with suppress(OutsideError):  # the repository may be what ended the loop
        refs = ("for-each-ref", "--format=%(refname:lstrip=2)", f"refs/heads/prowess/{run}/")
        told = await repository.git(*refs, fails=False)
    return Lying(_trees(trees_of(data, run)), told.split())


def _trees(folder: str) -> list[str]:
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in names]
