"""
A probe says what would have to be so, in a form that code can look at.

Evidence that somebody proposes becomes a probe here, or a reason why nobody can look at it. Words
decide nothing but what to look for: what a description quotes must be found, what it says of an
exit code must be seen again.
"""

import re
from dataclasses import dataclass

from prowess.check.file_names import is_of_a_file
from prowess.core.evidence import Evidence, EvidenceType, Ruling

_PLACE = re.compile(r"(?P<path>.+?)(?::|#L)(?P<first>\d+)(?:(?:-L?|:)(?P<last>\d+))?")
_TICKS = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_QUOTES = re.compile(r"“([^”]+)”|\"([^\"]+)\"")
_CODE = re.compile(
    r"\bexit(?:s|ed)?\b(?:\s+(?:with|code|status|is|was|of))*\s*[:=]?\s*(\d{1,3})\b", re.IGNORECASE
)
_ABSENT = re.compile(
    r"\b(?:absent|missing|not (?:there|present|found)|does(?: not|n't) exist|no longer|removed"
    r"|deleted|gone)\b",
    re.IGNORECASE,
)
# What is seen in files, and what commands tell.
FILES, COMMANDS = ("file_inspection", "file_existence"), ("command_output", "test_result")
_LONGEST = 4_000  # characters of a description or a place
_LEAST_QUOTED = 3  # characters; a bracket is on every other line


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """
    `target` is a path beneath the work tree, or a command. `lines` are the first and last line that
    were cited; without them the whole file is meant. `there` is false for what must not be there.
    `code` is the exit code to be seen, None for any but 0.
    """

    type: EvidenceType
    target: str
    lines: tuple[int, int] | None = None
    quotes: tuple[str, ...] = ()
    there: bool = True
    code: int | None = 0


def probe_of(evidence: Evidence, verdict: Ruling) -> Probe | str:
    """What to look for to confirm this item of a claim, or why that cannot be done."""
    location, said = evidence.location.strip(), evidence.description
    if not location:
        return "it names no place to look at"
    if max(len(location), len(said)) > _LONGEST:
        return "it is too long to be read"
    if evidence.type == "file_existence":
        return _existence(location, there=not _ABSENT.search(said))
    quotes = quoted(said)
    if any(_too_little(each) for each in quotes):
        return "what it quotes is too short to say anything"
    if evidence.type == "file_inspection":
        return _inspection(location, quotes)
    return _ending(evidence, location, quotes, verdict)


def _existence(path: str, *, there: bool) -> Probe | str:
    if there or is_of_a_file(path):
        return Probe(type="file_existence", target=path, there=there)
    return f"{path} may be no file, so its absence shows nothing; of a folder write {path}/"


def _ending(evidence: Evidence, command: str, quotes: tuple[str, ...], verdict: Ruling) -> Probe:
    """How a command has to end. A failed criterion is shown by one that fails, unless the claim says how."""
    told = _CODE.search(squeezed(evidence.description))
    if evidence.type == "test_result":
        # How many tests passed is counted anew, so the count that is quoted need not come again.
        code = None if verdict == "FAIL" else 0
        return Probe(type=evidence.type, target=command, code=code)
    code = int(told[1]) if told else None if verdict == "FAIL" and not quotes else 0
    return Probe(type=evidence.type, target=command, quotes=quotes, code=code)


def _inspection(location: str, quotes: tuple[str, ...]) -> Probe | str:
    if not quotes:
        return "it quotes nothing; the words of the line are needed, in backticks"
    place = _PLACE.fullmatch(location)
    if place is None:
        return "it names no line; write path:line"
    first = int(place["first"])
    # After a colon a second number is a column, as compilers write it.
    ranged = place["last"] and location[place.start("last") - 1] != ":"
    last = int(place["last"]) if ranged else first
    if first < 1 or last < first:
        return "there is no such line"
    return Probe(type="file_inspection", target=place["path"], lines=(first, last), quotes=quotes)


def quoted(text: str) -> tuple[str, ...]:
    """What stands in backticks; where nothing does, what stands in quotation marks."""
    ticks = tuple(found[2].strip() for found in _TICKS.finditer(text) if found[2].strip())
    if ticks:
        return ticks
    return tuple((one or two).strip() for one, two in _QUOTES.findall(text))


def squeezed(text: str) -> str:
    """White space says nothing."""
    return " ".join(text.split())


def _too_little(quote: str) -> bool:
    return len("".join(quote.split())) < _LEAST_QUOTED or not re.search(r"\w", quote)
