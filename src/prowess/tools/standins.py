"""
Commands that may be missing, and what does the same in their place.

A stand-in is honest: for the arguments it accepts it does what was asked, and it accepts no others.
Arguments are words as written, quotes and all; None means that there is no stand-in for these.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from prowess.tools.command import literal

Words = Sequence[str]


@dataclass(frozen=True, slots=True)
class Standin:
    """Another command (`needs`), and how the arguments are turned for it."""

    needs: str
    turn: Callable[[Words], list[str] | None]


def _as(*words: str) -> Standin:
    return Standin(words[0], lambda arguments: [*words, *arguments])


def _plain(*words: str) -> Standin:
    """Only for arguments that are no options."""
    return Standin(words[0], lambda said: None if _options(said) else [*words, *said])


def _options(arguments: Words) -> list[str]:
    return [word for word in arguments if word.startswith("-") and word != "-"]


def _rg(arguments: Words) -> list[str] | None:
    """`rg PATTERN [PATH…]` with the options both have."""
    options, rest = [], []
    words = iter(arguments)
    for word in words:
        if word in ("-g", "--glob"):
            options += [f"--include={next(words, '')}"]
        elif word in ("-A", "-B", "-C", "-m", "-e"):
            options += [word, next(words, "")]
        elif re.fullmatch(r"-[nilwcvFo]+|-[ABCm]\d+|--(?:files-with-matches|ignore-case)", word):
            options.append(word)
        elif word.startswith("-"):
            if word not in ("--no-heading", "--line-number", "--color=never"):
                return None
        else:
            rest.append(word)
    if not rest:
        return None
    kind = [] if "-F" in options else ["-E"]
    skipped = "--exclude-dir=.git --exclude-dir=node_modules".split()
    places = rest[1:] or ["."]
    return ["grep", "-rnI", *kind, *skipped, *options, "--", rest[0], *places]


def _fd(arguments: Words) -> list[str] | None:
    """`fd NAME [FOLDER]`, `fd -e EXTENSION`."""
    if len(arguments) == 2 and arguments[0] in ("-e", "--extension"):  # noqa: PLR2004
        pattern, folder = f"*.{arguments[1]}", "."
    elif 1 <= len(arguments) <= 2 and re.fullmatch(r"[\w-]+", arguments[0]):  # noqa: PLR2004
        pattern, folder = f"*{arguments[0]}*", [*arguments, "."][1]
    else:
        return None
    return ["find", folder, "-iname", shlex.quote(pattern), "-not", "-path", "'*/.*'"]


def _tree(arguments: Words) -> list[str] | None:
    depth: list[str] = []
    rest = list(arguments)
    if "-L" in rest[:-1]:
        at = rest.index("-L")
        depth = ["-maxdepth", rest[at + 1]]
        del rest[at : at + 2]
    if _options(rest):
        return None
    return ["find", *(rest or ["."]), *depth, "-not", "-path", "'*/.*'"]


def _shasum(arguments: Words) -> list[str] | None:
    if len(arguments) >= 2 and arguments[0] == "-a" and arguments[1] in ("1", "256", "512"):  # noqa: PLR2004
        return [f"sha{arguments[1]}sum", *arguments[2:]]
    return None if _options(arguments) else ["sha1sum", *arguments]


_JQ = """import json, sys
place, raw, path = sys.argv[1:]
value = json.load(sys.stdin if place == "-" else open(place, encoding="utf-8"))
for step in json.loads(path):
    value = value.get(step) if isinstance(value, dict) else value[step]
text = raw == "-r" and isinstance(value, str)
print(value if text else json.dumps(value, indent=2, ensure_ascii=False))"""


def _jq(arguments: Words) -> list[str] | None:
    """`jq [-r] .a.b[0] [FILE]`: a plain path into one value."""
    rest = list(arguments)
    raw = "-r" if rest[:1] == ["-r"] else "-"
    path = literal(rest[raw == "-r"]) if len(rest) > (raw == "-r") else None
    files = rest[1 + (raw == "-r") :]
    if path is None or not re.fullmatch(r"\.|(\.[A-Za-z_]\w*|\.?\[\d+\])+", path) or len(files) > 1:
        return None
    steps = ", ".join(
        number or f'"{key}"' for key, number in re.findall(r"\.([A-Za-z_]\w*)|\[(\d+)\]", path)
    )
    place = files[0] if files else "-"
    return ["python3", "-c", shlex.quote(_JQ), place, raw, shlex.quote(f"[{steps}]")]


def _unzip(arguments: Words) -> list[str] | None:
    if len(arguments) == 1 and not _options(arguments):
        return ["python3", "-m", "zipfile", "-e", arguments[0], "."]
    if len(arguments) == 2 and arguments[0] == "-l":  # noqa: PLR2004
        return ["python3", "-m", "zipfile", "-l", arguments[1]]
    return None


STANDINS: Mapping[str, tuple[Standin, ...]] = {
    "python": (_as("python3"),),
    "py": (_as("python3"),),
    "python3": (_as("python"),),
    "pip": (_as("pip3"), _as("python3", "-m", "pip")),
    "pip3": (_as("pip"), _as("python3", "-m", "pip")),
    "pytest": (_as("python3", "-m", "pytest"),),
    "node": (_as("nodejs"),),
    "nodejs": (_as("node"),),
    "rg": (Standin("grep", _rg),),
    "ag": (Standin("grep", _rg),),
    "egrep": (_as("grep", "-E"),),
    "fgrep": (_as("grep", "-F"),),
    "fd": (_as("fdfind"), Standin("find", _fd)),
    "fdfind": (_as("fd"), Standin("find", _fd)),
    "tree": (Standin("find", _tree),),
    "ll": (_as("ls", "-l"),),
    "la": (_as("ls", "-A"),),
    "exa": (_plain("ls"),),
    "eza": (_plain("ls"),),
    "bat": (_as("batcat"), _plain("cat")),
    "less": (_plain("cat"),),
    "more": (_plain("cat"),),
    "md5": (_plain("md5sum"),),
    "sha256": (_plain("sha256sum"),),
    "shasum": (Standin("sha1sum", _shasum),),
    "ggrep": (_as("grep"),),
    "gsed": (_as("sed"),),
    "gdate": (_as("date"),),
    "gfind": (_as("find"),),
    "gtar": (_as("tar"),),
    "greadlink": (_as("readlink"),),
    "realpath": (_plain("readlink", "-f"),),
    "which": (_plain("command", "-v"),),
    "xxd": (_plain("od", "-A", "x", "-t", "x1z"),),
    "hexdump": (_plain("od", "-A", "x", "-t", "x1z"),),
    "jq": (Standin("python3", _jq),),
    "unzip": (Standin("python3", _unzip),),
    "curl": (_plain("wget", "-qO-"),),
    "wget": (_plain("curl", "-fsSLO"),),
    "docker": (_as("podman"),),
    "podman": (_as("docker"),),
}
