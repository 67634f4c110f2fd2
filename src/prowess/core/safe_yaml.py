"""
YAML from strangers, read event by event, so that nothing is built before it is judged.

The parser is libyaml, the types are the plain ones of YAML 1.2 (`yes`, `0x1f` and `2026-01-01` stay
text), and the values are JSON's. Refused, because a skill never needs them and an attacker does: tags that name
types, the same key twice, aliases that multiply, deep nesting, keys that are not text.
"""

import re
from collections.abc import Callable
from typing import Any

from yaml import YAMLError
from yaml._yaml import CParser
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)
from yaml.reader import ReaderError

from prowess.core.errors import SkillError
from prowess.core.plain_yaml import NOT_PLAIN_TEXT, Document, read_plain, resolved

MAX_CHARS = 256 * 1024
MAX_DEPTH = 40
MAX_NODES = 2_000
_NODE_CHARS = 50  # an alias to a long text counts for more than one

_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEXT_TAG = "tag:yaml.org,2002:str"
_SCALAR_TAGS = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null")
)
_COLLECTION_TAGS = frozenset(("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"))


class YamlSyntaxError(SkillError):
    """The text is not YAML. A careful reader may try to repair it."""


class YamlRefusedError(SkillError):
    """The text is YAML, and we will not have it."""


def read_mapping(
    text: str,
    *,
    first_line: int = 1,
    keep_text: frozenset[str] = frozenset(),
    max_chars: int = MAX_CHARS,
) -> Document:
    """
    Parse `text`, whose outermost value must be a mapping.

    `first_line` is where the text begins in its file. The values of the keys in `keep_text`
    stay as written: `version: 1.10` is "1.10" and not 1.1. An absent value is None all the same.
    """
    if len(text) > max_chars:
        raise YamlRefusedError(
            f"{len(text):,} characters of YAML",
            hint=f"keep it under {max_chars:,}",
            line=first_line,
        )
    if plain := read_plain(text, first_line=first_line, keep_text=keep_text):
        return plain
    try:
        return _Reader(text, first_line, keep_text).mapping()
    except (YAMLError, UnicodeEncodeError) as error:
        raise _explained(error, text, first_line) from None


