"""
Ways to make git run another program, or work on another place.

git is a launcher at heart: settings, hooks, transports and some subcommands all start programs. A
rule for git, or for one of its subcommands, grants none of these.
"""

import posixpath
import re
from collections.abc import Sequence

from prowess.permit.paths import World
from prowess.permit.shell.words import RefusedError, Word

_SAFE_KEYS = re.compile(
    r"user\.(?:name|email)|color\..+|advice\..+|log\..+|status\..+|init\.defaultbranch"
    r"|core\.(?:quotepath|autocrlf|eol|abbrev)|(?:commit|tag)\.gpgsign|pull\.rebase|push\.default"
)
_RUNNING_KEYS = re.compile(
    r"(?:alias|pager|filter|credential|gpg|include|includeif|url|protocol|mergetool|difftool"
    r"|browser|man|guitool|trailer|sendemail)(?:\..*)?"
    r"|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy|worktree"
    r"|attributesfile|alternaterefscommand|excludesfile)"
    r"|sequence\.editor|diff\.external|init\.templatedir|interactive\.difffilter|web\.browser"
    r"|uploadpack\.packobjectshook"
    r"|.*\.(?:command|textconv|driver|cmd|uploadpack|receivepack|vcs|update|program|helper|proxy)"
)
_FLAGS = frozenset(
    "-p -P -v -h --paginate --no-pager --bare --no-replace-objects --no-lazy-fetch"
    " --no-optional-locks --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs"
    " --icase-pathspecs --version --help --exec-path --html-path --man-path --info-path".split()
)
_RUNNERS = frozenset(
    "filter-branch difftool mergetool instaweb daemon send-email remote-ext remote-fd shell"
    " web--browse cvsserver for-each-repo gui citool http-backend difftool--helper".split()
)
_URL = re.compile(r"(?:^|=)(?:ext|fd)::")
_CONFIG_VALUED = frozenset(
    ("-f", "--file", "--blob", "-t", "--type", "--default", "--comment", "--value")
)
_CONFIG_LOOKS = frozenset("get list unset get-color get-colorbool remove-section".split())
_CONFIG_READS = frozenset(
    "--get --get-all --get-regexp --get-urlmatch --list -l"
    " --unset --unset-all --get-color --get-colorbool --remove-section".split()
)


def check_git(words: Sequence[Word], cwds: frozenset[str | None], world: World) -> None:
    at = _check_globals(words, cwds, world)
    if at == len(words):
        return
    if not words[at].literal:
        raise RefusedError("the subcommand of git must be written out")
    subcommand, operands = words[at].text, words[at + 1 :]
    if subcommand in _RUNNERS:
        raise _runs(subcommand)
    _check_everywhere(subcommand, operands)
    if subcommand in ("bisect", "submodule"):
        _check_action(subcommand, operands)
    elif subcommand == "config":
        _check_config(operands)


def _check_globals(words: Sequence[Word], cwds: frozenset[str | None], world: World) -> int:
    """Where the subcommand stands, once every option before it is known to be harmless."""
    at, folders = 1, cwds
    while at < len(words) and words[at].text.startswith("-"):
        name, equals, value = words[at].text.partition("=")
        if name in ("-c", "-C", "--git-dir", "--work-tree", "--namespace") and not equals:
            at += 1
            if at == len(words):
                raise RefusedError(f"`git {name}` needs a value")
            value = words[at].text
        if name == "-c":
            _check_setting(value)
        elif name in ("-C", "--git-dir", "--work-tree"):
            if not words[at].literal or world.all_in_workspace(value, folders) is None:
                raise RefusedError(f"`git {name}` must name a folder in the workspace")
            if name == "-C":
                folders = frozenset(posixpath.join(each or "", value) for each in folders)
        elif name not in ("--namespace", "--attr-source") and (name not in _FLAGS or equals):
            raise RefusedError(f"`git {words[at].text}` cannot be granted; leave it out")
        at += 1
    return at


def _check_setting(setting: str) -> None:
    key = setting.partition("=")[0]
    if not _SAFE_KEYS.fullmatch(key.lower()):
        raise RefusedError(f"`git -c {key}` may run a program; leave the setting out")


def _check_everywhere(subcommand: str, operands: Sequence[Word]) -> None:
    """Options that start a program on this side or the other."""
    short = {"rebase": "x", "grep": "O", "clone": "uc"}.get(subcommand, "")
    valued = {"rebase": "sXCS", "grep": "efABCm", "clone": "objbo"}.get(subcommand, "")
    long = ["upload-pack", "receive-pack", "exec"]
    long += {
        "grep": ["open-files-in-pager"],
        "clone": ["config", "template"],
        "init": ["template"],
    }.get(subcommand, [])
    for word in operands:
        text = word.text
        if _URL.search(text):
            raise RefusedError("ext:: and fd:: addresses run programs; use another address")
        name = text[2:].partition("=")[0] if text.startswith("--") else ""
        if name and any(each.startswith(name) for each in long):
            raise _runs(f"{subcommand} {text}")
        if text.startswith("-") and not text.startswith("--"):
            for letter in text[1:]:
                if letter in short:
                    raise _runs(f"{subcommand} {text}")
                if letter in valued:
                    break


def _check_action(subcommand: str, operands: Sequence[Word]) -> None:
    action = next((word for word in operands if not word.text.startswith("-")), None)
    if action and (not action.literal or action.text in ("run", "foreach")):
        raise _runs(f"{subcommand} {action.text}")


def _check_config(operands: Sequence[Word]) -> None:
    """Reading is fine; writing a setting that git will run is not."""
    texts, at = [word.text for word in operands], 0
    names: list[Word] = []
    while at < len(texts):
        if texts[at] in _CONFIG_VALUED:
            at += 2
            continue
        if not texts[at].startswith("-"):
            names.append(operands[at])
        at += 1
    if any(
        text in ("-e", "edit", "rename-section") or text.startswith(("--e", "--ren"))
        for text in texts
    ):
        raise _runs("config")
    if any(text in _CONFIG_READS for text in texts) or (names and names[0].text in _CONFIG_LOOKS):
        return
    if names and names[0].text == "set":
        names = names[1:]
    if not all(name.single for name in names):
        raise RefusedError("the words of `git config` must be written out")
    if len(names) > 1 and (not names[0].literal or _RUNNING_KEYS.fullmatch(names[0].text.lower())):
        raise RefusedError(f"`git config {names[0].text}` would set a program to run")


def _runs(what: str) -> RefusedError:
    return RefusedError(
        f"`git {what}` runs other programs; use another way, or ask for an exact rule"
    )
