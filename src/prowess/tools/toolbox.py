"""
The toolbox: a typed function becomes a schema, a call, an observation.

Whatever a model asks for is answered by an observation: an unknown tool, wrong arguments, a refusal,
even a fault of ours. Only cancellation passes through. What a tool did to help itself is said in
`healed` and in the text. A call is judged, weighed and made as `mend` reads it, never as it was spelled:
whoever has a call made has shown that one to the gate, or to a person who may allow it.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import CodeType
from typing import Any

from prowess.core.chat import Call, Observation, ToolCard, ToolKind
from prowess.core.errors import ProwessError, StoreError
from prowess.tools import mend
from prowess.tools.descriptions import description
from prowess.tools.heal import fleeting, persist
from prowess.tools.output import SHOWN, keep, shorten
from prowess.tools.place import Place

Run = Callable[[Call], Awaitable[Observation]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """
    `reads_only`: it changes nothing, so several may run at once. `repeatable`: doing it twice is
    the same as doing it once; `repeats` decides that by the arguments where the tool cannot say.
    `ignores` are arguments of other agents' tools that mean nothing here and do no harm.
    """

    name: str
    kind: ToolKind
    description: str
    parameters: Mapping[str, Any]
    run: Run
    reads_only: bool = False
    repeatable: bool = False
    repeats: Callable[[Mapping[str, Any]], bool] | None = None
    ignores: frozenset[str] = frozenset()

    def card(self) -> ToolCard:
        return ToolCard(name=self.name, description=self.description, parameters=self.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A call as it was meant, or `wrong`, which tells the model why it cannot be followed."""

    call: Call
    healed: tuple[str, ...] = ()
    wrong: str = ""


def seen(
    text: str, *, healed: Iterable[str] = (), facts: Mapping[str, Any] | None = None
) -> Observation:
    """What a tool found; the toolbox adds the id of the call."""
    return Observation(call_id="", text=text, healed=tuple(healed), facts=facts or {})


def failed(
    text: str, *, healed: Iterable[str] = (), facts: Mapping[str, Any] | None = None
) -> Observation:
    return replace(seen(text, healed=healed, facts=facts), ok=False)


def typed(
    name: str,
    kind: ToolKind,
    function: Callable[..., Awaitable[Observation]],
    *,
    reads_only: bool = False,
    repeatable: bool = False,
    repeats: Callable[[Mapping[str, Any]], bool] | None = None,
    ignores: Iterable[str] = (),
) -> Tool:
    """A tool from a function whose keyword arguments are typed; its description is the .md file of its name."""
    from pydantic import ValidationError
    from pydantic_core import ArgsKwargs

    adapter, schema = _form_of(function)

    async def run(call: Call) -> Observation:
        try:
            given = adapter.validate_python(ArgsKwargs((), dict(call.input)))
        except ValidationError as error:
            return failed(_wrong_arguments(name, error.errors(include_url=False), schema))
        return await function(**given)

    return Tool(
        name=name,
        kind=kind,
        description=description(name.lower()),
        parameters=schema,
        run=run,
        reads_only=reads_only,
        repeatable=repeatable,
        repeats=repeats,
        ignores=frozenset(ignores),
    )


