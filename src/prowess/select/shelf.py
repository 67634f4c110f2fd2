"""
Profiles kept on disk, so that only skills that changed are read again.

Two segments stand on the shelf: a large one, and a small one for what came since. When what came
and what went has grown to a part of the large one, both are put together. A file that is torn,
foreign or old is passed over and made anew.
"""

import contextlib
import os
import zlib
from collections.abc import Callable, Sequence

from prowess.core.files import make_private
from prowess.core.skill import Skill
from prowess.select.profile import Profile, profile
from prowess.select.rank import Ranker
from prowess.select.segment import Key, Segment, build, dump, load

LEAST, SHARE = 64, 8  # so many may come and go, or one in so many of the large one's
Body = Callable[[Skill], str]


def open_ranker(
    skills: Sequence[Skill], body: Body, *, folder: str | None, asked: str = ""
) -> Ranker:
    """A ranker for `skills`; `body` reads a skill's instructions. Without `folder` nothing is kept."""
    shelf = _Shelf(folder, asked) if folder else None
    kept = shelf.segments() if shelf else []
    known = {key for segment in kept for key in segment.keys}
    new = [(skill.path, skill.state) for skill in skills if skill.state is not None]
    fresh = {key for key in new if key not in known}
    if fresh or len(known.difference(new)) > _bearable(kept):
        made = [(key, profile(s, body(s))) for s in skills if (key := _key(s)) in fresh]
        before, kept = kept, _restock(kept, made, alive=set(new))
        if shelf:
            shelf.keep(kept, before)
    passing = [
        ((skill.path, 0), profile(skill, body(skill))) for skill in skills if skill.state is None
    ]
    return Ranker(skills, [*kept, build(passing)] if passing else kept)


def _key(skill: Skill) -> Key:
    return (skill.path, skill.state or 0)


def _restock(
    kept: list[Segment], made: list[tuple[Key, Profile]], alive: set[Key]
) -> list[Segment]:
    """The segments with `made` among them: the small one anew, or, when that has grown, both as one."""
    large, small = (kept[0] if kept else None), (kept[1] if len(kept) > 1 else None)
    since = [*(each for each in small.profiles() if each[0] in alive), *made] if small else made
    if large is not None:
        gone = sum(key not in alive for key in large.keys)
        if len(since) <= _bearable(kept) >= gone:
            return [large, build(since)]
    old = [each for each in large.profiles() if each[0] in alive] if large else []
    return [build(sorted([*old, *since], key=lambda each: each[0]))]


def _bearable(kept: Sequence[Segment]) -> int:
    """How many may have come, or gone, before the large segment is made anew."""
    return max(LEAST, len(kept[0].keys) // SHARE) if kept else 0


class _Shelf:
    def __init__(self, folder: str, asked: str) -> None:
        self._folder = folder
        name = os.fsencode(asked)
        self._stem = os.path.join(folder, f"{zlib.crc32(name):08x}{zlib.adler32(name):08x}")

    def segments(self) -> list[Segment]:
        found = []
        for path in self._paths():
            try:
                with open(path, "rb") as file:
                    segment = load(file.read())
            except (OSError, ValueError):
                segment = None
            if segment is None:
                break  # what came since is nothing without what it came to
            found.append(segment)
        return found

    def keep(self, segments: Sequence[Segment], before: Sequence[Segment]) -> None:
        """Write those that are not there yet. A shelf that cannot be written costs time and nothing else."""
        import tempfile

        with contextlib.suppress(OSError):
            make_private(self._folder)
            for path, segment in zip(self._paths(), segments, strict=False):
                if any(segment is known for known in before):
                    continue
                descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=".words-")
                try:
                    with open(descriptor, "wb") as file:
                        file.write(dump(segment))
                    os.replace(name, path)
                except OSError:
                    os.unlink(name)
                    raise
            for path in self._paths()[len(segments) :]:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)

    def _paths(self) -> tuple[str, str]:
        return f"{self._stem}.words", f"{self._stem}.since.words"
