"""
Skills that a run uses: loaded into its conversation, or run as a sub-agent with one of their own.

A sub-agent shares its parent's steps, so that it is resumed with it, and nothing else: it sees no
word of the parent's conversation, and the parent gets a summary and where to find the whole story.
Each may use half of the iterations that its parent and the sub-agents before it have left. Its time
is its own: each of its iterations has its skill's, and the iteration of its parent that waits for it
lasts as long as that takes.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from prowess.core.chat import Call, Observation
from prowess.core.errors import CancelledRunError, InDoubtError, ProwessError, RefusedError
from prowess.core.execution import read_execution
from prowess.core.run import Outcome, Question
from prowess.core.skill import Skill
from prowess.core.text import clean_beginning
from prowess.engine.ending import Spent, in_doubt
from prowess.engine.gating import only_looks
from prowess.engine.opening import Opened
from prowess.engine.people import People
from prowess.engine.request import RunRequest
from prowess.engine.world import World

_SUMMARY = 4_000  # characters of a sub-agent's answer that its parent reads


@dataclass(frozen=True, kw_only=True)
class Children:
    opened: Opened
    request: RunRequest
    people: People
    world: World
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _used: list[int] = field(default_factory=list)  # iterations, by those that have ended

    async def load(self, name: str, arguments: str) -> str:
        """Another skill's instructions, for the model to follow in the conversation it has."""
        from prowess.discover.agent_skill import instructions
        from prowess.discover.resources import instructions_text
        from prowess.prompt.read import read_form
        from prowess.prompt.variables import fill_instructions, values_for

        skill = self._skill(name)
        text = instructions(instructions_text(skill))
        values = values_for(
            skill,
            text,
            arguments=arguments,
            session_id=self.people.run,
            workspace=self.request.workspace,
            user=self.request.user,
            date=self.request.date,
        )
        return read_form(skill, fill_instructions(text, values).text)

    async def delegate(self, call: Call, left: int) -> Observation | None:
        """
        What takes steps of its own: a question to a person, a skill that runs as a sub-agent.
        None for every other call.
        """
        if call.tool == "Ask":
            return await self._ask(call)
        name = call.input.get("name")
        if call.tool != "Skill" or not isinstance(name, str):
            return None
        try:
            skill = self._skill(name)
        except ProwessError:
            return None  # the tool itself says so, with names that are near
        execution, wrong = read_execution(skill.fields)
        return None if wrong or not execution.fork else await self._fork(call, name, left)

    async def _fork(self, call: Call, name: str, left: int) -> Observation:
        if self.request.depth >= self.opened.platform.max_depth:
            return _refused(call, f"sub-agents are {self.request.depth} deep already")
        room = left - sum(self._used)
        if room < 1:
            return _refused(call, "no iterations are left for a sub-agent")
        given = call.input.get("arguments")
        most = max(1, room // 2)
        return await self._run(call, name, given if isinstance(given, str) else "", most)

    async def _ask(self, call: Call) -> Observation | None:
        given = call.input
        options = given.get("options") or ()
        if not isinstance(given.get("question"), str) or not isinstance(options, list | tuple):
            return None  # the tool itself says what is wrong
        asked = Question(
            id="",
            prompt=given["question"],
            options=tuple(map(str, options)),
            default=given.get("default"),
        )
        answer = await self.people.ask(asked)
        text = "nobody can answer here; decide yourself and say so" if answer is None else answer
        return Observation(call_id=call.id, text=text, ok=answer is not None)

    async def _run(self, call: Call, name: str, arguments: str, most: int) -> Observation:
        from prowess.engine.running import run_request

        child, spent = f"{self.people.run}.{next(self._numbers)}", Spent()
        self.people.tell("agent.forked", f"Sub-agent {name}", child=child, skill=name)
        try:
            outcome = await run_request(
                self._asked(name, arguments),
                steps=self.people.steps,
                world=self.world,
                run=child,
                above=self.people,
                most_iterations=most,
                spent=spent,
            )
        except CancelledRunError as error:
            self._joined(name, child, spent.outcome("cancelled", str(error)))
            raise
        except InDoubtError as error:
            self._joined(name, child, in_doubt(error, spent))
            raise InDoubtError(f"in the sub-agent {child}: {error}", hint=error.hint) from error
        self._used.append(outcome.iterations)
        self._joined(name, child, outcome)
        return self._observed(call, child, outcome)

    def _asked(self, name: str, arguments: str) -> RunRequest:
        """What a sub-agent is asked; it may do nothing that its parent may not."""
        return replace(
            self.request,
            skill=name,
            arguments=arguments,
            disallow=(*self.request.disallow, *self.opened.skill.disallowed_tools),
            looking=only_looks(self.opened, self.request),
            max_iterations=None,
            parent=self.people.run,
            depth=self.request.depth + 1,
        )

    def _joined(self, name: str, child: str, outcome: Outcome) -> None:
        """Told however it ended: what it used, its parent used."""
        self.people.tell(
            "agent.joined",
            f"Sub-agent {name}: {outcome.ending}",
            child=child,
            skill=name,
            outcome=outcome.as_json(),
        )

    def _observed(self, call: Call, child: str, outcome: Outcome) -> Observation:
        answer = outcome.answer or outcome.reason
        if len(answer) > _SUMMARY:
            more = len(answer) - _SUMMARY
            answer = clean_beginning(answer, _SUMMARY, self.world.clean_text)
            answer = f"{answer}…\n[{more:,} characters more in the trace]"
        text = f"{answer}\n\n[Sub-agent {child}: {outcome.ending}, {outcome.iterations} iterations. Full trace: prowess runs show {child}]"
        return Observation(
            call_id=call.id,
            text=text,
            ok=outcome.ending in ("done", "partial"),
            facts={"outcome": outcome.as_json()},
        )

    def _skill(self, name: str) -> Skill:
        skill = self.world.catalog().get(name)
        if not skill.model_may_invoke:
            raise RefusedError(
                f"{name} may be used by a person only", hint="go on without it, or ask the person"
            )
        return skill


def _refused(call: Call, why: str) -> Observation:
    text = f"not run: {why}; do it yourself"
    return Observation(call_id=call.id, text=text, ok=False, refused=True)
