"""Who works with a data folder right now, and would be robbed of it."""

import fcntl
import os
from collections.abc import Sequence

from prowess.core.errors import ConflictError


def refuse_at_work(databases: Sequence[str]) -> None:
    """A process that works on runs holds a lock on a file that is named after it."""
    for folder in (f"{path}.workers" for path in databases):
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if _is_locked(os.path.join(folder, name)):
                raise ConflictError(
                    f"the process {name.partition('-')[0]} works with this data folder",
                    hint="end `prowess serve` and every run first",
                )


def _is_locked(path: str) -> bool:
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False
