"""Secrets go wherever they stand; what only looks like one stays. Vendor marks are built from parts."""

import base64
import gzip
import json
import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prowess.permit.linear import pattern
from prowess.permit.redact import DEEPEST, SECRET, Redactor, known_secrets, redact
from prowess.permit.secrets import VENDORS

SHARED = Path(
    os.environ.get("PROWESS_SHARED", Path(__file__).parent.parent.parent.parent / "shared")
)
CASES = SHARED / "data/security/redaction.jsonl.gz"

WORD = "hunter" + "2!x9"
HEX = "781d777a8d2c5cdd0a7119beea71f353"
MIXED = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
KEYS = (
    "gh" + "p_" + MIXED,
    "github" + "_pat_" + MIXED[:22] + "_" + MIXED,
    "gl" + "pat-" + MIXED[:20],
    "xo" + "xb-123456789012-123456789012-" + MIXED[:24],
    "sk" + "_live_" + MIXED[:24],
    "sk" + "-proj-" + MIXED,
    "sk" + "-ant-api03-" + MIXED,
    "AK" + "IAIOSFODNN7EXAMPLE",
    "AI" + "za" + MIXED[:35],
    "np" + "m_" + MIXED,
    "SG" + "." + MIXED[:22] + "." + MIXED,
    "hv" + "s." + MIXED,
    "do" + "p_v1_" + HEX + HEX,
    "123456789" + ":AA" + MIXED[:33],
    "ey" + "JhbGciOi" + MIXED + ".ey" + "J" + MIXED + "." + MIXED,
    "zz" + "top_" + MIXED,  # nobody's mark, but made like one
)


def cases() -> list[Any]:
    if not CASES.exists():
        why = "the cases are not here: PROWESS_SHARED says where they lie"
        return [pytest.param({}, marks=pytest.mark.skipif("True", reason=why))]
    with gzip.open(CASES, "rt", encoding="utf-8") as lines:
        return [pytest.param(case, id=case["id"]) for case in map(json.loads, lines)]


def told(value: Any, **how: Any) -> str:
    out = redact(value, **how)
    return out if isinstance(out, str) else json.dumps(out, ensure_ascii=False)


@pytest.mark.parametrize("case", cases())
def test_a_labelled_case_holds(case: dict[str, Any]) -> None:
    how: dict[str, Any] = {
        "secrets": "secrets" in case["redact"],
        "personal": "pii" in case["redact"],
        "known": case.get("known_secrets", ()),
    }
    redactor = Redactor(**how)

    if "chunks" in case:
        out = "".join(map(redactor.feed, case["chunks"])) + redactor.flush()
    else:
        out = told(case["payload"], **how)

    assert not [text for text in case["must_not_contain"] if text in out]
    assert not [text for text in case["must_contain"] if text not in out]


# by shape


@pytest.mark.parametrize(
    "around", ["{}", "use {} now", '"{}"', "x={}&y=1", "<{}>", "{}.", '\\"{}\\"']
)
@pytest.mark.parametrize("key", KEYS, ids=lambda key: key[:8])
def test_a_key_with_a_vendors_mark_goes_wherever_it_stands(key: str, around: str) -> None:
    assert key[-12:] not in redact(around.format(key))


@pytest.mark.parametrize(
    "disguise",
    [
        lambda key: key[:9] + "\u200b" + key[9:],
        lambda key: key[:9] + "\x1b[1m" + key[9:],
        lambda key: key.replace("p", "\u0440"),
        lambda key: "".join(chr(ord(char) + 0xFEE0) for char in key),
        lambda key: quote(key, safe="").replace("_", "%5F"),
        lambda key: key.replace("g", "\\u0067"),
        lambda key: base64.b64encode(f"x-access:{key}".encode()).decode(),
    ],
    ids=["zero width", "colour", "look-alike", "full width", "percent", "escaped", "base64"],
)
def test_a_disguise_does_not_save_a_key(disguise: Any) -> None:
    hidden = disguise(KEYS[0])

    assert redact(f"one {hidden} two") == f"one {SECRET} two"


