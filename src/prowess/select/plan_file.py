"""A plan as a file: a plain one of a bearable size, or it is refused before it is read."""

import os
import stat

from prowess.core.errors import RefusedError, UsageError
from prowess.core.files import read_plain
from prowess.select.plan import MAX_BYTES

# Not blocking, so that a FIFO with no writer answers at once; it is refused right after.
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def plan_bytes(path: str) -> bytes:
    """What the file holds, for `read_plan`; `UsageError` when it cannot be read as a plan's file."""
    try:
        descriptor = os.open(path, _FLAGS)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a plain file"
                raise UsageError(f"{path} is {kind}", hint="name a plan, which is a Markdown file")
            return read_plain(descriptor, path, status, limit=MAX_BYTES)
        finally:
            os.close(descriptor)
    except RefusedError as error:
        raise UsageError(str(error), hint=error.hint) from None
    except OSError as error:
        gone = isinstance(error, FileNotFoundError | NotADirectoryError)
        raise UsageError(
            f"{path} cannot be read: {error.strerror}",
            hint="name a plan that exists" if gone else "see that it is yours to read",
        ) from None
