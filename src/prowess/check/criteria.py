"""
What a criterion's own words let us look at, without anybody's help.

    `docs/units.md` exists                           a file
    `src/a.py` contains `def parse`                  words in a file
    `python -m app --version` prints `2.0`           a command and what it says
    `pytest -q` passes; all tests pass               tests

Only sentences of these forms are understood, each part of them whole. A criterion of which a part
says more than that may be refuted here, and is never proven here.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from prowess.check.file_names import is_of_a_file
from prowess.check.probes import Probe
from prowess.check.running.runners import RUNS_TESTS, pytest_in

FindTest = Callable[[str], Sequence[str]]  # the files that define a test of this name
Read = Callable[[re.Match[str]], Probe | None]

_BE = r"(?:is|are|was|has been|have been)"
_WORDS = r"(?: the (?:text|words?|line))?"
_FILE = (
    r"(?:(?:the )?(?P<kind>file|folder|directory) `(?P<spaced>[^`\n]*[^`\s][^`\n]*)`"
    r"|(?:(?:the )?(?P<sort>file|folder|directory) )?(?:`(?P<path>[^`\s]+)`|(?P<bare>[\w.@-]*[/.][\w./@-]*[\w/])))"
)
_COMMAND = r"(?:running |the command |the output of )?`(?P<command>[^`\n]+)`"
_SAID = r"(?:`(?P<said>[^`\n]+)`|[\"“](?P<told>[^\"”\n]+)[\"”])"
_EACH = r"(?:`[^`\n]+`|[\"“][^\"”\n]+[\"”])"
_ALL_SAID = rf"(?P<all>{_EACH}(?:(?:,|,? and) {_EACH})*)"
_NONE_SAID = rf"(?P<all>{_EACH}(?:(?:,|,? (?:and|or|nor)) {_EACH})*)"
_ENDS = r"(?:exits?|ends|returns) (?:with )?(?:(?:exit )?(?:code|status) )?"
_GOOD = (
    r"(?:passes|pass|succeeds|works|runs|is green|runs (?:cleanly|through)"
    rf"|(?:runs|ends|finishes|completes) (?:without (?:errors?|failures?)|successfully)|{_ENDS}0)"
)
_TEST = r"(?P<test>[\w./-]+\.py(?:::[\w:\[\].,-]+)?|test_\w+)"
# What is quoted is passed over: only outside of it does a word join two parts, or a comma two clauses.
_QUOTED = r"`[^`]*`|\"[^\"\n]*\"|“[^”\n]*”"
_JOINS = re.compile(rf"{_QUOTED}|(?P<join>,?\s+and\s+|;\s+)", re.IGNORECASE)
_COMMAS = re.compile(rf"{_QUOTED}|(?P<join>,\s+)")
# A sentence that may go on with one more thing that is said.
_TAKES_MORE = re.compile(
    rf".*\b(?:contains?|mentions?|includes?|say|says|defines?|prints|outputs|shows|writes){_WORDS}\s+{_ALL_SAID}",
    re.IGNORECASE,
)
_MUST = r"(?:must|should|has to|have to|needs to)"
_PYTEST = "python -m pytest -q"  # where no validation command calls it otherwise
_LONGEST = 2_000  # characters; more is no sentence
_ALONE = frozenset("jest make mypy nox pytest ruff tox vitest".split())  # need no argument


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """`whole`: if every probe holds, so does the criterion."""

    probes: tuple[Probe, ...] = ()
    whole: bool = False


def propose(text: str, *, validation: Sequence[str] = (), find_test: FindTest) -> Proposal:
    """The probes of one criterion. `validation` are the commands that "all tests" may mean, and that know how to run one."""
    if len(text) > _LONGEST:
        return Proposal()
    probes: list[Probe] = []
    whole = True
    for part in _lists(_split(_JOINS, text.strip().rstrip("."))):
        found = _probes(part, validation, find_test) or _clauses(part, validation, find_test)
        whole = whole and bool(found)
        probes += found
    return Proposal(probes=tuple(probes), whole=whole)


def commands_of(texts: Iterable[str], *, validation: Sequence[str] = ()) -> list[str]:
    """The commands that would be run to prove these criteria."""
    proposals = (propose(text, validation=validation, find_test=lambda name: []) for text in texts)
    probes = [probe for each in proposals for probe in each.probes]
    runs = ("command_output", "test_result")
    return list(dict.fromkeys(probe.target for probe in probes if probe.type in runs))


def success_of(command: str) -> Probe:
    """A command that has to succeed: by its tests where it runs some, else by its exit code."""
    if RUNS_TESTS.search(command):
        return Probe(type="test_result", target=command)
    return Probe(type="command_output", target=command)


def _split(joins: re.Pattern[str], text: str) -> list[str]:
    parts, start = [], 0
    for found in joins.finditer(text):
        if found["join"]:
            parts.append(text[start : found.start()].strip())
            start = found.end()
    return [*parts, text[start:].strip()]


def _lists(parts: Iterable[str]) -> list[str]:
    """With what is no sentence, but one more thing that the one before it says."""
    found: list[str] = []
    for part in parts:
        if found and re.fullmatch(_EACH, part) and _TAKES_MORE.fullmatch(found[-1]):
            found[-1] += f" and {part}"
        else:
            found.append(part)
    return found


def _clauses(part: str, validation: Sequence[str], find_test: FindTest) -> list[Probe]:
    """Sentences with commas between them. One that is not understood may be an "or", or an "unless"."""
    found = [_probes(each, validation, find_test) for each in _split(_COMMAS, part)]
    return [probe for probes in found for probe in probes] if all(found) else []


def _probes(part: str, validation: Sequence[str], find_test: FindTest) -> list[Probe]:
    for form, read in _FORMS:
        if (found := form.fullmatch(part)) and (probe := read(found)):
            return [probe]
    if _ALL_TESTS.fullmatch(part):
        tests = map(success_of, validation)
        return [probe for probe in tests if probe.type == "test_result"]
    if (found := _NAMED_TEST.fullmatch(part)) and (
        command := _named(found["test"], pytest_in(validation) or _PYTEST, find_test)
    ):
        return [Probe(type="test_result", target=command)]
    return []


def _existence(*, there: bool) -> Read:
    def look(found: re.Match[str]) -> Probe | None:
        meant = found["kind"] or found["sort"] or is_of_a_file(_file(found))
        return Probe(type="file_existence", target=_file(found), there=there) if meant else None

    return look


def _content(*, there: bool) -> Read:
    return lambda found: Probe(
        type="file_inspection", target=_file(found), quotes=_quotes(found), there=there
    )


def _success(found: re.Match[str]) -> Probe | None:
    return success_of(found["command"]) if _is_command(found["command"]) else None


def _ending(found: re.Match[str]) -> Probe | None:
    code = int(found["code"]) if found["code"] else None
    command = found["command"]
    probe = Probe(type="command_output", target=command, code=code)
    return probe if _is_command(command) else None


def _printing(found: re.Match[str]) -> Probe | None:
    command = found["command"]
    probe = Probe(type="command_output", target=command, quotes=_quotes(found))
    return probe if _is_command(command) else None


def _file(found: re.Match[str]) -> str:
    return str(found["spaced"] or found["path"] or found["bare"])


def _quotes(found: re.Match[str]) -> tuple[str, ...]:
    """What is quoted: all of a list, or none of it."""
    return tuple(str(each["said"] or each["told"]) for each in re.finditer(_SAID, found["all"]))


def _is_command(text: str) -> bool:
    """Whether backticks hold something to run, rather than an expression, a name or a file."""
    first, _, rest = text.strip().partition(" ")
    if not re.fullmatch(r"[A-Za-z_]\w*=\S*|[\w./@+-]+", first):
        return False
    return bool(rest) or first.startswith("./") or first in _ALONE


def _named(test: str, pytest: str, find_test: FindTest) -> str | None:
    """The command that runs one test file, or one test by its name."""
    if test.startswith("test_") and not test.endswith(".py") and "::" not in test:
        files = shlex.join(find_test(test))
        return f"{pytest} {files} -k {test}" if files else None
    return f"{pytest} {shlex.quote(test)}"


def _form(*parts: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(parts), re.IGNORECASE)


_FORMS: tuple[tuple[re.Pattern[str], Read], ...] = (
    (_form(_COMMAND, _GOOD), _success),
    (_form(_COMMAND, rf"(?:fails|{_ENDS}(?P<code>\d{{1,3}}))"), _ending),
    (
        _form(_COMMAND, rf"(?:prints|outputs|shows|says|contains|writes){_WORDS}", _ALL_SAID),
        _printing,
    ),
    (
        _form(
            _FILE,
            rf"(?:exists|{_MUST} exist|(?:{_BE}|{_MUST} be) (?:there|present|created|added|in place))",
        ),
        _existence(there=True),
    ),
    (_form(r"there (?:is|must be) (?:a|an|the)", _FILE), _existence(there=True)),
    (
        _form(
            _FILE,
            rf"(?:does not exist|no longer exists|must not exist|{_BE} (?:gone|removed|deleted|absent))",
        ),
        _existence(there=False),
    ),
    (_form(r"there is no", _FILE), _existence(there=False)),
    (
        _form(
            _FILE,
            rf"(?:contains|mentions|includes|says|defines"
            rf"|{_MUST} (?:contain|mention|include|say|define)){_WORDS}",
            _ALL_SAID,
        ),
        _content(there=True),
    ),
    (
        _form(
            _FILE,
            rf"(?:does not|no longer|must not) (?:contain|mention|include|say)s?{_WORDS}",
            _NONE_SAID,
        ),
        _content(there=False),
    ),
)
_ALL_TESTS = _form(
    r"(?:(?:all(?: the| of the)? |the )?(?:existing )?tests|the (?:whole )?test suite)",
    rf"(?:still )?{_GOOD}",
)
_NAMED_TEST = _form(rf"(?:the )?(?:tests? )?(?:in )?`?{_TEST}`?(?: tests?)?", _GOOD)
