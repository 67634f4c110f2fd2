"""
From a task to the few skills that fit it, and to the prompt that carries both.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from prowess.core import event
from prowess.core.errors import ProwessError, SettingsError, UsageError
from prowess.core.ports import Record
from prowess.core.selection import Match, SkillSelection, StepKind
from prowess.core.skill import Skill
from prowess.core.task import Plan, Task
from prowess.discover.catalog import Catalog
from prowess.engine.finding import discover, load
from prowess.settings import Settings

if TYPE_CHECKING:
    from prowess.select.rank import Adjust, Ranker

OFFERED = 24  # cards of skills that may fit a task, in its prompt
OFFERED_CHARS = 3_600  # and the room they share
OFFERED_LEAST = 20  # characters of a description; below that a card says little more than its name
_TYPES: Mapping[StepKind, str] = {"implementation": "execute", "review": "evaluate"}  # of phases
_PHASES: Mapping[StepKind, str] = {"implementation": "implement", "review": "review"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Skills that a phase has whatever its task is, and what of the registry cannot be followed."""

    skills: tuple[Match, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A catalog that can be asked which of its skills fit a task."""

    catalog: Catalog
    ranker: "Ranker"
    settings: Settings
    adjust: "Adjust | None" = None

    def match(self, text: str, *, limit: int, abstain: bool = True) -> Sequence[Match]:
        """The best matches; without `abstain` also where none may be meant."""
        from prowess.select.choose import match_task
        from prowess.select.rank import THRESHOLD

        return match_task(
            text,
            self.ranker,
            limit=limit,
            threshold=THRESHOLD if abstain else 0.0,
            adjust=self.adjust,
        )

    def nearest(self, text: str, *, limit: int) -> Sequence[Match]:
        """What `select` would match if it never abstained."""
        from prowess.select.hints import without_hints

        return self.match(without_hints(text), limit=limit, abstain=False)

    def select(
        self,
        task: Task | str,
        step: StepKind,
        *,
        record: Record,
        limit: int | None = None,
        abstain: bool = True,
        given: Given = Given(),
        run: str = "",
    ) -> SkillSelection:
        """
        Choose the skills for one step of a task, and record the choice with its reasons, as a part of
        `run` where one is named. What is `given` comes first and takes no task's skill its place.
        """
        from prowess.select.choose import Limits, select_skills
        from prowess.select.hints import find_hints
        from prowess.select.rank import THRESHOLD

        if isinstance(task, str):
            task = Task(label=" ".join(task.split()), line=1, mark=" ", hints=find_hints(task))
        limits = Limits(
            implementation=limit or self.settings.skills_max_selected_impl,
            review=limit or self.settings.skills_max_selected_review,
        )
        chosen = select_skills(
            task,
            self.catalog.skills,
            step,
            limits,
            ranker=self.ranker,
            run_id=run or uuid.uuid4().hex,
            threshold=THRESHOLD if abstain else 0.0,
            adjust=self.adjust,
        )
        own = {match.name for match in chosen.skills}
        before = tuple(match for match in given.skills if match.name not in own)
        chosen = replace(chosen, skills=before + chosen.skills, errors=chosen.errors + given.errors)
        record(event.skills_selected(chosen))
        return chosen

    def given(self, phase: str, step: StepKind) -> Given:
        """What the registry gives a phase. One that was spoilt since it was checked gives nothing."""
        from prowess.discover.registry import load_registry

        try:
            registry = load_registry(self.settings.skills_registry, self.catalog.skills)
        except SettingsError as error:
            return Given(errors=(f"{error}; {error.hint}",))
        skills = [
            Match(
                name=name,
                reason=f"the registry names it for {_whom(name in registry.common, phase)}",
                path=self.catalog.skills[name].path,
            )
            for name in registry.skills_for(phase, _TYPES[step])
        ]
        # A search narrowed by hand cannot know every skill.
        wrong = () if self.settings.only_dirs else registry.problems
        told = tuple(f"{each.path}:{each.line}: {each.message}" for each in wrong)
        return Given(skills=tuple(skills), errors=told)

    def offered(self, text: str) -> str:
        """The cards of the nearest skills, however many are installed, in a few thousand characters."""
        from prowess.prompt.budget import fit_best
        from prowess.prompt.cards import available_skills, cards
        from prowess.select.hints import without_hints

        ranked = self.ranker.rank(
            without_hints(text),
            limit=OFFERED,
            adjust=self.adjust,
            allowed=lambda skill: skill.model_may_invoke,
        )
        near = fit_best(
            cards(each.skill for each in ranked),
            max_chars=OFFERED_CHARS,
            least=OFFERED_LEAST,
            form=available_skills,
        )
        return available_skills(near.cards) if near.cards else ""


def ask(catalog: Catalog, settings: Settings) -> Asking:
    """Make a catalog answer; only skills that changed since the last time are read again."""
    from prowess.select.shelf import open_ranker

    def body(skill: Skill) -> str:
        from prowess.discover.agent_skill import instructions  # and YAML, which is rarely needed
        from prowess.discover.resources import instructions_text

        try:
            return instructions(instructions_text(skill))
        except ProwessError:  # gone or spoilt since it was found; its card can still be matched
            return ""

    asked = "\n".join(root.path for root in catalog.roots)
    ranker = open_ranker(
        list(catalog.skills.values()), body, folder=settings.index_folder, asked=asked
    )
    adjust = None
    if settings.skills_semantic:
        from prowess.select.semantic import open_semantic

        adjust = open_semantic(ranker.skills)
    return Asking(catalog=catalog, ranker=ranker, settings=settings, adjust=adjust)


def _whom(common: bool, phase: str) -> str:  # noqa: FBT001
    return "every phase" if common else f"the phase {phase}"


def check_registry(settings: Settings) -> None:
    """Refuse now a registry that no prompt could follow."""
    from prowess.discover.registry import load_registry

    if settings.skills_enabled:
        load_registry(settings.skills_registry, {})


def read_plan_file(path: str) -> Plan | None:
    """The plan, or None when it cannot be read as one: the agent then picks from it by itself."""
    from prowess.select.plan import read_plan
    from prowess.select.plan_file import plan_bytes

    data = plan_bytes(path)
    try:
        plan = read_plan(data)
    except UsageError:
        return None
    return plan if plan.tasks else None


def step_prompt(
    plan_file: str,
    step: StepKind,
    settings: Settings,
    *,
    record: Record,
    line: int | None = None,
    feedback: str = "",
) -> str:
    """The prompt for the task on `line`, or for the next to implement, or the one just implemented."""
    from prowess.prompt import build

    write = build.build_review_prompt if step == "review" else build.build_implementation_prompt
    plan = read_plan_file(plan_file)
    if line is None and (plan is None or not settings.skills_enabled):
        return write(build.Step(plan=plan_file, feedback=feedback))
    plan = plan or Plan(tasks=())
    task = _task_of(plan, step, line)
    check_registry(settings)
    made = task_prompt(plan_file, plan, task, step, settings, record=record, feedback=feedback)
    return made.text


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPrompt:
    """`skills` are those the prompt carries, by name and folder."""

    text: str
    skills: Mapping[str, str] = field(default_factory=dict)


def task_prompt(
    plan_file: str,
    plan: Plan,
    task: Task,
    step: StepKind,
    settings: Settings,
    *,
    record: Record,
    feedback: str = "",
    phase: str = "",
    run: str = "",
) -> TaskPrompt:
    """
    The prompt about this one task, with the skills of its phase and those that fit it, where the
    settings switch them on. `phase` is its name, if it is not the one that usually has this step.
    What is found and chosen is told as a part of `run`, if one is named.
    """
    from prowess.prompt import build

    write = build.build_review_prompt if step == "review" else build.build_implementation_prompt
    made = build.Step(plan=plan_file, task=task, validation=plan.validation, feedback=feedback)
    if not settings.skills_enabled:
        return TaskPrompt(text=write(made))
    asking = ask(discover(settings, record=record, run=run), settings)
    given = asking.given(phase or _PHASES[step], step)
    chosen = asking.select(task, step, record=record, given=given, run=run)
    skills = [asking.catalog.get(match.name) for match in chosen.skills]
    offer = build.Offer(
        available=asking.offered(task.text),
        loaded=load(skills, settings, record=record, run=chosen.run_id),
    )
    return TaskPrompt(
        text=write(replace(made, offer=offer)),
        skills={skill.name: skill.path for skill in skills},
    )


def _task_of(plan: Plan, step: StepKind, line: int | None) -> Task:
    if line is not None:
        found = next((task for task in plan.tasks if task.line == line), None)
        if found is None:
            raise UsageError(
                f"there is no task on line {line}",
                hint="`prowess plan` shows the tasks with their lines",
            )
        return found
    if step == "review":
        done = [task for task in plan.tasks if task.mark == "x" and not task.ignored]
        if not done:
            raise UsageError(
                "no task awaits review",
                hint="a task that was implemented is marked [x]; or name one with --task LINE",
            )
        return done[-1]
    task = plan.next()
    if task is None:
        raise UsageError(
            "the plan has no task to do",
            hint="`prowess plan` shows what is done and what is blocked",
        )
    return task
