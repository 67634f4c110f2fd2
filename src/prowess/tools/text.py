"""
Text as it lies on disk, in whatever encoding, and back again unchanged.

`decode` either finds an encoding that reads every byte or says that this is no text. What is
written back goes out in the encoding it came in, byte-order mark and line ends included.
"""

import codecs
from dataclasses import dataclass

_MARKS = (  # the longer marks first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WESTERN = ("cp1252", "cp1250", "iso8859_2", "mac_roman")
_SCRIPTS = "cp932 gb18030 cp949 big5 cp1251 koi8_r cp1253 cp1255 cp1256 cp874".split()
_SAMPLE = 64 * 1024  # bytes: enough to tell an encoding by
_SPARSE = 0.35  # western text has fewer accents and quotes than this; other scripts have more
_SURE = 0.2  # charset-normalizer's coherence, from which on we believe it
_NULS = 0.3  # share of zero bytes on one side that only UTF-16 has


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """`mark` is the byte-order mark in front, kept for writing."""

    text: str
    encoding: str
    mark: bytes = b""

    @property
    def odd(self) -> str:
        """How the encoding is called when it is not plain UTF-8, else empty."""
        return "" if self.encoding == "utf-8" else self.encoding

    def encoded(self, text: str) -> bytes:
        """Another text in this one's encoding; `UnicodeEncodeError` when it cannot hold it."""
        return self.mark + text.encode(self.encoding)


def decode(data: bytes, *, encoding: str | None = None) -> Text | None:
    """The text, or None for binary. `LookupError` or `UnicodeDecodeError` when `encoding` is wrong."""
    for mark, name in _MARKS:
        if data.startswith(mark) and (encoding is None or name.startswith(encoding.lower())):
            return _strictly(data.removeprefix(mark), name, mark)
    if encoding is not None:
        return Text(text=data.decode(encoding), encoding=codecs.lookup(encoding).name)
    wide = _wide(data)
    if wide or b"\0" in data:
        return _strictly(data, wide) if wide else None
    return _strictly(data, "utf-8") or _guessed(data)


def readable(data: bytes) -> tuple[str, str]:
    """Output of a command as text, whatever it is, and the name of its odd encoding."""
    found = decode(data)
    return (found.text, found.odd) if found else (data.decode("utf-8", "replace"), "")


def _strictly(data: bytes, encoding: str, mark: bytes = b"") -> Text | None:
    try:
        return Text(text=data.decode(encoding), encoding=encoding, mark=mark)
    except UnicodeDecodeError:
        return None


def _wide(data: bytes) -> str:
    """UTF-16 without a mark: mostly ASCII, so every second byte is zero."""
    sample = data[:_SAMPLE]
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if half and len(data) % 2 == 0 and max(even, odd) > half * _NULS and min(even, odd) == 0:
        return "utf-16-le" if odd else "utf-16-be"
    return ""


def _guessed(data: bytes) -> Text | None:
    """
    By how dense the high bytes are, and then by charset-normalizer.

    Left alone it takes a stray accent for Chinese or Polish; where high bytes are sparse we keep it
    to western encodings and believe it over the commonest of them only when it is sure.
    """
    from charset_normalizer import from_bytes

    sample = data[:_SAMPLE]
    if any(byte < 9 or 13 < byte < 27 for byte in sample):  # noqa: PLR2004 (control characters)
        return None
    letters = sum(byte > 64 for byte in sample) or 1  # noqa: PLR2004 (from A on)
    sparse = sum(byte > 127 for byte in sample) < _SPARSE * letters  # noqa: PLR2004
    best = from_bytes(sample, cp_isolation=list(_WESTERN if sparse else _SCRIPTS)).best()
    names = [best.encoding] if best else []
    if sparse and (best is None or best.coherence < _SURE):
        names.insert(0, "cp1252")
    for name in (*names, "cp1252", "latin-1"):
        if found := _strictly(data, name):
            return found
    return None
