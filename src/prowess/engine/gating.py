"""
Which calls of a run may be made: the skill's own rules, the call's, the platform's default.

Whatever runs below an agent that only looks only looks, whatever its own skill grants it.
"""

import os
from functools import partial
from typing import cast

from prowess.core.chat import Call
from prowess.core.ports import Gate
from prowess.core.verdict import Verdict
from prowess.engine.opening import Opened
from prowess.engine.request import RunRequest
from prowess.engine.world import World
from prowess.permit.rules import Default, make_gate, parse_rules
from prowess.tools.place import OUTPUTS

LOOKING = frozenset({"explore", "plan"})  # sub-agents that change nothing
_WRITING = ("Write", "Edit")


def gate_of(opened: Opened, request: RunRequest, world: World, *, run: str) -> Gate:
    """What no rule grants is refused; where no sandbox holds, commands need a person's word."""
    skill, looks = opened.skill, only_looks(opened, request)
    disallowed = (
        *skill.disallowed_tools,
        *request.disallow,
        *opened.platform.never,
        *(_WRITING if looks else ()),
    )
    gate_for = partial(
        make_gate,
        disallowed=parse_rules(list(disallowed)),
        # Checked when it was read; an agent that only looks gets no more than looking.
        default=cast("Default", "read-only" if looks else opened.platform.permissions),
        extra=parse_rules(list(request.allow)),
        workspace=request.workspace,
        skill_dir=skill.path,
        readable=(os.path.join(world.settings.run_folder(run), OUTPUTS),),
    )
    allowed = skill.allowed_tools
    gate = gate_for(allowed=None if allowed is None else parse_rules(skill.fields["allowed_tools"]))
    if request.looking:
        gate = _both(gate_for(allowed=None), gate)
    return gate if opened.platform.isolated else _asking_for_commands(gate)


def only_looks(opened: Opened, request: RunRequest) -> bool:
    """Whether the run may change nothing, by its own kind or by that of a run above it."""
    agent = (opened.execution.agent or "").casefold() if opened.execution.fork else ""
    return request.looking or agent in LOOKING


def _both(first: Gate, second: Gate) -> Gate:
    """What the first refuses, nobody is asked for by the second."""

    def gate(call: Call) -> Verdict:
        verdict = first(call)
        return second(call) if verdict.allowed else verdict

    return gate


def _asking_for_commands(gate: Gate) -> Gate:
    def without_sandbox(call: Call) -> Verdict:
        verdict = gate(call)
        if call.tool != "Bash" or not verdict.allowed:
            return verdict
        reason = (
            "no sandbox runs on this machine, so commands need a person's word; use the other tools"
        )
        return Verdict(allowed=False, reason=reason, askable=True)

    return without_sandbox
