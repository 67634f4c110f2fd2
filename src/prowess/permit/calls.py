"""
May this call be made? Commands go to `shell`, paths and addresses are judged here.

Order matters: what is forbidden is refused first, then what no rule grants, and a call that does
not say what it would touch is refused whatever is granted.
"""

import posixpath
import re
from collections.abc import Callable, Mapping

from prowess.core.chat import Call
from prowess.core.verdict import Verdict
from prowess.permit.paths import (
    World,
    covers,
    covers_search,
    covers_tree,
    grants_url,
    host_of,
    meets,
    names,
    protected,
)
from prowess.permit.rule import (
    READERS,
    WRITERS,
    Policy,
    Rule,
    forbidding,
    grants_remote,
    wild,
)
from prowess.permit.shell.judge import judge_command

ALWAYS = frozenset(("Ask", "Fetch"))  # a question harms nobody, and a skill's files are its own
_SEARCHERS = frozenset(("Glob", "Grep"))
_CLIMBS = re.compile(r"(?:^|[/{,|(])(?:\.\.(?:$|[/},|)])|~)|[{,|(]/")
_SHOWN = 8


def judge_call(call: Call, policy: Policy) -> Verdict:
    if forbidding := _forbidden(call.tool, policy):
        return forbidding
    if call.tool == "Bash":
        return judge_command(call.input.get("command"), policy, call.values)
    if call.tool in ALWAYS:
        return Verdict(allowed=True, reason=f"{call.tool} needs no rule")
    judge = _JUDGES.get(call.tool, _plain)
    return judge(call, policy)


def _forbidden(tool: str, policy: Policy) -> Verdict | None:
    """Here a `*` in a tool's name counts: a rule that forbids too much does no harm."""
    if policy.forbidden.problem:
        return _no(f"disallowed-tools cannot be read: {policy.forbidden.problem}")
    for rule in policy.forbidden.rules:
        if rule.whole and (wild(rule.tool, tool) or grants_remote(rule, tool)):
            return _no(f"{tool} is forbidden by disallowed-tools ({rule}); do without it")
    return None


def _no(reason: str, *, askable: bool = False) -> Verdict:
    return Verdict(allowed=False, reason=reason, askable=askable)


def _yes(rule: Rule) -> Verdict:
    return Verdict(allowed=True, reason=f"granted by {rule}")


def _not_granted(what: str, policy: Policy) -> Verdict:
    if policy.granted.problem:
        return _no(
            f"{what} is not granted: allowed-tools cannot be read, {policy.granted.problem}",
            askable=policy.askable,
        )
    rules = [str(rule) for rule in policy.granted.rules]
    shown = ", ".join(rules[:_SHOWN]) + (", …" if len(rules) > _SHOWN else "")
    return _no(
        f"{what} is not granted; granted: {shown or 'nothing'}",
        askable=policy.askable,
    )


def _decided(what: str, policy: Policy, tool: str, fits: Callable[[Rule], bool]) -> Verdict:
    """By the rules of one tool: forbidden ones first."""
    for rule in policy.forbidden.of(tool):
        if not rule.whole and fits(rule):
            return _no(f"{what} is forbidden by disallowed-tools ({rule}); do without it")
    for rule in policy.granted.of(tool):
        if fits(rule):
            return _yes(rule)
    return _not_granted(what, policy)


def _text(given: Mapping[str, object], *keys: str) -> str | None:
    """The first of the fields that is there, if it is a text that says something."""
    value = next((given[key] for key in keys if key in given), None)
    return value if isinstance(value, str) and value.strip() and "\0" not in value else None


def _plain(call: Call, policy: Policy) -> Verdict:
    """Tools without anything to match: their name decides."""

    def fits(rule: Rule) -> bool:
        return rule.specifier is None

    if call.tool.startswith("mcp__"):
        granting = next((r for r in policy.granted.rules if grants_remote(r, call.tool)), None)
        return _yes(granting) if granting else _not_granted(call.tool, policy)
    return _decided(call.tool, policy, call.tool, fits)


