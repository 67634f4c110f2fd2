"""
Commands that run another command.

Some only change how it runs (`timeout`, `nice`): they are looked through, and a rule that names
them grants nothing. The others (`sudo`, `env`) change what it may do: they need a rule of their
own, and the inner command needs one too. If the inner command cannot be found for certain, there
is none to grant.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prowess.permit.rule import HOLE
from prowess.permit.shell.environment import check_assignment
from prowess.permit.shell.words import RefusedError, Word, hole

_DURATION = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_PLAIN = re.compile(r"[\w./:@%+,=-]+", re.ASCII)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """
    What may stand between a wrapper and its command.

    `flags` and `valued` are one-letter options without and with a value, `long` the same for long
    ones (a name that ends in `=` takes a value); `operands` is how many words come before the command.
    """

    flags: str = ""
    valued: str = ""
    long: tuple[str, ...] = ()
    operands: int = 0


TRANSPARENT: Mapping[str, Options] = {
    "timeout": Options(
        flags="v",
        valued="ks",
        long=("kill-after=", "signal=", "preserve-status", "foreground", "verbose"),
        operands=1,
    ),
    "time": Options(flags="p"),
    "nice": Options(flags="0123456789", valued="n", long=("adjustment=",)),
    "nohup": Options(),
    "stdbuf": Options(valued="ioe", long=("input=", "output=", "error=")),
    "command": Options(flags="p"),
}

EXEC: Mapping[str, Options] = {
    "env": Options(flags="i0v", valued="u", long=("ignore-environment", "null", "unset=", "debug")),
    "sudo": Options(
        flags="nEHkbPAB", valued="ugprtThC", long=("user=", "group=", "non-interactive")
    ),
    "doas": Options(flags="n", valued="u"),
    "setsid": Options(flags="cfw", long=("ctty", "fork", "wait")),
    "ionice": Options(flags="t", valued="cn", long=("class=", "classdata=", "ignore")),
    "chrt": Options(flags="bfiorRv", long=("batch", "fifo", "idle", "other", "rr"), operands=1),
    "taskset": Options(flags="ac", long=("cpu-list", "all-tasks"), operands=1),
    "flock": Options(
        flags="nsxuoFv",
        valued="wE",
        long=("nonblock", "shared", "exclusive", "timeout="),
        operands=1,
    ),
    "chroot": Options(valued="ugG", long=("userspec=", "groups=", "skip-chdir"), operands=1),
    "unshare": Options(flags="imnpuUCTfrc"),
    "strace": Options(flags="fFqrtTvxyzZChkiwdD", valued="eosaubOSPXI", long=("trace=", "output=")),
    "ltrace": Options(flags="fcCirStT", valued="eosanlux"),
    "entr": Options(flags="acdnprxz"),
    "systemd-run": Options(
        flags="qtPGd", valued="u", long=("user", "scope", "quiet", "wait", "pty", "collect")
    ),
    "xvfb-run": Options(flags="a"),
    # Those below take no option that can be followed here.
    **dict.fromkeys(
        "nsenter busybox setarch linux32 linux64 prlimit pkexec runuser fakeroot proot bwrap"
        " firejail dbus-run-session ssh-agent setpriv gosu su-exec tini dumb-init unbuffer chpst"
        " softlimit numactl cgexec torsocks proxychains proxychains4 rlwrap eatmydata valgrind"
        " catchsegv choom uclampset caffeinate daemonize toybox".split(),
        Options(),
    ),
}

_WATCH = Options(flags="dtbegc", valued="n", long=("interval=", "differences"))

# What these run is text, or comes from elsewhere: there is no inner command to look at.
OPAQUE = frozenset(
    "su script parallel gdb lldb expect at batch start-stop-daemon run-parts perf".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """
    The inner command. `transparent`: the wrapper itself needs no rule. `supplied`: the inner
    command gets words from elsewhere.
    """

    words: tuple[Word, ...]
    transparent: bool
    supplied: bool = False


def unwrap(words: Sequence[Word], *, fed: bool) -> Wrapped | None:
    """The command inside, or None for a command that is no wrapper. With a path none is transparent."""
    name = words[0].program
    if name == "command" and len(words) > 1 and words[1].text in ("-v", "-V"):
        return None
    if name in TRANSPARENT:
        inner = _after_options(words, TRANSPARENT[name])
        if name == "timeout":
            _check_duration(words, len(words) - len(inner) - 1)
        return Wrapped(words=tuple(inner), transparent=name == words[0].text)
    if name == "xargs":
        return _xargs(words, fed=fed)
    if name == "watch":
        inner = _after_options(words, _WATCH)
        _check_reread(inner)
        return Wrapped(words=tuple(inner), transparent=False)
    if name in OPAQUE:
        raise RefusedError(f"what `{name}` would run cannot be seen; run that command itself")
    if name in EXEC:
        inner = _after_options(words, EXEC[name])
        if name in ("env", "sudo", "doas"):
            inner = _after_assignments(name, inner)
        _check_trace(words, len(words) - len(inner))
        return Wrapped(words=tuple(inner), transparent=False)
    return None


def _after_options(words: Sequence[Word], options: Options) -> Sequence[Word]:
    """The words of the inner command; at least one."""
    name, at = words[0].text, 1
    while at < len(words) and words[at].text.startswith("-") and words[at].text != "-":
        if words[at].text == "--":
            at += 1
            break
        at += _option_length(name, words[at], options)
    at += options.operands
    if at >= len(words):
        raise RefusedError(f"`{name}` names no command to run; write one")
    if not all(word.literal for word in words[1:at]):
        raise RefusedError(f"the options of `{name}` must be written out")
    return words[at:]


def _option_length(name: str, word: Word, options: Options) -> int:
    """1 for an option with its value, if it has one; 2 when the value is the next word."""
    if word.text.startswith("--"):
        given, _, value = word.text[2:].partition("=")
        if given in options.long and not value:
            return 1
        if given + "=" in options.long:
            return 1 if "=" in word.text else 2
    else:
        for at, letter in enumerate(word.text[1:], 1):
            if letter in options.valued:
                return 1 if at + 1 < len(word.text) else 2
            if letter not in options.flags:
                break
        else:
            return 1
    raise RefusedError(f"`{name} {word.text}` is not known here; leave the option out")


def _after_assignments(name: str, words: Sequence[Word]) -> Sequence[Word]:
    for at, word in enumerate(words):
        found = _ASSIGNMENT.fullmatch(word.text)
        if not found:
            return words[at:]
        check_assignment(found[1], Word(text=found[2]))
    raise RefusedError(f"`{name}` names no command to run; write one")


def _check_duration(words: Sequence[Word], at: int) -> None:
    if not _DURATION.fullmatch(words[at].text):
        raise RefusedError("`timeout` needs a duration such as 30s before the command")


def _check_trace(words: Sequence[Word], end: int) -> None:
    """`strace -o '|program'` and `-o '!program'` start the program."""
    if any(letter in word.text for word in words[1:end] for letter in "|!"):
        raise RefusedError(f"`{words[0].text}` would run a program by its options; leave them out")


def _check_reread(words: Sequence[Word]) -> None:
    """`watch` glues its words together and has a shell read them again."""
    if not all(_PLAIN.fullmatch(word.text) for word in words):
        raise RefusedError("`watch` would have a shell read these words again; use plain ones")


def _xargs(words: Sequence[Word], *, fed: bool) -> Wrapped:
    """`xargs` hands its input to the command as words; with options it needs a rule."""
    at, placeholder = 1, ""
    options = Options(flags="0rt", valued="nPILd")
    while at < len(words) and words[at].text.startswith("-"):
        length = _option_length("xargs", words[at], options)
        if "I" in words[at].text:
            letters, _, value = words[at].text.partition("I")
            placeholder = value or (words[at + 1].text if at + 1 < len(words) else "")
            if not placeholder or any(letter in letters for letter in options.valued):
                raise RefusedError("the placeholder of `xargs -I` must be plain, such as {}")
        at += length
    if not all(word.literal for word in words[1:at]):
        raise RefusedError("the options of `xargs` must be written out")
    inner = list(words[at:]) or [Word(text="echo")]
    supplied = hole(crafted=fed)
    if placeholder:
        inner = [fill(word, placeholder, crafted=fed) for word in inner]
    else:
        inner.append(supplied)
    return Wrapped(
        words=tuple(inner), transparent=at == 1 and words[0].text == "xargs", supplied=True
    )


def fill(word: Word, placeholder: str, *, crafted: bool) -> Word:
    """The word with a hole where another program will put something."""
    if placeholder not in word.text:
        return word
    text = word.text.replace(placeholder, HOLE)
    leads = text.startswith((HOLE, "-"))
    return Word(
        text=text,
        single=word.single,
        crafted=word.crafted or (crafted and leads),
        chosen=word.chosen or crafted,
    )
