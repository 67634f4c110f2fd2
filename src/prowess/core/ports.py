"""What the stages ask of the world outside, so that each answer can be replaced."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from prowess.core.event import Event, Recorded

if TYPE_CHECKING:  # `list`, `read` and `match` know the log, and need none of these nouns
    from prowess.core.chat import Call, Message, Observation, Reply, ToolCard
    from prowess.core.process import Finished, Level, Order
    from prowess.core.run import Question
    from prowess.core.verdict import Verdict

Record = Callable[[Event], object]
Clean = Callable[[dict[str, Any]], dict[str, Any]]  # the same JSON without what may not be kept
Gate = Callable[["Call"], "Verdict"]
Act = Callable[["Call"], Awaitable["Observation"]]
Ask = Callable[["Question"], Awaitable[str | None]]  # None: nobody can answer
Json = Any  # a value that JSON can hold
T = TypeVar("T")


class Log(Protocol):
    """
    The append-only event log. One contract suite holds for every implementation.

    Order within a run is by `seq`, never by clock. Writing the same `seq` of a run again changes
    nothing, so that a replayed run writes nothing twice. May be used by several threads at once.
    It is opened with a `Clean`, and whatever is appended goes through that first.
    """

    look: float  # seconds after which who waits for `notify` looks all the same

    def append(self, event: Event, *, seq: int | None = None) -> Recorded:
        """Keep the event; without `seq` it gets the run's next. Returns what is kept under that number."""
        ...

    def run(self, run: str, *, after: int = 0) -> Iterator[Recorded]:
        """The events of one run in order, those after `seq` `after`."""
        ...

    def tail(self, *, after: int = 0, kind: str | None = None) -> Iterator[Recorded]:
        """The events of all runs in the order they were written, those after `position` `after`."""
        ...

    def last(self, count: int, *, kind: str | None = None) -> Sequence[Recorded]:
        """The newest events in the order they were written, at most `count`."""
        ...

    def runs(self, *, limit: int, before: str | None = None) -> Sequence[str]:
        """The ids of what has a `run.started` event, newest first; with `before`, those older than that run."""
        ...

    def runs_beginning(self, beginning: str) -> Sequence[str]:
        """The ids that begin so, newest first; a sub-agent's only when its run's id is there whole."""
        ...

    def notify(self, wake: Callable[[], None]) -> AbstractContextManager[None]:
        """
        While it lasts, `wake` is called after every event that is appended here, on any thread. What
        other processes append is told where the log hears of it; elsewhere `look` is short. It may
        be called without a cause.
        """
        ...

    async def aside(self, work: Callable[[], T]) -> T:
        """
        What `work` gives, which reads this log or appends to it. Where the answer may be long in
        coming, the event loop does other things meanwhile.
        """
        ...

    def close(self) -> None: ...


class Model(Protocol):
    """
    A language model. `native_tools`: it can call tools itself; otherwise tools are described in the
    prompt and it answers in JSON. `window` is how many tokens it can read.
    """

    name: str
    native_tools: bool
    window: int

    async def reply(self, messages: Sequence["Message"], tools: Sequence["ToolCard"]) -> "Reply":
        """One request, tried once. Raises `ModelError`, which says whether another try may help."""
        ...

    async def close(self) -> None:
        """End its connections; the next request opens them again."""
        ...


class Sandbox(Protocol):
    """Runs one command so that it can use no more than its order says. `level` is what it stands on."""

    level: "Level"

    async def run(self, order: "Order") -> "Finished":
        """Never raises for what the command does; the whole process tree is gone when it returns."""
        ...

    def can_hide(self, folder: str) -> bool:
        """Whether commands can be shown this folder without some of its paths, as `Laid` says."""
        ...


class Steps(Protocol):
    """
    How a run does things once, even when its process dies in between.

    `do` returns what `work` returned, and after a restart what it returned the first time. A step
    that was under way at the crash is done again, unless `repeatable` is false: then `InDoubtError`
    is raised with the step's name, or `CutShortError` if the run was told to stop and could not wait
    for the step. An error of `work` is kept like a result. Results are JSON. The
    code between the steps must be deterministic, because it is replayed, and a step holds no steps;
    several may be under way at once. `CancelledRunError`: somebody stopped the run.
    `asyncio.CancelledError`: it stops here and may go on elsewhere, so tell nobody that it ended.
    """

    run_id: str

    async def do(
        self, name: str, work: Callable[[], Awaitable[Json]], *, repeatable: bool = True
    ) -> Json: ...

    async def answer(self, question_id: str, *, seconds: float | None = None) -> str | None:
        """Wait for somebody's answer to a question; None when the time is up."""
        ...


Body = Callable[[Steps, Mapping[str, Any]], Awaitable[Json]]
# "queued": waits for a process to work on it. "paused": by somebody, who may resume it.
# "interrupted": under way when its process ended, and nobody has resumed it.
Standing = Literal["queued", "paused", "interrupted"]
RunState = Literal["running", Standing, "ended", "cancelled"]


class Engine(Protocol):
    """
    Runs that outlive their process. A run is a body of code by its `kind`, with JSON for input;
    bodies are registered by kind before the engine opens. Who names a run that is not there gets
    `UnknownRunError`.
    """

    async def start(self, kind: str, run_id: str, request: Mapping[str, Any]) -> None:
        """Begin; a second start of the same run changes nothing."""
        ...

    async def result(self, run_id: str) -> Json:
        """
        Wait for the end. Raises what the body raised, `CancelledRunError` when it was cancelled,
        `UsageError` when its process ended before it did.
        """
        ...

    async def state(self, run_id: str) -> RunState: ...

    async def steps(self, run_id: str) -> Sequence[str]:
        """The names of the steps that are kept, in order; an answer's is `answer`."""
        ...

    async def resume(self, run_id: str) -> None:
        """Go on with an interrupted run in this process; `UsageError` when it is anything else."""
        ...

    async def cancel(self, run_id: str) -> None:
        """Stop it for good, at once in this process and within a moment in another."""
        ...

    async def fork(
        self, run_id: str, *, from_step: int, new_id: str, user: str = "", most: int = 100
    ) -> None:
        """
        Begin a new run that has the old one's first `from_step` steps behind it. In the queue it is
        `user`'s, or else whose the old one was, with the priority of that one, but `most` at most.
        """
        ...

    async def send_answer(self, run_id: str, question_id: str, answer: str) -> bool:
        """Whether this is the answer: the first one counts, and a later one is not kept."""
        ...

    async def is_answered(self, run_id: str, question_id: str) -> bool:
        """Whether an answer was sent, also one that the run has not taken up yet."""
        ...

    async def standing(self, runs: Collection[str] | None = None) -> Mapping[str, Standing]:
        """Of these runs, or of all: those under way on which nobody works, the oldest first, and why."""
        ...
