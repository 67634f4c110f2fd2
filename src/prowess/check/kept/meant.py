"""
Which tests a task asks to change. All others that were there before have to stay as they were.

A file is meant where `files:` names it, by itself or by a wildcard, or where a sentence of the task
asks for a change of it. A sentence that says how its tests have to end, or runs them, names a judge;
one that only tells what it says, or that it is to stay, asks for nothing. Such a file stays.

A sentence that asks to add something to a file lets it be altered, and no more: what it judged before,
it judges once more as it was.
"""

import re
from collections.abc import Iterator

from prowess.check.kept.known_tests import is_test
from prowess.check.kept.tests_too import takes_tests, without_names
from prowess.check.running.runners import RUNS_TESTS
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
_MAKES = _words(
    r"\b(?:add|creat|writ|introduc|generat|set up|provid|mak|scaffold)(?:e|s|es|ed|ing)?\s+(?:(?:an?|the|new|file|\w+)\s+){0,3}[`'\"(]*[\w./-]*$"
)
# "Set `x` in a file", as an order: what users may set in it, or what was set there, asks for nothing.
_SETS = _words(
    r"(?:^\W*|[,:]\s*|\b(?:and|then|also|please)\s+)(?:(?:set|configure|point)(?:\s+(?!(?:to|from|as|with|like|that|than|by)\b)"
    r"[^\s,:]+){1,6}(?<!listed)(?<!named)(?<!given)(?<!shown)(?<!defined)(?<!described)(?<!found)\s+in|configure|point)\s+(?:the\s+(?:file\s+)?)?[`'\"(]*[\w./-]*$"
)
_IN_FILE = _words(r"^\W*in\s+(?:the\s+(?:file\s+)?)?[`'\"(]*[\w./-]*$")
_SET_IN_IT = _words(
    r"[`'\")]*,?\s+(?:please\s+)?(?:set|configure|point)\b(?!\s+(?:in|by|at|from)\b)"
)
_OF_OTHERS = _words(
    r"\b(?:users?|people|who|whoever|they|you|one|can|could|may|might|let|allow|able|when|whenever|if|where|which|how"
    r"|document|explain|describe|say|show|tell)\b"
)
_COMMANDS = re.compile(r"`([^`\n]*)`")
_RUNNER = r"(?:pytest|unittest|jest|vitest|mocha|ava|tox|nox|ctest|rspec|phpunit)"
# The name of a runner, alone: behind it no options nor files, before it no program that starts it.
_NAMED_RUNNER = _words(
    rf"(?<!-m )(?<!npx )(?<!bunx )(?<!pnpm )(?<!yarn )(?<!exec )(?<!with )(?<!under )(?<!via )(?<!using )"
    rf"(?<!by )(?<!so )(?<!that )\b{_RUNNER}\b(?!\s+(?:-|[\w-]*[./]\w)|/)"
)
_TURNED_RUNNER = _words(rf"\b(?:from|to|of)\s+`?{_RUNNER}\b(?!\s+(?:-|[\w-]*[./]\w)|/)")
# What may stand between a comma and a file that is one of a list.
_LISTED = _words(
    r"[\s`'\"(]*(?:(?:[\w./-]*\.\w+[`'\"]*\s+)?(?:and|or|also|then|as well as|plus)\s+)*"
    r"(?:the\s+(?:file\s+)?)?[`'\"(]*[\w./-]*"
)
# Said anywhere in a sentence, before the name of the file, and after it.
_STAYS = _words(
    r"\b(?:un(?:changed|touched|altered|modified|edited)|intact|as (?:it|they) (?:is|are|was|were)|as[- ]is"
    r"|leav(?:e|es|ing)|left|ke(?:ep|eps|eping|pt)|stay(?:s|ed|ing)?|remain(?:s|ed|ing)?|read-only|off limits)\b"
)
_REFERS = _words(
    r"\([^()]*$|\b(?:until|so that|in order to)\b|\b(?:is|are|was|were)\s+(?:in|at|by|from)\b[^,:]*$"
    r"|\b(?:errors?|failures?|problems?|findings?|complaints?|warnings?|regressions?)\s+(?:in|of|from)\b[^,:]*$"
    r"|\b(?:not|never|without|cannot|nor|neither|nothing|none|instead of|rather than|except|other than|apart from"
    r"|unless|avoid|refrain|no (?:changes?|edits?)|according|described|see|cf|compare)\b|n't\b"
    r"|\b(?:match|satisf|meet|fulfil|agree|fit|suit|compl[yi]|conform|follow|honour|obey)\w*\b"
    r"|\b(?:describ|tested|us|cover|check|asserted|specif|defin|explain|document|expect|requir|report|demand|stat|writt"
    r"|giv|said|say|told|tell|show|found|find|caught|seen)\w*\s+(?:in|by|at)\b[^,:]*$"
    r"|(?<!\bwell )\b(?:as|like|what|that|which|by|per|than|how|where|because|against|for|using)\s+"
    r"(?:(?:in|by|the|file|tests?|of)\s+)*[`'\"(]*[\w./-]*$"
)
_SPEAKS = _words(
    r"[`'\")]*\s+(?:already\s+)?(?:describ|complain|cover|has\b|have\b|catch|exercis|test(?:s|ed)?\b|sa(?:y|id)|show|expect|tell|told|defin|specif|requir|want|demand|ask|check|assert)"
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
    """Whether the words of a task name this file as one to be changed, or all tests as such."""
    if is_test(path) and asks_for_tests(spec):
        return True
    return any(
        _sets(before, after)
        or (
            _ASKS.search(sentence)
            and not _PUTS.search(before)
            and not _names_another(before, after)
        )
        for sentence, before, after in _about(spec, path)
    )


def asks_for_tests(spec: Spec) -> bool:
    """Whether they ask to alter tests as such, or what these expect, wherever they are."""
    return any(map(_asks_for_tests, _sentences(spec)))


def _asks_for_tests(sentence: str) -> bool:
    said = without_names(sentence)
    judges = _JUDGES.search(said) or _calls_runner(sentence, of_tests=True) or _STAYS.search(said)
    return not judges and takes_tests(said)


def _calls_runner(sentence: str, *, of_tests: bool) -> bool:
    """
    Whether tests are run, and not only a runner is named: by its settings, or in a sentence about tests as
    what they are turned into.
    """
    if any(" " in each and RUNS_TESTS.search(each) for each in _COMMANDS.findall(sentence)):
        return True
    named = _TURNED_RUNNER if of_tests else _NAMED_RUNNER
    return bool(RUNS_TESTS.search(named.sub(" ", sentence)))


def _sets(before: str, after: str) -> bool:
    """Whether it orders something in the file to be set to another value."""
    if _SETS.search(before):
        return not _OF_OTHERS.search(before)
    return bool(_IN_FILE.search(before) and _SET_IN_IT.match(after))


def adds_to(spec: Spec, path: str) -> bool:
    """
    Whether they ask for something to be added to it, or for the file itself. What such a file is to do, as
    to run the tests, may be said of all but tests.
    """
    told = _about(spec, path) if is_test(path) else _naming(spec, path)
    return any(
        (_PUTS.search(before) or _MAKES.search(before)) and not _spares(sentence, before, after)
        for sentence, before, after in told
    )


def demanded(spec: Spec, path: str) -> bool:
    """Whether a criterion says of this very file, by its whole name, that it is to be there, or what it holds."""
    says = re.compile(rf"(?:the file )?`{re.escape(path)}` (?:must )?(?:exists?|contains?)\b")
    return any(says.match(each) for each in spec.criteria)


def _about(spec: Spec, path: str) -> Iterator[tuple[str, str, str]]:
    """The sentences that may ask for a change of this file, and do not only say how it is to end."""
    for sentence, before, after in _naming(spec, path):
        judges = _JUDGES.search(sentence) or _calls_runner(sentence, of_tests=is_test(path))
        if not judges and not _spares(sentence, before, after):
            yield sentence, before, after


def _naming(spec: Spec, path: str) -> Iterator[tuple[str, str, str]]:
    """The sentences that name the file, each with what stands before and after its name."""
    name = re.compile(rf"(?<![\w.-]){re.escape(path.rpartition('/')[2])}(?![\w-]|\.\w|::)")
    for sentence in _sentences(spec):
        if found := name.search(sentence):
            yield sentence, sentence[: found.start()], sentence[found.end() :]


def _spares(sentence: str, before: str, after: str) -> bool:
    """Whether it says that the file is to stay, or only refers to it."""
    refers = _REFERS.search(before) or _SPEAKS.match(after) or _FORBIDS.search(after)
    return bool(_STAYS.search(sentence) or refers)


def _names_another(before: str, after: str) -> bool:
    """Whether the verb is about another file, and this one comes behind a comma."""
    *earlier, last = before.split(",")
    if not earlier or _ASKS.search(last) or _ASKS.search(after):
        return False
    return not _LISTED.fullmatch(last) and not re.match(r"\s*in\b", before, re.IGNORECASE)


def _sentences(spec: Spec) -> Iterator[str]:
    for text in (spec.title, spec.summary, *spec.criteria):
        yield from _SENTENCES.split(text)


def _names(pattern: str, path: str) -> bool:
    from wcmatch import glob

    plain = pattern.strip().removeprefix("./")
    plain += "**" if plain.endswith("/") else ""
    flags = glob.GLOBSTAR | glob.DOTGLOB | glob.CASE | glob.BRACE
    return plain == path or glob.globmatch(path, plain, flags=flags)
