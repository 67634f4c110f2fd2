"""A command that is run for a skill: what it may use, and how it ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

# What a sandbox of this kind stands on; "none" runs the command as the user would.
Level = Literal["bubblewrap", "landlock", "none"]
KilledBy = Literal["", "timeout", "idle", "memory", "output", "cpu", "processes", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """
    What one command may use, with all that it starts; `processes` counts threads too. Output beyond
    `output_bytes` of a stream is dropped and counted, never waited for.
    """

    seconds: float = 120.0
    cpu_seconds: int = 120
    memory_bytes: int = 2 * 1024**3
    processes: int = 256
    file_bytes: int = 1024**3
    output_bytes: int = 4 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """
    What a command finds at `path`, whatever lies there: `source`, which is a real path, `without` some
    paths in it. `kept`: what it writes there goes into the source; else it is dropped. Where the machine
    cannot do that it goes into the source too, and a folder without some of its paths is not shown at all.
    """

    path: str
    source: str
    kept: bool = False
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """
    One command for a sandbox: `argv` is run as it is, no shell is added. The places are real paths;
    whoever follows links does so before, once. The inner of two nested places decides. What is `laid`
    is seen in bubblewrap alone: no other sandbox can show a folder in the place of another one.
    """

    argv: Sequence[str]
    cwd: str
    environment: Mapping[str, str] = field(default_factory=dict)  # added to a clean, minimal one
    writable: Sequence[str] = ()
    readable: Sequence[str] = ()
    laid: Sequence[Laid] = ()
    network: bool = False
    stdin: bytes = b""
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """
    `code` is the exit code, negative for a signal (bubblewrap tells it as a shell does, 128 more than
    the signal); `dropped` counts bytes of output that were too many.
    """

    code: int
    out: bytes
    err: bytes
    seconds: float
    killed_by: KilledBy = ""
    dropped: int = 0