@pytest.mark.parametrize("password", [WORD, "p@ss" + "w0rd", "a/b" + "c9", "p%40" + "ss"])
def test_the_password_of_a_url_goes_and_the_rest_stays(password: str) -> None:
    assert (
        redact(f"postgres://bob:{password}@db:5432/app") == f"postgres://bob:{SECRET}@db:5432/app"
    )


def private_key(kind: str = "RSA ") -> str:
    lines = [MIXED + HEX[:28]] * 4 + [MIXED[:22] + "=="]
    return "\n".join(
        [f"-----BEGIN {kind}PRIV" + "ATE KEY-----", *lines, f"-----END {kind}PRIV" + "ATE KEY-----"]
    )


@pytest.mark.parametrize("kind", ["RSA ", "", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_is_one_placeholder(kind: str) -> None:
    assert redact(f"before\n{private_key(kind)}\nafter") == f"before\n{SECRET}\nafter"


@pytest.mark.parametrize(
    "wrap",
    [
        lambda key: key.replace("\n", "\\n"),
        lambda key: key.replace("\n", "\r\n"),
        lambda key: "> " + key.replace("\n", "\n> "),
        lambda key: json.dumps({"k": key}),
        lambda key: "\n".join(key.split("\n")[:-1]) + "\nand so on",
        lambda key: base64.b64encode(key.encode()).decode(),
    ],
    ids=["escaped", "CRLF", "quoted", "JSON", "cut short", "base64"],
)
def test_a_private_key_goes_however_it_is_wrapped(wrap: Any) -> None:
    out = redact(f"first\n{wrap(private_key())}\nlast")

    assert MIXED[:16] not in out
    assert out.startswith("first\n")
    assert out.endswith("\nlast")


def test_the_lines_of_a_key_may_be_a_list() -> None:
    out = redact({"lines": ["first", *private_key().split("\n"), "last"]})

    assert MIXED[:16] not in str(out)
    assert out["lines"][0] == "first"
    assert out["lines"][-1] == "last"


# by name


NAMES = "password DB_PASSWORD clientSecret access_token API_KEY x-api-key PGPASSWORD SECRET_KEY_BASE authorization"


@pytest.mark.parametrize("name", NAMES.split())
@pytest.mark.parametrize(
    "line",
    [
        "{n}={v} next",
        "export {n}='{v}'",
        "{n}: {v}",
        '"{n}": "{v}", "next": 1',
        "{{'{n}': '{v}', 'next': 1}}",
        '\\"{n}\\": \\"{v}\\", \\"next\\": 1',
        "tool --{n} {v} --next",
        '["--{n}", "{v}", "next"]',
        "<{n}>{v}</{n}> next",
        'f(user="bob", {n}="{v}", next=1)',
        '{{"name": "{n}", "value": "{v}"}} next',
        '<add key="{n}" value="{v}"/> next',
        "https://h/p?{n}={v}&next=1",
        "{n}: |\n  {v}\nnext: 1",
        "- name: {n}\n  value: {v}\n- next",
        '{n}: str = "{v}"  # next',
    ],
)
def test_what_a_name_promises_goes_and_its_neighbours_stay(line: str, name: str) -> None:
    text = line.format(n=name, v=WORD)

    out = redact(text)

    assert WORD not in out
    assert name in out
    assert ("next" in out) == ("next" in text)


@pytest.mark.parametrize(
    "line",
    [
        "Authorization: Bearer {}",
        'curl -H "Authorization: token {}" https://h',
        'Authorization: Digest username="b", response="{}"',
        "curl -u bob:{} https://h",
        "mysql -u root -p{} app",
        "docker login -u me -p {} h",
        "machine h login bob password {}",
        "ALTER USER bob WITH PASSWORD '{}';",
        "Cookie: lang=en; session={}; theme=dark",
        "aws configure set aws_secret_access_key {}",
        "my password is {}",
        "User(name=bob, password={})",
        "Server=db;Password={};Encrypt=true",
        "db.host:5432:app:bob:{}",
        "AKIA" + "IOSFODNN7EXAMPLE,{}" + "x" * 17,
        '"x-api-key": ["{}"]',
        '<property name="password">{}</property>',
        'os.environ["API_KEY"] = "{}"',
        "pa\u0455\u0455word: {}",
        "password%3D{}",
        "PASSWORD={}\\nPORT=1",
    ],
)
def test_people_write_secrets_in_many_ways(line: str) -> None:
    secret = HEX[:20] + "Qz9"

    assert secret not in redact(line.format(secret))


def test_a_bracket_amid_a_password_does_not_end_it() -> None:
    assert redact("password=hunTer2)x9Qw81kZZ rest\n") == f"password={SECRET} rest\n"
    assert redact("f(password=hunTer2x9Qw81kZZ) rest\n") == f"f(password={SECRET}) rest\n"


def test_a_cookie_that_says_nothing_about_anybody_stays() -> None:
    assert redact(f"Cookie: session={HEX}; lang=en") == f"Cookie: session={SECRET}; lang=en"


def test_a_passphrase_is_many_words() -> None:
    assert redact("passphrase: correct horse battery staple") == f"passphrase: {SECRET}"


def test_a_password_inside_base64_goes() -> None:
    packed = base64.b64encode(f"password={WORD} port=1".encode()).decode()

    assert redact(f"data: {packed} end") == f"data: {SECRET} end"


# in JSON


def test_json_keeps_its_shape() -> None:
    value = {"user": "x1", "n": 3, "ok": True, "none": None, "list": [1, "two", {"apiKey": WORD}]}

    assert redact(value) == {**value, "list": [1, "two", {"apiKey": SECRET}]}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"password": 12345678}, {"password": SECRET}),
        ({"secret": ["a1", "b2"]}, {"secret": [SECRET, SECRET]}),
        (
            {"token": {"value": "abc", "type": "bearer"}},
            {"token": {"value": SECRET, "type": "bearer"}},
        ),
        (
            {"password": None, "token": False, "secret": ""},
            {"password": None, "token": False, "secret": ""},
        ),
        (
            [["authorization", f"Bearer {HEX}"], ["accept", "*/*"]],
            [["authorization", SECRET], ["accept", "*/*"]],
        ),
        (["run", "--token", WORD, "--dry"], ["run", "--token", SECRET, "--dry"]),
        ({"name": "API_KEY", "value": WORD}, {"name": "API_KEY", "value": SECRET}),
        ({"Cookie": f"sid={HEX}; lang=en"}, {"Cookie": f"sid={SECRET}; lang=en"}),
        ({KEYS[0]: 1, KEYS[1]: 2}, {SECRET: 1, f"{SECRET}'": 2}),
    ],
)
def test_json_is_walked(value: Any, expected: Any) -> None:
    assert redact(value) == expected


