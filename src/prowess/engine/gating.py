"""Which calls of a run may be made: the skill's own rules, the call's, the platform's default."""

import os
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
    skill, settings = opened.skill, world.settings
    agent = (opened.execution.agent or "").casefold() if opened.execution.fork else ""
    disallowed = (
        *skill.disallowed_tools,
        *request.disallow,
        *opened.platform.never,
        *(_WRITING if agent in LOOKING else ()),
    )
    # Checked when it was read; an agent that only looks gets no more than looking.
    default = cast("Default", "read-only" if agent in LOOKING else opened.platform.permissions)
    gate = make_gate(
        allowed=None if skill.allowed_tools is None else parse_rules(skill.fields["allowed_tools"]),
        disallowed=parse_rules(list(disallowed)),
        default=default,
        extra=parse_rules(list(request.allow)),
        workspace=request.workspace,
        skill_dir=skill.path,
        readable=(os.path.join(settings.run_folder(run), OUTPUTS),),
    )
    if opened.platform.isolated:
        return gate

    def without_sandbox(call: Call) -> Verdict:
        verdict = gate(call)
        if call.tool != "Bash" or not verdict.allowed:
            return verdict
        reason = (
            "no sandbox runs on this machine, so commands need a person's word; use the other tools"
        )
        return Verdict(allowed=False, reason=reason, askable=True)

    return without_sandbox
