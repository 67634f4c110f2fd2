"""
A person's own settings of git, which hold in all their repositories, as copies to be shown to git.

An agent has the person's rights: what it writes into their `~/.gitconfig` could have git run a program,
or commit other than what was checked. So all that is asked of git in a loop is asked with what was
there before any agent was at work. Settings of the machine are root's, and stay as they are.
"""

import os

from prowess.check.tree.ignoring import rules_at_work
from prowess.core.errors import OutsideError
from prowess.loop.git.running import run_git

CONFIG, EXCLUDES, ATTRIBUTES = "config", "excludes", "attributes"
_INCLUDES = ("include.", "includeif.")
_IN_NAME = str.maketrans({"\\": r"\\", '"': r"\""})
_IN_VALUE = _IN_NAME | str.maketrans({"\n": r"\n", "\t": r"\t", "\b": r"\b"})


async def own_settings(folder: str) -> dict[str, bytes]:
    """
    The settings as they hold in this repository, all in one file, with the rules by which files are
    ignored and the attributes that files have everywhere.
    """
    listed = ("config", "--list", "--includes", "--show-scope", "-z")
    code, out, err = await run_git(*listed, cwd=folder)
    if code:
        raise OutsideError(
            f"your settings of git cannot be read: {err.strip()}",
            hint="`git config --list --show-origin` tells where they are; mend them",
        )
    return {
        CONFIG: _flat(out),
        EXCLUDES: rules_at_work(folder).encode("utf-8", "surrogateescape"),
        ATTRIBUTES: await _attributes(folder),
    }


async def _attributes(folder: str) -> bytes:
    asked = ("config", "--type=path", "--get", "core.attributesFile")
    _, told, _ = await run_git(*asked, cwd=folder)
    return _read(os.path.join(folder, told.removesuffix("\n") or _usual_place()))


def _usual_place() -> str:
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(settings, "git", "attributes")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _flat(told: str) -> bytes:
    """What is listed of the person's, written so that git reads the same; files that are included are in it."""
    fields = told.split("\0")
    entries = zip(fields[::2], fields[1::2], strict=False)
    mine = [each for scope, each in entries if scope == "global" and not each.startswith(_INCLUDES)]
    return os.fsencode("".join(map(_written, mine)))


def _written(entry: str) -> str:
    name, is_set, value = entry.partition("\n")
    section, _, rest = name.partition(".")
    inner, has_inner, key = rest.rpartition(".")
    heading = f'{section} "{inner.translate(_IN_NAME)}"' if has_inner else section
    # A setting without a sign of equality is a yes, and one with nothing after it a no.
    return f"[{heading}]\n\t{key}" + (f' = "{value.translate(_IN_VALUE)}"\n' if is_set else "\n")
