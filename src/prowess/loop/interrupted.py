"""
A loop that was cut off and has not ended: it is gone on with, or given up, before another begins.

What its agent did until then is known to it alone. A new loop would take the agent's ticks and commits for
a person's, and believe them.
"""

from collections.abc import Mapping

from prowess.core.errors import UsageError
from prowess.core.ports import Log
from prowess.loop.request import LoopRequest, plan_name


def refuse_interrupted(request: LoopRequest, log: Log, left: Mapping[str, str]) -> None:
    """`left` are runs under way on which nobody works, each with why that is so."""
    for run, why in left.items():
        if why != "queued" and _is_over_this(request, log, run):
            raise UsageError(
                f"an earlier loop over {plan_name(request)} was {why}: {run}",
                hint=f"`prowess runs resume {run}` goes on with it; `prowess runs cancel {run}` takes what"
                " lies here as yours, then begin anew",
            )


def _is_over_this(request: LoopRequest, log: Log, run: str) -> bool:
    first = next(iter(log.run(run)), None)
    told = first.event.payload if first else {}
    place = (told.get("run_kind"), told.get("project"), told.get("skill"))
    return place == ("loop", request.workspace, plan_name(request))
