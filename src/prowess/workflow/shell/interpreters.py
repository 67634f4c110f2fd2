"""
Programs that take a word, a file or their input for code, and which of their words are none.

What cannot be told for certain is taken for code: an option that is not known may take the word
after it, so that the script may be the word after that.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from prowess.workflow.shell.word import Word, refused

SHELLS = frozenset("sh bash dash zsh ksh mksh ash fish busybox rbash csh tcsh".split())
CLIENTS = frozenset("psql mysql mariadb sqlite sqlplus duckdb".split())  # no operand is a script
# Options after which the next word is code; also in a cluster, like -lc, and glued, like -c'...'.
CODE: Mapping[str, str] = {
    **dict.fromkeys(SHELLS, "c"),
    **dict.fromkeys("python pypy ipython uv-python".split(), "c"),
    **dict.fromkeys(
        "perl ruby node nodejs bun lua luajit mysql mariadb osascript Rscript R julia groovy scala"
        " tclsh wish guile sbcl clisp ocaml swipl octave gnuplot irb ghci jshell elixir iex erl".split(),
        "eEp",
    ),
    **dict.fromkeys("php".split(), "rBRE"),
    **dict.fromkeys("pwsh powershell".split(), "cC"),
    **dict.fromkeys("psql sqlite sqlplus duckdb".split(), "cfoL"),
    "dc": "ef",
}  # fmt: skip
_LONG_CODE = frozenset(
    "--command --eval --print --execute --run --expression --source --file --output --log-file"
    " --init-command -Command -EncodedCommand".split()
)
# Letters and names of options that take no word.
_LONE: Mapping[str, str] = {
    **dict.fromkeys(SHELLS, "abcefhiklmnprstuvxBCEHPTD"),
    **dict.fromkeys("python pypy ipython".split(), "bBdEhiIOPqRsSuvVx"),
    "perl": "wWtTuUnalcvsS", "ruby": "wWvanlsScd",
}  # fmt: skip
_LONE_LONG = ("--no", "--login", "--posix", "--verbose", "--trace-", "--experimental-", "--enable-",
              "--inspect", "--harmony", "--watch", "--version", "--help", "--vanilla", "--slave")  # fmt: skip
# After the code of these come arguments only; the others take more code.
_ONE_CODE = SHELLS - {"fish"} | {"python", "pypy"}
# Options with which a client reads no commands from its input; a glued word may be anything.
_CLIENT_CODE = re.compile(r"-[aAtqXxnS1H]*[cfe]|--(?:command|file|execute)(?:=.*)?", re.DOTALL)
# Modules of Python that take what they are fed with for code, and those that take their words for it.
_ASKING = frozenset("code pdb asyncio IPython ptpython bpython xonsh".split())
_RUNNING = frozenset("timeit cProfile profile trace runpy doctest".split())
# How code in Perl opens the files in its words, so that `command|` is one to run.
_OPENS_WORDS = re.compile(r"<\s*(?:ARGV\s*)?>|\breadline\b(?!\s*\(?\s*[$*{])")

_AS_ARGUMENT = (
    "hand the value over as an argument of a script or after the code (python3 script.py {x},"
    " bash -c '… \"$1\"' _ {x}), in a variable of the environment, or to a python step"
)


@dataclass(frozen=True, slots=True)
class Found:
    """Where the program of an interpreter comes from, and the first word that is only an argument of it."""

    by: Literal["code", "script", "input"]
    after: int


def check_interpreter(name: str, rest: Sequence[Word], *, fed: bool = False) -> None:
    """The code, the script and the options of an interpreter are the author's; what follows may be values."""
    found = find_program(name, rest)
    letters = {each for word in rest[: found.after] if word.is_option for each in word.text[1:]}
    if name in ("perl", "ruby") and letters & set("np") and any(word.has_slot for word in rest):
        raise refused(f"`{name} -n` runs a file whose name is `command|`", _AS_ARGUMENT)
    if name == "perl" and _opens_words(rest):
        raise refused("`<>` in Perl runs a file whose name is `command|`", _AS_ARGUMENT)
    if fed and (found.by == "input" or "i" in letters):
        raise refused(f"`{name}` may take what it is fed with for code", _AS_ARGUMENT)
    for option, code in pairwise(rest if name not in _ONE_CODE else rest[: found.after]):
        if takes_code(name, option.text) and (code.has_slot or not code.exact):
            raise refused(f"`{name} {option.text}` takes this for code", _AS_ARGUMENT)
    if found.by == "code" and name in SHELLS and not rest[min(found.after, len(rest)) - 1].exact:
        raise refused(f"`{name}` takes this for code", _AS_ARGUMENT)
    own = [word for word in rest[: found.after] if word.has_slot]
    if name in CLIENTS:  # their operands are names, and the first is that of a database
        first = [word for word in rest if not word.is_option][:1]
        own = [word for word in (*rest, *first) if word.has_slot and (word.is_option or word in first)]  # fmt: skip
    if own:
        raise refused(f"`{name}` may take this for code or for its script", _AS_ARGUMENT)


def _opens_words(rest: Sequence[Word]) -> bool:
    return any(word.has_slot for word in rest) and any(_OPENS_WORDS.search(word.text) for word in rest)  # fmt: skip


