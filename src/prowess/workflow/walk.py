"""
The way through a workflow, as thought: which steps come next, given what the last ones left.

A walk is a generator of rounds. A round is the work that may be done at the same time; what it left
is sent back, and the walk goes on to the next. Nothing here waits and nothing is random, so a
workflow that is replayed after a crash asks for the same work in the same order, branches included:
branches go in step, each round taking the next step of every branch.
"""

import shlex
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from typing import Any

from prowess.core.errors import ProwessError, WaitingRunError
from prowess.core.run import Question
from prowess.core.workflow import (
    CommandStep,
    ConditionalStep,
    ForeachStep,
    Input,
    OutputStep,
    ParallelStep,
    PythonStep,
    QuestionStep,
    SkillStep,
    Step,
)
from prowess.workflow.answers import WrongAnswerError, answer_to, input_value, set_hint
from prowess.workflow.conditions import parse_condition
from prowess.workflow.given import every_step
from prowess.workflow.means import (
    AskWork,
    CommandWork,
    Left,
    PythonWork,
    Ready,
    ShowWork,
    SkillWork,
    Work,
)
from prowess.workflow.shell.line import fill_arguments, parse_line
from prowess.workflow.state import COMPLAINT, Known, Telling, complaint, shortened
from prowess.workflow.values import (
    Lines,
    Scope,
    ValueProblemError,
    fill,
    fill_value,
    lines_of,
    text_of,
)

Walking = Generator[list[Work], list[Left], None]
TRIES = 5  # answers that will not do, before the workflow gives up


class StepFailedError(ProwessError):
    """A step that is not optional failed, and with it the workflow. `unanswered`: for want of an answer."""

    def __init__(
        self, label: str, message: str, *, hint: str = "", unanswered: bool = False
    ) -> None:
        super().__init__(f"the step {label!r} failed: {message}", hint=hint)
        self.label = label
        self.unanswered = unanswered


