"""
What an agent's own trouble is, and when a usage limit ends, from the words it is told in.

Only words of the agent about itself are ever read here. What a tool printed or a model wrote may be
about limits and keys of all kinds, and never gets this far.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from prowess.core.agent import Trouble

_LONGEST = 4_000  # characters of a message that are looked at
_FARTHEST = timedelta(days=32)  # no limit lasts longer, so a later date was misread
_TOLD = r"(?:reached|exceeded|hit|over|again|retry|resets?)"
_TO_PAY = (
    r"(?:monthly|reached your|hit your) (?:[\w.-]{1,20} )?spend(?:ing)? limit|insufficient (?:balance|credits?)\b"
    r"|add (?:more )?credits"
)
_LIMIT = re.compile(
    r"usage limit|hit your (?:[\w.-]{1,40} ){0,3}limit|limit reached|too many requests|resource.{0,10}exhausted"
    rf"|rate[ _-]?limit(?:ed\b|[ _-]?error|s?\b.{{0,80}}\b{_TOLD}\b|[ _-]?{_TOLD})"
    rf"|\b{_TOLD}\b.{{0,40}}\brate[ _-]?limits?\b"
    r"|(?<!disk )\bquota\b|insufficient_quota|exceeded your current|out of (?:extra )?(?:usage|credits)"
    r"|credit balance is too low|payment required|billing.{0,10}limit|free usage exceeded"
    rf"|{_TO_PAY}",
    re.IGNORECASE,
)
# A provider that gives no more until somebody pays; no time ends that.
_FOR_GOOD = re.compile(
    r"insufficient_quota|exceeded your current quota|out of credits|credit balance is too low"
    r"|payment required|billing.{0,10}limit|check your plan and billing"
    rf"|{_TO_PAY}",
    re.IGNORECASE,
)
_AUTH = re.compile(
    r"unauthori[sz]ed|forbidden|authentication|(?:invalid|incorrect|bad|missing|no)[ _]"
    r"(?:x-)?api.?key|invalid_api_key|not (?:logged|signed) in|please (?:run )?/?log.?in|log in again"
    r"|auth method|invalid (?:bearer )?token|credentials|organi[sz]ation has (?:been )?disabled"
    r"|\b(?:oauth|access|bearer|refresh) token.{0,20}\b(?:expired|revoked)",
    re.IGNORECASE,
)
# A number is a status beside a word for one, or first of all; after a colon or `line` it is a place in a program.
_STATUS = re.compile(
    r"""\b(?:status(?:[ _]?code)?|code|https?(?:/[\d.]+)?|error|rejected)["']?(?:\s*[:=(\[]\s*|\s+)(\d{3})\b(?!:\d)"""
    r"|(?:\A\s*|(?<![:.\d])(?<!line )\b(?=\d{3} (?:status|client error|error)\b))(\d{3})\b(?!:\d)",
    re.IGNORECASE,
)
_UNIT = {"d": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 0.001}
_SPAN_PART = r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])"
_SPAN = re.compile(
    rf"\b(?:in|after)\s+(?:about\s+)?((?:{_SPAN_PART}[\s,]*(?:and\s+)?)+)", re.IGNORECASE
)
_EPOCH = re.compile(r"\|\s*(\d{10})(\d{3})?\b")
_STAMP = re.compile(
    r"\b(\d{4}-\d\d-\d\d)(?:T| (?:at )?)(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z| UTC|[+-]\d\d:?\d\d)?"
)
_DAYS = "mon tue wed thu fri sat sun".split()
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_HOUR = re.compile(
    r"\b(?:resets?|again|until|available)\s+(?:at\s+|on\s+)?"
    rf"(?:({'|'.join(_DAYS)})[a-z]*\.?,?\s+(?:at\s+)?)?"
    rf"(?:({'|'.join(_MONTHS)})[a-z]*\.?\s+(\d\d?)(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?,?\s+(?:at\s+)?)?"
    r"(\d\d?)(?::(\d\d))?\s*([ap]\.?m\.?)?(?:\s*\(([A-Za-z_]+(?:/[A-Za-z_+-]+)*)\))?",
    re.IGNORECASE,
)


def sort(message: str, *, status: int | None = None) -> Trouble:
    """What kind of trouble the agent tells of; `status` is the HTTP status where it is known."""
    text = message[:_LONGEST]
    told = {status, *_statuses(text)}
    if told & {402, 429} or _LIMIT.search(text):  # to be paid, too many requests
        return "usage_limit"
    if told & {401, 403} or _AUTH.search(text):
        return "auth"
    return "crash"


def is_for_good(message: str) -> bool:
    """Whether the limit is one that money ends, and no waiting."""
    text = message[:_LONGEST]
    return bool(_FOR_GOOD.search(text)) or 402 in _statuses(text)  # noqa: PLR2004 - to be paid


def _statuses(text: str) -> set[int]:
    return {int(one or other) for one, other in _STATUS.findall(text)}


def reset_time(message: str, *, now: datetime) -> datetime | None:
    """When the limit ends, None when the message does not say; an hour without a zone is one of `now`'s."""
    text = message[:_LONGEST]
    for found in _moments(text, now):
        if found and timedelta(0) <= found - now <= _FARTHEST:
            return found
    return None


def _moments(text: str, now: datetime) -> Iterator[datetime | None]:
    """Those that are named; one in the past says when something was told, and not when it ends."""
    if match := _EPOCH.search(text):
        yield datetime.fromtimestamp(int(match[1]), UTC)
    for match in _STAMP.finditer(text):
        yield _stamp(match, now)
    if match := _SPAN.search(text):
        parts = re.findall(_SPAN_PART, match[1], re.IGNORECASE)
        yield now + timedelta(seconds=sum(_seconds(number, unit) for number, unit in parts))
    for match in _HOUR.finditer(text):
        yield _hour(match, now)


def _seconds(number: str, unit: str) -> float:
    short = "ms" if unit.lower().startswith(("ms", "mil")) else unit[0].lower()
    return min(float(number), 10**6) * _UNIT[short]


def _stamp(match: re.Match[str], now: datetime) -> datetime | None:
    day, hour, zone = match.groups(default="")
    try:
        found = datetime.fromisoformat(f"{day}T{hour}{zone.replace(' UTC', 'Z')}")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=now.tzinfo)


def _hour(match: re.Match[str], now: datetime) -> datetime | None:
    """`3pm`, `3:05 PM`, `15:05`, `Mon 3pm`, `Oct 9, 5pm`, with a zone or without; the next one there is."""
    weekday, month, day, year, hour, minute, half, zone = match.groups()
    if not half and not minute:
        return None  # a bare number is anything
    here = now.astimezone(_zone(zone)) if zone else now
    hours = int(hour) % 12 + (12 if half.lower().startswith("p") else 0) if half else int(hour)
    try:
        found = here.replace(hour=hours, minute=int(minute or 0), second=0, microsecond=0)
        if month:
            number = _MONTHS.index(month[:3].lower()) + 1
            found = found.replace(month=number, day=int(day), year=int(year or here.year))
            return found if year or found >= now else found.replace(year=found.year + 1)
    except ValueError:
        return None
    if weekday:
        found += timedelta(days=(_DAYS.index(weekday[:3].lower()) - found.weekday()) % 7)
        return found if found >= now else found + timedelta(days=7)
    return found if found >= now else found + timedelta(days=1)


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
