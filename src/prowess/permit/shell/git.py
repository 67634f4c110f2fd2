"""
Ways to make git run another program, or work on another place.

git is a launcher at heart: settings, hooks, transports and some subcommands all start programs. A
rule for git, or for one of its subcommands, grants none of these. What is not a subcommand that we
know may be an alias, and what is not the workspace's own repository has settings of its own.
"""

import re
from collections.abc import Sequence
from itertools import islice

from prowess.permit.paths import World, protected
from prowess.permit.rule import HOLE, Policy
from prowess.permit.shell.peers import check_peer_key, check_peers
from prowess.permit.shell.redirects import check_write
from prowess.permit.shell.words import RefusedError, Word

_SAFE_KEYS = re.compile(
    r"user\.(?:name|email)|color\..+|advice\..+|log\..+|status\..+|init\.defaultbranch"
    r"|core\.(?:quotepath|autocrlf|eol|abbrev)|(?:commit|tag)\.gpgsign|pull\.rebase|push\.default"
)
_RUNNING_KEYS = re.compile(
    r"(?:alias|pager|filter|credential|gpg|include|includeif|url|protocol|mergetool|difftool"
    r"|browser|man|guitool|trailer|sendemail|lfs|hook)(?:\..*)?"
    r"|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy|worktree"
    r"|attributesfile|alternaterefscommand|excludesfile)"
    r"|sequence\.editor|diff\.external|init\.templatedir|interactive\.difffilter|web\.browser"
    r"|uploadpack\.packobjectshook|gc\.recentobjectshook"
    r"|.*\.(?:command|textconv|driver|cmd|uploadpack|receivepack|vcs|update|program|helper|proxy)"
)
_FLAGS = frozenset(
    "-p -P -v -h --paginate --no-pager --no-replace-objects --no-lazy-fetch"
    " --no-optional-locks --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs"
    " --icase-pathspecs --version --help --exec-path --html-path --man-path --info-path".split()
)
_VALUED = frozenset("-c -C --git-dir --work-tree --namespace --attr-source".split())
# The subcommands that start no program of the caller's choice and write no file of its choice,
# but for the options looked at below.
_KNOWN = frozenset(
    "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore"
    " check-mailmap check-ref-format checkout cherry cherry-pick clean clone column commit"
    " commit-graph commit-tree config count-objects describe diff diff-files diff-index diff-tree"
    " fetch fmt-merge-msg for-each-ref format-patch fsck gc get-tar-commit-id grep hash-object help"
    " init interpret-trailers lfs log ls-files ls-remote ls-tree merge merge-base merge-file"
    " merge-tree mktag mktree mv name-rev notes pack-refs patch-id prune prune-packed pull push"
    " range-diff read-tree rebase reflog remote repack replace request-pull rerere reset restore"
    " rev-list rev-parse revert rm shortlog show show-branch show-index show-ref sparse-checkout"
    " stage stash status stripspace submodule switch symbolic-ref tag unpack-objects update-index"
    " update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged"
    " worktree write-tree".split()
)
_SAME_AS = {"send-pack": "push", "http-push": "push"}
# Options of any subcommand that run a program, here or on the other side.
_RUNNING = ("upload-pack", "receive-pack", "exec", "ext-diff", "textconv", "unsafe-paths")
_WRITING = ("output", "output-directory")
# A strategy of any other name is a program, `git-merge-NAME`, and a NAME with a slash in it is one
# of the workspace. The subcommands that take one, each with what finds it among short options.
_STRATEGIES = frozenset("octopus ort ours recursive resolve subtree".split())
_STRATEGY = {
    "cherry-pick": None,
    "merge": re.compile(r"-[^-smFXS]*s(.*)", re.DOTALL),
    "pull": re.compile(r"-[^-sXSjo]*s(.*)", re.DOTALL),
    "rebase": re.compile(r"-[^-sxXCS]*s(.*)", re.DOTALL),
    "revert": None,
}
# What these are told to write is any file of the workspace, not only those of a commit.
_PLACING = frozenset(("apply", "clone", "interpret-trailers", "mv", "worktree"))
# Up to the first letter with a value, `-o` may be any of several.
_OUTPUT_LETTER = {
    "archive": re.compile(r"-[^-o]*o(.*)", re.DOTALL),
    "format-patch": re.compile(r"-[^-ovUlSGOX]*o(.*)", re.DOTALL),
}
_ACTIONS = frozenset(("run", "view", "visualize", "foreach"))
_DASHED_REF = re.compile(r"\brefs/(?:[^/\s]+/)*-")
_URL = re.compile(r"(?:^|=)(?:ext|fd)::")
_CONFIG_FILE = re.compile(r"-[a-z]*f(.*)", re.DOTALL)
_CONFIG_VALUED = ("--file", "--blob", "--type", "--default", "--comment", "--value")
_CONFIG_LOOKS = frozenset("get list unset get-color get-colorbool remove-section".split())
_CONFIG_READS = frozenset(
    "--get --get-all --get-regexp --get-urlmatch --list -l"
    " --unset --unset-all --get-color --get-colorbool --remove-section".split()
)
_CONFIG_REMOVES = re.compile(r"--(?:unset|remove)")
_CONFIG_EDITS = re.compile(r"-[a-z]*e|--(?:e|ren)")