def find_program(name: str, rest: Sequence[Word]) -> Found:
    waiting = ended = False  # an option may take the next word; there are no more options
    coded = False  # the next operand is code: a shell takes more options between -c and its code
    for at, word in enumerate(rest):
        if word.text == "--":
            waiting, ended = False, True
        elif word.is_option and not ended:
            coded |= name in SHELLS and takes_code(name, word.text)
            if not coded and (found := _brought(name, rest, at)):
                return found
            waiting = not _stands_alone(name, word.text)
        elif name in CLIENTS or waiting:
            waiting = False
        elif coded:
            return Found("code", at + 1)
        elif word.exact or word.text:
            return Found("input" if word.is_input else "script", at + 1)
        else:  # all of it comes from a variable: a script, or options
            later = [n for n in range(at + 1, len(rest)) if takes_code(name, rest[n].text)]
            return Found("code", max(later) + 2) if later else Found("script", at + 1)
    return Found("input", len(rest))


def _brought(name: str, rest: Sequence[Word], at: int) -> Found | None:
    """The program that the option at this place brings, if it does."""
    option = rest[at].text
    short = option[:2] != "--"
    if takes_code(name, option) and (name not in CLIENTS or _CLIENT_CODE.fullmatch(option)):
        fed = option.endswith("=-") or (at + 1 < len(rest) and rest[at + 1].is_input)
        return Found("input" if fed else "code", at + 2)
    if name in ("python", "pypy") and short and "m" in option:
        module, after = _module(rest, at)
        if module in _ASKING:
            return Found("input", len(rest))
        return Found("script", len(rest) if module in _RUNNING else after)
    if name in SHELLS and short and "s" in option:
        return Found("input", len(rest))
    return None


def _module(rest: Sequence[Word], at: int) -> tuple[str, int]:
    """The module that `-m` at this place names, glued to it or after it, and the word behind that."""
    glued = rest[at].text.partition("m")[2]
    if glued:
        return glued.partition(".")[0], at + 1
    return (rest[at + 1].text.partition(".")[0] if at + 1 < len(rest) else ""), at + 2


def _stands_alone(name: str, option: str) -> bool:
    if option.startswith("--"):
        return "=" in option or option.startswith(_LONE_LONG)
    return set(option[1:]) <= set(_LONE.get(name, ""))


def takes_code(name: str, option: str) -> bool:
    cluster = option[:1] == "-" and option[:2] != "--" and bool(set(option[1:]) & set(CODE[name]))
    return cluster or option.split("=", 1)[0] in _LONG_CODE


@dataclass(frozen=True, slots=True)
class _Filter:
    """`code`: letters of options that bring a program. `valued`: options, and how many words they take."""

    code: str
    long: tuple[str, ...]
    valued: Mapping[str, int]
    glued: tuple[str, ...] = ()  # options that may have a value in the same word


_AWK = _Filter(
    "efEW",
    ("--source", "--file", "--exec"),
    {"-v": 1, "-F": 1, "--assign": 1, "--field-separator": 1, "-i": 1, "-l": 1, "--include": 1, "--load": 1},
    ("-v", "-F", "--assign=", "--field-separator="),
)  # fmt: skip
_SED = _Filter("ef", ("--expression", "--file"), {"-l": 1, "--line-length": 1})
_JQ = _Filter(
    "f",
    ("--from-file",),
    {"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--indent": 1, "-L": 1, "-I": 1},
)
FILTERS: Mapping[str, _Filter] = {
    **dict.fromkeys("awk gawk mawk nawk".split(), _AWK),
    **dict.fromkeys("sed gsed".split(), _SED),
    **dict.fromkeys("jq jaq gojq yq".split(), _JQ),
}
_LOADS = ("-i", "-l", "--include", "--load", "-L")
_SUBCOMMANDS = frozenset("e eval ea eval-all".split())  # of yq
_AS_VARIABLE = "hand the value over as a variable: awk -v x={x}, jq --arg x {x}; for sed use a script or a python step"


def check_filter(name: str, rest: Sequence[Word], *, fed: bool = False) -> None:
    """The first operand of awk, sed and jq is a program, unless options bring one."""
    kind = FILTERS[name]
    if name == "yq" and rest and rest[0].text in _SUBCOMMANDS:
        rest = rest[1:]
    skip, seen = 0, False
    for at, word in enumerate(rest):
        after = rest[at + 1] if at + 1 < len(rest) else None
        code = False
        if skip:
            skip -= 1
        elif word.text in kind.valued:
            skip = kind.valued[word.text]
            code = word.text in _LOADS and after is not None and after.has_slot
        elif word.text.startswith(kind.glued):
            continue
        elif word.is_option:
            brings = _brings(kind, word.text)
            code = word.has_slot or (brings != "" and _is_code(word.text, after, fed=fed))
            skip, seen = (1, True) if brings == "next" else (0, seen)
        else:
            code = not seen and (word.has_slot or not word.exact)
            seen = True
        if code:
            raise refused(f"`{name}` takes this for code", _AS_VARIABLE)


def _is_code(option: str, after: Word | None, *, fed: bool) -> bool:
    """Whether a value, or what the shell puts in, would become code after this option."""
    if fed and (option.endswith(("-", "/dev/stdin")) or (after is not None and after.is_input)):
        return True
    return after is not None and (after.has_slot or (not after.exact and "e" in option))


def _brings(kind: _Filter, option: str) -> str:
    """Whether the program is the `next` word, or `perhaps`, or not brought by this option."""
    if option.startswith("--"):
        name = option.split("=", 1)[0]
        found = name != "--" and any(long.startswith(name) for long in kind.long)
        return "" if not found else "perhaps" if "=" in option else "next"
    letters = [at for at, letter in enumerate(option) if at and letter in kind.code]
    if not letters:
        return ""
    return "next" if letters[0] == len(option) - 1 and "i" not in option else "perhaps"
