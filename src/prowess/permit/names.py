"""
Does a name promise a secret?

`DB_PASSWORD`, `accessToken`, `x-api-key` do; `max_tokens`, `token_type`, `primary_key`,
`password_policy` do not. A name is read as words: the last secret word counts, and only if what
follows it (`_PROD`, `2`) does not turn it into something else (`_count`, `_url`).
"""

from functools import lru_cache
from typing import Literal

from prowess.permit.linear import pattern

Family = Literal["password", "secret", "weak"]

PASSWORDS = frozenset(
    "password passwd pwd passphrase passcode passwort motdepasse contrasena pswd pgpassword passwords "
    "otp totp cvv cvc cvv2 cvc2 pin requirepass storepass keypass".split()
)
SECRETS = frozenset(
    "secret secrets token apikey apikeys credential credentials authorization authtoken accesstoken "
    "accesskey secretkey privatekey refreshtoken clientsecret jwt bearer phpsessid jsessionid "
    "sharedaccesskey accountkey signingkey encryptionkey".split()
)
# Words too common to convict alone: the value has to look the part as well.
WEAK = frozenset("pass pw auth creds sas".split())
# `key` is a secret behind one of these.
KEYS = frozenset(
    "api access secret private signing encryption encrypt auth account shared master session storage "
    "service license licence client app application consumer ssh deploy admin root write ingest "
    "integration subscription function crypto hmac aes jwt gpg pgp bot webhook cookie stripe openai "
    "anthropic gemini maps sendgrid mailgun twilio datadog hub user rsa ec tls ssl gateway".split()
)
# In front of `token`: places in a list, and marks of a language model's vocabulary.
_NO_SECRET_BEFORE = frozenset(
    "next page previous prev continuation cursor sync eos bos pad unk sep mask cls stop start end "
    "special first last cancel cancellation per image input output prompt completion reserved "
    "public publishable has is no num count max min total invalid missing expired require requires "
    "required use uses forgot show hide change".split()
)
_STILL_SECRET_AFTER = frozenset(
    "prod production dev development staging stage live test base value val old new current confirm "
    "confirmation repeat again raw plain plaintext encoded b64 base64 primary secondary header "
    "string env data default main backup temp tmp v1 v2 a b".split()
)
_WORD = pattern(r"[A-Z]+[a-z]+|[a-z]+|[A-Z]+|[0-9]+|[\x80-\xff]+")
_SUFFIXES = ("password", "passwd", "passphrase", "secret", "token", "apikey", "secretkey")


@lru_cache(maxsize=4096)
def family(name: str) -> Family | None:
    """What kind of secret a value of this name would be, or None for no secret."""
    parts = words(name)
    for at in range(len(parts) - 1, -1, -1):
        if found := _family_at(parts, at):
            before, after = parts[:at], parts[at + 1 :]
            if any(word not in _STILL_SECRET_AFTER and not word.isdigit() for word in after):
                return None
            if before and before[-1] in _NO_SECRET_BEFORE:
                return None
            return found
    return None


def words(name: str) -> list[str]:
    """`accessToken`, `access-token` and `ACCESS_TOKEN` are the same two words."""
    raw = name.encode("ascii", "replace")
    parts = [match[0].decode("latin-1") for match in _WORD.finditer(raw)]
    found: list[str] = []
    for part in parts:
        # APIKey is API and Key: the last capital of a run belongs to the word behind it.
        capitals = len(part) - len(part.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        if 1 < capitals < len(part):
            found += [part[: capitals - 1].lower(), part[capitals - 1 :].lower()]
        else:
            found.append(part.lower())
    return found


def _family_at(words: list[str], at: int) -> Family | None:
    word = words[at]
    before = words[at - 1] if at else ""
    if word in PASSWORDS or word.endswith(("password", "passwd", "passphrase")):
        return "password"
    if word in {"pass", "pw"} and before and before not in {"by", "first", "second", "render"}:
        return "password"
    if word in SECRETS or word.endswith(_SUFFIXES):
        return "secret"
    if word in {"key", "keys"} and before in KEYS:
        return "secret"
    return "weak" if word in WEAK else None
