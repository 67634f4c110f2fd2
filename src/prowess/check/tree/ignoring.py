"""
What a person has git ignore everywhere, in a file of their own outside of any repository.

Editors and systems leave files in every folder, and such a file is no work. Only settings of the
person are asked: whoever worked in a repository could have written its own. Byte code of Python, which every
run of it leaves, is nobody's work either.
"""

import os
import subprocess

_LEFT_BY_RUNS = "\n__pycache__/\n"


def personal_rules() -> str:
    """The rules that hold in all repositories of this person; empty when there are none."""
    return rules_in(_named("git", "config", "--global") or _usual_place()) + _LEFT_BY_RUNS


def rules_at_work(folder: str) -> str:
    """The same as they hold in this repository, whose own settings may name another file."""
    return rules_in(_named("git", "-C", folder, "config") or _usual_place()) + _LEFT_BY_RUNS


def rules_in(path: str) -> str:
    """The rules in a file; none where it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def _named(*asking: str) -> str:
    """The file that settings name, or an empty text."""
    line = (*asking, "--type=path", "--get", "core.excludesFile")
    try:
        told = subprocess.run(  # noqa: S603  words of our own, and a folder
            line, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError:
        return ""
    return os.fsdecode(told.stdout).removesuffix("\n")


def _usual_place() -> str:
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(settings, "git", "ignore")
