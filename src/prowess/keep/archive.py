"""
The archive of a backup: a zip file, and in it a manifest that names every file with its size and sum.

An archive may come from anywhere, so nothing it says is believed: a name that leads out of its
folder, a link, a file that the manifest does not know, or more than it could honestly hold is
refused before anything is written; a wrong sum, before anything is put in its place.
"""

import hashlib
import json
import os
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import IO, Any

from prowess.core.errors import OutsideError, RefusedError, UsageError

FORMAT = 1  # of the archive; raised when an older Prowess could no longer read it
MANIFEST = "manifest.json"
CHUNK = 1 << 20
_MOST_MANIFEST = 256 << 20  # bytes
_RATIO = 1032  # deflate packs nothing tighter: two bits stand for 258 bytes at most
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One file of the archive."""

    bytes: int
    sha256: str
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """`rows` are those of every table of every database; `left_out` says why something was not taken."""

    prowess: str
    made: str
    files: Mapping[str, Kept]
    rows: Mapping[str, Mapping[str, int]]
    folders: Sequence[str] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def size(self) -> int:
        return sum(kept.bytes for kept in self.files.values())

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Writing:
    """An archive that is being written, and what is in it so far."""

    zip: zipfile.ZipFile
    files: dict[str, Kept] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)

    def add(self, name: str, source: IO[bytes]) -> None:
        executable = bool(os.fstat(source.fileno()).st_mode & stat.S_IXUSR)
        digest, size = hashlib.sha256(), 0
        with self.zip.open(_entry(name), "w", force_zip64=True) as target:
            for chunk in chunks(name, source):
                digest.update(chunk)
                size += len(chunk)
                target.write(chunk)
        self.files[name] = Kept(bytes=size, sha256=digest.hexdigest(), executable=executable)

    def end(self, manifest: Manifest) -> None:
        self.zip.writestr(_entry(MANIFEST), json.dumps(manifest.as_json(), indent=1))


@contextmanager
def writing(path: str) -> Iterator[Writing]:
    """A new archive for its owner's eyes only; it lies on the disk when the block is left."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w+b") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            yield Writing(archive)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def readable(name: str) -> Iterator[None]:
    """What fails in here is the reading of a file in the data folder, not the writing of the archive."""
    try:
        yield
    except OSError as error:
        raise OutsideError(
            f"{name} in the data folder cannot be read: {error.strerror}",
            hint="no backup was made, for it would not be whole; mend or delete that file",
        ) from error


def chunks(name: str, source: IO[bytes]) -> Iterator[bytes]:
    """A file of the data folder, piece by piece."""
    with readable(name):
        while chunk := source.read(CHUNK):
            yield chunk


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (stat.S_IFREG | 0o600) << 16
    return entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """An archive whose manifest and names are in order. The sums are checked as files are read."""

    path: str
    zip: zipfile.ZipFile
    manifest: Manifest

    def unpack(self, name: str, write: Callable[[bytes], Any]) -> None:
        """Hand the file over piece by piece; raises when it is not what the manifest says."""
        told, digest, size = self.manifest.files[name], hashlib.sha256(), 0
        with _explained(self.path), self.zip.open(name) as source:
            while size <= told.bytes and (chunk := source.read(CHUNK)):
                digest.update(chunk)
                size += len(chunk)
                write(chunk)
        if (size, digest.hexdigest()) != (told.bytes, told.sha256):
            raise refused(self.path, f"{name} is not what was backed up: its sum differs")

    def verify(self) -> None:
        for name in self.manifest.files:
            self.unpack(name, len)


@contextmanager
def reading(path: str) -> Iterator[Archive]:
    """The archive, once its manifest and all its names are found in order."""
    try:
        opened = zipfile.ZipFile(path)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise UsageError(f"there is no file {path}", hint="name the file of a backup") from error
    except OSError as error:
        raise OutsideError(
            f"{path} cannot be read: {error.strerror}", hint="check the disk and the file's rights"
        ) from error
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise refused(path, f"it is not the archive of a backup ({error})") from error
    with opened:
        with _explained(path):
            manifest = _manifest(opened, path)
            _refuse_unfit(opened, manifest, path)
        yield Archive(path=path, zip=opened, manifest=manifest)


def _manifest(opened: zipfile.ZipFile, path: str) -> Manifest:
    with opened.open(MANIFEST) as file:
        text = file.read(_MOST_MANIFEST + 1)
    if len(text) > _MOST_MANIFEST:
        raise refused(path, "its manifest is too long")
    told = json.loads(text)
    if told["format"] != FORMAT:
        raise RefusedError(
            f"{path} was written by another version of Prowess ({told['prowess']})",
            hint="restore it with that version, or a newer one",
        )
    files = {name: Kept(**kept) for name, kept in told["files"].items()}
    if not all(isinstance(kept.bytes, int) and kept.bytes >= 0 for kept in files.values()):
        raise refused(path, "its manifest has a size that is none")
    rows = {
        database: {table: int(count) for table, count in tables.items()}
        for database, tables in told["rows"].items()
    }
    folders = tuple(told["folders"])
    return Manifest(**{**told, "files": files, "folders": folders, "rows": rows})


def _refuse_unfit(opened: zipfile.ZipFile, manifest: Manifest, path: str) -> None:
    entries = [entry for entry in opened.infolist() if entry.filename != MANIFEST]
    for entry in entries:
        if why := _unfit(entry, manifest):
            raise refused(path, f"{entry.filename!r} {why}")
    for name in manifest.folders:
        if _leads_out(name):
            raise refused(path, f"{name!r} leads out of the data folder")
    if len(entries) != len(manifest.files):
        raise refused(path, "its manifest names other files than those in it")
    if manifest.size > _RATIO * os.path.getsize(path):
        raise refused(path, f"unpacked it would be {manifest.size:,} bytes, too much for its size")


def _unfit(entry: zipfile.ZipInfo, manifest: Manifest) -> str:
    """Why the entry is not to be unpacked, or nothing."""
    if _leads_out(entry.filename):
        return "leads out of the data folder"
    if stat.S_IFMT(entry.external_attr >> 16) not in {0, stat.S_IFREG}:
        return "is not a plain file"
    if entry.compress_type not in _METHODS or entry.flag_bits & 0x1:
        return "is packed in a way that backups are not"
    told = manifest.files.get(entry.filename)
    if told is None:
        return "is not in its manifest"
    return "" if told.bytes == entry.file_size else "has another size than its manifest says"


def _leads_out(name: str) -> bool:
    return any(part in {"", ".", ".."} or "\0" in part for part in name.split("/"))


def refused(path: str, why: str) -> RefusedError:
    return RefusedError(
        f"{path} is not restored: {why}",
        hint="nothing was changed; name another backup, or make one with `prowess backup FILE`",
    )


@contextmanager
def _explained(path: str) -> Iterator[None]:
    """Everything that a broken archive makes Python's own reader and our own say."""
    try:
        yield
    except RefusedError:
        raise
    except OSError as error:
        raise OutsideError(f"{path}: {error.strerror or error}", hint="check the disk") from error
    except Exception as error:
        raise refused(path, f"it is damaged ({error})") from error
