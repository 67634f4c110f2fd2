"""
Secrets that are known by their name: `password: …`, `--token …`, `API_KEY=…`, `Cookie: …`.

A pattern finds the name and what joins it to a value; `names.py` judges the name, `values.py` the
value, and `_extent` says where the value ends. Nothing here looks beyond the line.
"""

from collections.abc import Iterator

from prowess.permit.linear import Match, Pattern, Span, pattern
from prowess.permit.names import Family, family
from prowess.permit.values import Written, is_secret, random

SHORTEST = 3  # of what is taken for a secret in a text …
SHORTEST_CRUMB = 6  # … and in a cookie
_TERM = (
    r"(?:pass|pwd|pswd|pw|token|secret|key|cred|auth|cookie|otp|pin|cvv|cvc|jwt|bearer|sas|"
    r"jsessionid|phpsessid|contrase|motdepasse)"
)
_NAME = (
    r"((?:api|access|secret|private|auth|master|encryption|signing|license) (?:key|token)|"
    rf"[\w.$\x80-\xfd-]*{_TERM}[\w.-]*)"
)
_Q = r"\\*[\"'`]"

_MAYBE = pattern(rf"(?i){_TERM}")  # without one of these words there is nothing to look for
_PAIR = pattern(rf"(?i){_NAME}(?:{_Q})?[\])]*([ \t]*(?::=|=>|===?|!==?|[:=])[ \t]*)")
_FLAG = pattern(rf"(?i)(?:^|[\s\"'`\[(,=])-{{1,2}}{_NAME}({_Q},[ \t]*|{_Q}[ \t]*|[ \t]+)")
_COUPLE = pattern(rf"(?i){_Q}{_NAME}{_Q}[ \t]*,[ \t]*")
# What else stands beside a name in a list: x-amz-content-sha256.
_HEADER = pattern(r"[a-z]+(?:-[a-z0-9]{1,9})+")
# A name, and its value in the field beside it: {"name": "API_KEY", "value": "…"}, <add key="…" value="…">.
_FIELDS = pattern(
    rf"(?i)\b(?:name|key|header|id)\\*[\"']?[ \t]*[:=][ \t]*\\*[\"']?{_NAME}\\*[\"']?[ \t,;]*"
    rf"(?:type=\\*[\"']?\w+\\*[\"']?[ \t]*)?\\*[\"']?value\\*[\"']?[ \t]*[:=][ \t]*"
)
_ELEMENT = pattern(
    rf"(?i)<(?:\w+:)?(?:\w+[ \t][^<>\n]*?\b(?:name|key|id)=\\*[\"'])?{_NAME}(?:[ \t\"'\\][^<>\n]*)?>"
    r"(?:<!\[CDATA\[)?([^<>\n]+?)(?:\]\]>)?</"
)
_FILE = pattern(
    r"[\w./-]*\w\.(?:pyi?|md|[cm]?[jt]sx?|rs|go|txt|json|ya?ml|toml|sh|html|css|sql|csv|java|rb|php|c|h|cpp|cfg|ini)"
    r"|(?:[\w./-]*::)?test_\w+"
)
_SPACED = pattern(
    r"(?i)\b([\w.-]*(?:token|secret|passw(?:or)?d|passphrase|pwd|(?:api|access|secret)[ _-]?key)[\w.-]*)[ \t]+"
    r"((?:is|was)[ \t]*:?[ \t]+)?([^\s\"'`<>]+)"
)

