"""
Arguments by which a granted program would run another one.

`tar -I`, `sort --compress-program`, `find -exec`: a rule that grants the program does not grant
these. Only an exact rule does, which is asked before anything here.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from prowess.permit.rule import Policy
from prowess.permit.shell.awk import check_awk
from prowess.permit.shell.free import sets_variable
from prowess.permit.shell.git import check_git, plainly
from prowess.permit.shell.sed import check_sed
from prowess.permit.shell.simple import Simple
from prowess.permit.shell.targets import check_targets
from prowess.permit.shell.words import RefusedError, Word
from prowess.permit.shell.wrappers import fill

_SSH_OPTION = re.compile(
    r"[\s\"=]*(?:proxycommand|localcommand|permitlocalcommand|knownhostscommand|pkcs11provider"
    r"|securitykeyprovider|xauthlocation|include|match)\b",
    re.IGNORECASE,
)
# Letters with a value: what follows one in a cluster is no option.
_SSH_VALUED = {
    "ssh": "BbcDEeFIiJLlmOoPpQRSWw",
    "scp": "cDFiJloPSX",
    "sftp": "BbcDFiJloPRSsX",
}
_FIND_WRITES = re.compile(r"-(?:execdir|ok|okdir|delete|fprint0?|fprintf|fls)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dangerous:
    """
    Options that run or write: one-letter ones, and long ones with every way to shorten them.

    `valued` are the other letters with a value, behind which a cluster ends. `whole` are long
    options that are harmless although a dangerous one begins like them.
    """

    short: str = ""
    long: tuple[str, ...] = ()
    valued: str = ""
    whole: tuple[str, ...] = ()


PROGRAMS: Mapping[str, Dangerous] = {
    "tar": Dangerous(
        short="IF",
        long=(
            "to-command", "checkpoint-action", "use-compress-program", "info-script",
            "new-volume-script", "rsh-command", "rmt-command",
        ),
        valued="bCfgHKLNTVX",
        whole=("checkpoint",),
    ),
    "rsync": Dangerous(short="e", long=("rsh", "rsync-path"), valued="fBTM"),
    "sort": Dangerous(short="o", long=("output", "compress-program"), valued="ktST"),
    "rg": Dangerous(long=("pre", "hostname-bin")),
    "fd": Dangerous(short="xX", long=("exec", "exec-batch"), valued="etdEcjSo"),
    "man": Dangerous(
        short="PHC", long=("pager", "html", "config-file", "browser"), valued="RLmMSserpET"
    ),
    "curl": Dangerous(short="K", long=("config",), valued="AbcCdDeEFhHmoPQrtTuUwxXyYz"),
    "zip": Dangerous(long=("unzip-command",)),
    "split": Dangerous(long=("filter",)),
}  # fmt: skip
_ALIASES = {"gtar": "tar", "bsdtar": "tar", "fdfind": "fd", "gsort": "sort", "gsed": "sed"}


def inner_commands(words: Sequence[Word]) -> list[tuple[Word, ...]]:
    """The commands of `find -exec`, each of which must be granted on its own."""
    found: list[tuple[Word, ...]] = []
    if words[0].program not in ("find", "gfind"):
        return found
    at = 1
    while at < len(words):
        if words[at].text != "-exec":
            at += 1
            continue
        end = next(
            (n for n in range(at + 1, len(words)) if words[n].text == ";" or _ends(words, n)),
            None,
        )
        if end is None or end == at + 1:
            raise RefusedError("`find -exec` has no end; close it with \\; or {} +")
        found.append(tuple(fill(word, "{}", crafted=False) for word in words[at + 1 : end]))
        at = end + 1
    return found


def _ends(words: Sequence[Word], at: int) -> bool:
    return words[at].text == "+" and words[at - 1].text == "{}"


def check_arguments(words: Sequence[Word], simple: Simple, policy: Policy) -> None:
    """Raise when the arguments would run a program that no rule has granted."""
    name = _ALIASES.get(words[0].program, words[0].program)
    if name in PROGRAMS or name in _CHECKS:
        _check_crafted(name, words)
    check_targets(name, words, simple)
    if name in PROGRAMS:
        _check_options(name, words[1:], PROGRAMS[name])
    if name == "git":
        check_git(words, simple.cwds, policy)
    elif check := _CHECKS.get(name):
        check(words)


def _check_crafted(name: str, words: Sequence[Word]) -> None:
    for at, word in enumerate(words):
        if word.crafted and not _is_no_option(name, words, at):
            raise RefusedError(
                f"a word for `{name}` is made up while the command runs, and may be an option; "
                "write it out, or put -- before it where paths stand"
            )


def _is_no_option(name: str, words: Sequence[Word], at: int) -> bool:
    """Can the word at this place be nothing but a value?"""
    before = words[at - 1].text
    if name == "printf":
        return at > 1  # the format before it is written out
    if name in ("test", "["):
        after = words[at + 1].text if at + 1 < len(words) else ""
        return before in ("-n", "-z") or bool(_COMPARED & {before, after})
    if name != "git":
        return False
    subcommand = plainly(words)[1]
    if words[at].single and subcommand in _WITH_MESSAGE and _MESSAGE.fullmatch(before):
        return True
    return subcommand in _WITH_PATHS and _behind_dashes(words[:at])


def _behind_dashes(words: Sequence[Word]) -> bool:
    """Is there a `--` that ends the options, and is not the value of one?"""
    end = next((n for n, word in enumerate(words) if word.text == "--"), 0)
    before = words[end - 1].text
    return end > 0 and bool(not before.startswith("-") or _ALONE.fullmatch(before))


_COMPARED = frozenset("= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef".split())
_MESSAGE = re.compile(r"-[a-zA-Z]*m|--message|--author|--date|--trailer")
# None of these has an option that runs or writes.
_WITH_MESSAGE = frozenset(("commit", "notes", "stash", "tag"))
# Behind `--` these take paths of commits, and write no other files.
_WITH_PATHS = frozenset(
    "add blame checkout commit diff grep log ls-files reset restore rm shortlog show status".split()
)
# Options of git without a value of their own, or with it in the same word.
_ALONE = re.compile(
    r"-\d+|-[pqu]|--[\w-]+=.*|--(?:all|cached|follow|name-only|name-status|numstat|oneline|patch|quiet"
    r"|shortstat|staged|stat|summary)",
    re.DOTALL,
)


def _check_options(name: str, words: Sequence[Word], dangerous: Dangerous) -> None:
    for at, word in enumerate(words):
        given = word.text
        if given.startswith("--"):
            found = _long(given[2:].partition("=")[0], dangerous)
        elif name == "tar" and at == 0 and not given.startswith("-"):
            found = next((letter for letter in given if letter in dangerous.short), None)
        elif given.startswith("-"):
            found = _short(given[1:], dangerous)
            if name == "zip" and "TT" in given:
                found = "TT"
        else:
            continue
        if found:
            raise _runs(name, given)


def _long(given: str, dangerous: Dangerous) -> str | None:
    if given in dangerous.whole or not given:
        return None
    return next((name for name in dangerous.long if name.startswith(given)), None)


def _short(letters: str, dangerous: Dangerous) -> str | None:
    for letter in letters:
        if letter in dangerous.short:
            return letter
        if letter in dangerous.valued:
            return None
    return None


def _runs(name: str, given: str) -> RefusedError:
    return RefusedError(
        f"`{name} {given}` would run or write something else; leave it out, or ask for an exact rule"
    )


def _check_find(words: Sequence[Word]) -> None:
    for word in words[1:]:
        if _FIND_WRITES.fullmatch(word.text):
            raise _runs("find", word.text)


def _check_ssh(words: Sequence[Word]) -> None:
    """Options end at the host and the first word of the remote command."""
    name, operands, at = words[0].program, 0, 1
    while at < len(words) and (operands < 2 or name != "ssh"):  # noqa: PLR2004
        text = words[at].text
        at += 1
        if not text.startswith("-") or text == "-":
            operands += 1
            continue
        for place, letter in enumerate(text[1:], 1):
            if letter == "F" or letter in {"ssh": "IE"}.get(name, "SD"):
                raise _runs(name, text)
            if letter not in _SSH_VALUED[name]:
                continue
            value = text[place + 1 :]
            if not value and at < len(words):
                value, at = words[at].text, at + 1
            if letter == "o" and (_SSH_OPTION.match(value) or "\0" in value):
                raise _runs(name, f"-o {value}")
            break


def _check_test(words: Sequence[Word]) -> None:
    if any(
        word.text in ("-v", "-R") or (not word.literal and not word.single) for word in words[1:]
    ):
        raise RefusedError("`test -v` evaluates its operand; use another test")


def _check_printf(words: Sequence[Word]) -> None:
    said = words[2:3] if len(words) > 1 and words[1].text == "--" else words[1:2]
    for word in said:
        if not word.literal:
            raise RefusedError("the format of `printf` must be written out, such as '%s\\n'")
        if word.text.startswith("-v") or sets_variable(word):
            raise RefusedError("`printf -v` and `%n` set a variable; print the text instead")


_CHECKS: Mapping[str, Callable[[Sequence[Word]], None]] = {
    "find": _check_find,
    "gfind": _check_find,
    "ssh": _check_ssh,
    "scp": _check_ssh,
    "sftp": _check_ssh,
    "sed": check_sed,
    "awk": check_awk,
    "gawk": check_awk,
    "mawk": check_awk,
    "nawk": check_awk,
    "test": _check_test,
    "[": _check_test,
    "printf": _check_printf,
    "git": lambda _: None,
}