def test_a_schema_that_asks_for_a_password_is_no_password() -> None:
    schema = {
        "properties": {"password": {"type": "string", "description": "The password"}},
        "required": ["password"],
    }

    assert redact(schema) == schema


def test_what_is_nested_too_deep_to_be_walked_is_hidden() -> None:
    value: Any = WORD
    for _ in range(DEEPEST + 50):
        value = {"a": value}

    assert WORD not in json.dumps(redact(value))


# by value


KNOWN = "c0rrect-hörse/batt+ery"


@pytest.mark.parametrize(
    "shown",
    [
        KNOWN,
        quote(KNOWN, safe=""),
        json.dumps(KNOWN)[1:-1],
        base64.b64encode(KNOWN.encode()).decode(),
        base64.urlsafe_b64encode(f"bob:{KNOWN}!".encode()).decode(),
        KNOWN.encode().hex(),
        "\u200b".join(KNOWN),
    ],
    ids=["plain", "URL", "JSON", "base64", "inside base64", "hexadecimal", "zero width"],
)
def test_a_known_secret_goes_in_every_form(shown: str) -> None:
    assert shown.rstrip("=") not in redact(f"saw {shown} there", known=[KNOWN])
    assert shown.rstrip("=") not in told({"a": [f"saw {shown}"]}, known=[KNOWN])


QUOTED = "p/w\"d's\\k3y"


