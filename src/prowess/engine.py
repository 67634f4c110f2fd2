"""
The journey, in order. Read this file first.

    folders → discover → catalog → select → the few skills that fit → prompt → what a model reads

The stages do not know each other; they meet here and nowhere else.
"""

import os
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prowess.core import event
from prowess.core.errors import OutsideError, ProwessError, SettingsError, UsageError
from prowess.core.ports import Record
from prowess.core.selection import Match, SkillSelection, StepKind
from prowess.core.skill import Skill
from prowess.core.task import Plan, Task
from prowess.discover.catalog import Catalog, open_catalog
from prowess.discover.pack_sync import Synced, sync_pack
from prowess.discover.roots import Root, search_order
from prowess.discover.told import is_told, remember
from prowess.settings import Settings

if TYPE_CHECKING:
    from prowess.select.rank import Adjust, Ranker

OFFERED = 24  # cards of skills that may fit a task, in its prompt
OFFERED_CHARS = 3_600  # and the room they share


def find_roots(settings: Settings, *, pack: str | None = None) -> list[Root]:
    """
    The folders to search, in order; `pack` is where the built-in skills are, if not where the settings say.

    Folders named by hand must exist, and then nothing else is searched.
    """
    if settings.only_dirs:
        folders = [os.path.abspath(os.path.expanduser(folder)) for folder in settings.only_dirs]
        for folder, found in zip(settings.only_dirs, folders, strict=True):
            if not os.path.isdir(found):
                raise SettingsError(
                    f"--dir {folder}: there is no such folder",
                    hint="name a folder that holds skills",
                )
        return search_order(folders, project=settings.project, builtin=None)
    return search_order(
        settings.skills_dirs, project=settings.project, builtin=pack or settings.skills_builtin_dir
    )


def discover(settings: Settings, *, record: Record, afresh: bool = False) -> Catalog:
    """
    Find the skills. What is news since it was last told, for this project, is told to the log;
    `afresh` tells it again, to a log that is new.
    """
    catalog = open_catalog(find_roots(settings), index_folder=settings.index_folder)
    asked = "\n".join((settings.project, *settings.only_dirs))
    if afresh or not is_told(catalog, asked, folder=settings.index_folder):
        tell(catalog, record=record)
        remember(catalog, asked, folder=settings.index_folder)
    return catalog


def tell(catalog: Catalog, *, record: Record, run: str = "") -> None:
    """Record what was found and what could not be loaded."""
    run = run or uuid.uuid4().hex
    locations = [root.path for root in catalog.roots]
    record(event.skills_discovered(run, locations=locations, names=list(catalog.skills)))
    for name, error in catalog.failed:
        record(event.skills_load_failed(run, name=name, error=error))


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Where to read the built-in skills from, and what became of copying them."""

    pack: str
    synced: Synced | None = None
    failure: OutsideError | None = None


def start(settings: Settings) -> Started:
    """What a long-lived process does first: put the built-in pack in its place. A failure is no reason to stop."""
    packaged = settings.skills_builtin_dir
    if not settings.skills_sync_on_start:
        return Started(pack=packaged)
    try:
        synced = sync_pack(packaged, settings.skills_sync_dir)
    except OutsideError as failure:
        return Started(pack=packaged, failure=failure)
    return Started(pack=packaged if synced.kept else settings.skills_sync_dir, synced=synced)


def load(skills: Sequence[Skill], settings: Settings, *, record: Record, run: str = "") -> str:
    """The instructions of `skills` as a model reads them; what had to be cut is told to the log."""
    from prowess.discover.resources import instructions_text, read_resource, resources
    from prowess.prompt.read import loaded

    run = run or uuid.uuid4().hex
    parts = []
    for skill in skills:
        references = (
            [
                (r.path, read_resource(skill, r.path))
                for r in resources(skill)
                if r.path.startswith("references/") and r.lines
            ]
            if settings.skills_load_references
            else []
        )
        text, cut = loaded(
            skill, instructions_text(skill), references, max_chars=settings.skills_max_body_chars
        )
        if cut:
            record(
                event.skills_truncated(
                    run, name=skill.name, max_chars=settings.skills_max_body_chars
                )
            )
        parts.append(text)
    return "\n\n".join(parts)


def role_prompt(role: str, catalog: Catalog) -> tuple[str, Sequence[tuple[str, str]]]:
    """Every skill of a role with its instructions, as one text; and who needs what that is not there."""
    from prowess.discover.agent_skill import instructions
    from prowess.discover.resources import instructions_text
    from prowess.discover.roles import for_role
    from prowess.prompt.role import role_form

    chosen = for_role(role, catalog.skills)
    text = role_form(
        (skill, instructions(instructions_text(skill)).strip()) for skill in chosen.skills
    )
    return text, chosen.missing


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

    def select(
        self,
        task: Task | str,
        step: StepKind,
        *,
        record: Record,
        limit: int | None = None,
        abstain: bool = True,
    ) -> SkillSelection:
        """Choose the skills for one step of a task, and record the choice with its reasons."""
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
            run_id=uuid.uuid4().hex,
            threshold=THRESHOLD if abstain else 0.0,
            adjust=self.adjust,
        )
        record(event.skills_selected(chosen))
        return chosen

    def explained(self, text: str, names: Sequence[str]) -> dict[str, dict[str, float]]:
        """What each word of the task gave to the skills named."""
        ranked = self.ranker.rank(text, limit=max(50, len(names)), adjust=self.adjust)
        by_name = {each.skill.name: each.parts for each in ranked}
        return {
            name: {word: round(score, 4) for word, score in by_name.get(name, ())} for name in names
        }

    def offered(self, text: str) -> str:
        """The cards of the nearest skills, however many are installed, in a few thousand characters."""
        from prowess.prompt.budget import fit
        from prowess.prompt.cards import available_skills, cards
        from prowess.select.hints import without_hints

        ranked = self.ranker.rank(
            without_hints(text),
            limit=OFFERED,
            adjust=self.adjust,
            allowed=lambda skill: skill.model_may_invoke,
        )
        near = [each.skill for each in ranked]
        if not near:
            return ""
        return available_skills(
            fit(cards(near), max_chars=OFFERED_CHARS, form=available_skills).cards
        )


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


def read_plan_file(path: str) -> Plan | None:
    """The plan, or None when it cannot be read as one: the agent then picks from it by itself."""
    from prowess.select.plan import read_plan

    try:
        with open(path, "rb") as file:
            plan = read_plan(file.read())
    except UsageError:
        return None
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", hint="name a plan that exists"
        ) from None
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
    """The prompt for the next task to implement, or for the one that was just implemented."""
    from prowess.prompt import build

    write = build.build_review_prompt if step == "review" else build.build_implementation_prompt
    plan = read_plan_file(plan_file)
    if plan is None or not settings.skills_enabled:
        return write(build.Step(plan=plan_file, feedback=feedback))
    task = _task_of(plan, step, line)
    asking = ask(discover(settings, record=record), settings)
    chosen = asking.select(task, step, record=record)
    skills = [asking.catalog.get(match.name) for match in chosen.skills]
    offer = build.Offer(
        available=asking.offered(task.label),
        loaded=load(skills, settings, record=record, run=chosen.run_id),
    )
    return write(
        build.Step(
            plan=plan_file, task=task, validation=plan.validation, feedback=feedback, offer=offer
        )
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
