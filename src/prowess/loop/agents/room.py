"""How much of an agent's story is kept: a talkative one must not fill the disk."""

import json
from dataclasses import dataclass

from prowess.core.event import Event


@dataclass(slots=True, kw_only=True)
class Room:
    """What is still to be had of events and of their characters. `left_out` counts what found none."""

    events: int = 10_000
    characters: int = 16 * 1024**2
    left_out: int = 0

    @property
    def full(self) -> bool:
        return self.events <= 0 or self.characters <= 0

    def take(self, event: Event) -> bool:
        """Whether the event is kept."""
        if self.full:
            self.left_out += 1
            return False
        self.events -= 1
        self.characters -= len(json.dumps(event.payload, ensure_ascii=False, default=str))
        return True