class Toolbox:
    """
    The tools of one run. Names are unique; the first of a name wins. `warnings` tell which tools
    that somebody counts on are not in it, and why.
    """

    def __init__(
        self,
        tools: Iterable[Tool],
        place: Place,
        *,
        shown: int = SHOWN,
        warnings: Iterable[str] = (),
    ) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            self._tools.setdefault(tool.name, tool)
        self._place = place
        self._shown = shown
        self.warnings = tuple(warnings)

    def cards(self) -> list[ToolCard]:
        return [tool.card() for tool in self._tools.values()]

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def repeatable(self, call: Call) -> bool:
        """Whether this very call may be made again when nobody knows if it was made."""
        mended = self.mend(call)
        if mended.wrong:
            return True  # it does nothing but say so
        tool = self._tools[mended.call.tool]
        return tool.repeatable or (tool.repeats is not None and tool.repeats(mended.call.input))

    def mend(self, call: Call) -> Mended:
        """The call as it was meant. Show this one to the gate: it is the one that is made."""
        name = mend.tool_name(call.tool, self._tools) if self._place.heals else call.tool
        if name is None or name not in self._tools:
            return Mended(call=call, wrong=self._unknown(call.tool))
        healed = [] if name == call.tool else [f"read {call.tool} as {name}"]
        tool, given = self._tools[name], dict(call.input)
        if self._place.heals:
            given, done = mend.arguments(given, tool.parameters)
            healed.extend(done)
        unknown = set(given) - set(tool.parameters.get("properties", given))
        for extra in sorted(unknown & tool.ignores):
            del given[extra]
        return Mended(call=Call(id=call.id, tool=name, input=given), healed=tuple(healed))

    async def act(self, call: Call) -> Observation:
        mended = self.mend(call)
        if mended.wrong:
            return await self._worded(call, failed(mended.wrong))
        made = await self._made(mended.call)
        return await self._worded(call, replace(made, healed=mended.healed + made.healed))

    async def _made(self, call: Call) -> Observation:
        """The call is made; what goes wrong is put in words."""
        tool = self._tools[call.tool]
        try:
            if not (self._place.heals and self.repeatable(call)):
                return await tool.run(call)
            made, again = await persist(
                lambda: tool.run(call), passes=fleeting, sleep=self._place.sleep
            )
        except StoreError:  # the run stops here; the model is not told
            raise
        except ProwessError as error:
            return failed(f"{error}. {error.hint}".removesuffix(". "))
        except OSError as error:
            return failed(f"{tool.name} failed: {error.strerror or error}")
        except Exception as error:
            logging.getLogger(__name__).exception("the tool %s broke", tool.name)
            return failed(
                f"The tool {tool.name} itself broke ({type(error).__name__}: {error}). "
                "The fault is not in your call; reach the goal in another way.",
                facts={"fault": type(error).__name__},
            )
        note = (f"tried again {again} times, as the trouble was passing",) if again else ()
        return replace(made, healed=made.healed + note)

    async def _worded(self, call: Call, made: Observation) -> Observation:
        """The observation as the model reads it: shortened, and with what was healed."""
        text, facts = made.text, dict(made.facts)
        if len(text) > self._shown:
            # In a thread: to clean some megabytes takes seconds, in which others must go on.
            text, whole = await asyncio.to_thread(self._shortened, call.id, text)
            facts |= {"whole_output": whole} if whole else {}
        if made.healed:
            text = f"{text}\n\n[Recovered: {'; '.join(made.healed)}]"
        return replace(made, call_id=call.id, text=text, facts=facts)

    def _shortened(self, call_id: str, text: str) -> tuple[str, str]:
        """What is shown of a long text, and where all of it is kept, if it could be."""
        cleaned, whole = self._place.clean(text), ""
        with contextlib.suppress(OSError):
            whole = keep(self._place, call_id, cleaned)
        return shorten(cleaned, limit=self._shown, whole=whole), whole

    def _unknown(self, said: str) -> str:
        near = mend.near_names(said, self._tools)
        meant = f"Did you mean {' or '.join(near)}? " if near else ""
        return f"There is no tool {said!r}. {meant}The tools are: {', '.join(self._tools)}."


_FORMS: dict[CodeType, tuple[Any, dict[str, Any]]] = {}


def _form_of(function: Callable[..., Any]) -> tuple[Any, dict[str, Any]]:
    """
    What checks a function's arguments, and their schema.

    Every run has functions of its own, made by the same lines; the form is worked out once for all.
    """
    made: Any = function.func if isinstance(function, partial) else function
    code: CodeType = made.__code__
    if code not in _FORMS:
        import inspect

        from pydantic import TypeAdapter

        def arguments(**given: Any) -> dict[str, Any]:
            return given

        arguments.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        arguments.__annotations__ = made.__annotations__
        arguments.__module__ = made.__module__
        form: Any = arguments
        adapter: Any = TypeAdapter(form)
        _FORMS[code] = (adapter, _plain_schema(adapter.json_schema()))
    return _FORMS[code]


def _plain_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the titles pydantic adds, which only cost tokens."""
    for each in schema.get("properties", {}).values():
        each.pop("title", None)
    return schema


def _wrong_arguments(name: str, errors: Iterable[Any], schema: Mapping[str, Any]) -> str:
    wrong = []
    for error in errors:
        where = ".".join(str(part) for part in error["loc"]) or "arguments"
        if error["type"].startswith("missing"):
            wrong.append(f"{where} is missing")
        elif error["type"].startswith("unexpected"):
            wrong.append(f"{where} is not an argument of {name}")
        else:
            wrong.append(f"{where}: {error['msg'].removeprefix('Input ')}")
    required = set(schema.get("required", ()))
    takes = [
        f"{argument}{'' if argument in required else '?'}" for argument in schema["properties"]
    ]
    return f"{name}: {'; '.join(wrong)}. It takes: {', '.join(takes)}."
