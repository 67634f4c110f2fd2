"""
The lines of a program in another language than Python that are code, each with what it stands in.

A line that is now inside of a comment or of a string is no longer the line that it was, and one that has
come into a new block may no longer run. Comments, strings and brackets are all that is understood here;
every character is looked at once. Of a language without braces, only its comments are.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

# What groups tests and runs them all.
_GROUPS = re.compile(
    r"(?:await\s+)?(?:describe|context|suite|group|test\.describe)\s*\(|namespace\b"
)
_FLOWS = re.compile(
    r"(?:\}\s*)?(?:if|else|for|while|switch|try|catch|finally|do|loop|match|unsafe)\b|\{$"
)
_QUOTES = frozenset("'\"")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
_SHOWN = 120  # characters of what opens a block
_NESTING = frozenset(("rs", "swift", "kt", "kts", "scala", "dart"))
_QUOTED = r'"(?:\\.|[^"\\\n])*"?'
_LETTER = r"'(?:\\[^\n']{1,12}|[^'\\\n])'"
_LONG = r'"""(?:\\.|[^"\\]|"(?!""))*(?:""")?'
# Where a value may begin, a slash begins an expression of JavaScript.
_PATTERN = (
    r"(?:[(,=:\[!&|?{};]|=>|\breturn)[ \t]*/(?![*/])"
    r"(?:\\.|\[(?:\\.|[^\]\\\n]){0,200}+\]|[^/\\\[\n]){1,400}+/"
)
_STRINGS = {
    "js": rf"{_PATTERN}|{_QUOTED}|'(?:\\.|[^'\\\n])*'?|`",
    "go": rf"{_QUOTED}|`[^`]*`?|{_LETTER}",
    "rs": rf'\bb?r(?P<hashes>#{{0,16}})".*?(?:"(?P=hashes)|\Z)|"(?:\\.|[^"\\])*"?|{_LETTER}',
    "php": r"""'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?""",
    "dart": rf"{_LONG}|'''(?:\\.|[^'\\]|'(?!''))*(?:''')?|{_QUOTED}|'(?:\\.|[^'\\\n])*'?",
    "cs": rf'@"(?:[^"]|"")*"?|{_LONG}|{_QUOTED}|{_LETTER}',
    "": rf"{_LONG}|{_QUOTED}|{_LETTER}",
}
_WEB = frozenset("js jsx ts tsx mjs cjs mts cts".split())
# What there is to see in a text of JavaScript between backticks, and in the code that stands in it.
_OF_TICKS = re.compile(r"\\.|`|\$\{", re.DOTALL)
_OF_CODE = re.compile(
    r"""`|[{}]|//[^\n]*|/\*.*?(?:\*/|\Z)|'(?:\\.|[^'\\\n])*+'?|"(?:\\.|[^"\\\n])*+"?""", re.DOTALL
)
_ENDS_TEXT = {"`": "`", "{": "}"}
_SPACE, _NONE = re.compile(r"\s+"), re.compile(r"(?!)")
# In other languages a text may be taken for code, and its spaces for columns.
_STRINGS_KNOWN = _WEB | {"go", "rs", "java", "kt", "kts", "cs", "dart", "swift"}
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
    `said` is its text, its spaces as if no columns were aligned; `plain` is the same without what is
    quoted. `within` tells all that it stands in apart from groups of tests, `inside` apart
    from what only decides whether and how often it runs; both are 0 where that is nothing. Where there
    are no braces, `inside` tells whether it is indented.
    """

    said: str
    within: int = 0
    inside: int = 0
    plain: str = field(default="", compare=False)


def has_blocks(end: str) -> bool:
    """Whether the language of such a file has braces."""
    return end not in _BY_LINE


def code_lines(end: str, text: str) -> Iterator[Line]:
    """The lines that are code; `end` is how the name of the file ends, without its dot."""
    if end in _BY_LINE:
        return _by_line(text, *_BY_LINE[end])
    return _in_blocks(end, text)


def is_balanced(end: str, text: str) -> bool:
    """Whether each bracket that was read as one is closed by its like; where not, some were misread."""
    opened = list[str]()
    for kind, _, _ in _tokens(end, text):
        if kind in _OPEN:
            opened.append(kind)
        elif kind in _CLOSE and (not opened or _CLOSED_BY[opened.pop()] != kind):
            return False
    return not opened


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


def comments_in(end: str, text: str) -> Iterator[str]:
    """What is said for readers, of a language that knows `//` and `/*`."""
    for kind, begins, ends in _tokens(end, text):
        if kind == "comment":
            yield text[begins:ends]


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
    web = end in _WEB
    place, open_ = 0, dict[str, int]()
    while found := _search(end, text, place, open_):
        place = found.end()
        quote = (found["string"] or "")[:1]
        if found["comment"] == "//":
            place = text.find("\n", place)
            place = len(text) if place < 0 else place
        elif found["comment"]:
            place = _comment_end(end, text, place)
        elif web and quote == "`":
            place = _ticks_end(text, place)
        elif web and quote in _QUOTES and not _is_closed(found[0]):  # an apostrophe among words
            open_[quote] = place
            place = found.start() + 1
            continue
        elif quote in _OPEN:  # before an expression of JavaScript
            yield quote, found.start(), found.start() + 1
        kind = str(found.lastgroup) if found["mark"] is None else found["mark"]
        yield ("string" if kind == "hashes" else kind), found.start(), place


def _search(end: str, text: str, place: int, open_: dict[str, int]) -> re.Match[str] | None:
    """The next token; a quote that nothing closes on its line begins none there."""
    for quote in [each for each, until in open_.items() if until <= place]:
        del open_[quote]
    until = min(open_.values(), default=len(text))
    found = _token(end, "".join(sorted(open_))).search(text, place, until)
    return found or (_search(end, text, until, open_) if open_ else None)


@lru_cache(maxsize=128)
def _token(end: str, but: str) -> re.Pattern[str]:
    strings = _STRINGS.get("js" if end in _WEB else end, _STRINGS[""])
    no = f"(?![{but}])" if but else ""
    return re.compile(
        rf"(?P<comment>//|/\*)|(?P<string>{no}(?:{strings}))|(?P<mark>[][(){{}}])", re.DOTALL
    )


def _is_closed(quoted: str) -> bool:
    """Whether the text that begins with a quote ends with one that is not only said."""
    body = quoted[1:-1]
    said = len(body) - len(body.rstrip("\\"))
    return len(quoted) > 1 and quoted[-1] == quoted[0] and said % 2 == 0


def _ticks_end(text: str, place: int) -> int:
    """Where a text between backticks ends, past those that stand in the code that stands in it."""
    stack = ["`"]
    while stack:
        found = (_OF_TICKS if stack[-1] == "`" else _OF_CODE).search(text, place)
        if found is None:
            return len(text)
        place, said = found.end(), found[0]
        if said == _ENDS_TEXT[stack[-1]]:
            stack.pop()
        elif said in ("`", "{", "${"):
            stack.append("`" if said == "`" else "{")
    return place


def pairs_of(end: str, text: str) -> list[tuple[int, int, str]]:
    """Brackets that are code, in order: where each opens, where it is closed, and which it is."""
    opened, found = list[tuple[int, str]](), list[tuple[int, int, str]]()
    for kind, begins, ends in _tokens(end, text):
        if kind in _OPEN:
            opened.append((begins, kind))
        elif kind in _CLOSE and opened:
            place, bracket = opened.pop()
            found.append((place, ends, bracket))
    return sorted(found)


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
    columns = _SPACE if end in _STRINGS_KNOWN else _NONE
    for kind, begins, ends in (*_tokens(end, text), ("end", len(text), len(text))):
        while (at := text.find("\n", here.seen, begins)) >= 0:  # plain code before it
            here.pass_over(columns.sub(" ", text[here.seen : at]))
            yield from here.line()
            here = _Here(stack[-1], at + 1, at + 1)
        here.pass_over(columns.sub(" ", text[here.seen : begins]))
        here.seen = begins
        here.is_code = here.is_code or kind not in ("comment", "end")
        quoted = kind == "string"
        while (at := text.find("\n", here.seen, ends)) >= 0:  # within it
            here.take(text[here.seen : at], quoted=quoted)
            yield from here.line()
            here = _Here(stack[-1], at + 1, at + 1, is_code=quoted, quoted=quoted)
        here.take(text[here.seen : ends], quoted=quoted)
        here.seen = ends
        if kind in _OPEN:
            here.closes = False
            stack.append(
                _opened(
                    stack[-1], _SPACE.sub(" ", text[max(here.start, ends - _SHOWN) : ends]).strip()
                )
            )
        elif kind in _CLOSE and len(stack) > 1:
            stack.pop()
            # What only closes a block stands where the block does.
            here.stands = stack[-1] if here.closes else here.stands
    yield from here.line()


@dataclass(slots=True)
class _Here:
    """The line that is looked at: what it `stands` in, where it starts, and how far it was `seen`."""

    stands: Line
    start: int = 0
    seen: int = 0
    is_code: bool = False
    quoted: bool = False
    closes: bool = True  # it has only closed blocks so far
    said: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)

    def pass_over(self, code: str) -> None:
        if code and not code.isspace():
            self.is_code, self.closes = True, False
        self.said.append(code)
        self.plain.append(code)

    def take(self, token: str, *, quoted: bool) -> None:
        self.said.append(token)
        self.plain.append(token[0] * 2 if quoted and token[:1] in _QUOTES and token[:1] else token)

    def line(self) -> Iterator[Line]:
        if self.is_code:
            said, plain = ("".join(each).strip().rstrip(",;") for each in (self.said, self.plain))
            mark = "“" if self.quoted else ""
            yield replace(self.stands, said=f"{mark}{said}", plain=f"{mark}{plain}")


def _opened(above: Line, said: str) -> Line:
    if _GROUPS.match(said):
        return above
    within = hash((above.within, said))
    return Line("", within, above.inside if _FLOWS.match(said) else hash((above.inside, said)))
