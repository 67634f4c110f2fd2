"""
How far a rule that matches a command reaches.

`./run.sh` and `npm test` are other programs in another folder, so a rule that says them means those
of the workspace itself. A `*` for the name of a program is a name, not a program with arguments.
"""

import re
from collections.abc import Sequence

from prowess.permit.rule import CommandPattern

# What these run is said by files of the folder they are called in.
_BY_FOLDER = frozenset(
    "npm npx pnpm pnpx yarn bun bunx deno make gmake cmake ninja just task rake bundle tox nox cargo"
    " go gradle mvn ant sbt lein mix composer poetry pdm hatch pipenv uv invoke inv dotnet bazel"
    " pre-commit turbo nx".split()
)
_LAUNCHERS = re.compile(
    r"r?(?:ba|da|z|k|mk|c|tc|fi|a)?sh|pwsh|"
    r"(?:python|pypy|perl|ruby|node(?:js)?|php|lua(?:jit)?|tclsh|wish|guile|scala|groovy|julia)[\d.-]*|"
    r"deno|bun|Rscript|osascript|npx|bunx|uvx|pipx|make|gmake|docker|podman|kubectl|ssh|java|expect|vim?|ed|ex"
)
_FILE = re.compile(r"[\w*.-]*\.[A-Za-z]\w{0,4}", re.ASCII)


def applies(pattern: CommandPattern, texts: Sequence[str], *, at_root: bool) -> bool:
    """Does the rule mean this command, which it matches? `at_root`: it runs in the workspace itself."""
    program = texts[0].rpartition("/")[2]
    if pattern.words[0].startswith("*") and _LAUNCHERS.fullmatch(program):
        return len(texts) == len(pattern.words)
    return at_root or not _by_folder(pattern)


def _by_folder(pattern: CommandPattern) -> bool:
    """A rule that grants a program whatever it is told grants every folder with it."""
    program, *arguments = pattern.words
    if "/" not in program and not arguments and pattern.open:
        return False
    return program in _BY_FOLDER or any(_is_relative(word) for word in pattern.words)


def _is_relative(word: str) -> bool:
    if word.startswith(("/", "-", "~")) or "://" in word:
        return False
    return "/" in word or _FILE.fullmatch(word) is not None
