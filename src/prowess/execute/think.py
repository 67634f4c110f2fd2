"""One request to the model, as a step: what came back, or what went wrong."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from prowess.core.chat import Message, Reply, Usage, message_as_json, message_from_json
from prowess.core.errors import ContextTooLongError, ModelError
from prowess.core.ports import Json
from prowess.execute.clock import Deadline
from prowess.execute.means import Means


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """A reply, or the trouble that there was; `may_go_on`: another iteration may fare better."""

    reply: Reply | None = None
    trouble: str = ""
    may_go_on: bool = False
    too_long: bool = False
    waits: tuple[str, ...] = ()


async def think(messages: Sequence[Message], *, means: Means, deadline: Deadline) -> Thought:
    async def work() -> Json:
        waits: list[str] = []
        try:
            async with asyncio.timeout(deadline.left()):
                reply = await means.think(messages, means.cards, waits.append)
        except TimeoutError:
            trouble = f"no answer within the iteration's {deadline.seconds:g} s"
            return {"trouble": trouble, "may_go_on": True, "waits": waits}
        except ContextTooLongError as error:
            return {"trouble": str(error), "too_long": True, "waits": waits}
        except ModelError as error:
            hint = f" ({error.hint})" if error.hint else ""
            return {"trouble": f"{error}{hint}", "waits": waits}
        return {"reply": _reply_as_json(reply), "waits": waits}

    value = await means.steps.do("model", work)
    if "reply" in value:
        return Thought(reply=_reply_from_json(value["reply"]), waits=tuple(value["waits"]))
    return Thought(**value)


def _reply_as_json(reply: Reply) -> Json:
    usage = reply.usage
    return {
        "message": message_as_json(reply.message),
        "usage": [usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cost],
        "model": reply.model,
        "malformed": reply.malformed,
    }


def _reply_from_json(value: Json) -> Reply:
    read, written, cached, cost = value["usage"]
    return Reply(
        message=message_from_json(value["message"]),
        usage=Usage(input_tokens=read, output_tokens=written, cached_tokens=cached, cost=cost),
        model=value["model"],
        malformed=value["malformed"],
    )
