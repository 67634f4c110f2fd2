"""
Profiles turned inside out: for each stem the skills it speaks for, in flat arrays that load at once.

A segment never changes. Which of its skills still count is said by whoever uses it.
"""

import json
import zlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from prowess import __version__
from prowess.select.profile import Profile

_MAGIC = f"prowess words 1 {__version__}".encode()
Key = tuple[str, int]  # a skill's folder and the state it was in


@dataclass(frozen=True)
class Segment:
    """
    `keys[n]` is the n-th skill. The stem at place `i` of `stems` speaks for `skills[starts[i]:starts[i+1]]`
    with the strengths in the same places; the pairs of skill n are `pairs[pair_starts[n]:pair_starts[n+1]]`.
    """

    keys: list[Key]
    stems: list[str]
    refused: dict[int, list[str]]
    starts: Sequence[int]
    skills: Sequence[int]
    strengths: Sequence[float]
    pair_starts: Sequence[int]
    pairs: Sequence[int]

    @cached_property
    def place(self) -> dict[str, int]:
        return dict(zip(self.stems, range(len(self.stems)), strict=True))

    def profiles(self) -> Iterator[tuple[Key, Profile]]:
        """The profiles it was made of."""
        strengths: list[dict[str, float]] = [{} for _ in self.keys]
        for at, stem in enumerate(self.stems):
            for place in range(self.starts[at], self.starts[at + 1]):
                strengths[self.skills[place]][stem] = self.strengths[place]
        for n, key in enumerate(self.keys):
            pairs = array("I", self.pairs[self.pair_starts[n] : self.pair_starts[n + 1]])
            yield key, Profile(strengths[n], pairs, frozenset(self.refused.get(n, ())))


def build(profiles: Sequence[tuple[Key, Profile]]) -> Segment:
    """One pass over the profiles; the time it takes is proportional to their words."""
    postings: dict[str, tuple[array[int], array[float]]] = {}
    pairs, pair_starts = array("I"), array("I", [0])
    refused = {}
    for n, (_, profile) in enumerate(profiles):
        for stem, strength in profile.strength.items():
            kept = postings.get(stem)
            if kept is None:
                kept = postings[stem] = (array("I"), array("f"))
            kept[0].append(n)
            kept[1].append(strength)
        pairs.extend(profile.pairs)
        pair_starts.append(len(pairs))
        if profile.refused:
            refused[n] = sorted(profile.refused)
    stems = sorted(postings)
    starts, skills, strengths = array("I", [0]), array("I"), array("f")
    for stem in stems:
        skills.extend(postings[stem][0])
        strengths.extend(postings[stem][1])
        starts.append(len(skills))
    return Segment(
        [key for key, _ in profiles], stems, refused, starts, skills, strengths, pair_starts, pairs
    )


def dump(segment: Segment) -> bytes:
    """Head, then a line of JSON, then the arrays as they lie in memory."""
    parts = [segment.starts, segment.skills, segment.strengths, segment.pair_starts, segment.pairs]
    blobs = [bytes(part.tobytes()) for part in parts]  # type: ignore[attr-defined]  # arrays and views have it
    about = [segment.keys, segment.stems, segment.refused, [len(blob) for blob in blobs]]
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
    keys, stems, refused, sizes = json.loads(str(view[:end], "utf-8", "surrogatepass"))
    arrays: list[Any] = []
    for size, kind in zip(sizes, "IIfII", strict=True):
        arrays.append(view[end : end + size].cast("f" if kind == "f" else "I"))
        end += size
    skills = {int(n): names for n, names in refused.items()}
    return Segment([(path, state) for path, state in keys], stems, skills, *arrays)
