"""
Which tests a task asks to change. All others that were there before have to stay as they were.

A file is meant where `files:` names it, by itself or by a wildcard, or where a sentence of the task
asks for a change of it. A sentence that says how its tests have to end, or runs them, names a judge;
one that only tells what it says, or that it is to stay, asks for nothing. Such a file stays.
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


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_CHANGE = (
    r"(?:(?:re)?(?:chang|nam|mov|writ|format|order|structur|organi[sz]|work|plac|factor)|alter|amend|edit|updat"
    r"|modif|adapt|adjust|extend|expand|shorten|round|delet|dropp?|swap|substitut|fix|mend|repair|correct|clean"
    r"|tid|simplif|improv|split|merg|join|convert|translat|port|migrat|turn|revis|moderni[sz]|upgrad|switch"
    r"|param(?:et(?:e)?ri[sz])|dedup(?:licat)?|inlin|extract|sort|trim|cut|speed|relax|loosen|tighten|unskip|skipp?"
    r"|enabl|disabl|silenc|annotat|retir)"
    r"(?:e|s|es|d|ed|ing|y|ies|ied|ying|ten|ting)?\b"
)
_ASKS = _words(
    rf"(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bno )(?<!\bits )(?<!\bany )\b(?!(?:correct|clean)\b){_CHANGE}"
    r"|(?:^\W*|[,:]\s*|\b(?:to|and|or|then|also|please|must|should|will)\s+)(?:correct|clean)\b"
    r"|\brewrote\b|\bgone\b|\bno longer\b|\bthere (?:is|are|must be) no\b|\bnot exist\b"
    r"|\b(?:contain|mention)s?\s+[`\"']"
)
_PUTS = _words(
    r"\b(?:add|put|writ|insert|append|includ|introduc|us|allow|mark)(?:e|s|es|ed|ing)?\b.*\b(?:in|to|into|of)\b[^,:]*$"
)
# Said anywhere in a sentence, before the name of the file, and after it.
_STAYS = _words(
    r"\b(?:un(?:changed|touched|altered|modified|edited)|intact|as (?:it|they) (?:is|are|was|were)|as[- ]is"
    r"|leav(?:e|es|ing)|left|ke(?:ep|eps|eping|pt)|stay(?:s|ed|ing)?|remain(?:s|ed|ing)?|read-only|off limits)\b"
)
_REFERS = _words(
    r"\b(?:not|never|without|cannot|nor|neither|nothing|none|instead of|rather than|except|other than|apart from"
    r"|unless|avoid|refrain|no (?:changes?|edits?)|according|described|see|cf|compare)\b|n't\b"
    r"|\b(?:match|satisf|meet|fulfil|agree|fit|suit|compl[yi]|conform|follow|honour|obey)\w*\b"
    r"|\b(?:describ|test|cover|check|assert|specif|defin|explain|document|expect|requir|report|demand|stat|writt"
    r"|giv|said|say|told|tell|show|found|find|caught|seen)\w*\s+(?:in|by|at)\b[^,:]*$"
    r"|(?<!\bwell )\b(?:as|like|what|that|which|by|per|than|how|where|because|against|for|using)\s+"
    r"(?:(?:in|by|the|file|tests?|of)\s+)*[`'\"(]*[\w./-]*$"
)
_SPEAKS = _words(
    r"[`'\")]*\s+(?:describ|sa(?:y|id)|show|expect|tell|told|defin|specif|requir|want|demand|ask|check|assert)"
)
_FORBIDS = _words(
    rf"(?:\b(?:not|never|cannot)|n't)\b(?:\W+\w+){{0,2}}?\W+(?:touch|{_CHANGE})"
    r"|\bno (?:changes?|edits?)\b"
)


def kept_files(spec: Spec, found: Scope) -> set[str]:
    """The changed files of tests in which nothing that was there may be altered."""
    return {each.path for each in found.files if is_test(each.path)} - meant_files(spec, found)


def meant_files(spec: Spec, found: Scope) -> set[str]:
    """The changed files that the task names as those to be changed, tests or not."""
    return {
        each.path
        for each in found.files
        if asks_for(spec, each.path)
        or (spec.files and each.pattern and _names(each.pattern, each.path))
    }


def asks_for(spec: Spec, path: str) -> bool:
    """Whether the words of a task name this file as one to be changed."""
    name = re.compile(rf"(?<![\w.-]){re.escape(path.rpartition('/')[2])}(?![\w-]|\.\w|::)")
    return any(
        _asks(sentence, before=sentence[: found.start()], after=sentence[found.end() :])
        for sentence in _sentences(spec)
        if (found := name.search(sentence))
    )


def _asks(sentence: str, *, before: str, after: str) -> bool:
    if _JUDGES.search(sentence) or RUNS_TESTS.search(sentence) or _STAYS.search(sentence):
        return False
    if _REFERS.search(before) or _SPEAKS.match(after) or _FORBIDS.search(after):
        return False
    return bool(_ASKS.search(sentence) or _PUTS.search(before))


def _sentences(spec: Spec) -> Iterator[str]:
    for text in (spec.title, spec.summary, *spec.criteria):
        yield from _SENTENCES.split(text)


def _names(pattern: str, path: str) -> bool:
    from wcmatch import glob

    plain = pattern.strip().removeprefix("./")
    plain += "**" if plain.endswith("/") else ""
    flags = glob.GLOBSTAR | glob.DOTGLOB | glob.CASE | glob.BRACE
    return plain == path or glob.globmatch(path, plain, flags=flags)
