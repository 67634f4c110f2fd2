"""
Other repositories that git is told to work with.

What is pushed to a repository on this machine runs its hooks, and any folder of the workspace may be
made into one. So a repository is an address on another machine, or the plain name of a remote. A
folder of that name would be taken for a repository; this is the one thing that the gate asks the
disk.
"""

import os
import re
from collections.abc import Iterator, Sequence

from prowess.permit.paths import World
from prowess.permit.shell.words import RefusedError, Word

_ELSEWHERE = re.compile(r"(?!file:)(?:[a-z][a-z0-9+.-]*://|[\w.@-]+:).+", re.IGNORECASE | re.DOTALL)
_REMOTE = re.compile(r"[\w][\w.-]*")
_URL_KEYS = re.compile(r"(?:remote|submodule)\..*\.(?:url|pushurl)")
_REMOTE_KEYS = re.compile(r"remote\.pushdefault|branch\..*\.(?:remote|pushremote)")
# Options whose value is the next word.
_VALUED = {
    "clone": (
        "bjo",
        ("branch", "origin", "depth", "jobs", "reference", "reference-if-able", "shallow-since",
         "shallow-exclude", "filter", "bundle-uri", "server-option", "revision", "ref-format"),
    ),
    "push": ("o", ("push-option", "repo", "receive-pack", "exec", "recurse-submodules")),
    "remote": ("tm", ("track", "master")),
    "submodule": ("b", ("branch", "name", "reference", "depth")),
}  # fmt: skip


def check_peers(
    subcommand: str, operands: Sequence[Word], cwds: frozenset[str | None], world: World
) -> None:
    """Raise when git would be told of a repository that may be a folder here."""
    if subcommand not in _VALUED:
        return
    named = list(_named(operands, *_VALUED[subcommand]))
    _check_single(operands, named)
    if subcommand == "push":
        repositories = [*_repo_options(operands), *named[:1]]
    elif subcommand == "clone":
        repositories = [word for word in named[:1] if word.text != "."]
    else:
        _check_action(subcommand, named)
        return
    for word in repositories:
        _check_repository(word, cwds, world)


def check_peer_key(key: str, value: Word, cwds: frozenset[str | None], world: World) -> None:
    """The same for a setting."""
    if _URL_KEYS.fullmatch(key.lower()):
        _check_address(value)
    elif _REMOTE_KEYS.fullmatch(key.lower()):
        _check_repository(value, cwds, world)


def _named(words: Sequence[Word], short: str, long: Sequence[str]) -> Iterator[Word]:
    """The words that are no option and no value of one, which may be shortened."""
    left = iter(words)
    for word in left:
        text = word.text
        if text == "--":
            yield from left
        elif not text.startswith("-"):
            yield word
        elif text.startswith("--"):
            if "=" not in text and any(name.startswith(text[2:]) for name in long):
                next(left, None)
        elif re.fullmatch(rf"-[^{short}]*[{short}]", text):
            next(left, None)


def _repo_options(operands: Sequence[Word]) -> Iterator[Word]:
    for at, word in enumerate(operands):
        name, equals, value = word.text.partition("=")
        if len(name) > len("--") and "--repo".startswith(name):
            yield from [Word(text=value)] if equals else operands[at + 1 : at + 2]


def _check_single(operands: Sequence[Word], named: Sequence[Word]) -> None:
    """A word that may be none or several would shift those behind it."""
    for word in operands:
        if not word.single:
            raise _local(word)
        if named and word is named[0]:
            return


def _check_action(subcommand: str, named: Sequence[Word]) -> None:
    action, *others = named or [Word(text="")]
    if not action.literal:
        raise RefusedError(f"the words of `git {subcommand}` must be written out")
    if action.text == "set-url" or (subcommand, action.text) == ("remote", "add"):
        addresses = others[1:]
    else:
        addresses = others[:1] if action.text == "add" else []
    for word in addresses:
        _check_address(word)


def _check_address(word: Word) -> None:
    if not (word.single and _ELSEWHERE.fullmatch(word.text)):
        raise _local(word)


def _check_repository(word: Word, cwds: frozenset[str | None], world: World) -> None:
    if word.single and _ELSEWHERE.fullmatch(word.text):
        return
    if not _REMOTE.fullmatch(word.text) or _is_folder(word.text, cwds, world):
        raise _local(word)


def _is_folder(name: str, cwds: frozenset[str | None], world: World) -> bool:
    places = [os.path.join(world.workspace, cwd or "", name) for cwd in cwds]
    return any(os.path.isdir(place) or os.path.isdir(f"{place}.git") for place in places)


def _local(word: Word) -> RefusedError:
    shown = word.text.replace("\0", "…")
    return RefusedError(
        f"`{shown}` may be a folder on this machine, whose hooks git would run; write the name of a "
        "remote, or an address such as https://host/path"
    )
