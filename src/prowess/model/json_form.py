"""
Tools for models that cannot call them: described in the prompt, asked for in JSON.

The model under it sees text only. It is told the form once, in the system message, and its replies
are read leniently. A message is told the same way each time and handed on as the same value, so
that the model under it knows by identity what it has converted already.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from prowess.core.chat import Call, Message, Reply, ToolCard
from prowess.core.errors import ModelError
from prowess.core.ports import Model
from prowess.model.json_reply import Final, WrongFormError, read_step
from prowess.model.templates import template


class NoToolsError(ModelError):
    """The model cannot call tools itself; in the JSON form it may."""


class JsonForm:
    """A `Model` with tools over one that only writes text."""

    native_tools = False

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self.window = model.window
        self._model = model
        self._cards: tuple[ToolCard, ...] | None = None
        self._form = ""
        self._bare = Message(role="system", text="")  # for conversations without a system message
        self._told: list[tuple[Message, Message]] = []  # each message, and how it is told
        self._tools: dict[str, str] = {}  # the tool of each call, by the call's id

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolCard]) -> Reply:
        reply = await self._model.reply(self._as_text(messages, tuple(tools)), ())
        if reply.malformed:
            return reply
        said = sum(message.role == "assistant" for message in messages)
        return _followed(reply, tools, call_id=f"call_{said + 1}")

    def _as_text(self, messages: Sequence[Message], cards: tuple[ToolCard, ...]) -> list[Message]:
        if cards != self._cards:
            self._cards, self._form, self._told = cards, described(cards), []
        if not messages or messages[0].role != "system":
            messages = [self._bare, *messages]
        pairs = zip(self._told, messages, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0][0] is pair[1], pairs))
        del self._told[same:]
        self._told += [(message, self._tell(message)) for message in messages[same:]]
        first = self._told[0][1]
        if not first.text.endswith(self._form):
            text = f"{first.text}\n\n{self._form}".lstrip()
            self._told[0] = (messages[0], replace(first, text=text))
        return [told for _, told in self._told]

    def _tell(self, message: Message) -> Message:
        if message.role == "tool":
            tool = self._tools.get(message.answers, "the tool")
            kind = "Observation" if message.ok else "Observation of a failure"
            return Message(role="user", text=f"{kind}, from {tool}:\n{message.text}")
        if not message.calls:
            return message
        self._tools |= {call.id: call.tool for call in message.calls}
        steps = (
            {"thought": message.text, "action": call.tool, "action_input": dict(call.input)}
            for call in message.calls
        )
        lines = (json.dumps(step, ensure_ascii=False) for step in steps)
        return Message(role="assistant", text="\n".join(lines))


def described(tools: Sequence[ToolCard]) -> str:
    """The form of a reply and the tools, as the model is told them."""
    one = template("json-tool.md")
    cards = (
        one.replace("{name}", tool.name)
        .replace("{parameters}", json.dumps(tool.parameters, ensure_ascii=False))
        .replace("{description}", tool.description)
        for tool in tools
    )
    return template("json-form.md").replace("{tools}", "\n\n".join(cards) or "There are none.")


def _followed(reply: Reply, tools: Sequence[ToolCard], *, call_id: str) -> Reply:
    """The reply with the call it asks for, its final answer, or what is wrong with it."""
    parameters = {tool.name: tool.parameters for tool in tools}
    try:
        step = read_step(reply.message.text, parameters)
    except WrongFormError as wrong:
        return replace(reply, malformed=str(wrong))
    if isinstance(step, Final):
        return replace(reply, message=Message(role="assistant", text=step.answer))
    call = Call(id=call_id, tool=step.tool, input=step.input)
    return replace(reply, message=Message(role="assistant", text=step.thought, calls=(call,)))
