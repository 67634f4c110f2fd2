"""
Whether a sentence asks to alter the tests of what it changes, wherever they are: "Rename it, and its tests".

Tests are meant where they are the object of a verb ("adapt the tests"), or stand beside it ("the code and its
tests", "everywhere in the tests"). To fix tests, or to write some, is another thing, and so is code that
is to suit them. Who says which tests are meant does not mean all of them.
"""

import re


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_LONGEST = 2000  # characters of a sentence that is read
# What stands in for names of code and of files, whose dots and words say nothing.
_NAME = "`"
_NAMES = re.compile(r"`[^`\n]*`|[^\s`(),;:]+")
_LIKE_NAMES = re.compile(r"[./]\w|\w/")
_ASIDE = re.compile(r"\((?![^()]*\btests\b)[^()]*\)")
_ADDS = _words(r"\((?=\s*(?:and|plus|with|including|together|along|as well as)\b)")
_TESTS = _words(r"\btests\b")
# What tests compare with is a part of them.
_EXPECTED = _words(
    r"\bexpected (?:outputs?|results?|files|values)\b|\b(?:golden files|snapshots)\b"
)
_CLAUSES = re.compile(r"[.;:()]")

_WHOSE = r"(?:all|the|its|their|of|also|any|corresponding|existing|affected|related|relevant|associated|obsolete|outdated)"
_KIND = r"(?:(?:unit|integration|old)\s+)?"
_ALL = rf"(?:{_WHOSE}\s+){{1,5}}{_KIND}"
_STEMS = r"(?:renam|remov|delet|mov|updat|rewrit|migrat|merg)(?:e|es|ed|ing)|rewritten"
_VERB = _words(
    rf"\b(?:{_STEMS}|(?:adapt|adjust|convert|port|split|drop|extract)(?:s|p?ed|t?ing|ping)?)\b"
)
_OTHER_VERB = r"(?:(?:fix|correct|chang|alter|amend|edit|modif|extend|revis)(?:y|e|ing|ying)?\s+)?"
_OBJECT = _words(rf"\s+{_KIND}")
_OBJECTS = _words(rf"\s+{_ALL}")
_BESIDE = _words(
    rf"(?:\b(?:with|and|including|plus|then|as well as)|,)\s+(?:(?:then|also|in|across)\s+){{0,2}}{_OTHER_VERB}{_ALL}$"
    rf"|\b(?:in|from|of|across|throughout|within)\s+{_ALL}$"
)
_BESIDE_CODE = _words(rf"\b(?:and|plus|including|as well as)\s+{_KIND}$")

# Said before a verb: it is none, it forbids, or somebody else is to do it.
_NO_VERB = _words(
    r"(?:\b(?:the|an?|no|its|any|each|every|this|that|which|who|whoever|how to|need to|for|of|on|about)"
    r"|\b(?:implement|add|fix|improv|test|writ|creat|mak|support|document|check|review|introduc)(?:e|s|es|ed|ing)?)\s+$"
)
_IS = _words(r"\b(?:is|are|was|were|be|been|gets?)\s+$")
_NOT = _words(
    r"(?:\b(?:not|never|cannot|without|nor|neither|instead of|rather than|avoid|refrain from|unless|no|nobody"
    r"|(?:prevent|forbid|refus|stop|warn|detect|speed up)\w*"
    r"|when|whenever|after|before|if)|n't)\s+(?:(?!and\b|but\b|then\b)\w+\s+){0,2}$"
    r"|(?:\b(?:do|must|may|shall|should) not|\b(?:do|must|should)n't)\b[^,]*$"
)
_REMINDS = _words(r"\b(?:do not|don't|never) forget to\b")
# Said before a verb without an article: tests of this kind are to be written, as in "add create and delete tests".
_OF_A_KIND = _words(
    r"\b(?:add|writ|creat|introduc|provid|includ|generat|implement|cover|need|have)\w*(?:\s+\w+,?){1,5}\s+(?:and\s+)?$"
)
_AS_NEEDED = _words(r"\s+(?:accordingly|as|where|wherever|when|if)\b")
_NO_ORDER = _words(r"(?:s|ed)$")
_BEGINS = _words(r"(?:^\W*|,\s+|\b(?:and|then|also|please|by|must|should)\s+)$")

