"""
Whether a check is guided by the two layers of skills, and if not, why not.

`safe-shell-search` says how to look, `task-spec-check` says what to write down. They are used only
when the setting is literally true and both can be read; everything else is the plain prompt, with
the reason on record.
"""

from collections.abc import Callable
from dataclasses import dataclass

from prowess.core.errors import ProwessError, UnknownSkillError

LAYERS = ("safe-shell-search", "task-spec-check")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layered:
    """`reason` is empty where it is on."""

    on: bool
    reason: str = ""


def layered(value: object, read: Callable[[str], str]) -> Layered:
    """`value` is the setting as it was written, None when it was not. `read` gives a skill's instructions."""
    if value is not True:
        kind = "missing" if value is None else "disabled" if value is False else "invalid"
        return Layered(on=False, reason=f"rollout_flag_{kind}")
    for name in LAYERS:
        try:
            text = read(name)
        except UnknownSkillError:
            return Layered(on=False, reason=f"missing_skill:{name}")
        except ProwessError:
            text = ""
        if not text.strip():
            return Layered(on=False, reason=f"unreadable_skill:{name}")
    return Layered(on=True)
