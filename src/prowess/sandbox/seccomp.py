"""
The system calls that no command of a skill needs and that namespaces do not hold.

Sockets of other families than UNIX, IPv4, IPv6 and netlink (a virtual machine's vsock reaches its
host from any network namespace), kernel keyrings (they are inherited from us), io_uring (it opens
sockets past this filter), and entrances to the kernel with a bad record: bpf, perf, userfaultfd.
"""

import platform
import struct
from functools import cache

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EAFNOSUPPORT, _ENOSYS = 97, 38
_FAMILIES = (1, 2, 10, 16)
_X32 = 0x40000000  # calls of the third ABI of x86-64 carry this bit and would slip through
_IO_URING = (425, 426, 427)
# architecture, socket, and: add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd
_TABLE = {
    "x86_64": (0xC000003E, 41, (248, 249, 250, 321, 298, 323, *_IO_URING)),
    "aarch64": (0xC00000B7, 198, (217, 218, 219, 280, 241, 282, *_IO_URING)),
}


@cache
def program() -> bytes:
    """The filter as the kernel takes it; empty on a machine whose numbers are not in the table."""
    if platform.machine() not in _TABLE:
        return b""
    architecture, socket, denied = _TABLE[platform.machine()]
    absent = (_RETURN, 0, 0, _ERRNO | _ENOSYS)
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        absent,
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        absent,
    ]
    for number in denied:
        lines += [(_EQUAL, 0, 1, number), absent]
    lines += [(_EQUAL, 1, 0, socket), (_RETURN, 0, 0, _ALLOW), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    for family in _FAMILIES:
        lines += [(_EQUAL, 0, 1, family), (_RETURN, 0, 0, _ALLOW)]
    lines.append((_RETURN, 0, 0, _ERRNO | _EAFNOSUPPORT))
    return b"".join(struct.pack("HBBI", *line) for line in lines)
