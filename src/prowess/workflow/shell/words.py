"""
Commands with placeholders in them, and the places where no value may ever stand.

Quoting keeps a value one argument. It does not help where the program takes that argument for code,
for the name of another program, or for a line of a shell; there a placeholder is refused, whatever
its value. So it is in what a program is fed with, where that is code. Also refused, once the value
is known: one that would be taken for an option.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from prowess.workflow.shell.containers import contained_commands
from prowess.workflow.shell.git import check_git
from prowess.workflow.shell.interpreters import (
    CODE,
    FILTERS,
    check_filter,
    check_interpreter,
    find_program,
)
from prowess.workflow.shell.options import RUNS
from prowess.workflow.shell.word import UnsafeCommandError, Word, program_of, refused
from prowess.workflow.shell.wrappers import WRAPPERS, check_runner, inner_commands
from prowess.workflow.values import Scope

__all__ = [
    "UnsafeCommandError",
    "Word",
    "check_declaration",
    "check_options",
    "check_words",
    "program_of",
    "reads_code",
    "with_input",
]

# Programs that hand on their words to be parsed once more, here or on another machine.
_REPARSE = frozenset(
    "eval source . exec trap alias let declare typeset local readonly export unset read mapfile"
    " readarray enable builtin bind complete compgen fc history set shopt getopts coproc ssh su hash"
    " parallel watch script at batch crontab expect rsh entr deno sqlite gdb lldb vim vi nvim ex ed"
    " emacs tmux screen pdsh mosh ansible socat make gmake just task jobs mongosh mongo nix nix-shell"
    " cqlsh clickhouse clickhouse-client m4".split()
)
# Programs that take what they are fed with for commands.
_FED = frozenset(
    "exec su parallel script at batch crontab expect rsh sqlite gdb lldb vim vi nvim ex ed emacs tmux"
    " screen pdsh mosh ftp sftp lftp deno m4".split()
)
_STARTERS = WRAPPERS | frozenset("docker podman nerdctl kubectl oc lxc uv npx poetry pipenv conda busybox".split())  # fmt: skip
_EXEC = frozenset("-exec -execdir -ok -okdir".split())
_VARIABLE = {
    "printf": ("-v",),
    "wait": ("-p",),
    "test": ("-v", "-R"),
    "[": ("-v", "-R"),
}  # options that name a variable
_NAMING = frozenset("read mapfile readarray getopts unset declare typeset local export readonly".split())  # fmt: skip
_GIT_SAFE = frozenset("add rm checkout restore show log diff".split())  # of files named by xargs
_AS_SHELL = ("-i", "-s", "--login", "--shell")
_READ = Word((), exact=False, touched=True)  # what xargs read
_PLAIN = "use a plain command, or a script that takes the value as an argument"


def check_words(words: Sequence[Word], *, fed: bool = False) -> None:
    """Refuse a simple command in which a value can become more than an argument. `fed`: its input holds one."""
    _checked(tuple(words), fed=fed)


# The same rest is met again behind every wrapper that may take a word or not.
@lru_cache(maxsize=4_096)
def _checked(words: tuple[Word, ...], *, fed: bool) -> None:
    if not words:
        return
    if words[0].has_slot or not words[0].exact:
        raise refused("a value cannot choose the program", "write the program's name")
    name = program_of(words[0])
    rest = words[1:]
    with_slots = any(word.has_slot for word in rest)
    if name in ("eval", "let", "trap", "alias", "coproc") or (name in _REPARSE and with_slots):
        raise refused(f"`{name}` parses its words once more", _PLAIN)
    if fed and _obeys_input(name, rest):
        raise refused(f"`{name}` takes what it is fed with for commands", _PLAIN)
    if name in CODE and name != "busybox":
        check_interpreter(name, rest, fed=fed)
    elif name in FILTERS:
        check_filter(name, rest, fed=fed)
    elif name in WRAPPERS:
        _check_wrapper(name, rest, fed=fed)
    elif name in ("busybox", "toybox"):
        check_words(rest, fed=fed)
    for inside in (*check_runner(name, rest), *contained_commands(name, rest)):
        check_words(inside, fed=fed)
    _check_options_that_run(name, rest)
    check_declaration(name, rest)
    _check_inside(rest)


def reads_code(words: Sequence[Word]) -> bool:
    """Whether an interpreter is started, possibly by a wrapper, that takes its program from what is piped to it."""
    for at, word in enumerate(words):
        if program_of(word) in CODE and (at == 0 or program_of(words[0]) in WRAPPERS):
            options = [each for each in words[at + 1 :] if each.text != "-"]
            wrapped = at > 0 and program_of(words[0]) == "xargs"
            return wrapped or all(each.text.startswith("-") for each in options)
    return False


def check_options(words: Sequence[Word], scope: Scope) -> None:
    """Refuse a value that its program would take for an option; after `--` there are none."""
    for word in words[1:]:
        if word.exact and word.text == "--":
            return
        if text := word.as_option(scope):
            raise UnsafeCommandError(
                f"the value {text!r} would be taken for an option of `{words[0].text}`",
                hint="write `--` before it, or --option={name}",
            )


def check_declaration(name: str, rest: Sequence[Word]) -> None:
    """A variable that is a number or another's name makes the shell calculate with what is assigned."""
    if name in ("declare", "typeset", "local") and any(
        (word.is_option and set("in") & set(word.text)) or not word.exact for word in rest
    ):
        raise refused(
            f"`{name}` makes a variable in this line that is calculated, or names another", _PLAIN
        )
    if name in ("export", "readonly") and any(word.has_slot for word in rest):
        raise refused(f"`{name}` would set a variable that a value names", _PLAIN)
    _check_subscripts(name, rest)


