"""How every kind of run ends: whatever happens in it, its last fact says how it ended."""

from collections.abc import Awaitable
from dataclasses import dataclass, field

from prowess.core.errors import CancelledRunError, InDoubtError, ProwessError, StoreError
from prowess.core.event import Event
from prowess.core.ports import Record
from prowess.core.run import Ending, Outcome
from prowess.execute.ledger import Bill


@dataclass
class Spent(Bill):
    """
    What a run has used, counted from what it tells: one that is broken off has no other account. `at_work`
    are agents of its own that have not told yet what they cost.
    """

    iterations: int = 0
    at_work: set[str] = field(default_factory=set)

    def noting(self, record: Record) -> Record:
        """The same record, with an eye on what goes through it."""

        def write(event: Event) -> None:
            self.add(event)
            record(event)

        return write

    def add(self, event: Event) -> None:
        told = event.payload
        if event.kind == "model.replied":
            usage = told.get("usage", {})
            self.iterations = max(self.iterations, told.get("iteration", 0))
            used = {
                "requests": 1,
                "input_tokens": usage.get("input_tokens", 0),
                "output_tokens": usage.get("output_tokens", 0),
                "cost": usage.get("cost"),
            }
            self.spend(told.get("model", ""), used)
        elif event.kind == "agent.forked":
            self.at_work.add(told["child"])
        elif event.kind == "agent.joined":
            self.at_work.discard(told["child"])
            self.join(told.get("outcome", {"cost": None}))  # one that told nothing was not free

    def outcome(self, ending: Ending, reason: str) -> Outcome:
        return Outcome(
            ending=ending,
            answer="",
            reason=reason,
            iterations=self.iterations,
            tokens=self.tokens,
            cost=None if self.at_work else self.cost,
            details={"models": self.models} if self.models else {},
        )


async def to_its_end(
    journey: Awaitable[Outcome],
    *,
    run: str,
    record: Record,
    spent: Spent | None = None,
    inside: str = "",
) -> Outcome:
    """
    The outcome of a journey, told to the log. A person's mistake, and trouble outside, are outcomes;
    a cancelled run and a mistake of ours are told and raised again. Where nothing can be kept there is
    no outcome: the run has not ended, it stops here. `inside` is the run above this one: what is in
    doubt here is told and raised again, because nobody may go on before a person has looked.
    """
    spent = spent or Spent()
    try:
        outcome = await journey
    except CancelledRunError as error:
        record(finished(run, spent.outcome("cancelled", str(error))))
        raise
    except InDoubtError as error:
        outcome = in_doubt(error, spent)
        if inside:
            record(finished(run, outcome))
            raise
    except StoreError:
        raise
    except ProwessError as error:
        reason = f"{error} ({error.hint})" if error.hint else str(error)
        outcome = spent.outcome("failed", reason)
    except Exception as error:
        reason = f"a mistake of Prowess: {type(error).__name__}: {error}"
        record(finished(run, spent.outcome("failed", reason)))
        raise
    record(finished(run, outcome))
    return outcome


def in_doubt(error: InDoubtError, spent: Spent) -> Outcome:
    """Somebody has to look."""
    return spent.outcome("needs_attention", f"{error} ({error.hint})")


def finished(run: str, outcome: Outcome) -> Event:
    """The last fact of a run."""
    payload = {
        "summary": outcome.answer.strip().split("\n", 1)[0] or outcome.reason,
        "visibility": "SUMMARY",
        "progress": 100 if outcome.ok else None,
        "outcome": outcome.as_json(),
    }
    return Event(run=run, kind="run.finished", payload=payload)
