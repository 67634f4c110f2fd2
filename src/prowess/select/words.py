"""
Text into stems: what of a task and of a skill is compared.

Light on purpose. Plurals, -ing and -ed go; heavier stemming found no more skills on labelled tasks.
camelCase gives the whole and its parts, scripts that put no blanks between words give pairs of
characters or, where they are alphabets, threes; stop words give nothing, so that "the" never
chooses a skill. Letters of every script are letters, however they were typed.
"""

import re
import unicodedata
from collections.abc import Collection
from functools import cache

from prowess.select.stop import ENGLISH, OTHERS, UNSPACED

STOP = ENGLISH | OTHERS
# Scripts without blanks, and how many of their characters make a stem.
_PAIRS = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
_THREES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_SHORT = r"(?<![A-Za-z0-9])[A-Za-z][/&][A-Za-z](?![A-Za-z0-9])"  # A/B, Q&A
_ODD = r"(?:\+\+|#)?"  # C++, C#
_ASCII = re.compile(rf"{_SHORT}|[A-Za-z0-9]+{_ODD}")
_LITTLE = re.compile("|".join(sorted(UNSPACED, key=len, reverse=True)))
# To the last blank that fits. Putting marks in order takes the square of how many stand in a row.
_PIECE = re.compile(r".{1,500}(?!\S)|.{1,500}", re.DOTALL)
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_MIXED = re.compile(r"[a-z][A-Z]|[A-Z]{2,}[a-z]{2,}")
_ABBREVIATED = re.compile("[A-Z]{2,4}").fullmatch
_VOWEL = re.compile("[aeiouy]")
_LETTERS_THAT_ARE_NAMES = "cr"  # languages
_FIRST_THAT_IS_A_WORD = "\u30a0"  # from here on a character may be one by itself
_LONGEST = 64
_SHOUTED = 3  # words in capitals; more of them, and nothing else, are no names
_MOST_KEPT = 100_000
_known: dict[str, tuple[str, ...]] = {}


def words(text: str, *, kept: Collection[str] = ()) -> list[str]:
    """The stems of `text` in order, stop words left out but for those `kept`."""
    found: list[str] = []
    tokens = _tokens(text)
    if len(tokens) > _SHOUTED and text.isupper():  # its capitals say nothing
        tokens = [token.lower() for token in tokens]
    for token in tokens:
        if kept and len(token) > 1 and token.lower() in kept:
            found.append(stem(token.lower()))
            continue
        stems = _known.get(token)
        if stems is None:
            stems = _stems(token[:_LONGEST])
            if len(_known) < _MOST_KEPT:
                _known[token] = stems
        found += stems
    return found


def _tokens(text: str) -> list[str]:
    """What is a word between blanks, and what is a stem where there are none."""
    if text.isascii() or _is_english(text := _composed(text)):
        return _ASCII.findall(text)
    found: list[str] = []
    for word, pairs, threes in _any_script().findall(text):
        if word:
            found.append(word)
        elif pairs:
            for part in _LITTLE.sub(" ", pairs).split():
                found += _overlapping(part, 2) if len(part) > 1 or part == pairs else ()
        else:
            found += _overlapping(threes, 3)
    return found


def _is_english(text: str) -> bool:
    """As it is set: what is not ASCII are dashes, quotes, arrows and pictures, no letters or marks on them."""
    return all(each <= "\x7f" or _is_set(each) for each in set(text))


def _is_set(each: str) -> bool:
    """Where such characters stand there are some letters and marks too."""
    placed = each < "\u0300" or "\u2000" <= each < "\u3000" or "\U0001f000" <= each < "\U00020000"
    return placed and not each.isalnum() and unicodedata.category(each)[0] != "M"


def _composed(text: str) -> str:
    """The same letters however they were typed: wide, joined, or a letter and its accent."""
    return "".join(unicodedata.normalize("NFKC", piece) for piece in _PIECE.findall(text))


def _overlapping(run: str, size: int) -> list[str]:
    return [run[at : at + size] for at in range(len(run) - size + 1)] or [run]


@cache
def _any_script() -> re.Pattern[str]:
    """Words, runs for pairs, runs for threes. The marks of Arabic, Hebrew or Hindi belong to the letter before."""
    marks = "".join(
        chr(n) for n in range(0x300, 0x1E00) if unicodedata.category(chr(n)) in ("Mn", "Mc")
    )
    letters = rf"[^\W_{_PAIRS}{_THREES}]"
    return re.compile(
        rf"({_SHORT}|{letters}+(?:[{marks}]+{letters}*)*{_ODD})|([{_PAIRS}]+)|([{_THREES}]+)"
    )


def name_words(name: str) -> list[str]:
    """Of a skill's name, where a little word of another language is more likely a name: `nas`, `mit`."""
    return words(name, kept=OTHERS)


def _stems(token: str) -> tuple[str, ...]:
    stop = ENGLISH if _ABBREVIATED(token) else STOP  # German `mit` is with; MIT is a licence
    parts = [token, *_CAMEL.findall(token)] if _MIXED.search(token) else [token]
    return tuple(
        stem(part)
        for part in map(str.lower, parts)
        if part not in stop and (len(part) > 1 or _says_something(part))
    )


def _says_something(letter: str) -> bool:
    named = letter in _LETTERS_THAT_ARE_NAMES
    return named or letter.isdigit() or letter >= _FIRST_THAT_IS_A_WORD


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
