"""What is asked of a run, as JSON: with it alone, a run can begin or go on in any process."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from prowess.core.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """
    `allow` are rules granted for this run only, `disallow` what its parents were denied. `looking`:
    a run above it only looks, so this one does. `answers`: somebody can be asked. `ask`: what no rule
    grants is put to that person, rather than refused. `max_iterations` is None for the skill's own or
    the platform's.
    """

    skill: str
    arguments: str = ""
    workspace: str = "."
    model: str | None = None
    allow: tuple[str, ...] = ()
    disallow: tuple[str, ...] = ()
    looking: bool = False
    ask: bool = False
    answers: bool = False
    max_iterations: int | None = None
    user: str = ""
    date: str = ""
    parent: str = ""
    depth: int = 0

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "allow": list(self.allow), "disallow": list(self.disallow)}


def request_from_json(value: Mapping[str, Any]) -> RunRequest:
    lists = {name: tuple(value.get(name, ())) for name in ("allow", "disallow")}
    return RunRequest(**{**value, **lists})


def check_rules(rules: Iterable[str]) -> None:
    """Refuse what is to be granted and cannot be read: it would grant nothing, and nobody would know."""
    from prowess.permit.rules import parse_rules

    for rule in rules:
        if problem := parse_rules(rule).problem:
            raise UsageError(
                f"the rule {rule!r} cannot be read: {problem}",
                hint="write it as in 'Bash(git diff:*)'",
            )
