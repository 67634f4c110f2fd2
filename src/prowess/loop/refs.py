"""
Branches, tags and stashes of a person, which no task is about and every agent can reach.

They are remembered before an attempt. What is gone after it is put back, and what was moved so that
commits would be lost is kept in a branch. What is new is left alone, as is what only moved forward. The
loop's own branches and the one that a task is worked on are not among them: those are looked after by
who works on them.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from prowess.core.errors import OutsideError
from prowess.loop.git import Repository
from prowess.loop.git_run import printable
from prowess.loop.place import BRANCHES

_HEADS, _TAGS, _STASH = "refs/heads/", "refs/tags/", "refs/stash"
_OWN = f"{_HEADS}{BRANCHES}/"
_LISTED = ("for-each-ref", "--format=%(objectname)%00%(refname)%00%(symref)", _HEADS, _TAGS)
_STASHED = ("log", "-g", "-s", "-z", "--no-show-signature", "--format=%H%x20%gs", _STASH, "--")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refs:
    """`tips` are branches and tags by their whole names; `stash` are its entries, the newest first."""

    tips: Mapping[str, str]
    stash: list[list[str]]

    def as_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()  # names that are no text are escaped


def refs_from_bytes(told: bytes) -> Refs:
    value: dict[str, Any] = json.loads(told)
    return Refs(**value)


async def look_at_refs(repository: Repository, *, but: str = "") -> Refs:
    """What there is of a person's, but for this branch. One that only stands for another holds nothing."""
    told = (await repository.git(*_LISTED)).split("\n")
    stash = (await repository.git(*_STASHED, fails=False)).split("\0")
    return Refs(
        tips={
            ref: tip
            for tip, ref, stands_for in (line.split("\0") for line in told if line)
            if ref != but and not stands_for and not ref.startswith(_OWN)
        },
        stash=[[*each.partition(" ")[::2]] for each in stash if each],
    )


async def put_refs_back(repository: Repository, before: Refs, run: str) -> list[str]:
    """Have nothing lost that was there before; what had to be done for it, in words."""
    now = await look_at_refs(repository)
    told = [
        await _mended(repository, run, ref, tip, now.tips.get(ref, ""))
        for ref, tip in before.tips.items()
        if now.tips.get(ref) != tip
    ]
    gone = Counter(each for each, _ in before.stash) - Counter(each for each, _ in now.stash)
    for tip, message in reversed(before.stash):  # the newest comes on top again
        if gone[tip]:
            gone[tip] -= 1
            told.append(await _stashed(repository, run, tip, message))
    return [each for each in told if each]


async def _mended(repository: Repository, run: str, ref: str, tip: str, there: str) -> str:
    """What was done about a ref that is not where it was; an empty text where nothing is lost."""
    kind, _, name = ref.removeprefix("refs/").partition("/")
    called = f"The {'branch' if kind == 'heads' else 'tag'} {printable(name)}"
    if not await _kind(repository, tip):
        return _lost(called, tip)
    if not there:
        # Only where nothing is by now: another agent's attempt may just have ended as well.
        await repository.git("update-ref", ref, tip, "0" * len(tip), fails=False)
        if await _at(repository, ref) == tip:
            return f"{called} was deleted, and is put back"
    elif kind == "heads" and await _is_in(repository, tip, there):
        return ""
    kept = await _keep(repository, run, name, tip)
    return f"{called} was {'moved' if there else 'deleted'}; what it held is in {printable(kept)}"


async def _stashed(repository: Repository, run: str, tip: str, message: str) -> str:
    called = f"The stash {printable(message)!r}"
    if not await _kind(repository, tip):
        return _lost(called, tip)
    try:
        await repository.git("stash", "store", "-q", "-m", message, tip)
    except OutsideError:  # something lies in the place of all stashes
        kept = await _keep(repository, run, "stash", tip)
        return f"{called} was dropped; what it held is in {kept}"
    return f"{called} was dropped, and is put back"


def _lost(called: str, tip: str) -> str:
    return (
        f"{called} was taken away or moved, and git has no longer what it held ({tip}): only a clone or a"
        " backup can bring it back"
    )


async def _keep(repository: Repository, run: str, name: str, tip: str) -> str:
    """The branch that holds it now; a tag where it is no commit, such as a tag with words of its own."""
    space = _HEADS if await _kind(repository, tip) == "commit" else _TAGS
    number, first = 1, f"{BRANCHES}/{run}/was-{name.replace('/', '-')}"
    kept = first
    while (there := await _at(repository, space + kept)) and there != tip:
        number += 1
        kept = f"{first}-{number}"
    if not there:
        await repository.git("update-ref", space + kept, tip)
    return kept


async def _kind(repository: Repository, tip: str) -> str:
    """What git has under this name; empty if it has it no longer."""
    return (await repository.git("cat-file", "-t", tip, fails=False)).strip()


async def _is_in(repository: Repository, tip: str, there: str) -> bool:
    return (await repository.git("merge-base", tip, there, fails=False)).strip() == tip


async def _at(repository: Repository, ref: str) -> str:
    return (await repository.git("rev-parse", "-q", "--verify", ref, fails=False)).strip()
