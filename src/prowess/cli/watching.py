"""
Watching a run from a terminal until it ends, and answering what it asks.

The same for a run that was just started and for one that goes on after a crash.
"""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from prowess.cli.live import Live, Visibility
from prowess.cli.output import note, print_json
from prowess.core.event import Recorded
from prowess.core.run import Outcome
from prowess.engine.house import House


def as_line(each: Recorded) -> dict[str, Any]:
    """An event as one line of JSON: its kind, where it stands, and its facts side by side."""
    return {
        **each.event.payload,
        "kind": each.event.kind,
        "run": each.event.run,
        "seq": each.seq,
        "at": each.at,
    }


@contextmanager
def resumable(run: str) -> Iterator[None]:
    """Ctrl-C stops the watching and the run; the run is kept, and the person is told how to go on."""
    try:
        yield
    except asyncio.CancelledError:
        note(f"Stopped. `prowess runs resume {run}` goes on where it was.")
        raise


async def watch(house: House, run: str, *, visibility: Visibility, json: bool) -> Outcome:
    """Show the run as it goes and return how it ended."""
    if json:
        showing = asyncio.create_task(_print(house, run))
        outcome = await house.outcome(run)
        await showing
        return outcome
    with Live(visibility) as live:
        showing = asyncio.create_task(_show(house, run, live))
        try:
            outcome = await house.outcome(run)
            await showing
        finally:
            showing.cancel()
            with suppress(asyncio.CancelledError):
                await showing
    return outcome


async def _print(house: House, run: str) -> None:
    from prowess.observe.follow import follow

    async for each in follow(house.log, run):
        print_json(as_line(each), line=True)
        if each.event.kind == "run.finished":
            return


async def _show(house: House, run: str, live: Live) -> None:
    from prowess.observe.follow import follow

    answered = {
        each.event.payload["id"]
        for each in house.log.run(run)
        if each.event.kind == "question.answered"
    }
    async for each in follow(house.log, run):
        live.show(each)
        if each.event.kind == "question.asked" and each.event.payload["id"] not in answered:
            await _answer(house, run, live, each.event.payload)
        if each.event.kind == "run.finished":
            return


async def _answer(house: House, run: str, live: Live, question: Mapping[str, Any]) -> None:
    """Put the question to the person at the terminal, again until the answer is one of the options."""
    live.pause()
    options = question["options"]
    note(f"\n{question['prompt']}")
    for number, option in enumerate(options, 1):
        note(f"  {number}. {option}{'  (default)' if option == question['default'] else ''}")
    while True:
        line = await asyncio.to_thread(_typed)
        if not line:
            note(
                f"Nobody is here to answer. `prowess runs answer {run} ANSWER` does it from elsewhere."
            )
            return
        answer = _meant(line.strip(), options, question["default"])
        if answer is not None:
            break
        note(f"Type a number from 1 to {len(options)}, or one of the options.")
    await house.engine.send_answer(run, question["id"], answer)
    live.go_on()


def _typed() -> str:
    """A line, or an empty text when nobody is there any more."""
    sys.stderr.write("> ")
    sys.stderr.flush()
    return sys.stdin.readline()


def _meant(typed: str, options: list[str], default: str | None) -> str | None:
    """The answer that was meant, or None when it is none of the options."""
    if not typed and default is not None:
        return default
    if not options:
        return typed or None
    if typed.isdecimal() and 1 <= int(typed) <= len(options):
        return options[int(typed) - 1]
    near = [option for option in options if option.casefold() == typed.casefold()]
    return near[0] if near else None