@pytest.mark.parametrize(
    "shown",
    [
        json.dumps(QUOTED)[1:-1].replace("/", "\\/"),
        json.dumps(json.dumps(QUOTED))[3:-3],
        json.dumps(json.dumps(QUOTED)[1:-1].replace("/", "\\/"))[1:-1],
        json.dumps(json.dumps(QUOTED))[3:-3].replace("/", "\\/"),
        repr(QUOTED)[1:-1],
        repr(QUOTED).replace("\\'", "'")[1:-1],
    ],
    ids=[
        "slashes",
        "JSON in JSON",
        "slashes within",
        "slashes around",
        "Python",
        "unescaped quote",
    ],
)
def test_a_known_secret_goes_however_it_is_quoted(shown: str) -> None:
    assert redact(f"saw {shown} there", known=[QUOTED]) == f"saw {SECRET} there"


def test_the_environment_tells_its_secrets() -> None:
    environment = {"API_TOKEN": "abcdefgh", "HOME": "/home/bob", "DB_PASSWORD": "longer-than-that",
                   "SHORT_SECRET": "abc", "MAX_TOKENS": "100000000", "PASSWORD_FILE": "/run/secret"}  # fmt: skip

    assert known_secrets(environment) == ("longer-than-that", "abcdefgh")


def test_a_known_secret_of_many_lines_goes_a_line_at_a_time() -> None:
    assert redact("x first-half y", known=["first-half\nsecond-half"]) == f"x {SECRET} y"


# what stays


INNOCENT = """
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
sha256:48e0e513633e5d8adcda49602031e5ebf30ae64a31d804618f19497dd9773506
id 6000b50b-fe1c-42fb-abb5-40ba620de14d at 2026-01-02T10:20:30.123456+00:00, v1.2.3, 127.0.0.1:7700
export API_KEY=$API_KEY TOKEN=${TOKEN:-} OTHER_KEY="$(cat key)"
token = get_token()
password = os.environ["DB_PASSWORD"]
apiKey: process.env.API_KEY,
password: {{ .Values.password }}
password: ********
def login(user: str, password: str, token: str | None = None) -> bool:
client(api_key=settings.API_KEY, password=password)
parser.add_argument("--token", help="API token")
usage: prog [--password PASSWORD] [--token TOKEN]
the --token option is required
SELECT password FROM users
error: invalid token: expected identifier, found number
Password must be at least 8 characters
"password": "Password is required"
["password", "api_key", "token", "secret"]
<input type="password" name="pw">
print("Enter password: ")
"prompt_tokens": 10, "max_tokens": 4096
token_type: bearer
next_page_token: CAUQAA
primary_key=user_id cache_key=abc123def456abc123def456
Authorization header is missing
Authorization: Bearer <token>
docker run -p 8080:80 nginx && mkdir -p a/b
PASSWORD_FILE=/run/secrets/db
https://example.com/oauth/token
integrity="sha512-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC0Hw=="
if "-----BEGIN PRIVATE KEY-----" in text:
-----BEGIN CERTIFICATE-----
msg_01XFDUDYJgAcuzXCDnNYgNH3 toolu_01A09q90qw90lq917835lq9
class="sk-toggleable__control sk-hidden--visually"
Missing API key: set OPENAI_API_KEY
KeyError: 'API_KEY'
kind: Secret
API_KEY_VARIABLE = "ANTHROPIC_API_KEY"
headers["Authorization"] = f"Bearer {await self.token()}"
Access denied for user 'root'@'localhost' (using password: YES)
echo "KEY: ${MY_API_KEY:+SET}"
("authorization", "x-amz-content-sha256")
tests/test_token.py::test_token PASSED
PASS: `python3 -m unittest`
- PASS: `pytest tests/test_a1.py` ran 12 tests
""".strip().split("\n")


@pytest.mark.parametrize("line", INNOCENT)
def test_an_innocent_line_stays_as_it_is(line: str) -> None:
    assert redact(line) == line


# as a whole


