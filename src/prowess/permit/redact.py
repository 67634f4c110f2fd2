"""
One door for everything that is stored or sent: `redact`.

Text is scanned, JSON is walked; what comes back has the same shape, with `[secret]`, `[email]`,
`[phone]`, `[card]`, `[iban]`, `[id]`, `[ip]` or `[date of birth]` in the places of what was there.
Redacting twice changes nothing more.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeVar, cast

from prowess.permit.blocks import State, follow
from prowess.permit.disguise import views
from prowess.permit.known import known_secrets
from prowess.permit.linear import pattern
from prowess.permit.names import family
from prowess.permit.personal import label
from prowess.permit.stream import Redactor
from prowess.permit.values import Written, is_secret, random

__all__ = ["SECRET", "Redactor", "known_secrets", "redact"]

Json = TypeVar("Json")

SECRET = "[secret]"  # noqa: S105  the word that stands for one
SHORT = 40  # characters of a text whose answer is worth remembering
CONTAINERS = (Mapping, list, tuple, set, frozenset)
DEEPEST = 200  # below that nobody reads; the whole branch is taken for a secret

# Inside {"password": {…}}: what describes a secret rather than being it.
_DESCRIBES = frozenset(
    "type description title format default example examples pattern enum minlength maxlength "
    "name username user login id kind scope scopes expires expires_in expires_at created_at updated_at "
    "issuer provider required nullable url host port status label version algorithm alg".split()
)
_NAMES = ("name", "key", "header", "Name", "Key", "variable", "field")
_VALUES = ("value", "Value", "val")
_FLAG = pattern(r"-{1,2}[A-Za-z][\w-]*")


def redact(
    value: Json, *, secrets: bool = True, personal: bool = True, known: Collection[str] = ()
) -> Json:
    """The same text or JSON without its secrets and personal data. `known` are secrets by value."""
    walk = _Walk(secrets, personal, tuple(known))
    return cast("Json", walk.value(value))


@lru_cache(maxsize=4096)
def _short(text: str, secrets: bool, personal: bool, known: tuple[str, ...]) -> str:  # noqa: FBT001
    """The names of fields and their usual words come again with every event."""
    redactor = Redactor(secrets=secrets, personal=personal, known=known)
    return redactor.feed(text) + redactor.flush()


class _Walk:
    """One walk through a value, with one scanner for all of its texts."""

    def __init__(self, secrets: bool, personal: bool, known: tuple[str, ...]) -> None:  # noqa: FBT001
        self._redactor = Redactor(secrets=secrets, personal=personal, known=known)
        self._how = (secrets, personal, known)
        self._secrets = secrets

    def value(self, value: Any, depth: int = 0) -> Any:
        if isinstance(value, CONTAINERS):
            return self._inside(value, depth + 1)
        if value is None or isinstance(value, bool):
            return value
        told = self._text(str(value))
        return value if told == str(value) else told

    def _inside(self, value: Any, depth: int) -> Any:
        if depth > DEEPEST:
            return SECRET
        return (
            self._mapping(value, depth)
            if isinstance(value, Mapping)
            else self._sequence(value, depth)
        )

    def _text(self, text: str) -> str:
        if len(text) <= SHORT:
            return _short(text, *self._how)
        return self._redactor.feed(text) + self._redactor.flush()

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        told = _told_by_field(value) if self._secrets else None
        for key, each in value.items():
            name = self._text(str(key))
            while name in seen:
                name += "'"  # two names that look alike now are still two
            secret = self._secrets and (key == told or _is_secret_field(str(key), each))
            seen[name] = self._hidden(each, depth) if secret else self._field(name, each, depth)
        return seen

    def _field(self, name: str, value: Any, depth: int) -> Any:
        """A name counts for its value as it does in text: {"phone": "5551234567"}, {"cookie": "…"}."""
        named = "cookie" if name.lower() in {"cookie", "set-cookie"} else label(name)
        if named and isinstance(value, str | int) and not isinstance(value, bool):
            told = self._text(f"{named}: {value}").removeprefix(f"{named}: ")
            return value if told == str(value) else told
        return self.value(value, depth)

    def _hidden(self, value: Any, depth: int) -> Any:
        """What stands under the name of a secret: every leaf goes, except what only describes it."""
        if value is None or isinstance(value, bool) or value == "":
            return value
        if depth > DEEPEST:
            return SECRET
        if isinstance(value, Mapping):
            return {
                self._text(str(key)): self.value(each, depth + 1)
                if str(key).lower() in _DESCRIBES
                else self._hidden(each, depth + 1)
                for key, each in value.items()
            }
        if isinstance(value, CONTAINERS):
            return [self._hidden(each, depth + 1) for each in value]
        return SECRET

    def _sequence(self, value: Iterable[Any], depth: int) -> list[Any]:
        seen: list[Any] = []
        before, state = None, State()
        for each in value:
            told = self._secrets and isinstance(each, str) and _is_told_by(before, each)
            if isinstance(each, str) and self._secrets:
                # A list may be the lines of a text, and a key run through several of them.
                spans, following = follow(views(each)[0].data, state)
                told = told or bool(spans and state.kind)
                state = following
            seen.append(SECRET if told else self.value(each, depth))
            before = each
        return seen


def _is_secret_field(name: str, value: Any) -> bool:
    kind = family(name)
    if kind is None or isinstance(value, bool) or value is None:
        return False
    if isinstance(value, str):
        return is_secret(
            Written(value=value.encode("latin-1", "replace"), family=kind, quoted=True)
        )
    if isinstance(value, int | float):
        return is_secret(Written(value=str(value).encode(), family=kind))
    return kind != "weak"


def _told_by_field(value: Mapping[Any, Any]) -> str | None:
    """The field that holds the secret which another names: {"name": "API_KEY", "value": "…"}."""
    names = [value[each] for each in _NAMES if isinstance(value.get(each), str)]
    if any(family(name) in {"password", "secret"} for name in names):
        return next((each for each in _VALUES if isinstance(value.get(each), str)), None)
    return None


def _is_told_by(before: Any, value: str) -> bool:
    """["--password", "…"] and ["authorization", "…"]."""
    if not isinstance(before, str) or (kind := family(before)) is None:
        return False
    raw = value.encode("latin-1", "replace")
    if _FLAG.fullmatch(before.encode("latin-1", "replace")):
        return not raw.startswith(b"-") and is_secret(Written(value=raw, family=kind, quoted=True))
    return random(raw, 7)
