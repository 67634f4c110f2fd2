"""
Commands with limits and nothing else around them, for those who say that they want no sandbox.

Stops: more time, CPU, memory, processes, output or file size than the limits say, for all that the
command starts together; our environment; children that outlive the command, those in sessions of
their own too.

Does not stop: anything else. The command reads, writes, connects and signals as the user can. A
child that leaves the session, drops its environment and outlives its parent is not found.
"""

import os
import tempfile

from prowess.core.process import Finished, Level, Order
from prowess.sandbox.cgroup import make_group
from prowess.sandbox.limits import launch
from prowess.sandbox.places import carried, environment
from prowess.sandbox.process import attend, start
from prowess.sandbox.toolchains import own_homes


class Plain:
    """No isolation. Home, places and network of an order do not matter here."""

    level: Level = "none"

    async def run(self, order: Order) -> Finished:
        with make_group(order.limits) as group:
            argv = launch(order.argv, order.limits, grouped=bool(group))
            child = start(
                group.joined(argv) if group else argv,
                cwd=order.cwd,
                environment=_environment(order),
                stdin=order.stdin,
            )
            return await attend(child, limits=order.limits, group=group)


def _environment(order: Order) -> dict[str, str]:
    clean = environment(os.path.expanduser("~"), tempfile.gettempdir(), {})
    ours = {"PATH": os.environ.get("PATH", clean["PATH"]), **own_homes()}
    return {**clean, **ours, **carried(order.environment)}