def check_git(words: Sequence[Word], cwds: frozenset[str | None], policy: Policy) -> None:
    if not _is_inside(".", cwds, policy.world):
        raise RefusedError("git is granted inside the workspace only; leave out the `cd`")
    at = _check_globals(words, cwds, policy.world)
    if at == len(words):
        return
    if not words[at].literal:
        raise RefusedError("the subcommand of git must be written out")
    subcommand, operands = words[at].text, words[at + 1 :]
    if subcommand not in _KNOWN:
        raise _runs(subcommand)
    _check_everywhere(subcommand, operands)
    _check_places(subcommand, operands, cwds, policy)
    check_peers(subcommand, operands, cwds, policy.world)
    if subcommand in ("bisect", "submodule"):
        _check_action(subcommand, operands)
    elif subcommand in _STRATEGY:
        _check_strategy(subcommand, operands)
    elif subcommand == "config":
        _check_config(operands, cwds, policy)


def plainly(words: Sequence[Word]) -> list[str]:
    """
    The words of a git command without what stands before its subcommand, so that `git -P push` is
    seen to be `git push`. A subcommand that may be an alias, or run another, is a HOLE.
    """
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in _VALUED else 1
    if at >= len(words):
        return [words[0].text]
    said = _SAME_AS.get(words[at].text, words[at].text)
    settled = said in _KNOWN and not any("alias." in word.text.lower() for word in words[1:at])
    return [words[0].text, said if settled else HOLE, *(word.text for word in words[at + 1 :])]


def _check_globals(words: Sequence[Word], cwds: frozenset[str | None], world: World) -> int:
    """Where the subcommand stands, once every option before it is known to be harmless."""
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        name, equals, value = words[at].text.partition("=")
        if name in _VALUED and not equals:
            at += 1
            if at == len(words):
                raise RefusedError(f"`git {name}` needs a value")
            value = words[at].text
        if name == "-c":
            _check_setting(value)
        elif name == "-C":
            if not words[at].literal or not _is_inside(value, cwds, world):
                raise RefusedError("`git -C` may name a folder of the workspace only")
        elif name in ("--git-dir", "--work-tree"):
            own = value.removesuffix("/").removesuffix(".git") if name == "--git-dir" else value
            if not words[at].literal or not _is_root(own or ".", cwds, world):
                raise RefusedError(
                    f"`git {name}` may name the workspace itself only: any other folder may be a "
                    "repository whose settings run programs"
                )
        elif name not in _VALUED and (name not in _FLAGS or equals):
            raise RefusedError(f"`git {words[at].text}` cannot be granted; leave it out")
        at += 1
    return at


def _is_inside(folder: str, cwds: frozenset[str | None], world: World) -> bool:
    """
    A folder of the workspace in which git finds the workspace's repository, or one that was there
    before: nothing named .git may be written, and commands run with `safe.bareRepository=explicit`,
    so that a folder which only looks like a repository is none.
    """
    found = world.all_in_workspace(folder, cwds)
    return (
        found is not None
        and ".." not in folder.split("/")
        and not any(protected(each) for each in found)
    )


def _is_root(folder: str, cwds: frozenset[str | None], world: World) -> bool:
    """`..` counts as elsewhere, because behind a link it is."""
    return ".." not in folder.split("/") and world.all_in_workspace(folder, cwds) == ["."]


def _check_setting(setting: str) -> None:
    key = setting.partition("=")[0]
    if not _SAFE_KEYS.fullmatch(key.lower()):
        raise RefusedError(f"`git -c {key}` may run a program; leave the setting out")


