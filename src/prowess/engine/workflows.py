"""
The journey of one workflow: open its file, hand it what it may use, carry it out, tell the end.

Its commands pass the same gate and run in the same sandbox as those of any skill. One kind does not:
`prowess` itself, whose database the sandbox hides. It is run as the user's own, and only for the
built-in workflows or where the user granted it for this run; what a skill says of itself does not count.

Like the journey of a skill, all of this is replayed when a run goes on after a crash.
"""

import itertools
import os
import shlex
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from prowess.core.chat import Call
from prowess.core.errors import UsageError
from prowess.core.event import Event
from prowess.core.execution import Execution
from prowess.core.files import decode, read_beneath
from prowess.core.ports import Gate, Json, Record, Steps
from prowess.core.process import Finished, Order
from prowess.core.run import Outcome, Question
from prowess.core.skill import Skill
from prowess.core.workflow import Progress, TextFormat, Workflow
from prowess.engine.ending import to_its_end
from prowess.engine.gating import gate_of
from prowess.engine.opening import Opened, platform_of
from prowess.engine.people import People
from prowess.engine.request import RunRequest, check_rules
from prowess.engine.running import run_request
from prowess.engine.world import World
from prowess.engine.wrong import lies_beside
from prowess.permit.rules import make_gate, parse_rules
from prowess.workflow.check import read_workflow
from prowess.workflow.given import check_arguments, check_given
from prowess.workflow.means import CommandWork, Means, PythonWork, Ready
from prowess.workflow.python_calls import PythonCalls
from prowess.workflow.run import run_workflow

KIND = "workflow"
FILE = "skill.yaml"
NOBODY = "\0"  # sent as an answer by who was asked and cannot answer
_OURS = "prowess"
_FIELDS = ("name", "description", "format", "location", "path")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRequest:
    """
    What is asked of a workflow, as JSON. `given` answers inputs and questions; `answers`: somebody
    can be asked what is not given. `tool` is the folder of the tool that is used, such as .opencode.
    """

    skill: str
    given: Mapping[str, Any] = field(default_factory=dict)
    arguments: str = ""
    from_step: str = ""
    workspace: str = "."
    tool: str = ""
    model: str | None = None
    allow: tuple[str, ...] = ()
    ask: bool = False
    answers: bool = False
    user: str = ""
    date: str = ""
    parent: str = ""
    depth: int = 0

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "allow": list(self.allow)}


def workflow_request_from_json(value: Mapping[str, Any]) -> WorkflowRequest:
    return WorkflowRequest(**{**value, "allow": tuple(value["allow"])})


def load_workflow(skill: Skill) -> Workflow:
    """The workflow of a skill; `WorkflowError` has everything that is wrong with it."""
    return _parsed(skill, _file(skill))


def check_request(skill: Skill, request: WorkflowRequest) -> None:
    """
    Refuse what cannot begin: a file with mistakes, a step, a value or arguments that it does not
    know, a rule that cannot be read.
    """
    check_rules(request.allow)
    workflow = load_workflow(skill)
    check_given(workflow, request.given, from_step=request.from_step)
    check_arguments(workflow, request.arguments)


async def run_workflow_skill(steps: Steps, request: Mapping[str, Any], *, world: World) -> Json:
    """The body of a workflow's run, as the durable engine knows it."""
    asked = workflow_request_from_json(request)
    return (await run_workflow_request(asked, steps=steps, world=world)).as_json()


async def run_workflow_request(
    request: WorkflowRequest, *, steps: Steps, world: World, run: str = ""
) -> Outcome:
    """One workflow to its end; one inside another has its steps and a name of its own."""
    run = run or steps.run_id
    record = world.recorder(run)
    journey = _journey(request, steps, run, record, world)
    return await to_its_end(journey, run=run, record=record, inside=request.parent)


