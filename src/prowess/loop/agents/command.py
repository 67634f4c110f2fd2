"""
Any command as an agent: the prompt on its standard input, and what it prints is what it says.

Its paths are those that hold in the project, wherever the work tree of a task lies.
"""

import os

from prowess.core.agent import AgentOrder
from prowess.core.errors import UsageError
from prowess.loop.agents.base import Launch, Ways
from prowess.loop.agents.heard import Heard
from prowess.loop.agents.program import Program


def command_agent(words: tuple[str, ...], *, home: str = "") -> Program:
    """An agent that is this command; `home` is the project, where its relative paths lead from."""
    if not words:
        raise UsageError(
            "the agent is a command, and there is none",
            hint="name it: --command 'program arguments'",
        )

    def launch(order: AgentOrder, place: str) -> Launch:
        found = [_found(word, workspace=order.workspace, home=home) for word in words[1:]]
        return Launch(words=tuple(found), stdin=order.prompt)

    return Program(
        ways=Ways(name="command", program=words[0], launch=launch, read_text=Heard.line),
        path=os.path.join(home, words[0]) if os.sep in words[0] else words[0],
    )


def _found(word: str, *, workspace: str, home: str) -> str:
    """
    A file that the project has and the work tree has not (it lies outside of both, or git passes it
    over) is named in full. Any other word is nobody's business but the command's.
    """
    there = os.path.join(home, word)
    missing = not os.path.lexists(os.path.join(workspace, word))
    return there if missing and os.path.isfile(there) else word
