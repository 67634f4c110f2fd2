"""
What changed since a commit, read from git without trusting the repository.

Whoever did the work could write into `.git`, so git runs in the sandbox, with the work tree read-only
and with an index of its own made from the base: no flag, hook, filter or exclude file of the
repository hides a change or does anything to us. Ignored files are those of `.gitignore` and of the
person's own rules, and a `.gitignore` that is newer than the base hides neither itself nor code nor
what decides how tests end. What is read of the base is hashed again, because git believes whatever lies
under a name (`objects.py`). Eyes that trust no setting also see what was so before the work began, such
as a file that a filter of the person's altered; what stands as it stood then is no change.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from prowess.check.tree.listing import changes_in, hidden_code, led_to, sections_of, with_twins
from prowess.check.tree.objects import (
    AT_ONCE,
    LIST,
    Listed,
    Object,
    files_in,
    in_batch,
    in_parts,
    listed_in,
    meddled,
)
from prowess.check.tree.records import borrowed_objects, records_outside
from prowess.check.tree.standing import printed
from prowess.core.errors import OutsideError, RefusedError, UsageError
from prowess.core.evidence import Change
from prowess.core.ports import Sandbox
from prowess.core.process import Finished, Limits, Order
from prowess.core.workspace import read_in

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
        "core.commitGraph=false",
    )
    for word in ("-c", setting)
)
_ENVIRONMENT: Mapping[str, str] = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
# Three pictures of the work against the base: as committed, as staged, as it lies there; then what
# is untracked, what is tracked, what is ignored, and what of that was ignored at the base already. An
# empty field parts them, which no path can be. `$1` is the base; the person's rules come on standard
# input.
_CHANGES = """
set -e
export LC_ALL=C  # a path may be any bytes
git() { command git OPTIONS "$@"; }
rules="$(mktemp -d)"
cat >"$rules/personal"
others() { git ls-files -z --others --exclude-from="$rules/personal" --exclude-per-directory=.gitignore "$@"; }
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
others
printf '\\0'
git ls-files -z
printf '\\0'
git ls-files -z -- .gitignore '*/.gitignore' | while IFS= read -r -d '' path; do
    mkdir -p "$rules/tree/$(dirname "$path")"
    git cat-file blob "$1:$path" >"$rules/tree/$path"
done
others --ignored |
    grep -zaEv 'PASSED_OVER' | grep -zaE 'NAMES' >"$rules/hidden" || true
