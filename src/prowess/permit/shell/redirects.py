"""
Files that a command line opens itself.

A descriptor copied and `/dev/null` are free. Anything else is a path that must be written out and
lie in the workspace; to write it needs a rule of `Write` or `Edit`, as the tools of that name do.
"""

from collections.abc import Sequence

from prowess.permit.paths import covers, protected
from prowess.permit.rule import READERS, WRITERS, Policy, Rule, forbidding
from prowess.permit.shell.simple import COPIED, Redirect, Simple
from prowess.permit.shell.words import ForbiddenError, RefusedError, Word

_OUTPUT = frozenset((">", ">>", ">|", "&>", "&>>", ">&", "<>"))


def check_redirects(simple: Simple, policy: Policy) -> None:
    for redirect in simple.redirects:
        _check(redirect, simple, policy)


def check_forbidden(simple: Simple, policy: Policy) -> None:
    """Raise for a file that disallowed-tools keeps from the tools that would open it."""
    for redirect in simple.redirects:
        if redirect.operator in (">&", "<&") and COPIED.fullmatch(redirect.target.text):
            continue
        if redirect.operator in ("<", "<>"):
            _check_named(redirect.target, simple.cwds, READERS, policy)
        if redirect.operator in _OUTPUT:
            _check_named(redirect.target, simple.cwds, WRITERS, policy)


def _check_named(
    target: Word, cwds: frozenset[str | None], tools: Sequence[str], policy: Policy
) -> None:
    if target.text == "/dev/null":
        return
    paths = policy.world.all_in_workspace(target.text, cwds) or []
    found = [rule for rule in policy.forbidden.of("Read", *WRITERS) if rule.whole]
    rules = [rule for rule in found if rule.tool in tools]
    rules += [rule for path in paths if (rule := forbidding(path, tools, policy))]
    if rules:
        raise ForbiddenError(f"disallowed-tools ({rules[0]}) forbids `{target.text}`")


def _check(redirect: Redirect, simple: Simple, policy: Policy) -> None:
    operator, target = redirect.operator, redirect.target
    if operator in (">&", "<&") and COPIED.fullmatch(target.text):
        return
    if operator != "<" and operator not in _OUTPUT:
        raise RefusedError(f"the redirection `{operator}` cannot be granted; use > or <")
    if operator != "<":
        check_write(target, simple.cwds, policy)
    elif not target.literal:
        raise RefusedError(f"the file after `{operator}` must be written out")
    elif target.text != "/dev/null":
        _inside(target, simple.cwds, policy)


def check_write(target: Word, cwds: frozenset[str | None], policy: Policy) -> None:
    """Raise unless a rule lets this file be written, wherever the command may be running."""
    if not target.literal:
        raise RefusedError("the file to write must be written out")
    if target.text == "/dev/null":
        return
    _check_named(target, cwds, WRITERS, policy)
    for path in _inside(target, cwds, policy):
        _check_path(path, policy)


def _inside(target: Word, cwds: frozenset[str | None], policy: Policy) -> list[str]:
    paths = policy.world.all_in_workspace(target.text, cwds)
    if paths is None:
        raise RefusedError(f"`{target.text}` leads out of the workspace; stay inside it")
    return paths


def _check_path(path: str, policy: Policy) -> None:
    if path == "." or protected(path):
        raise RefusedError(f"`{path}` may not be written by a command; use another file")

    def fits(rule: Rule) -> bool:
        return rule.specifier is None or covers(rule.specifier, path, policy.world)

    if not any(fits(rule) for rule in policy.granted.of(*WRITERS)):
        raise RefusedError(f"no Write or Edit rule grants to write `{path}`; leave it out")
