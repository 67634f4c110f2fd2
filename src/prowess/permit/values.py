"""
Is what stands behind a secret's name a secret?

`password: hunter2` is one; `password: str`, `token = get_token()`, `api_key=$API_KEY`,
`token: invalid` are not. Where both readings are likely, a value that was written as data (in
quotes, in an environment file) goes, and one that reads as code or as prose stays.
"""

from dataclasses import dataclass

from prowess.permit.linear import pattern
from prowess.permit.names import Family

# Types, constants and the words that messages put behind a name.
_WORDS = frozenset(
    b"none null nil undefined true false yes no on off str string int integer number bool boolean "
    b"bytes text any object array list dict map optional required missing invalid expired empty "
    b"hidden redacted masked removed filtered unset set default enabled disabled ok error failed "
    b"failure unknown example placeholder varchar char secretstr option flag parameter argument value "
    b"values field is was are not and or for to the a an of in from with must should can bearer basic "
    b"digest has been needed denied rejected accepted valid wrong incorrect changed updated created "
    b"revoked prompt stdin input pass".split()
)
_PLACEHOLDER = pattern(
    r"\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|\$env:\w+|\$[{(].*|%[A-Za-z_]\w*%|\$?\{[A-Za-z_{ .].*|\{\}|<[^<>]*>?|"
    r"\[[A-Za-z_ -]+\]|\*{3,}.*|[*xX.\-_#?\xfe]+|[A-Z]+(?:_[A-Z]+)+|.{0,12}\.\.\.|(?i:your|my|insert|enter|replace|some)[_ -][A-Za-z_ -]+|"
    r"!(?:Ref|Sub|GetAtt|vault|secret)\b.*|(?:arn|urn|vault|op|ssm|sm|keyring|file|env|aws-sm|gcp-sm):.*|"
    r"[a-z][a-z0-9+.-]*://[^\s@]*"
)
_CODE = pattern(
    r"(?:[A-Za-z_$][\w$]*(?:\??\.|->|::))*[A-Za-z_$][\w$]*(?:\(|\[|\{).*|:.*|"
    r"(?:os|process|env|secrets|vars|self|this|args|config|settings|request|req|ctx|options|opts|props|"
    r"user|data|params|conf|cfg|System|ENV|Deno|import\.meta)(?:\.[A-Za-z_]\w*)+|[({\[=].*|[:/>|!&].{0,2}|//.*"
)
_DOTTED = pattern(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+")
_PATH = pattern(
    r"(?:~|\.{1,2})?(?:/[A-Za-z0-9_.@-]{1,24})+/?|[\w.-]{1,32}(?:/[\w.-]{1,32})+\.[a-z]{1,5}"
)
_IDENTIFIER = pattern(r"[A-Za-z_]+(?:-[A-Za-z_]+)*")
_SECRET_WORD = pattern(r"(?i)pass|pwd|token|secret|key|cred|auth")
_HAS_DIGIT, _HAS_LETTER = pattern(r"[0-9]"), pattern(r"[A-Za-z]")
_PROSE = pattern(
    r"(?i)(?:.* )?(?:is|are|the|must|your|for|not|be|to|this|that|please|enter|invalid|expired|missing|of|and|or)(?: .*)?"
)
_UUID = pattern(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_STAMP = pattern(
    r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[T ].*)?|v?[0-9]+(?:\.[0-9]+)+(?:[-+].*)?|#?[0-9]+"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A value and how it was written. `after` is the rest of its line."""

    value: bytes
    family: Family
    quoted: bool = False
    joined: bool = False  # NAME=value, without blanks
    shouted: bool = False  # the name is in capitals, as in an environment
    after: bytes = b""


def is_secret(it: Written) -> bool:
    value = it.value.strip()
    if not value or value.lower().rstrip(b".,;:!)") in _WORDS or _PLACEHOLDER.fullmatch(value):
        return False
    if it.family == "weak":
        bare = 6 if it.joined and it.shouted else 8 if it.joined else 12
        if it.quoted:
            return random(value, 8)
        return b" " not in value and random(value, bare) and not _CODE.fullmatch(value)
    if it.quoted:
        return not (b" " in value and _PROSE.fullmatch(value)) and not _is_path(value)
    return not _CODE.fullmatch(value) and not _is_path(value) and _is_bare_secret(value, it)


def _is_bare_secret(value: bytes, it: Written) -> bool:
    """A value without quotes, which is data more often the less it looks like a word or a count."""
    if b" " in value:  # between backticks: a command
        return False
    if value.isdigit():
        return len(value) >= (3 if it.family == "password" else 8)
    if _IDENTIFIER.fullmatch(value) or _DOTTED.fullmatch(value):
        return _is_secret_word(value, it)
    return len(value) >= (3 if it.family == "password" or it.shouted else 5)


def _is_secret_word(value: bytes, it: Written) -> bool:
    """A value of letters alone: `letmein`, or the name of a variable?"""
    if it.joined and it.shouted:
        return True
    if _SECRET_WORD.search(value) or b"." in value or b"_" in value:
        return False
    alone = not it.after.strip() or it.after.lstrip()[:1] in b",;}&"
    if it.family == "password":
        return alone or it.joined
    return (it.joined or alone) and len(value) >= (12 if it.joined else 16)


def _is_path(value: bytes) -> bool:
    return _PATH.fullmatch(value) is not None and not any(
        random(part, 20) for part in value.split(b"/")
    )


def random(value: bytes, least: int) -> bool:
    """Letters and digits mixed, long enough, and not a version, a date, a UUID or a path."""
    return (
        len(value) >= least
        and _HAS_DIGIT.search(value) is not None
        and _HAS_LETTER.search(value) is not None
        and not _UUID.fullmatch(value)
        and not _STAMP.fullmatch(value)
        and b"://" not in value
        and not value.startswith((b"/", b"./", b"~/", b"sha1", b"sha256", b"sha512", b"md5"))
    )
