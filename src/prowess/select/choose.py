"""
Choose the skills for a task: hints first, then what matches, or none.

A hint is somebody's choice and is followed up to the limit. What is left is filled by matching, and
a task that nothing fits gets nothing: a wrong skill costs more than no skill.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from prowess.core.selection import Match, SkillSelection, StepKind, Strategy
from prowess.core.skill import Skill
from prowess.core.task import Task
from prowess.select.hints import without_hints
from prowess.select.profile import wanted
from prowess.select.rank import BY_NAME, MOST_CHARS, THRESHOLD, Adjust, Ranked, Ranker
from prowess.select.words import name_words, words

TOLD = 5  # words named in a reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many skills a step may have."""

    implementation: int = 2
    review: int = 1

    def of(self, step_kind: StepKind) -> int:
        return self.review if step_kind == "review" else self.implementation


def select_skills(
    task: Task,
    skills: Mapping[str, Skill],
    step_kind: StepKind,
    limits: Limits,
    *,
    ranker: Ranker,
    run_id: str,
    threshold: float = THRESHOLD,
    adjust: Adjust | None = None,
) -> SkillSelection:
    """Never fails: what cannot be followed is told in `errors`."""
    most = limits.of(step_kind)
    chosen, errors = _hinted(task, skills, most)
    strategy: Strategy = "hint" if chosen else "none"
    taken = {match.name for match in chosen}
    for found in match_task(
        without_hints(task.text),
        ranker,
        limit=most + len(taken),
        threshold=threshold,
        adjust=adjust,
    ):
        if len(chosen) < most and found.name not in taken:
            chosen.append(found)
            strategy = "match" if strategy == "none" else strategy
    return SkillSelection(
        run_id=run_id,
        step_kind=step_kind,
        task_label=task.label,
        skills=tuple(chosen),
        strategy=strategy,
        errors=tuple(errors),
    )


def match_task(
    text: str,
    ranker: Ranker,
    *,
    limit: int,
    threshold: float = THRESHOLD,
    adjust: Adjust | None = None,
) -> list[Match]:
    """The best matches that a model may be given, best first; none when even the first is in doubt."""
    text = text[:MOST_CHARS]  # as the ranker does, so that a reason costs no more than the rank
    ranked = ranker.rank(
        text, limit=limit, adjust=adjust, allowed=lambda skill: skill.model_may_invoke
    )
    return [_match(text, each) for each in ranked if _told(each.score) >= threshold]


def _hinted(task: Task, skills: Mapping[str, Skill], most: int) -> tuple[list[Match], list[str]]:
    chosen: list[Match] = []
    errors = []
    for name in task.hints:
        if name not in skills:
            errors.append(f"the task hints at @{name}, and there is no such skill")
        elif len(chosen) >= most:
            errors.append(f"the task hints at @{name}, and only {most} may be chosen")
        else:
            chosen.append(Match(name=name, reason=f"the task says @{name}", path=skills[name].path))
    return chosen, errors


def _match(text: str, ranked: Ranked) -> Match:
    return Match(
        name=ranked.skill.name,
        reason=reason(text, ranked),
        score=_told(ranked.score),
        parts=tuple((what, _told(given)) for what, given in ranked.parts + ranked.bonuses),
        path=ranked.skill.path,
    )


def _told(score: float) -> float:
    """What is told is also what is compared, so that nobody sees 0.3 refused."""
    return round(score, 4)


def reason(text: str, ranked: Ranked) -> str:
    """What matched, in the task's own words, and where the strongest of them stand."""
    skill = ranked.skill
    spoken = _spoken(text)
    name = set(name_words(skill.name))
    description = set(words(f"{wanted(skill.description)} {skill.when_to_use}"))
    told = []
    for stem, _ in ranked.parts[:TOLD]:
        where = "name" if stem in name else "description" if stem in description else "instructions"
        told.append(f"{spoken.get(stem, stem)} ({where})")
    if told:
        return f"matches {', '.join(told)}"
    named = any(what == BY_NAME for what, _ in ranked.bonuses)
    return "is named in the task" if named else "is near in meaning"


def _spoken(text: str) -> dict[str, str]:
    """Each stem as the task first says it."""
    spoken: dict[str, str] = {}
    for word in text.split():
        bare = word.strip(".,;:!?()[]{}\"'`*_")
        for stem in words(bare):
            spoken.setdefault(stem, bare if len(words(bare)) == 1 else stem)
    return spoken
