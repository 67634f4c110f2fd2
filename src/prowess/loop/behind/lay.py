"""
How everything lay beside the work when a loop began, for as long as the loop lasts.

It is a long list, so it lies in a file beside the copies of git's settings, and the record of the run
has only what it hashes to.
"""

import asyncio
import hashlib
import json
import os
import re
import zlib
from collections.abc import Mapping

from prowess.check.tree.beside import Lying, found_beside, lying_beside
from prowess.core.errors import OutsideError
from prowess.loop.behind.guarding import read_plain

_NAME = "lay"
# What programs make: byte code, caches, builds, and packages, of which a check tells by itself.
_MADE = re.compile(
    r"(?:^|/)(?:__pycache__|site-packages|node_modules|\.?venv|\.git|target|build|dist|out|coverage|htmlcov"
    r"|\.next|\.nuxt|\.tox|\.nox|[^/]*\.egg-info|[^/]*cache[^/]*)/"
    r"|\.(?:pyc|pyo|o|class|log|tmp|tsbuildinfo)$|(?:^|/)\.coverage[^/]*$",
    re.IGNORECASE,
)


async def keep_lay(folder: str, files: frozenset[str], own: tuple[str, ...], copies: str) -> str:
    """Write down how all lies beside these files; the hash of what was written."""
    found = await asyncio.to_thread(lying_beside, folder, files, own)
    content = zlib.compress(json.dumps(found).encode())
    made = os.open(os.path.join(copies, _NAME), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(made, "wb") as file:
        file.write(content)
    return hashlib.sha256(content).hexdigest()


def read_lay(copies: str, hashed: str) -> dict[str, Lying]:
    """
    What was written down, also in another process; `OutsideError` where it is no longer that. A loop that
    had come to its end has cleared it away, and where it is gone, nothing counts as lying as it lay.
    """
    try:
        content = read_plain(os.path.join(copies, _NAME))
    except FileNotFoundError:
        return {}
    except OSError:
        content = b""
    if hashlib.sha256(content).hexdigest() != hashed:
        raise OutsideError(
            "nobody can tell any more what lay beside the work when the loop began: "
            f"{os.path.join(copies, _NAME)} was changed",
            hint="look at what git ignores; when it is as it should be, begin a new loop",
        )
    found: dict[str, Lying] = json.loads(zlib.decompress(content))
    return found


def gone_or_changed(folder: str, own: tuple[str, ...], lay: Mapping[str, Lying]) -> list[str]:
    """What a person had lying beside the work that is no longer as it lay; not what programs make anew."""
    entries = found_beside(folder, (), own, lay, elsewhere=True)
    as_it_lay = {path for entry in entries for path in entry.files if path not in entry.hidden}
    return sorted(path for path in lay if path not in as_it_lay and not _MADE.search(path))
