"""
Words of a command that hold placeholders, and the places where no value may ever stand.

Quoting keeps a value one argument. It does not help where the program takes that argument for code,
for the name of another program, or for a line of a shell; there a placeholder is refused, whatever
its value. Also refused, once the value is known: one that would be taken for an option.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prowess.core.errors import ProwessError
from prowess.workflow.values import Part, Scope, Slot, fill_part

_SHELLS = frozenset("sh bash dash zsh ksh mksh ash fish busybox rbash csh tcsh".split())
# Options after which the next word is code; also in a cluster, like -lc, and glued, like -c'...'.
_CODE: Mapping[str, str] = {
    **dict.fromkeys(_SHELLS, "c"),
    **dict.fromkeys("python pypy ipython uv-python psql".split(), "c"),
    **dict.fromkeys("perl ruby node nodejs bun lua luajit mysql mariadb osascript Rscript".split(), "eEp"),
    **dict.fromkeys("php".split(), "rBRE"),
    **dict.fromkeys("pwsh powershell".split(), "cC"),
}  # fmt: skip
_LONG_CODE = frozenset(
    "--command --eval --print --execute --run --expression --source --file -Command -EncodedCommand".split()
)
# Programs whose first operand is code, with the options that take words before it.
_AWK = {"-v": 1, "-F": 1, "--assign": 1, "--field-separator": 1}
_JQ = {"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--indent": 1}
_SED = {"-l": 1, "--line-length": 1}
_FILTERS: Mapping[str, Mapping[str, int]] = {
    "awk": _AWK, "gawk": _AWK, "mawk": _AWK, "nawk": _AWK, "sed": _SED, "gsed": _SED,
    "jq": _JQ, "jaq": _JQ, "gojq": _JQ, "yq": _JQ,
}  # fmt: skip
_FILTER_CODE = frozenset("-e -f --expression --file --source --from-file -E --exec".split())
# Programs that hand on their words to be parsed once more, here or on another machine.
_REPARSE = frozenset(
    "eval source . exec trap alias let declare typeset local readonly export unset read mapfile"
    " readarray enable builtin bind complete compgen fc history set shopt getopts coproc ssh su"
    " parallel watch script at batch crontab expect rsh entr deno sqlite gdb vim vi ex ed emacs".split()
)
_WRAPPERS = frozenset(
    "env sudo doas nohup nice timeout time stdbuf setsid command xargs ionice chrt taskset strace"
    " ltrace flock unshare nsenter chroot chronic caffeinate systemd-run runuser".split()
)
_EXEC = frozenset("-exec -execdir -ok -okdir".split())
_PASSED = re.compile(r"-.*|[A-Za-z_]\w*=.*|[0-9.]+[smhd]?", re.DOTALL)
_SLOT = "\0"  # no command can hold it, so it can stand for a placeholder in what is matched here


class UnsafeCommandError(ProwessError):
    """A placeholder stands where no quoting makes its value safe, or a value is not a safe one."""


@dataclass(frozen=True, slots=True)
class Word:
    """`exact`: all of the word is here, and nothing in it is put in by the shell."""

    parts: tuple[Part, ...]
    exact: bool = True

    @property
    def has_slot(self) -> bool:
        return any(isinstance(part, Slot) for part in self.parts)

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else _SLOT for part in self.parts)

    def filled(self, scope: Scope) -> str:
        return "".join(fill_part(part, scope) for part in self.parts)


def check_words(words: Sequence[Word]) -> None:
    """Refuse a simple command in which a placeholder can become more than an argument."""
    if not words:
        return
    if words[0].has_slot or not words[0].exact:
        raise _refused("a value cannot choose the program", "write the program's name")
    name = program_of(words[0])
    rest = words[1:]
    with_slots = any(word.has_slot for word in rest)
    if name in ("eval", "let", "trap", "alias") or (name in _REPARSE and with_slots):
        raise _refused(f"`{name}` parses its words once more", "use a plain command instead")
    if name in _CODE:
        _check_interpreter(name, rest)
    elif name in _FILTERS:
        _check_filter(name, rest)
    elif name in _WRAPPERS:
        _check_wrapper(rest)
    elif name == "printf" and with_slots and any(word.text.startswith("-v") for word in rest):
        raise _refused("`printf -v` takes a word for a variable", "store the output instead")
    _check_inside(rest)


def reads_code(words: Sequence[Word]) -> bool:
    """Whether an interpreter is started, possibly by a wrapper, that takes its program from what is piped to it."""
    for at, word in enumerate(words):
        if program_of(word) in _CODE and (at == 0 or program_of(words[0]) in _WRAPPERS):
            options = [each for each in words[at + 1 :] if each.text != "-"]
            wrapped = at > 0 and program_of(words[0]) == "xargs"
            return wrapped or all(each.text.startswith("-") for each in options)
    return False


def program_of(word: Word) -> str:
    """The name of a program without its folder and version: `python` for /usr/bin/python3.11."""
    return re.sub(r"(?<=[a-zA-Z])[0-9.]+$", "", os.path.basename(word.text.lstrip("\\")))


def check_options(words: Sequence[Word], scope: Scope) -> None:
    """Refuse a value that its program would take for an option; after `--` there are none."""
    for word in words[1:]:
        if word.exact and word.text == "--":
            return
        if (
            word.parts
            and isinstance(word.parts[0], Slot)
            and (text := word.filled(scope))[:1] == "-"
        ):
            raise UnsafeCommandError(
                f"the value {text!r} of {word.parts[0].source} would be taken for an option",
                hint="write `--` before the placeholder, or --option={name}",
            )


def _check_interpreter(name: str, rest: Sequence[Word]) -> None:
    """The code, the script and the options of an interpreter are the author's; what follows may be values."""
    for at, word in enumerate(rest):
        if not word.text.startswith("-") or word.text == "-":
            if word.has_slot:
                raise _refused(
                    f"`{name}` would run the file a value names", "name the script itself"
                )
            return
        if word.has_slot:
            raise _refused(f"`{name}` takes this for code", _AS_ARGUMENT)
        if _takes_code(name, word.text):
            code = rest[at + 1] if at + 1 < len(rest) else None
            if code and (code.has_slot or not code.exact):
                raise _refused(f"`{name} {word.text}` takes this for code", _AS_ARGUMENT)
            return


