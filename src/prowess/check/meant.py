"""
Which tests a task asks to change. All others that were there before have to stay as they were.

A file is meant where `files:` names it, by itself or by a wildcard, or where a sentence of the task
does. A sentence that says how its tests have to end, or runs them, names a judge: that one stays.
"""

import re
from collections.abc import Iterator

from prowess.check.known_tests import is_test
from prowess.check.runners import RUNS_TESTS
from prowess.core.evidence import Scope, Spec

_SENTENCES = re.compile(r"[.;!?]\s+|\n")
_JUDGES = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|fail(?:s|ed|ing)?|succeed(?:s|ed|ing)?|success(?:ful(?:ly)?)?|green"
    r"|runs?|running|works?|working|again)\b",
    re.IGNORECASE,
)


def kept_files(spec: Spec, found: Scope) -> set[str]:
    """The changed files of tests in which nothing that was there may be altered."""
    return {
        each.path
        for each in found.files
        if is_test(each.path)
        and not asks_for(spec, each.path)
        and not (spec.files and each.pattern and _names(each.pattern, each.path))
    }


def asks_for(spec: Spec, path: str) -> bool:
    """Whether the words of a task name this file as one to be changed."""
    name = re.compile(rf"(?<![\w.-]){re.escape(path.rpartition('/')[2])}(?![\w-]|\.\w|::)")
    return any(
        name.search(sentence) and not (_JUDGES.search(sentence) or RUNS_TESTS.search(sentence))
        for sentence in _sentences(spec)
    )


def _sentences(spec: Spec) -> Iterator[str]:
    for text in (spec.title, spec.summary, *spec.criteria):
        yield from _SENTENCES.split(text)


def _names(pattern: str, path: str) -> bool:
    from wcmatch import glob

    plain = pattern.strip().removeprefix("./")
    plain += "**" if plain.endswith("/") else ""
    flags = glob.GLOBSTAR | glob.DOTGLOB | glob.CASE | glob.BRACE
    return plain == path or glob.globmatch(path, plain, flags=flags)
