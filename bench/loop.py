"""
What a framework adds to each iteration of a run: a model that answers at once, one call an iteration.

    .venv/bin/python bench/loop.py --install-peers      once; makes the peers below .peers
    .venv/bin/python bench/loop.py                      everything, about three minutes
    .venv/bin/python bench/loop.py --rounds 5 --only prowess --json raw.json

The model asks for the same trivial tool K times and then answers. Every number comes from a fresh
process that was warmed by one short run; in each round every subject runs once, in shuffled order.
Shown is CPU time for an iteration, the median over the rounds with the lowest and the highest; a
ratio is taken inside a round before its median is. Nothing is asserted about times; that the tool
ran K times and the answer came is checked each time.
"""

import argparse
import asyncio
import contextlib
import gc
import importlib
import json
import logging
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = os.path.join(REPOSITORY, ".peers")
LENGTHS = (15, 100, 400)
PATIENCE = 600  # seconds for one process
ANSWER = "done"

Run = Callable[[int], object]  # so many calls, then the answer, which it returns
OPEN: list[object] = []  # what stays open until the process ends
counted = 0


def add(a: int, b: int) -> str:
    """Add two numbers.

    Args:
        a: one number
        b: the other
    """
    global counted  # noqa: PLW0603  how often the tool ran, checked after each run
    counted += 1
    return str(a + b)


class Turns:
    """Says whether another call is due; shared by all the scripted models here."""

    def __init__(self, calls: int) -> None:
        self.calls = calls
        self.asked = 0

    def again(self) -> bool:
        self.asked += 1
        return self.asked <= self.calls


# ── Prowess ──────────────────────────────────────────────────────────────────────────────────────


async def add_tool(*, a: int, b: int) -> Any:
    from prowess.tools.toolbox import seen

    return seen(add(a, b))


def _script(calls: int) -> Any:
    from prowess.model.scripted import call, final

    turns = Turns(calls)
    return lambda messages: call("Add", a=1, b=2) if turns.again() else final(ANSWER)


def _toolbox(folder: str) -> Any:
    from prowess.core.verdict import Verdict
    from prowess.sandbox.plain import Plain
    from prowess.tools.place import Place
    from prowess.tools.toolbox import Tool, Toolbox, typed

    place = Place(
        workspace=folder,
        run_folder=folder,
        sandbox=Plain(),
        gate=lambda call: Verdict(allowed=True, reason=""),
    )
    made = typed("Read", "API", add_tool, repeatable=True)
    tool = Tool(
        name="Add",
        kind="API",
        description="Add two numbers.",
        parameters=made.parameters,
        run=made.run,
        repeatable=True,
    )
    return Toolbox([tool], place), place.gate


async def _run_agent(calls: int, steps: Any, record: Any, folder: str) -> str:
    from prowess.core.chat import Message
    from prowess.engine.kit import NOTES
    from prowess.execute.agent import run_agent
    from prowess.execute.means import Budget, Means
    from prowess.model.scripted import Scripted

    box, gate = _toolbox(folder)
    model = Scripted(_script(calls))

    async def think(messages: Any, cards: Any, on_wait: Any) -> Any:
        return await model.reply(messages, cards)

    means = Means(
        run=steps.run_id,
        think=think,
        act=box.act,
        gate=gate,
        steps=steps,
        record=record,
        notes=NOTES,
        cards=tuple(box.cards()),
        meant=lambda call: box.mend(call).call,
        repeatable=box.repeatable,
    )
    messages = [Message(role="system", text="You add."), Message(role="user", text="go")]
    outcome = await run_agent(messages, means=means, budget=Budget(iterations=calls + 1))
    return outcome.answer


def prowess_plain() -> Run:
    """The executor with its toolbox and gate; events go to a list."""
    from prowess.durable.straight import StraightSteps

    folder = tempfile.mkdtemp()
    events: list[Any] = []
    return lambda calls: asyncio.run(_run_agent(calls, StraightSteps("run"), events.append, folder))


def prowess_logged() -> Run:
    """The same, with every event redacted and written to the log."""
    from prowess.core.event import Event
    from prowess.durable.straight import StraightSteps
    from prowess.observe.log import SqliteLog
    from prowess.permit.redact import redact

    folder = tempfile.mkdtemp()
    log = SqliteLog(os.path.join(folder, "log.sqlite3"))

    def record(event: Any) -> None:
        log.append(Event(run=event.run, kind=event.kind, payload=redact(dict(event.payload))))

    return lambda calls: asyncio.run(_run_agent(calls, StraightSteps("run"), record, folder))


