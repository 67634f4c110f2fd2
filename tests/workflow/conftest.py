"""A workflow with real commands and real functions, and steps that can be cut off and replayed."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from prowess.core.event import Event
from prowess.core.process import Finished, Order
from prowess.core.run import Outcome, Question
from prowess.core.workflow import Progress
from prowess.sandbox.probe import open_sandbox
from prowess.workflow.check import read_workflow
from prowess.workflow.means import CommandWork, Means, PythonWork, Ready
from prowess.workflow.python_calls import PythonCalls
from prowess.workflow.run import run_workflow


class KilledError(BaseException):
    """What a kill -9 is to the code above it."""


@dataclass
class Remembering:
    """Steps kept by number, as the durable engine keeps them in a database."""

    run_id: str = "run"
    kept: dict[int, tuple[str, Any]] = field(default_factory=dict)
    dies_at: int | None = None
    number: int = 0

    async def do(
        self, name: str, work: Callable[[], Awaitable[Any]], *, repeatable: bool = True
    ) -> Any:
        number, self.number = self.number, self.number + 1
        if number in self.kept:
            assert self.kept[number][0] == name, (
                "a replay asks for the same steps in the same order"
            )
            return self.kept[number][1]
        if number == self.dies_at:
            raise KilledError
        value = await work()
        self.kept[number] = (name, value)
        return value

    async def answer(self, question_id: str, *, seconds: float | None = None) -> str | None:
        return None

    def again(self) -> "Remembering":
        """The same run after its process died."""
        return Remembering(run_id=self.run_id, kept=self.kept)


@dataclass
class Scripted:
    """A renderer that answers from a list, and None when it is empty."""

    answers: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    places: list[Progress] = field(default_factory=list)

    async def show(self, text: str, *, step: str, format: str = "markdown") -> None:  # noqa: A002
        self.shown.append(text)

    async def ask(self, question: Question, *, step: str, wrong: str = "") -> str | None:
        self.asked.append(question)
        self.wrong.append(wrong)
        return self.answers.pop(0) if self.answers else None

    async def progress(self, progress: Progress) -> None:
        self.places.append(progress)


@dataclass
class Play:
    """Carries out a skill.yaml; everything that can be seen of it afterwards is here."""

    folder: Path
    renderer: Scripted = field(default_factory=Scripted)
    steps: Remembering = field(default_factory=Remembering)
    events: list[Event] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    skills: dict[str, Outcome] = field(default_factory=dict)
    called: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)
    refuse: str = ""  # commands that begin so may not be run

    def __call__(self, text: str, *, from_step: str = "", **given: Any) -> Outcome:
        head = "" if text.startswith("name:") else "name: w\ndescription: d\n"
        return asyncio.run(self._run(head + text, from_step, given))

    async def _run(self, text: str, from_step: str, given: Mapping[str, Any]) -> Outcome:
        sandbox = open_sandbox("none")
        order = Order(argv=(), cwd=str(self.folder), writable=(str(self.folder),))

        async def command(ready: Ready) -> Finished:
            from dataclasses import replace

            self.commands.append(ready.line)
            limits = replace(order.limits, seconds=ready.seconds or 60)
            return await sandbox.run(replace(order, argv=ready.argv, limits=limits))

        python = PythonCalls(
            sandbox=sandbox,
            order=order,
            skill_dir=str(self.folder),
            pipes=str(self.folder / "pipes"),
        )
        means = Means(
            run="run",
            steps=self.steps,
            record=self.events.append,
            renderer=self.renderer,
            command=command,
            python=python,
            skill=self._skill,
            permit=self._permit,
            given=given,
            built_in={"user": "ada", "workspace": str(self.folder)},
        )
        try:
            return await run_workflow(read_workflow(text), means=means, from_step=from_step)
        finally:
            await python.close()

    async def _skill(self, name: str, *, arguments: str, inputs: Mapping[str, Any]) -> Outcome:
        self.called.append((name, arguments, inputs))
        return self.skills[name]

    async def _permit(self, work: CommandWork | PythonWork) -> str:
        line = work.ready.line if isinstance(work, CommandWork) else "python"
        return "no rule grants it" if self.refuse and line.startswith(self.refuse) else ""

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    def payloads(self, kind: str) -> list[Mapping[str, Any]]:
        return [event.payload for event in self.events if event.kind == kind]

    def path(self) -> list[str]:
        """The steps as they went: `+` begun, `-` ended, `~` left out."""
        signs = {"step.started": "+", "step.finished": "-", "step.skipped": "~"}
        return [
            signs[event.kind] + event.payload["step"]
            for event in self.events
            if event.kind in signs
        ]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    return Play(tmp_path)
