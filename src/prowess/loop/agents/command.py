"""Any command as an agent: the prompt on its standard input, and what it prints is what it says."""

from prowess.core.agent import AgentOrder
from prowess.core.errors import UsageError
from prowess.loop.agents.base import Launch, Ways
from prowess.loop.agents.heard import Heard
from prowess.loop.agents.program import Program

_LONGEST = 4_000  # characters after which a paragraph is told, finished or not


def command_agent(words: tuple[str, ...]) -> Program:
    """An agent that is this command; the prompt comes on its standard input."""
    if not words:
        raise UsageError(
            "the agent is a command, and there is none", hint="name a program and its arguments"
        )

    def launch(order: AgentOrder, place: str) -> Launch:
        return Launch(words=words[1:], stdin=order.prompt)

    return Program(
        ways=Ways(name="command", program=words[0], launch=launch, read_text=read_text),
        path=words[0],
    )


def read_text(heard: Heard, line: str) -> None:
    """Text is told by the paragraph, so that who watches has something to read in time."""
    heard.pieces.append(line)
    if not line.strip() or sum(map(len, heard.pieces)) > _LONGEST:
        heard.iteration = 1
        heard.paragraph()