cat "$rules/hidden"
printf '\\0'
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git init -q --template= "$rules/tree"
cd "$rules/tree"
mkdir -p .git/info && cp "$rules/personal" .git/info/exclude
git check-ignore -z --stdin --no-index <"$rules/hidden" || [ $? = 1 ]
"""
# Where a test runner finds nothing by itself, and tools and programs keep what is not of the work.
_PASSED_OVER = r"(^|/)(\.[^/]+|node_modules|venv|build|dist|site-packages|__pycache__)/"
_NAMES = (
    r"(^|/)(\.gitignore|pyvenv\.cfg|entry_points\.txt|[^/]+\.json|(GNU)?[Mm]akefile|[Jj]ustfile"
    r"|\.rspec|\.proverc|Rakefile|Gemfile|CMakeLists\.txt|meson\.build|BUILD|WORKSPACE|\.bazelrc|dart_test\.yaml"
    r"|[^/]+\.(pyi?|pth|ini|cfg|toml|mk|[cm]?[jt]sx?|go|rs|java|kts?|scala|groovy|gradle|properties|xml|sbt"
    r"|rb|rake|php|cs|csproj|props|runsettings|c|cc|cpp|cxx|hs|cabal|swift|exs|dart|bats|bazel|bzl|t|PL))$"
)
_FILES = """
git() { command git OPTIONS "$@"; }
git ls-tree -r -z -l "$1"
"""
_MOST = 512 * 1024**2  # bytes that are held at once
_READ_BYTES = 4 * 1024**2  # of one file
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
    git needs, as a linked work tree does, and `lent` those that only our own git may see. `rules` are
    those by which the person has git ignore files everywhere; `stood` is how files stood before the work
    began that differed from the base by then.
    """

    folder: str
    sandbox: Sandbox
    records: tuple[str, ...] = ()
    lent: tuple[str, ...] = ()
    rules: str = ""
    stood: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=lambda: Limits(output_bytes=64 * 1024**2))

    async def base(self, revision: str | None) -> str:
        """The commit that `revision` names; without one, where the work left the main branch, or HEAD."""
        done = await self._git(_BASE, revision or "")
        if done.code or not done.out.strip():
            if revision and b"not a git repository" not in done.err and not _is_meddled(done):
                raise UsageError(
                    f"there is no commit {revision!r} here", hint="name a commit, a tag or a branch"
                )
            raise _unreadable(self.folder, done)
        return done.out.decode().strip().splitlines()[0]

    def content(self, path: str) -> bytes | None:
        """What a file says now; None where it is none, or cannot be read."""
        try:
            return read_in(self.folder, path, limit=_READ_BYTES)
        except (RefusedError, OSError):
            return None

    async def changes(self, base: str) -> list[Change]:
        """Every path that differs from `base`: committed, staged, in the work tree, or untracked."""
        return (await self.read(base))[0]

    async def standing(self, base: str, *, tracked: bool = False) -> dict[str, str]:
        """What lies there and differs from `base`, to be told again as it stands now; only `tracked` files."""
        sections = await self._read(base)
        lying = [change for change, _ in changes_in(sections[2])]
        if not tracked:
            lying += [change for change, _ in self._untracked(sections[3])]
        return {each.path: printed(self.folder, each.path) for each in lying}

    async def read(self, base: str) -> tuple[list[Change], frozenset[str]]:
        """The changes, and every file of the work: those of the base that are left, and the new ones."""
        committed, staged, lying, untracked, tracked, ignored, of_old = await self._read(base)
        found: dict[tuple[str, str | None, bool], Change] = {}
        for change, blob in (
            *changes_in(committed),
            *changes_in(staged),
            *self._new(self._lying(lying)),
            *self._new(self._untracked((*untracked, *hidden_code(ignored, of_old, tracked)))),
        ):
            if blob:
                change = replace(change, link=await self._target(blob))  # noqa: PLW2901
            found.setdefault((change.path, change.link, change.submodule), change)
        changes = with_twins(list(found.values()), tracked)
        gone = {each.path for each in changes if each.status == "D"}
        return changes, frozenset((*tracked, *(each.path for each in changes))) - gone

    async def _read(self, base: str) -> list[list[str]]:
        await self._verify(base)
        return sections_of((await self._done(_CHANGES, base, given=self.rules)).out)

    async def _verify(self, base: str) -> None:
        """That the base is what its name says, with all its folders and what it has git ignore."""
        listed = listed_in((await self._done(LIST, base)).out)
        for some in in_parts(listed):
            await self._objects([each.name for each in some])

    def _new(self, changes: Iterator[tuple[Change, str]]) -> Iterator[tuple[Change, str]]:
        """Those that do not stand as they stood before the work began."""
        for change, blob in changes:
            before = self.stood.get(change.path)
            if before is None or before != printed(self.folder, change.path):
                yield change, blob

    def _lying(self, fields: Sequence[str]) -> Iterator[tuple[Change, str]]:
        """What lies in the work tree has no object yet, so a link is read where it lies."""
        for change, _ in changes_in(fields):
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
        (found,) = await self._objects([blob])
        return os.fsdecode(found.content) if found else ""

    async def texts_at(self, base: str, paths: Sequence[str]) -> dict[str, str]:
        """
        What these files said at the base commit; nothing of those that were not there. Each is hashed
        again; that the folders of the base lead to it is made sure of when the changes are read.
        """
        there = await self._listed(base) if paths else {}
        wanted = {path: there[path] for path in paths if path in there}
        if large := next((path for path, each in wanted.items() if each.size > AT_ONCE), ""):
            raise OutsideError(
                f"{large} is too large to be compared with what it was",
                hint="name it in the files of the task, where it is to be changed",
            )
        found = await self._contents(wanted)
        return {path: content.decode("utf-8", "replace") for path, content in found.items()}

    async def contents_at(self, base: str, paths: Sequence[str]) -> dict[str, bytes]:
        """
        The same, to the byte, but for what is too large to be held. Of a link what it led to in the
        base, if that was there: one file under its own name, or all of a folder.
        """
        there = await self._listed(base) if paths else {}
        links = {path: each for path, each in there.items() if each.is_link}
        leads = await self._contents({path: links[path] for path in paths if path in links})
        wanted = {path: there[path] for path in paths if path in there and path not in links}
        for path, target in leads.items():
            wanted |= led_to(path, os.fsdecode(target), there)
        return await self._contents(wanted)

    async def _listed(self, base: str) -> dict[str, Listed]:
        """Every file and link of a commit."""
        return dict(files_in((await self._done(_FILES, base)).out))

    async def _contents(self, wanted: Mapping[str, Listed]) -> dict[str, bytes]:
        objects = {each.name: Object(each.name, "blob", each.size) for each in wanted.values()}
        small = [each for each in objects.values() if each.size <= AT_ONCE]
        if sum(each.size for each in small) > _MOST:
            raise OutsideError(
                f"the files that changed in {self.folder} are too large to be compared",
                hint="do the work in smaller tasks",
            )
        read = {
            each.name: each.content
            for part in in_parts(small)
            for each in await self._objects([one.name for one in part])
            if each and each.kind == "blob"
        }
        return {path: read[each.name] for path, each in wanted.items() if each.name in read}

    async def _objects(self, names: Sequence[str]) -> list[Object | None]:
        """What git has under these names, if that is what it should be; None for what it has not."""
        given = "".join(f"{name}\n" for name in names)
        done = await self._done(f"command git {_words()} cat-file --batch", given=given)
        return list(in_batch(done.out, self.folder))

    async def _done(self, script: str, *words: str, given: str = "") -> Finished:
        done = await self._git(script, *words, given=given)
        if done.code or done.killed_by or done.dropped:
            raise _unreadable(self.folder, done)
        return done

    async def _git(self, script: str, *words: str, given: str = "") -> Finished:
        order = Order(
            argv=("bash", "-c", _filled(script), "git", *words),
            stdin=os.fsencode(given),
            cwd=self.folder,
            environment={**_ENVIRONMENT, "GIT_WORK_TREE": self.folder, "GIT_DIR": self._records()},
            readable=(self.folder, *self.records, *self.lent),
            limits=self.limits,
        )
        return await self.sandbox.run(order)

    def _records(self) -> str:
        return git_folder(self.folder) or os.path.join(self.folder, ".git")