def _durably(body: Callable[[Any, Mapping[str, Any]], Awaitable[Any]]) -> Run:
    """Run a body on the durable engine; opening and closing it is not counted, as a server does it once."""
    from prowess.durable.opening import open_engine

    folder = tempfile.mkdtemp()
    loop = asyncio.new_event_loop()
    stack = contextlib.AsyncExitStack()
    opened = open_engine(os.path.join(folder, "engine.sqlite3"), {"bench": body})
    engine = loop.run_until_complete(stack.enter_async_context(opened))
    OPEN.append(stack)
    number = 0

    async def go(calls: int) -> object:
        nonlocal number
        number += 1
        await engine.start("bench", f"run-{number}", {"calls": calls, "folder": folder})
        return await engine.result(f"run-{number}")

    return lambda calls: loop.run_until_complete(go(calls))


def prowess_durable() -> Run:
    """The same again, every request and call a kept step."""
    from prowess.core.event import Event
    from prowess.observe.log import SqliteLog
    from prowess.permit.redact import redact

    log = SqliteLog(os.path.join(tempfile.mkdtemp(), "log.sqlite3"))

    def record(event: Any) -> None:
        log.append(Event(run=event.run, kind=event.kind, payload=redact(dict(event.payload))))

    async def body(steps: Any, request: Mapping[str, Any]) -> str:
        return await _run_agent(request["calls"], steps, record, request["folder"])

    return _durably(body)


def library_steps() -> Run:
    """Two steps of DBOS by its own decorators, in a SQLite file that is opened as we open ours."""
    from dbos import DBOS, DBOSPortableJSONSerializer

    from prowess.durable.sqlite import open_sqlite

    database = open_sqlite(os.path.join(tempfile.mkdtemp(), "engine.sqlite3"))
    DBOS(
        config={
            "name": "bench",
            "system_database_url": database.url.render_as_string(),
            "system_database_engine": database,
            "serializer": DBOSPortableJSONSerializer(),
            "log_level": "CRITICAL",
        }
    )

    @DBOS.step()
    async def keep() -> dict[str, int]:
        return {"value": 1}

    @DBOS.workflow()
    async def body(calls: int) -> str:
        for _ in range(calls):
            await keep()
            add(1, 2)
            await keep()
        return ANSWER

    DBOS.launch()
    loop = asyncio.new_event_loop()
    return lambda calls: loop.run_until_complete(body(calls))


def bare_steps() -> Run:
    """Two of our steps that keep a small value each: what durability itself costs here."""

    async def body(steps: Any, request: Mapping[str, Any]) -> str:
        async def work() -> Any:
            return {"value": 1}

        for _ in range(request["calls"]):
            await steps.do("model", work)
            add(1, 2)
            await steps.do("call", work)
        return ANSWER

    return _durably(body)


# ── The peers ────────────────────────────────────────────────────────────────────────────────────


def pydantic_ai() -> Run:
    agent_type = importlib.import_module("pydantic_ai").Agent
    messages = importlib.import_module("pydantic_ai.messages")
    usage = importlib.import_module("pydantic_ai.usage")
    base = importlib.import_module("pydantic_ai.models").Model

    class Scripted(base):  # type: ignore[misc, valid-type]
        model_name = "scripted"
        system = "scripted"

        def __init__(self, calls: int) -> None:
            super().__init__()
            self.turns = Turns(calls)

        async def request(self, *_: object, **__: object) -> Any:
            wanted = {"a": 1, "b": 2}
            part = (
                messages.ToolCallPart("add", wanted, tool_call_id=f"c{self.turns.asked}")
                if self.turns.again()
                else messages.TextPart(ANSWER)
            )
            return messages.ModelResponse(
                parts=[part], usage=usage.RequestUsage(), model_name="scripted"
            )

    def run(calls: int) -> object:
        agent = agent_type(Scripted(calls), tools=[add])
        unlimited = usage.UsageLimits(request_limit=None)
        return asyncio.run(agent.run("go", usage_limits=unlimited)).output

    return run


def _langchain_model(calls: int) -> Any:
    base = importlib.import_module("langchain_core.language_models.chat_models").BaseChatModel
    message = importlib.import_module("langchain_core.messages").AIMessage
    outputs = importlib.import_module("langchain_core.outputs")
    turns = Turns(calls)

    class Scripted(base):  # type: ignore[misc, valid-type]
        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

        def _generate(self, *_: Any, **__: Any) -> Any:
            if turns.again():
                wanted = {"name": "add", "args": {"a": 1, "b": 2}, "id": f"c{turns.asked}"}
                said = message(content="", tool_calls=[{**wanted, "type": "tool_call"}])
            else:
                said = message(content=ANSWER)
            return outputs.ChatResult(generations=[outputs.ChatGeneration(message=said)])

    return Scripted()


