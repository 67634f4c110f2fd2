"""
What of a change may keep tests or tools from files of the work: rules by which they pass over a file, stubs
that are read instead of it, a package that is none any more, and new files that lie among the tests.

Each is honest work at times. So none is a judge, but the second look does without them.
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase

from prowess.check.kept.known_tests import is_test

_TEST_FOLDER = re.compile(r"(?:^|/)(?:tests?|__tests__|e2e|cypress)/")


def may_hide(path: str) -> bool:
    """Whether a file is one of these by its name; those among the tests are known by their folder."""
    return path.endswith(".pyi") or posixpath.basename(path) == ".gitignore"


def hiding(
    before: Mapping[str, bytes],
    now: Mapping[str, bytes],
    *,
    files: Collection[str],
    asked: Collection[bytes],
) -> set[str]:
    """
    The changed files that may hide others. `files` are all of the work; `asked` is what the changed ones
    say that the task names, which may need what is new beside them.
    """
    there = {path for path in files if path in before or path not in now}
    folders = {posixpath.dirname(path) for path in (*there, *before) if is_test(path)}
    among = {path for path in now if path not in before and _is_among(path, folders)}
    return {
        *(path for path in now if _ignores_more(path, before, now, there)),
        *(path for path in now if path not in before and _is_stub(path, there)),
        *(path for path in before if path not in now and _held_tests(path, there)),
        *among.difference(_needed(asked, {path: now[path] for path in among})),
    }


def _is_stub(path: str, there: Collection[str]) -> bool:
    """Whether type checkers read it instead of a module that was there."""
    return path.endswith(".pyi") and path.removesuffix("i") in there


def _held_tests(path: str, there: Collection[str]) -> bool:
    """Whether it made a package of a folder that tests lie in."""
    folder, _, name = path.rpartition("/")
    if name != "__init__.py" or not folder:
        return False
    return any(each.startswith(f"{folder}/") and is_test(each) for each in there)


def _is_among(path: str, folders: Collection[str]) -> bool:
    """Whether it lies right beside tests."""
    return posixpath.dirname(path) in folders and bool(_TEST_FOLDER.search(path))


def _needed(asked: Collection[bytes], new: Mapping[str, bytes]) -> set[str]:
    """Which of the new files those speak of that are asked for, or others of them that are spoken of."""
    found: set[str] = set()
    texts = list(asked)
    while texts:
        text = texts.pop()
        spoken = {path for path in new.keys() - found if _speaks_of(text, path, new[path])}
        found |= spoken
        texts += [new[path] for path in spoken]
    return found


def _speaks_of(text: bytes, path: str, content: bytes) -> bool:
    """By its name; of what makes a package of a folder, and does no more, by that of the folder."""
    folder, name = posixpath.split(path)
    stem = name.partition(".")[0]
    if stem == "__init__":
        stem = "" if content.strip() else posixpath.basename(folder)
    return (
        bool(stem) and re.search(rb"(?<!\w)%b(?!\w)" % re.escape(stem.encode()), text) is not None
    )


def _ignores_more(
    path: str, before: Mapping[str, bytes], now: Mapping[str, bytes], there: Collection[str]
) -> bool:
    """Whether git and those that ask it pass over a file that they did not pass over."""
    folder, _, name = path.rpartition("/")
    if name != ".gitignore":
        return False
    old, new = _rules(before.get(path, b"")), _rules(now[path])
    more = [rule for rule in new if rule not in old]
    inside = f"{folder}/" if folder else ""
    beneath = (each.removeprefix(inside) for each in there if each.startswith(inside))
    return any(
        _ignored(each, new) and not _ignored(each, old)
        for each in beneath
        if any(_fits(rule.removeprefix("!"), each) for rule in more)
    )


def _rules(content: bytes) -> list[str]:
    lines = content.decode("utf-8", "replace").splitlines()
    return [rule for line in lines if (rule := line.strip()) and not rule.startswith("#")]


def _ignored(path: str, rules: Collection[str]) -> bool:
    """By the last rule that speaks of it."""
    last = [rule for rule in rules if _fits(rule.removeprefix("!"), path)][-1:]
    return bool(last) and not last[0].startswith("!")


def _fits(rule: str, path: str) -> bool:
    """Whether a rule is about this path, or about a folder that it is in."""
    wanted = rule.strip("/").split("/")
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        if rule.endswith("/") and count == len(parts):
            return False
        if "/" not in rule.rstrip("/"):
            fits = fnmatchcase(parts[count - 1], wanted[0])
        else:
            fits = _fit(wanted, parts[:count])
        if fits:
            return True
    return False


def _fit(wanted: list[str], parts: list[str]) -> bool:
    """Part by part; `**` is any number of them."""
    reached = {0}
    for part in wanted:
        reached = set(_further(part, parts, reached))
    return len(parts) in reached


def _further(wanted: str, parts: list[str], reached: Collection[int]) -> Iterator[int]:
    for place in reached:
        if wanted == "**":
            yield from range(place, len(parts) + 1)
        elif place < len(parts) and fnmatchcase(parts[place], wanted):
            yield place + 1