_AS_ARGUMENT = "hand the value over as an argument after the code, or use a python step"


def _takes_code(name: str, option: str) -> bool:
    cluster = option[:1] == "-" and option[:2] != "--" and bool(set(option[1:]) & set(_CODE[name]))
    return cluster or option.split("=", 1)[0] in _LONG_CODE


def _check_filter(name: str, rest: Sequence[Word]) -> None:
    """The first operand of awk, sed and jq is a program, unless options bring one."""
    skip, seen = 0, False
    for at, word in enumerate(rest):
        if skip:
            skip -= 1
        elif word.text in _FILTER_CODE:
            code = rest[at + 1] if at + 1 < len(rest) else None
            if code and code.has_slot:
                raise _refused(f"`{name}` takes this for code", _AS_VARIABLE)
            skip, seen = 1, True
        elif word.text in _FILTERS[name]:
            skip = _FILTERS[name][word.text]
        elif word.text.startswith("-") and word.text != "-":
            if word.has_slot and not word.text.startswith(("-v", "-F", "--assign=", "--arg")):
                raise _refused(f"`{name}` takes this for code", _AS_VARIABLE)
        elif not seen:
            if word.has_slot or not word.exact:
                raise _refused(f"`{name}` takes this for code", _AS_VARIABLE)
            seen = True


_AS_VARIABLE = "hand the value over as a variable: awk -v x={x}, jq --arg x {x}"


def _check_wrapper(rest: Sequence[Word]) -> None:
    for at, word in enumerate(rest):
        if not _PASSED.fullmatch(word.text):
            if word.has_slot:
                raise _refused("a value cannot choose the program", "write the program's name")
            check_words(rest[at:])
            break
    for at, word in enumerate(rest):  # the program may come later, after the word of an option
        if program_of(word) in _CODE or program_of(word) in _FILTERS:
            check_words(rest[at:])


def _check_inside(rest: Sequence[Word]) -> None:
    """Programs that are started by others: `find -exec`, `docker run image sh -c`."""
    for at, word in enumerate(rest):
        if word.text in _EXEC:
            check_words(rest[at + 1 :])
        name = program_of(word)
        if name in _CODE and at + 2 < len(rest) and _takes_code(name, rest[at + 1].text):
            _check_interpreter(name, rest[at + 1 :])


def _refused(why: str, hint: str) -> UnsafeCommandError:
    return UnsafeCommandError(f"no placeholder may stand here: {why}", hint=hint)
