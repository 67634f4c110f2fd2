"""
Commands with limits and nothing else around them, for those who say that they want no sandbox.

Stops: more time, CPU, memory, processes, output or file size than the limits say, for all that the
command starts together; our environment; children that outlive the command, in whatever session
and with whatever environment.

Does not stop: anything else. The command reads, writes, connects and signals as the user can, and
may kill the warden that would find all of its children (warden.py tells what else it does not hold).
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

    def can_hide(self, folder: str) -> bool:
        return False

    async def run(self, order: Order) -> Finished:
        with make_group(order.limits) as group:
            argv = launch(order.argv, order.limits, grouped=bool(group))
            child = start(
                group.joined(argv) if group else argv,
                cwd=order.cwd,
                environment=_environment(order),
                stdin=order.stdin,
            )
            finished = await attend(child, limits=order.limits, group=group)
            child.must_have_begun()
            return finished


def _environment(order: Order) -> dict[str, str]:
    clean = environment(os.path.expanduser("~"), tempfile.gettempdir(), {})
    ours = {"PATH": os.environ.get("PATH", clean["PATH"]), **own_homes()}
    return {**clean, **ours, **carried(order.environment)}
