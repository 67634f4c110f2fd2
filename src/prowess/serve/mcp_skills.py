"""
Skills as the MCP skills extension serves them (SEP-2640): whole folders, each file with its digest.

Only what a strict reader would accept is served: a SKILL.md whose header needs no mending, a name
that can stand in an address, no more files and bytes than every client must be ready for. What is
listed is all there is: a file that is not in its skill's entry cannot be read either.
"""

import hashlib
import mimetypes
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from prowess.core.errors import ProwessError, RefusedError
from prowess.core.files import MAX_BYTES, decode, read_beneath
from prowess.core.safe_yaml import read_mapping
from prowess.core.skill import Skill
from prowess.discover.catalog import Catalog
from prowess.discover.frontmatter import parse
from prowess.discover.naming import is_faultless
from prowess.discover.resources import MAX_DEPTH, MAX_FILES
from prowess.discover.scan import PASSED_OVER

EXTENSION = "io.modelcontextprotocol/skills"
SETTINGS = {"directoryRead": True}
SCHEME = "skill://"
FILE = "SKILL.md"
FOLDER_TYPE = "inode/directory"
Stamp = tuple[int, int, int]  # of a file: another one whenever the file is
_HEADER = re.compile(r"---\n(.*?\n)---(?:\n|\Z)", re.DOTALL)


class NotServedError(ProwessError):
    """Nothing is served at this address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The plain files of a skill with their stamps, and its folders; paths are relative, `/` parts them."""

    files: Mapping[str, Stamp]
    folders: frozenset[str]

    def children(self, folder: str) -> list[tuple[str, bool]]:
        """What lies directly in a folder (empty: the skill's own), by path, and whether it is a folder."""
        found = [(path, False) for path in self.files] + [(path, True) for path in self.folders]
        return sorted(each for each in found if each[0] and os.path.dirname(each[0]) == folder)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Remembers digests: a file is read again only when its stamp is another."""

    _digests: dict[str, tuple[Stamp, str]] = field(default_factory=dict)

    def entry(self, skill: Skill) -> dict[str, Any]:
        """The entry of one skill; `NotServedError` says why it has none."""
        frontmatter, tree = _frontmatter(skill), _tree(skill.path)
        if len(tree.files) > MAX_FILES:
            raise NotServedError(f"{skill.name} has more than {MAX_FILES} files")
        files = {path: self._digest(skill, path, stamp) for path, stamp in tree.files.items()}
        if sum(size for _, size in files.values()) > MAX_BYTES:
            raise NotServedError(f"{skill.name} has more than {MAX_BYTES:,} bytes")
        return {
            "uri": address(skill, FILE),
            "frontmatter": frontmatter,
            "resources": [
                {"uri": address(skill, path), "digest": f"sha256:{digest}", "size": size}
                for path, (digest, size) in sorted(files.items())
            ],
        }

    def _digest(self, skill: Skill, path: str, stamp: Stamp) -> tuple[str, int]:
        place = os.path.join(skill.path, path)
        known = self._digests.get(place)
        if known is None or known[0] != stamp:
            try:
                data = read_beneath(skill.path, path)
            except RefusedError as error:
                raise NotServedError(f"{skill.name}: {error}") from error
            known = self._digests[place] = ((*stamp[:2], len(data)), _sha256(data))
        return known[1], known[0][2]


def may_be_served(skill: Skill) -> bool:
    """What is known without reading its files; `Shelf.entry` knows the rest."""
    return skill.files[0] == FILE and is_faultless(skill.name, f"/{skill.name}")


def address(skill: Skill, path: str = "") -> str:
    return f"{SCHEME}{skill.name}/{quote(path)}" if path else f"{SCHEME}{skill.name}"


def find(catalog: Catalog, uri: str) -> tuple[Skill, str]:
    """The skill and the path in it that an address names; whether there is such a file is not asked."""
    name, _, path = uri.removeprefix(SCHEME).partition("/")
    skill = catalog.skills.get(name) if uri.startswith(SCHEME) else None
    if skill is None or not may_be_served(skill) or address(skill, unquote(path)) != uri:
        raise NotServedError(f"no skill is served at {uri}")
    return skill, unquote(path)


def read(catalog: Catalog, uri: str) -> bytes:
    """A file of a skill, byte for byte."""
    skill, path = find(catalog, uri)
    if path not in _tree(skill.path).files:
        raise NotServedError(f"no file is served at {uri}")
    try:
        return read_beneath(skill.path, path)
    except RefusedError as error:
        raise NotServedError(f"{uri}: {error}") from error


def children(catalog: Catalog, uri: str) -> Iterator[tuple[str, str, str | None]]:
    """Address, name and media type of everything directly in a folder of a skill."""
    skill, folder = find(catalog, uri)
    tree = _tree(skill.path)
    if folder not in tree.folders:
        raise NotServedError(f"{uri} is not a folder of a skill")
    for path, is_folder in tree.children(folder):
        kind = FOLDER_TYPE if is_folder else media_type(path)
        yield address(skill, path), os.path.basename(path), kind


def media_type(path: str) -> str | None:
    return mimetypes.guess_type(path)[0]


def _frontmatter(skill: Skill) -> dict[str, Any]:
    """The header as the author wrote it: what a client reads in the file itself, it finds here."""
    try:
        text = decode(read_beneath(skill.path, FILE))
        mended = parse(text).mended
        header = _HEADER.match(text)
        fields = read_mapping(header[1]).value if header else {}
    except ProwessError as error:
        raise NotServedError(f"{skill.name}: {error}") from error
    if mended:
        raise NotServedError(f"{skill.name}: line {mended[0].line}: {mended[0].what}")
    if fields.get("name") != skill.name:
        raise NotServedError(f"{skill.name}: its header has another name")
    return fields


def _tree(root: str) -> Tree:
    """Links are passed over, as they may lead anywhere; one file too many is enough to know."""
    files: dict[str, Stamp] = {}
    folders = {""}
    waiting = [""]
    while waiting and len(files) <= MAX_FILES:
        below = waiting.pop(0)
        try:
            with os.scandir(os.path.join(root, below)) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in inside:
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.name in PASSED_OVER or not _is_text(path):
                continue
            if entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                files[path] = (status.st_ino, status.st_mtime_ns, status.st_size)
            elif entry.is_dir(follow_symlinks=False) and path.count("/") < MAX_DEPTH:
                folders.add(path)
                waiting.append(path)
    return Tree(files=files, folders=frozenset(folders))


def _is_text(name: str) -> bool:
    """A name that is no text has no address."""
    return name.isprintable() or name.encode("utf-8", "replace").decode() == name


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
