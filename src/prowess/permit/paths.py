"""
Paths as rules see them: normalised first, matched afterwards.

Nothing here looks at the disk. A link that leads out of a tree is stopped where files are opened.
"""

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

# Other tools run what they find in these, so writing there would be a way around every rule.
PROTECTED = frozenset((".git", ".claude", ".skills", ".vscode", ".idea"))

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ANY = "\ue000\ue001"  # stands for whatever a `*` of a search may find


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The workspace a skill works in, and the folders (its own among them) that it may also read."""

    workspace: str
    readable: tuple[str, ...] = ()

    def in_workspace(self, path: str) -> str | None:
        """`path` as seen from the workspace, or None when it is outside."""
        return self._below(self.workspace, path, "")

    def all_in_workspace(self, path: str, cwds: Iterable[str | None]) -> list[str] | None:
        """Each path it may be, seen from any of `cwds`; None when one of them is outside."""
        seen = {self._below(self.workspace, path, cwd) for cwd in cwds}
        return None if None in seen else sorted(each for each in seen if each is not None)

    def may_read(self, path: str) -> bool:
        return any(
            self._below(tree, path, "") is not None for tree in (self.workspace, *self.readable)
        )

    def _below(self, tree: str, path: str, cwd: str | None) -> str | None:
        if not path or _CONTROL.search(path) or path.startswith("~"):
            return None
        if cwd is None and not posixpath.isabs(path):
            return None
        whole = posixpath.normpath(posixpath.join(self.workspace, cwd or "", path))
        tree, whole = "/" + tree.strip("/"), "/" + whole.lstrip("/")
        if whole == tree:
            return "."
        return whole[len(tree) + 1 :] if whole.startswith(tree + "/") else None


def protected(path: str) -> str | None:
    """The guarded folder that `path` lies in, if any."""
    return next((part for part in path.split("/") if part.casefold() in PROTECTED), None)


def names(pattern: str, folder: str) -> bool:
    """Does the pattern itself name the folder, rather than happen to match it?"""
    return folder in pattern.split("/")


def covers(pattern: str, path: str, world: World) -> bool:
    """`*` stays within one segment, `**` crosses them; anchored at the workspace."""
    from wcmatch import glob

    pattern = pattern.removeprefix("./")
    if posixpath.isabs(pattern):
        pattern = pattern.removeprefix("/" + world.workspace.strip("/") + "/")
    if not pattern or posixpath.isabs(pattern) or ".." in pattern.split("/"):
        return False
    return bool(glob.globmatch(path, pattern, flags=glob.GLOBSTAR | glob.DOTGLOB | glob.CASE))


def covers_tree(pattern: str, folder: str, world: World) -> bool:
    """Everything that may lie below the folder."""
    below = "" if folder == "." else folder + "/"
    return all(covers(pattern, below + each, world) for each in (_ANY, f"{_ANY}/{_ANY}/{_ANY}"))


def covers_search(pattern: str, search: str, world: World) -> bool:
    """Everything that a search for `search` (itself a glob) may find."""
    if any(letter in search for letter in "[]{}"):
        return False
    found = (
        search.replace("**", f"{_ANY}/{_ANY}").replace("*", _ANY).replace("?", _ANY),
        search.replace("**/", "").replace("*", _ANY).replace("?", _ANY),
    )
    return all(covers(pattern, each, world) for each in found)


def grants_url(specifier: str, url: str) -> bool:
    """`domain:host` is that host, `domain:*.host` what is below it; http and https only."""
    kind, _, host = specifier.partition(":")
    reached = host_of(url)
    if kind != "domain" or reached is None or not host:
        return False
    host = host.strip().lower()
    if host.startswith("*."):
        return "*" not in host[2:] and len(host) > 2 and reached.endswith(host[1:])  # noqa: PLR2004
    return reached == host


def host_of(url: str) -> str | None:
    """None for anything that two programs might read as two hosts."""
    if not url.isascii() or not url.isprintable() or any(letter in url for letter in " \\"):
        return None
    try:
        parts = urlsplit(url)
        _ = parts.port  # may be no number
    except ValueError:
        return None
    return parts.hostname if parts.scheme in ("http", "https") else None
