"""
May this command line run? Only if every command in it may.

The line is read into simple commands (`syntax.py`). Each must be granted on its own: by a rule
that matches it word by word, or because it is harmless. Wrappers are taken off first, and what is
inside must be granted too. A rule for a program does not grant the arguments by which that program
runs another.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from prowess.core.verdict import Verdict
from prowess.permit.rule import Policy, Rule, command_pattern
from prowess.permit.shell.arguments import check_arguments, inner_commands
from prowess.permit.shell.environment import NEVER, check_assignment
from prowess.permit.shell.free import is_free
from prowess.permit.shell.git import plainly
from prowess.permit.shell.reach import applies
from prowess.permit.shell.redirects import check_forbidden, check_redirects
from prowess.permit.shell.simple import Simple
from prowess.permit.shell.spoken import spoken
from prowess.permit.shell.syntax import read_script
from prowess.permit.shell.words import ForbiddenError, RefusedError, Word
from prowess.permit.shell.wrappers import unwrap

FREE = "nothing: it is harmless"
_SHOWN = 8
_MOST_INNER = 20
_MOST_SPOKEN = 2_000  # commands of a line and of the scripts in it that are looked at
_DEEPEST = 20
_TOO_MANY = "too many commands are wrapped in each other; run the inner one itself"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One simple command: what grants it, or why it is refused. `forbidden`: by disallowed-tools."""

    source: str
    granted_by: str = ""
    refused: str = ""
    forbidden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What was found in a line, command by command, and the verdict on the whole."""

    findings: tuple[Finding, ...]
    verdict: Verdict


def judge_command(
    command: object, policy: Policy, values: Mapping[str, str] | None = None
) -> Verdict:
    """The verdict on a line for bash, whose variables `values` hold an outsider's text."""
    return explain(command, policy, values).verdict


def explain(command: object, policy: Policy, values: Mapping[str, str] | None = None) -> Judgement:
    if not isinstance(command, str) or not command.strip() or "\0" in command:
        return Judgement(
            findings=(), verdict=_refused("Bash needs `command`, a text without NUL characters")
        )
    if (rule := _all(policy)) and not policy.forbidden.of("Bash"):
        return _whole(command, rule)
    try:
        commands = read_script(command, values)
    except RefusedError as error:
        certain = not policy.forbidden.of("Bash")
        return Judgement(
            findings=(), verdict=_refused(str(error), askable=policy.askable and certain)
        )
    return _judge(commands, policy)


def _whole(command: str, rule: Rule) -> Judgement:
    return Judgement(
        findings=(Finding(source=command, granted_by=str(rule)),),
        verdict=Verdict(allowed=True, reason=f"granted by {rule}"),
    )


def _all(policy: Policy) -> Rule | None:
    """The rule that grants every command line, if there is one."""
    return next((rule for rule in policy.granted.of("Bash") if rule.whole), None)


def _refused(reason: str, *, askable: bool = False) -> Verdict:
    return Verdict(allowed=False, reason=reason, askable=askable)


def _judge(commands: Sequence[Simple], policy: Policy) -> Judgement:
    findings = tuple(_found(each, policy) for each in commands)
    refused = [each for each in findings if each.refused]
    if not refused:
        rules = list(dict.fromkeys(each.granted_by for each in findings if each.granted_by != FREE))
        reason = f"granted by {', '.join(rules)}" if rules else "harmless, and needs no rule"
        return Judgement(findings=findings, verdict=Verdict(allowed=True, reason=reason))
    forbidden = any(each.forbidden for each in refused)
    first = next(each for each in refused if each.forbidden == forbidden)
    return Judgement(
        findings=findings,
        verdict=_refused(first.refused, askable=policy.askable and not forbidden),
    )


def _found(simple: Simple, policy: Policy) -> Finding:
    try:
        _check_forbidden(simple, policy)
        return Finding(source=simple.source, granted_by=_granted(simple, policy))
    except RefusedError as error:
        forbidden = isinstance(error, ForbiddenError)
        return Finding(source=simple.source, refused=str(error), forbidden=forbidden)


def _check_forbidden(simple: Simple, policy: Policy) -> None:
    check_forbidden(simple, policy)
    rules = policy.forbidden.of("Bash")
    if not rules or not simple.words:
        return
    for words in _visible(simple):
        forms = [[word.text for word in words]]
        if words[0].program == "git":
            forms.append(plainly(words))
        for rule in rules:
            pattern = command_pattern(rule.specifier or "")
            if any(pattern.may_match(texts) for texts in forms):
                raise ForbiddenError(
                    f"`{simple.source}` may be what disallowed-tools forbids ({rule}); do without it"
                )


