"""A house that can work on every kind of run there is: skills, workflows and loops."""

from contextlib import AbstractAsyncContextManager
from typing import Any

from prowess.engine.house import House, open_house
from prowess.loop.interrupted import must_be_free
from prowess.loop.run import KIND, run_loop
from prowess.loop.telling.broken_off import broken_off
from prowess.settings import Settings


def open_whole_house(settings: Settings, **given: Any) -> AbstractAsyncContextManager[House]:
    """`open_house` with the loop in it."""
    return open_house(
        settings,
        more={KIND: run_loop},
        broken_off={KIND: broken_off},
        looks={KIND: must_be_free},
        **given,
    )