def _graph(make: Callable[[int], Any], limit: int) -> Run:
    def run(calls: int) -> object:
        settings = {"recursion_limit": limit * (calls + 10), "configurable": {"thread_id": "t"}}
        ended = make(calls).invoke({"messages": [{"role": "user", "content": "go"}]}, settings)
        return ended["messages"][-1].content

    return run


def langgraph() -> Run:
    create = importlib.import_module("langchain.agents").create_agent
    return _graph(lambda calls: create(_langchain_model(calls), tools=[add]), 10)


def langgraph_saving() -> Run:
    create = importlib.import_module("langchain.agents").create_agent
    saver = importlib.import_module("langgraph.checkpoint.memory").InMemorySaver
    return _graph(
        lambda calls: create(_langchain_model(calls), tools=[add], checkpointer=saver()), 10
    )


def deepagents() -> Run:
    create = importlib.import_module("deepagents").create_deep_agent
    return _graph(lambda calls: create(model=_langchain_model(calls), tools=[add]), 20)


def smolagents() -> Run:
    library = importlib.import_module("smolagents")
    models = importlib.import_module("smolagents.models")
    monitoring = importlib.import_module("smolagents.monitoring")
    tool = library.tool(add)

    class Scripted(models.Model):  # type: ignore[misc, name-defined]
        def __init__(self, calls: int) -> None:
            super().__init__(model_id="scripted")
            self.turns = Turns(calls)

        def generate(self, *_: Any, **__: Any) -> Any:
            again = self.turns.again()
            function = models.ChatMessageToolCallFunction(
                name="add" if again else "final_answer",
                arguments={"a": 1, "b": 2} if again else {"answer": ANSWER},
            )
            wanted = models.ChatMessageToolCall(
                id=f"c{self.turns.asked}", type="function", function=function
            )
            return models.ChatMessage(
                role=models.MessageRole.ASSISTANT,
                content=None,
                tool_calls=[wanted],
                token_usage=monitoring.TokenUsage(1, 1),
            )

    def run(calls: int) -> object:
        agent = library.ToolCallingAgent(
            tools=[tool],
            model=Scripted(calls),
            max_steps=calls + 5,
            verbosity_level=monitoring.LogLevel.OFF,
        )
        return agent.run("go")

    return run


def agno() -> Run:
    agent_type = importlib.import_module("agno.agent").Agent
    base = importlib.import_module("agno.models.base").Model
    response = importlib.import_module("agno.models.response").ModelResponse

    @dataclass
    class Scripted(base):  # type: ignore[misc, valid-type]
        id: str = "scripted"
        turns: Turns | None = None

        def invoke(self, *_: Any, **__: Any) -> Any:
            assert self.turns is not None
            if not self.turns.again():
                return response(role="assistant", content=ANSWER)
            function = {"name": "add", "arguments": '{"a": 1, "b": 2}'}
            wanted = {"id": f"c{self.turns.asked}", "type": "function", "function": function}
            return response(role="assistant", tool_calls=[wanted])

        async def ainvoke(self, *_: Any, **__: Any) -> Any:
            return self.invoke()

        def invoke_stream(self, *_: Any, **__: Any) -> Any:
            yield self.invoke()

        async def ainvoke_stream(self, *_: Any, **__: Any) -> Any:
            yield self.invoke()

        def _parse_provider_response(self, given: Any, **_: Any) -> Any:
            return given

        def _parse_provider_response_delta(self, given: Any) -> Any:
            return given

    def run(calls: int) -> object:
        agent = agent_type(model=Scripted(turns=Turns(calls)), tools=[add], telemetry=False)
        return agent.run("go").content

    return run


@dataclass(frozen=True)
class Subject:
    prepare: Callable[[], Run]
    peer: str = ""  # the virtual environment it lives in, empty for ours


PLAIN, LOGGED, DURABLE, BARE, LIBRARY = (
    "prowess, not durable",
    "prowess, not durable, with its log",
    "prowess, durable on SQLite",
    "prowess, two bare steps",
    "dbos, two bare steps of its own",
)
AGNO, SAVING = "agno", "langgraph with InMemorySaver"
SUBJECTS: Mapping[str, Subject] = {
    PLAIN: Subject(prowess_plain),
    LOGGED: Subject(prowess_logged),
    DURABLE: Subject(prowess_durable),
    BARE: Subject(bare_steps),
    LIBRARY: Subject(library_steps),
    AGNO: Subject(agno, "agno"),
    "smolagents": Subject(smolagents, "smolagents"),
    "pydantic-ai": Subject(pydantic_ai),
    "langgraph": Subject(langgraph, "deepagents"),
    SAVING: Subject(langgraph_saving, "deepagents"),
    "deepagents": Subject(deepagents, "deepagents"),
}


