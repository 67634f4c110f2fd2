"""
What the loop does with git: look, keep, and never lose anybody's work.

An agent could have written into `.git`, so hooks and monitors of the repository are never run, and
its settings are put back as they were before any agent was at work. Git gets none of our secrets.
"""

import asyncio
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from prowess.core.errors import OutsideError, UsageError
from prowess.core.scratch import scratch
from prowess.loop.guarding import Kept, no_link, put_back

_SAFE = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false",
)  # fmt: skip
_NOBODY = ("-c", "user.name=Prowess", "-c", "user.email=prowess@localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A work tree. `own` are paths in it that the loop itself writes; a folder ends in a slash."""

    folder: str
    own: tuple[str, ...] = ()
    kept: Kept = field(default_factory=dict)  # git's settings before any agent was at work

    async def git(self, *words: str, fails: bool = True, more: Mapping[str, str] = {}) -> str:
        """What git prints. When it fails: `OutsideError`, or an empty text where `fails` is false."""
        put_back(self.kept)
        identity = () if await self._has_identity(words) else _NOBODY
        code, out, err = await _run("git", *_SAFE, *identity, *words, cwd=self.folder, more=more)
        if code and fails:
            raise OutsideError(
                f"git {words[0]} failed: {err.strip() or out.strip()}",
                hint=f"look at the repository {self.folder}",
            )
        return "" if code else out

    async def _has_identity(self, words: tuple[str, ...]) -> bool:
        if words[0] not in ("commit", "commit-tree", "merge"):
            return True
        code, _, _ = await _run("git", "config", "user.email", cwd=self.folder)
        return code == 0

    async def head(self) -> str:
        return (await self.git("rev-parse", "HEAD")).strip()

    async def branch(self) -> str:
        """The branch that is checked out; empty where none is."""
        return (await self.git("symbolic-ref", "-q", "HEAD", fails=False)).strip()

    async def back_to(self, branch: str) -> None:
        """On this branch again, with the tree as it is; an agent that went elsewhere loses nothing."""
        if branch and await self.branch() != branch:
            await self.git("symbolic-ref", "HEAD", branch)
            await self.git("reset", "-q")

    async def restore(self, tree: str, aside: str) -> list[str]:
        """
        Make the tree again what `picture` saw, but for ignored files; which paths were not it.

        What lies there now may be somebody's work, so it is kept in the branch `aside`.
        """
        now = await self.picture()
        if now == tree:
            return []
        await self._keep_beside(now, aside)
        told = await self.git("diff-tree", "-r", "-z", "--no-renames", "--name-status", tree, now)
        fields = told.split("\0")
        changed = dict(zip(fields[1::2], fields[::2], strict=False))
        for path, status in changed.items():
            if status == "A":
                with suppress(FileNotFoundError, IsADirectoryError):
                    os.unlink(os.path.join(self.folder, path))
            else:
                await self.git("checkout", "-q", tree, "--", f":(literal){path}")
        return list(changed)

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
        if not await self.git("rev-parse", "-q", "--verify", "HEAD", fails=False):
            raise UsageError(
                "the repository has no commit yet", hint="commit what is there, then start the loop"
            )
        if changed := await self.changed():
            shown = ", ".join(changed[:5]) + (" …" if len(changed) > 5 else "")  # noqa: PLR2004
            raise UsageError(
                f"there are uncommitted changes: {shown}",
                hint="commit or stash them first, so that nobody takes them for the agent's",
            )

    async def changed(self) -> list[str]:
        """Paths that differ from the last commit, or are new, but for the loop's own."""
        told = await self.git("status", "--porcelain", "-z", "--no-renames", "-uall")
        paths = [line[3:] for line in told.split("\0") if line]
        return [path for path in paths if not self._is_own(path)]

    async def picture(self) -> str:
        """The name that git has for everything in the tree as it lies there, but for the loop's own files."""
        index = (await self.git("rev-parse", "--git-path", "index")).strip()
        with scratch("index") as place:
            own_index = os.path.join(place, "index")
            with suppress(FileNotFoundError):  # its stamps save git from reading every file
                shutil.copy(os.path.join(self.folder, index), own_index)
            more = {"GIT_INDEX_FILE": own_index}
            inside = [path for path in self.own if not path.startswith("..")]
            await self.git("add", "-A", more=more)
            if inside:
                leave = ("rm", "-rqf", "--cached", "--ignore-unmatch", "--", *inside)
                await self.git(*leave, more=more)
            return (await self.git("write-tree", more=more)).strip()

    async def commit(self, message: str) -> str:
        """Keep everything that changed as one commit, if anything did; the commit that is then the last."""
        await self.git("add", "-A")
        if await self.git("status", "--porcelain"):
            await self.git("commit", "-q", "--no-verify", "-m", message)
        return await self.head()

    async def commit_only(self, path: str, message: str) -> str:
        """Keep what changed in this one file, if anything did and git looks after it; the last commit."""
        literal = f":(literal){path}"
        known = not path.startswith("..") and await self.git("ls-files", "--", literal)
        if known and await self.git("status", "--porcelain", "--", literal):
            await self.git("commit", "-q", "--no-verify", "-m", message, "--", literal)
        return await self.head()

    async def set_aside(self, base: str, branch: str) -> str:
        """
        Keep what was done since `base` as a branch of its own, and leave the tree as it was then.

        Returns the branch, or an empty text when there is nothing to keep. A second time, after a crash
        in the middle, it takes nothing out of a branch that is there: what is in the tree by then is
        kept beside it.
        """
        kept = {path: _read(self.folder, path) for path in self.own if not path.endswith("/")}
        if await self.changed() or await self.head() != base:
            await self.git("add", "-A")
            await self._keep_beside((await self.git("write-tree")).strip(), branch)
        await self.git("reset", "-q", "--hard", base)
        for path, content in kept.items():
            if content is not None:
                _write(self.folder, path, content)
        return branch if await self.tree_of(branch) else ""

    async def _keep_beside(self, tree: str, branch: str) -> None:
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

    def _is_own(self, path: str) -> bool:
        return any(path.startswith(own) if own.endswith("/") else path == own for own in self.own)


async def _run(*words: str, cwd: str, more: Mapping[str, str] = {}) -> tuple[int, str, str]:
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=cwd,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**_environment(cwd), **more},
        )
    except FileNotFoundError:
        raise OutsideError("git is not on this machine", hint="install git") from None
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(errors="replace"), err.decode(errors="replace")


def _environment(folder: str) -> dict[str, str]:
    """What git needs and no more; the work tree is where it is, whatever the repository says."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    kept |= {name: value for name, value in os.environ.items() if name.startswith("GIT_AUTHOR")}
    place = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8"}
    if os.path.isdir(os.path.join(folder, ".git")):
        place |= {"GIT_WORK_TREE": folder, "GIT_DIR": os.path.join(folder, ".git")}
    return kept | place


def _read(folder: str, path: str) -> bytes | None:
    if os.path.islink(os.path.join(folder, path)):
        return None  # an agent made it one; what the last commit has is put back
    try:
        with open(os.path.join(folder, path), "rb") as file:
            return file.read()
    except OSError:
        return None


def _write(folder: str, path: str, content: bytes) -> None:
    with open(no_link(os.path.join(folder, path)), "wb") as file:
        file.write(content)
