"""
How many everyday faults a run gets over without a model's help.

    .venv/bin/python bench/recovery.py              every fault, with the help of the tools and without
    .venv/bin/python bench/recovery.py --failed     and what came of those that were not recovered

The model is a script that knows nothing of the fault: it makes the call that anybody would make,
makes it once more when it fails, and then gives up. Everything else is real: the executor, the
tools, and the sandbox where one runs. What counts is the result, not what the tool says of it.
"""

import argparse
import asyncio
import os
import shlex
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from faults import FAULTS, Fault, Files
from table import Figure, Found, Plot, add_option, write

from prowess.core.chat import Call, Message, Reply
from prowess.core.errors import OutsideError
from prowess.core.ports import Sandbox
from prowess.core.process import Finished, Order
from prowess.core.verdict import Verdict
from prowess.durable.straight import StraightSteps
from prowess.engine.kit import NOTES
from prowess.execute.agent import run_agent
from prowess.execute.means import Budget, Means
from prowess.model.scripted import Scripted, call, final
from prowess.sandbox.probe import open_sandbox
from prowess.tools.place import Place
from prowess.tools.standard import standard_tools
from prowess.tools.toolbox import Toolbox

TRIES = 2
WANTED = 80  # per cent of the faults
FAILURES = 3  # of a flaky command, before it works


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    fault: Fault
    recovered: bool
    answer: str


async def measure(faults: Sequence[Fault], sandbox: Sandbox, *, heals: bool) -> list[Result]:
    """Every fault in a workspace of its own, one after the other."""
    path = await _path(sandbox)
    results = []
    for fault in faults:
        if not all(_real(name, path) for name in (*fault.only, *fault.flaky)):
            continue  # what it is about is not installed here
        with tempfile.TemporaryDirectory(prefix="recovery-") as folder:
            place = _place(fault, folder, sandbox, path)
            results.append(await _tried(fault, replace(place, heals=heals)))
    return results


def sandbox_here() -> Sandbox:
    try:
        return open_sandbox("auto")
    except OutsideError:
        return open_sandbox("none")


async def _tried(fault: Fault, place: Place) -> Result:
    box = Toolbox(standard_tools(place), place)
    model = Scripted(lambda messages: _policy(fault, messages))
    tools = [tool for card in box.cards() if (tool := box.get(card.name))]
    means = Means(
        run="bench",
        think=lambda messages, cards, on_wait: model.reply(messages, cards),
        act=box.act,
        gate=place.gate,
        steps=StraightSteps("bench"),
        record=lambda event: None,
        notes=NOTES,
        cards=tuple(box.cards()),
        meant=lambda said: box.mend(said).call,
        kinds={tool.name: tool.kind for tool in tools},
        reads_only=frozenset(tool.name for tool in tools if tool.reads_only),
        repeatable=box.repeatable,
    )
    outcome = await run_agent([Message(role="user", text="Do it.")], means=means, budget=Budget())
    done = outcome.answer.startswith("Done") and fault.wanted in outcome.answer
    same = all(_bytes_at(place, path) == _as_bytes(text) for path, text in fault.after.items())
    return Result(fault=fault, recovered=done and same, answer=outcome.answer)


def _policy(fault: Fault, messages: Sequence[Message]) -> Reply:
    seen = [message for message in messages if message.role == "tool"]
    if seen and seen[-1].ok:
        return final(f"Done.\n{seen[-1].text}")
    if len(seen) < TRIES:
        return call(fault.tool, **fault.given)
    return final(f"Given up.\n{seen[-1].text}")


def _place(fault: Fault, folder: str, sandbox: Sandbox, path: str) -> Place:
    """A workspace and a skill as the fault wants them; stubs stand before the real commands."""
    folder = os.path.realpath(folder)
    workspace, skill, stubs = (os.path.join(folder, name) for name in ("work", "skill", "bin"))
    _lay(workspace, fault.files)
    _lay(skill, fault.skill)
    os.mkdir(stubs)
    for name, message in fault.flaky.items():
        _stub(stubs, name, _flaky(name, message, path))
    for name in ("bash", *fault.only) if fault.only else ():
        _stub(stubs, name, f'exec {_real(name, path)} "$@"')

    async def no_pause(seconds: float) -> None:
        """A flaky command counts; it does not look at the clock."""

    return Place(
        workspace=workspace,
        run_folder=os.path.join(folder, "run"),
        skill_dir=skill,
        sandbox=_Stubbed(sandbox, stubs),
        gate=_allowed,
        environment={"PATH": stubs if fault.only else f"{stubs}:{path}"},
        sleep=no_pause,
    )


