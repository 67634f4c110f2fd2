"""
Which folder a command may be running in, as `cd` moves a script about.

A `cd` may fail, and the script goes on where it was; only after `&&` is it certain to have worked.
So a place is a set of folders, and what must lie inside the workspace must do so from each of them.
"""

import posixpath
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from prowess.permit.shell.words import RefusedError, Word

MOVERS = frozenset(("cd", "pushd", "popd"))
_MOST = 32


class Cwds:
    """Folders as seen from the script's beginning, which is ''; None is anywhere."""

    def __init__(self) -> None:
        self.now: frozenset[str | None] = frozenset(("",))
        self._on_success = self.now

    def ran(self, words: Sequence[Word]) -> None:
        """A simple command has run; only a few move."""
        if words and words[0].text == "cd":
            self._on_success = self._moved(words[1:])
        elif any(word.text in MOVERS for word in words):
            self._on_success = frozenset((None,))
        else:
            self._on_success = self.now
        self.now = self.now | self._on_success
        if len(self.now) > _MOST:
            raise RefusedError("this changes folder too often to be followed; use fewer `cd`")

    def _moved(self, operands: Sequence[Word]) -> frozenset[str | None]:
        operands = operands[1:] if operands and operands[0].text == "--" else operands
        if len(operands) != 1 or not operands[0].literal or operands[0].text[:1] in ("", "-"):
            return frozenset((None,))
        return frozenset(
            None if each is None else posixpath.normpath(posixpath.join(each, operands[0].text))
            for each in self.now
        )

    def forget_success(self) -> None:
        """What went before is not one `cd`, so nothing is certain from its success."""
        self._on_success = self.now

    @contextmanager
    def second_of(self, operator: str) -> Iterator[None]:
        """The right side of `&&` or `||`."""
        before, success = self.now, self._on_success
        if operator == "&&":
            self.now = success
        self._on_success = self.now
        yield
        self.now = before | self.now
        self._on_success = self._on_success if operator == "&&" else self.now

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """In a process of its own: whatever it does, the script stays where it is."""
        before = self.now
        yield
        self.now = self._on_success = before

    @contextmanager
    def loop(self) -> Iterator[None]:
        before = self.now
        yield
        if self.now != before:
            raise RefusedError(
                "`cd` inside a loop must stand in ( ), so that each round begins alike"
            )
