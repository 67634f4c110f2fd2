"""
Secrets that are known by their value: those of the environment, and what a caller names.

They are found wherever they appear and however they were packed on the way: inside a URL, in
JSON, as hexadecimal digits, in base64.
"""

import base64
import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from urllib.parse import quote, quote_plus

from prowess.permit.disguise import views
from prowess.permit.linear import Pattern, any_of
from prowess.permit.names import family

SHORTEST_FOUND = 8  # in an environment; below that a value is as likely a word as a secret
SHORTEST_TOLD = 4  # by a caller, who knows what he says


def known_secrets(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of the variables whose names promise a secret, longest first."""
    found = {
        value.strip()
        for name, value in environment.items()
        if family(name) in {"password", "secret"} and not value.startswith(("/", "./", "~"))
    }
    return tuple(
        sorted(
            (value for value in found if len(value) >= SHORTEST_FOUND), key=lambda v: (-len(v), v)
        )
    )


def known_pattern(known: Collection[str]) -> Pattern | None:
    """One pattern for all of them in all their forms, or None when there are none."""
    return _compiled(tuple(sorted(set(known)))) if known else None


@lru_cache(maxsize=64)
def _compiled(known: tuple[str, ...]) -> Pattern | None:
    told = (value for value in known if len(value.strip()) >= SHORTEST_TOLD)
    forms = {form for value in told for form in _forms(value) if len(form) >= SHORTEST_TOLD}
    return any_of(sorted(forms)) if forms else None


def _forms(value: str) -> set[bytes]:
    raw = value.encode("utf-8", "surrogateescape")
    packed = base64.b64encode(raw).rstrip(b"=")
    forms = {packed, packed.translate(bytes.maketrans(b"+/", b"-_"))}
    forms |= {raw.hex().encode(), raw.hex().upper().encode()}
    # A key of many lines may be shown a line at a time.
    for line in {value.strip(), *value.splitlines()}:
        shown = {line, quote(line, safe="", errors="replace"), quote_plus(line, errors="replace")}
        shown |= _as_literals(line)
        forms.add(line.encode("utf-8", "surrogateescape"))  # as it is found inside base64
        forms |= {view.data for each in shown for view in views(each) if b"\n" not in view.data}
    return forms


def _as_literals(text: str) -> set[str]:
    """The text between quotes of JSON or Python, also where that JSON is itself a text of JSON."""
    in_python = repr(text + '"')[1:-2]  # where both quotes occur, the single one is escaped
    once = _in_json({text})
    return once | _in_json(once) | {in_python, in_python.replace("\\'", "'")}


def _in_json(texts: set[str]) -> set[str]:
    written = {
        json.dumps(each, ensure_ascii=only)[1:-1] for each in texts for only in (True, False)
    }
    return written | {each.replace("/", "\\/") for each in written}