def _check_subscripts(name: str, rest: Sequence[Word]) -> None:
    """The shell calculates what is in the brackets of a variable's name, with the values of others."""
    options = _VARIABLE.get(name, ())
    names = name in _NAMING or any(word.text[:2] in options for word in rest)
    if names and any("[" in word.text for word in rest):
        raise refused(f"`{name}` calculates the subscript of a variable", _PLAIN)


def _obeys_input(name: str, rest: Sequence[Word]) -> bool:
    if name in ("source", ".", "make", "gmake"):
        return any(word.is_input or word.text.endswith("-") for word in rest)
    if name == "ssh":  # `ssh host command`, and nothing that can be taken for another command
        said = " ".join(word.text for word in rest[1:]).replace("/", " ").split()
        return not said or rest[0].is_option or bool(set(said) & (set(CODE) | {"python3"}))
    if name in ("mapfile", "readarray"):
        return any(word.is_option and "C" in word.text for word in rest)
    if name in _STARTERS:
        inside = (at for at, word in enumerate(rest) if program_of(word) in CODE)
        return any(
            find_program(program_of(rest[at]), rest[at + 1 :]).by == "input" for at in inside
        )
    return name in _FED


def _check_options_that_run(name: str, rest: Sequence[Word]) -> None:
    if not any(word.has_slot for word in rest):
        return
    if name in _VARIABLE and any(word.text[:2] in _VARIABLE[name] for word in rest):
        raise refused(f"`{name}` takes a word for a variable", _PLAIN)
    if name == "git":
        check_git(rest)
    if name in RUNS and RUNS[name].choose(rest, bundled=name == "tar"):
        raise refused(f"`{name}` would run a program that a value names", _PLAIN)


def _check_wrapper(name: str, rest: Sequence[Word], *, fed: bool) -> None:
    inner = inner_commands(name, rest)
    asked = name in ("sudo", "doas") and any(word.text in _AS_SHELL for word in rest)
    if fed and (asked or (not all(inner) and name not in ("xargs", "env"))):
        raise refused(f"`{name}` starts a shell that takes what it is fed with for code", _PLAIN)
    for words in inner:
        if fed and name == "xargs" and words and _has_options_that_run(words):
            raise refused(f"xargs may hand an option to `{words[0].text}`", _PLAIN)
        read = fed and name == "xargs" and words
        check_words(_with_read(rest, words, _READ) if read else words, fed=fed)
    for at, word in enumerate(rest):  # the program may come later, after the word of an option
        if program_of(word) in CODE or program_of(word) in FILTERS:
            check_words(rest[at:], fed=fed)


def _has_options_that_run(words: Sequence[Word]) -> bool:
    name = program_of(words[0])
    if name == "git":
        return len(words) == 1 or words[1].text not in _GIT_SAFE
    return name == "find" or name in RUNS


def with_input(words: Sequence[Word], read: Word) -> tuple[Word, ...]:
    """A command as it is run when it is fed: that of xargs gets what was `read` among its words."""
    for at, word in enumerate(words):
        if program_of(word) == "xargs" and (at == 0 or program_of(words[0]) in WRAPPERS):
            rest = words[at + 1 :]
            inner = inner_commands("xargs", rest)[0]
            return tuple(_with_read(rest, inner, read)) if inner else tuple(words)
    return tuple(words)


def _with_read(options: Sequence[Word], words: Sequence[Word], read: Word) -> Sequence[Word]:
    """The command of xargs, with what it reads in the places where it puts that."""
    own = options[: len(options) - len(words)]
    for at, option in enumerate(own):
        if option.text.startswith(("-I", "-J", "-i", "--replace")):
            after = own[at + 1].text if at + 1 < len(own) else ""
            mark = option.text[2:] if option.text[1] != "-" else option.text.partition("=")[2]
            mark = mark or after or "{}"
            return [_with_mark(word, mark, read) for word in words]
    return [*words, read]


def _with_mark(word: Word, mark: str, read: Word) -> Word:
    if mark not in word.text:
        return word
    parts = (*read.parts, *word.parts) if word.text.startswith(mark) else word.parts
    return replace(word, parts=parts, touched=True)


def _check_inside(rest: Sequence[Word]) -> None:
    """Programs that are started by others: `find -exec`, `docker run image sh -c`."""
    for at, word in enumerate(rest):
        if word.text in _EXEC:
            check_words(rest[at + 1 :])
        name = program_of(word)
        if name in CODE and find_program(name, rest[at + 1 :]).by == "code":
            check_interpreter(name, rest[at + 1 :])