class _Reader:
    """One pass over the parser's events; the open collections are kept on an explicit stack."""

    def __init__(self, text: str, first_line: int, keep_text: frozenset[str]) -> None:
        self._next: Callable[[], Any] = CParser(text).get_event
        self._first_line = first_line
        self._keep_text = keep_text
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._nodes = 0

    def mapping(self) -> Document:
        self._next()  # the stream begins
        if type(self._next()) is StreamEndEvent:
            return Document({})
        event = self._next()  # the document has begun; this is its value
        if type(event) is ScalarEvent and event.value == "":
            document = Document({})
        elif type(event) is not MappingStartEvent:
            raise self._refused("fields are expected, one `name: value` a line", event)
        elif event.anchor:
            raise self._refused("an anchor on the whole header", event)
        else:
            self._check_tag(event)
            document = self._fields()
        self._next()  # the document ends
        if type(event := self._next()) is not StreamEndEvent:
            raise self._refused("a second YAML document", event)
        return document

    def _fields(self) -> Document:
        """The outermost mapping: like any other, with lines remembered and text fields kept."""
        value: dict[str, Any] = {}
        lines: dict[str, int] = {}
        next_event, first_line, keep_text = self._next, self._first_line, self._keep_text
        while type(event := next_event()) is not MappingEndEvent:
            key = self._key(event, value)
            lines[key] = event.start_mark.line + first_line
            event = next_event()
            if type(event) is ScalarEvent:
                value[key] = self._scalar(event, key in keep_text)
            elif type(event) is AliasEvent:
                value[key] = self._alias(event)
            else:
                value[key] = self._collection(event, key in keep_text)
        return Document(value, lines)

    def _collection(self, opening: Any, as_text: bool) -> Any:  # noqa: FBT001  a hot path; keywords cost
        # Each frame: the collection around, its key waiting for a value, our anchor, the nodes before us.
        stack: list[tuple[Any, str | None, str | None, int]] = []
        here: Any = None
        waiting: str | None = None
        event = opening
        while True:
            kind = type(event)
            if kind is ScalarEvent:
                if waiting is None and type(here) is dict:
                    waiting = self._key(event, here)
                else:
                    _put(here, waiting, self._scalar(event, as_text))
                    waiting = None
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                done = here
                here, waiting, anchor, before = stack.pop()
                if anchor:
                    self._anchors[anchor] = (done, self._nodes - before)
                if not stack:
                    return done
                _put(here, waiting, done)
                waiting = None
            elif waiting is None and type(here) is dict:
                raise self._refused("a key that is not plain text", event)
            elif kind is AliasEvent:
                _put(here, waiting, self._alias(event))
                waiting = None
            else:
                self._check_tag(event)
                if len(stack) >= MAX_DEPTH:
                    raise self._refused(f"nesting deeper than {MAX_DEPTH} levels", event)
                stack.append((here, waiting, event.anchor, self._nodes))
                self._nodes += 1
                here, waiting = ({} if kind is MappingStartEvent else []), None
            event = self._next()

    def _key(self, event: Any, known: dict[str, Any]) -> str:
        if type(event) is not ScalarEvent:
            raise self._refused("a key that is not plain text", event)
        key: str = event.value
        if key in known:
            raise self._refused(f"the field {key!r} stands twice", event, hint="keep one of them")
        return key

    def _scalar(self, event: Any, as_text: bool) -> Any:  # noqa: FBT001  a hot path; keywords cost
        self._nodes += 1
        value: Any = event.value
        plain = event.implicit[0]
        if event.tag is not None:
            as_text = as_text or event.tag == _TEXT_TAG
            plain = event.tag != _TEXT_TAG
            self._check_tag(event)
        if plain and (not value or value[0] in NOT_PLAIN_TEXT):
            meant = resolved(value)
            if meant is None or not as_text:
                value = meant
        if event.anchor:
            self._anchors[event.anchor] = (value, 1 + len(event.value) // _NODE_CHARS)
        return value

    def _alias(self, event: Any) -> Any:
        """The same value again. Only aliases can grow a short text into a large value, so only they are counted."""
        if event.anchor not in self._anchors:
            raise self._refused(
                f"the alias *{event.anchor} has no finished anchor before it", event
            )
        value, weight = self._anchors[event.anchor]
        self._nodes += weight
        if self._nodes > MAX_NODES:
            raise self._refused(
                f"more than {MAX_NODES:,} values, aliases counted as often as used", event
            )
        return value

    def _check_tag(self, event: Any) -> None:
        known = _SCALAR_TAGS if type(event) is ScalarEvent else _COLLECTION_TAGS
        if event.tag is not None and event.tag not in known:
            raise self._refused(f"the tag {event.tag}", event, hint="write the value without a tag")

    def _refused(
        self, what: str, event: Any, *, hint: str = "use plain fields, lists and text"
    ) -> YamlRefusedError:
        return YamlRefusedError(
            f"refused in YAML: {what}", hint=hint, line=event.start_mark.line + self._first_line
        )


def _put(collection: Any, key: str | None, value: Any) -> None:
    if key is None:
        collection.append(value)
    else:
        collection[key] = value


def _explained(error: Any, text: str, first_line: int) -> SkillError:
    """libyaml's own words, with the line of the file, and a hint for the mistakes people make."""
    mark = getattr(error, "problem_mark", None)
    if mark is None or isinstance(error, ReaderError):
        strange = _FORBIDDEN.search(text)
        return YamlRefusedError(
            "a control character, which YAML cannot hold",
            hint="remove it",
            line=first_line + text.count("\n", 0, strange.start() if strange else 0),
        )
    problem = str(error.problem or error).splitlines()[0]
    hint = "check the indentation, and put values with special characters in quotes"
    if text[mark.index : mark.index + 1] == "\t":
        problem, hint = "a tab at the start of a line", "indent with spaces"
    elif "mapping values are not allowed" in problem:
        hint = "a colon followed by a blank needs quotes around the whole value"
    return YamlSyntaxError(f"not valid YAML: {problem}", hint=hint, line=first_line + mark.line)
