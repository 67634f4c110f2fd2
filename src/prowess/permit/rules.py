"""
From the text of `allowed-tools` to a gate.

A field that cannot be read grants nothing at all, and says why. What is not proven granted is
refused, with a reason the model can act on; what `disallowed-tools` names is refused in any case.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from prowess.core.chat import Call
from prowess.core.ports import Gate
from prowess.core.verdict import Verdict
from prowess.permit.calls import judge_call
from prowess.permit.paths import World
from prowess.permit.rule import Policy, Rule, Rules

Default = Literal["sandbox", "ask", "read-only"]

_NAME = re.compile(r"[A-Za-z*][\w*.-]*", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_BLANK = " \t\n,"
_LOOKING = "Read Glob Grep Skill"
_DEFAULTS: Mapping[Default, str] = {
    "sandbox": f"{_LOOKING} Write Edit Bash",
    "ask": _LOOKING,
    "read-only": _LOOKING,
}


def make_gate(
    *,
    allowed: Rules | None,
    disallowed: Rules = Rules(),
    default: Default = "sandbox",
    extra: Rules = Rules(),
    workspace: str,
    skill_dir: str | None = None,
    readable: Sequence[str] = (),
) -> Gate:
    """`allowed` is None for a skill that does not say: then `default` does. `extra` is granted besides."""
    policy = make_policy(
        allowed=allowed,
        disallowed=disallowed,
        default=default,
        extra=extra,
        workspace=workspace,
        skill_dir=skill_dir,
        readable=readable,
    )

    def gate(call: Call) -> Verdict:
        return judge_call(call, policy)

    return gate


def make_policy(
    *,
    allowed: Rules | None,
    disallowed: Rules = Rules(),
    default: Default = "sandbox",
    extra: Rules = Rules(),
    workspace: str,
    skill_dir: str | None = None,
    readable: Sequence[str] = (),
) -> Policy:
    granted = parse_rules(_DEFAULTS[default]) if allowed is None else allowed
    trees = (*([skill_dir] if skill_dir else []), *readable)
    return Policy(
        granted=granted.plus(extra),
        forbidden=disallowed,
        world=World(workspace=workspace, readable=trees),
        askable=allowed is not None or default != "read-only",
    )


def parse_rules(field: object) -> Rules:
    """Rules between blanks or commas, or a list of them; anything else grants nothing."""
    try:
        if isinstance(field, str):
            return Rules(rules=tuple(_parse(field)))
        if isinstance(field, list | tuple) and all(isinstance(each, str) for each in field):
            return Rules(rules=tuple(rule for each in field for rule in _parse(each)))
    except ValueError as error:
        return Rules(problem=str(error))
    return Rules(problem="it is neither text nor a list of rules")


def _parse(text: str) -> Iterator[Rule]:
    if _CONTROL.search(text):
        raise ValueError("it has control characters")
    at = 0
    while at < len(text):
        if text[at] in _BLANK:
            at += 1
            continue
        name = _NAME.match(text, at)
        if not name:
            raise ValueError(f"`{text[at : at + 20]}` does not begin a rule")
        at = name.end()
        specifier = None
        if text[at : at + 1] == "(":
            close = _closing(text, at)
            specifier, at = text[at + 1 : close].strip(), close + 1
        if at < len(text) and text[at] not in _BLANK:
            raise ValueError(f"`{text[at : at + 20]}` follows the rule {name[0]} without a blank")
        yield Rule(tool=name[0], specifier=specifier)


def _closing(text: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    raise ValueError(f"`{text[opening : opening + 20]}` is never closed")