class Walk:
    """
    One way through one workflow. `given` are answers that need not be asked for; `settable` are names
    that would have had a value if it had been given.
    """

    def __init__(self, telling: Telling, given: Scope, *, settable: Collection[str]) -> None:
        self._telling = telling
        self._given = given
        self._settable = settable

    def inputs(self, inputs: Sequence[Input], known: Known) -> Walking:
        """What the workflow wants to know before its first step."""
        for wanted in inputs:
            yield from self._input(wanted, known)

    def _input(self, wanted: Input, known: Known) -> Walking:
        try:
            if wanted.name in self._given:
                known.names[wanted.name] = input_value(wanted, self._given[wanted.name])
                return
            if wanted.default is not None:
                known.names[wanted.name] = input_value(wanted, wanted.default)
                return
        except WrongAnswerError as error:
            raise ProwessError(
                f"the input {wanted.name}: {error}", hint=set_hint(wanted.name)
            ) from None
        if not wanted.required:
            return
        question = Question(
            id=wanted.name, prompt=wanted.prompt or wanted.name, options=wanted.options
        )
        known.names[wanted.name] = yield from self._asked(
            question, wanted.name, lambda answer: input_value(wanted, answer)
        )

    def top(self, steps: Sequence[Step], known: Known, *, from_step: str = "") -> Walking:
        """The outermost steps, counted; those before `from_step` are left out."""
        waiting = bool(from_step)
        for index, step in enumerate(steps, start=1):
            self._telling.index = index
            waiting = waiting and step.id != from_step
            if waiting:
                self._telling.step(
                    step, step.id, "skipped", f"{step.id}: before --from {from_step}"
                )
            else:
                yield from self._step(step, known)

    def steps(self, steps: Iterable[Step], known: Known) -> Walking:
        for step in steps:
            yield []  # nothing to do, but here a walk can be ended before its next step is begun
            yield from self._step(step, known)

    def _step(self, step: Step, known: Known) -> Walking:
        label = step.id + known.place
        failure: ProwessError | None = None
        try:
            if step.when and not parse_condition(step.when).holds(known.scope()):
                self._telling.step(step, label, "skipped", f"{label}: {step.when} does not hold")
                return
            self._telling.step(step, label, "started", step.description or label)
            left = yield from _WALKS[step.kind](self, step, label, known)
        except StepFailedError as error:
            if error.label != label:  # a step inside this one; it has been told
                self._ended(step, label, Left(ok=False, error=str(error)), known)
                if step.optional:
                    return
            raise
        except ProwessError as error:
            failure = self._advised(error)
            left = Left(ok=False, error=complaint(failure))
        self._ended(step, label, left, known)
        if left.ok or step.optional:
            return
        if failure is None:
            raise StepFailedError(label, left.error, unanswered=_lacks_an_answer(left))
        raise StepFailedError(
            label,
            shortened(str(failure), COMPLAINT),
            hint=failure.hint,
            unanswered=isinstance(failure, WaitingRunError),
        )

    def _advised(self, error: ProwessError) -> ProwessError:
        """The error, and where a value is missing that can be given, how to give it."""
        if isinstance(error, ValueProblemError):
            name = error.path[1] if error.path[0] == "steps" else error.path[0]
            if name in self._settable and name not in self._given:
                error.hint = f"give it one with --set {name}=..., or {error.hint}"
        return error

    def _ended(self, step: Step, label: str, left: Left, known: Known) -> None:
        known.keep(step, left)
        self._telling.step(
            step,
            label,
            "finished" if left.ok else "failed",
            step.description or label if left.ok else f"{label}: {left.error}",
            ok=left.ok,
            stored=step.store if left.ok else "",
            output=shortened(left.output),
            seconds=round(left.seconds, 3),
            **({} if left.ok else {"error": left.error}),
            **({"tries": left.tries} if left.tries > 1 else {}),
            **({"dropped": left.dropped} if left.dropped else {}),
        )

    def _command(
        self, step: CommandStep, label: str, known: Known
    ) -> Generator[list[Work], list[Left], Left]:
        scope = known.scope()
        ready = ready_command(step.command, scope, seconds=step.timeout)
        (left,) = yield [CommandWork(step=step, label=label, ready=ready, scope=scope)]
        return left

    def _output(
        self, step: OutputStep, label: str, known: Known
    ) -> Generator[list[Work], list[Left], Left]:
        text = fill(step.text, _with_data(step, known))
        (left,) = yield [ShowWork(step=step, label=label, text=text)]
        self._telling.tell(
            "output.shown", shortened(text), step=label, text=text, format=step.format
        )
        self._telling.said = text
        return left

    def _question(
        self, step: QuestionStep, label: str, known: Known
    ) -> Generator[list[Work], list[Left], Left]:
        scope = known.scope()
        options: Sequence[str] = ()
        if step.options_command:
            ready = ready_command(step.options_command, scope, seconds=step.timeout)
            (left,) = yield [
                CommandWork(step=step, label=f"{label} options", ready=ready, scope=scope)
            ]
            if not left.ok:
                return left
            options = list(map(text_of, as_list(left.output)))
        elif step.options:
            options = [text_of(each) for each in as_list(fill_value(step.options, scope))]
        default = None if step.default is None else fill(step.default, scope)
        question = Question(
            id=label, prompt=fill(step.prompt, scope), options=tuple(options), default=default
        )

        def check(answer: str) -> str:
            return answer_to(answer, options=options, default=default, validate=step.validate)

        name = step.store or step.id
        given = next(
            (self._given[key] for key in (step.store, step.id) if key in self._given), None
        )
        if given is not None:
            answer = _checked(text_of(given), check, name)
            self._telling.tell(
                "question.answered", f"{label}: given", step=label, id=label, answer=answer
            )
        else:
            answer = yield from self._asked(question, name, check)
        return Left(ok=True, output=answer, value=answer)

    def _asked(
        self, question: Question, name: str, check: Callable[[str], Any]
    ) -> Generator[list[Work], list[Left], Any]:
        """Ask until the answer will do. Where nobody can answer, the default is the answer."""
        wrong = ""
        for _ in range(TRIES):
            (left,) = yield [AskWork(label=question.id, question=question, wrong=wrong)]
            if left.value is None:
                if question.default is not None:
                    return _checked(question.default, check, name)
                raise WaitingRunError(
                    f"nobody is here to answer {question.prompt!r}", hint=set_hint(name)
                )
            try:
                return check(left.output)
            except WrongAnswerError as error:
                wrong = str(error)
        raise ProwessError(f"no answer would do: {wrong}", hint=set_hint(name))

    def _conditional(
        self, step: ConditionalStep, label: str, known: Known
    ) -> Generator[list[Work], list[Left], Left]:
        holds = parse_condition(step.test).holds(known.scope())
        yield from self.steps(step.then if holds else step.otherwise, known)
        return Left(ok=True, output="then" if holds else "else", value=holds)

    def _parallel(
        self, step: ParallelStep, label: str, known: Known
    ) -> Generator[list[Work], list[Left], Left]:
        branches = [known.branch() for _ in step.branches]
        walks = [self.steps(*each) for each in zip(step.branches, branches, strict=True)]
        try:
            yield from together(walks)
        finally:  # what was done was done, also where a branch failed
            for branch in branches:
                known.merge(branch)
        return Left(ok=True)

    def _foreach(
        self, step: ForeachStep, label: str, known: Known
    ) -> Generator[list[Work], list[Left], Left]:
        items = as_list(fill_value(step.items, known.scope()))
        inner = [each.id for each in every_step(step.steps)]
        values: list[Any] = []
        for start in range(0, len(items), step.at_once):
            rounds = []
            for number, item in enumerate(items[start : start + step.at_once], start=start + 1):
                branch = known.branch(**{step.name: item, "index": number})
                branch.place = f"{known.place}[{number}]"
                branch.forget(inner)
                rounds.append(branch)
            try:
                yield from together([self.steps(step.steps, branch) for branch in rounds])
            finally:
                for branch in rounds:
                    known.merge(branch, but=(step.name, "index"))
            values += [branch.steps.get(step.steps[-1].id, {}).get("value") for branch in rounds]
        return Left(ok=True, output=f"{len(items)} items", value=values)

    def _skill(
        self, step: SkillStep, label: str, known: Known
    ) -> Generator[list[Work], list[Left], Left]:
        scope = known.scope()
        work = SkillWork(
            step=step,
            label=label,
            arguments=fill(step.arguments, scope),
            inputs=fill_value(step.inputs, scope),
            scope=scope,
        )
        (left,) = yield [work]
        for name in ("iterations", "tokens", "cost"):
            spent = (left.outcome or {}).get(name) or 0
            self._telling.spent[name] = self._telling.spent.get(name, 0) + spent
        self._telling.said = left.output
        return left

    def _python(
        self, step: PythonStep, label: str, known: Known
    ) -> Generator[list[Work], list[Left], Left]:
        scope = known.scope()
        arguments = fill_value(step.arguments, scope)
        (left,) = yield [PythonWork(step=step, label=label, arguments=arguments, scope=scope)]
        return left


