"""
Reads and writes that cannot leave the folder a run works in.

Reads are those of `core/files.py`, worded for a workspace and told apart by what the kernel said.
A write holds on to its folder by descriptor, follows no link, and puts the new file in place of
the old one in one move: whoever looks sees the old text or the new, never half of either.
"""

import errno
import os
import secrets
import stat
from dataclasses import dataclass

from prowess.core.errors import RefusedError
from prowess.core.files import open_beneath

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PLAIN_MODE = 0o666  # less what the umask takes


class AbsentError(RefusedError):
    """There is nothing of this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """`made` is the outermost folder that had to be made first, or empty."""

    created: bool
    made: str = ""


def open_in(folder: str, relative: str) -> int:
    """
    Open a file or folder beneath `folder` for reading; `.` is the folder itself.

    Raises `AbsentError`, `RefusedError` when it leads outside, and `OSError` for what may pass
    (too many open files, a busy disk), so that the caller can try again.
    """
    try:
        if os.path.normpath(relative) == ".":
            return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        return open_beneath(folder, relative)
    except RefusedError as refused:
        cause = refused.__context__  # the kernel's own answer, when it was asked
        if isinstance(cause, OSError):
            raise _reworded(relative, cause) from None
        raise _outside(relative) from None


def is_folder(folder: str, relative: str) -> bool:
    """Whether this is a folder; what is absent is not."""
    try:
        descriptor = open_in(folder, relative)
    except AbsentError:
        return False
    try:
        return stat.S_ISDIR(os.fstat(descriptor).st_mode)
    finally:
        os.close(descriptor)


def names_in(folder: str, relative: str) -> list[str]:
    """What a folder holds, in name order; folders end in a slash."""
    descriptor = open_in(folder, relative)
    try:
        with os.scandir(descriptor) as entries:
            return sorted(f"{each.name}/" if each.is_dir() else each.name for each in entries)
    finally:
        os.close(descriptor)


def read_in(folder: str, relative: str, *, limit: int) -> bytes:
    """The whole of a plain file, or `RefusedError`; never more than `limit` bytes."""
    descriptor = open_in(folder, relative)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise RefusedError(f"{relative} is a folder", hint="name a file in it")
        if not stat.S_ISREG(mode):
            raise RefusedError(f"{relative} is not a plain file", hint="name a plain file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(limit + 1)
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise RefusedError(
            f"{relative} has more than {limit:,} bytes",
            hint="search it with Grep, or take a part of it with a command",
        )
    return data


def write_in(folder: str, relative: str, data: bytes) -> Written:
    """Make or replace a plain file, and the folders it lies in. An old file's mode is kept."""
    *parents, name = [part for part in relative.split("/") if part not in ("", ".")] or [""]
    if not name or ".." in (*parents, name):
        raise _outside(relative)
    parent, made = _open_parent(folder, parents)
    try:
        mode = _old_mode(parent, name, relative)
        _replace(parent, name, data, mode)
    except OSError as error:
        raise _reworded(relative, error) from None
    finally:
        os.close(parent)
    return Written(created=mode is None, made=made)


def _open_parent(folder: str, parents: list[str]) -> tuple[int, str]:
    """
    The folder a file will lie in, and the outermost one that was made for it.

    No part of the path may be a link: behind one lies another place than the one that was granted.
    """
    here, made = open_in(folder, "."), ""
    for depth, part in enumerate(parents, start=1):
        shown = "/".join(parents[:depth])
        try:
            try:
                os.mkdir(part, dir_fd=here)
                made = made or shown
            except FileExistsError:
                _refuse_link(here, part, shown)
            deeper = os.open(part, _FOLDER, dir_fd=here)
        except OSError as error:
            raise _reworded(shown, error) from None
        finally:
            os.close(here)
        here = deeper
    return here, made


def _refuse_link(parent: int, name: str, shown: str) -> None:
    if stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
        target = os.readlink(name, dir_fd=parent)
        raise RefusedError(f"{shown} is a link to {target}", hint="name that place itself")


def _old_mode(parent: int, name: str, shown: str) -> int | None:
    """The mode of the file that is to be replaced; None when there is none yet."""
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    _refuse_link(parent, name, shown)
    if not stat.S_ISREG(mode):
        raise RefusedError(f"{shown} is not a plain file", hint="choose another name")
    return stat.S_IMODE(mode)


def _replace(parent: int, name: str, data: bytes, mode: int | None) -> None:
    draft = f".prowess-{secrets.token_hex(6)}"
    descriptor = os.open(draft, _NEW, _PLAIN_MODE, dir_fd=parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
        os.replace(draft, name, src_dir_fd=parent, dst_dir_fd=parent)
    except BaseException:
        os.unlink(draft, dir_fd=parent)
        raise


def _outside(relative: str) -> RefusedError:
    return RefusedError(
        f"{relative!r} is not a path inside the workspace",
        hint="name a file relative to the workspace",
    )


def _reworded(relative: str, error: OSError) -> Exception:
    """What the kernel said, for a reader who knows only the workspace."""
    if error.errno == errno.ENOENT:
        return AbsentError(f"there is no {relative}", hint="look for it with Glob")
    if error.errno == errno.ENOTDIR:
        return AbsentError(f"there is no {relative}: a part of the path is a file, not a folder")
    if error.errno == errno.EXDEV:
        return _outside(relative)
    if error.errno == errno.ELOOP:
        return RefusedError(f"{relative} is reached through a link", hint="name the file itself")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return RefusedError(f"{relative}: {error.strerror}", hint="choose another place")
    return error
