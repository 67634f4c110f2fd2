"""
What the loop does with git: look, keep, and never lose anybody's work.

An agent could have written into `.git`, so hooks and monitors of the repository are never run, and
its settings are put back as they were before any agent was at work. The index may be the agent's
work too: what lies in the tree is read with an index made anew, in which no flag hides a file. Git
gets none of our secrets.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from prowess.core.errors import ChangesError, OutsideError, UsageError
from prowess.core.scratch import scratch
from prowess.loop.behind.guarding import free_place, write_plain
from prowess.loop.behind.pipes import records_of, take_pipes_away
from prowess.loop.behind.theirs import Theirs, by_name
from prowess.loop.git.paths import inner, is_there, left_in, literal
from prowess.loop.git.running import few, printable
from prowess.loop.git.settings import Kept

_SAFE = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false",
)  # fmt: skip
_UNADD = ("rm", "-qf", "--cached", "--ignore-unmatch")
_NOBODY = ("-c", "user.name=Prowess", "-c", "user.email=prowess@localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """
    A work tree. `own` are paths in it that the loop itself writes; a folder ends in a slash. `theirs` are
    those that nothing here commits, moves or takes away. `tell` hears what a person has to know.
    """

    folder: str
    own: tuple[str, ...] = ()
    kept: Kept = field(default_factory=Kept)  # git's settings before any agent was at work
    theirs: Theirs = field(default_factory=Theirs)
    tell: Callable[[str], None] = lambda told: None

    async def git(self, *words: str, fails: bool = True, more: Mapping[str, str] = {}) -> str:
        """What git prints. When it fails: `OutsideError`, or an empty text where `fails` is false."""
        identity = () if await self._has_identity(words) else _NOBODY
        asked = (*_SAFE, *identity, *words)
        code, out, err = await self.kept.run_git(*asked, cwd=self.folder, more=more)
        if code and fails:
            raise OutsideError(
                f"git {words[0]} failed: {err.strip() or out.strip()}",
                hint=f"look at the repository {self.folder}",
            )
        return "" if code else out

    async def take_pipes_away(self, *more: str) -> None:
        """
        Git would wait for ever for what comes out of a pipe; there is nothing in one to be lost. Also from
        `more` folders of git's.
        """
        records = records_of(self.folder)
        found = await asyncio.to_thread(take_pipes_away, self.folder, records, *more)
        for path in found:
            self.tell(f"{path} was a pipe, and is taken away: git would wait for it for ever")
        if os.path.join(records, "index") in found:
            await self.git("read-tree", "HEAD", fails=False)

    async def _has_identity(self, words: tuple[str, ...]) -> bool:
        if words[0] not in ("commit", "commit-tree", "merge"):
            return True
        code, _, _ = await self.kept.run_git("config", "user.email", cwd=self.folder)
        return code == 0

    async def head(self) -> str:
        return await self.name_of("HEAD")

    async def name_of(self, revision: str) -> str:
        return (await self.git("rev-parse", revision)).strip()

    async def branch(self) -> str:
        """The branch that is checked out; empty where none is."""
        return await self.stands_for("HEAD")

    async def stands_for(self, ref: str) -> str:
        return (await self.git("symbolic-ref", "-q", ref, fails=False)).strip()

    async def restore(self, tree: str, aside: str) -> list[str]:
        """
        Make the tree again what `picture` saw, but for ignored files; which paths were not it.

        What lies there now may be somebody's work, so it is kept in the branch `aside`.
        """
        now = await self.picture()
        if now == tree:
            return []
        await self.keep_beside(now, aside)
        return list(map(printable, await self._lay(tree, now)))

    async def _lay(self, tree: str, now: str) -> list[str]:
        """
        Have the files lie as they are in `tree`, where they lie as in `now`; which ones did not. What
        the loop keeps of its own in a file, as the plan, is not touched: a person may be at it.
        """
        told = await self.git("diff-tree", "-r", "-z", "--no-renames", "--name-status", tree, now)
        fields = told.split("\0")
        pairs = zip(fields[1::2], fields[::2], strict=False)
        changed = {path: status for path, status in pairs if path not in self.own}
        async with self.index_of(now) as index:
            # What came goes first: a file may be where a folder was, or the other way round.
            for path in (path for path, status in changed.items() if status == "A"):
                self._unlink(path)
            there = [literal(path) for path, status in changed.items() if status != "A"]
            await self._with(there, "checkout", "-q", tree, more=index)
        return list(changed)

    def _unlink(self, path: str) -> None:
        """Take a file away, and as git does the folders that it leaves empty."""
        with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            os.unlink(os.path.join(self.folder, path))
        with suppress(OSError):
            while path := os.path.dirname(path):
                os.rmdir(os.path.join(self.folder, path))

    async def must_be_clean(self) -> None:
        """The loop tells its own changes from a person's by beginning with none."""
        if not (await self.git("rev-parse", "--is-inside-work-tree", fails=False)).strip():
            raise UsageError(
                f"{self.folder} is not a git repository",
                hint="`git init` and commit what is there; the loop keeps each proven task as a commit",
            )
        if below := (await self.git("rev-parse", "--show-prefix")).strip():
            raise UsageError(
                f"{self.folder} is the folder {below} of a repository, and not its root",
                hint="name the root with --project; `files:` of a plan are told from there",
            )
        await self.take_pipes_away()
        if not await self.git("rev-parse", "-q", "--verify", "HEAD", fails=False):
            raise UsageError(
                "the repository has no commit yet", hint="commit what is there, then start the loop"
            )
        if changed := await self.changed():
            raise ChangesError(
                f"there are uncommitted changes: {few(changed)}",
                hint="commit or stash them first, so that nobody takes them for the agent's",
            )
        if hidden := await self._hidden():
            raise UsageError(
                f"git was told to pass over files that differ from the last commit: {few(hidden)}",
                hint="`git update-index --no-assume-unchanged --no-skip-worktree FILE`, or `git"
                " sparse-checkout disable`, then commit or stash them; the loop would lose them",
            )

    async def must_have_followed(self, since: str) -> None:
        """
        Stop where the branch was moved and the index still is what it was `since`, or where it no longer
        leads to there.

        A person who commits here takes their index along. A program that moves the branch from another
        work tree does not, and what it brought in was checked by nobody. And a commit that a person took
        out of their branch, as one with a secret, would come back with what was done on top of it.
        """
        if (await self.git("merge-base", since, "HEAD", fails=False)).strip() != since:
            raise OutsideError(
                f"your branch no longer holds {since[:12]}, on top of which the tasks were begun",
                hint="what was done is kept in its branch: take it over yourself, with `git cherry-pick`",
            )
        listed = ("diff-index", "--cached", "-z", "--name-only")
        ahead = set((await self.git(*listed, "HEAD")).split("\0"))
        ahead -= set((await self.git(*listed, since)).split("\0"))
        if strayed := sorted(path for path in ahead if not self._is_own(path)):
            raise OutsideError(
                f"the branch was moved from outside of {self.folder}: {few(strayed)}",
                hint=f"look at `git log {since[:12]}..`; to undo it: `git reset --soft {since[:12]}`",
            )

    async def changed(self, more: Mapping[str, str] = {}) -> list[str]:
        """Paths that differ from the last commit, or are new, but for the loop's own."""
        told = await self.git("status", "--porcelain", "-z", "--no-renames", "-uall", more=more)
        paths = [line[3:] for line in told.split("\0") if line]
        return [path for path in paths if not self._is_own(path)]

    async def _hidden(self) -> list[str]:
        """Paths that differ from the last commit where the flags of the index are not asked."""
        async with self.index_of("HEAD") as index:
            return await self.changed(index)

    async def picture(self) -> str:
        """
        The name that git has for everything in the tree as it lies there.

        The loop's own files are not in it, nor is a repository inside that has no commit: git cannot
        hold one.
        """
        return await self._everything(but=self._own_inside())

    async def _everything(self, *, but: Sequence[str] = ()) -> str:
        await self.take_pipes_away()
        told = [path for path in await self._told_by_name() if not self.theirs.holds(path)]
        named = [path for path in told if not (but and self._is_own(path))]
        async with self.index_of("HEAD") as index:
            others = await self._others(index)
            out = (*await self._named_apart(but, index), *await self._unborn(others))
            out += (*self._uncovered(others),)
            all_but = (".", *(f":(exclude,literal){path}" for path in out))
            await self._with(all_but, "add", "-A", more=index)
            await self._with([*map(literal, named)], "add", "-f", more=index)
            await self._with([*map(literal, but)], *_UNADD, "-r", more=index)
            await self.let_go(index)
            return (await self.git("write-tree", more=index)).strip()

    async def _named_apart(self, but: Sequence[str], index: Mapping[str, str]) -> list[str]:
        """Those of these that are not ignored anyway: git refuses to be told of such."""
        look = partial(self.git, "check-ignore", fails=False, more=index)
        return [path for path in but if not await look(path)]

    async def _told_by_name(self) -> list[str]:
        """Ignored files that git was told of by name (`git add -f`), so that they are kept all the same."""
        told = await self.git("ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
        return [path for path in told.split("\0") if path and is_there(self.folder, path)]

    async def _with(self, pathspecs: Sequence[str], *words: str, more: Mapping[str, str]) -> None:
        """What git is to do with these, as many as they are; nothing where there are none."""
        if pathspecs:
            with scratch("names") as place:
                names = os.path.join(place, "names")
                write_plain(names, os.fsencode("\0".join(pathspecs)))
                listed = (f"--pathspec-from-file={names}", "--pathspec-file-nul")
                await self.git(*words, *listed, more=more)

    async def let_go(self, index: Mapping[str, str]) -> None:
        """Nothing that is a person's is in this index."""
        if self.theirs.paths:
            held = (await self.git("ls-files", "-z", more=index)).split("\0")
            found = [literal(path) for path in held if self.theirs.holds(path)]
            await self._with(found, *_UNADD, more=index)

    def _uncovered(self, others: Sequence[str]) -> list[str]:
        """What is a person's and no longer ignored, which they are told once."""
        found = sorted({named for path in others if (named := self.theirs.named(path))})
        if new := [path for path in found if path not in self.theirs.told]:
            self.theirs.told.update(new)
            self.tell(
                f"No longer ignored by git, and left where it is, in no commit of the loop: {few(new)}"
            )
        return found

    async def tell_uncovered(self) -> None:
        self._uncovered(await self._others({}))

    async def ignored(self) -> list[str]:
        """What lies there and git ignores, with what it ignored when an earlier task began."""
        listed = ("status", "--porcelain", "-z", "--no-renames", "-uall", "--ignored=matching")
        told = [line[3:] for line in (await self.git(*listed)).split("\0") if line[:3] == "!! "]
        found = by_name(self.folder, [path for path in told if not self._is_own(path)])
        # What a person has committed since, or takes out of git just now, is not theirs alone.
        tracked = await self.git("ls-files", "-z")
        tracked += await self.git("ls-tree", "-r", "-z", "--name-only", "HEAD")
        lying = Theirs()
        lying.begin((*self.theirs.paths, *found))
        return lying.but(tracked.split("\0"))

    async def _others(self, index: Mapping[str, str]) -> list[str]:
        """Paths that are not in the index and not ignored; of a repository inside only its folder."""
        told = await self.git("ls-files", "-z", "--others", "--exclude-standard", more=index)
        return [path for path in told.split("\0") if path]

    async def _unborn(self, others: Sequence[str]) -> list[str]:
        head = ("rev-parse", "-q", "--verify", "HEAD")
        return [
            path
            for path in inner(others)
            if not await self.git(
                f"--git-dir={os.path.join(self.folder, path, '.git')}", *head, fails=False
            )
        ]

    @asynccontextmanager
    async def index_of(self, tree: str) -> AsyncIterator[Mapping[str, str]]:
        """An index of our own that holds this tree, as what git is to be told with it."""
        with scratch("index") as place:
            index = {"GIT_INDEX_FILE": os.path.join(place, "index")}
            await self.git("read-tree", tree, more=index)
            yield index

    async def commit(
        self,
        message: str,
        *,
        tree: str = "",
        base: str = "",
        onto: str = "",
        making: Callable[[str], None] = lambda made: None,
    ) -> str:
        """
        Keep `tree`, else all that lies there, as one commit, if it is anything new; the last commit.

        The plan is kept as it lies there, and the loop's own folder as it is in `base`. Nothing is kept
        where the branch is not at `onto` any more. `making` hears of the commit before the branch is there.
        """
        tree, head = tree or await self.picture(), onto or await self.head()
        async with self.index_of(tree) as index:
            for path in self._own_inside():
                await self.git("reset", "-q", base or head, "--", literal(path), more=index)
            for path in self._own_inside():
                await self._add_own(path, index)
            tree = (await self.git("write-tree", more=index)).strip()
        if tree != await self.name_of(f"{head}^{{tree}}"):
            made = (await self.git("commit-tree", tree, "-p", head, "-m", message)).strip()
            making(made)
            # The index first: what a person commits after a kill would undo what is not in it.
            await self.reindex(made)
            await self.move(head, made, f"commit: {message}")
        else:
            await self.reindex("HEAD")
        return await self.head()

    async def move(self, head: str, made: str, why: str) -> None:
        """The branch from `head` to a commit of which the index was made; `OutsideError` where it is elsewhere."""
        try:
            await self.git("update-ref", "-m", why, "HEAD", made, head)
        except OutsideError:
            await self.reindex("HEAD")
            raise

    async def _add_own(self, path: str, index: Mapping[str, str]) -> None:
        listed = ("ls-files", "--cached", "--others", "--exclude-standard", "--")
        named = literal(path)
        if not path.endswith("/") and await self.git(*listed, named, more=index):
            await self.git("add", "-A", "--", named, more=index)

    async def reindex(self, tree: str) -> None:
        """The index of the work tree itself, made anew: no flag that was set in it lasts."""
        await self.git("read-tree", tree)
        await self.git("update-index", "-q", "--refresh", fails=False)

    async def commit_only(self, path: str, message: str) -> str:
        """Keep what changed in this one file, if anything did and git looks after it; the last commit."""
        named = literal(path)
        known = not path.startswith("..") and await self.git("ls-files", "--", named)
        if known and await self.git("status", "--porcelain", "--", named):
            await self.git("commit", "-q", "--no-verify", "-m", message, "--", named)
        return await self.head()

    async def set_aside(self, base: str, branch: str, *, onto: str = "") -> str:
        """
        Keep what was done since `base` as a branch of its own, and leave the tree as it was then.

        Returns the branch, or an empty text when there is nothing to keep. A second time, after a crash
        in the middle, it takes nothing out of a branch that is there: what is in the tree by then is
        kept beside it. `OutsideError` where the branch is not at `onto` any more.
        """
        head = onto or await self.head()
        await self.move_inner(base, left_in(self.folder, branch))
        whole = await self._everything()
        told = await self.git("diff-tree", "-r", "-z", "--no-renames", "--name-only", base, whole)
        changed = [path for path in told.split("\0") if path and not self._is_own(path)]
        if changed or head != base:
            await self.keep_beside(whole, branch)
        await self.git("update-ref", "-m", f"reset: moving to {base}", "HEAD", base, head)
        await self._lay(base, whole)
        await self.reindex(base)
        return branch if await self.tree_of(branch) else ""

    async def move_inner(self, base: str, into: str) -> None:
        """Repositories that lie in the tree since `base`, of which a branch would hold nothing, go elsewhere."""
        async with self.index_of(base) as index:
            found = [path for path in inner(await self._others(index)) if not self._spares(path)]
        for path in found:
            place = free_place(os.path.join(into, path))
            shutil.move(os.path.join(self.folder, path), place)
            self.tell(
                f"{printable(path)} is a repository of its own; what was done in it is in {place}"
            )

    async def keep_beside(self, tree: str, branch: str) -> None:
        name, number = branch, 1
        while (there := await self.tree_of(name)) and there != tree:
            number += 1
            name = f"{branch}-{number}"
        if not there:
            parent = await self.head()
            made = await self.git("commit-tree", tree, "-p", parent, "-m", f"Set aside: {name}")
            await self.git("branch", name, made.strip())

    async def tree_of(self, branch: str) -> str:
        """What a branch holds, by the name that git has for it; empty when there is no such branch."""
        name = f"refs/heads/{branch}^{{tree}}"
        return (await self.git("rev-parse", "-q", "--verify", name, fails=False)).strip()

    def _own_inside(self) -> list[str]:
        return [path for path in self.own if not path.startswith("..")]

    def _spares(self, path: str) -> bool:
        return self._is_own(path) or self.theirs.holds(path)

    def _is_own(self, path: str) -> bool:
        return any(path.startswith(own) if own.endswith("/") else path == own for own in self.own)
