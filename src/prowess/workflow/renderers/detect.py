"""
Which renderer fits where we run: what the settings say, else the tool whose command we are, else
the tool whose folder we stand in, else a terminal if there is one, else Markdown.
"""

import os
from collections.abc import Mapping

AUTO = "auto"

# What the tools set for the commands they run.
VARIABLES = (
    ("OPENCODE", "markdown"),
    ("CLAUDECODE", "markdown"),
    ("CODEX_SANDBOX", "markdown"),
    ("CODEX_THREAD_ID", "markdown"),
    ("CURSOR_AGENT", "markdown"),
    ("GEMINI_CLI", "markdown"),
)
_FOLDERS = (".opencode", ".cursor")


def detect(
    environment: Mapping[str, str], folder: str, *, setting: str = AUTO, terminal: bool = False
) -> str:
    """
    The renderer's name. `terminal`: stdin and stdout are one.

    OpenCode and Cursor leave their folders lying about, and run commands without a terminal or with
    their mark in the environment: a terminal without it has a person at it. Aider leaves no mark and
    runs commands in a terminal, so only its files tell.
    """
    if setting != AUTO:
        return setting
    for variable, name in VARIABLES:
        if environment.get(variable):
            return name
    names = _names(folder)
    if not terminal and any(name in names for name in _FOLDERS):
        return "markdown"
    if any(name.startswith(".aider") for name in names):
        return "aider"
    return "terminal" if terminal else "markdown"


def _names(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()
