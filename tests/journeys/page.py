"""
A page that a reader follows with their own hands, as a list of things to do.

    ```console          commands behind `$ `, and what a terminal shows after each
    ```yaml tasks.yaml  a file to write; the text above it names it
    ```python day.py    the same, and it is run by the command that follows

In what is shown, `...` stands for whatever varies: on a line of its own for any lines, within a
line for any text. Blocks of any other kind are for reading only.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Typed:
    """A command, and what has to be seen."""

    command: str
    shown: str
    line: int


@dataclass(frozen=True)
class Written:
    """A file that the reader writes."""

    name: str
    text: str
    line: int


def read_page(path: Path) -> list[Typed | Written]:
    text = path.read_text(encoding="utf-8")
    steps: list[Typed | Written] = []
    for block in _BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 2
        language, _, name = block["info"].strip().partition(" ")
        if language == "console":
            steps += _typed(block["body"], line)
        elif name:
            above = text[: block.start()].rstrip().rpartition("\n\n")[2]
            assert f"`{name}`" in above, f"{path.name}:{line}: the text does not name {name}"
            steps.append(Written(name, block["body"], line))
    return steps


def _typed(block: str, line: int) -> Iterator[Typed]:
    for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE):
        if part:
            first, *rest = part.splitlines()
            command = [first.removeprefix("$ ")]
            while rest and rest[0].startswith("> "):
                command.append(rest.pop(0).removeprefix("> "))
            yield Typed("\n".join(command), "\n".join(rest), line)
        line += part.count("\n")


def is_as_shown(shown: str, seen: str) -> bool:
    pattern = ""
    for line in shown.rstrip().splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(map(re.escape, line.rstrip().split("..."))) + r" *\n"
    return re.fullmatch(pattern, seen.rstrip() + "\n" if seen.strip() else "") is not None
