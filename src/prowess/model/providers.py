"""
Real models, through the model layer of pydantic-ai: one request, tried once, read as a stream.

A stream, because then a server that hangs or hangs up is noticed by its silence, long before any
sensible limit on the whole answer. Each library is loaded when its provider is opened, and not
before: together they take seconds.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from prowess.core.chat import Message, Reply, ToolCard
from prowess.core.errors import ModelError
from prowess.core.ports import Model
from prowess.model.characters import whole_text
from prowess.model.cost import window
from prowess.model.demo import demo_model
from prowess.model.json_form import JsonForm, NoToolsError
from prowess.model.names import Named

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model as LibraryModel
    from pydantic_ai.models import ModelRequestParameters

OnText = Callable[[str], object]
Close = Callable[[], Awaitable[object]]
_SECONDS, _SILENCE = 600.0, 120.0
_WINDOW, _LOCAL_WINDOW = 128_000, 32_768
_NO_KEY = "none"  # the libraries want some text where a server wants no key
_MAYBE_WITHOUT_TOOLS = ("openai", "ollama", "local")


class OpenModel(Model, Protocol):
    """A `Model` with connections to close when the last request is made."""

    async def close(self) -> None: ...


def open_model(
    named: Named,
    *,
    environment: Mapping[str, str] = os.environ,
    skill_folder: str | None = None,
    on_text: OnText | None = None,
    seconds: float = _SECONDS,
    silence: float = _SILENCE,
) -> OpenModel:
    """
    The model of this name, ready to be asked. `on_text` is handed its text as it comes.

    `seconds` is the longest that one request may take, and `silence` the longest pause in it.
    `skill_folder` is where the `demo` model looks for its script.
    """
    if named.provider == "demo":
        return demo_model(skill_folder)
    library, close = _OPEN[named.provider](named, environment.get(named.key_variable) or _NO_KEY)
    model = ProviderModel(
        named, library, close=close, on_text=on_text, seconds=seconds, silence=silence
    )
    return NativeOrJson(model) if named.provider in _MAYBE_WITHOUT_TOOLS else model


class ProviderModel:
    """A `Model` at a provider."""

    native_tools = True

    def __init__(
        self,
        named: Named,
        library: "LibraryModel",
        *,
        close: Close,
        on_text: OnText | None,
        seconds: float,
        silence: float,
    ) -> None:
        from prowess.model.wire import Conversation

        self.name = named.name
        self.window = window(named) or (_LOCAL_WINDOW if named.base_url else _WINDOW)
        self._named = named
        self._close = close
        self._library = library
        self._conversation = Conversation(named.provider)
        self._on_text = on_text
        self._seconds = seconds
        self._silence = silence

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolCard]) -> Reply:
        from prowess.model.failures import explained
        from prowess.model.wire import parameters, reply_from

        sent, asked = self._conversation.converted(messages), parameters(messages, tools)
        try:
            response = await self._request(sent, asked)
        except ModelError:
            raise
        except Exception as error:  # whatever a library makes of a stranger's bytes
            raise explained(error, self._named) from error
        return reply_from(response, self._named)

    async def close(self) -> None:
        await self._close()

    async def _request(
        self, sent: "list[ModelMessage]", asked: "ModelRequestParameters"
    ) -> "ModelResponse":
        from pydantic_ai.direct import model_request_stream

        from prowess.model.wire import LONGEST, heard

        clock = asyncio.get_running_loop().time
        end = clock() + self._seconds
        try:
            async with (
                asyncio.timeout_at(min(end, clock() + self._silence)) as limit,
                model_request_stream(
                    self._library,
                    sent,
                    model_request_parameters=asked,
                    model_settings={"cache": True},
                ) as stream,
            ):
                length = 0
                async for event in stream:
                    limit.reschedule(min(end, clock() + self._silence))
                    piece, spoken = heard(event)
                    if spoken and piece and self._on_text:
                        self._on_text(whole_text(piece))
                    length += len(piece)
                    if length > LONGEST:  # a model that does not stop is not waited for
                        return stream.get()
                return self._whole(stream.get())
        except TimeoutError:
            raise ModelError(
                f"{self.name} did not answer in time", hint="try again later", transient=True
            ) from None

    def _whole(self, response: "ModelResponse") -> "ModelResponse":
        """A stream that ends without saying why it ends was broken off, however cleanly."""
        if response.finish_reason is None:
            raise ModelError(f"{self.name} broke off in the middle of its reply", transient=True)
        return response


class NativeOrJson:
    """A `Model` that uses the JSON form from the moment its server says that it cannot call tools."""

    def __init__(self, model: OpenModel) -> None:
        self.name = model.name
        self.window = model.window
        self.native_tools = True
        self.close = model.close
        self._native = model
        self._json = JsonForm(model)

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolCard]) -> Reply:
        if self.native_tools:
            try:
                return await self._native.reply(messages, tools)
            except NoToolsError:
                self.native_tools = False
        return await self._json.reply(messages, tools)


def _anthropic(named: Named, key: str) -> tuple["LibraryModel", Close]:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(api_key=key, base_url=named.base_url or None, max_retries=0)
    provider = AnthropicProvider(anthropic_client=client)
    return AnthropicModel(named.model, provider=provider), client.close


def _openai_chat(named: Named, key: str) -> tuple["LibraryModel", Close]:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(api_key=key, base_url=named.base_url or None, max_retries=0)
    # Otherwise a stream that was broken off counts as a whole one.
    profile = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    provider = OpenAIProvider(openai_client=client)
    return OpenAIChatModel(named.model, provider=provider, profile=profile), client.close


def _openai_responses(named: Named, key: str) -> tuple["LibraryModel", Close]:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(api_key=key, base_url=named.base_url or None, max_retries=0)
    provider = OpenAIProvider(openai_client=client)
    return OpenAIResponsesModel(named.model, provider=provider), client.close


def _google(named: Named, key: str) -> tuple["LibraryModel", Close]:
    import httpx2
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    client = httpx2.AsyncClient(timeout=_SECONDS)
    provider = GoogleProvider(api_key=key, base_url=named.base_url or None, http_client=client)
    return GoogleModel(named.model, provider=provider), client.aclose


_OPEN: Mapping[str, Callable[[Named, str], tuple["LibraryModel", Close]]] = {
    "anthropic": _anthropic,
    "openai": _openai_chat,
    "openai-responses": _openai_responses,
    "google": _google,
    "ollama": _openai_chat,
    "local": _openai_chat,
}
