"""
Who sees how much of a run: FULL, SUMMARY or HIDDEN, by role and by kind of tool.

Rules only ever take away: of all that apply, the most hidden wins. What an event may not show
never leaves this module, and what it may show has passed `redact`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, get_args

from prowess.core.chat import ToolKind
from prowess.core.errors import SettingsError
from prowess.permit.redact import redact


class Level(IntEnum):
    """How much is shown; a smaller one hides more."""

    HIDDEN = 0
    SUMMARY = 1
    FULL = 2


class Role(StrEnum):
    END_USER = "END_USER"
    DEVELOPER = "DEVELOPER"
    ADMIN = "ADMIN"


TOOL_KINDS: tuple[str, ...] = get_args(ToolKind)

# What of an event a summary keeps: how far the run is, and nothing of what it read, wrote or thought.
SUMMARY_FIELDS = (
    "summary", "progress", "visibility", "iteration", "max_iterations", "tool_kind", "outcome", "ok",
)  # fmt: skip
# And of an outcome: how it ended and what it answered, not what it was given, stored and left.
OUTCOME_FIELDS = ("ending", "answer", "reason", "iterations", "tokens", "cost")

_BY_ROLE = {Role.END_USER: Level.SUMMARY, Role.DEVELOPER: Level.FULL, Role.ADMIN: Level.FULL}
_BY_TOOL: Mapping[ToolKind, Level] = {"DATABASE": Level.HIDDEN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Visibility:
    """`default` is for roles that `by_role` does not name; a kind that `by_tool` does not name hides nothing."""

    default: Level = Level.SUMMARY
    by_role: Mapping[Role, Level] = field(default_factory=lambda: dict(_BY_ROLE))
    by_tool: Mapping[ToolKind, Level] = field(default_factory=lambda: dict(_BY_TOOL))
    # Whose events keep their personal data; secrets are kept for nobody.
    personal: frozenset[Role] = frozenset()

    def level(self, role: Role, tool_kind: str | None = None) -> Level:
        """The more hidden of the role's rule and the tool's."""
        rules = {str(kind): level for kind, level in self.by_tool.items()}
        return min(self.by_role.get(role, self.default), rules.get(tool_kind or "", Level.FULL))


def seen(
    payload: Mapping[str, Any],
    *,
    kind: str,
    role: Role,
    rules: Visibility,
    known: Collection[str] = (),
) -> dict[str, Any] | None:
    """
    The payload of an event as this role may see it, or None when it may not see the event at all.

    A milestone (an event shown at SUMMARY) of a hidden tool leaves a line that says so: people may
    know that something happened there, and when, but not what.
    """
    tool_kind = payload.get("tool_kind")
    level = rules.level(role, tool_kind if isinstance(tool_kind, str) else None)
    milestone = payload.get("visibility", Level.SUMMARY.name) == Level.SUMMARY.name
    if level < Level.FULL and not milestone:
        return None
    if level is Level.HIDDEN:
        told = {name: payload[name] for name in ("progress", "visibility") if name in payload}
        what = f"{str(tool_kind).lower()} call" if tool_kind else kind
        return {"summary": f"[{what} hidden]", **told}
    shown = payload if level is Level.FULL else _summary(payload)
    return redact(dict(shown), personal=role not in rules.personal, known=known)


def _summary(payload: Mapping[str, Any]) -> dict[str, Any]:
    told = brief(payload)
    return {name: told[name] for name in SUMMARY_FIELDS if name in told}


def brief(payload: Mapping[str, Any]) -> dict[str, Any]:
    """
    All fields of an event, but in its summary and its outcome nothing that is for FULL alone: what a
    run was given and stored, and the words with which a program failed.
    """
    told = dict(payload)
    if "error" in payload and "summary" in payload:
        told["summary"] = f"{payload.get('step', 'it')}: failed"
    if isinstance(outcome := payload.get("outcome"), Mapping):
        told["outcome"] = {name: outcome[name] for name in OUTCOME_FIELDS if name in outcome}
        details = outcome.get("details")
        if step := details.get("step") if isinstance(details, Mapping) else None:
            told["outcome"]["reason"] = f"the step {step!r} failed"
            if payload.get("summary") == outcome.get("reason"):
                told["summary"] = told["outcome"]["reason"]
    return told


def read_visibility(settings: Mapping[str, Any]) -> Visibility:
    """
    From a table of settings: `default`, `by_role` and `by_tool`, `personal`; what is absent keeps its default.
    """
    if unknown := set(settings) - {"default", "by_role", "by_tool", "personal"}:
        raise SettingsError(
            f"visibility: there is no setting {min(unknown)!r}",
            hint="use default, by_role, by_tool or personal",
        )
    roles = tuple(role.value for role in Role)
    by_role = _table(settings, "by_role", roles)
    by_tool = _table(settings, "by_tool", TOOL_KINDS)
    granted = settings.get("personal", [])
    if not isinstance(granted, list | tuple):
        raise SettingsError(
            "visibility.personal is not a list", hint=f"list some of {_names(roles)}"
        )
    kinds: dict[str, ToolKind] = {kind: kind for kind in get_args(ToolKind)}
    return Visibility(
        default=_level("visibility.default", settings.get("default", Level.SUMMARY.name)),
        by_role={**_BY_ROLE, **{Role(role): level for role, level in by_role.items()}},
        by_tool={**_BY_TOOL, **{kinds[kind]: level for kind, level in by_tool.items()}},
        personal=frozenset(Role(_one_of("visibility.personal", role, roles)) for role in granted),
    )


def _table(settings: Mapping[str, Any], name: str, allowed: Collection[str]) -> dict[str, Level]:
    table = settings.get(name, {})
    if not isinstance(table, Mapping):
        raise SettingsError(
            f"visibility.{name} is not a table", hint=f"give a level to some of {_names(allowed)}"
        )
    return {
        _one_of(f"visibility.{name}", key, allowed): _level(f"visibility.{name}.{key}", value)
        for key, value in table.items()
    }


def _level(where: str, value: object) -> Level:
    return Level[_one_of(where, value, [level.name for level in Level])]


def _one_of(where: str, value: object, allowed: Collection[str]) -> str:
    """Names may be written in any case."""
    name = value.upper() if isinstance(value, str) else ""
    if name not in allowed:
        raise SettingsError(f"{where}: {value!r} is not allowed", hint=f"use {_names(allowed)}")
    return name


def _names(allowed: Collection[str]) -> str:
    *first, last = allowed
    return f"{', '.join(first)} or {last}"
