"""Commands that stay for a while."""

import gc

from prowess.cli.staying import stay


def test_a_command_that_stays_looks_for_garbage() -> None:
    async def work() -> bool:
        return gc.isenabled()

    gc.disable()
    try:
        assert stay(work())
    finally:
        gc.enable()
