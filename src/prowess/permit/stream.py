"""
Redaction of a text that arrives in pieces.

Text is looked at in whole lines, because names and values stand on one line; a key of many lines
is followed from its first to its last (`blocks.py`). What comes out depends on the text alone and
never on how it was cut, and what is held back is never more than a line or `WINDOW` characters.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator

from prowess.permit.blocks import State, follow
from prowess.permit.disguise import View, views
from prowess.permit.known import known_pattern
from prowess.permit.linear import Span, pattern
from prowess.permit.named import find_named
from prowess.permit.personal import find_personal
from prowess.permit.secrets import find_shapes

WINDOW = 16_384  # a longer line is looked at through windows of this size …
MARGIN = 4_096  # … that overlap by this much, so that a secret at the edge is seen whole

_TAIL = pattern(r"[^\s\"'`<>&;,]*")


class Redactor:
    """Feed it pieces, pass on what it gives back, and flush it at the end."""

    def __init__(
        self, *, secrets: bool = True, personal: bool = True, known: Collection[str] = ()
    ) -> None:
        self._secrets = secrets
        self._personal = personal
        self._known = known_pattern(known) if secrets else None
        self._held = ""
        self._state = State()
        self._inside = False  # the last window ended within a secret

    def feed(self, text: str) -> str:
        """What can be told already: all lines that are complete."""
        self._held += text
        return "".join(self._ready(final=False))

    def flush(self) -> str:
        """The rest. What is fed next begins a new text."""
        told = "".join(self._ready(final=True))
        self._state, self._inside = State(), False
        return told

    def _ready(self, *, final: bool) -> Iterator[str]:
        text, at = self._held, 0
        while at < len(text):
            end = text.rfind("\n", at, at + WINDOW) + 1
            if not end and len(text) - at >= WINDOW:
                told, used = self._window(text[at : at + WINDOW])
                yield told
                at += used
                continue
            if not end and not final:
                break
            end = end or len(text)
            spans, self._state = self._spans(text[at:end])
            self._inside = False
            yield _without(text[at:end], spans)
            at = end
        self._held = text[at:]

    def _window(self, text: str) -> tuple[str, int]:
        """What to tell of the beginning of a long line, and how much of the line that was."""
        spans, state = self._spans(text)
        used = WINDOW - MARGIN
        for span in spans:
            if span.since < used:
                used = max(used, span.end)
        told = _without(text[:used], [span for span in spans if span.end <= used])
        if self._secrets:
            self._state = (
                state if used == WINDOW else follow(views(text[:used])[0].data, self._state)[1]
            )
        self._inside = used == WINDOW
        return told, used

    def _spans(self, text: str) -> tuple[list[Span], State]:
        """What must go, in order and without overlaps, and what the next line is to be."""
        looks, found, state = views(text), list[Span](), self._state
        if self._inside and (tail := _TAIL.match(looks[0].data)):
            found.append(Span(0, tail.end(), "", 0))
        if self._secrets:
            blocks, state = follow(looks[0].data, state)
            found += _placed(looks[0], blocks)
            for view in looks:
                found += _placed(view, find_shapes(view.data, self._known))
                found += _placed(view, find_named(view.data))
        if self._personal:
            for view in looks:
                found += _placed(view, find_personal(view.data))
        return _merged(found), state


def _placed(view: View, spans: Iterator[Span] | list[Span]) -> Iterator[Span]:
    """From places in the view to places in the text."""
    for span in spans:
        if span.end > span.start:
            since, end = view.place(min(span.since, span.start), span.end)
            yield Span(view.place(span.start, span.end)[0], end, span.what, since)


def _merged(spans: list[Span]) -> list[Span]:
    """Overlapping stretches as one. What is in part a secret is not a person's."""
    secrets = _joined([span for span in spans if span.what in {"secret", ""}])
    for span in _joined([span for span in spans if span.what not in {"secret", ""}]):
        at = bisect_left(secrets, span)
        beside = secrets[max(0, at - 1) : at + 1]
        if all(span.end <= other.start or other.end <= span.start for other in beside):
            secrets.insert(at, span)
    return secrets


def _joined(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = last._replace(
                end=max(last.end, span.end), since=min(last.since, span.since)
            )
        else:
            joined.append(span)
    return joined


def _without(text: str, spans: list[Span]) -> str:
    pieces, here = list[str](), 0
    for span in spans:
        pieces += [text[here : span.start], f"[{span.what}]" if span.what else ""]
        here = span.end
    return "".join([*pieces, text[here:]])
