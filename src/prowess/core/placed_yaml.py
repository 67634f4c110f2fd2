"""
YAML whose every key and value still knows where it was written.

The values are those of `safe_yaml`, behind all of its guards. Only what passed them is looked at a
second time, for the places, so a mistake found much later can be shown to the letter.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from yaml._yaml import CParser
from yaml.events import MappingEndEvent, MappingStartEvent, SequenceEndEvent, SequenceStartEvent

from prowess.core.safe_yaml import read_mapping

Path = tuple[Hashable, ...]  # the keys and list places that lead to a value


@dataclass(frozen=True, slots=True)
class Placed:
    """`value` is plain JSON; the places are asked for by path."""

    value: dict[str, Any]
    _text: str
    _keys: dict[Path, int]
    _values: dict[Path, tuple[int, int]]

    def key(self, path: Path) -> tuple[int, int]:
        """The line and column of the key that ends `path`, or of what it leads to if that has no key."""
        return self._position(self._keys[path]) if path in self._keys else self.place(path)

    def place(self, path: Path, part: str = "", number: int = 0) -> tuple[int, int]:
        """
        The line and column of a value, or of the `number`th time that `part` stands in it.

        What is only there by an alias is where the alias is; what is absent, where it would belong.
        """
        while path and path not in self._values:
            path = path[:-1]
        start, end = self._values.get(path, (0, 0))
        found = start
        if part:
            at = start - 1
            for _ in range(number + 1):
                at = self._text.find(part, at + 1, end)
            found = start if at < 0 else at
        return self._position(found)

    def _position(self, at: int) -> tuple[int, int]:
        before = self._text[:at]
        return before.count("\n") + 1, at - before.rfind("\n")


def read_placed(text: str, *, keep_text: frozenset[str] = frozenset()) -> Placed:
    """Raises `SkillError` like `read_mapping`, whose `keep_text` this is."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    value = read_mapping(text, keep_text=keep_text).value
    placed = Placed(value, text, {}, {})
    if value:
        events: Callable[[], Any] = CParser(text).get_event
        events()  # the stream begins, and
        events()  # the document
        _note(placed, (), events(), events)
    return placed


def _note(placed: Placed, path: Path, event: Any, events: Callable[[], Any]) -> None:
    """Deep nesting was refused before, so that this may call itself."""
    start, end = event.start_mark.index, event.end_mark.index
    if type(event) is MappingStartEvent:
        while type(key := events()) is not MappingEndEvent:
            placed._keys[*path, key.value] = key.start_mark.index  # noqa: SLF001
            _note(placed, (*path, key.value), events(), events)
            end = key.end_mark.index
    elif type(event) is SequenceStartEvent:
        place = 0
        while type(item := events()) is not SequenceEndEvent:
            _note(placed, (*path, place), item, events)
            place += 1
            end = item.end_mark.index
    placed._values[path] = (start, end)  # noqa: SLF001
