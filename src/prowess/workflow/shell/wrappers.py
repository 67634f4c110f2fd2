"""
Programs that run the command in their words, and the places where that command may begin.

Options that are known are stepped over. One that is not may take the word after it or not; then the
command is looked for in both places, and a placeholder has to be safe in each.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from prowess.workflow.shell.word import Word, refused

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=", re.DOTALL)
# Variables by which a program is chosen or told to run another, or that the shell calculates.
_RISKY = frozenset(
    "PATH IFS ENV SHELL EDITOR VISUAL PAGER BROWSER PS0 PS1 PS2 PS4 PROMPT_COMMAND CDPATH GLOBIGNORE"
    " TAR_OPTIONS MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES MAKEOVERRIDES MANPAGER MANOPT GREP_OPTIONS"
    " CC CXX LD AR AS FC CPP RUSTC_WRAPPER RUSTC GOFLAGS ZDOTDIR FPATH INPUTRC VIMINIT EXINIT MYVIMRC"
    " GCONV_PATH CLASSPATH _JAVA_OPTIONS JDK_JAVA_OPTIONS OPENSSL_CONF AWKPATH AWKLIBPATH KSH_ENV"
    " RANDOM SRANDOM SECONDS LINENO OPTIND HISTCMD EPOCHSECONDS DIRSTACK FUNCNAME".split()
)
_RISKY_BEGIN = (
    "LD_", "DYLD_", "BASH", "SHELLOPTS", "PYTHON", "PERL", "RUBY", "NODE_", "GIT_", "LESS", "JAVA_",
    "SSH_", "SUDO_", "RSYNC_", "PSQL", "NPM_CONFIG_", "npm_config_", "CARGO_", "ANSIBLE_",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Options:
    lone: str = ""
    valued: str = ""
    operands: int = 0  # words before the command


_WRAPPERS: Mapping[str, _Options] = {
    "env": _Options("i0v", "uCS"),
    "sudo": _Options("nEHkKbPABSis", "ugprtThCDR"),
    "doas": _Options("nLs", "uC"),
    "timeout": _Options("v", "ks", 1),
    "nice": _Options("0123456789", "n"),
    "time": _Options("pvaqV", "fo"),
    "stdbuf": _Options("", "ioe"),
    "setsid": _Options("cfw"),
    "command": _Options("pvV"),
    "xargs": _Options("0rtpxo", "adEIJLnPRsS"),
    "ionice": _Options("t", "cnpPu"),
    "chrt": _Options("abfiorRmv", "TPDp", 1),
    "taskset": _Options("ac", "p", 1),
    "strace": _Options("fFqrtTvxyzZCcnhkiwdD", "eosabOSPXIuEU"),
    "ltrace": _Options("fcCirStT", "eosanlxu"),
    "flock": _Options("nsxuoFv", "wEc", 1),
    "chroot": _Options("", "", 1),
    "unshare": _Options("imnpuUCTfrc"),
    **dict.fromkeys(
        "nohup builtin nsenter chronic caffeinate systemd-run runuser setarch prlimit pkexec fakeroot proot"
        " bwrap firejail dbus-run-session setpriv gosu su-exec tini dumb-init unbuffer numactl"
        " torsocks proxychains rlwrap eatmydata valgrind choom daemonize xvfb-run sshpass".split(),
        _Options(),
    ),
}
WRAPPERS = frozenset(_WRAPPERS)
_OF_RUNNERS = _Options("qvy", "p")
# After these words there is a command; without words it begins at once.
_RUNNERS: Mapping[str, str] = {
    **dict.fromkeys("npx uvx bunx".split(), ""),
    **dict.fromkeys("pipx poetry pipenv conda mamba".split(), "run"),
    "uv": "run tool", "npm": "exec x", "pnpm": "exec dlx", "yarn": "exec dlx", "bun": "x", "bundle": "exec",
}  # fmt: skip
# After these there is the name of something to run that the project has: a script, a package.
_SCRIPTS: Mapping[str, str] = {
    **dict.fromkeys("pnpm yarn bun go hatch pdm rye pixi".split(), "run"),
    "npm": "run run-script",
}
_LONE_LONG = frozenset(
    "--preserve-status --foreground --verbose --ignore-environment --null --debug --non-interactive"
    " --preserve-env --wait --fork --ctty --no-run-if-empty --nonblock --shared --exclusive --scope"
    " --user --quiet --collect --pty --pipe --yes".split()
)
# The value of one of these is a name or a number, and nothing else.
_HARMLESS = ("--user=", "--group=", "--timeout=", "--signal=", "--kill-after=", "--adjustment=",
             "--unset=", "--chdir=", "--max-args=", "--max-procs=")  # fmt: skip
_PROGRAM = "write the program's name; a value can be an argument of it"


def is_risky(variable: str) -> bool:
    return variable in _RISKY or variable.startswith(_RISKY_BEGIN)


def inner_commands(name: str, rest: Sequence[Word]) -> list[Sequence[Word]]:
    """The command inside, once for each place where it may begin; without words if there may be none."""
    options = _WRAPPERS.get(name, _OF_RUNNERS)
    starts = sorted({min(at, len(rest)) for at in _starts(name, rest, 0, options)})
    with_slots = any(word.has_slot for word in rest)
    if with_slots and name == "env" and any(_splits(word) for word in rest[: starts[-1]]):  # fmt: skip
        raise refused("`env -S` parses its words once more", "write the words one by one")
    for word in rest[: starts[-1]]:
        _check_own(word)
    found = [rest[at:] for at in starts]
    if with_slots and options.operands and any(words and words[0].is_option for words in found):
        raise refused(f"what `{name}` runs cannot be told for certain", _PROGRAM)
    return found


def check_runner(name: str, rest: Sequence[Word]) -> list[Sequence[Word]]:
    """Refuse a value that chooses what `uv run`, `npm run` and their like run; the commands inside come back."""
    found = []
    for runners in (_RUNNERS, _SCRIPTS):
        inside = _after(runners[name].split(), rest) if name in runners else None
        if inside is None:
            continue
        commands = inner_commands(name, inside)
        if any(words and words[0].has_slot for words in commands):
            raise refused("a value cannot choose the program", _PROGRAM)
        found += commands if runners is _RUNNERS else []
    return found


def _after(subcommands: Sequence[str], rest: Sequence[Word]) -> Sequence[Word] | None:
    """What follows the subcommand; None where it is another one."""
    if not subcommands:
        return rest
    at = next((at for at, word in enumerate(rest) if word.text in subcommands), len(rest))
    after = at
    while after < len(rest) and rest[after].text in subcommands:  # such as `uv tool run`
        after += 1
    return rest[after:] if after > at else None


def _starts(name: str, rest: Sequence[Word], at: int, options: _Options) -> Iterator[int]:
    while at < len(rest) and rest[at].text[:1] == "-":
        if rest[at].text == "--":
            at += 1
            break
        takes = _takes_word(rest[at].text, options)
        if takes is None:
            yield from _starts(name, rest, at + 2, options)
        at += 2 if takes else 1
    while name in ("env", "sudo", "doas") and at < len(rest) and _ASSIGNMENT.match(rest[at].text):
        at += 1
    yield at + options.operands


def _takes_word(option: str, options: _Options) -> bool | None:
    """Whether the next word belongs to this option; None when that is not known."""
    if option.startswith("--"):
        return False if "=" in option or option in _LONE_LONG else None
    for at, letter in enumerate(option[1:], 2):
        if letter in options.valued:
            return at == len(option)
        if letter not in options.lone:
            return None
    return False


def _splits(word: Word) -> bool:
    text = word.text
    return text.startswith("--s") or (text[:1] == "-" and text[1:2] != "-" and "S" in text)


def _check_own(word: Word) -> None:
    """A word of the wrapper itself."""
    if not word.has_slot:
        return
    if assigned := _ASSIGNMENT.match(word.text):
        if is_risky(assigned[1]):
            raise refused(
                f"the variable {assigned[1]} tells which programs are run", "set it to fixed text"
            )
    elif not word.text.startswith(_HARMLESS):
        raise refused("a value cannot choose the program, nor how it is run", _PROGRAM)
