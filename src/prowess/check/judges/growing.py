"""
A file of recipes as it was, with the recipes that are new: what was not there has judged nothing yet, and
who looks once more with the old file has to find what the task was to add.

What is old stays the last word: no new line comes near it that could change what it does.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from prowess.check.judges.by_name import MAKE, judged_by_name
from prowess.check.judges.makefiles import rules_in, targets
from prowess.check.judges.web_scripts import LIFE, read_json, scripts_in

_PLAIN = re.compile(r"[A-Za-z0-9][\w-]*(?:[ \t]+[A-Za-z0-9][\w-]*)*[ \t]*:[\w./ \t-]*")
# A rule that is written out goes before a pattern, and before what stands in another file.
_OPEN = re.compile(
    r"^[^#\t\n]*%[^\n]*:|^ *(?:-|s)?include\b|^ *(?:\.DEFAULT|\.RECIPEPREFIX|define)\b",
    re.MULTILINE,
)
_WORDS_OF_MAKE = frozenset(
    "include sinclude define endef export unexport override vpath load".split()
)
_DEPENDS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_TOOLS = frozenset(
    "eslint jest vitest mocha ava playwright tsc tsx ts-node prettier biome oxlint c8 nyc node npx npm stylelint"
    " cypress webpack vite rollup esbuild tap jasmine karma".split()
)
_AROUND = re.compile(r"^(?:pre|post)")


def with_what_is_new(path: str, old: bytes, new: bytes) -> bytes:
    """The old content, and behind it the targets or scripts that it did not have."""
    if judged_by_name(path) == MAKE:
        return old + _new_rules(_text(old), _text(new)).encode()
    if path.rpartition("/")[2] == "package.json":
        return _new_scripts(old, new)
    return old


def _new_rules(old: str, new: str) -> str:
    """Plain ones: a pattern, a variable or a rule for an old target could change what the old ones do."""
    if _OPEN.search(old):
        return ""
    known = targets(old).union(*(rule.needs for rule in rules_in(old).values()))
    lines = new.replace("\\\n", " ").splitlines()
    fresh = {name for name in rules_in(new) if name not in known}
    taken: list[str] = []
    takes = False
    for line in lines:
        if not line.startswith("\t"):
            names, colon, needs = line.partition(":")
            said = set(names.split())
            is_rule = bool(colon) and _PLAIN.fullmatch(line) and not said & _WORDS_OF_MAKE
            plain = is_rule and fresh.issuperset(said)
            phony = names.strip() == ".PHONY" and fresh.issuperset(needs.split())
            takes = bool(plain or phony)
        taken += [line] if takes and "eval" not in line else []
    return "".join(f"\n{line}" for line in taken) + "\n" if taken else ""


def _new_scripts(old: bytes, new: bytes) -> bytes:
    """What runs before or after an old script, or whenever something is installed, is no new one."""
    then, now = read_json(_text(old)), read_json(_text(new))
    known, given = scripts_in(then), scripts_in(now)
    # Yarn and its like call a script before the program of that name.
    called = {name for key in _DEPENDS for side in (then, now) for name in _keys(side, key)}
    more = {
        name: line
        for name, line in given.items()
        if name not in known
        and name not in called | _TOOLS
        and name not in LIFE
        and _AROUND.sub("", name) not in known
    }
    if not more or not known:
        return old
    return json.dumps({**then, "scripts": {**then["scripts"], **more}}, indent=2).encode()


def _keys(package: Any, key: str) -> Iterable[str]:
    found = package.get(key) if isinstance(package, Mapping) else None
    return found if isinstance(found, Mapping) else ()


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
