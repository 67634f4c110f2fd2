"""
Objects of git that are what their names say.

The name of an object is the hash of what is in it, and git does not look when it reads one: whoever
may write into `.git` can put something else in its place, and a change is hidden, or a weakened test
seems to be that of the base. So what we build on is hashed again: the commit, all its folders, and every
file whose text is taken.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prowess.core.errors import OutsideError

# The commit, its folders and its ignore files, each with its size. `$1` is the commit. A path may be any
# bytes, so each is made one line first, and no tool takes them for letters.
LIST = """
export LC_ALL=C
set -e -o pipefail
git() { command git OPTIONS "$@"; }
root="$(git rev-parse --verify "$1^{tree}")"
{
    printf '%s\\n%s\\n' "$1" "$root"
    git ls-tree -r -t -z "$root" | tr '\\n\\0' '\\1\\n' |
        { grep -aE $'^[0-7]+ tree |[\\t/]\\\\.gitignore$' || true; } |
        cut -f1 | cut -d' ' -f3 | sort -u
} | git cat-file --batch-check
"""
AT_ONCE = 32 * 1024**2  # bytes


@dataclass(frozen=True, slots=True)
class Object:
    """What git hands out under a name; `size` is known before its `content` is."""

    name: str
    kind: str
    size: int
    content: bytes = b""

    @property
    def is_true(self) -> bool:
        make = hashlib.sha1 if len(self.name) == 40 else hashlib.sha256  # noqa: PLR2004
        return make(f"{self.kind} {self.size}\0".encode() + self.content).hexdigest() == self.name


@dataclass(frozen=True, slots=True)
class Listed:
    """A file of a commit: the name of what is in it, and how long that is."""

    name: str
    size: int
    is_link: bool = False


def files_in(out: bytes) -> Iterator[tuple[str, Listed]]:
    """What `ls-tree -r -z -l` says of each, by its path; nothing of repositories inside."""
    for line in out.split(b"\0")[:-1]:
        about, _, path = line.partition(b"\t")
        mode, kind, name, size = about.decode().split()
        if kind == "blob" and size.isdigit():
            yield os.fsdecode(path), Listed(name, int(size), is_link=mode == "120000")


def listed_in(out: bytes) -> list[Object]:
    """What `cat-file --batch-check` says of each; a name that leads nowhere is left out."""
    found = []
    for line in out.decode().splitlines():
        name, *about = line.split(" ")
        if len(about) == 2 and about[1].isdigit():  # noqa: PLR2004
            found.append(Object(name, about[0], int(about[1])))
    return found


def in_parts(objects: Sequence[Object]) -> Iterator[list[Object]]:
    """As many at a time as we may hold."""
    batch, size = list[Object](), 0
    for each in objects:
        if batch and size + each.size > AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += each.size
    if batch:
        yield batch


def in_batch(out: bytes, folder: str) -> Iterator[Object | None]:
    """
    What `cat-file --batch` hands out for each name in turn, None for one that leads nowhere; an error for
    what is not what its name says. `folder` is where the repository is, for people.
    """
    place = 0
    while place < len(out):
        end = out.index(b"\n", place)
        name, *kind = out[place:end].rsplit(b" ", 2)
        place = end + 1
        if not kind[-1:] or not kind[-1].isdigit():
            yield None
            continue
        size = int(kind[-1])
        found = Object(name.decode(), kind[0].decode(), size, out[place : place + size])
        place += size + 1
        if not found.is_true:
            about = f"the {found.kind} {found.name[:12]} holds something else than its name says"
            raise meddled(folder, about)
        yield found


def meddled(folder: str, why: str) -> OutsideError:
    return OutsideError(
        f"the records of {folder} were damaged or meddled with, and show nothing: {why}",
        hint="`git fsck` tells what is wrong; clone the repository anew, and check there",
    )
