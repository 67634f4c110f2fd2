"""How a value is written in each place of a line where it may stand, so that it stays what it is."""

from typing import Literal

from prowess.workflow.shell.word import UnsafeCommandError
from prowess.workflow.values import Scope, Slot, fill_part

Quoting = Literal["bare", "single", "double", "document", "raw document"]


def unescaped(text: str, only: str = "") -> str:
    """Without the backslashes that the shell takes away: all of them, or those before `only`."""
    found, at = "", 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text) and (not only or text[at + 1] in only):
            at += 1
            if text[at] == "\n":
                at += 1
                continue
        found += text[at]
        at += 1
    return found


def quoted(slot: Slot, quoting: Quoting, scope: Scope) -> str:
    text = fill_part(slot, scope)
    check_text(text)
    if quoting == "bare":
        return "'" + text.replace("'", "'\\''") + "'"
    if quoting == "single":
        return text.replace("'", "'\\''")
    if quoting == "raw document":
        return text
    escaped = '\\$`"' if quoting == "double" else "\\$`"
    return "".join(f"\\{letter}" if letter in escaped else letter for letter in text)


def check_text(text: str) -> None:
    if "\0" in text:
        raise UnsafeCommandError("a value has a NUL in it", hint="no command can take one")
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise UnsafeCommandError("a value is not proper text", hint="give it as UTF-8")
