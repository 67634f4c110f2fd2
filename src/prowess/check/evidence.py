"""
Looking for what a probe names: open the file, run the command, count the tests.

Files are opened beneath the work tree and nowhere else. What cannot be looked at is `unconfirmed`;
`refuted` is kept for what we saw to be otherwise.
"""

import os
import re
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from prowess.check.probes import Probe, squeezed
from prowess.check.running.commands import Ran, Run
from prowess.check.running.failed_tests import printed_failures, without_escapes
from prowess.check.running.shell import is_inline, says_nothing
from prowess.check.running.tests_run import TestRun, read_test_run
from prowess.core.errors import RefusedError
from prowess.core.evidence import State
from prowess.core.text import shortened, visible
from prowess.core.workspace import AbsentError, open_in, read_in

MAX_BYTES = 16 * 1024 * 1024
_SHOWN = 160  # characters of what we saw
_NAMED = 3  # of the tests that failed
# Of what a command printed; more than is shown of it, so that a secret is seen whole and taken out.
_KEPT = 24_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """
    `seen` is a line for people; `changed` are files that the command altered or removed. `tests`: it
    is about a run of tests. `output` is the end of what a command printed that did not show what it was to.
    """

    state: State
    seen: str
    changed: tuple[str, ...] = ()
    tests: bool = False
    output: str = ""


async def look(probe: Probe, *, folder: str, run: Run | None) -> Sight:
    """Without `run`, commands are not run, and what they were to show stays unconfirmed."""
    if probe.type == "file_existence":
        return _existence(probe, folder)
    if probe.type == "file_inspection":
        return _inspection(probe, folder)
    if run is None:
        return _unconfirmed("no sandbox runs here, so a command that was proposed is not run")
    heard = [quote for quote in probe.quotes if squeezed(quote) not in squeezed(probe.target)]
    if not heard and (says_nothing(probe.target) or (probe.quotes and is_inline(probe.target))):
        why = "it says its own words" if probe.quotes else "its exit code is the same"
        return _unconfirmed(f"{why} whatever is true")
    ran = await run(probe.target)
    kind = read_test_run(ran.output, code=ran.code).kind
    tests = probe.type == "test_result" or bool(ran.runner or kind)
    sight = _ended(probe, ran)
    output = "" if sight.state == "confirmed" else _end(ran.output)
    return replace(sight, changed=ran.changed, tests=tests, output=output)


def _ended(probe: Probe, ran: Ran) -> Sight:
    if why := ran.could_not_run:
        return _unconfirmed(f"{why}: {shown(ran.last_line)}")
    if ran.lacks_script:
        return Sight(state="refuted", seen=f"what it runs is not there: {shown(ran.last_line)}")
    if probe.type == "test_result":
        return _tests(probe, ran)
    # Tests that pass pass as tests, by whatever name they are called evidence.
    if ran.runner and probe.code == 0 and (told := _tests(probe, ran)).state != "confirmed":
        return told
    return _output(probe, ran)


def _unkept(descriptor: int) -> str:
    """What is there in the place of a file or of a folder with files; empty where it is one of these."""
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISDIR(mode):
        return "" if stat.S_ISREG(mode) else "no file"
    holds = any(files for *_, files, _ in os.fwalk(dir_fd=descriptor))
    return "" if holds else "a folder without a file"


def _existence(probe: Probe, folder: str) -> Sight:
    try:
        descriptor = open_in(folder, probe.target.removesuffix("/"))
        try:
            unkept = _unkept(descriptor) if probe.there else ""
        finally:
            os.close(descriptor)
        if unkept:
            return _unconfirmed(f"{probe.target} is {unkept}, which git does not keep")
        there = True
    except AbsentError:
        there = False
    except (RefusedError, OSError) as error:
        return _unconfirmed(f"it cannot be looked at: {error}")
    seen = f"{probe.target} is {'there' if there else 'not there'}"
    return Sight(state="confirmed" if there == probe.there else "refuted", seen=seen)


def was_so(probe: Probe, then: Mapping[str, bytes | None], files: Collection[str]) -> bool:
    """
    Whether what is seen in files now was to be seen before the work: `then` are the changed files as they
    were, None for those that were not there, and `files` are all that there are now. Where in a file words
    stand is no matter.
    """
    target = probe.target.removeprefix("./").removesuffix("/")
    if probe.type == "file_inspection":
        content = then.get(target)
        if target not in then or content is None:
            return target not in then or not probe.there
        whole = replace(probe, lines=None)
        return _held(whole, content.decode("utf-8", "replace")).state == "confirmed"
    there = {path for path, content in then.items() if content is not None}
    there |= set(files).difference(then)
    return any(f"{path}/".startswith(f"{target}/") for path in there) == probe.there


def _inspection(probe: Probe, folder: str) -> Sight:
    try:
        text = read_in(folder, probe.target, limit=MAX_BYTES).decode("utf-8", "replace")
    except AbsentError as error:
        # Whoever cites a line of it is mistaken; whoever asks for its content is answered.
        return _unconfirmed(str(error)) if probe.lines else Sight(state="refuted", seen=str(error))
    except (RefusedError, OSError) as error:
        return _unconfirmed(f"it cannot be read: {error}")
    if probe.lines:
        return _cited(probe, text.splitlines(), *probe.lines)
    return _held(probe, text)