def _visible(simple: Simple) -> Sequence[Sequence[Word]]:
    try:
        found = list(islice(_layers(simple.words, simple), _MOST_SPOKEN + 1))
    except RefusedError as error:  # it may run anything, also what is forbidden
        raise ForbiddenError(str(error)) from None
    if len(found) > _MOST_SPOKEN:
        raise ForbiddenError(_TOO_MANY)
    return found


def _layers(words: Sequence[Word], simple: Simple, deep: int = 0) -> Iterator[Sequence[Word]]:
    """The command, and every command that it would run in turn."""
    if deep > _DEEPEST:
        raise RefusedError(_TOO_MANY)
    yield words
    if wrapped := unwrap(words, fed=simple.fed):
        yield from _layers(wrapped.words, simple, deep + 1)
    for inner in inner_commands(words):
        yield from _layers(inner, simple, deep + 1)
    if script := spoken(words, reads=simple.fed or simple.piped).strip():
        for each in read_script(script):
            if each.words:
                yield from _layers(each.words, each, deep + 1)


def _granted(simple: Simple, policy: Policy) -> str:
    """What grants the command; raises when nothing does."""
    if rule := _all(policy):
        return str(rule)
    for name, value in simple.assignments:
        check_assignment(name, value)
    check_redirects(simple, policy)
    if simple.words:
        return _Grant(simple, policy).by(simple.words)
    if simple.assignments:
        raise RefusedError("a variable is set for all that follows; set it before one command only")
    return FREE


class _Grant:
    """Asks, for one simple command and what it wraps, which rule grants it."""

    def __init__(self, simple: Simple, policy: Policy) -> None:
        self.simple = simple
        self.policy = policy
        self.inner = 0  # commands looked at

    def by(self, words: Sequence[Word], *, supplied: bool = False) -> str:
        """`supplied`: another program adds words to these."""
        self._check_name(words[0])
        self.inner += 1
        if self.inner > _MOST_INNER:
            raise RefusedError(_TOO_MANY)
        if rule := self._rule(words, exact=True):
            return rule
        if wrapped := unwrap(words, fed=self.simple.fed):
            if wrapped.transparent:
                return self.by(wrapped.words, supplied=supplied or wrapped.supplied)
            wrapper = self._rule(words, named=True)
            if not wrapper:
                raise self._not_granted(words)
            inner = self.by(wrapped.words, supplied=supplied or wrapped.supplied)
            return f"{wrapper} and {inner}"
        for inner_words in inner_commands(words):
            self.by(inner_words, supplied=True)
        if rule := self._rule(words):
            check_arguments(words, self.simple, self.policy)
            return rule
        if is_free(words, self.simple, self.policy.world, supplied=supplied):
            return FREE
        raise self._not_granted(words)

    def _check_name(self, name: Word) -> None:
        if not name.literal or not name.text or name.coded or name.filled:
            raise RefusedError("the name of a command must be written out")
        if name.text in NEVER:
            raise RefusedError(
                f"`{name.text}` changes what later commands mean and is never granted; do without it"
            )
        if "=" in name.text:
            raise RefusedError(f"`{name.text}` is no name of a command; leave the assignment out")

    def _rule(
        self,
        words: Sequence[Word],
        *,
        exact: bool = False,
        named: bool = False,
        anywhere: bool = False,
    ) -> str:
        """
        `exact`: only a rule without `*` counts. `named`: only one that says the command's name.
        `anywhere`: as if it ran in the workspace itself.
        """
        texts = [word.text for word in words]
        for rule in self.policy.granted.of("Bash"):
            pattern = command_pattern(rule.specifier or "")
            if exact and not pattern.exact:
                continue
            if named and pattern.words[:1] != (texts[0],):
                continue
            if pattern.matches(texts) and applies(
                pattern, texts, at_root=anywhere or self._at_root
            ):
                return str(rule)
        return ""

    @property
    def _at_root(self) -> bool:
        return self.policy.world.all_in_workspace(".", self.simple.cwds) == ["."]

    def _not_granted(self, words: Sequence[Word]) -> RefusedError:
        shown = " ".join(word.text for word in words).replace("\0", "…")
        field = self.policy.granted
        if field.problem:
            return RefusedError(
                f"`{shown}` is not granted: allowed-tools cannot be read, {field.problem}"
            )
        rules = [str(rule) for rule in field.of("Bash")]
        listed = ", ".join(rules[:_SHOWN]) + (", …" if len(rules) > _SHOWN else "")
        if not self._at_root and self._rule(words, anywhere=True):
            return RefusedError(
                f"`{shown}` is granted in the workspace itself only; leave out the `cd`"
            )
        return RefusedError(
            f"`{shown}` is not granted; granted commands: {listed or 'only harmless ones such as echo'}"
        )
