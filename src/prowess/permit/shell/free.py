"""
Commands that need no rule, because they change nothing and read no file.

`echo done`, `cd src`, `[ -f x ]`; and, after a pipe, the filters that only see what is piped to
them. An operand that could name a file makes a filter an ordinary command.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from prowess.permit.paths import World
from prowess.permit.shell.simple import Simple
from prowess.permit.shell.words import Word
from prowess.permit.shell.wrappers import Options

_SILENT = frozenset(("true", "false", ":", "pwd", "exit"))
_SUPPLIED = frozenset(("true", "false", ":", "echo"))  # harmless with any words whatever
# Harmless but for these options, which set or evaluate something.
_EXCEPT = {"echo": (), "printf": ("-v",), "test": ("-v", "-R"), "[": ("-v", "-R")}
_COUNT = re.compile(r"[-+]\d+")
# `%n` writes how much was printed so far into a variable, which may be PATH.
_COUNTED = re.compile(r"%[-+ #0'*.\d]*[hjlLqtz]*n")

FILTERS: Mapping[str, Options] = {
    "head": Options(flags="qvz", valued="nc", long=("lines=", "bytes=", "quiet", "verbose")),
    "tail": Options(flags="qvzf", valued="nc", long=("lines=", "bytes=", "quiet", "verbose")),
    "wc": Options(flags="clmwL", long=("bytes", "chars", "lines", "words", "max-line-length")),
    "sort": Options(flags="bdfghiMnRrVcCmsuz", valued="ktS"),
    "uniq": Options(
        flags="cdDiuz", valued="fsw", long=("count", "repeated", "unique", "ignore-case")
    ),
    "cut": Options(
        flags="snz",
        valued="bcdf",
        long=("bytes=", "characters=", "delimiter=", "fields=", "complement", "output-delimiter=",
              "only-delimited"),
    ),
    "tr": Options(flags="cCdst", long=("complement", "delete", "squeeze-repeats"), operands=2),
    "nl": Options(flags="p", valued="bdfhilnsvw"),
    "cat": Options(flags="AbeEnstTuv", long=("number", "show-all", "show-ends", "squeeze-blank")),
    "column": Options(flags="txe", valued="csoN", long=("table", "separator=")),
    "rev": Options(),
    "tac": Options(flags="br", valued="s"),
    "grep": Options(
        flags="ivncloLqswxhHEFGPazbUy",
        valued="eABCm",
        long=(
            "ignore-case", "invert-match", "line-number", "count", "files-with-matches",
            "only-matching", "quiet", "silent", "word-regexp", "line-regexp", "extended-regexp",
            "fixed-strings", "perl-regexp", "basic-regexp", "text", "no-messages", "color",
            "colour", "color=", "colour=", "regexp=", "max-count=", "after-context=", "before-context=",
            "context=", "line-buffered", "no-filename",
        ),
        operands=1,
    ),
}  # fmt: skip
_GREPS = frozenset(("grep", "egrep", "fgrep"))


def is_free(words: Sequence[Word], simple: Simple, world: World, *, supplied: bool) -> bool:
    """`supplied`: another program adds words to these."""
    name, operands = words[0].text, words[1:]
    if supplied or name in _SILENT:
        return name in (_SUPPLIED if supplied else _SILENT)
    if not all(word.literal for word in words):
        return False
    if name == "printf" and any(map(sets_variable, operands)):
        return False
    if name in _EXCEPT:
        return not any(word.text.startswith(_EXCEPT[name]) for word in operands)
    if name == "cd":
        return _stays(operands, simple, world)
    return (simple.piped or name == "cat") and filters(name, operands)


def sets_variable(word: Word) -> bool:
    """Would `printf` set a variable with this as its format?"""
    return _COUNTED.search(word.text) is not None


def _stays(operands: Sequence[Word], simple: Simple, world: World) -> bool:
    operands = operands[1:] if operands and operands[0].text == "--" else operands
    if len(operands) != 1 or operands[0].text.startswith("-"):
        return False
    return world.all_in_workspace(operands[0].text, simple.cwds) is not None


def filters(name: str, operands: Sequence[Word]) -> bool:
    """Does it see nothing but what is piped to it?"""
    options = FILTERS.get("grep" if name in _GREPS else name)
    if options is None:
        return False
    if name == "sort" and any(word.text.startswith("--") for word in operands):
        return False
    return _reads_no_file(operands, options, patterns=name in _GREPS)


def _reads_no_file(words: Sequence[Word], options: Options, *, patterns: bool = False) -> bool:
    """Only known options, and no more operands than are patterns or sets of letters."""
    most, found, at = options.operands, 0, 0
    texts = [word.text for word in words]
    while at < len(texts):
        text = texts[at]
        if text == "--":
            found += len(texts) - at - 1
            break
        if text.startswith("--"):
            length = _long_length(text, options.long)
        elif text.startswith("-") and text != "-" and not _COUNT.fullmatch(text):
            length = _short_length(text, options)
        else:
            found += text != "-" and not _COUNT.fullmatch(text)
            length = 1
        if length == 0:
            return False
        if patterns and _names_pattern(text):
            most = 0
        at += length
    return found <= most and at <= len(texts)


def _names_pattern(text: str) -> bool:
    if text.startswith("--"):
        return text.startswith("--regexp")
    return text.startswith("-") and "e" in text


def _long_length(text: str, known: Iterable[str]) -> int:
    """How many words the option takes up; 0 when it is not known."""
    name, equals, _ = text[2:].partition("=")
    if name in known and not equals:
        return 1
    return (1 if equals else 2) if name + "=" in known else 0


def _short_length(text: str, options: Options) -> int:
    for at, letter in enumerate(text[1:], 1):
        if letter in options.valued:
            return 1 if at + 1 < len(text) else 2
        if letter not in options.flags and not letter.isdigit():
            return 0
    return 1
