"""
What a text says once its disguises are off.

A zero-width space inside a key, a Cyrillic letter in `password`, a colour code, `\\u0022` or `%40`
hide a secret from a pattern but not from a reader. A `View` is the text without them, one byte a
character, and knows for each of its places where that is in the text itself.
"""

# ruff: noqa: RUF001  (characters that look alike are what this is about)

import html
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable

from prowess.permit.linear import Pattern, pattern

_DROPPED = "\0"
_LETTER = "\xff"  # a letter of a script that hides nothing in Latin
_MARK = "\xfe"  # anything else

# Letters that look like Latin ones and do not decompose into them.
_ALIKE = dict(
    zip(
        map(ord, "аеорсухіјѕһԁԛԝьАВЕКМНОРСТУХІЈЅαορνικυΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɡſ‚‘’“”„′″«»‐‑‒–—−⁃∶꞉"),
        'aeopcyxijshdqwbABEKMHOPCTYXIJSaopvikuABEZHIKMNOPTYXigs,\'\'"""\'"""-------::',
        strict=True,
    )
)
# Colour codes, what folding dropped, and the escapes of JSON for characters and ends of lines.
_HIDDEN = pattern(r"\x00+|\x1b\[[0-9;?]*[@-~]|\x1b\][^\x07\n]*\x07|\\+u00[2-7][0-9A-Fa-f]|\\+[nr]")
_ENCODED = pattern(r"%[2-7][0-9A-Fa-f]|&(?:quot|apos|amp|lt|gt|#x?[0-9A-Fa-f]{2,4});")


class _Fold(dict[int, str]):
    """How each character that is not ASCII looks to a pattern; learnt as it is met."""

    def __missing__(self, code: int) -> str:
        if chr(code).isascii():
            return chr(code)
        self[code] = folded = _folded(chr(code))
        return folded


def _folded(char: str) -> str:
    plain = unicodedata.normalize("NFKD", char)[:1]
    category = unicodedata.category(char)
    if category in {"Cf", "Mn", "Me"}:
        return _DROPPED
    if plain.isascii() and plain.isprintable():
        return plain
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category in {"Zs", "Zl", "Zp"}:
        return " "
    return _LETTER if category[0] in "LN" else _MARK


_FOLD = _Fold(_ALIKE)


class View:
    """`data` is what patterns see; `place` turns a stretch of it into one of the text."""

    def __init__(self, data: bytes, outer: "View | None" = None) -> None:
        self.data = data
        self._outer = outer
        # The runs of which `data` is made: where each begins, and where it lay before.
        self._at, self._from, self._to = [0], [0], [len(data)]

    def without(self, disguise: Pattern, reveal: Callable[[bytes], bytes]) -> "View":
        """This view with each find of `disguise` replaced by what it stands for."""
        pieces, here, size = list[bytes](), 0, 0
        inner = View(b"", self)
        inner._at, inner._from, inner._to = [], [], []

        def add(piece: bytes, start: int, end: int) -> None:
            nonlocal size
            if piece:
                pieces.append(piece)
                inner._at.append(size)
                inner._from.append(start)
                inner._to.append(end)
                size += len(piece)

        for match in disguise.finditer(self.data):
            start, end = match.span()
            add(self.data[here:start], here, start)
            add(reveal(self.data[start:end]), start, end)
            here = end
        add(self.data[here:], here, len(self.data))
        inner.data = b"".join(pieces)
        return inner

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where in the text the stretch from `start` to `end`, which is not empty, lies."""
        first = bisect_right(self._at, start) - 1
        last = bisect_left(self._at, end) - 1
        following = self._at[last + 1] if last + 1 < len(self._at) else len(self.data)
        here = (
            self._from[first] + start - self._at[first],
            self._to[last] if end == following else self._from[last] + end - self._at[last],
        )
        return self._outer.place(*here) if self._outer else here


def views(text: str) -> list[View]:
    """The text as it is read, and, where that differs, as part of a URL or a page."""
    raw = text.encode("ascii") if text.isascii() else text.translate(_FOLD).encode("latin-1")
    view = View(raw)
    if b"\0" in raw or b"\x1b" in raw or b"\\" in raw:
        view = view.without(_HIDDEN, _revealed)
    if (b"%" in raw or b"&" in raw) and _ENCODED.search(view.data):
        return [view, view.without(_ENCODED, _decoded)]
    return [view]


def _revealed(hidden: bytes) -> bytes:
    if hidden[:1] != b"\\":
        return b""
    return b" " if hidden[-1:] in b"nr" else bytes([int(hidden[-2:], 16)])


def _decoded(encoded: bytes) -> bytes:
    if encoded[:1] == b"%":
        return bytes([int(encoded[1:], 16)])
    shown = html.unescape(encoded.decode("ascii"))
    return shown.encode("ascii") if shown.isascii() and shown.isprintable() else b"?"
