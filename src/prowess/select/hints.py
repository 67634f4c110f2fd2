"""`@skill-name` in a task: whoever wrote the plan has chosen."""

import re

# Not after a letter, so that an e-mail address is none; not before `/` or `.x`, so that a package
# of npm and a host are none.
_HINT = re.compile(r"(?<![\w@./`-])@([a-z0-9]+(?:-[a-z0-9]+)*)(?![\w@/]|-[\w-]|\.\w)")
_LONGEST = 64
_CODE = re.compile(r"(`+)[^`].*?\1")


def find_hints(text: str) -> tuple[str, ...]:
    """The names hinted at, each once, in the order they stand; what is written as code is no hint."""
    found = dict.fromkeys(_HINT.findall(_CODE.sub(" ", text)))
    return tuple(name for name in found if len(name) <= _LONGEST)


def without_hints(text: str) -> str:
    """The task itself: what it hints at is no part of what is to be done."""
    return " ".join(_HINT.sub(" ", text).replace("( )", " ").split())
