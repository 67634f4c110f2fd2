"""`@skill-name` in a task: whoever wrote the plan has chosen."""

import re

# Not after a letter, so that an e-mail address is none; not before `/` or `.x`, so that a package
# of npm and a host are none.
_HINT = re.compile(r"(?<![\w@./`-])@([a-z0-9]+(?:-[a-z0-9]+)*)(?![\w@/]|-[\w-]|\.\w)")
_LONGEST = 64
_TICKS = re.compile("`+")


def find_hints(text: str) -> tuple[str, ...]:
    """The names hinted at, each once, in the order they stand; what is written as code is no hint."""
    found = dict.fromkeys(_HINT.findall(_without_code(text)))
    return tuple(name for name in found if len(name) <= _LONGEST)


def without_hints(text: str) -> str:
    """The task itself: what it hints at is no part of what is to be done."""
    return " ".join(_HINT.sub(" ", text).replace("( )", " ").split())


def _without_code(text: str) -> str:
    """As Markdown has it, code goes from some backticks to the next that are as many; each is looked at once."""
    closes: dict[int, list[int]] = {}  # by how many they are: where they end, the last one first
    runs = [found.span() for found in _TICKS.finditer(text)]
    for start, end in reversed(runs):
        closes.setdefault(end - start, []).append(end)
    plain, at = [], 0
    for start, end in runs:
        same = closes[end - start]
        same.pop()  # itself, so that the last one left is the next
        if start >= at and same:
            plain.append(text[at:start])
            at = same[-1]
    return " ".join([*plain, text[at:]])
