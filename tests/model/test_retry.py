"""Patience has growing pauses, a reason for each, and an end."""

import asyncio

import pytest

from prowess.core.chat import Message, Reply
from prowess.core.errors import ModelError
from prowess.model.retry import LONGEST_PAUSE, patient
from prowess.model.scripted import Scripted, final

TASK = [Message(role="user", text="go")]


def busy(retry_after: float | None = None) -> ModelError:
    return ModelError("busy", transient=True, retry_after=retry_after)


class Waiting:
    """Sleeps in no time, and remembers for how long."""

    def __init__(self) -> None:
        self.pauses: list[float] = []
        self.told: list[tuple[int, float, str]] = []

    async def sleep(self, pause: float) -> None:
        self.pauses.append(pause)

    def reply(self, model: Scripted, *, attempts: int = 4, chance: float = 0.5) -> Reply:
        return asyncio.run(
            patient(
                model,
                TASK,
                [],
                attempts=attempts,
                sleep=self.sleep,
                chance=lambda: chance,
                on_wait=lambda attempt, pause, error: self.told.append(
                    (attempt, pause, str(error))
                ),
            )
        )


def test_pauses_grow_and_each_is_told() -> None:
    waiting = Waiting()

    reply = waiting.reply(Scripted([busy(), busy(), busy(), final("done")]))

    assert reply.message.text == "done"
    assert waiting.pauses == [1.0, 2.0, 4.0]
    assert waiting.told == [(1, 1.0, "busy"), (2, 2.0, "busy"), (3, 4.0, "busy")]


def test_chance_moves_a_pause_by_a_fourth_at_most() -> None:
    short, long = Waiting(), Waiting()
    short.reply(Scripted([busy(), final("done")]), chance=0.0)
    long.reply(Scripted([busy(), final("done")]), chance=1.0)

    assert (short.pauses, long.pauses) == ([0.75], [1.25])


def test_a_pause_is_at_least_what_the_provider_asked_for() -> None:
    waiting = Waiting()

    waiting.reply(Scripted([busy(retry_after=7.0), final("done")]), chance=0.25)

    assert waiting.pauses == [7.25]


def test_the_last_error_is_raised_when_the_attempts_are_used_up() -> None:
    waiting = Waiting()
    model = Scripted([busy(), busy(), ModelError("busy to the end", transient=True)])

    with pytest.raises(ModelError, match="to the end"):
        waiting.reply(model, attempts=3)
    assert (model.requests, len(waiting.pauses)) == (3, 2)


@pytest.mark.parametrize(
    "error", [ModelError("wrong key"), busy(retry_after=LONGEST_PAUSE + 1)], ids=["final", "hours"]
)
def test_what_will_not_pass_soon_is_not_waited_for(error: ModelError) -> None:
    waiting = Waiting()
    model = Scripted([error, final("never")])

    with pytest.raises(ModelError):
        waiting.reply(model)
    assert (model.requests, waiting.pauses) == (1, [])


def test_pauses_stop_growing_at_the_longest() -> None:
    waiting = Waiting()

    waiting.reply(Scripted([*(busy() for _ in range(9)), final("done")]), attempts=10)

    assert max(waiting.pauses) == LONGEST_PAUSE
