"""
What was done and is in no commit, because git was told to pass it over.

A task is proven for what is kept. What a person had git ignore before is theirs to ask for; what is
ignored only since an agent was at work would be proven and then be nowhere. What was ignored and no
longer is looks as if it were kept, and is not: it is left to the person.
"""

import os
import re
from collections.abc import Iterable, Sequence

from prowess.check.already import shown_by
from prowess.core.evidence import Report
from prowess.loop.git import Repository
from prowess.loop.git_run import printable

_RULE = re.compile(r"(.*?):\d+:(.*)\t")  # as check-ignore tells it: the file, the line, the rule


async def unkept(repository: Repository, tree: str, base: str, report: Report) -> list[str]:
    """Files that are changed, or show that the task is done, and that this tree does not hold."""
    told = await repository.git("ls-tree", "-r", "-t", "-z", "--name-only", tree)
    held = frozenset(told.split("\0"))

    def lying(paths: Iterable[str]) -> list[str]:
        outside = [path for path in paths if path.rstrip("/") not in held]
        return [path for path in outside if _lies_in(repository.folder, path)]

    lost = lying(each.path for each in report.scope.files)
    for path in lying(shown_by(report.criteria)):
        told = await repository.git("check-ignore", "--no-index", "-v", "--", path, fails=False)
        uncovered = not told and repository.theirs.holds(path)
        if uncovered or await _newly_ignored(repository, base, told):
            lost.append(path)
    return list(dict.fromkeys(map(printable, lost)))


def told_unkept(paths: Sequence[str]) -> str:
    """For the next attempt."""
    files = "".join(f"- {path}\n" for path in paths)
    return (
        f"What was done, or shows that it was, is in files that no commit would hold:\n\n{files}\n"
        "Git is told to ignore them, or was when the task began, or they are in a repository of their own."
        " Put them where git keeps them."
    )


async def _newly_ignored(repository: Repository, base: str, told: str) -> bool:
    """Whether `told` names a rule of a `.gitignore` that the base has not."""
    rule = _RULE.match(told)
    if not rule or os.path.basename(rule[1]) != ".gitignore":
        return False
    rules = await repository.git("cat-file", "blob", f"{base}:{rule[1]}", fails=False)
    return rule[2] not in map(str.strip, rules.splitlines())


def _lies_in(folder: str, path: str) -> bool:
    beneath = not os.path.isabs(path) and ".." not in path.split("/")
    return beneath and os.path.lexists(os.path.join(folder, path))