def _allowed(called: Call) -> Verdict:
    return Verdict(allowed=True, reason="granted")


class _Stubbed:
    """The real sandbox, with one more folder that can be read."""

    def __init__(self, sandbox: Sandbox, stubs: str) -> None:
        self.level = sandbox.level
        self._sandbox = sandbox
        self._stubs = stubs

    def can_hide(self, folder: str) -> bool:
        return self._sandbox.can_hide(folder)

    async def run(self, order: Order) -> Finished:
        return await self._sandbox.run(replace(order, readable=(*order.readable, self._stubs)))


def _flaky(name: str, message: str, path: str) -> str:
    """Fails a few times and then works; it counts in a file, with nothing but the shell itself."""
    return (
        f"count=0; [ -e .tries ] && read -r count < .tries; echo $((count + 1)) > .tries\n"
        f'if [ "$count" -lt {FAILURES} ]; then echo {shlex.quote(message)} >&2; exit 1; fi\n'
        f'exec {_real(name, path)} "$@"'
    )


def _real(name: str, path: str) -> str:
    found = (os.path.join(folder, name) for folder in path.split(":"))
    return next((file for file in found if os.access(file, os.X_OK)), "")


def _stub(folder: str, name: str, script: str) -> None:
    file = os.path.join(folder, name)
    with open(file, "w", encoding="utf-8") as stub:
        stub.write(f"#!/bin/bash\n{script}\n")
    os.chmod(file, 0o755)  # noqa: S103 (the sandbox runs as somebody else)


def _lay(folder: str, files: Files) -> None:
    """Write files; a name may end in the file's mode, as in `run.sh|755`."""
    os.mkdir(folder)
    for name, text in files.items():
        path, _, mode = name.partition("|")
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "wb") as file:
            file.write(_as_bytes(text))
        os.chmod(os.path.join(folder, path), int(mode or "644", 8))


def _as_bytes(text: bytes | str) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _bytes_at(place: Place, path: str) -> bytes | None:
    try:
        with open(os.path.join(place.workspace, path), "rb") as file:
            return file.read()
    except OSError:
        return None


async def _path(sandbox: Sandbox) -> str:
    """Where commands are found in the sandbox."""
    with tempfile.TemporaryDirectory() as folder:
        told = await sandbox.run(
            Order(argv=("bash", "-c", "echo $PATH"), cwd=folder, writable=(folder,))
        )
    return told.out.decode().strip()


def table(ours: Sequence[Result], without: Sequence[Result]) -> str:
    families = list(dict.fromkeys(result.fault.family for result in ours))
    rows = ["| family | faults | recovered | without help |", "|---|---:|---:|---:|"]
    counts = [
        Counter(r.fault.family for r in results if r.recovered) for results in (ours, without)
    ]
    size = Counter(result.fault.family for result in ours)
    for family in families:
        shares = [f"{count[family]} ({count[family] / size[family]:.0%})" for count in counts]
        rows.append(f"| {family} | {size[family]} | {shares[0]} | {shares[1]} |")
    total = [f"{count.total()} ({count.total() / len(ours):.0%})" for count in counts]
    rows.append(f"| **all** | **{len(ours)}** | **{total[0]}** | **{total[1]}** |")
    return "\n".join(rows)


def found_of(ours: Sequence[Result], without: Sequence[Result]) -> Found:
    shares = {
        name: 100 * sum(each.recovered for each in results) / len(results)
        for name, results in (("prowess", ours), ("without the tools' help", without))
    }
    return Found(
        figures=[
            Figure(
                name=f"of {len(ours)} faults recovered",
                value=shares["prowess"],
                unit="%",
                at_least=WANTED,
            )
        ],
        plot=Plot(title="Everyday faults recovered without a model's help", unit="%", bars=shares),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failed", action="store_true", help="show what was not recovered")
    add_option(parser)
    options = parser.parse_args()
    sandbox = sandbox_here()
    ours = asyncio.run(measure(FAULTS, sandbox, heals=True))
    without = asyncio.run(measure(FAULTS, sandbox, heals=False))
    print(f"Sandbox: {sandbox.level}\n\n{table(ours, without)}")
    write(options.figures, found_of(ours, without))
    for result in ours if options.failed else ():
        if not result.recovered:
            print(f"\n{result.fault.family}: {result.fault.name}\n{result.answer[:600]}")


if __name__ == "__main__":
    main()
