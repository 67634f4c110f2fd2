"""
Personal data: addresses of people, numbers of people, and numbers of their money.

A number counts only when its own arithmetic agrees (Luhn for cards, modulo 97 for IBANs, issued
ranges for the rest) or when a label says what it is. Dates, versions, digests, UUIDs, ports and
counters have neither.
"""

# ruff: noqa: PLR2004  (the numbers are the arithmetic itself)

from collections.abc import Callable, Iterator
from functools import lru_cache

from prowess.permit.linear import Pattern, Span, pattern
from prowess.permit.names import words

Check = Callable[[bytes], bool]

_EMAIL = pattern(
    r"[A-Za-z0-9\xff][A-Za-z0-9\xff._%+'-]*@((?:[A-Za-z0-9\xff](?:[A-Za-z0-9\xff-]*[A-Za-z0-9\xff])?\.)+[A-Za-z\xff]{2,24})\b"
)
_SPELLED_EMAIL = pattern(
    r"(?i)\b[a-z0-9][a-z0-9._+-]* ?[\[({] ?at ?[\])}] ?[a-z0-9-]+(?: ?(?:\.|[\[({] ?dot ?[\])}]) ?[a-z]{2,})+"
)
# What stands behind an @ and is no address: files, and machines of a private network.
_NO_DOMAIN = frozenset(
    b"png jpg jpeg gif svg webp ico bmp pdf css js ts tsx jsx mjs py rb rs go java md txt json yaml "
    b"yml toml html xml zip gz whl local internal localdomain localhost lan cluster service".split()
)
_REMOTE = pattern(r"\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id)[ \t][^\n|;&]*$")
_VERSION = pattern(r"v?[0-9]+(?:\.[0-9]+)+.*|[0-9]x\..*")


def _luhn(digits: bytes) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = digit - 48
        total += value if place % 2 == 0 else value * 2 - 9 * (value > 4)
    return total % 10 == 0


def _digits(value: bytes) -> bytes:
    return bytes(byte for byte in value if 48 <= byte <= 57)


_ISSUED = pattern(
    r"4[0-9]{15}|5[1-5][0-9]{14}|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)[0-9]{12}|"  # Visa, Mastercard
    r"3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|"  # American Express, Diners
    r"6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}|35(?:2[89]|[3-8][0-9])[0-9]{12}|62[0-9]{14,17}"  # Discover, JCB, UnionPay
)


def _is_card(value: bytes) -> bool:
    digits = _digits(value)
    return _ISSUED.fullmatch(digits) is not None and _luhn(digits)


_IBAN = pattern(r"[A-Za-z]{2}[0-9]{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?")
_IBAN_LENGTHS = {
    length: frozenset(codes.split())
    for length, codes in {
        15: "NO", 16: "BE", 18: "DK FI FK FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU XK MN",
        21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ TL OM SO",
        24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HN HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC",
        32: "LC", 33: "RU",
    }.items()
}  # fmt: skip


def _is_iban(value: bytes) -> bool:
    text = bytes(byte for byte in value if byte not in b" -").decode("ascii").upper()
    if text[:2] not in _IBAN_LENGTHS.get(len(text), frozenset()):
        return False
    return int("".join(str(int(char, 36)) for char in text[4:] + text[:4])) % 97 == 1


def _ibans(data: bytes) -> Iterator[Span]:
    """The look of an IBAN runs on into the words behind it, so that its own end has to be found."""
    for match in _IBAN.finditer(data):
        parts = match[0].replace(b"-", b" ").split(b" ")
        while len(parts) > 1 and not _is_iban(b"".join(parts)):
            parts.pop()
        start, end = match.start(), match.start() + len(b" ".join(parts))
        if _is_iban(b"".join(parts)) and _stands_alone(data, start, end):
            yield Span(start, end, "iban", start)


def _is_ssn(value: bytes) -> bool:
    area, group, serial = (int(part) for part in value.replace(b" ", b"-").split(b"-"))
    issued = area not in {0, 666} and area < 900 and group > 0
    taxpayer = area >= 900 and (50 <= group <= 65 or 70 <= group <= 99) and group not in {89, 93}
    return (issued or taxpayer) and serial > 0


def _is_phone(value: bytes) -> bool:
    """An international number: a country that exists, and as many digits as it may have."""
    digits = _digits(value)
    return 9 <= len(digits) <= 15 and _COUNTRY.match(digits) is not None


