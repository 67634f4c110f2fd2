"""
What was done and is in no commit, because git was told to pass it over.

A task is proven for what is kept. What a person had git ignore before is theirs to ask for; what is
ignored only since an agent was at work would be proven and then be nowhere.
"""

import os
import re
from collections.abc import Iterable, Sequence

from prowess.check.already import shown_by
from prowess.core.evidence import Report
from prowess.loop.git import Repository, printable

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
        if await _newly_ignored(repository, base, path):
            lost.append(path)
    return list(dict.fromkeys(map(printable, lost)))


def told_unkept(paths: Sequence[str]) -> str:
    """For the next attempt."""
    files = "".join(f"- {path}\n" for path in paths)
    return (
        f"What was done, or shows that it was, is in files that no commit would hold:\n\n{files}\n"
        "Git was told to ignore them, or they are in a repository of their own. Put them where git keeps"
        " them."
    )


async def _newly_ignored(repository: Repository, base: str, path: str) -> bool:
    """Whether it is ignored by a rule of a `.gitignore` that the base has not."""
    told = await repository.git("check-ignore", "--no-index", "-v", "--", path, fails=False)
    rule = _RULE.match(told)
    if not rule or os.path.basename(rule[1]) != ".gitignore":
        return False
    rules = await repository.git("cat-file", "blob", f"{base}:{rule[1]}", fails=False)
    return rule[2] not in map(str.strip, rules.splitlines())


def _lies_in(folder: str, path: str) -> bool:
    beneath = not os.path.isabs(path) and ".." not in path.split("/")
    return beneath and os.path.lexists(os.path.join(folder, path))
