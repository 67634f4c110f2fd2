"""
The index of git on a ground: it holds the very files of the work that is checked, whatever was staged.

So to a command `git diff` tells what it changed itself, and its end hangs on the work and not on whether
somebody staged or committed that. Git makes the index on the ground, by the settings that commands see
too; objects that the repository lacks lie beside it, and nothing is written into the records. Where it
cannot be made or laid, as without bubblewrap, commands find the index of the repository.

A line that asks git for changes and has made none itself asks what the work changed (`git diff
--exit-code -- schema.sql`). It finds an index of the commit that the work began at.
"""

import os
import stat
from contextlib import suppress

from prowess.check.tree.changes import Tree, git_folder
from prowess.check.tree.ground import Ground
from prowess.check.tree.records import common_records
from prowess.core.process import Laid, Order

# `$1` is where it is made, `$2` where the repository has its objects, `$3` the commit that the work began at;
# the files come on standard input.
_MAKE = """
set -e -o pipefail
git() { command git -c core.fsmonitor=false -c core.splitIndex=false -c core.hooksPath=/dev/null "$@"; }
export GIT_INDEX_FILE="$1/index" GIT_OBJECT_DIRECTORY="$1/objects" GIT_ALTERNATE_OBJECT_DIRECTORIES="$2"
mkdir "$1/objects"
if [ "$3" ]; then GIT_INDEX_FILE="$1/base" git read-tree "$3"; fi
if git rev-parse --verify -q HEAD >/dev/null; then git read-tree HEAD; fi
git update-index -q --refresh >/dev/null || true  # what is the same is then not written again
git diff-files --name-only -z --diff-filter=D --ignore-submodules=all |
    git update-index -z --force-remove --stdin
git update-index -z --add --remove --replace --stdin
"""


async def lay_index(ground: Ground, tree: Tree, base: str) -> None:
    """Have commands on this ground find its own index in the place of the repository's, and that of `base`."""
    own = git_folder(tree.folder) or ""
    index, objects = os.path.join(own, "index"), os.path.join(common_records(own), "objects")
    info = os.path.join(objects, "info")
    if not (ground.laid and own and _lies(index, stat.S_IFREG) and _lies(info, stat.S_IFDIR)):
        return
    made, lending = (os.path.join(ground.records, name) for name in ("made", "info"))
    os.makedirs(made)
    order = Order(
        argv=("bash", "-c", _MAKE, "git", made, objects, base),
        stdin=os.fsencode("".join(f"{path}\0" for path in sorted(ground.files))),
        cwd=ground.folder,
        writable=(made,),
        readable=(*ground.readable, *tree.records),
        laid=ground.laid,
        limits=tree.limits,
    )
    done = await tree.sandbox.run(order)
    source = os.path.join(made, "index")
    # A filter of the repository may have run, and laid something else there.
    if done.code == 0 and _lies(source, stat.S_IFREG):
        _lend(os.path.join(made, "objects"), info, lending)
        ground.readable += (made,)
        lent = Laid(path=info, source=lending, kept=True)
        then = os.path.join(made, "base")
        if _lies(then, stat.S_IFREG):
            ground.laid_then = (*ground.laid, Laid(path=index, source=then), lent)
        ground.laid += (Laid(path=index, source=source), lent)


def _lies(path: str, kind: int) -> bool:
    """Whether it is of this kind, and there is no link on the way to it."""
    with suppress(OSError):
        return os.path.realpath(path) == path and stat.S_IFMT(os.lstat(path).st_mode) == kind
    return False


def _lend(objects: str, info: str, place: str) -> None:
    """Make anew in `place` what tells git where else objects lie, with these."""
    told = b""
    with suppress(OSError), open(os.path.join(info, "alternates"), "rb") as file:
        told = file.read()
    os.mkdir(place)
    with open(os.path.join(place, "alternates"), "xb") as file:
        file.write(b"\n".join((*told.splitlines(), os.fsencode(objects), b"")))
