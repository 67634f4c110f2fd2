"""
Branches, tags, notes and stashes of a person, which no task is about and every agent can reach.

They are remembered before an attempt. What is gone after it is put back, and what was moved so that
commits would be lost is kept in a branch. What is new is left alone, as is what only moved forward; but
a branch stays one, and what has git show another content than there is, is taken away. The loop's own branches and the one that a task is worked on are not among them: those are looked after by
who works on them.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from prowess.core.errors import OutsideError
from prowess.loop.beforehand.place import BRANCHES
from prowess.loop.git.history import forget_broken
from prowess.loop.git.repository import Repository
from prowess.loop.git.running import printable

_HEADS, _TAGS, _STASH = "refs/heads/", "refs/tags/", "refs/stash"
_REMOTES, _NOTES, _REPLACED = "refs/remotes/", "refs/notes/", "refs/replace/"
_OWN = f"{_HEADS}{BRANCHES}/"
_LOOKED_AT = (_HEADS, _TAGS, _REMOTES, _NOTES, _REPLACED)
_LISTED = ("for-each-ref", "--format=%(objectname)%00%(refname)%00%(symref)", *_LOOKED_AT)
_STASHED = ("log", "-g", "-s", "-z", "--no-show-signature", "--format=%H%x20%gs", _STASH, "--")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refs:
    """
    `tips` are branches, tags, notes and the like by their whole names; `stash` are its entries, the
    newest first. `whole`: an older version looked at branches and tags only. `links` are those that stand
    for another.
    """

    tips: Mapping[str, str]
    stash: list[list[str]]
    links: Mapping[str, str] = field(default_factory=dict)
    whole: bool = False

    def as_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()  # names that are no text are escaped


def refs_from_bytes(told: bytes) -> Refs:
    value: dict[str, Any] = json.loads(told)
    return Refs(**value)


async def look_at_refs(repository: Repository, *, but: str = "") -> Refs:
    """What there is of a person's, but for this branch. One that only stands for another holds nothing."""
    told = (await repository.git(*_LISTED)).split("\n")
    found = [line.split("\0") for line in told if line]
    stash = (await repository.git(*_STASHED, fails=False)).split("\0")
    return Refs(
        tips={
            ref: tip
            for tip, ref, other in found
            if ref != but and not other and not ref.startswith(_OWN)
        },
        stash=[[*each.partition(" ")[::2]] for each in stash if each],
        links={ref: other for _, ref, other in found if other},
        whole=True,
    )


async def put_refs_back(repository: Repository, before: Refs, run: str) -> list[str]:
    """Have nothing lost that was there before; what had to be done for it, in words."""
    now = await look_at_refs(repository)
    told = [
        await _plain_again(repository, ref, tip, now.links[ref])
        for ref, tip in before.tips.items()
        if ref in now.links
    ]
    told += [
        await _mended(repository, run, ref, tip, now.tips.get(ref, ""))
        for ref, tip in before.tips.items()
        if now.tips.get(ref) != tip and ref not in now.links
    ]
    told += [
        await _unasked(repository, ref)
        for ref in now.tips
        if before.whole and ref not in before.tips
    ]
    gone = Counter(each for each, _ in before.stash) - Counter(each for each, _ in now.stash)
    for tip, message in reversed(before.stash):  # the newest comes on top again
        if gone[tip]:
            gone[tip] -= 1
            told.append(await _stashed(repository, run, tip, message))
    return [each for each in told if each]


async def _plain_again(repository: Repository, ref: str, tip: str, other: str) -> str:
    """What it stands for by now may have gone on from where it was; else it is there again."""
    if not await _kind(repository, tip):
        return _lost(_called(ref), tip)
    there = await _at(repository, ref)
    onto = there if there and await _is_in(repository, tip, there) else tip
    await repository.git("update-ref", "--no-deref", ref, onto)
    return f"{_called(ref)} was made to stand for {printable(other)}, and is a branch again"


async def _unasked(repository: Repository, ref: str) -> str:
    """What was done about a new ref, if it cannot stay."""
    if ref.startswith(_REPLACED):
        why = "with it git shows something else than there is"
    elif ref.startswith(_HEADS) and not await _kind(repository, ref):
        why = "what it names is not in the repository"
    else:
        return ""
    await repository.git("update-ref", "--no-deref", "-d", ref, fails=False)
    await forget_broken(repository)
    return f"{_called(ref)} was made, and is taken away: {why}"


async def _mended(repository: Repository, run: str, ref: str, tip: str, there: str) -> str:
    """What was done about a ref that is not where it was; an empty text where nothing is lost."""
    called, name = _called(ref), ref.split("/", 2)[2]
    if there and ref.startswith(_REMOTES):  # git itself moves those, wherever they lead
        return ""
    if not await _kind(repository, tip):
        return _lost(called, tip)
    if not there:
        # Only where nothing is by now: another agent's attempt may just have ended as well.
        await repository.git("update-ref", ref, tip, "0" * len(tip), fails=False)
        if await _at(repository, ref) == tip:
            return f"{called} was deleted, and is put back"
    elif ref.startswith(_REPLACED):
        await repository.git("update-ref", ref, tip)
        return f"{called} was changed, and is put back"
    elif ref.startswith((_HEADS, _NOTES)) and await _is_in(repository, tip, there):
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


def _called(ref: str) -> str:
    """A ref in words."""
    kind, name = ref.split("/", 2)[1:]
    kinds = {"heads": "branch", "tags": "tag", "remotes": "remote branch", "notes": "ref of notes"}
    return f"The {kinds.get(kind, 'replacement of')} {printable(name)}"


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
