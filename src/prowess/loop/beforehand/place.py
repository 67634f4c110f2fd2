"""
Where a loop is to work, looked at before any agent is paid.

What would only be met at the end of an attempt, and is not the agent's doing, is told here instead: a
plan that cannot be followed, a tree that holds somebody's work, a repository in which no branch could
be made or no change be seen.
"""

import contextlib
import os
from collections.abc import Sequence

from prowess.check.tree.changes import open_tree
from prowess.core.errors import OutsideError, UsageError
from prowess.core.ports import Json, Sandbox
from prowess.core.task import Plan, Task, about_circle
from prowess.loop import marks
from prowess.loop.beforehand.lacking import must_have_programs
from prowess.loop.beforehand.proving import never_proving
from prowess.loop.behind.guarding import alone_in
from prowess.loop.behind.lay import keep_lay
from prowess.loop.git.repository import Repository
from prowess.loop.git.settings import copies_of, remember
from prowess.loop.request import ARTIFACTS, LoopRequest, own_paths, plan_name

BRANCHES = "prowess"  # what the names of all branches of a loop begin with, and a slash
_UNDER_WAY = {"MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick"}


async def check_place(request: LoopRequest) -> None:
    """What can be told before a loop begins: what `_check_place` refuses, and a place that is taken."""
    with alone_in(request.workspace):
        await _check_place(request)


async def begin(request: LoopRequest, run: str, sandbox: Sandbox) -> Json:
    """The place, seen to be one to work in, and how git behaves there before any agent is at work."""
    await _check_place(request)
    head, files = await _must_be_seen(request.workspace, sandbox)
    await must_have_programs(request, sandbox)
    _make_room(os.path.join(request.workspace, ARTIFACTS))
    told = await remember(request.workspace, run)
    lay = await keep_lay(request.workspace, files, (f"{ARTIFACTS}/",), copies_of(told))
    return {**told, "lay": lay, "head": head}


async def must_take_in(repository: Repository, tasks: Sequence[Task]) -> None:
    """Stop where a person's tree could not take in what is done for these tasks, whatever it is."""
    await _nothing_under_way(repository)
    named = {path for task in tasks for path in task.files}
    if mine := [path for path in await repository.changed() if path in named]:
        raise OutsideError(
            f"{mine[0]} has changes that are not committed, and is what a task is to change",
            hint="commit or stash them, then begin again",
        )


async def _check_place(request: LoopRequest) -> None:
    """Refuse a plan that cannot be followed, and a repository that is none or holds work of somebody else."""
    name = plan_name(request)
    if name.startswith(os.pardir + os.sep):
        raise UsageError(
            f"{request.plan} is outside of {request.workspace}: the plan has to lie in the repository",
            hint="move it there and commit it, or name its repository with --project",
        )
    _check_plan(request.plan, marks.must_read(request.plan), request.workspace)
    repository = Repository(folder=request.workspace, own=own_paths(request))
    await repository.must_be_clean()
    if await repository.git("check-ignore", "--", name, fails=False):
        raise UsageError(
            f"git ignores {name}, so that no tick of it could be committed",
            hint="take it out of .gitignore, or name another file",
        )
    await _nothing_under_way(repository)
    if await repository.tree_of(BRANCHES):
        raise UsageError(
            f"there is a branch called {BRANCHES}, so that git can have none called {BRANCHES}/…",
            hint=f"`git branch -m {BRANCHES} NAME` calls it otherwise; the loop keeps work in such branches",
        )


def _check_plan(path: str, plan: Plan, folder: str) -> None:
    if not plan.tasks:
        raise UsageError(
            f"{path} holds no task that could be read",
            hint="write tasks as `- [ ] text`; `prowess plan` shows how a plan is read",
        )
    ring = plan.circle()
    wrong = {
        "write after `after:` what the task says, or take the line out": plan.about_unknown(
            plan.lost()
        ),
        "take one of their `after:` lines out": [(ring[0].line, about_circle(ring))]
        if ring
        else [],
        "no task could be proven: every validation command has to succeed, and to say something": (
            never_proving(plan, folder)
        ),
    }
    told = sorted(each for found in wrong.values() for each in found)
    if told:
        raise UsageError(
            "\n".join(f"{path}:{line}: {what}" for line, what in told),
            hint="; ".join(hint for hint, found in wrong.items() if found),
        )


async def _nothing_under_way(repository: Repository) -> None:
    for head, what in _UNDER_WAY.items():
        if await repository.git("rev-parse", "-q", "--verify", head, fails=False):
            raise OutsideError(
                f"a {what} is under way in {repository.folder}, and nothing can be taken in meanwhile",
                hint=f"finish it, or give it up with `git {what} --abort`, then begin again",
            )


async def _must_be_seen(folder: str, sandbox: Sandbox) -> tuple[str, frozenset[str]]:
    """
    What an agent changes is looked at from inside the sandbox, where not all is seen that is here. The
    commit that it begins with, and the files of the work.
    """
    tree = open_tree(folder, sandbox)
    try:
        head = await tree.base("HEAD")
        _, files = await tree.read(head)
    except (OutsideError, UsageError) as error:
        raise OutsideError(
            f"nobody could check what is changed in {folder}: {error}",
            hint=f"where `.git` is a file: `git config core.worktree {folder}` has the repository name its"
            " work tree; else use a plain clone",
        ) from None
    return head, files


def _make_room(folder: str) -> None:
    """Reports and feedback are for this machine, so git is told to pass them over."""
    os.makedirs(folder, exist_ok=True)
    with (
        contextlib.suppress(FileExistsError),
        open(os.path.join(folder, ".gitignore"), "x") as file,
    ):
        file.write("*\n")
