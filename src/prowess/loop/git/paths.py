"""Paths of a work tree: as git takes them, as it tells them, and where a loop keeps what no branch can hold."""

import os
from collections.abc import Sequence

from prowess.loop.request import ARTIFACTS


def inner(others: Sequence[str]) -> list[str]:
    """Repositories among these paths, which are none of the tree's submodules."""
    return [path.rstrip("/") for path in others if path.endswith("/")]


def literal(path: str) -> str:
    """The path as git takes it for itself, whatever signs are in it."""
    return f":(literal){path}"


def left_in(folder: str, branch: str) -> str:
    """Where a work tree keeps what was left and no branch can hold."""
    return os.path.join(folder, ARTIFACTS, "left", branch)


def is_there(folder: str, path: str) -> bool:
    return os.path.lexists(os.path.join(folder, path))