# ── Measuring ────────────────────────────────────────────────────────────────────────────────────


def work(name: str) -> None:
    """Measure one subject in this process; one line of JSON, CPU milliseconds an iteration by length."""
    logging.disable(logging.CRITICAL)
    run = SUBJECTS[name].prepare()
    once(run, 3)
    taken = {calls: min(once(run, calls) for _ in range(3)) / calls for calls in LENGTHS}
    print(json.dumps(taken), flush=True)
    os._exit(0)  # threads of some peers would otherwise linger


def once(run: Run, calls: int) -> float:
    global counted  # noqa: PLW0603
    counted = 0
    gc.collect()
    begun = time.process_time()
    answer = run(calls)
    took = time.process_time() - begun
    if counted != calls or str(answer) != ANSWER:
        raise SystemExit(f"the tool ran {counted} times instead of {calls}: {answer}")
    return took * 1e3


def measure(rounds: int, only: str) -> tuple[dict[str, list[dict[int, float]]], dict[str, str]]:
    """Every subject once a round, in shuffled order; one that failed is not asked again."""
    taken: dict[str, list[dict[int, float]]] = {name: [] for name in SUBJECTS if only in name}
    failed: dict[str, str] = {}
    for number in range(rounds):
        names = [name for name in taken if name not in failed]
        random.Random(number).shuffle(names)
        for name in names:
            try:
                taken[name].append(_apart(name))
            except (OSError, subprocess.SubprocessError, ValueError) as error:
                failed[name] = str(error)
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
    return taken, failed


def _apart(name: str) -> dict[int, float]:
    peer = SUBJECTS[name].peer
    python = os.path.join(PEERS, peer, "bin", "python") if peer else sys.executable
    done = subprocess.run(
        [python, os.path.abspath(__file__), "--work", name],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, "OTEL_SDK_DISABLED": "true"},
    )
    if done.returncode:
        raise ValueError((done.stderr.strip() or done.stdout.strip()).splitlines()[-1][:160])
    return {int(calls): ms for calls, ms in json.loads(done.stdout.splitlines()[-1]).items()}


def table(taken: Mapping[str, Sequence[Mapping[int, float]]], failed: Mapping[str, str]) -> None:
    print("| subject | " + " | ".join(f"{n} iterations, ms each" for n in LENGTHS) + " |")
    print("| --- |" + " ---: |" * len(LENGTHS))
    for name, rounds in taken.items():
        if name in failed or not rounds:
            print(f"| {name} | not measured: {failed.get(name, 'no round')} |" + " |" * 2)
            continue
        cells = []
        for calls in LENGTHS:
            values = [each[calls] for each in rounds]
            low, high = min(values), max(values)
            cells.append(f"{statistics.median(values):.3f} ({low:.3f}-{high:.3f})")
        print(f"| {name} | " + " | ".join(cells) + " |")


def targets(taken: Mapping[str, Sequence[Mapping[int, float]]]) -> None:
    """What was promised, as ratios inside a round."""

    def ratio(one: str, other: str, calls: int, beside: int | None = None) -> str:
        pairs = zip(taken.get(one, ()), taken.get(other, ()), strict=False)
        values = [mine[calls] / theirs[beside or calls] for mine, theirs in pairs]
        return f"{statistics.median(values):.2f}" if values else "not measured"

    print("\n| promise | ratio | at most |\n| --- | ---: | ---: |")
    print(f"| not durable, beside agno, at 15 | {ratio(PLAIN, AGNO, 15)} | 1 |")
    print(f"| not durable, 400 iterations beside 15 | {ratio(PLAIN, PLAIN, 400, 15)} | 1.3 |")
    print(
        f"| durable, beside langgraph with InMemorySaver, at 15 | {ratio(DURABLE, SAVING, 15)} | 1 |"
    )
    print(
        f"| durable, beside two bare steps of dbos, at 100 | {ratio(DURABLE, LIBRARY, 100)} | 1.3 |"
    )


def install_peers() -> None:
    import venv

    for peer in sorted({subject.peer for subject in SUBJECTS.values() if subject.peer}):
        folder = os.path.join(PEERS, peer)
        python = os.path.join(folder, "bin", "python")
        if not os.path.exists(python):
            venv.create(folder, with_pip=True)
        command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", peer]
        subprocess.run(command, check=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--json", default="")
    arguments.add_argument("--install-peers", action="store_true")
    arguments.add_argument("--work", default="")
    given = arguments.parse_args()
    if given.work:
        work(given.work)
    if given.install_peers:
        install_peers()
        return
    taken, failed = measure(given.rounds, given.only)
    table(taken, failed)
    targets(taken)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"taken": taken, "failed": failed}, file)


if __name__ == "__main__":
    main()
