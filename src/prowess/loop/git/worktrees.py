"""
A task in a work tree of its own, and how its work comes into the person's branch.

Whatever is done here is first kept as a branch. It is merged here too, and only a merge that was
checked is taken into the person's branch, by moving it forward: nothing of theirs is ever reset. A
tree is removed when its branch holds all of it, and a branch only when git finds it merged.
"""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from prowess.core.errors import OutsideError
from prowess.core.files import take_away
from prowess.loop.git.history import back_to
from prowess.loop.git.paths import left_in
from prowess.loop.git.repository import Repository

# Whatever a person set for merges of their own.
_MERGE = (
    "-q", "--no-verify", "--no-verify-signatures", "--no-autostash", "--no-squash", "--commit",
)  # fmt: skip
_AS_IT_IS = {"GIT_LITERAL_PATHSPECS": "1"}  # no sign in a path means anything


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """`commit` is on top of `onto`, or empty when `conflicts` kept it from being made."""

    onto: str
    commit: str = ""
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Worktree:
    """`home` is the person's tree; `folder` is where the branch is worked on."""

    home: Repository
    folder: str
    branch: str

    @property
    def tree(self) -> Repository:
        return replace(self.home, folder=self.folder)

    async def make(self, base: str) -> None:
        """A clean tree at `base`. One that a crash left half made is made anew: nobody worked in it yet."""
        await self._discard()
        os.makedirs(os.path.dirname(self.folder), exist_ok=True)
        await self.home.git("worktree", "add", "-q", "-B", self.branch, self.folder, base)

    async def keep(self, base: str, message: str, checked: str = "") -> str:
        """
        What was done, as commits of the branch, but for the loop's own files; its last commit.

        That is the tree that was `checked`, else everything. What came after the check is kept beside.
        """
        tree = self.tree
        await back_to(tree, f"refs/heads/{self.branch}", base, f"{self.branch}-left")
        if checked:
            await tree.restore(checked, f"{self.branch}-left")
        else:
            await tree.move_inner(base, left_in(self.home.folder, self.branch))
        for own in tree.own:
            if not own.startswith(".."):
                take_away(os.path.join(self.folder, own.rstrip("/")))
                await tree.git("checkout", "-q", base, "--", f":(literal){own}", fails=False)
        last = await tree.commit(message, tree=checked, base=base)
        await tree.git("checkout", "-q", "--detach", last)
        await tree.git("branch", "-f", self.branch, last)
        return last

    async def not_in(self, commit: str, paths: Sequence[str]) -> list[str]:
        """Which of these paths lie in the tree and are not in the commit, as git ignores them."""
        return [
            path
            for path in dict.fromkeys(paths)
            if _lies_in(self.folder, path)
            and not await self.tree.git(
                "ls-tree", "--name-only", commit, "--", path, more=_AS_IT_IS
            )
        ]

    async def merge(self, message: str) -> Merge:
        """The branch merged, in its own tree, with what the person's branch is now."""
        onto = await self.home.head()
        await self.tree.git("merge", "--abort", fails=False)
        await self.tree.git("checkout", "-q", "--detach", onto)
        try:
            await self.tree.git("merge", *_MERGE, "--ff", "-m", message, self.branch)
        except OutsideError:
            told = await self.tree.git("diff", "--name-only", "-z", "--diff-filter=U")
            conflicts = tuple(path for path in told.split("\0") if path)
            await self.tree.git("merge", "--abort", fails=False)
            if not conflicts:
                raise
            return Merge(onto=onto, conflicts=conflicts)
        return Merge(onto=onto, commit=await self.tree.head())

    async def land(self, merge: Merge) -> str:
        """Move the person's branch forward to the merge; why not, or an empty text."""
        try:
            # What a person has git ignore, git would overwrite without a word.
            await self.home.git(
                "merge", *_MERGE, "--ff-only", "--no-overwrite-ignore", merge.commit
            )
        except OutsideError as error:
            return str(error)
        return ""

    async def remove(self) -> str:
        """Take the tree away, and the branch if all of it is merged; the branch that stays, if it does."""
        await self._discard()
        await self.home.git("branch", "-q", "-d", self.branch, fails=False)
        return self.branch if await self.home.tree_of(self.branch) else ""

    async def _discard(self) -> None:
        await self.home.git("worktree", "remove", "--force", "--force", self.folder, fails=False)
        shutil.rmtree(self.folder, ignore_errors=True)
        await self.home.git("worktree", "prune")
        with suppress(OSError):
            os.rmdir(os.path.dirname(self.folder))


def _lies_in(folder: str, path: str) -> bool:
    beneath = not os.path.isabs(path) and ".." not in path.split("/")
    return beneath and os.path.lexists(os.path.join(folder, path))
