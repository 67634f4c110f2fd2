"""
Reads that cannot leave a folder.

Every path from a skill, a model or the network goes through `open_beneath`: the kernel walks it
with RESOLVE_BENEATH, so links, `..` and swaps made while we look cannot lead outside. Where the
kernel lacks openat2 we walk one component at a time and follow no link at all.
"""

import contextlib
import errno
import os
import stat
from functools import cache
from typing import Any

from prowess.core.errors import RefusedError, SkillError

MAX_BYTES = 16 * 1024 * 1024  # what the MCP skills extension allows a whole skill

_OPENAT2 = 437  # the same number on every Linux architecture
_RESOLVE_NO_MAGICLINKS, _RESOLVE_BENEATH = 0x02, 0x08
# Not blocking, so that a FIFO with no writer answers at once; it is refused right after.
_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def make_private(folder: str) -> None:
    """Make a folder, and those above it that are missing, for its owner's eyes only."""
    if not os.path.isdir(folder):
        make_private(os.path.dirname(folder))
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)


def take_away(path: str) -> None:
    """Whatever lies there, a folder with all in it, closed ones too; nothing where nothing does."""
    import shutil

    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        if not os.path.isdir(path) or os.path.islink(path):
            os.unlink(path)
            return
        try:
            shutil.rmtree(path)
        except PermissionError:
            _open_folders(path)
            shutil.rmtree(path)


def _open_folders(path: str) -> None:
    """For their owner: what runs for us may close a folder to everybody. The outer ones come first."""
    os.chmod(path, stat.S_IRWXU)
    for folder, inner, _ in os.walk(path):
        for name in inner:
            if not os.path.islink(place := os.path.join(folder, name)):
                with contextlib.suppress(OSError):
                    os.chmod(place, stat.S_IRWXU)


def at_once(path: str, flags: int) -> int:
    """An opener for `open`: a FIFO in the place of a file does not hold us up."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY, 0o666)


def read_beneath(folder: str, relative: str, *, limit: int = MAX_BYTES) -> bytes:
    """The whole of a plain file inside `folder`, or `RefusedError`; never more than `limit` bytes."""
    descriptor = open_beneath(folder, relative)
    try:
        return read_plain(descriptor, relative, os.fstat(descriptor), limit=limit)
    finally:
        os.close(descriptor)


def read_plain(
    descriptor: int, shown: str, status: os.stat_result, *, limit: int = MAX_BYTES
) -> bytes:
    """Read an open descriptor to its end, if its `status` is that of a plain file of a bearable size."""
    if not stat.S_ISREG(status.st_mode):
        raise RefusedError(f"{shown} is not a plain file", hint="put a plain file in its place")
    if status.st_size > limit:
        raise RefusedError(
            f"{shown} has {status.st_size:,} bytes", hint=f"keep it under {limit:,} bytes"
        )
    data = os.read(descriptor, status.st_size + 1)
    while len(data) > status.st_size or (len(data) < status.st_size and status.st_size):
        part = os.read(descriptor, limit + 1 - len(data))  # it changed under our hands: read on
        if not part:
            break
        data += part
        if len(data) > limit:
            raise RefusedError(
                f"{shown} grew while it was read", hint=f"keep it under {limit:,} bytes"
            )
    return data


def decode(data: bytes) -> str:
    """Text, or an error that says where the file stops being UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SkillError(
            f"not UTF-8: byte 0x{data[error.start]:02x} cannot be read",
            hint="save the file as UTF-8",
            line=data.count(b"\n", 0, error.start) + 1,
        ) from None


def open_beneath(folder: str, relative: str) -> int:
    """Open `relative` for reading; the caller closes it. Raises `RefusedError` when it leads outside."""
    parts = _parts(relative)
    try:
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise _refused(relative, error) from None
    try:
        found = _openat2(root, "/".join(parts))
        return _walk(root, parts) if found is None else found
    except OSError as error:
        raise _refused(relative, error) from None
    finally:
        os.close(root)


def _parts(relative: str) -> list[str]:
    if not _is_file_name(relative) or "\\" in relative or relative.startswith("/"):
        raise RefusedError(
            f"{relative!r} is not a path inside the skill",
            hint="name a file relative to the skill's folder",
        )
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if ".." in parts or not parts:
        raise RefusedError(
            f"{relative!r} leads outside the skill",
            hint="name a file relative to the skill's folder",
        )
    return parts


def _is_file_name(text: str) -> bool:
    try:
        return b"\0" not in os.fsencode(text) and text != ""
    except UnicodeEncodeError:  # half a surrogate pair
        return False


def _openat2(root: int, path: str) -> int | None:
    """None where the call is not to be had: another system, an old kernel, a container that forbids it."""
    call = _openat2_call()
    if call is None:
        return None
    found, code = call(root, os.fsencode(path))
    if found >= 0:
        return int(found)
    if code in (errno.ENOSYS, errno.EPERM):
        return None
    raise OSError(code, os.strerror(code), path)


@cache
def _openat2_call() -> Any:
    """Python has no openat2 of its own. ctypes is imported late: most commands never come here."""
    if os.uname().sysname != "Linux":
        return None
    import ctypes
    import struct

    libc = ctypes.CDLL(None, use_errno=True)
    how = struct.pack("QQQ", _FLAGS, 0, _RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS)

    def call(root: int, path: bytes) -> tuple[int, int]:
        found = libc.syscall(
            ctypes.c_long(_OPENAT2), ctypes.c_int(root), path, how, ctypes.c_size_t(len(how))
        )
        return found, ctypes.get_errno()

    return call


def _walk(root: int, parts: list[str]) -> int:
    """One component at a time, following no link; stricter than openat2, and never less safe."""
    here = os.dup(root)
    try:
        for part in parts[:-1]:
            deeper = os.open(
                part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here
            )
            os.close(here)
            here = deeper
        return os.open(parts[-1], _FLAGS | os.O_NOFOLLOW, dir_fd=here)
    finally:
        os.close(here)


def _refused(relative: str, error: OSError) -> RefusedError:
    if error.errno == errno.EXDEV:
        return RefusedError(
            f"{relative!r} leads outside the skill", hint="keep files inside the skill's folder"
        )
    if error.errno == errno.ELOOP:
        return RefusedError(
            f"{relative!r} is a link that leads nowhere", hint="replace the link by the file"
        )
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return RefusedError(
            f"there is no {relative!r} in the skill", hint="`prowess show NAME` lists its files"
        )
    return RefusedError(
        f"{relative!r} cannot be read: {error.strerror}", hint="check its permissions"
    )