_COUNTRY = pattern(
    r"7|2(?:[07]|1[12368]|[2346][0-9]|5[0-8]|9[01789])|3(?:[0123469]|5[0-9]|7[0-8]|8[0-35-79])|"
    r"4(?:[013-9]|2[0134])|5(?:[1-8]|0[0-9]|9[0-9])|6(?:[0-6]|7[02-9]|8[0-35-9]|9[0-2])|"
    r"8(?:[1246]|5[02356]|80|86)|9(?:[0-58]|6[0-8]|7[0-79]|9[2-68])"
)


def _is_american(value: bytes) -> bool:
    digits = _digits(value)
    return len(digits) == 10 and digits[0] in b"23456789" and digits[3] in b"23456789"


def _is_cpf(value: bytes) -> bool:
    digits = [byte - 48 for byte in _digits(value)]
    checks = (
        sum(digit * weight for digit, weight in zip(digits, range(size, 1, -1), strict=False))
        * 10
        % 11
        % 10
        for size in (10, 11)
    )
    return list(checks) == digits[9:] and len(set(digits)) > 1


def _is_dni(value: bytes) -> bool:
    number = value[:-1].rstrip(b"-").replace(b"X", b"0").replace(b"Y", b"1").replace(b"Z", b"2")
    return b"TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == value[-1] and not number.startswith(
        (b"19", b"20")
    )


_ODD = dict(zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", (
    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
), strict=True))  # fmt: skip


def _is_codice(value: bytes) -> bool:
    text = value.decode("ascii")
    total = sum(
        _ODD[char] if place % 2 == 0 else int(char, 36) - 10 * char.isalpha()
        for place, char in enumerate(text[:15])
    )
    return chr(65 + total % 26) == text[15]


def _is_nir(value: bytes) -> bool:
    digits = _digits(value)
    return len(digits) == 15 and (97 - int(digits[:13]) % 97) == int(digits[13:])


def _is_ahv(value: bytes) -> bool:
    digits = _digits(value)
    total = sum((byte - 48) * (1 + 2 * (place % 2)) for place, byte in enumerate(digits))
    return total % 10 == 0


def _always(value: bytes) -> bool:
    return True


