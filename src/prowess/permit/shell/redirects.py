"""
Files that a command line opens itself.

A descriptor copied and `/dev/null` are free. Anything else is a path that must be written out and
lie in the workspace; to write it needs a rule of `Write` or `Edit`, as the tools of that name do.
"""

from prowess.permit.paths import covers, protected
from prowess.permit.rule import Policy, Rule
from prowess.permit.shell.simple import COPIED, Redirect, Simple
from prowess.permit.shell.words import ForbiddenError, RefusedError

_OUTPUT = frozenset((">", ">>", ">|", "&>", "&>>", ">&", "<>"))


def check_redirects(simple: Simple, policy: Policy) -> None:
    for redirect in simple.redirects:
        _check(redirect, simple, policy)


def _check(redirect: Redirect, simple: Simple, policy: Policy) -> None:
    operator, target = redirect.operator, redirect.target
    if operator in (">&", "<&") and COPIED.fullmatch(target.text):
        return
    if operator != "<" and operator not in _OUTPUT:
        raise RefusedError(f"the redirection `{operator}` cannot be granted; use > or <")
    if not target.literal:
        raise RefusedError(f"the file after `{operator}` must be written out")
    if target.text == "/dev/null":
        return
    paths = policy.world.all_in_workspace(target.text, simple.cwds)
    if paths is None:
        raise RefusedError(f"`{operator} {target.text}` leads out of the workspace; stay inside it")
    if operator != "<":
        for path in paths:
            _check_write(path, policy)


def _check_write(path: str, policy: Policy) -> None:
    if path == "." or protected(path):
        raise RefusedError(f"`{path}` may not be written by a redirection; use another file")

    def fits(rule: Rule) -> bool:
        return rule.specifier is None or covers(rule.specifier, path, policy.world)

    for rule in policy.forbidden.of("Write", "Edit"):
        if fits(rule):
            raise ForbiddenError(f"disallowed-tools ({rule}) forbids to write `{path}`")
    if not any(fits(rule) for rule in policy.granted.of("Write", "Edit")):
        raise RefusedError(f"no Write or Edit rule grants `> {path}`; leave the redirection out")
