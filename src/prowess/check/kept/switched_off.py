"""
New lines of a file of tests, in another language than Python, that can keep those from running that were
there: a way out of a test or of the run, a condition that never holds, a mark for the compiler.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from prowess.check.kept.code_lines import Line, has_blocks
from prowess.core.patterns import compiled

_NEVER = (
    r"\b(?:if|while|unless)\b\s*\(?\s*(?:false|0|null|nil|undefined|NULL|!1|!true)\b"
    r"|^(?:false|0|null|nil|undefined)\s*&&|^(?:true|1)\s*\|\|"
    r"|\b(?:process\.exit|os\.Exit|System\.exit|exitProcess|Environment\.Exit|Deno\.exit|process::exit)\s*\("
    r"|(?:^|[^.\w>])_?exit\s*\("
)
# A way out of a block that was there, also behind a condition; and a condition for whatever follows.
_LEAVES = (
    r"^(?:\}\s*)?(?:(?:else\s+)?(?:if|for|while|switch|case|default|try|do)\b.*[\s{(;:)])?"
    r"(?:return|goto|break|continue)\b|^(?:else\s+)?(?:if|for|while)\b.*\)$"
)
_C = r"^#\s*(?:if|ifdef|ifndef|elif|else|define|undef)\b"
_JS = (
    r"^(?:export\s+)?(?:const|let|var|function|class)\s+(?:it|test|describe|expect|assert)\b"
    r"|\b(?:globalThis|global|window)\.(?:it|test|describe|expect|assert)\b\s*="
)
_BY_LINE = (
    r"^(?:return|next|last|exit!?|abort|skip|done_testing|plan)\s*(?:[(;]|(?:if|unless)\b|$)"
    r"|^(?:exit|exit!|abort|die|System\.halt|exec)\b"
)
_OWN = {
    "go": r"^func (?:TestMain|init)\(",
    **dict.fromkeys(("c", "cc", "cpp", "cxx", "h", "hpp", "cs", "swift"), _C),
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), _JS),
    **dict.fromkeys(("rb", "pl", "t", "exs", "bats"), _BY_LINE),
    "php": r"\b(?:__halt_compiler|die)\b",
}
# What may run a text as code of the same process.
_RUNS_TEXT = re.compile(r"\b(?:eval|Function|Script|run[A-Z]\w*)\b")
# What a comment at the head of a file tells the compiler of Go; and what no build of Rust ever has.
_TAGS = {
    "go": re.compile(r"^//(?:go:build| ?\+build)\b.*", re.MULTILINE),
    "rs": re.compile(
        r"^[ \t]*#(?:!\[\s*cfg\b|\[\s*cfg(?:_attr)?\s*\(\s*"
        r"(?:any\(\s*\)|FALSE\b|false\b|not\(\s*all\(\s*\)\s*\))).*",
        re.MULTILINE,
    ),
}


def switches(end: str, before: Sequence[Line], now: Sequence[Line]) -> Iterator[str]:
    """The new ones among the lines that can do so; `end` is how the name of the file ends."""
    never = compiled("|".join(filter(None, (_NEVER, _OWN.get(end)))))
    leaves = compiled(_LEAVES)
    known = {line.inside for line in before} | {0} if has_blocks(end) else set[int]()
    for line in Counter(now) - Counter(before):
        said = line.said if _RUNS_TEXT.search(line.said) else line.plain or line.said
        if never.search(said) or (line.inside in known and leaves.search(said)):
            yield line.said


def new_tags(end: str, before: str, now: str) -> list[str]:
    """Marks for the compiler, anywhere in the text, with which it may leave out the file or a part of it."""
    tags = _TAGS.get(end)
    if tags is None:
        return []
    return [tag.strip() for tag in Counter(tags.findall(now)) - Counter(tags.findall(before))]
