"""What a run is given: how much it may use, and everything it may touch."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from prowess.core.chat import (
    Call,
    Message,
    Observation,
    Reply,
    ToolCard,
    ToolKind,
    observation_as_json,
    observation_from_json,
)
from prowess.core.errors import CutShortError
from prowess.core.ports import Act, Gate, Json, Record, Steps
from prowess.execute.clock import Deadline

# What a model is asked, and whom to tell when it must be asked again after a pause.
Think = Callable[[Sequence[Message], Sequence[ToolCard], Callable[[str], None]], Awaitable[Reply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """
    `attempts`: how often the same call may fail. `seconds`: one iteration, its tools included.
    `confirm`: the first answer is not taken at its word; the model is asked once to check it.
    """

    iterations: int = 15
    attempts: int = 3
    seconds: float | None = None
    confirm: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What the executor itself says to the model; the words are the prompt stage's."""

    malformed: Callable[[str], str]
    failed: Callable[[Sequence[str]], str]
    dropped: Callable[[int], str]
    last: str
    confirm: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """
    `run` names the run in its events: a sub-agent shares its parent's steps, not its story.
    `think` is one patient request to the model. `meant` is a call with its slips of the pen mended,
    which is the one that is judged and the one that `act` makes. `grant` asks a person for what the
    gate refuses and a person may allow. `delegate` runs a call as a sub-agent when it is one, given how many
    iterations are left; it makes steps of its own. `clean` takes out of a text what may not be kept.
    """

    run: str
    think: Think
    act: Act
    gate: Gate
    steps: Steps
    record: Record
    notes: Notes
    cards: tuple[ToolCard, ...] = ()
    meant: Callable[[Call], Call] = lambda call: call
    kinds: Mapping[str, ToolKind] = field(default_factory=dict)
    reads_only: frozenset[str] = frozenset()
    repeatable: Callable[[Call], bool] = lambda call: True
    window: int = 200_000
    grant: Callable[[Call, str], Awaitable[bool]] | None = None
    delegate: Callable[[Call, int], Awaitable[Observation | None]] | None = None
    clean: Callable[[str], str] = lambda text: text

    def kind(self, call: Call) -> ToolKind:
        return self.kinds.get(self.meant(call).tool, "API")

    def only_reads(self, call: Call) -> bool:
        return self.meant(call).tool in self.reads_only

    async def refusal(self, call: Call) -> str:
        """Why the call may not be made, or an empty string."""
        meant = self.meant(call)
        verdict = self.gate(meant)
        if verdict.allowed:
            return ""
        if verdict.askable and self.grant and await self.grant(meant, verdict.reason):
            return ""
        return verdict.reason

    async def once(self, call: Call, deadline: Deadline) -> Observation:
        """Make the call as a step of its own, within what is left of the iteration's time."""

        async def work() -> Json:
            try:
                async with asyncio.timeout(deadline.left()):
                    seen = await self.act(call)
            except TimeoutError:
                text = (
                    f"stopped: the iteration's {deadline.seconds:g} s were used up; do less at once"
                )
                seen = Observation(call_id=call.id, text=text, ok=False)
            return observation_as_json(seen)

        try:
            done = await self.steps.do(f"call {call.tool}", work, repeatable=self.repeatable(call))
        except CutShortError:
            text = (
                "stopped: the run was told to stop in the middle of this call;"
                " see what was done before you make it again"
            )
            return Observation(call_id=call.id, text=text, ok=False)
        return observation_from_json(done)
