"""What a skill needs besides itself: closure in dependency order, cycles and gaps by name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from prowess.core.skill import Problem, Skill

MOST_CYCLES, MOST_SHOWN = 20, 8


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
            if len(cycles) < MOST_CYCLES:
                names = list(trail)
                cycles.append((*names[names.index(needed) :], needed))
        elif needed not in skills:
            missing.append((name, needed))
        elif needed not in ordered:
            trail[needed] = list(reversed(skills[needed].dependencies))


def problems(needy: Iterable[str], skills: Mapping[str, Skill]) -> list[Problem]:
    """Every missing dependency and every cycle of the skills `needy`, told once, where it can be mended."""
    found = closure(needy, skills)
    missing: dict[str, list[str]] = {}
    for name, needed in found.missing:
        missing.setdefault(name, []).append(needed)
    told = [
        Problem(
            path=skills[name].file,
            level="warning",
            message=f"{name} needs {_shown(needed, ', ')}, and there is no such skill",
            hint="add the skill, or take it out of the dependencies; what is not a skill belongs under `compatibility`",
        )
        for name, needed in missing.items()
    ]
    told += [
        Problem(
            path=skills[cycle[0]].file,
            level="warning",
            message="dependencies in a circle: " + _shown(cycle, " → "),
            hint="take one of them out",
        )
        for cycle in found.cycles
    ]
    return told


def _shown(names: Sequence[str], between: str) -> str:
    """All of a few names; of many the first and the last."""
    few = list(names) if len(names) <= MOST_SHOWN else [*names[: MOST_SHOWN - 1], "…", names[-1]]
    return between.join(few)
