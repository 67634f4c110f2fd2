"""
A workflow: steps that are known beforehand, and how they are shown and asked by whatever tool is used.

The values here are what a skill.yaml says once nothing is wrong with it. Texts are kept as they were
written, placeholders included; they are filled when their step is reached.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from prowess.core.errors import SkillError
from prowess.core.run import Question

Kind = Literal[
    "command", "output", "question", "conditional", "parallel", "foreach", "skill", "python"
]
KINDS: tuple[Kind, ...] = (
    "command", "output", "question", "conditional", "parallel", "foreach", "skill", "python",
)  # fmt: skip
InputType = Literal["text", "number", "boolean", "choice", "list"]
Parse = Literal["text", "lines", "json"]
TextFormat = Literal["markdown", "text", "json"]
State = Literal["started", "finished", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """What is wrong in a skill.yaml, where (counted from 1), and what to do about it."""

    message: str
    hint: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message} ({self.hint})"

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


class WorkflowError(SkillError):
    """A skill.yaml cannot be run; `mistakes` are all that is wrong with it, in the order of the file."""

    def __init__(self, path: str, mistakes: tuple[Mistake, ...]) -> None:
        one = len(mistakes) == 1
        count = "a mistake" if one else f"{len(mistakes)} mistakes"
        told = "\n".join(f"  {each}" for each in mistakes)
        super().__init__(
            f"{path} has {count}:\n{told}",
            hint=f"mend {'it' if one else 'them'} and run again",
            line=mistakes[0].line,
        )
        self.mistakes = mistakes


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """What a workflow wants to know before it begins. One without `default` is asked for if `required`."""

    name: str
    type: InputType = "text"
    prompt: str = ""
    default: Any = None
    required: bool = True
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """How often a step that fails is tried again, and the seconds before each new try."""

    times: int = 0
    pause: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    What all kinds of step have. `when` is a condition, empty for always. `store` is the name that
    the step's value gets, `parse` how its text becomes that value.
    """

    id: str
    kind: Kind
    description: str = ""
    when: str = ""
    optional: bool = False
    store: str = ""
    parse: Parse = "text"
    retry: Retry = Retry()
    timeout: float | None = None
    validate: str | Mapping[str, str] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandStep(Step):
    """Text is a line for the shell; a tuple is one program with its arguments."""

    command: str | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputStep(Step):
    """`data` are names that only this text knows; `source` names a stored value whose fields it knows too."""

    text: str
    format: TextFormat = "markdown"
    data: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionStep(Step):
    """`options` are fixed, a text that names a list, or the lines that a command prints."""

    prompt: str
    options: tuple[str, ...] | str = ()
    options_command: str | tuple[str, ...] = ""
    default: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalStep(Step):
    test: str
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParallelStep(Step):
    branches: tuple[tuple[Step, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeachStep(Step):
    """`items` are values, or the text that names them. `name` is what each is called inside."""

    items: str | tuple[Any, ...]
    name: str
    steps: tuple[Step, ...]
    at_once: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillStep(Step):
    """`arguments` go to a skill that a model follows, `inputs` to one that is a workflow itself."""

    skill: str
    arguments: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonStep(Step):
    """`function` is called by name with `arguments`; its module lies beside the skill.yaml."""

    module: str
    function: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    name: str
    description: str
    steps: tuple[Step, ...]
    version: str = "1.0.0"
    category: str = ""
    compatibility: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    templates: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a workflow stands: step `index` of `total`, both counted at the outermost level."""

    step: str
    kind: Kind
    index: int
    total: int
    summary: str
    state: State


class Renderer(Protocol):
    """
    How one tool shows a workflow and asks its questions. Nothing else of a workflow knows the tool.

    Text comes from commands and authors: a renderer for a terminal lets no control characters through.
    """

    async def show(self, text: str, *, step: str, format: TextFormat = "markdown") -> None:  # noqa: A002
        """Show what the step `step` has to say."""
        ...

    async def ask(self, question: Question, *, step: str, wrong: str = "") -> str | None:
        """
        The answer, or None when nobody can give one. `wrong` says why the last answer would not do.

        With options, a number or another spelling of one may be taken for it; whether the answer
        will do is decided by the workflow, which asks again.
        """
        ...

    async def progress(self, progress: Progress) -> None:
        """A step begins or ends; a renderer may ignore it."""
        ...
