"""
Modules that are loaded in the place of Python's own, or of a test runner's, for they have its name.

Python looks first in the folder that it is started in, or in that of the script it runs. Below that lies
what a path of modules may name: there the names of test runners are taken by nobody else.
"""

import posixpath
import re
import sys
from collections.abc import Collection

from prowess.check.judges.scripts import scripts_of

_MODULE = re.compile(r"(?P<folder>.*/)?(?P<name>\w+)\.(?:py|pyc|pyd|[\w.-]*so)")
_PACKAGE = re.compile(r"/__(?:init|main)__(?=\.)")
_RUNNERS = frozenset("pytest _pytest py pluggy iniconfig packaging unittest xdist".split())
_BELOW = _RUNNERS - {"py", "packaging"}
_TAKEN = _RUNNERS | sys.stdlib_module_names


def shadowed(path: str) -> str:
    """The module of Python or of a test runner that this would be loaded instead of; mostly none."""
    folder, name = _module(path)
    return name if name in (_BELOW if folder else _TAKEN) else ""


def shadows_of(command: str, new: Collection[str], files: Collection[str]) -> list[str]:
    """Those of the new files that a script of Python which the command runs would load instead of Python's own."""
    taken = {path: folder for path in new for folder, name in [_module(path)] if name in _TAKEN}
    if not taken:
        return []
    scripts = [path for path in scripts_of(command, files) if _may_be_python(path)]
    folders = {posixpath.dirname(path) for path in scripts if path not in taken}
    return [path for path, folder in taken.items() if folder in folders]


def _module(path: str) -> tuple[str, str]:
    """The folder that a module is looked for in, and its name; empty where the file is none."""
    found = _MODULE.fullmatch(_PACKAGE.sub("", path))
    return ((found["folder"] or "").rstrip("/"), found["name"]) if found else ("", "")


def _may_be_python(script: str) -> bool:
    return posixpath.splitext(script)[1] in ("", ".py")
