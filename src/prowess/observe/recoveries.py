"""
The ways in which failing calls were overcome, so that they can be counted.

What a run records says which file and which command; to be counted, it must say only which way.
Words that fit no way are a way of their own.
"""

import re

_WAYS = (
    (r"another try", "another try"),
    (r"another approach", "another approach"),
    (r"tried again|connected to .* again", "waiting and trying again"),
    (
        r"read the argument |took the arguments |read \S+ as (boolean|integer|number|string|array|object|null)$",
        "arguments as they were meant",
    ),
    (r"read .* without its Windows line ends|kept the file's line ends", "line ends"),
    (r"read .* as |kept the encoding ", "file encoding"),
    (r"there is no .*; took ", "near-miss name"),
    (r".* is not installed; used ", "stand-in for a missing command"),
    (r"ran .* with ", "script run by its interpreter"),
    (r"made the folder ", "folder made"),
    (r"looked ", "wider search"),
    (r".* is no expression; ", "pattern taken as text"),
    (r"left out the line numbers|allowed for blanks", "text found though quoted inexactly"),
)
_PATTERNS = tuple((re.compile(pattern, re.DOTALL), way) for pattern, way in _WAYS)


def way_of(how: str) -> str:
    """The way that the words of a recovery tell of."""
    return next((way for pattern, way in _PATTERNS if pattern.match(how)), how)