def _file(call: Call, policy: Policy) -> Verdict:
    path = _text(call.input, "file_path", "path")
    if path is None:
        return _no(f"{call.tool} needs `file_path`, the path of a file")
    world, here = policy.world, policy.world.in_workspace(path)
    if here is None and (call.tool in WRITERS or not world.may_read(path)):
        return _no(f"{path} is outside the workspace; use a path inside it")
    guarded = protected(here) if here and call.tool in WRITERS else None

    def fits(rule: Rule) -> bool:
        if rule.specifier is None:
            return not guarded
        if here is None or (guarded and not names(rule.specifier, guarded)):
            return False
        return covers(rule.specifier, here, world)

    what = f"{call.tool} of {path}" + (
        f" (other programs run what is in {guarded})" if guarded else ""
    )
    family = WRITERS if call.tool in WRITERS else READERS
    if here and (rule := forbidding(here, family, policy)):
        return _no(f"{what} is forbidden by disallowed-tools ({rule}); do without it")
    return _decided(what, policy, call.tool, fits)


def _search(call: Call, policy: Policy) -> Verdict:
    pattern = _text(call.input, "pattern")
    folder = _text({"path": ".", **call.input}, "path")
    if pattern is None or folder is None:
        return _no(f"{call.tool} needs `pattern`, and `path` must be a path if it is given")
    world = policy.world
    finds = posixpath.join(folder, pattern) if call.tool == "Glob" else folder
    if call.tool == "Glob" and _CLIMBS.search(pattern):
        return _no(f"{pattern} leads out of its folder; search inside the workspace")
    if not (world.may_read(folder) and world.may_read(finds)):
        return _no(f"{finds} is outside the workspace; search inside it")
    here, found = world.in_workspace(folder), world.in_workspace(finds)

    def fits(rule: Rule) -> bool:
        if rule.specifier is None:
            return True
        if here is None or found is None:
            return False
        if call.tool == "Glob":
            return covers_search(rule.specifier, found, world)
        return covers_tree(rule.specifier, here, world) or _covers_file(rule.specifier, here, world)

    if here and found and (rule := _forbidden_below(call.tool, here, found, policy)):
        return _no(
            f"{call.tool} in {finds} may find what disallowed-tools forbids ({rule}); "
            "search a folder without it"
        )
    return _decided(f"{call.tool} in {finds}", policy, call.tool, fits)


def _forbidden_below(tool: str, folder: str, found: str, policy: Policy) -> Rule | None:
    """The rule that forbids some of what a search may come across."""
    if rule := forbidding(folder, READERS, policy):
        return rule
    below = "**" if folder == "." else f"{folder}/**"
    for rule in policy.forbidden.of(*READERS):
        if rule.specifier is None:
            continue
        if tool == "Grep":
            hit = meets(rule.specifier, below, policy.world)
        elif rule.tool == "Glob":
            hit = meets(rule.specifier, found, policy.world)
        else:  # to name a file among others is not to read it
            hit = covers_search(rule.specifier, found, policy.world)
        if hit:
            return rule
    return None


def _covers_file(specifier: str, path: str, world: World) -> bool:
    """`path` may be a folder, unless the rule names it or it looks like a file."""
    is_file = specifier == path or bool(posixpath.splitext(path)[1])
    return is_file and covers(specifier, path, world)


def _address(call: Call, policy: Policy) -> Verdict:
    url = _text(call.input, "url")
    if url is None or host_of(url) is None:
        return _no(f"{call.tool} needs `url`, an http or https address")

    def fits(rule: Rule) -> bool:
        return rule.specifier is None or grants_url(rule.specifier, url)

    return _decided(f"{call.tool} of {url}", policy, call.tool, fits)


def _skill(call: Call, policy: Policy) -> Verdict:
    name = _text(call.input, "name", "skill")
    if name is None:
        return _no("Skill needs `name`, the name of a skill")

    def fits(rule: Rule) -> bool:
        return rule.specifier is None or rule.specifier == name

    return _decided(f"the skill {name}", policy, "Skill", fits)


_JUDGES: Mapping[str, Callable[[Call, Policy], Verdict]] = {
    **dict.fromkeys(("Read", *WRITERS), _file),
    **dict.fromkeys(_SEARCHERS, _search),
    "WebFetch": _address,
    "Skill": _skill,
}
