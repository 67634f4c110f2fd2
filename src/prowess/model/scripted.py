"""
A model that follows a script: for tests, benches and demonstrations.

Which turn comes next depends on the conversation alone, not on a counter: a run that was killed
and is resumed with a new `Scripted` of the same script goes on where it was.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from prowess.core.chat import Call, Message, Reply, ToolCard, Usage
from prowess.core.errors import ModelError

Turn = Reply | ModelError  # what the model says, or how asking it fails
Script = Sequence[Turn] | Callable[[Sequence[Message]], Turn]
FREE = Usage(cost=0.0)


def call(tool: str, /, thought: str = "", **arguments: Any) -> Reply:
    """One call; `thought` is the text beside it."""
    return calls((tool, arguments), thought=thought)


def calls(*wanted: tuple[str, Mapping[str, Any]], thought: str = "") -> Reply:
    """Several calls in one reply."""
    made = tuple(Call(id="", tool=tool, input=arguments) for tool, arguments in wanted)
    return Reply(message=Message(role="assistant", text=thought, calls=made), usage=FREE)


def final(text: str) -> Reply:
    """An answer without calls, which ends a run."""
    return Reply(message=Message(role="assistant", text=text), usage=FREE)


def malformed(text: str, why: str = "the reply is not one that can be followed") -> Reply:
    """A reply that nobody can follow."""
    return replace(final(text), malformed=why)


class Scripted:
    """
    A `Model` that says the turns of its script in order, or what a function of the conversation returns.

    A `ModelError` in the script is raised once, and the turn after it answers the next try. Calls
    get ids by their place, so that the same conversation always has the same ids. `requests`
    counts how often the model was asked.
    """

    def __init__(
        self,
        script: Script,
        *,
        name: str = "scripted",
        native_tools: bool = True,
        window: int = 200_000,
    ) -> None:
        self.name = name
        self.native_tools = native_tools
        self.window = window
        self.requests = 0
        self._script = script
        self._raised = 0
        self._counted: tuple[int, Message | None, int] = (0, None, 0)

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolCard]) -> Reply:
        self.requests += 1
        said = self._said(messages)
        turn = self._turn(messages, said)
        if isinstance(turn, ModelError):
            self._raised += 1
            raise turn
        return replace(turn, message=_with_ids(turn.message, said), model=turn.model or self.name)

    async def close(self) -> None:
        """Nothing is open."""

    def _said(self, messages: Sequence[Message]) -> int:
        """How many replies the conversation has; where it only grew, only what is new is counted."""
        known, last, said = self._counted
        if not 0 < known <= len(messages) or messages[known - 1] is not last:
            known, said = 0, 0
        said += sum(message.role == "assistant" for message in messages[known:])
        self._counted = (len(messages), messages[-1] if messages else None, said)
        return said

    def _turn(self, messages: Sequence[Message], said: int) -> Turn:
        if callable(self._script):
            return self._script(messages)
        place = said + self._raised
        if place < len(self._script):
            return self._script[place]
        return ModelError(
            f"the script of {self.name} has ended after {len(self._script)} turns",
            hint="end the script with a final answer",
        )


def _with_ids(message: Message, said: int) -> Message:
    if not message.calls:
        return message
    named = tuple(
        replace(call, id=call.id or f"call_{said + 1}_{place}")
        for place, call in enumerate(message.calls, 1)
    )
    return replace(message, calls=named)
