"""
Secrets of more than one line: private keys, YAML's block scalars, a name above its value.

`follow` reads lines in order and carries from each to the next only what `State` says, so that
lines may come in any number at a time.
"""

from typing import Literal, NamedTuple

from prowess.permit.linear import Span, pattern
from prowess.permit.names import family
from prowess.permit.values import Written, is_secret


class State(NamedTuple):
    """What the next line is expected to be: nothing special, key material, a scalar's text, a value."""

    kind: Literal["", "key", "scalar", "value"] = ""
    indent: int = 0


# Without one of these no line changes the state.
_TRIGGER = pattern(r"(?i)PRIVATE KEY|Private-Lines|:[ \t]*[|>]|\b(?:name|key)[\"']?[ \t]*:")

_BEGIN = pattern(r"-{3,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-{3,5}|Private-Lines: [0-9]+")
_END = pattern(r"-{3,5} ?END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-{3,5}")
_RUN = pattern(r"[A-Za-z0-9+/=]{16,}")
# What a key is made of: long runs of base64, its last short one, its own headers, empty lines.
_MATERIAL = pattern(
    r".*[A-Za-z0-9+/=]{32,}.*|.*[ \t][A-Za-z0-9+/]{2,}={1,2}[\s\"',]*|[\s>|#*\"'+-]*(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2,3}={1,2}|=[A-Za-z0-9+/]{4})"
    r"[\s\\n\"',+]*|[\s>|#*+-]*(?:Proc-Type|DEK-Info|Version|Comment|Private-MAC|Hash|Charset): .*|[\s>|#*+-]*"
)
_SCALAR = pattern(r"([ \t]*)(?:- )?[\"']?([\w.-]+)[\"']?[ \t]*:[ \t]*[|>][-+0-9]*[ \t]*\r?")
_NAMED = pattern(
    r"(?i)[ \t{-]*[\"']?(?:name|key)[\"']?[ \t]*:[ \t]*[\"']?([\w.-]+)[\"']?,?[ \t]*\r?"
)
_VALUE = pattern(r"(?i)[ \t]*[\"']?value[\"']?[ \t]*:[ \t]*([\"']?)([^\r\n]*?)[\"']?,?[ \t]*\r?")


def follow(data: bytes, state: State) -> tuple[list[Span], State]:
    """The stretches of these lines that belong to such a secret, and what the next line is."""
    spans: list[Span] = []
    if not state.kind and not _TRIGGER.search(data):
        return spans, state
    at = 0
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        state = _line(data, at, end, state, spans)
        at = end
    return spans, state


def _line(data: bytes, at: int, end: int, state: State, spans: list[Span]) -> State:
    line = data[at:end].rstrip(b"\n")
    if state.kind == "key":
        if closing := _END.search(line):
            alone = not line[closing.end() :].strip()
            spans.append(Span(at, end if alone else at + closing.end(), "", at))
            return State()
        if _MATERIAL.fullmatch(line):
            spans.append(Span(at, end, "", at))
            return state
    elif state.kind == "scalar":
        if not line.strip() or len(line) - len(line.lstrip()) > state.indent:
            if text := line.strip():
                start = at + line.find(text)
                spans.append(Span(start, start + len(text), "secret", at))
            return state
    elif state.kind == "value" and (value := _VALUE.fullmatch(line)):
        written = Written(value=value[2], family="password", quoted=bool(value[1]), joined=True)
        if is_secret(written):
            spans.append(Span(at + value.start(2), at + value.end(2), "secret", at))
        return State()
    return _begun(line, at, end, spans)


def _begun(line: bytes, at: int, end: int, spans: list[Span]) -> State:
    """What this line begins, having continued nothing."""
    if scalar := _SCALAR.fullmatch(line):
        return State("scalar", len(scalar[1])) if family(scalar[2].decode("latin-1")) else State()
    if named := _NAMED.fullmatch(line):
        return State("value") if family(named[1].decode("latin-1")) else State()
    here = 0
    while begin := _BEGIN.search(line, here):
        closing = _END.search(line, begin.end())
        here = closing.end() if closing else _quotation_end(line, begin.end())
        inside = line[begin.end() : here]
        if _RUN.search(inside):
            spans.append(Span(at + begin.start(), at + here, "secret", at + begin.start()))
        elif not closing and here == len(line) and not inside.strip(b" \t\r\\n\"'"):
            # The key itself comes in the lines below, whose newlines go with them.
            spans.append(Span(at + begin.start(), at + here, "secret", at + begin.start()))
        else:
            continue
        if not closing and here == len(line):
            return State("key")
    return State()


def _quotation_end(line: bytes, at: int) -> int:
    ends = [place for quote in (b'"', b"'", b"`") if (place := line.find(quote, at)) >= 0]
    return min(ends, default=len(line))