# Commands and statements with a place for a password that has no telling name.
_OPTIONS = r"[^|;&\n]*?[ \t]"
_PLACES: tuple[tuple[str, str], ...] = (
    ("netrc", r"(?i)\b(?:login|user|username)[ \t]+\S+[ \t]+(?:password|pass)[ \t]+(\S+)"),
    ("words to remember", r"(?i)\b(?:passphrase|mnemonic|(?:seed|recovery|secret)[ _-]?phrase)\\*[\"']?[ \t]*[:=][ \t]*\\*[\"']?((?:[a-z]+ ){3,}[a-z]+)"),
    ("pgpass", r"(?m)^[^\s:]+:(?:5432|5433|6432|\*):[^\s:]+:[^\s:]+:(\S+)$"),
    ("SQL", r"(?i)\b(?:identified[ \t]+(?:with[ \t]+\S+[ \t]+)?by|password)[ \t(]+\\*['\"]([^'\"\n]+)"),
    ("registries", rf"\b(?:docker|podman|nerdctl|buildah|skopeo|helm|oc|cf|az|crane|oras)\b{_OPTIONS}login\b{_OPTIONS}-p[ \t=]*([^\s-]\S*)"),
    ("twine, mongo", rf"\b(?:twine|mongo\w*)\b{_OPTIONS}-p[ \t]+([^\s-]\S*)"),
    ("mysql", rf"\b(?:mysql\w*|mariadb\w*)\b{_OPTIONS}-p([^\s-]\S*)"),
    ("sshpass", r"\bsshpass[ \t]+-p[ \t]*([^\s-]\S*)"),
    ("redis.conf", r"\b(?:requirepass|masterauth)[ \t]+(\S+)"),
    ("redis", rf"\bredis-cli\b{_OPTIONS}-a[ \t]*([^\s-]\S*)"),
    ("LDAP", rf"\bldap\w+\b{_OPTIONS}-w[ \t]*([^\s-]\S*)"),
    ("openssl", r"[ \t]-?-pass(?:in|out)?[ \t=]+pass:(\S+)"),
    ("archives", rf"\b(?:7z\w?|zip|unzip|unrar)\b{_OPTIONS}-[pP]([^\s-]\S*)"),
    ("curl, httpie", rf"\b(?:curl|https?|wget)\b{_OPTIONS}(?:-u|--user|-a|--auth|--proxy-user)[ \t=]*['\"]?[^\s:\"'@/]+:([^\s\"']+)"),
    ("smbclient", r"\bsmb\w+\b[^|;&\n]*?[ \t]-U[ \t]*[^\s%]+%(\S+)"),
    ("htpasswd", r"\bhtpasswd[ \t]+-\w*b\w*[ \t]+(?:\S+[ \t]+){1,2}(\S+)"),
)  # fmt: skip
# No place is without one of these.
_MAYBE_IN_PLACE = pattern(
    r"(?i)pass|phrase|mnemonic|:(?:5432|5433|6432|\*):|login|identified|twine|mongo|mysql|mariadb|"
    r"redis|masterauth|ldap|7z|zip|unrar|curl|http|wget|smb"
)
_IN_PLACE: tuple[Pattern, ...] = tuple(pattern(source) for _, source in _PLACES)

_COOKIES = pattern(
    rf"(?i)\b(?:set-)?cookies?(?:{_Q})?[ \t]*[:=][ \t]*(?:{_Q})?|[ \t](?:-b|--cookie)[ \t=]+(?:{_Q})?"
)
_CRUMB = pattern(r"[ \t]*([^\s=;,\"']+)=([^;\s\"'\\]*);?")
_CRUMB_NAME = pattern(r"(?i)sess|sid|auth|token|jwt|login|remember|csrf|xsrf|secret|key")

_SCHEME = pattern(
    r"(?i)(?:bearer|basic|token|negotiate|ntlm|apikey|api-key|jwt|key|splunk|sso-key|"
    r"(digest|oauth|hawk|signature|aws4-hmac-\S+))[ \t]+"
)
# Between a name and its value: the type of it, or the beginning of a list.
_ASIDE = pattern(rf"(?:[A-Za-z_][\w.\[\]]*(?: ?\| ?[\w.\[\]]+)*[ \t]*=|\[)[ \t]*({_Q})")
_OPENING = pattern(r"[rbufRBUF@]{0,2}(\\*)(\"\"\"|'''|[\"'`])")
_RUN = pattern(r"[^\s\"'`<>&;,]+")
# A separator that ends a value, because another pair or nothing at all comes behind it.
_ENDING = pattern(r"[&;,](?:[&|\s\"'`<>)\]}]|$|(?:amp;)?[\w.%\[\] -]{1,64}[=:])")
_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))


def find_named(data: bytes) -> Iterator[Span]:
    """Every secret in these lines that a name, a flag or a command gives away."""
    if _MAYBE.search(data):
        yield from _by_name(data)
    if _MAYBE_IN_PLACE.search(data):
        yield from _in_places(data)
    if _COOKIES.search(data):
        yield from _cookies(data)


def _by_name(data: bytes) -> Iterator[Span]:
    done = 0
    for match in _PAIR.finditer(data):
        if match.start() >= done:
            for span in _paired(data, match):
                done = span.end
                yield span
    for match in _FLAG.finditer(data):
        yield from _flagged(data, match)
    for match in _FIELDS.finditer(data):
        yield from _judged(data, match.end(), match.start(), _family(match), joined=True)
    for match in _ELEMENT.finditer(data):
        kind = _family(match)
        if kind and is_secret(Written(value=match[2], family=kind, quoted=True)):
            yield Span(*match.span(2), "secret", match.start())
    for match in _COUPLE.finditer(data):
        start, end, quoted = _extent(data, match.end())
        value = data[start:end]
        if quoted and _family(match) and random(value, 8) and not _HEADER.fullmatch(value):
            yield Span(start, end, "secret", match.start())
    yield from _spaced(data)


def _family(match: Match) -> Family | None:
    return family(match[1].decode("latin-1"))


