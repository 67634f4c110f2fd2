"""
Paths as rules see them: normalised first, matched afterwards.

Nothing here looks at the disk. A link that leads out of a tree is stopped where files are opened.
"""

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

# Other tools run what they find in these, so writing there would be a way around every rule.
PROTECTED = (
    ".git", ".claude", ".codex", ".cursor", ".gemini", ".opencode", ".skills", ".agent/skills",
    ".agents/skills", ".github/skills", ".github/workflows", ".vscode", ".idea", ".husky", ".envrc",
    ".mcp.json", "prowess.toml",
)  # fmt: skip

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ODD = re.compile(r"[\[\]{}()!|]")
_MAGIC = re.compile(rf"[*?]|{_ODD.pattern}")
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
    """The guarded folder or file that `path` is or lies in, if any, as the path has it."""
    for each in PROTECTED:
        found = f"/{path}/".casefold().find(f"/{each}/")
        if found >= 0:
            return path[found : found + len(each)]
    return None


def may_be_protected(path: str) -> str | None:
    """The same for a path with stars in it, which find no name with a dot before it unless they say the dot."""
    from fnmatch import fnmatchcase

    parts = path.casefold().split("/")
    for each in PROTECTED:
        wanted = each.split("/")
        for at in range(len(parts) - len(wanted) + 1):
            said = parts[at : at + len(wanted)]
            if said[0][:1] == wanted[0][0] and all(map(fnmatchcase, wanted, said)):
                return each
    return None


def names(pattern: str, guarded: str) -> bool:
    """Does the pattern itself name it, rather than happen to match it?"""
    return f"/{guarded}/" in f"/{pattern}/"


def covers(pattern: str, path: str, world: World) -> bool:
    """`*` stays within one segment, `**` crosses them; anchored at the workspace."""
    pattern = _anchored(pattern, world)
    if not pattern or posixpath.isabs(pattern) or ".." in pattern.split("/"):
        return False
    return _matches(path, pattern)


def _anchored(pattern: str, world: World) -> str:
    """The pattern as seen from the workspace."""
    pattern = pattern.removeprefix("./")
    if posixpath.isabs(pattern):
        pattern = pattern.removeprefix("/" + world.workspace.strip("/") + "/")
    return pattern


def _matches(path: str, pattern: str) -> bool:
    from wcmatch import glob

    return bool(glob.globmatch(path, pattern, flags=glob.GLOBSTAR | glob.DOTGLOB | glob.CASE))


def touches(pattern: str, path: str, world: World) -> bool:
    """Is this path meant by a rule that forbids? `secrets/**` means the folder as well."""
    folder = pattern.removesuffix("/**")
    return covers(pattern, path, world) or (folder != pattern and covers(folder, path, world))


def meets(pattern: str, search: str, world: World) -> bool:
    """May a search for `search` (itself a glob) find anything that the pattern means?"""
    wanted, found = _anchored(pattern, world).split("/"), _with_stars(search)
    if wanted[-1] == "**" and _may_meet(wanted[:-1], found):
        return True
    return _may_meet(wanted, found)


def _with_stars(search: str) -> list[str]:
    """Its parts; from where it has more than stars on, it may be anything."""
    parts = search.split("/")
    odd = next((at for at, part in enumerate(parts) if _ODD.search(part)), None)
    return parts if odd is None else [*parts[:odd], "**"]


def _may_meet(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Could one path fit both, part by part?"""
    # `reached` are the numbers of parts of `theirs` that the parts of `ours` so far may be.
    reached = _past_stars({0}, theirs)
    for part in ours:
        if part == "**":
            reached = set(range(min(reached, default=len(theirs) + 1), len(theirs) + 1))
            continue
        stay = {at for at in reached if at < len(theirs) and theirs[at] == "**"}
        move = {at + 1 for at in reached if at < len(theirs) and _alike(part, theirs[at])}
        reached = _past_stars(stay | move, theirs)
    return len(theirs) in reached


def _past_stars(reached: set[int], parts: Sequence[str]) -> set[int]:
    """`**` may also be no part at all."""
    for at, part in enumerate(parts):
        if part == "**" and at in reached:
            reached.add(at + 1)
    return reached


def _alike(one: str, other: str) -> bool:
    """Could one name fit both? Where both have stars nobody knows."""
    if _MAGIC.search(one) and _MAGIC.search(other):
        return True
    return _matches(one, other) or _matches(other, one)


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
