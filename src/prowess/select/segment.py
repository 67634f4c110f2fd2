"""
Profiles turned inside out: for each stem the skills it speaks for, in flat arrays that load at once.

A stem that many skills have is kept as a row, one byte for each skill of the segment; any other as
the few skills that have it. A segment never changes. Which of its skills still count is said by
whoever uses it.
"""

import json
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any

from prowess import __version__
from prowess.select.profile import Profile

COMMON = 16  # what one skill in so many has is a row
_MAGIC = f"prowess words 5.{COMMON} {__version__}".encode()
Key = tuple[str, int]  # a skill's folder and the state it was in
Hit = tuple[int, int]  # a skill, and how strongly a stem speaks for it


@dataclass(frozen=True, slots=True)
class Row:
    """A common stem: its strength for every skill of the segment, 0 where it does not speak."""

    strengths: bytes

    def hits(self) -> Iterable[Hit]:
        return compress(enumerate(self.strengths), self.strengths)

    def count(self, gone: set[int]) -> int:
        """How many skills it speaks for, those that are gone left out."""
        dead = sum(self.strengths[n] > 0 for n in gone)
        return len(self.strengths) - self.strengths.count(0) - dead

    def strength(self, skill: int) -> int:
        return self.strengths[skill]


@dataclass(frozen=True, slots=True)
class Few:
    """Any other stem: the skills it speaks for, by number, and in the same places how strongly."""

    skills: "array[int]"
    strengths: "array[int]"

    def hits(self) -> Iterable[Hit]:
        return zip(self.skills, self.strengths, strict=True)

    def count(self, gone: set[int]) -> int:
        return len(self.skills) - len(gone.intersection(self.skills))

    def strength(self, skill: int) -> int:
        at = bisect_left(self.skills, skill)
        return self.strengths[at] if at < len(self.skills) and self.skills[at] == skill else 0


@dataclass(frozen=True)
class Segment:
    """
    `keys[n]` is the n-th skill. The stem at place `i` of `rare` speaks for `skills[starts[i]:starts[i+1]]`
    with the strengths in the same places; the one at place `i` of `common` has the i-th of `rows`;
    the pairs of skill n are `pairs[pair_starts[n]:pair_starts[n+1]]`.
    """

    keys: list[Key]
    rare: list[str]
    common: list[str]
    refused: dict[int, list[str]]
    # Arrays, or views of one file's bytes, which do all that is asked of them here.
    starts: "array[int]"
    skills: "array[int]"
    pair_starts: "array[int]"
    pairs: "array[int]"
    strengths: "array[int]"
    rows: "array[int]"

    @cached_property
    def _rare(self) -> dict[str, int]:
        return dict(zip(self.rare, range(len(self.rare)), strict=True))

    @cached_property
    def _common(self) -> dict[str, int]:
        return dict(zip(self.common, range(len(self.common)), strict=True))

    def find(self, stem: str) -> Row | Few | None:
        """Where a stem speaks; None when it speaks for no skill here."""
        if (at := self._rare.get(stem)) is not None:
            start, stop = self.starts[at], self.starts[at + 1]
            return Few(self.skills[start:stop], self.strengths[start:stop])
        if (at := self._common.get(stem)) is not None:
            size = len(self.keys)
            return Row(bytes(self.rows[at * size : (at + 1) * size]))
        return None

    def profiles(self) -> Iterator[tuple[Key, Profile]]:
        """The profiles it was made of."""
        strengths: list[dict[str, int]] = [{} for _ in self.keys]
        for stem in (*self.rare, *self.common):
            if found := self.find(stem):
                for n, strength in found.hits():
                    strengths[n][stem] = strength
        for n, key in enumerate(self.keys):
            pairs = array("I", self.pairs[self.pair_starts[n] : self.pair_starts[n + 1]])
            yield key, Profile(strengths[n], pairs, frozenset(self.refused.get(n, ())))


def build(profiles: Sequence[tuple[Key, Profile]]) -> Segment:
    """One pass over the profiles; the time it takes is proportional to their words."""
    postings: dict[str, tuple[array[int], array[int]]] = {}
    pairs, pair_starts = array("I"), array("I", [0])
    refused = {}
    for n, (_, profile) in enumerate(profiles):
        for stem, strength in profile.strength.items():
            kept = postings.get(stem)
            if kept is None:
                kept = postings[stem] = (array("I"), array("B"))
            kept[0].append(n)
            kept[1].append(strength)
        pairs.extend(profile.pairs)
        pair_starts.append(len(pairs))
        if profile.refused:
            refused[n] = sorted(profile.refused)
    rare, common = [], []
    starts, skills, strengths, rows = array("I", [0]), array("I"), array("B"), array("B")
    for stem in sorted(postings):
        numbers, own = postings[stem]
        if len(numbers) * COMMON >= len(profiles):
            common.append(stem)
            rows.frombytes(_row(numbers, own, len(profiles)))
        else:
            rare.append(stem)
            skills.extend(numbers)
            strengths.extend(own)
            starts.append(len(skills))
    keys = [key for key, _ in profiles]
    arrays = (starts, skills, pair_starts, pairs, strengths, rows)
    return Segment(keys, rare, common, refused, *arrays)


def _row(skills: "array[int]", strengths: "array[int]", size: int) -> bytearray:
    row = bytearray(size)
    for n, strength in zip(skills, strengths, strict=True):
        row[n] = strength
    return row


def dump(segment: Segment) -> bytes:
    """Head, then a line of JSON, then the arrays as they lie in memory."""
    wide = (segment.starts, segment.skills, segment.pair_starts, segment.pairs)
    blobs = [part.tobytes() for part in (*wide, segment.strengths, segment.rows)]
    sizes = [len(blob) for blob in blobs]
    about = [segment.keys, segment.rare, segment.common, segment.refused, sizes]
    text = json.dumps(about, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
    text += (
        b" " * (-(len(text) + 1) % 4) + b"\n"
    )  # numbers of four bytes begin at a multiple of four
    body = text + b"".join(blobs)
    return b"%s %08x\n%s" % (_MAGIC, zlib.crc32(body), body)


def load(data: bytes) -> Segment | None:
    """None for anything that is not whole and our own."""
    head, _, rest = data.partition(b"\n")
    if head != b"%s %08x" % (_MAGIC, zlib.crc32(rest)):
        return None
    view = memoryview(rest)
    end = rest.index(b"\n") + 1
    keys, rare, common, refused, sizes = json.loads(str(view[:end], "utf-8", "surrogatepass"))
    arrays: list[Any] = []
    for size, wide in zip(sizes, (True, True, True, True, False, False), strict=True):
        arrays.append(view[end : end + size].cast("I" if wide else "B"))
        end += size
    skills = {int(n): names for n, names in refused.items()}
    return Segment([(path, state) for path, state in keys], rare, common, skills, *arrays)