def _check_everywhere(subcommand: str, operands: Sequence[Word]) -> None:
    """Options that start a program on this side or the other."""
    short = {"rebase": "x", "grep": "O", "clone": "uc"}.get(subcommand, "")
    valued = {"rebase": "sXCS", "grep": "efABCm", "clone": "objbo"}.get(subcommand, "")
    long = [*_RUNNING]
    long += {
        "grep": ["open-files-in-pager"],
        "clone": ["config", "template", "separate-git-dir"],
        "init": ["template", "separate-git-dir"],
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


def _check_strategy(subcommand: str, operands: Sequence[Word]) -> None:
    short = _STRATEGY[subcommand]
    for at, word in enumerate(operands):
        name, _, value = word.text.partition("=")
        if len(name) > len("--") and "--strategy".startswith(name):
            said = value
        elif short and (found := short.fullmatch(word.text)):
            said = found[1]
        else:
            continue
        if not said and at + 1 < len(operands):
            said = operands[at + 1].text
        if said not in _STRATEGIES:
            raise _runs(f"{subcommand} {word.text}")


def _check_places(
    subcommand: str, operands: Sequence[Word], cwds: frozenset[str | None], policy: Policy
) -> None:
    """What git writes where it is told to needs a rule as `>` does; its own folder is left to it."""
    for at, word in enumerate(operands):
        name, equals, value = word.text.partition("=")
        _check_place(subcommand, word)
        following = operands[at + 1 : at + 2]
        if name.startswith("--") and any(each.startswith(name[2:] or "-") for each in _WRITING):
            target = [Word(text=value)] if equals else following
        elif found := _output_letter(subcommand, word.text):
            target = [Word(text=found[1])] if found[1] else following
        elif subcommand == "bundle" and word.text == "create":
            target = [each for each in operands[at + 1 :] if not each.text.startswith("-")][:1]
        elif subcommand == "merge-file" and at == 0:
            target = _merged_file(operands)
        else:
            continue
        for each in target:
            check_write(each, cwds, policy)


def _check_place(subcommand: str, word: Word) -> None:
    name, _, value = word.text.partition("=")
    if ".git" in (value or name).casefold().split("/"):
        raise RefusedError(f"`git {subcommand} {word.text}` reaches into .git; leave it out")
    if subcommand in _PLACING and word.chosen:
        raise RefusedError(f"the words of `git {subcommand}` must be written out")
    if _DASHED_REF.search(word.text):
        raise RefusedError("a branch or tag that begins with `-` would pass for an option")
    if subcommand in _PLACING and (guarded := protected(value or name)):
        raise RefusedError(
            f"`git {subcommand}` may not write to {guarded}, from which other programs run things"
        )


def _output_letter(subcommand: str, text: str) -> re.Match[str] | None:
    """`-o` with what follows it, also behind other letters."""
    letters = _OUTPUT_LETTER.get(subcommand)
    return letters.fullmatch(text) if letters else None


def _check_action(subcommand: str, operands: Sequence[Word]) -> None:
    action = next((word for word in operands if not word.text.startswith("-")), None)
    if action and (not action.literal or action.text in _ACTIONS):
        raise _runs(f"{subcommand} {action.text}")


def _merged_file(operands: Sequence[Word]) -> list[Word]:
    """The file that `git merge-file` writes, unless it prints."""
    files, words = [], iter(operands)
    for word in words:
        if re.fullmatch(r"-[a-zA-Z]*L|--m[a-z-]*", word.text):
            next(words, None)
        elif word.text in ("-p", "--stdout"):
            return []
        elif not word.text.startswith("-"):
            files.append(word)
    return files[:1]


def _check_config(operands: Sequence[Word], cwds: frozenset[str | None], policy: Policy) -> None:
    """Reading is fine; writing a setting that git will run is not, nor any file without a rule."""
    files, options, names = _config_words(operands)
    verb = names[0].text if names else ""
    if verb in ("edit", "rename-section") or any(map(_CONFIG_EDITS.match, options)):
        raise _runs("config")
    looks = verb in _CONFIG_LOOKS or any(option in _CONFIG_READS for option in options)
    if (
        verb.startswith(("unset", "remove"))
        or any(map(_CONFIG_REMOVES.match, options))
        or not looks
    ):
        for file in files:
            check_write(file, cwds, policy)
    if looks:
        return
    if names and names[0].text == "set":
        names = names[1:]
    if not all(name.single for name in names):
        raise RefusedError("the words of `git config` must be written out")
    if len(names) > 1 and (not names[0].literal or _RUNNING_KEYS.fullmatch(names[0].text.lower())):
        raise RefusedError(f"`git config {names[0].text}` would set a program to run")
    if len(names) > 1:
        check_peer_key(names[0].text, names[1], cwds, policy.world)


def _config_words(operands: Sequence[Word]) -> tuple[list[Word], list[str], list[Word]]:
    """The file that is meant, the options, and the other words; what is an option's value is neither."""
    files: list[Word] = []
    options: list[str] = []
    names: list[Word] = []
    words = iter(operands)
    for word in words:
        name, equals, value = word.text.partition("=")
        if cluster := _CONFIG_FILE.fullmatch(word.text):
            files += [Word(text=cluster[1])] if cluster[1] else islice(words, 1)
        elif len(name) > len("--") and any(each.startswith(name) for each in _CONFIG_VALUED):
            given = [Word(text=value)] if equals else list(islice(words, 1))
            files += given if "--file".startswith(name) else []
        elif word.text == "-t":
            next(words, None)
        elif word.text.startswith("-"):
            options.append(word.text)
        else:
            names.append(word)
    return files, options, names


def _runs(what: str) -> RefusedError:
    return RefusedError(
        f"`git {what}` runs other programs; use another way, or ask for an exact rule"
    )
