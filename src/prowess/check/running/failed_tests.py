"""
Which tests failed and with what words, as their runner printed it: for whoever has to mend them.

It decides nothing. The output is a stranger's, so only its end is read, each line of it once, and a few
tests are told. A runner that is not known here is told by the last line that it printed.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

MOST = 20  # tests that are kept
_READ = 1024 * 1024  # characters at the end of an output: summaries stand there
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_])"  # colours, titles, links
)
_Lines = Sequence[str]
_Told = Iterator[tuple[str, str]]  # the name of a test, and why it failed or an empty text


def without_escapes(text: str) -> str:
    """What is left of an output where nothing can move the cursor or set a colour."""
    return _ESCAPES.sub("", text)


def printed_failures(output: str, kind: str) -> tuple[str, ...]:
    """The tests that failed by what a runner of this kind printed, each with the first words of the reason."""
    read = _READERS.get(kind)
    lines = without_escapes(output[-_READ:]).split("\n") if read else []
    told: dict[str, str] = {}
    for name, why in islice(read([line.rstrip() for line in lines]) if read else (), _READ):
        told[name] = told.get(name) or why
    return tuple(told_failure(*each) for each in islice(told.items(), MOST))


def told_failure(name: str, why: str) -> str:
    first = next((line.strip() for line in why.splitlines() if line.strip()), "")
    return f"{name} - {first}" if first else name


def _after_last(lines: _Lines, words: str) -> _Lines | None:
    places = [number for number, line in enumerate(lines) if words in line]
    return lines[places[-1] + 1 :] if places else None


def _next(lines: _Lines, number: int) -> str:
    """The first line behind this one that says something."""
    return next((line.strip() for line in lines[number + 1 : number + 6] if line.strip()), "")


_PYTEST = re.compile(r"(?:SUB)?(?:FAILED|ERROR) (\S.*)")


_COLLECTING = re.compile(r"_+ ERROR collecting (\S+) _+")


def _pytest(lines: _Lines) -> _Told:
    unloaded = dict(_unloaded(lines))
    for line in _after_last(lines, "= short test summary info =") or ():
        if found := _PYTEST.match(line):
            name, _, why = found[1].partition(" - ")
            yield name, why or unloaded.get(name, "")


def _unloaded(lines: _Lines) -> _Told:
    """Why files of tests could not be loaded, of which the summary says nothing."""
    name = ""
    for line in lines:
        if found := _COLLECTING.fullmatch(line):
            name = found[1]
        elif name and line.startswith("E  "):
            yield name, line[1:].strip()
            name = ""


_UNITTEST = re.compile(r"(?:FAIL|ERROR): (\w+) \(([\w.]+)\)")


def _unittest(lines: _Lines) -> _Told:
    name, why, traced = "", "", False
    for line in lines:
        found = _UNITTEST.match(line)
        if found or line.startswith("Ran "):
            if name:
                yield name, why
            name, why, traced = _dotted(found) if found else "", "", False
        elif line.startswith("Traceback (most recent call last)"):
            traced = True
        elif traced and line and not line.startswith(" "):
            why, traced = line, False


def _dotted(found: re.Match[str]) -> str:
    """Before Python 3.11 the name in brackets was that of the class."""
    test, place = found.groups()
    whole = place if place.endswith(f".{test}") else f"{place}.{test}"
    return whole.removeprefix("unittest.loader._FailedTest.")


_NOT_OK = re.compile(r" *not ok \d+(?: -)? (.*)")
_TAP_ERROR = re.compile(r" *error: (.*)")
_CROSS = re.compile(r" *\u2716 (.*?)(?: \([\d.]+ms\))?$")


def _tap(lines: _Lines) -> _Told:
    """Of node, in either form; a test is not told that failed only because one inside of it did."""
    name, why = "", ""
    for number, line in enumerate(lines):
        if found := _NOT_OK.match(line):
            if name:
                yield name, why
            name, why = ("" if re.search(r"# (?:TODO|SKIP)\b", found[1]) else found[1]), ""
        elif line.lstrip() == "failureType: 'subtestsFailed'":
            name = ""
        elif (found := _TAP_ERROR.match(line)) and not why:
            said = found[1].strip("'\"")
            why = _next(lines, number) if said in ("|-", "|", ">-") else said
    if name:
        yield name, why
    yield from _crossed(lines)


def _crossed(lines: _Lines) -> _Told:
    ends = _after_last(lines, "\u2716 failing tests:") or lines
    for number, line in enumerate(ends):
        if found := _CROSS.match(line):
            yield found[1], _next(ends, number)


_JEST = re.compile(r" {2}\u25cf (.+)")
_VITEST = re.compile(r" *FAIL {2}(.+)")


def _headed(head: re.Pattern[str]) -> Callable[[_Lines], _Told]:
    def read(lines: _Lines) -> _Told:
        for number, line in enumerate(lines):
            if found := head.fullmatch(line):
                yield found[1], _next(lines, number)

    return read


_MOCHA = re.compile(r" {2}\d+\) (.+)")


def _mocha(lines: _Lines) -> _Told:
    """A title may stand on several lines, the last of which ends in a colon."""
    ends = _after_last(lines, " failing") or ()
    for number, line in enumerate(ends):
        if found := _MOCHA.fullmatch(line):
            title = [found[1]]
            while not title[-1].endswith(":") and len(title) < 9:  # noqa: PLR2004  suites in suites
                title.append(
                    ends[number + len(title)].strip() if number + len(title) < len(ends) else ":"
                )
            yield " ".join(title).rstrip(":"), _next(ends, number + len(title) - 1)


_CARGO = re.compile(r"test (.+) \.\.\. FAILED")
_CARGO_SAID = re.compile(r"---- (.+) stdout ----")
_PANICKED = " panicked at "


def _cargo(lines: _Lines) -> _Told:
    name = ""
    for number, line in enumerate(lines):
        if found := _CARGO.fullmatch(line):
            yield found[1], ""
        elif found := _CARGO_SAID.fullmatch(line):
            name = found[1]
        elif name and _PANICKED in line:
            place = line.partition(_PANICKED)[2]
            yield name, _panic(lines[number + 1 : number + 4]) if place.endswith(":") else place
            name = ""


def _panic(lines: _Lines) -> str:
    """Over several lines it says what is left and what is right."""
    said = []
    for line in lines:
        if not line.strip() or line.startswith(("note: ", "stack backtrace:")):
            break
        said.append(line.strip())
    return ", ".join(said)


_GO = re.compile(r" *(?:=== (?:RUN|NAME|CONT) +|--- (?P<end>PASS|FAIL|SKIP): )(?P<name>\S+)")
_GO_SAID = re.compile(r"\s+(\S+\.go:\d+: .*)")


def _go(lines: _Lines) -> _Told:
    """What a test said stands before its end where each test is told, else behind it."""
    name, failed, said = "", [], dict[str, str]()
    for line in lines:
        if found := _GO.match(line):
            name = found["name"]
            failed += [name] if found["end"] == "FAIL" else []
        elif found := _GO_SAID.match(line):
            said.setdefault(name, found[1])
    outer = {name.rpartition("/")[0] for name in failed}
    yield from ((name, said.get(name, "")) for name in failed if name not in outer)


_READERS: Mapping[str, Callable[[_Lines], _Told]] = {
    "pytest": _pytest,
    "unittest": _unittest,
    "jest": _headed(_JEST),
    "vitest": _headed(_VITEST),
    "TAP": _tap,
    "mocha": _mocha,
    "cargo test": _cargo,
    "go test": _go,
}
