"""
Skills laid into the work tree for agents that look for them there.

They are links in one folder below `.agents/skills` that ignores itself, so that git sees nothing of
them, in a linked work tree neither. The folder is gone when the agent is; one that a killed process
left behind is cleared by the next. What the person has there is never touched.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from prowess.core.agent import AgentOrder

FOLDER = "prowess-handed-over"  # below .agents/skills
_IGNORED = ".gitignore"


@contextmanager
def handed_over(order: AgentOrder, *, links: bool) -> Iterator[None]:
    """While it lasts, the skills of the order can be found in its work tree."""
    made: list[str] = []
    try:
        if links and order.skills:
            _lay(order, made)
        yield
    finally:
        _clear(made)


def _lay(order: AgentOrder, made: list[str]) -> None:
    folder = order.workspace
    for part in (".agents", "skills"):
        folder = os.path.join(folder, part)
        if os.path.islink(folder):
            return  # it leads who knows where; the prompt has the skills too
        if not os.path.isdir(folder):
            os.mkdir(folder)
            made.append(folder)
    own = os.path.join(folder, FOLDER)
    with suppress(FileExistsError):
        os.mkdir(own)
    made.append(own)
    _empty(own)
    with open(os.path.join(own, _IGNORED), "w", encoding="ascii") as file:
        file.write("*\n")
    for name, path in order.skills.items():
        if os.path.realpath(path) != os.path.realpath(os.path.join(folder, name)):
            os.symlink(os.path.realpath(path), os.path.join(own, name), target_is_directory=True)


def _clear(made: list[str]) -> None:
    """Take away what was laid, innermost first; a folder that somebody put something into stays."""
    for folder in reversed(made):
        if os.path.basename(folder) == FOLDER:
            _empty(folder)
        with suppress(OSError):
            os.rmdir(folder)


def _empty(own: str) -> None:
    """Only links and our own file go: what an agent wrote here, though ignored, is its work."""
    for entry in os.scandir(own):
        if entry.is_symlink() or entry.name == _IGNORED:
            os.unlink(entry.path)
