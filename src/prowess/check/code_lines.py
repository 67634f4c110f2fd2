"""
The lines of a program in another language than Python that are code, each with what it stands in.

A line that is now inside of a comment or of a string is no longer the line that it was, and one that has
come into a new block may no longer run. Comments, strings and brackets are all that is understood here;
every character is looked at once. Of a language without braces, only its comments are.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

# What groups tests and runs them all.
_GROUPS = re.compile(
    r"(?:await\s+)?(?:describe|context|suite|group|test\.describe)\s*\(|namespace\b"
)
_FLOWS = re.compile(
    r"(?:\}\s*)?(?:if|else|for|while|switch|try|catch|finally|do|loop|match|unsafe)\b|\{$"
)
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_SHOWN = 120  # characters of what opens a block
_NESTING = frozenset(("rs", "swift", "kt", "kts", "scala", "dart"))
_QUOTED = r'"(?:\\.|[^"\\\n])*"?'
_LETTER = r"'(?:\\[^\n']{1,12}|[^'\\\n])'"
_LONG = r'"""(?:\\.|[^"\\]|"(?!""))*(?:""")?'
_TICKS = r"`(?:\\.|[^`\\])*`?"
# Where a value may begin, a slash begins an expression of JavaScript.
_PATTERN = r"(?:[(,=:\[!&|?{};]|\breturn)[ \t]*/(?![*/])(?:\\.|[^/\\\n]){1,80}/"
_STRINGS = {
    "js": rf"{_PATTERN}|{_QUOTED}|'(?:\\.|[^'\\\n])*'?|{_TICKS}",
    "go": rf"{_QUOTED}|`[^`]*`?|{_LETTER}",
    "rs": rf'\bb?r(?P<hashes>#{{0,16}})".*?(?:"(?P=hashes)|\Z)|"(?:\\.|[^"\\])*"?|{_LETTER}',
    "php": r"""'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?""",
    "dart": rf"{_LONG}|'''(?:\\.|[^'\\]|'(?!''))*(?:''')?|{_QUOTED}|'(?:\\.|[^'\\\n])*'?",
    "cs": rf'@"(?:[^"]|"")*"?|{_LONG}|{_QUOTED}|{_LETTER}',
    "": rf"{_LONG}|{_QUOTED}|{_LETTER}",
}
_WEB = frozenset("js jsx ts tsx mjs cjs mts cts".split())
_BLANKS = re.compile(r"[^\n]")
_ENDS = re.compile(r"\*/")
_NESTS = re.compile(r"/\*|\*/")
# Languages that know comments by the beginning of a line, and how a longer one begins and ends.
_BY_LINE: dict[str, tuple[str, str, str]] = {
    "rb": ("#", r"=begin\b|__END__$", r"=end\b"),
    "pl": ("#", r"=[a-z]\w*|__(?:END|DATA)__$", r"=cut\b"),
    "t": ("#", r"=[a-z]\w*|__(?:END|DATA)__$", r"=cut\b"),
    "exs": ("#", r"(?!)", r"(?!)"),
    "bats": ("#", r": *<<", r"(?!)"),
    "hs": ("--", r"\{-", r".*-\}"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """
    `said` is its text. `within` tells all that it stands in apart from groups of tests, `inside` apart
    from what only decides whether and how often it runs; both are 0 where that is nothing. Where there
    are no braces, `inside` tells whether it is indented.
    """

    said: str
    within: int = 0
    inside: int = 0


def has_blocks(end: str) -> bool:
    """Whether the language of such a file has braces."""
    return end not in _BY_LINE


def code_lines(end: str, text: str) -> Iterator[Line]:
    """The lines that are code; `end` is how the name of the file ends, without its dot."""
    if end in _BY_LINE:
        return _by_line(text, *_BY_LINE[end])
    return _in_blocks(end, text)


@lru_cache(maxsize=64)
def without_comments(end: str, text: str) -> str:
    """The same text with blanks in the place of what is said for readers."""
    if end in _BY_LINE:
        return text
    parts, place = [], 0
    for kind, begins, ends in _tokens(end, text):
        if kind == "comment":
            parts += [text[place:begins], _BLANKS.sub(" ", text[begins:ends])]
            place = ends
    return "".join((*parts, text[place:]))


def _by_line(text: str, comment: str, begins: str, ends: str) -> Iterator[Line]:
    opens, closes = re.compile(begins), re.compile(ends)
    open_ = False
    for line in text.splitlines():
        said = line.strip()
        if open_ or opens.match(line):
            open_ = not closes.match(said)
        elif said and not said.startswith(comment):
            deep = int(line[0].isspace())
            yield Line(said, inside=deep)


def _tokens(end: str, text: str) -> Iterator[tuple[str, int, int]]:
    """What is no plain code, in order: `comment`, `string`, or a bracket, and where it is."""
    strings = _STRINGS.get("js" if end in _WEB else end, _STRINGS[""])
    token = re.compile(
        rf"(?P<comment>//|/\*)|(?P<string>{strings})|(?P<mark>[][(){{}}])", re.DOTALL
    )
    place = 0
    while found := token.search(text, place):
        place = found.end()
        if found["comment"] == "//":
            place = text.find("\n", place)
            place = len(text) if place < 0 else place
        elif found["comment"]:
            place = _comment_end(end, text, place)
        elif found["string"] and found[0][0] in "([{":  # before an expression of JavaScript
            yield found[0][0], found.start(), found.start() + 1
        kind = str(found.lastgroup) if found["mark"] is None else found["mark"]
        yield ("string" if kind == "hashes" else kind), found.start(), place


def _comment_end(end: str, text: str, place: int) -> int:
    marks, depth = (_NESTS if end in _NESTING else _ENDS), 1
    while depth:
        found = marks.search(text, place)
        if found is None:
            return len(text)
        place = found.end()
        depth += 1 if found[0] == "/*" else -1
    return place


def _in_blocks(end: str, text: str) -> Iterator[Line]:
    stack = [Line("")]
    here = _Here(stack[0])
    for kind, begins, ends in (*_tokens(end, text), ("end", len(text), len(text))):
        while (at := text.find("\n", here.seen, begins)) >= 0:  # plain code before it
            here.pass_over(text[here.seen : at])
            yield from here.line(text, at)
            here = _Here(stack[-1], at + 1, at + 1)
        here.pass_over(text[here.seen : begins])
        here.is_code = here.is_code or kind not in ("comment", "end")
        while (at := text.find("\n", max(begins, here.seen), ends)) >= 0:  # within it
            yield from here.line(text, at)
            quoted = kind == "string"
            here = _Here(stack[-1], at + 1, at + 1, is_code=quoted, quoted=quoted)
        here.seen = ends
        if kind in _OPEN:
            here.closes = False
            stack.append(_opened(stack[-1], text[max(here.start, ends - _SHOWN) : ends].strip()))
        elif kind in _CLOSE and len(stack) > 1:
            stack.pop()
            # What only closes a block stands where the block does.
            here.stands = stack[-1] if here.closes else here.stands
    yield from here.line(text, len(text))


@dataclass(slots=True)
class _Here:
    """The line that is looked at: what it `stands` in, where it starts, and how far it was `seen`."""

    stands: Line
    start: int = 0
    seen: int = 0
    is_code: bool = False
    quoted: bool = False
    closes: bool = True  # it has only closed blocks so far

    def pass_over(self, plain: str) -> None:
        if plain and not plain.isspace():
            self.is_code, self.closes = True, False

    def line(self, text: str, at: int) -> Iterator[Line]:
        if self.is_code:
            said = text[self.start : at].strip().rstrip(",;")
            yield replace(self.stands, said=f"“{said}" if self.quoted else said)


def _opened(above: Line, said: str) -> Line:
    if _GROUPS.match(said):
        return above
    within = hash((above.within, said))
    return Line("", within, above.inside if _FLOWS.match(said) else hash((above.inside, said)))
