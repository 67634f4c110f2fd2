"""Numbers computed from the log: nothing is counted anywhere else."""

from collections.abc import Iterable

from prowess.core import event
from prowess.core.event import Recorded


def counters(events: Iterable[Recorded]) -> dict[str, int]:
    """How many skills were found, chosen, not loaded and cut, over all runs."""
    total = dict.fromkeys(
        (
            "skills_discovered_total",
            "skills_selected_total",
            "skills_load_failed_total",
            "skills_truncated_total",
        ),
        0,
    )
    for each in events:
        payload = each.event.payload
        if each.event.kind == event.SKILLS_DISCOVERED:
            total["skills_discovered_total"] += payload.get("count", 0)
        elif each.event.kind == event.SKILLS_SELECTED:
            total["skills_selected_total"] += len(payload.get("skills", ()))
        elif each.event.kind == event.SKILLS_LOAD_FAILED:
            total["skills_load_failed_total"] += 1
        elif each.event.kind == event.SKILLS_TRUNCATED:
            total["skills_truncated_total"] += 1
    return total
