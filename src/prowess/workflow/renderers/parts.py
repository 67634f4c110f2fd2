"""
Markdown taken apart for a page: what it says, as parts of which a page makes its own elements.

The text is anybody's: a model's, a skill's, a person's. No HTML is made of it here and none is read
in it, so there is none to escape from. A link leads to the web or to a mailbox, or it stays text;
a picture is a link to it, because a page that shows it would have asked for it.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MOST = 20_000  # parts; a short table can be written that has more cells than a page can bear
DEEPEST = 40  # parts inside one another
Part = str | dict[str, Any]

_LINK = re.compile(r"(https?://|mailto:)\S", re.IGNORECASE)
_RIGHT = "text-align:right"
_TAGS = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s a br hr"
    " table thead tbody tr th td".split()
)


def parts_of(text: str) -> list[Part]:
    """Where it is more than a page can bear, the text as it is."""
    built = _Built()
    built.add(_reader().parse(text))
    return built.parts if built.count <= MOST else [text]


@cache
def _reader() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    reader.validateLink = lambda url: bool(_LINK.match(url))  # type: ignore[method-assign]
    return reader


class _Built:
    """Parts in the making: a token opens one, adds to it, or closes it."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.count = 0
        self._open: list[list[Part]] = [self.parts]
        self._made: list[bool] = []  # of each token that is open, whether it became a part

    def add(self, tokens: "Iterable[Token]") -> None:
        for token in tokens:
            if token.type == "inline":
                self.add(token.children or ())
            elif token.nesting == 1:
                self._begin(token)
            elif token.nesting == -1:
                self._end()
            else:
                self._put(_leaf(token))

    def _begin(self, token: "Token") -> None:
        made = not token.hidden and token.tag in _TAGS and len(self._open) < DEEPEST
        self._made.append(made)
        if made:
            inner: list[Part] = []
            self._put({"tag": token.tag, **_attributes(token), "parts": inner})
            self._open.append(inner)

    def _end(self) -> None:
        if self._made.pop():
            self._open.pop()

    def _put(self, part: Part) -> None:
        self.count += 1
        if self.count <= MOST:
            self._open[-1].append(part)


def _attributes(token: "Token") -> dict[str, Any]:
    told: dict[str, Any] = {}
    if token.tag == "a":
        told["href"] = token.attrGet("href")
    if start := token.attrGet("start"):
        told["start"] = start
    if token.attrGet("style") == _RIGHT:
        told["align"] = "right"
    return told


def _leaf(token: "Token") -> Part:
    match token.type:
        case "softbreak" | "hardbreak":
            return {"tag": "br", "parts": []}
        case "hr":
            return {"tag": "hr", "parts": []}
        case "code_inline":
            return {"tag": "code", "parts": [token.content]}
        case "fence" | "code_block":
            return {"tag": "pre", "parts": [token.content]}
        case "image":
            address = str(token.attrGet("src"))
            return {"tag": "a", "href": address, "parts": [token.content or address]}
        case _:
            return token.content
