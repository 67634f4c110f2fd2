"""
Text into stems: what of a task and of a skill is compared.

Light on purpose. Plurals, -ing and -ed go; heavier stemming found no more skills on labelled tasks.
camelCase gives the whole and its parts, Chinese, Japanese and Korean give pairs of characters, stop
words give nothing, so that "the" never chooses a skill.
"""

import re

STOP = frozenset(
    """a an the and or but if then else of to in on at by for from with without into onto over under about
    as is are was were be been being am do does did doing done have has had having will would can could
    should may might must shall not no nor so than too very just also only own same such both each few more
    most other some any all this that these those there here it its itself i me my mine we us our ours you
    your yours he him his she her hers they them their theirs what which who whom whose when where why how
    while during before after above below up down out off again further once between through because until
    against s t don re ve ll d m isn aren wasn doesn didn won wouldn couldn shouldn haven hasn hadn weren ain mustn needn shan cannot let via per etc
    skill skills use uses used using user users help helps please want wants need needs like get make sure
    thing things""".split()
)
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z][/&][A-Za-z](?![A-Za-z0-9])"  # A/B, Q&A
    r"|[A-Za-z0-9\u00c0-\u024f\u0370-\u052f]+(?:\+\+|#)?"  # words, C++, C#
    r"|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"  # runs without blanks
)
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_MIXED = re.compile(r"[a-z][A-Z]|[A-Z]{2,}[a-z]{2,}")
_VOWEL = re.compile("[aeiouy]")
_LETTERS_THAT_ARE_NAMES = "cr"  # languages
_LONGEST = 64
_MOST_KEPT = 100_000
_known: dict[str, tuple[str, ...]] = {}


def words(text: str) -> list[str]:
    """The stems of `text` in order, stop words left out."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if token[0] >= "\u3040":
            found += [token[at : at + 2] for at in range(len(token) - 1)] or [token]
            continue
        stems = _known.get(token)
        if stems is None:
            stems = _stems(token[:_LONGEST])
            if len(_known) < _MOST_KEPT:
                _known[token] = stems
        found += stems
    return found


def _stems(token: str) -> tuple[str, ...]:
    parts = [token, *_CAMEL.findall(token)] if _MIXED.search(token) else [token]
    return tuple(
        stem(part)
        for part in map(str.lower, parts)
        if part not in STOP and (len(part) > 1 or part.isdigit() or part in _LETTERS_THAT_ARE_NAMES)
    )


def stem(word: str) -> str:
    """Without plural, -ing, -ed, a final e; a final y becomes i, as before -es."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):  # noqa: PLR2004  too short to have an ending
        return word
    word = _singular(word)
    for end in ("ing", "ed"):
        root = word.removesuffix(end)
        if root != word and len(root) >= 3 and _VOWEL.search(root) and not word.endswith("eed"):  # noqa: PLR2004
            doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz"  # noqa: PLR2004
            word = root[:-1] if doubled else root
            break
    if len(word) > 3 and word[-1] == "e":  # noqa: PLR2004
        word = word[:-1]
    if len(word) > 3 and word[-1] == "y":  # noqa: PLR2004
        word = word[:-1] + "i"
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:  # noqa: PLR2004
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