def _held(probe: Probe, text: str) -> Sight:
    missing = [quote for quote in probe.quotes if squeezed(quote) not in squeezed(text)]
    found = [quote for quote in probe.quotes if quote not in missing]
    wrong = missing if probe.there else found
    if wrong:
        word = "does not hold" if probe.there else "holds"
        return Sight(state="refuted", seen=f"{probe.target} {word} `{shown(wrong[0])}`")
    word = "holds" if probe.there else "does not hold"
    quotes = ", ".join(f"`{shown(each)}`" for each in probe.quotes)
    return Sight(state="confirmed", seen=f"{probe.target} {word} {quotes}")


def _cited(probe: Probe, lines: list[str], first: int, last: int) -> Sight:
    if last > len(lines):
        return _unconfirmed(f"{probe.target} has {len(lines)} lines, and line {last} is cited")
    for quote in probe.quotes:
        # A quotation over several lines begins on the cited one.
        end = max(last, first + quote.count("\n"))
        if squeezed(quote) not in squeezed("\n".join(lines[first - 1 : end])):
            return _unconfirmed(_elsewhere(probe.target, quote, lines, first))
    return Sight(state="confirmed", seen=f"line {first} says `{shown(lines[first - 1].strip())}`")


def _elsewhere(path: str, quote: str, lines: list[str], cited: int) -> str:
    """Where the words really are, for whoever tries again."""
    wanted = squeezed(quote)
    places = [number for number, line in enumerate(lines, 1) if wanted in squeezed(line)]
    if places:
        return f"`{shown(quote)}` is not on line {cited} but on line {places[0]}"
    return f"line {cited} says `{shown(lines[cited - 1].strip())}`, not `{shown(quote)}`"


def _output(probe: Probe, ran: Ran) -> Sight:
    wanted = "an exit code other than 0" if probe.code is None else f"exit code {probe.code}"
    if (ran.code == 0) if probe.code is None else (ran.code != probe.code):
        seen = f"exit code {ran.code}, not {wanted}: {_why(ran)}".rstrip(": ")
        return Sight(state="refuted", seen=seen)
    output = squeezed(ran.output)
    for quote in probe.quotes:
        if squeezed(quote) not in output:
            if ran.dropped:
                return _unconfirmed("it printed more than can be kept")
            return Sight(state="refuted", seen=f"its output has no `{shown(quote)}`")
    said = shown(probe.quotes[0] if probe.quotes else ran.last_line)
    return Sight(state="confirmed", seen=f"exit code {ran.code}: {said}".rstrip(": "))


def _tests(probe: Probe, ran: Ran) -> Sight:
    printed = read_test_run(ran.output, code=ran.code)
    if why := _untold(printed, ran):
        return _unconfirmed(why)
    tests = ran.report or printed
    if not tests.ran:
        return _unconfirmed(f"no test ran: {tests}")
    if tests.ok == (probe.code is not None):
        return Sight(state="confirmed", seen=str(tests))
    if tests.ok or tests.passed + tests.failed > 0 or not tests.kind:
        return Sight(state="refuted", seen=f"{tests}: {_why(ran)}".rstrip(": "))
    return _unconfirmed(str(tests))


def _why(ran: Ran) -> str:
    """The first tests that failed, where its runner tells them, else the last line, if it says something new."""
    printed = read_test_run(ran.output, code=ran.code)
    tests = ran.report or printed
    if named := tests.failures or printed_failures(ran.output, printed.kind):
        more = max(tests.failed, len(named)) - _NAMED
        return "; ".join([*map(shown, named[:_NAMED]), *([f"and {more} more"] if more > 0 else [])])
    again = tests.kind and read_test_run(ran.last_line, code=ran.code).kind
    return "" if again else shown(ran.last_line)


def _end(output: str) -> str:
    """The last lines that a command printed, as a person would have read them; none of them begins within a word."""
    kept = without_escapes(output[-2 * _KEPT :])[-_KEPT:]
    if len(kept) < len(output):
        kept = re.sub(r"\A\S+", "", kept)
    lines = kept.replace("\r\n", "\n").split("\n")
    return visible("\n".join(line.rpartition("\r")[2].rstrip() for line in lines)).strip("\n")


def _untold(printed: TestRun, ran: Ran) -> str:
    """Why a run of tests tells nothing about them, or an empty text."""
    if not printed.kind and ran.report is None and ran.dropped:
        return "it printed more than can be kept, and no summary of tests is in it"
    return "" if ran.code else _unfinished(printed, ran)


def _unfinished(printed: TestRun, ran: Ran) -> str:
    """Why a run that ended with 0 is no good end of its tests, or an empty text."""
    if printed.cut_short:
        return f"{printed.kind} ended with 0 before all tests that it had begun were told of"
    if ran.asked and ran.report is None:
        return f"{ran.runner} ended with 0 before it had written its report"
    if ran.runner and not ran.report and not printed.kind:
        return f"{ran.runner} ended with 0 and without a summary of its tests"
    if ran.report and printed.kind and ran.report.ok != printed.ok:
        return f"its report says {ran.report}, and what it printed {printed}"
    return ""


def _unconfirmed(seen: str) -> Sight:
    return Sight(state="unconfirmed", seen=seen.rstrip(": "))


def shown(text: str) -> str:
    return shortened(squeezed(text), _SHOWN)
