"""
The history that a task's branch has after an agent was at work: it leads to where the work began, all of it
is in the repository, and it holds nothing that a person had ignored. Else it is set back, and nobody's work
is lost.
"""

from prowess.core.errors import OutsideError
from prowess.loop.git.repository import Repository
from prowess.loop.git.running import printable

_BROKEN_ONLY = ("--expire=never", "--expire-unreachable=never", "--stale-fix")


async def back_to(repository: Repository, branch: str, base: str, aside: str) -> list[str]:
    """
    On this branch again and on top of `base`, with the tree as it is; what was put back. Without a
    branch HEAD is on none, and no branch is moved.

    An agent that went elsewhere loses nothing. A history in place of the one that led to `base`, or
    one that holds what a person had ignored, is kept in the branch `aside`.
    """
    await make_plain(repository, branch)
    back = await _on_top_of(repository, base, branch, aside)
    await repository.let_go({})
    return back


async def make_plain(repository: Repository, branch: str) -> None:
    """Have a branch that was made to stand for another hold its commits itself again."""
    other = await repository.stands_for(branch) if branch else ""
    if not other:
        return
    if tip := (await repository.git("rev-parse", "-q", "--verify", branch, fails=False)).strip():
        await repository.git("update-ref", "--no-deref", branch, tip)
    else:
        await repository.git("symbolic-ref", "-d", branch)
    repository.tell(
        f"{_short(branch)} was made to stand for {_short(other)}, and is a branch again"
    )


async def _leave_broken(repository: Repository, branch: str, base: str) -> None:
    """A history of which git has not all, as one made with objects that lie elsewhere, is none."""
    await repository.git("update-ref", *_place(branch), base)
    await repository.reindex(base)
    await forget_broken(repository)
    told = f"What was committed on top of {base[:12]} is not in the repository"
    repository.tell(f"{told}, and in no branch; the files lie where they were")


async def forget_broken(repository: Repository) -> None:
    """Where branches were is remembered only as far as git has it; not yet while one is broken itself."""
    await repository.git("reflog", "expire", "--all", *_BROKEN_ONLY, fails=False)


async def _has(repository: Repository, commits: str) -> bool:
    """Whether git has all that these commits hold."""
    try:
        await repository.git("rev-list", "--objects", "--quiet", commits, "--")
    except OutsideError:
        return False
    return True


async def _on_top_of(repository: Repository, base: str, branch: str, aside: str) -> list[str]:
    if await repository.branch() != branch:
        if branch:
            await repository.git("symbolic-ref", "HEAD", branch)
        else:
            await repository.git("update-ref", "--no-deref", "HEAD", base)
        await repository.reindex(base)
    head = (await repository.git("rev-parse", "-q", "--verify", "HEAD", fails=False)).strip()
    if head not in ("", base) and not await _has(repository, f"{base}..{head}"):
        await _leave_broken(repository, branch, base)
        return []
    led = head and (await repository.git("merge-base", base, head, fails=False)).strip() == base
    if led and not await _brings_theirs(repository, base, head):
        return []
    if head:
        await repository.keep_beside(await repository.name_of(f"{head}^{{tree}}"), aside)
    await repository.git("update-ref", *_place(branch), base)
    await repository.reindex(base)
    return [f"the history of {_short(branch) or 'HEAD'}"]


async def _brings_theirs(repository: Repository, base: str, head: str) -> bool:
    """Whether a commit since `base` holds what is a person's, as after `git add -A` without its rules."""
    listed = ("log", "-m", "-z", "--format=", "--name-only", "--no-renames", f"{base}..{head}")
    told = await repository.git(*listed) if repository.theirs.paths and head != base else ""
    return any(repository.theirs.holds(path) for path in told.split("\0"))


def _place(branch: str) -> tuple[str, ...]:
    """Where HEAD is, for git to move it."""
    return (branch,) if branch else ("--no-deref", "HEAD")


def _short(branch: str) -> str:
    return printable(branch.removeprefix("refs/heads/"))
