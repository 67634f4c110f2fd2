"""
The tests in a file of Rust, which stand among the code that they test: what is only built for tests.

That is a module or function under `#[cfg(test)]` and a function under `#[test]`, from its attribute
to its closing brace; a brace in a string, a comment or a character closes nothing.
"""

import re
from collections.abc import Iterator

_WHOLE = re.compile(r"^[ \t]*#!\[cfg\(test\)\]", re.MULTILINE)
_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)"
    r'|\bb?r(?P<hashes>#{0,99})".*?(?:"(?P=hashes)|\Z)|b?"(?:\\.|[^"\\])*"?|b?\'(?:\\[^\n\']+|\\\'|[^\'\\\n])\''
    r"|(?P<attribute>#\[(?:cfg\((?:all\(\s*)?test\b[^\]]{0,500}|(?:\w+::){0,9}test(?:\([^\]]{0,500}\))?)\])"
    r"|(?P<mark>[][(){};])",
    re.DOTALL,
)
# Between its attribute and its name, an item has more attributes, words for readers, and who may see it.
_HEAD = (
    r"(?:\s++|#\[[^\]]{0,500}+\]|//[^\n]{0,500}+\n){0,40}+(?:pub(?:\([^)]{0,99}\))?\s+)?"
    r"(?:(?:async|unsafe|const)\s+){0,3}"
)
_TEST = re.compile(rf"{_HEAD}(?:mod|fn)\b")
_BESIDE = re.compile(rf"{_HEAD}(?:use|impl|struct|enum|trait|type|static|const|macro_rules)\b")


def rust_tests(text: str) -> Iterator[str]:
    """The text of each; of one inside of another only the outer."""
    if _WHOLE.search(text):
        yield text
    else:
        yield from _items(text, _TEST)


def beside_rust_tests(text: str) -> Iterator[str]:
    """What else is built for tests alone, such as what they bring in."""
    yield from _items(text, _BESIDE)


def _items(text: str, item: re.Pattern[str]) -> Iterator[str]:
    start, depth = None, 0
    for token in _TOKEN.finditer(text):
        if start is None:
            if token["attribute"] and item.match(text, token.end()):
                start, depth = token.start(), 0
            continue
        mark = token["mark"] or " "
        depth += (mark in "{[(") - (mark in "}])")
        if depth == 0 and mark in "};":
            yield text[start : token.end() + text.startswith(";", token.end())]
            start = None
    if start is not None:
        yield text[start:]
