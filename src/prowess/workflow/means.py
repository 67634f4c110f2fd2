"""What a workflow is handed to work with, and the pieces of work that it asks for."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from prowess.core.ports import Json, Record, Steps
from prowess.core.process import Finished
from prowess.core.run import Outcome, Question
from prowess.core.workflow import OutputStep, PythonStep, Renderer, SkillStep, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """
    A command with its values in it. `line` is what a shell would read and a gate judges; `argv` is
    what is started. `plain` is the program and its arguments when no shell is needed for them.
    """

    line: str
    argv: tuple[str, ...]
    plain: tuple[str, ...] | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandWork:
    step: Step
    label: str
    ready: Ready
    scope: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowWork:
    step: OutputStep
    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonWork:
    step: PythonStep
    label: str
    arguments: Mapping[str, Any]
    scope: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillWork:
    step: SkillStep
    label: str
    arguments: str
    inputs: Mapping[str, Any]
    scope: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskWork:
    label: str
    question: Question
    wrong: str = ""


Work = CommandWork | ShowWork | PythonWork | SkillWork | AskWork


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """
    What a piece of work left behind: `value` is its output as `parse` says. `dropped` counts the bytes
    of output that were too many to be kept.
    """

    ok: bool
    output: str = ""
    value: Any = None
    code: int | None = None
    error: str = ""
    seconds: float = 0.0
    tries: int = 1
    dropped: int = 0
    outcome: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


class Ask(Protocol):
    """Asks once, and remembers the answer when the run is replayed. None: nobody can answer."""

    async def __call__(self, question: Question, *, step: str, wrong: str) -> str | None: ...


class CallPython(Protocol):
    """Calls a function of a module beside the skill.yaml; raises `ProwessError` when it fails."""

    async def __call__(
        self, module: str, function: str, arguments: Mapping[str, Any], *, seconds: float | None
    ) -> Json: ...


class RunSkill(Protocol):
    """Runs another skill to its end, in steps of its own within those of this run."""

    async def __call__(
        self, name: str, *, arguments: str, inputs: Mapping[str, Any]
    ) -> Outcome: ...


# Why a piece of work may not be done, or nothing; asked before it is begun, in the order of the steps.
Permit = Callable[[CommandWork | PythonWork], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """
    Everything a workflow can reach. Without `ask`, questions go to the renderer and their answers
    are kept as steps. `given` are answers from the command line, by stored name or by step.
    """

    run: str
    steps: Steps
    record: Record
    renderer: Renderer
    command: Callable[[Ready], Awaitable[Finished]]
    python: CallPython
    skill: RunSkill
    permit: Permit
    ask: Ask | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    built_in: Mapping[str, str] = field(default_factory=dict)