# What it is, its look, its arithmetic, and whether the look alone would be too common for prose.
NUMBERS: tuple[tuple[str, str, Check], ...] = (
    ("card", r"[2-6][0-9]{13,18}|[2-6][0-9]{3}(?:[ -][0-9]{4}){2}[ -][0-9]{2,7}|3[0-9]{3}[ -][0-9]{6}[ -][0-9]{4,5}", _is_card),
    ("id", r"[0-9]{3}-[0-9]{2}-[0-9]{4}", _is_ssn),
    ("id", r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", _is_cpf),  # Brazil
    ("id", r"[XYZ0-9][0-9]{7}-?[A-Z]", _is_dni),  # Spain
    ("id", r"[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]", _is_codice),  # Italy
    ("id", r"[12] ?[0-9]{2} ?(?:0[1-9]|1[0-2]) ?[0-9]{2} ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}", _is_nir),  # France
    ("id", r"756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}", _is_ahv),  # Switzerland
    ("id", r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] [0-9]{2} [0-9]{2} [0-9]{2} [A-D]", _always),  # United Kingdom
    ("phone", r"\+1[ .-]?\(?[0-9]{3}\)?[ .-]?[0-9]{3}[ .-]?[0-9]{4}", lambda v: _is_american(_digits(v)[1:])),
    ("phone", r"\+[2-9](?:[ .()-]{0,2}[0-9]){7,14}", _is_phone),
    ("phone", r"(?:1[ .-])?\([0-9]{3}\) ?[0-9]{3}[ .-][0-9]{4}", lambda v: _is_american(_digits(v)[-10:])),
    ("phone", r"(?:1[ .-])?[0-9]{3}-[0-9]{3}-[0-9]{4}|(?:1\.)?[0-9]{3}\.[0-9]{3}\.[0-9]{4}", lambda v: _is_american(_digits(v)[-10:])),
    ("phone", r"0[1-9](?: [0-9]{2}){4}|0[1-9](?:\.[0-9]{2}){4}", _always),  # France
    ("phone", r"0(?:20|1[0-9]{2,3}|7[0-9]{3}) [0-9]{3,4} ?[0-9]{3,4}", _always),  # United Kingdom
)  # fmt: skip
_NUMBERS: tuple[tuple[str, Pattern, Check], ...] = tuple(
    (what, pattern(look), check) for what, look, check in NUMBERS
)
# A label that says what an unremarkable number is, and how such a number looks.
LABELS: tuple[tuple[str, str, str], ...] = (
    ("phone", r"phone|tel|telephone|mobile|cell|cellphone|fax|whatsapp|sms", r"\+?\(?[0-9][0-9 ().-]{5,16}[0-9]"),
    ("id", r"ssn|social[ _-]security|itin", r"[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{4}"),
    ("id", r"passport|national[ _-]id|nino|driver'?s?[ _-]licen[sc]e|aadhaar|nhs|tax[ _-]id|bsn|pesel|cpf|dni", r"[A-Z0-9](?:[ .-]?[A-Z0-9]){5,17}"),
    ("date of birth", r"dob|date[ _-]of[ _-]birth|birth[ _-]?date|birthday|born(?: on)?", r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}"),
    ("ip", r"(?:client|remote|user|source|visitor|peer)[ _-](?:ip|addr|address)|x-(?:forwarded-for|real-ip)|ip[ _-]address", r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){3,7}"),
)  # fmt: skip
_NUMBER = r"(?:[ _-]?(?:no\.?|num|number|#))?"
_LABELLED: tuple[tuple[str, Pattern], ...] = tuple(
    (what, pattern(rf"(?i)(?:\b|_)(?:{labels}){_NUMBER}\\*[\"']?[ \t]*(?:is[ \t]+|[:=#][ \t]*|[ \t])\\*[\"']?({look})\b"))
    for what, labels, look in LABELS
)  # fmt: skip
_LABEL = pattern(rf"(?i)(?:.*_)?(?:{'|'.join(labels for _, labels, _ in LABELS)}){_NUMBER}")
_DATE = pattern(r"[12][0-9]{3}-[0-9]{2}-[0-9]{2}\b.*")
_ACCESS_LOG = pattern(r"(?m)^([0-9]{1,3}(?:\.[0-9]{1,3}){3}) \S+ \S+ \[")
_PARTING = pattern("[ -]")
_MAYBE_NUMBER = pattern(
    r"(?:[0-9][^0-9\n]{0,3}){4}|:[0-9a-fA-F]*:"
)  # the shortest that counts: a birthday


@lru_cache(maxsize=1024)
def label(name: str) -> str | None:
    """The name of a field as a label in text, where it says what the number in it is."""
    written = "_".join(words(name))
    return written if _LABEL.fullmatch(written.encode("ascii", "replace")) else None


def find_personal(data: bytes) -> Iterator[Span]:
    """Everything in these lines that says who somebody is or how to reach or charge him."""
    if b"@" in data:
        for match in _EMAIL.finditer(data):
            if _is_address(data, match.start(), match.end(), match[1]):
                yield Span(*match.span(), "email", match.start())
    for match in _SPELLED_EMAIL.finditer(data):
        yield Span(*match.span(), "email", match.start())
    if _MAYBE_NUMBER.search(data):
        yield from _all_numbers(data)


def _all_numbers(data: bytes) -> Iterator[Span]:
    for what, look, check in _NUMBERS:
        yield from _numbers(data, what, look, check)
    yield from _ibans(data)
    for what, look in _LABELLED:
        for match in look.finditer(data):
            if _MAYBE_NUMBER.search(match[1]) and (
                what != "phone" or not _DATE.fullmatch(match[1])
            ):
                yield Span(*match.span(1), what, match.start())
    for match in _ACCESS_LOG.finditer(data):
        yield Span(*match.span(1), "ip", match.start())


def _numbers(data: bytes, what: str, look: Pattern, check: Check) -> Iterator[Span]:
    at = 0
    while match := look.search(data, at):
        start, at = match.span()
        if _stands_alone(data, start, at) and check(match[0]):
            yield Span(start, at, what, start)
        elif parted := _PARTING.search(match[0][1:]):
            at = start + 1 + parted.end()  # the number may begin behind another: 2026 4111 1111 …


def _is_address(data: bytes, start: int, end: int, domain: bytes) -> bool:
    """An address of a person: not a remote of git, a package with its version, a file or a login."""
    if data[max(0, start - 2) : start] == b"//" or _VERSION.fullmatch(domain):
        return False
    if _REMOTE.search(data[max(0, start - 80) : start]):
        return False
    if domain.rpartition(b".")[2].lower() in _NO_DOMAIN:
        return False
    behind = data[end : end + 2]
    return not (
        behind[:1] == b":" and (behind[1:] in {b"/", b"~"} or data[start:end].startswith(b"git@"))
    )


def _stands_alone(data: bytes, start: int, end: int) -> bool:
    """Not a part of a longer number, name, version, UUID or digest."""
    before, after = data[max(0, start - 2) : start], data[end : end + 2]
    if before[-1:].isalnum() or before[-1:] in {b"_", b".", b"+"} or after[:1].isalnum():
        return False
    if before[-1:] in {b"-", b"/"} and before[:1].isalnum():
        return False
    return after[:1] != b"_" and not (after[:1] in {b".", b"-", b":"} and after[1:].isalnum())
