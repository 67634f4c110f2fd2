"""
How full the model's window is, and how room is made in it.

Old tool output goes first, oldest first; instructions, thoughts and the newest exchange stay: what
the model has not seen yet goes only when the provider will not have it all. What was dropped is only
dropped from the conversation: the log has it. Until room must be made, nothing that was sent is
changed, so that the provider's prompt cache holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from prowess.core.chat import Message, Reply
from prowess.execute.means import Notes

_CHARS_PER_TOKEN = 4  # a careful guess where the provider has not counted yet
_FULL = 0.85
_ROOMY = 0.5
_KEPT_MESSAGES = 4  # at least; the newest exchange is what the model is working on
_WORTH_DROPPING = 400  # characters


@dataclass
class Context:
    """`tokens` is the size of the conversation as last counted, or guessed."""

    window: int
    tokens: int = 0
    _counted: int = 0  # how many messages `tokens` covers

    def measure(self, messages: Sequence[Message], reply: Reply) -> None:
        """Take the provider's own count when there is one."""
        said = _guess(reply.message)
        if reply.usage.input_tokens:
            self.tokens = reply.usage.input_tokens + (reply.usage.output_tokens or said)
        else:
            self._catch_up(messages)
            self.tokens += said
        self._counted = len(messages) + 1

    def make_room(
        self, messages: list[Message], notes: Notes, *, by_half: bool = False
    ) -> tuple[int, int]:
        """
        Drop old tool output when the window is nearly full; (messages shortened, characters freed).
        `by_half`: the provider has said that it is too much, so the newest exchange goes, too, all
        but its last message, where the old ones are not enough.
        """
        self._catch_up(messages)
        if not by_half and self.tokens <= self.window * _FULL:
            return (0, 0)
        wanted = self.tokens - int(
            min(self.window * _ROOMY, self.tokens / 2) if by_half else self.window * _ROOMY
        )
        shortened = freed = 0
        kept = 1 if by_half else _newest(messages)
        for at, message in enumerate(messages[:-kept]):
            if freed >= wanted * _CHARS_PER_TOKEN:
                break
            if message.role == "tool" and len(message.text) > _WORTH_DROPPING:
                text = notes.dropped(len(message.text))
                freed += len(message.text) - len(text)
                shortened += 1
                messages[at] = replace(message, text=text)
        self.tokens -= freed // _CHARS_PER_TOKEN
        return (shortened, freed)

    def _catch_up(self, messages: Sequence[Message]) -> None:
        self.tokens += sum(_guess(message) for message in messages[self._counted :])
        self._counted = len(messages)


def _newest(messages: Sequence[Message]) -> int:
    """How many messages the model is working on: its last reply, and all that was said since."""
    backwards = enumerate(reversed(messages), 1)
    return max(_KEPT_MESSAGES, next((at for at, each in backwards if each.role == "assistant"), 0))


def _guess(message: Message) -> int:
    called = sum(len(call.tool) + len(str(call.input)) for call in message.calls)
    return (len(message.text) + called) // _CHARS_PER_TOKEN + 1
