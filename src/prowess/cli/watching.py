"""
Watching a run from a terminal until it ends, and answering what it asks.

The same for a run that was just started and for one that goes on after a crash.
"""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, NoReturn

import typer

from prowess.cli.live import Live, Visibility
from prowess.cli.output import note, print_json, say
from prowess.core.errors import CancelledRunError, ConflictError, ProwessError
from prowess.core.event import Recorded
from prowess.core.ports import Log
from prowess.core.run import Outcome, outcome_from_json
from prowess.engine.ending import finished
from prowess.engine.house import LAST_WORDS, House

LOOK = 0.5  # seconds between two looks at a run that waits
_LEAVE = "Until then leave its work tree alone: what is not committed counts as the agent's."
_TERMINATED = 128 + signal.SIGTERM  # as a shell tells it
PATIENCE = 5  # seconds for a call to be done when a person stops its run


def as_line(each: Recorded) -> dict[str, Any]:
    """An event as one line of JSON: its kind, where it stands, and its facts side by side."""
    return {
        **each.event.payload,
        "kind": each.event.kind,
        "run": each.event.run,
        "seq": each.seq,
        "at": each.at,
    }


@asynccontextmanager
async def resumable(house: House, run: str) -> AsyncIterator[None]:
    """
    Ctrl-C, an order to end, or an output that goes nowhere any more pauses a run that is at work here, so
    that nobody but a person goes on with it; who is told how.
    """
    ordered = asyncio.Event()
    loop, work = asyncio.get_running_loop(), asyncio.current_task()

    def end() -> None:
        ordered.set()
        if work:
            work.cancel()

    loop.add_signal_handler(signal.SIGTERM, end)
    try:
        yield
    except (asyncio.CancelledError, OSError) as why:
        if isinstance(why, OSError) and _has_ended(house.log, run):  # only its end was not shown
            raise
        with suppress(TimeoutError, ProwessError):  # then it is left when the house closes
            async with asyncio.timeout(2 * PATIENCE):
                await _pause(house, run)
        with suppress(OSError):  # nobody reads this either
            await _tell_stopped(house, run)
        if ordered.is_set():
            raise typer.Exit(_TERMINATED) from None
        raise
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


async def _tell_stopped(house: House, run: str) -> None:
    """Where it stopped, and how it goes on."""
    is_loop = _is_loop(house.log, run)
    if is_loop:
        await _tell_so_far(house, run)
    resume = f"`prowess runs resume {run}` goes on"
    if tool := _under_way(house.log, run):
        note(f"Stopped in the middle of {tool}, which may have been done in part.")
        note(f"{resume}, and the model is told; or {again(house.log, run)}.")
    else:
        note(f"Stopped. {resume} where it was.")
    if is_loop:
        note(_LEAVE)


async def _tell_so_far(house: House, run: str) -> None:
    """What a loop that was paused has done, and where the rest lies."""
    with suppress(TimeoutError, ProwessError):
        async with asyncio.timeout(PATIENCE):
            note(f"\n{(await house.broken_off(run, 'partial', 'paused')).answer}")


async def _until_paused(house: House, run: str) -> None:
    """Wait until somebody has paused a run that is worked on here; in a queue it goes on elsewhere."""
    while house.queueing.everything or await house.engine.state(run) != "paused":  # noqa: ASYNC110  another process
        await asyncio.sleep(LOOK)


async def _pause(house: House, run: str) -> None:
    """In order; at once, when Ctrl-C comes again."""
    again, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, again.set)
    if tool := _under_way(house.log, run):
        with suppress(OSError):
            note(f"Stopping, when {tool} is done or in {PATIENCE} s. Ctrl-C again stops it now.")
    pausing = asyncio.create_task(house.engine.pause(run, within=PATIENCE))
    hurry = asyncio.create_task(again.wait())
    try:
        await asyncio.wait((pausing, hurry), return_when=asyncio.FIRST_COMPLETED)
        if not pausing.done():
            await house.engine.pause(run, within=0)
        await pausing
    finally:
        hurry.cancel()
        pausing.cancel()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _is_loop(log: Log, run: str) -> bool:
    begun = (each.event.payload for each in log.run(run) if each.event.kind == "run.started")
    return any(told.get("run_kind") == "loop" for told in begun)


def _has_ended(log: Log, run: str) -> bool:
    return any(each.event.kind == "run.finished" for each in log.run(run))


def _under_way(log: Log, run: str) -> str:
    """The tool of a skill's run whose call was begun and not finished; empty when there is none."""
    calls: dict[str, str] = {}
    for each in log.run(run):
        told = each.event.payload
        if each.event.kind == "call.started":
            calls[told["call_id"]] = told["tool"]
        elif each.event.kind == "call.finished":
            calls.pop(told["call_id"], None)
    return next(iter(calls.values()), "")


def again(log: Log, run: str) -> str:
    """The whole command that tries the last part of a run again, and what it does."""
    requests, step, index, plan = 0, "", 0, ""
    for each in log.run(run):
        told, kind = each.event.payload, each.event.kind
        if kind == "run.started" and told.get("run_kind") == "loop":
            plan = told["skill"]
        elif kind in ("model.replied", "model.failed"):
            requests += 1
        elif kind in ("step.started", "step.skipped") and told["index"] != index:
            step, index = told["step"], told["index"]
    if plan:
        return f"`prowess loop {plan}` goes on with the tasks that are not ticked"
    if not (place := step or (str(requests) if requests else "")):
        return "run it again: it came to nothing that could be tried again"
    return f"`prowess runs fork {run} --from {place}` tries again from there"