def open_tree(
    folder: str, sandbox: Sandbox, *, rules: str = "", stood: Mapping[str, str] = {}
) -> Tree:
    """The work tree that is rooted at `folder`, with the folders outside of it that its git needs."""
    real = os.path.realpath(folder)
    own = git_folder(real)
    return Tree(
        folder=real,
        sandbox=sandbox,
        records=records_outside(real, own),
        lent=borrowed_objects(real, own),
        rules=rules,
        stood=stood,
    )


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


def _filled(script: str) -> str:
    parts = {"OPTIONS": _words(), "PASSED_OVER": _PASSED_OVER, "NAMES": _NAMES}
    for name, value in parts.items():
        script = script.replace(name, value)
    return script


def _words() -> str:
    return " ".join(f"'{word}'" for word in _OPTIONS)


def _is_meddled(done: Finished) -> bool:
    """Whether git itself found an object that is not what its name says, as it does of some."""
    return b"hash mismatch" in done.err


def _unreadable(folder: str, done: Finished) -> OutsideError:
    said = done.err.decode(errors="replace").strip().splitlines()
    why = said[-1] if said else done.killed_by or f"git ended with {done.code}"
    if _is_meddled(done):
        return meddled(folder, why)
    return OutsideError(
        f"the changes in {folder} cannot be listed: {why}",
        hint="check in the root folder of a git repository",
    )
