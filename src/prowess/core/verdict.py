"""May this go on, and why."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`reason` tells a model what to do instead. `askable`: refused by default, but a person may say yes."""

    allowed: bool
    reason: str
    askable: bool = False
