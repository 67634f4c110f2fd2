"""
Text that the line itself wrote, or had a program write.

`git $(echo --exec-path=x)` gives git a word that no reader of the line has seen as an option, and
`git log --format=…` or `date +…` print what they are told to no less than `echo` does. So what a
command prints counts as the line's own text, unless it is one of a few whose output the line
cannot choose: names of files and commits, numbers, dates.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from prowess.permit.paths import may_be_protected, protected
from prowess.permit.shell.free import filters
from prowess.permit.shell.simple import Simple
from prowess.permit.shell.words import Word

WORDS = frozenset(
    "word string raw_string ansi_c_string concatenation number simple_expansion expansion"
    " command_substitution process_substitution brace_expression extglob_pattern $".split()
)
_PLAIN = re.compile(r"[\w./@%+*?~][\w./@%+,*?~-]*", re.ASCII)
# With a name before or behind it, a value of this kind may become one that is guarded.
_DOTTED = re.compile(r"(?:^|/)\.[^./]|\.$")
_VARIABLE = re.compile(r"\$\{?\w+\}?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Printer:
    """
    A command that prints nothing of the line's choice: with these `options`, and with operands of
    this form. `needs` is an option without which it prints more. `paths`: behind `--` it takes
    paths, and prints those that are there.
    """

    options: str = ""
    operands: str = r"[^-].*|"
    needs: str = ""
    paths: bool = False

    def fits(self, texts: Sequence[str]) -> bool:
        if self.paths and "--" in texts:
            texts = texts[: texts.index("--")]
        given = [text for text in texts if re.fullmatch(self.options, text)]
        others = [text for text in texts if text not in given]
        return all(re.fullmatch(self.operands, text, re.DOTALL) for text in others) and (
            not self.needs or any(re.fullmatch(self.needs, text) for text in given)
        )


# What cannot be found is printed as it was given, so it must be a name.
_NAME = r"[\w./@\0][\w./@~^{}:\0-]*"
_NAMES_ONLY = r"--cached|--staged|--diff-filter=\w+|--no-renames|--relative|-z"
_GIT: Mapping[str, _Printer] = {
    "branch": _Printer(options="--show-current", operands="(?!)", needs="--show-current"),
    "describe": _Printer(options=r"--tags|--all|--always|--long|--abbrev=\d+", operands=_NAME),
    "diff": _Printer(options=rf"--name-only|{_NAMES_ONLY}", needs="--name-only", paths=True),
    "grep": _Printer(
        options=r"-[lrinwEFGPIz]+|--name-only|--untracked",
        needs=r"-\w*l\w*|--name-only",
        paths=True,
    ),
    "log": _Printer(
        options=r"-\d+|--all|--reverse|--(?:no-)?merges|--(?:format|pretty)=(?:t?format:)?%[Hh]",
        operands=_NAME,
        needs=r"--(?:format|pretty)=.*",
        paths=True,
    ),
    "ls-files": _Printer(
        options=r"-[cdmozk]+|--cached|--deleted|--modified|--others|--exclude-standard|--full-name",
        paths=True,
    ),
    "merge-base": _Printer(options="--all|--fork-point|--octopus", operands=_NAME),
    "rev-list": _Printer(
        options=r"-\d+|-n|--all|--count|--reverse|--no-merges|--m(?:ax|in)-(?:count|parents)=\d+",
        operands=_NAME,
    ),
    "rev-parse": _Printer(
        options=r"--short(?:=\d+)?|--abbrev-ref|--show-toplevel|--verify|-q|--quiet"
        r"|--symbolic-full-name|--is-inside-work-tree",
        operands=_NAME,
    ),
    "symbolic-ref": _Printer(options="--short|-q|--quiet", operands="HEAD", needs="--short"),
    "tag": _Printer(options=r"-l|--list|--sort=-?[\w:]+", needs="-l|--list"),
}  # fmt: skip
_PROGRAMS: Mapping[str, _Printer] = {
    "cd": _Printer(),
    "date": _Printer(options=r"-u|\+[%YmdHMSFTysj\d_.:-]+", operands="(?!)", needs=r"\+[%\d].*"),
    "false": _Printer(operands="(?!)"),
    "find": _Printer(
        options=r"-i?(?:name|path|regex)|-type|-m(?:ax|in)depth|-newer|-[mac](?:time|min)|-size"
        r"|-not|-o|-a|-or|-and|-prune|-empty|-print0?|-[LHP]|[-+]\d+\w?"
    ),
    "ls": _Printer(options=r"-[1AadrtSF]+"),
    "nproc": _Printer(operands="(?!)"),
    "pwd": _Printer(options="-[LP]", operands="(?!)"),
    "seq": _Printer(operands=r"\d+"),
    "true": _Printer(operands="(?!)"),
    "whoami": _Printer(operands="(?!)"),
}
# They pass on whole lines, or numbers, if it is not these options that they are given.
_PASSING = {
    "cat": "(?!)",
    "egrep": "-[a-zA-Z]*o.*|--only.*",
    "fgrep": "-[a-zA-Z]*o.*|--only.*",
    "grep": "-[a-zA-Z]*o.*|--only.*",
    "head": r"-\w*c.*|--bytes.*",
    "sort": "(?!)",
    "tac": "-.*",
    "tail": r"-\w*c.*|--bytes.*",
    "uniq": "(?!)",
    "wc": "(?!)",
}


def chosen(commands: Iterable[Simple]) -> bool:
    """Could the line itself choose what these print?"""
    return not all(_settled(each) for each in commands)


def _settled(simple: Simple) -> bool:
    if not simple.words or not all(_is_plain(word) for word in simple.words):
        return False
    # An error message says what it was given; only where nobody reads it is it harmless.
    if "<<" in simple.source or any(each.target.text != "/dev/null" for each in simple.redirects):
        return False
    name, *texts = (word.text for word in simple.words)
    if name in _PASSING:
        refused = any(re.fullmatch(_PASSING[name], text) for text in texts)
        return simple.piped and not refused and filters(name, simple.words[1:])
    if name == "pwd" and simple.cwds != frozenset(("",)):
        return False
    if name == "git" and texts:
        name, *texts = texts
        return name in _GIT and _GIT[name].fits(texts)
    return name in _PROGRAMS and _PROGRAMS[name].fits(texts)


def _is_plain(word: Word) -> bool:
    """A word that is not itself made up, and leads to no guarded place."""
    path = word.text.replace("\0", "*")
    return not (word.chosen or word.filled or protected(path) or may_be_protected(path))


def plain_value(source: str, word: Word) -> bool:
    """Is this, as a value of a loop's variable, surely no option and no guarded place?"""
    inner = source.strip("\"'")
    if word.chosen or word.filled:
        return False
    if inner.startswith(("$(", "`")) and inner.endswith((")", "`")):
        return True
    named = _PLAIN.fullmatch(inner) and not _DOTTED.search(inner)
    return bool(named or _VARIABLE.fullmatch(inner))
