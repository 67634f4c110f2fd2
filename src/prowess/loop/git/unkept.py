"""
What was done and is in no commit, because git was told to pass it over.

A task is proven for what is kept. What a person had git ignore before is theirs to ask for; what is
ignored only since an agent was at work would be proven and then be nowhere. What was ignored and no
longer is looks as if it were kept, and is not: it is left to the person. And by `.gitattributes` git may
keep another content than the one that was checked.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from prowess.check.already import shown_by
from prowess.check.tree.objects import Object
from prowess.core.evidence import Report
from prowess.loop.behind.guarding import read_if_plain
from prowess.loop.git.repository import Repository
from prowess.loop.git.running import printable

_ATTRIBUTES = ".gitattributes"
_CHANGING = ("ident", "filter", "working-tree-encoding")  # what has git keep something else
_MOST = 200  # names in one question
_RULE = re.compile(r"(.*?):\d+:(.*)\t")  # as check-ignore tells it: the file, the line, the rule


async def unkept(
    repository: Repository, tree: str, base: str, report: Report, *, person: str = ""
) -> list[str]:
    """
    Files that are changed, or show that the task is done, and that this tree does not hold, or not as
    they lie there. `person` is the last commit that is known to be a person's, the base if none.
    """
    held = await _held(repository, tree)

    def lying(paths: Iterable[str]) -> list[str]:
        outside = [path for path in paths if path.rstrip("/") not in held]
        return [path for path in outside if _lies_in(repository.folder, path)]

    lost = lying(each.path for each in report.scope.files)
    for path in lying(shown_by(report.criteria)):
        told = await repository.git("check-ignore", "--no-index", "-v", "--", path, fails=False)
        uncovered = not told and repository.theirs.holds(path)
        if uncovered or await _newly_ignored(repository, base, told):
            lost.append(path)
    otherwise = await _kept_otherwise(repository, held, person or base)
    lost += [
        f"{path}: of it git would keep something else, by `{_ATTRIBUTES}`" for path in otherwise
    ]
    return list(dict.fromkeys(map(printable, lost)))


async def _held(repository: Repository, tree: str) -> dict[str, list[str]]:
    """What a tree holds, folders too: the mode, the kind and the name of each."""
    told = await repository.git("ls-tree", "-r", "-t", "-z", tree)
    listed = (each.partition("\t") for each in told.split("\0") if each)
    return {path: about.split() for about, _, path in listed}


async def _kept_otherwise(
    repository: Repository, held: Mapping[str, Sequence[str]], person: str
) -> list[str]:
    """Files of which git holds another content than lies there, and did not by what a person set."""
    if not await _has_other_attributes(repository, held, person):
        return []
    files = {path: name for path, (mode, _, name) in held.items() if mode.startswith("100")}
    found = [path for path, name in files.items() if _differs(repository.folder, path, name)]
    now = await _attributes(repository, found)
    async with repository.index_of(person) as index:
        before = await _attributes(repository, found, "--cached", more=index)
    return [path for path in found if now[path] != before[path]]


async def _has_other_attributes(
    repository: Repository, held: Mapping[str, Sequence[str]], person: str
) -> bool:
    """Whether git goes by other `.gitattributes` here than at that commit, be they ignored or not."""
    folders = [path for path, (_, kind, _) in held.items() if kind == "tree"]
    names = [os.path.join(folder, _ATTRIBUTES) for folder in ("", *folders)]
    before = {path: name for path, (_, _, name) in (await _held(repository, person)).items()}
    return any(_is_other(repository.folder, path, before.get(path)) for path in names)


def _is_other(folder: str, path: str, name: str | None) -> bool:
    if name is None:
        return os.path.lexists(os.path.join(folder, path))
    return _differs(folder, path, name)


def _differs(folder: str, path: str, name: str) -> bool:
    """Whether what lies there is not what git calls by this name, but for the ends of lines."""
    content = read_if_plain(os.path.join(folder, path))
    if content is None:
        return True
    plain = content.replace(b"\r\n", b"\n")
    return not any(Object(name, "blob", len(each), each).is_true for each in (content, plain))


async def _attributes(
    repository: Repository, paths: Sequence[str], *words: str, more: Mapping[str, str] = {}
) -> dict[str, list[str]]:
    """What git was told of each that has it keep another content."""
    found: dict[str, list[str]] = {}
    for start in range(0, len(paths), _MOST):
        asked = paths[start : start + _MOST]
        told = await repository.git("check-attr", "-z", *words, *_CHANGING, "--", *asked, more=more)
        fields = told.split("\0")
        for path, value in zip(fields[::3], fields[2::3], strict=False):
            found.setdefault(path, []).append(value)
    return found


def told_unkept(paths: Sequence[str]) -> str:
    """For the next attempt."""
    files = "".join(f"- {path}\n" for path in paths)
    return (
        f"What was done, or shows that it was, is in files that no commit would hold:\n\n{files}\n"
        "Git is told to ignore them, or was when the task began, or they are in a repository of their own."
        " Put them where git keeps them, and as they are: what has git keep another content of a file than lies"
        " there, a person has to write into `.gitattributes` first."
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
