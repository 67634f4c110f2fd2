"""How every kind of run ends: whatever happens in it, its last fact says how it ended."""

from collections.abc import Awaitable

from prowess.core.errors import CancelledRunError, InDoubtError, ProwessError, StoreError
from prowess.core.event import Event
from prowess.core.ports import Record
from prowess.core.run import Outcome


async def to_its_end(journey: Awaitable[Outcome], *, run: str, record: Record) -> Outcome:
    """
    The outcome of a journey, told to the log. A person's mistake, and trouble outside, are outcomes;
    a cancelled run and a mistake of ours are told and raised again. Where nothing can be kept there is
    no outcome: the run has not ended, it stops here.
    """
    try:
        outcome = await journey
    except CancelledRunError as error:
        record(finished(run, Outcome(ending="cancelled", answer="", reason=str(error))))
        raise
    except InDoubtError as error:
        outcome = Outcome(ending="needs_attention", answer="", reason=f"{error} ({error.hint})")
    except StoreError:
        raise
    except ProwessError as error:
        reason = f"{error} ({error.hint})" if error.hint else str(error)
        outcome = Outcome(ending="failed", answer="", reason=reason)
    except Exception as error:
        reason = f"a mistake of Prowess: {type(error).__name__}: {error}"
        record(finished(run, Outcome(ending="failed", answer="", reason=reason)))
        raise
    record(finished(run, outcome))
    return outcome


def finished(run: str, outcome: Outcome) -> Event:
    """The last fact of a run."""
    payload = {
        "summary": outcome.answer.strip().split("\n", 1)[0] or outcome.reason,
        "visibility": "SUMMARY",
        "progress": 100 if outcome.ok else None,
        "outcome": outcome.as_json(),
    }
    return Event(run=run, kind="run.finished", payload=payload)
