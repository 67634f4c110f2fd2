"""
What changed since a commit, read from git without trusting the repository.

Whoever did the work could write into `.git`, so git runs in the sandbox, with the work tree read-only
and with an index of its own made from the base: no flag, hook, filter or exclude file of the
repository hides a change or does anything to us. Ignored files are those of `.gitignore` alone.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from prowess.core.errors import OutsideError, UsageError
from prowess.core.evidence import Change
from prowess.core.ports import Sandbox
from prowess.core.process import Finished, Limits, Order

_LINK, _SUBMODULE = "120000", "160000"
_NO_OBJECT = "0" * 40
_OPTIONS = tuple(
    word
    for setting in (
        "safe.directory=*",
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.fileMode=true",
        "core.symlinks=true",
        "core.ignoreCase=false",
        "core.quotePath=false",
        "core.excludesFile=/dev/null",
    )
    for word in ("-c", setting)
)
_ENVIRONMENT: Mapping[str, str] = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
# Three pictures of the work against the base: as committed, as staged, as it lies there. An empty
# field parts them, which no path can be. `$1` is the base.
_CHANGES = """
set -e
git() { command git OPTIONS "$@"; }
compare() { git "$@" --raw -z --no-renames --no-abbrev --ignore-submodules=none; }
if git rev-parse --verify -q HEAD >/dev/null; then compare diff-tree -r "$1" HEAD; fi
printf '\\0'
compare diff-index --cached "$1"
printf '\\0'
export GIT_INDEX_FILE="$(mktemp -d)/index"
git read-tree "$1"
git update-index -q --refresh >/dev/null || true
compare diff-files
printf '\\0'
git ls-files -z --others --exclude-per-directory=.gitignore
printf '\\0'
git ls-files -z
"""
_BASE = """
git() { command git OPTIONS "$@"; }
git rev-parse --git-dir >/dev/null || exit 1
if [ -n "$1" ]; then git rev-parse --verify -q "$1^{commit}"; exit; fi
git rev-parse --verify -q HEAD >/dev/null || { git hash-object -t tree /dev/null; exit; }
for branch in origin/HEAD origin/main origin/master main master; do
    git merge-base HEAD "$branch" 2>/dev/null && exit
done
git rev-parse HEAD
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """
    A work tree to be looked at. `folder` is a real path; `records` are folders outside of it that
    git needs, as a linked work tree does.
    """

    folder: str
    sandbox: Sandbox
    records: tuple[str, ...] = ()
    limits: Limits = field(default_factory=lambda: Limits(output_bytes=64 * 1024**2))

    async def base(self, revision: str | None) -> str:
        """The commit that `revision` names; without one, where the work left the main branch, or HEAD."""
        done = await self._git(_BASE, revision or "")
        if done.code or not done.out.strip():
            if revision and b"not a git repository" not in done.err:
                raise UsageError(
                    f"there is no commit {revision!r} here", hint="name a commit, a tag or a branch"
                )
            raise _unreadable(self.folder, done)
        return done.out.decode().strip().splitlines()[0]

    async def changes(self, base: str) -> list[Change]:
        """Every path that differs from `base`: committed, staged, in the work tree, or untracked."""
        return (await self.read(base))[0]

    async def read(self, base: str) -> tuple[list[Change], frozenset[str]]:
        """The changes, and every file of the work: those of the base that are left, and the new ones."""
        done = await self._git(_CHANGES, base)
        if done.code or done.killed_by or done.dropped:
            raise _unreadable(self.folder, done)
        committed, staged, lying, untracked, tracked = _sections(done.out)
        found: dict[tuple[str, str | None, bool], Change] = {}
        for change, blob in (
            *_raw(committed),
            *_raw(staged),
            *self._lying(lying),
            *self._untracked(untracked),
        ):
            if blob:
                change = replace(change, link=await self._target(blob))  # noqa: PLW2901
            found.setdefault((change.path, change.link, change.submodule), change)
        changes = _with_twins(list(found.values()), tracked)
        gone = {each.path for each in changes if each.status == "D"}
        return changes, frozenset((*tracked, *(each.path for each in changes))) - gone

    def _lying(self, fields: Sequence[str]) -> Iterator[tuple[Change, str]]:
        """What lies in the work tree has no object yet, so a link is read where it lies."""
        for change, _ in _raw(fields):
            yield (self._followed(change) if change.link is not None else change), ""

    def _untracked(self, paths: Sequence[str]) -> Iterator[tuple[Change, str]]:
        for path in paths:
            # Git tells a repository inside the repository as a folder, and looks no further.
            inner = path.endswith("/")
            yield (
                self._followed(Change(path=path.rstrip("/"), status="?", submodule=inner)),
                "",
            )

    def _followed(self, change: Change) -> Change:
        try:
            return replace(change, link=os.readlink(os.path.join(self.folder, change.path)))
        except OSError:  # not a link, or gone again
            return change

    async def _target(self, blob: str) -> str:
        done = await self._git(f'command git {_words()} cat-file blob "$1"', blob)
        return os.fsdecode(done.out) if not done.code else ""

    async def texts_at(self, base: str, paths: Sequence[str]) -> dict[str, str]:
        """What these files said at the base commit; nothing of those that were not there."""
        asked = [path for path in paths if "\n" not in path]
        if not asked:
            return {}
        given = "".join(f"{base}:{path}\n" for path in asked)
        done = await self._git(f"command git {_words()} cat-file --batch", given=given)
        if done.code or done.killed_by or done.dropped:
            raise _unreadable(self.folder, done)
        return dict(_batch(done.out, asked))

    async def _git(self, script: str, *words: str, given: str = "") -> Finished:
        order = Order(
            argv=("bash", "-c", script.replace("OPTIONS", _words()), "git", *words),
            stdin=os.fsencode(given),
            cwd=self.folder,
            environment={**_ENVIRONMENT, "GIT_WORK_TREE": self.folder, "GIT_DIR": self._records()},
            readable=(self.folder, *self.records),
            limits=self.limits,
        )
        return await self.sandbox.run(order)

    def _records(self) -> str:
        return git_folder(self.folder) or os.path.join(self.folder, ".git")


