"""
Tests that were there before and have to be seen to run, where they were or in another file. Whether they
do is told by the runner: what keeps a test from running need not stand in its own text.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prowess.check.kept.kept_python import same_test
from prowess.check.kept.known_tests import may_not_run, names_in
from prowess.check.running.runners import names_tests

if TYPE_CHECKING:
    from prowess.check.running.commands import (
        Ran,  # which itself asks what decides how commands end
    )

_CHOSEN = re.compile(r"(?: -k |::)(\w+)(?!\w|::)")
_DESELECTED = re.compile(r"\b\d+ deselected\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """`to` are the files in which the test of this name is new."""

    name: str
    source: str
    to: tuple[str, ...]

    def __str__(self) -> str:
        return f"the test {self.name} moved to {self.to[0]}, and no report says that it ran there"

    def still_runs(self, ran: "Ran") -> bool:
        """Whether this run tells of the test in its new place, or was never meant to run it."""
        if _passes_over(ran.command, self.source, self.name):
            return True
        if ran.report is None:
            return bool(re.search(rf"\b{re.escape(_last(self.name))}\b", ran.output))
        return any(map(self._is_told, ran.report.names))

    def _is_told(self, told: str) -> bool:
        if not self.source.endswith(".py"):
            return told == self.name.strip("'\"`")
        where, _, test = told.rpartition("::")
        # Where the run began in a folder of the repository, it tells the rest of the path.
        return test == _last(self.name) and any(
            f".{place}".endswith(f".{where}") for place in self._places()
        )

    def _places(self) -> Iterator[str]:
        inside = self.name.rpartition(".")[0]
        for path in self.to:
            yield ".".join(filter(None, (*path.removesuffix(".py").split("/"), inside)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stayed:
    """A test that is where it was, in a changed file; `beside` are all that this file now defines."""

    name: str
    path: str
    beside: tuple[str, ...]

    def __str__(self) -> str:
        return f"the test {self.name} of {self.path} did not run, by the runner's report"

    def still_runs(self, ran: "Ran") -> bool:
        """Whether this run tells of the test, or of no test of its file, or leaves some out by choice."""
        if ran.report is None or _passes_over(ran.command, self.path, self.name):
            return True
        told, left_out = ran.report.names, ran.report.left_out
        if any(tells(each, self.path, self.name) for each in told):
            return True
        if _last(self.name) in _CHOSEN.findall(ran.command):
            return False
        names = (self.name, *self.beside)
        of_file = any(tells(each, self.path, one) for each in told | left_out for one in names)
        return deselects(ran.output) or not of_file


def moved_tests(
    before: Mapping[str, str], now: Mapping[str, str], *, sources: Collection[str]
) -> list[Moved]:
    """The tests that left a file of `sources` and are new in another one."""
    gained = {path: _more(path, text, before.get(path, "")) for path, text in now.items()}
    found = []
    for source in sources:
        for name in _more(source, before.get(source, ""), now.get(source, "")):
            to = tuple(path for path, names in gained.items() if name in names)
            if to:
                found.append(Moved(name=name, source=source, to=to))
    return found


def changed_on_the_way(test: Moved, before: Mapping[str, str], now: Mapping[str, str]) -> bool:
    """Whether a Python test is another one in each place that it may have moved to."""
    if not test.source.endswith(".py"):
        return False
    old = before[test.source]
    return not any(same_test(test.name, old, now[path]) for path in test.to)


def stayed_tests(before: Mapping[str, str], now: Mapping[str, str]) -> list[Stayed]:
    """The tests that these files had and have; not those that may not have run before either."""
    found = []
    for path in before:
        new = tuple(dict.fromkeys(names_in(path, now.get(path, ""))))
        kept = [name for name in dict.fromkeys(names_in(path, before[path])) if name in new]
        unsure = may_not_run(path, before[path])
        found += [Stayed(name=name, path=path, beside=new) for name in kept if name not in unsure]
    return found


def deselects(output: str) -> bool:
    """Whether a run of pytest left tests out that its command does not choose."""
    return bool(_DESELECTED.search(output))


def _passes_over(command: str, path: str, name: str) -> bool:
    """Whether a command chooses tests, and none of this file or of this name."""
    if not names_tests(command):
        return False
    chosen = _CHOSEN.findall(command)
    return path not in command or bool(chosen and not any(each in name for each in chosen))


def tells(told: str, path: str, name: str) -> bool:
    """Whether a name in a report is this test; of a Python class it may be any that inherits it."""
    if not path.endswith(".py"):
        return told == name.strip("'\"`")
    where, _, test = told.rpartition("::")
    module = path.removesuffix(".py").split("/")
    parts = where.split(".")
    if test != _last(name) or module[-1] not in parts:
        return False
    # Where the run began in a folder of the repository, it tells the rest of the path.
    head = parts[: parts.index(module[-1]) + 1]
    return module[-len(head) :] == head


def _more(path: str, text: str, other: str) -> Counter[str]:
    return Counter(names_in(path, text)) - Counter(names_in(path, other))


def _last(name: str) -> str:
    return name.rpartition(".")[2].strip("'\"`")
