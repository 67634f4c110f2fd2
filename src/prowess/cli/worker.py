"""The command that works on queued runs."""

from typing import Annotated

import typer

from prowess.cli.desk import Desk
from prowess.cli.options import Data, Dirs, Json, Project
from prowess.cli.output import note, print_json
from prowess.cli.staying import stay


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Work on queued runs.",
        epilog="Example: prowess worker --at-once 16",
    )(worker)


def worker(
    at_once: Annotated[
        int | None,
        typer.Option(
            "--at-once", metavar="N", min=1, max=10_000, help="At most so many runs. Default: 8."
        ),
    ] = None,
    project: Project = ".",
    data: Data = None,
    dirs: Dirs = None,
    json: Json = False,
) -> None:
    """
    Work on queued runs of the project until Ctrl-C.

    With database_url as many workers as you like share one queue, and the runs of one that dies are
    taken up by the others. A worker that is told to end leaves its runs to them; a call that must not
    be made twice has 10 seconds to be done.
    """
    import asyncio
    import signal

    from prowess.discover.catalog import Catalog, open_catalog
    from prowess.engine.finding import find_roots
    from prowess.engine.queueing import of_worker

    settings = Desk(project=project, data=data, dirs=dirs).settings
    queueing = of_worker(settings, at_once)

    def skills() -> Catalog:
        """As they are when a run begins."""
        return open_catalog(find_roots(settings), index_folder=settings.index_folder)

    async def work() -> None:
        from prowess.loop.house import open_whole_house

        told_to_end = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told_to_end.set)
        async with open_whole_house(settings, queueing=queueing, catalog=skills) as house:
            name = house.engine.name
            if json:
                print_json({"worker": name, "at_once": queueing.at_once}, line=True)
            else:
                note(f"Worker {name} takes {queueing.at_once} runs at once (Ctrl-C ends it)")
            await told_to_end.wait()

    stay(work())