async def _journey(
    request: WorkflowRequest, steps: Steps, run: str, record: Record, world: World
) -> Outcome:
    _tell(record, run, "run.started", f"Run {request.skill}", **_asked(request))

    async def read() -> Json:
        skill = world.catalog().get(request.skill)
        kept = {name: getattr(skill, name) for name in _FIELDS}
        kept |= {"files": list(skill.files), "header": dict(skill.header)}
        return {"skill": kept, "text": _file(skill)}

    opened = await steps.do("open", read)
    skill = Skill(**{**opened["skill"], "files": tuple(opened["skill"]["files"])})
    workflow = _parsed(skill, opened["text"])
    hands = _Hands(request=request, skill=skill, steps=steps, run=run, record=record, world=world)
    async with hands.means() as means:
        return await run_workflow(workflow, means=means, from_step=request.from_step)


@dataclass(frozen=True, kw_only=True)
class _Hands:
    """What one workflow gets to work with."""

    request: WorkflowRequest
    skill: Skill
    steps: Steps
    run: str
    record: Record
    world: World
    _granted: set[str] = field(default_factory=set)
    _questions: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    _children: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @asynccontextmanager
    async def means(self) -> AsyncIterator[Means]:
        request = self.request
        python = PythonCalls(
            sandbox=self.world.sandbox,
            order=self._order(()),
            skill_dir=self.skill.path,
            pipes=os.path.join(self.world.settings.run_folder(self.run), "python"),
        )
        gate = gate_of(self._opened(), self._as_run(), self.world, run=self.run)
        people = People(run=self.run, steps=self.steps, record=self.record, present=request.answers)

        async def permit(work: CommandWork | PythonWork) -> str:
            return await self._refusal(work, gate, people)

        try:
            yield Means(
                run=self.run,
                steps=self.steps,
                record=self.record,
                renderer=_Told(),
                command=self._command,
                python=python,
                skill=self._skill,
                permit=permit,
                ask=self._ask,
                given=request.given,
                built_in={
                    "workspace": request.workspace,
                    "skill_dir": self.skill.path,
                    "run_id": self.run,
                    "user": request.user,
                    "date": request.date,
                    "tool": request.tool,
                    "arguments": request.arguments,
                },
            )
        finally:
            await python.close()

    async def _ask(self, question: Question, *, step: str, wrong: str) -> str | None:
        """A question is an event; whoever shows it sends the answer, and the engine keeps it."""
        if not self.request.answers:
            return None
        asked = replace(question, id=f"{self.run}-w{next(self._questions)}")
        self._tell(
            "question.asked", f"Question: {asked.prompt}", **asked.as_json(), step=step, wrong=wrong
        )
        answer = await self.steps.answer(asked.id)
        told = None if answer in (None, NOBODY) else answer
        self._tell("question.answered", "Answered", id=asked.id, step=step, answer=told)
        return told

    async def _refusal(self, work: CommandWork | PythonWork, gate: Gate, people: People) -> str:
        if isinstance(work, CommandWork):
            if self._is_ours(work.ready):
                return ""
            line = work.ready.line
        else:
            line = f"python3 {shlex.quote(work.step.module.replace('.', '/'))}.py"
        if line in self._granted:
            return ""
        call = Call(id="", tool="Bash", input={"command": line})
        verdict = gate(call)
        if verdict.allowed:
            self._granted.add(line)
            return ""
        asked = self.request.ask and verdict.askable
        return "" if asked and await people.grant(call, verdict.reason) else verdict.reason

    def _is_ours(self, ready: Ready) -> bool:
        """Whether this is `prowess` itself, called by who may call it outside the sandbox."""
        if not ready.plain or ready.plain[0] != _OURS:
            return False
        if self.skill.location == "builtin":
            return True
        granted = make_gate(
            allowed=parse_rules(list(self.request.allow)), workspace=self.request.workspace
        )
        return granted(Call(id="", tool="Bash", input={"command": ready.line})).allowed

    async def _command(self, ready: Ready) -> Finished:
        seconds = ready.seconds or self.world.limits.seconds
        if ready.plain and self._is_ours(ready):
            from prowess.sandbox.process import supervise

            return await supervise(
                (sys.executable, "-m", _OURS, *ready.plain[1:]),
                cwd=self.request.workspace,
                environment={
                    **self.world.environment,
                    "PROWESS_DATA": self.world.settings.data,
                },
                wall=seconds,
            )
        order = self._order(ready.argv)
        return await self.world.sandbox.run(
            replace(order, limits=replace(order.limits, seconds=seconds))
        )

    def _order(self, argv: tuple[str, ...]) -> Order:
        return Order(
            argv=argv,
            cwd=self.request.workspace,
            writable=(self.request.workspace,),
            readable=(self.skill.path,),
            network=self.world.settings.sandbox_network,
            limits=self.world.limits,
        )

    async def _skill(self, name: str, *, arguments: str, inputs: Mapping[str, Any]) -> Outcome:
        """Another skill, as a run of its own inside this one; the workflow's own name is its SKILL.md."""
        if self.request.depth >= self.world.settings.run_max_depth:
            raise UsageError(f"{name} is not run: skills are {self.request.depth} deep already")

        async def find() -> Json:
            return self.world.catalog().get(name).format

        is_workflow = await self.steps.do(f"find {name}", find) == KIND and name != self.skill.name
        if inputs and not is_workflow:
            raise UsageError(f"{name} takes no inputs", hint="hand them over as `arguments`")
        child = f"{self.run}.{next(self._children)}"
        self._tell("agent.forked", f"Skill {name}", child=child, skill=name)
        if is_workflow:
            asked = replace(
                self.request, skill=name, arguments=arguments, given=inputs, from_step="",
                parent=self.run, depth=self.request.depth + 1,
            )  # fmt: skip
            outcome = await run_workflow_request(
                asked, steps=self.steps, world=self.world, run=child
            )
        else:
            inner = replace(self._as_run(), skill=name, arguments=arguments, parent=self.run)
            outcome = await run_request(inner, steps=self.steps, world=self.world, run=child)
        summary = f"Skill {name}: {outcome.ending}"
        self._tell("agent.joined", summary, child=child, skill=name, outcome=outcome.as_json())
        return outcome

    def _opened(self) -> Opened:
        return Opened(
            skill=self.skill,
            instructions="",
            resources=(),
            execution=Execution(),
            model=None,
            platform=platform_of(self.world),
        )

    def _as_run(self) -> RunRequest:
        request = self.request
        return RunRequest(
            skill=request.skill,
            arguments=request.arguments,
            workspace=request.workspace,
            model=request.model,
            allow=request.allow,
            ask=request.ask,
            answers=request.answers,
            user=request.user,
            date=request.date,
            depth=request.depth + 1,
        )

    def _tell(self, kind: str, summary: str, **facts: Any) -> None:
        _tell(self.record, self.run, kind, summary, **facts)


class _Told:
    """The renderer of a run whose facts are told by its events: whoever follows them shows them."""

    async def show(self, text: str, *, step: str, format: TextFormat = "markdown") -> None:  # noqa: A002
        """The event `output.shown` has the text."""

    async def ask(self, question: Question, *, step: str, wrong: str = "") -> str | None:
        return None

    async def progress(self, progress: Progress) -> None:
        """The events of the steps have it."""


def _file(skill: Skill) -> str:
    return decode(read_beneath(skill.path, FILE))


def _parsed(skill: Skill, text: str) -> Workflow:
    return read_workflow(
        text, path=os.path.join(skill.path, FILE), beside=partial(lies_beside, skill.path)
    )


def _asked(request: WorkflowRequest) -> dict[str, Any]:
    return {
        "run_kind": KIND,
        "skill": request.skill,
        "arguments": request.arguments,
        "given": sorted(request.given),
        "parent": request.parent,
        "project": request.workspace,
        "progress": 0,
    }


def _tell(record: Record, run: str, kind: str, summary: str, **facts: Any) -> None:
    record(
        Event(run=run, kind=kind, payload={"summary": summary, "visibility": "SUMMARY", **facts})
    )