PIECES = st.sampled_from([
    KEYS[0], KEYS[3], KEYS[-2], private_key(), private_key().replace("\n", "\\n"), f"password: {WORD}", f'token="{HEX}"', "\n",
    "name: API_KEY\n", f"value: {HEX}\n", "secret: |\n", "  indented text\n", " ", "\t", "bob@example.com", "4111 1111 1111 1111",
    "\u200b", "\x1b[31m", "%40", "&quot;", '"', "'", "-----BEGIN PRIV" + "ATE KEY-----", "word", "=", ":", ",", KNOWN, "é", "\r\n",
])  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=12).map("".join)


@given(TEXTS, st.lists(st.integers(0, 400), max_size=6))
@settings(deadline=None, max_examples=200)
def test_a_stream_says_the_same_however_it_was_cut(text: str, cuts: list[int]) -> None:
    redactor = Redactor(known=[KNOWN])
    places = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    pieces = [text[a:b] for a, b in pairwise(places)]

    out = "".join(map(redactor.feed, pieces)) + redactor.flush()

    assert out == redact(text, known=[KNOWN])


@given(st.lists(PIECES, max_size=8).map("\n".join))
@settings(deadline=None, max_examples=200)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text, known=[KNOWN])

    assert redact(once, known=[KNOWN]) == once


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=9), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4), max_leaves=12))  # fmt: skip
@settings(deadline=None, max_examples=100)
def test_any_json_is_survived(value: Any) -> None:
    json.dumps(redact(value))


@pytest.mark.parametrize(("vendor", "shape"), VENDORS, ids=[vendor for vendor, _ in VENDORS])
@settings(max_examples=30)
@given(st.data())
def test_every_key_that_a_shape_describes_goes(
    vendor: str, shape: str, data: st.DataObject
) -> None:
    """Also the shortest ones, and whatever is asked before the shapes are."""
    keys = st.from_regex(re.compile(shape, re.ASCII), fullmatch=True)
    key = data.draw(keys.filter(lambda key: key[0].isalnum() or key[0] == "$"))
    varied = any(each.isdigit() for each in key) or (key.upper() != key != key.lower())
    assert not varied or key not in redact(f"it is {key} here"), vendor
    packed = base64.b64encode(key.encode()).decode()
    if len(packed.rstrip("=")) >= 20:  # less is too little to be told from a word
        assert packed not in redact(f"it is {packed} here"), vendor


@pytest.mark.parametrize(
    "line",
    [
        "QUtJQUFCQ0RFRkdISUpLTE1OT1A=",
        "AKIAQWERTYUIOPASDFGH da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "AKIAQWERTYUIOPASDFGH\tda39a3ee5e6b4b0d3255bfef95601890afd80709",
    ],
)
def test_a_key_without_a_digit_goes_where_it_is_packed_or_one_of_a_pair(line: str) -> None:
    assert redact(line) == SECRET


@pytest.mark.parametrize(
    "line",
    ["It covers basic functionality.", "Add basic configuration.", "basic understanding...", "a basic documentation~x"],
)  # fmt: skip
def test_plain_words_after_basic_stay(line: str) -> None:
    assert redact(line) == line


@given(st.text(st.sampled_from("abcXYZ019+/=._~-"), min_size=12, max_size=40))
def test_nothing_after_basic_breaks_the_scanner(word: str) -> None:
    redact(f"Authorization: Basic {word} and a basic {word}")


def test_a_pattern_answers_the_same_the_first_time_and_later() -> None:
    digits = pattern("[0-9]+")
    assert [match.span() for match in digits.finditer(b"a12b3")] == [(1, 3), (4, 5)]
    assert digits.fullmatch(b"12")
    assert not digits.fullmatch(b"12a")
    assert digits.match(b"12a")
    with pytest.raises(AttributeError, match="sub"):
        digits.sub  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(
    "name", ["docs/api2.md", "src/base64.py", "lib/thing_two2.py", "test_utf8_decoding"]
)
def test_a_verdict_about_a_file_is_no_password(name: str) -> None:
    told = f"- PASS: `{name}` exists"

    assert redact(told) == told
    assert WORD not in redact(f"PASS={WORD}")