_WALKS: dict[str, Callable[..., Generator[list[Work], list[Left], Left]]] = {
    "command": Walk._command,  # noqa: SLF001
    "output": Walk._output,  # noqa: SLF001
    "question": Walk._question,  # noqa: SLF001
    "conditional": Walk._conditional,  # noqa: SLF001
    "parallel": Walk._parallel,  # noqa: SLF001
    "foreach": Walk._foreach,  # noqa: SLF001
    "skill": Walk._skill,  # noqa: SLF001
    "python": Walk._python,  # noqa: SLF001
}


def together(walks: Sequence[Walking]) -> Walking:
    """
    Several walks in step: a round of all is the next round of each.

    When one fails the others are still told what their last round left, and then all of them end.
    """
    waiting: dict[int, list[Work]] = {}
    failure: ProwessError | None = None
    replies: dict[int, list[Left] | None] = dict.fromkeys(range(len(walks)))
    while replies:
        for place, reply in replies.items():
            try:
                waiting[place] = next(walks[place]) if reply is None else walks[place].send(reply)
            except StopIteration:
                waiting.pop(place, None)
            except ProwessError as error:
                waiting.pop(place, None)
                failure = failure or error
        if failure:
            raise failure
        replies = {place: [] for place, works in waiting.items() if not works}
        if replies:
            continue
        left = (yield [work for works in waiting.values() for work in works]) if waiting else []
        for place, works in waiting.items():
            replies[place], left = left[: len(works)], left[len(works) :]


def ready_command(command: str | tuple[str, ...], scope: Scope, *, seconds: float | None) -> Ready:
    """A command with its values in it, each of them one argument."""
    if isinstance(command, str):
        line = parse_line(command)
        text = line.filled(scope)
        plain = line.argv(scope)
        return Ready(line=text, argv=("bash", "-c", text), plain=plain, seconds=seconds)
    argv = fill_arguments(command, scope)
    return Ready(line=shlex.join(argv), argv=argv, plain=argv, seconds=seconds)


def as_list(value: Any) -> list[Any]:
    """What a loop goes through: a list as it is, a text line by line, nothing for nothing."""
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return Lines(lines_of(value))
    return [] if value is None else [value]


def _checked(answer: str, check: Callable[[str], Any], name: str) -> Any:
    """An answer that nobody types, so that there is no other try."""
    try:
        return check(answer)
    except WrongAnswerError as error:
        raise ProwessError(str(error), hint=set_hint(name)) from None


def _lacks_an_answer(left: Left) -> bool:
    """Whether the workflow inside, if the step was one, ended for want of an answer."""
    return bool((left.outcome or {}).get("details", {}).get("unanswered"))


def _with_data(step: OutputStep, known: Known) -> dict[str, Any]:
    source = known.names.get(step.source) if step.source else None
    fields = source if isinstance(source, dict) else {}
    scope = known.scope(**fields)
    if step.source:
        scope["source"] = source
    return {**scope, **fill_value(step.data, known.scope())}