def _paired(data: bytes, match: Match) -> Iterator[Span]:
    """The value behind `name:` or `name=`."""
    at, name, joint, kind = match.end(), match[1], match[2].strip(), _family(match)
    if kind is None or data[max(0, match.start() - 2) : match.start()] == b"${":
        return
    if aside := _ASIDE.match(data, at):
        at = aside.start(1)
    opening = _OPENING.match(data, at)
    scheme = _SCHEME.match(data, opening.end() if opening else at)
    if scheme and (b"auth" in name.lower() or kind == "secret"):
        end = _line_end(data, scheme.end()) if scheme.group(1) else None
        yield from _judged(data, scheme.end(), match.start(), "secret", joined=True, end=end)
    elif joint.startswith((b"==", b"!=")):
        start, end, quoted = _extent(data, at)
        if quoted and random(data[start:end], 6):
            yield Span(start, end, "secret", match.start())
    else:
        shouted = name == name.upper()
        joined = match[2] == b"="
        for span in _judged(data, at, match.start(), kind, joined=joined, shouted=shouted):
            value = data[span.start : span.end]
            # TOKEN = "token" is the name of a field, and `PASS: tests/a2.py` a verdict.
            verdict = name == b"PASS" and joint == b":" and _FILE.fullmatch(value)
            if not verdict and value.lower() not in name.lower():
                yield span


def _flagged(data: bytes, match: Match) -> Iterator[Span]:
    """The value behind `--name`, in a command or in a list of words."""
    at, opening = match.end(), _OPENING.match(data, match.end())
    listed = match[2].rstrip().endswith(b",")
    if not data.startswith(b"-", opening.end() if opening else at) and (opening or not listed):
        yield from _judged(data, at, match.start(), _family(match))


def _judged(
    data: bytes,
    at: int,
    since: int,
    kind: Family | None,
    *,
    joined: bool = False,
    shouted: bool = False,
    end: int | None = None,
) -> Iterator[Span]:
    if kind is None:
        return
    start, stop, quoted = _extent(data, at)
    stop = end or stop
    written = Written(
        value=data[start:stop],
        family=kind,
        quoted=quoted or end is not None,
        joined=joined,
        shouted=shouted,
        after=data[stop : min(stop + 64, _line_end(data, stop))],
    )
    if is_secret(written) and stop - start >= SHORTEST:
        yield Span(start, stop, "secret", since)


def _extent(data: bytes, at: int) -> tuple[int, int, bool]:
    """Where the value at this place begins and ends, and whether it stands in quotes."""
    if opening := _OPENING.match(data, at):
        return _quoted(data, opening)
    start = end = at
    while run := _RUN.match(data, end):
        end = run.end()
        if data[end : end + 1] not in {b"&", b";", b","} or _ENDING.match(data, end):
            break
        end += 1
    value = data[start:end]
    for opened, closed in _BRACKETS:
        # f(token=x) closes the call, not the token; a bracket amid a password is part of it.
        before, _, after = value.partition(closed)
        if opened not in before and not after.strip(b")]}.,;:"):
            value = before
    return start, start + len(value), False


def _quoted(data: bytes, opening: Match) -> tuple[int, int, bool]:
    start, quote = opening.end(), opening[2]
    line_end = _line_end(data, start)
    if data[start : start + 1] in {b"", b" ", b"\t", b")", b",", b";", b">", b"}", b"]", b"\n"}:
        return start, start, True  # the end of a quotation, not the beginning of one
    at = start
    while (at := data.find(quote, at, line_end)) >= 0:
        escapes = len(data[start:at]) - len(data[start:at].rstrip(b"\\"))
        if escapes <= len(opening[1]):
            return start, max(start, at - escapes), quote != b"`"
        at += 1
    return start, start if quote == b"`" else line_end, True


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _spaced(data: bytes) -> Iterator[Span]:
    """`the password is …`, `config set _authToken …`: only what looks random, since this is also prose."""
    for match in _SPACED.finditer(data):
        kind = _family(match)
        least = 6 if match.group(2) else 7 if kind == "password" else 12 if b"_" in match[1] else 16
        value = match[3].rstrip(b".,;:)]}")
        if kind and random(value, least) and b"(" not in value and b"=" not in value[:-2]:
            start = match.start(3)
            yield Span(start, start + len(value), "secret", match.start())


def _in_places(data: bytes) -> Iterator[Span]:
    for place in _IN_PLACE:
        for match in place.finditer(data):
            value = match[1].strip(b"\"'")
            if is_secret(Written(value=value, family="password", quoted=True)):
                start = match.start(1) + match[1].find(value)
                yield Span(start, start + len(value), "secret", match.start())


def _cookies(data: bytes) -> Iterator[Span]:
    """In a header of cookies, those that say who somebody is."""
    for match in _COOKIES.finditer(data):
        at = match.end()
        while crumb := _CRUMB.match(data, at):
            at = crumb.end()
            told = len(crumb[2]) >= SHORTEST_CRUMB and _CRUMB_NAME.search(crumb[1])
            if told or random(crumb[2], 20):
                yield Span(*crumb.span(2), "secret", match.start())
