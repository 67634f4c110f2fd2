"""
Watching a run from a terminal until it ends, and answering what it asks.

The same for a run that was just started and for one that goes on after a crash.
"""

import asyncio
import sys
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from prowess.cli.live import Live, Visibility
from prowess.cli.output import note, print_json
from prowess.core.event import Recorded
from prowess.core.ports import Log
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
def resumable(log: Log, run: str) -> Iterator[None]:
    """Ctrl-C stops the watching and the run; the run is kept, and the person is told how to go on."""
    try:
        yield
    except asyncio.CancelledError:
        resume = f"`prowess runs resume {run}` goes on"
        if tool := _under_way(log, run):
            note(f"Stopped in the middle of {tool}, which may or may not have been done.")
            note(f"{resume} if it may be done twice; else {again(log, run)}.")
        else:
            note(f"Stopped. {resume} where it was.")
        raise


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


def code_of(log: Log, run: str, outcome: Outcome) -> int:
    """How a command ends that watched a run: 3 when the model, which is outside of us, did not answer."""
    if outcome.ok:
        return 0
    last = [each.event.kind for each in log.run(run)][-2:]
    return 3 if last == ["model.failed", "run.finished"] else 1


async def watch(house: House, run: str, *, visibility: Visibility, json: bool) -> Outcome:
    """Show the run as it goes and return how it ended; `WaitingRunError` when nobody answers it."""
    if json:
        return await to_the_end(house, run, _show(house, run, None))
    with Live(visibility) as live:
        return await to_the_end(house, run, _show(house, run, live))


async def to_the_end(house: House, run: str, shown: Coroutine[Any, Any, None]) -> Outcome:
    """How the run ended, once all of it is shown; what ends the showing ends the watching."""
    showing = asyncio.create_task(shown)
    ending = asyncio.create_task(house.outcome(run))
    try:
        await asyncio.wait((showing, ending), return_when=asyncio.FIRST_COMPLETED)
        if showing.done():
            showing.result()
        outcome = await ending
        await showing
        return outcome
    finally:
        showing.cancel()
        ending.cancel()
        await asyncio.gather(showing, ending, return_exceptions=True)


async def _show(house: House, run: str, live: Live | None) -> None:
    """To a person, or as lines of JSON to a program."""
    from prowess.engine.presenting import must_be_answered, questions
    from prowess.observe.follow import follow

    asked, answered = questions(house.log, run)
    async for each in follow(house.log, run):
        told, kind = each.event.payload, each.event.kind
        live.show(each) if live else print_json(as_line(each), line=True)
        if kind == "question.asked" and told["id"] not in answered:
            attended = live is not None and sys.stdin.isatty()
            if not (live and attended and await _answer(house, run, live, told)):
                await must_be_answered(house.log, run, told, old=told["id"] in asked)
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