def open_tree(folder: str, sandbox: Sandbox) -> Tree:
    """The work tree that is rooted at `folder`, with the folders outside of it that its git needs."""
    real = os.path.realpath(folder)
    return Tree(folder=real, sandbox=sandbox, records=_outside(real))


def _outside(folder: str) -> tuple[str, ...]:
    """
    The records of a linked work tree, which lie in the repository it belongs to.

    Whoever worked here can write into `.git` what they like, and what it names becomes readable to
    their commands. So it counts only if that repository says, in turn, that this is its work tree.
    """
    own = git_folder(folder)
    if own is None or own.startswith(folder + os.sep):
        return ()
    if os.path.realpath(_line(os.path.join(own, "gitdir"))) != os.path.join(folder, ".git"):
        return ()
    common = os.path.realpath(os.path.join(own, _line(os.path.join(own, "commondir"))))
    return (own, common) if os.path.isdir(os.path.join(common, "objects")) else ()


def git_folder(folder: str) -> str | None:
    """Where the records of the repository at `folder` are; None when it is not the root of one."""
    path = os.path.join(folder, ".git")
    if os.path.isdir(path):
        return os.path.realpath(path)
    named = _line(path).removeprefix("gitdir: ")
    return os.path.realpath(os.path.join(folder, named)) if named else None


def _line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline(4096).strip()
    except OSError:
        return ""


def _words() -> str:
    return " ".join(f"'{word}'" for word in _OPTIONS)


def _sections(out: bytes) -> list[list[str]]:
    sections: list[list[str]] = [[]]
    for each in os.fsdecode(out).split("\0")[:-1]:
        if each:
            sections[-1].append(each)
        else:
            sections.append([])
    return [*sections, *([[]] * (5 - len(sections)))][:5]


def _batch(out: bytes, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """`object type size` and as many bytes for each path in turn, or a line that says it is missing."""
    place = 0
    for path in paths:
        end = out.index(b"\n", place)
        head = out[place:end].rsplit(b" ", 2)
        place = end + 1
        if head[-1].isdigit():
            size = int(head[-1])
            if head[-2] == b"blob":
                yield path, out[place : place + size].decode("utf-8", "replace")
            place += size + 1


def _raw(fields: Sequence[str]) -> Iterator[tuple[Change, str]]:
    """`:old-mode new-mode old-object new-object status`, then the path; the object of a link beside it."""
    for head, path in zip(fields[::2], fields[1::2], strict=True):
        old, new, _, after, status = head[1:].split(" ")
        link = new == _LINK
        change = Change(
            path=path,
            status=status[0],
            link="" if link else None,
            submodule=_SUBMODULE in (old, new),
        )
        yield change, after if link and after != _NO_OBJECT else ""


def _with_twins(changes: list[Change], tracked: Sequence[str]) -> list[Change]:
    gone = {each.path for each in changes if each.status == "D"}
    known = {path.casefold(): path for path in tracked if path not in gone}
    return [
        replace(each, twin=twin)
        if each.status in ("A", "?")
        and (twin := known.get(each.path.casefold(), each.path)) != each.path
        else each
        for each in changes
    ]


def _unreadable(folder: str, done: Finished) -> OutsideError:
    said = done.err.decode(errors="replace").strip().splitlines()
    why = said[-1] if said else done.killed_by or f"git ended with {done.code}"
    return OutsideError(
        f"the changes in {folder} cannot be listed: {why}",
        hint="check in the root folder of a git repository",
    )
