"""
Secrets that are known by their shape, wherever they stand.

Vendors mark their keys so that they can be found; each row below is one such mark. What has no
mark (a bare digest, a UUID, a random word) is not a secret here: its name makes it one
(`named.py`), or its being known (`known.py`).
"""

import binascii
from collections.abc import Iterator

from prowess.permit.linear import Pattern, Span, is_compiled, pattern
from prowess.permit.named import find_named
from prowess.permit.values import random

_A, _W, _H = "[A-Za-z0-9]", "[A-Za-z0-9_-]", "[0-9a-fA-F]"

# Who issues it, and what it looks like. Lengths are a little under the real ones, for keys cut short.
VENDORS: tuple[tuple[str, str], ...] = (
    ("AWS", r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?:[ ,:;\t\"'|]{1,4}[A-Za-z0-9/+]{40}\b)?|ABSK[A-Za-z0-9+/=]{60,}"),
    ("AWS MWS", rf"amzn\.mws\.{_H}{{8}}-[0-9a-f-]{{27}}"),
    ("GitHub", rf"gh[opusr]_{_A}{{20,}}|github_pat_{_W}{{22,}}"),
    ("GitLab", rf"(?:glpat|gldt|glrt|glsoat|glptt|glft|glimt|glagent|glcbt|gloas|glffct)-[\w.-]{{16,}}|GR1348941{_W}{{20,}}"),
    ("Slack", r"xox[a-z](?:\.xox[a-z])?-[\w.-]*[0-9][\w.-]{8,}|xapp-[0-9]-[\w-]{20,}|xwfp-[\w-]{20,}"),
    ("Stripe", rf"(?:sk|rk)_(?:live|test|prod)_{_A}{{10,}}|(?:pi|seti)_{_A}{{14,}}_secret_{_A}{{14,}}|whsec_[\w+/=-]{{20,}}"),
    ("OpenAI", rf"sk-(?:proj|svcacct|admin|None|service)-{_W}{{20,}}|sk-{_A}{{20,}}|sess-{_A}{{32,}}"),
    ("Anthropic", rf"sk-ant-{_W}{{20,}}"),
    ("OpenRouter, Langfuse and others", rf"sk-(?:or|lf|cp|kimi|oat|api|live|test)[\w-]*-{_W}{{20,}}|sk_{_A}{{32,}}"),
    ("Model hosts", rf"(?:gsk_|r8_|fw_|csk-|jina_){_A}{{24,}}|(?:pcsk_|tvly-|pplx-|xai-|nvapi-|tgp_v1_){_W}{{24,}}|lsv2_(?:pt|sk)_{_W}{{24,}}"),
    ("Hugging Face", rf"(?:hf|api_org)_{_A}{{28,}}"),
    ("Google", rf"AIza{_W}{{30,}}|ya29\.{_W}{{20,}}[\w.-]*|GOCSPX-{_W}{{20,}}|1//0{_W}{{30,}}"),
    ("npm", rf"npm_{_A}{{30,}}"),
    ("PyPI", rf"pypi-{_W}{{30,}}"),
    ("RubyGems, crates, Clojars, NuGet", rf"rubygems_{_H}{{40,}}|cio{_A}{{32}}|CLOJARS_{_A}{{50,}}|oy2[a-z0-9]{{43}}"),
    ("SendGrid", rf"SG\.{_W}{{16,}}\.{_W}{{16,}}"),
    ("Mailgun, Mailchimp, Brevo, Resend", rf"key-{_H}{{32}}|{_H}{{32}}-us[0-9]{{1,2}}|xkeysib-{_W}{{40,}}|xsmtpsib-{_W}{{40,}}|re_{_A}{{8}}_{_A}{{20,}}|mlsn\.{_A}{{40,}}"),
    ("Twilio", rf"SK{_H}{{32}}"),
    ("Databricks", rf"dapi{_H}{{32}}(?:-[0-9]+)?|dose{_H}{{32}}"),
    ("Vault", rf"hv[bsr]\.{_W}{{20,}}"),
    ("Terraform, Pulumi, Doppler, Infisical", rf"{_A}{{14}}\.atlasv1\.{_W}{{40,}}|pul-{_H}{{40}}|dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{{20,}}|st\.{_H}{{20,}}\.[\w.-]{{20,}}"),
    ("DigitalOcean", rf"do[opr]_v1_{_H}{{60,}}"),
    ("Docker", rf"dckr_(?:pat|oat)_{_W}{{20,}}"),
    ("Shopify", rf"shp(?:at|ca|pa|ss|tka)_{_H}{{30,}}"),
    ("Grafana", rf"glsa_{_A}{{30,}}_{_H}{{8}}|glc_[A-Za-z0-9+/=]{{30,}}|eyJrIjoi[\w+/=-]{{30,}}"),
    ("Linear, Notion, Airtable, Figma", rf"lin_(?:api|oauth)_{_A}{{30,}}|secret_{_A}{{40,}}|ntn_{_A}{{40,}}|pat{_A}{{14}}\.{_H}{{60,}}|fig[dorup]+_{_W}{{30,}}"),
    ("Supabase, PlanetScale, Neon", rf"sb[psv]_{_H}{{36,}}|sb_secret_{_W}{{20,}}|pscale_(?:tkn|pw|oauth)_[\w.-]{{20,}}|napi_[a-z0-9]{{40,}}"),
    ("New Relic", rf"NR(?:AK|RA|II|IQ|AA|SP|AL|JS)-[\w-]{{20,}}|{_H}{{36}}NRAL"),
    ("Telegram", rf"(?:bot)?[0-9]{{8,10}}:{_W}{{35}}"),
    ("Discord", rf"[MNO]{_W}{{23,27}}\.{_W}{{6}}\.{_W}{{27,}}|mfa\.{_W}{{60,}}"),
    ("Atlassian, Bitbucket", rf"AT(?:ATT|CTT)3[\w=-]{{30,}}|ATBB{_A}{{24,}}|BBDC-{_W}{{30,}}"),
    ("Heroku, Fly, Netlify, Render, Vercel", rf"HRKU-{_W}{{30,}}|fo1_{_W}{{30,}}|fm[12][ar]?_[\w+/=-]{{60,}}|nfp_{_A}{{30,}}|rnd_{_A}{{24,}}|vc[kpiar]_{_A}{{24,}}"),
    ("Postman, Sentry, Sonar, Sourcegraph, Snyk", rf"PMAK-{_H}{{24}}-{_H}{{34}}|sntry[su]_[\w+/=-]{{40,}}|sq[uap]_{_H}{{40}}|sgp_[\w-]{{36,}}|snyk_[\w.-]{{30,}}"),
    ("Build services", rf"bkua_{_H}{{36,}}|CCI(?:PAT|PRJ)_{_W}{{30,}}|pnu_{_A}{{30,}}|bkat_{_A}{{30,}}"),
    ("Square, PayPal, Meta", rf"sq0[a-z]{{3}}-{_W}{{20,}}|EAAA{_W}{{50,}}|EAA{_A}{{60,}}|access_token\$(?:production|sandbox)\$[\w$]{{30,}}"),
    ("Azure", r"[\w~.-]{3}[78]Q~[\w~.-]{31,}"),
    ("Alibaba, Tencent, Yandex", rf"LTAI{_A}{{12,}}|AKID{_A}{{30,}}|AQVN{_W}{{34,}}|y[01]_{_W}{{50,}}"),
    ("HubSpot, Plaid, Dropbox, Dynatrace", rf"pat-(?:na|eu|ap)[0-9]?-{_H}{{8}}-[0-9a-fA-F-]{{27}}|access-(?:sandbox|development|production)-{_H}{{8}}-[0-9a-f-]{{27}}|sl\.(?:u\.)?{_W}{{100,}}|dt0[a-z][0-9]{{2}}\.[A-Z0-9]{{20,}}\.[A-Z0-9]{{50,}}"),
    ("Tailscale, 1Password, age, ngrok", rf"tskey-[a-z]+-[\w-]{{20,}}|ops_eyJ{_W}{{100,}}|AGE-SECRET-KEY-1[0-9A-Z]{{50,}}"),
    ("Mapbox, Contentful, Typeform, ReadMe", rf"sk\.eyJ[\w.-]{{40,}}|CFPAT-{_W}{{40,}}|tfp_[\w.-]{{40,}}|rdme_[a-z0-9]{{60,}}"),
    ("JFrog, EasyPost, Flutterwave, Honeycomb", rf"AKC[A-Za-z0-9]{{60,}}|EZ[AT]K{_A}{{50,}}|FLWSECK(?:_TEST)?-[\w-]{{20,}}|hc[abik]{{2,3}}_[a-z0-9]{{50,}}"),
    ("JSON Web Token", r"ey[IJ][\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)+"),
    ("Webhooks", r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{20,}|discord(?:app)?\.com/api/webhooks/[0-9]+/[\w-]{20,}|[\w-]+\.webhook\.office\.com/[\w/@-]{30,}"),
    ("Password hashes", r"\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{50,}|\$(?:1|5|6|y|apr1)\$[./A-Za-z0-9$=,]{20,}|\$argon2(?:id?|d)\$[\w.,/+=$-]{30,}|pbkdf2_sha[0-9]+\$[\w.,/+=$-]{30,}"),
)  # fmt: skip

# Whatever is sought here has a word as long as this, or stands in a URL.
_MAYBE = pattern(r"[^\s]{7}|://")
# And a vendor's key is at least as long as this, with a digit or both cases, and no mere digest or
# UUID. Asked of short texts as long as the shapes are not compiled, which takes a moment.
_LONG = pattern(r"[!-~]{14,}")
_DIGEST = pattern("[0-9a-f-]+")
_CAPITALS = pattern("A[A-Z]{3}[A-Z0-9]{16}")  # half of a pair whose other half may be what varies
_SHORT = 1_000
_SHAPES = pattern(
    r"(?:\b|_|\\t)(?:" + "|".join(shape for _, shape in VENDORS) + ")|" + VENDORS[-1][1]
)
# No vendor's mark, but built like one: a short prefix, then a long run of capitals, letters and digits.
_LIKE_A_KEY = pattern(rf"\b((?:[a-zA-Z]{{2,10}}[_-]){{1,3}}){_A}{{32,}}\b")

_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*://"
_PASSWORDS = (
    pattern(rf"{_SCHEME}[^\s:/?#@\"'`<>\\]*:([^\s/?#\"'`<>\\]+)@"),  # may hold an @ itself
    pattern(
        rf"{_SCHEME}[^\s:/?#@\"'`<>\\]*:([0-9]*[^0-9/\s@\"'`<>\\][^\s@\"'`<>\\]*)@"
    ),  # or a slash
    pattern(r"(?i)\b(?:thin:[\w$]+|sqlplus [^\s/]+)/([^\s@\"']+)@"),  # Oracle's way
)
_USER = pattern(rf"{_SCHEME}([\w.~%+-]{{20,}})@")  # a key in the place of a user
_SIGNED = pattern(
    r"(?i)[?&](?:sig|signature|x-amz-(?:signature|security-token|credential)|x-goog-(?:signature|credential)|"
    r"key|code|id_token|ticket|hmac|sid|session|sessionid)=([^&\s\"'<>\\]{16,})"
)
_BEARER = pattern(r"(?i)\b(bearer|basic|digest|token|apikey)[ \t]+([A-Za-z0-9._~+/=-]{12,})")
_BASE64 = pattern(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_UPPER, _LOWER, _DIGIT = pattern("[A-Z]"), pattern("[a-z]"), pattern("[0-9]")


def find_shapes(data: bytes, known: Pattern | None = None) -> Iterator[Span]:
    """Everything in these lines whose shape, place in a URL or being known makes it a secret."""
    if known:
        for match in known.finditer(data):
            yield Span(*match.span(), "secret", match.start())
    if _MAYBE.search(data):
        yield from _shaped(data)
        yield from _in_urls(data)
        yield from _packed(data, known)


def _shaped(data: bytes) -> Iterator[Span]:
    for match in _SHAPES.finditer(data) if _may_hold_a_key(data) else ():
        if _varied(match[0]):
            yield Span(*match.span(), "secret", match.start())
    for match in _LIKE_A_KEY.finditer(data):
        if _mixed(match[0]) and not match[1].lower().startswith((b"sha", b"md5")):
            yield Span(*match.span(), "secret", match.start())


def _packed(data: bytes, known: Pattern | None) -> Iterator[Span]:
    """What base64 wraps: a login, or anything that would be a secret unwrapped."""
    for match in _BEARER.finditer(data):
        if random(match[2], 20) or (match[1].lower() == b"basic" and b":" in _unwrapped(match[2])):
            yield Span(*match.span(2), "secret", match.start())
    for match in _BASE64.finditer(data):
        inside = _unwrapped(match[0])
        if (
            b"PRIVATE KEY-" in inside
            or (_LONG.search(inside) and _SHAPES.search(inside))
            or (known and known.search(inside))
            or (inside.isascii() and any(find_named(inside)))
        ):
            yield Span(*match.span(), "secret", match.start())


def _in_urls(data: bytes) -> Iterator[Span]:
    for source in _PASSWORDS if b"@" in data else ():
        for match in source.finditer(data):
            if not match[1].startswith((b"$", b"{", b"<", b"*", b"[", b"%(")):
                yield Span(*match.span(1), "secret", match.start())
    for source, least in ((_USER, 20), (_SIGNED, 16)):
        for match in source.finditer(data):
            if random(match[1], least):
                yield Span(*match.span(1), "secret", match.start())


def _may_hold_a_key(data: bytes) -> bool:
    if len(data) > _SHORT or is_compiled(_SHAPES):
        return True
    words = (match[0] for match in _LONG.finditer(data))
    return any(
        (_varied(word) and not _DIGEST.fullmatch(word)) or _CAPITALS.search(word) for word in words
    )


def _varied(value: bytes) -> bool:
    """A key has a digit or both cases; a long name in small letters is just a name."""
    return bool(_DIGIT.search(value) or (_UPPER.search(value) and _LOWER.search(value)))


def _mixed(value: bytes) -> bool:
    return bool(_DIGIT.search(value) and _UPPER.search(value) and _LOWER.search(value))


def _unwrapped(value: bytes) -> bytes:
    """What these characters say when they are base64, or nothing."""
    plain = value.translate(bytes.maketrans(b"-_", b"+/"), delete=b"=.~")
    return binascii.a2b_base64(plain[: len(plain) - (len(plain) % 4 == 1)] + b"==")