# Said between a verb and what stands beside its object.
_OTHERWISE = _words(
    r"\b(?:so that|so as|until|in order|between|according|against|like|unless|matche?s?|satisf\w+|meets?|fulfil\w*"
    r"|agree\w*|fits?|suits?|compl(?:y|ies|iant|iance)|conform\w*|align\w*|follows?|honours?|obeys?|in line|in sync"
    r"|accordance|consistent|compatible|deals?|cope|how|as in|need (?:for|of)"
    r"|(?:used|needed|required|shared|wanted|expected|asked|demanded|shown|stated|given|said|told)\s+(?:for\s+)?(?:by|in|from)"
    r"|to the (?:values|numbers|results|expectations|cases|examples|assertions))\b"
)
_SPARES = _words(
    r"\b(?:none|nothing|not|never|neither|except|without)\s+(?:(?:of|in|any)\s+)?(?:(?:the|its|their|any)\s+)?$"
)
# Tests beside these are one more thing that a server runs.
_OF_CI = _words(
    r"\b(?:ci|cd|builds?|lint(?:s|ing)?|jobs?|workflows?|pipelines?|deploy\w*|release)\b"
)
_FAR = _words(r"\b(?:for|about|on|of|from|with|that|which|who|where|when|if|as)\b")

# Said behind the tests: which they are, or what they do.
_SOME = _words(
    r"\s*(?:`|(?:in|from|of|for|by|are|is|was|were|still|must|folder|director(?:y|ies)|workflow|jobs?|badge|readme|docs?"
    r"|data|runner|config\w*|settings?|targets?|scripts?|commands?|images?|matrix|sections?|pages?|tables?)\b)"
)
_ENDS = _words(
    r"[^\w`]*$|\s*[,)]|\s+(?:-+|—|(?:and|or|to|as|too|so|that|which|where|wherever|when|if|because|since|but|then|now"
    r"|accordingly|everywhere|along|with|together|at|into)\b)"
)


def without_names(sentence: str) -> str:
    """The sentence with one mark in the place of each name of code or of a file."""
    return _NAMES.sub(_as_mark, sentence)


def takes_tests(sentence: str) -> bool:
    """Whether a sentence `without_names` asks to alter its tests as such."""
    if len(sentence) > _LONGEST:
        return False
    sentence = _EXPECTED.sub("tests", sentence)
    said = _REMINDS.sub("", _ADDS.sub("", _ASIDE.sub("", sentence)))
    return any(_takes(said[: each.start()], said[each.end() :]) for each in _TESTS.finditer(said))


def _takes(before: str, after: str) -> bool:
    """Of one mention of tests, by what stands before it and after it."""
    clause = _CLAUSES.split(before)[-1]
    verb = _last_verb(clause)
    if verb is None or _NOT.search(clause[: verb.start()]):
        return False
    between = clause[verb.end() :]
    if _OBJECTS.fullmatch(between):
        return not _SOME.match(after)
    if not _ENDS.match(after) or _OTHERWISE.search(between) or _SPARES.search(between):
        return False
    return bool(_BESIDE.search(between)) or _takes_bare(clause, verb, after)


def _takes_bare(clause: str, verb: re.Match[str], after: str) -> bool:
    """The same where no article says that it is about tests that are there."""
    start, between = clause[: verb.start()], clause[verb.end() :]
    if _NO_ORDER.search(verb[0]):
        return False
    if _OBJECT.fullmatch(between):
        is_order = bool(_BEGINS.search(start))
        return is_order and bool(_AS_NEEDED.match(after) or not _OF_A_KIND.search(start))
    code = None if _OF_CI.search(between) else _BESIDE_CODE.search(between)
    return bool(code and not _FAR.search(between[: code.start()]))


def _last_verb(clause: str) -> re.Match[str] | None:
    verbs = [each for each in _VERB.finditer(clause) if _is_verb(each[0], clause[: each.start()])]
    return verbs[-1] if verbs else None


def _is_verb(word: str, before: str) -> bool:
    """Of one that is done, as in "renamed files", only where something is told to be renamed."""
    done = word.lower().endswith("ed")
    return bool(_IS.search(before)) if done else not _NO_VERB.search(before)


def _as_mark(found: re.Match[str]) -> str:
    said = found[0]
    return _NAME if said[0] == "`" or _LIKE_NAMES.search(said.rstrip(".")) else said