def print_answer(outcome: Outcome) -> None:
    """The answer on stdout; how far a run came that failed is no answer, and told beside it."""
    if outcome.answer:
        note(outcome.answer) if outcome.ending == "failed" else say(outcome.answer)


def code_of(log: Log, run: str, outcome: Outcome) -> int:
    """
    How a command ends that watched a run: 3 when something outside of us failed, as when the model did
    not answer; 4 when a person was to answer and nobody was there.
    """
    if outcome.ok:
        return 0
    if outcome.ending == "cancelled":
        return 1
    if outcome.details.get("unanswered"):
        return 4
    if outcome.details.get("outside"):
        return 3
    last = [each.event.kind for each in log.run(run)][-2:]
    return 3 if last == ["model.failed", "run.finished"] else 1


async def until_begun(house: House, run: str, *, json: bool) -> None:
    """Wait with a run that is in the queue, and tell each thing that it waits for once."""
    told: set[str] = set()
    while (state := await house.engine.state(run)) in {"queued", "paused"}:
        paused = f"until `prowess runs resume {run}`: it is paused"
        waits = paused if state == "paused" else await house.why_waiting(run)
        if waits and waits not in told:
            told.add(waits)
            if json:
                print_json({"kind": "run.queued", "run": run, "waits": waits}, line=True)
            else:
                note(f"run {run} waits {waits}")
        await asyncio.sleep(LOOK)


async def watch(house: House, run: str, *, visibility: Visibility, json: bool) -> Outcome:
    """Show the run as it goes and return how it ended; `WaitingRunError` when nobody answers it."""
    if json:
        return await to_the_end(house, run, _show(house, run, None))
    with Live(visibility) as live:
        return await to_the_end(house, run, _show(house, run, live))


async def to_the_end(house: House, run: str, shown: Coroutine[Any, Any, None]) -> Outcome:
    """
    How the run ended, once all of it is shown; what ends the showing ends the watching. It is told
    as the log tells it: what a terminal shows is copied, piped and kept as anything else is.
    """
    showing = asyncio.create_task(shown)
    ending = asyncio.create_task(house.outcome(run))
    pausing = asyncio.create_task(_until_paused(house, run))
    try:
        await asyncio.wait((showing, ending, pausing), return_when=asyncio.FIRST_COMPLETED)
        if showing.done():
            showing.result()
        elif pausing.done():
            pausing.result()
            await _tell_paused(house, run)
        try:
            outcome = await ending
        except CancelledRunError:
            await asyncio.wait((showing,), timeout=2 * LAST_WORDS)
            if not showing.done():  # neither it nor who cancelled it has told its end
                raise
            showing.result()
            return told_end(house.log, run)
        await showing
        told = house.world.clean(finished(run, outcome)).payload
        return outcome_from_json(told["outcome"])
    finally:
        for task in (showing, ending, pausing):
            task.cancel()
        await asyncio.gather(showing, ending, pausing, return_exceptions=True)


async def _tell_paused(house: House, run: str) -> NoReturn:
    """From elsewhere: nobody works on it here any more, and nobody else does."""
    is_loop = _is_loop(house.log, run)
    if is_loop:
        await _tell_so_far(house, run)
    later = f"`prowess runs resume {run}` goes on where it was"
    raise ConflictError(
        f"the run {run} was paused", hint=f"{later}. {_LEAVE}" if is_loop else later
    )


def told_end(log: Log, run: str) -> Outcome:
    """How the log says that the run ended."""
    ends = [each.event.payload for each in log.run(run) if each.event.kind == "run.finished"]
    return outcome_from_json(ends[-1]["outcome"])


async def _show(house: House, run: str, live: Live | None) -> None:
    """To a person, or as lines of JSON to a program."""
    from prowess.engine.presenting import is_open, waits
    from prowess.observe.follow import follow, follow_loop

    async for each in follow_loop(house.log, run) if live else follow(house.log, run):
        told, kind = each.event.payload, each.event.kind
        live.show(each) if live else print_json(as_line(each), line=True)
        if each.event.run != run:  # an agent of a loop, which asks nobody and ends nothing
            continue
        if kind == "question.asked" and await is_open(house.log, house.engine, run, told["id"]):
            attended = live is not None and sys.stdin.isatty()
            if not (live and attended and await _answer(house, run, live, told)):
                raise waits(run, told)
        if kind == "run.finished":
            return


async def _answer(house: House, run: str, live: Live, question: Mapping[str, Any]) -> bool:
    """Put the question to the person at the terminal until an answer will do; false when they left."""
    live.pause()
    options = question["options"]
    for number, option in enumerate(options, 1):
        note(f"  {number}. {option}{'  (default)' if option == question['default'] else ''}")
    while line := await asyncio.to_thread(_typed):
        answer = meant(line.strip(), options, question["default"])
        if answer is not None:
            await house.engine.send_answer(run, question["id"], answer)
            live.go_on()
            return True
        note(
            f"Type a number from 1 to {len(options)}, or one of the options."
            if options
            else "Type an answer, or Ctrl-D to leave the question open."
        )
    note("")
    return False


def _typed() -> str:
    """A line, or an empty text when nobody is there any more."""
    sys.stderr.write("> ")
    sys.stderr.flush()
    return sys.stdin.readline()


def meant(typed: str, options: list[str], default: str | None) -> str | None:
    """The answer that was meant, or None when it is none of the options."""
    if not typed and default is not None:
        return default
    if not options:
        return typed or None
    if typed.isdecimal() and 1 <= int(typed) <= len(options):
        return options[int(typed) - 1]
    near = [option for option in options if option.casefold() == typed.casefold()]
    return near[0] if near else None
