"""What a skill needs besides itself: closure in dependency order, cycles and gaps by name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from prowess.core.skill import Problem, Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """`skills` with every dependency before what needs it; what is missing or circular is named, the rest is there."""

    skills: tuple[Skill, ...]
    missing: tuple[tuple[str, str], ...] = ()  # (who needs it, what is not there)
    cycles: tuple[tuple[str, ...], ...] = ()


def closure(names: Iterable[str], skills: Mapping[str, Skill]) -> Closure:
    """The skills called `names`, which must exist, and all that they need, each once."""
    ordered: dict[str, Skill] = {}
    missing: list[tuple[str, str]] = []
    cycles: list[tuple[str, ...]] = []
    for name in names:
        _add(name, skills, ordered, missing, cycles)
    return Closure(skills=tuple(ordered.values()), missing=tuple(missing), cycles=tuple(cycles))


def _add(
    start: str,
    skills: Mapping[str, Skill],
    ordered: dict[str, Skill],
    missing: list[tuple[str, str]],
    cycles: list[tuple[str, ...]],
) -> None:
    """Depth first, with a list instead of recursion: a chain of skills may be long."""
    if start in ordered:
        return
    trail: dict[str, list[str]] = {start: list(reversed(skills[start].dependencies))}
    while trail:
        name, waiting = next(reversed(trail.items()))
        if not waiting:
            ordered[name] = skills[name]
            del trail[name]
            continue
        needed = waiting.pop()
        if needed in trail:
            names = list(trail)
            cycles.append((*names[names.index(needed) :], needed))
        elif needed not in skills:
            missing.append((name, needed))
        elif needed not in ordered:
            trail[needed] = list(reversed(skills[needed].dependencies))


def problems(needy: Iterable[str], skills: Mapping[str, Skill]) -> list[Problem]:
    """Every missing dependency and every cycle of the skills `needy`, told once, where it can be mended."""
    found = closure(needy, skills)
    told = [
        Problem(
            path=skills[name].file,
            level="warning",
            message=f"{name} needs {needed}, and there is no such skill",
            hint="add the skill, or take it out of the dependencies; what is not a skill belongs under `compatibility`",
        )
        for name, needed in found.missing
    ]
    told += [
        Problem(
            path=skills[cycle[0]].file,
            level="warning",
            message="dependencies in a circle: " + " → ".join(cycle),
            hint="take one of them out",
        )
        for cycle in found.cycles
    ]
    return told
