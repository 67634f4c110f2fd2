"""
What tests look like in each language: the files that their runners look into, how a test gets its name, and
how one is left out. A language that is not here has no names, and what its tests say is compared line by line.
"""

import re

_WEB = r"[cm]?[jt]sx?"
TEST_FILE = re.compile(
    r"(?:.*/)?(?:(?:test_[^/]*|[^/]*_tests?|tests?)\.py|[^/]*_test\.go"
    rf"|(?:[^/]*\.(?:test|spec|cy)|tests?(?:-[^/]*)?|[^/]*[-_]tests?)\.{_WEB}"
    rf"|(?:.*/)?__tests__/[^/]*\.{_WEB}"
    rf"|specs?/(?:.*/)?[^/]*[sS]pec\.{_WEB}"  # jasmine's
    # Runners of JavaScript take all that lies in these folders for tests, save what is by its name none.
    rf"|tests?/(?!(?:.*/)?(?:helpers?|fixtures|support|_[^/]*)(?:/|\.)).*\.{_WEB}"
    r"|[^/]*\.rs"
    r"|src/(?:test|it|[a-z]+Test)/.*\.(?:java|kts?|scala|groovy)"
    r"|[^/]*(?:Tests?|[a-z\d]IT|Spec|TestCase|Suite)\.(?:java|kt|scala|groovy)"
    r"|x?t/.*\.t"
    r"|[^/]*_(?:spec|test)\.rb|test/(?:.*/)?test_[^/]*\.rb|spec/(?:spec|rails)_helper\.rb"
    r"|[^/]*Test\.php|[^/]*\.phpt"
    r"|(?:test_[^/]*|tests?|[^/]*_(?:unit)?tests?)\.(?:c|cc|cpp|cxx|h|hpp)"
    r"|[^/]*Tests?\.cs"
    r"|Tests/.*\.swift|[^/]*Tests\.swift"
    r"|test/.*_test\.exs"
    r"|tests?/.*\.hs|[^/]*(?:Spec|Test)\.hs"
    r"|(?:integration_)?test/.*_test\.dart"
    r"|(?:tests?(?:[-_][^/]*)?|[^/]*[-_]tests?)\.(?:sh|bash)"
    r"|[^/]*\.bats)"
)


def _lines(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


_JVM_NAMES = _lines(
    r"@(?:\w+\.)?(?:Test|ParameterizedTest|RepeatedTest)\b[^{;]{0,300}?\b(?:void|fun)\s+(`[^`\n]*`|\w+)\s*\("
)
_SCALA_NAMES = _lines(r"\b(?:test|it)\(\s*(\"[^\"\n]*\")|^[ \t]*def (\"[^\"\n]*\")\(")
_JVM_SKIPS = _lines(
    r"@(?:\w+\.)*(?:Disabled|Ignore|Enabled|PendingFeature)\w*|\b[Aa]ssum(?:e|ing)\w*[.(]|\bignore\("
)
_PERL_NAMES = _lines(r"\bsubtest\s+(['\"][^'\"\n]*['\"])")
_PERL_SKIPS = _lines(r"\bskip(?:_all|_rest)?\b|\bTODO\b")
_C_NAMES = _lines(
    r"\bTEST(?:_F|_P|_CASE)?\s*\(\s*([^()\n]{1,200})\)|^(?:static\s+)?(?:void|int)\s+(test_\w+)\s*\("
)
_C_SKIPS = _lines(r"\bGTEST_SKIP\b|\bDISABLED_|\bTEST_IGNORE\w*|\bSKIP\(|\[\.|\[!\w+\]")

NAMES = {
    "go": _lines(r"^func (Test\w+)\("),
    "rs": _lines(r"#\[(?:\w+::)?test\]\s*(?:#\[[^\]]{0,200}\]\s*){0,9}(?:async )?fn (\w+)"),
    "js": _lines(
        r"^[ \t]*(?:it|test)(?:\.serial|\.concurrent)?(?:\.each\b[^(]{0,300}\([^)]{0,500}\))?\(\s*(['\"`].*?['\"`])"
    ),
    **dict.fromkeys(("java", "kt", "kts"), _JVM_NAMES),
    **dict.fromkeys(("scala", "groovy"), _SCALA_NAMES),
    **dict.fromkeys(("t", "pl"), _PERL_NAMES),
    "rb": _lines(
        r"^[ \t]*(?:def (test_\w+)|(?:it|specify|test|example|scenario) +(['\"][^'\"\n]*['\"]))"
    ),
    "php": _lines(r"\bfunction\s+(test\w*)\s*\("),
    **dict.fromkeys(("c", "cc", "cpp", "cxx", "h", "hpp"), _C_NAMES),
    "cs": _lines(
        r"\[(?:\w+\.)?(?:Fact|Theory|Test|TestMethod|TestCase)\b[^{;]{0,300}?\b(?:void|Task)\s+(\w+)\s*\("
    ),
    "swift": _lines(r"\bfunc\s+(test\w*)\s*\(|@Test\b[^{]{0,300}?\bfunc\s+(\w+)\s*\("),
    "exs": _lines(r"^[ \t]*test\s+(\"[^\"\n]*\")"),
    "hs": _lines(r"\b(?:it|testCase|testProperty|prop)\s+(\"[^\"\n]*\")"),
    "dart": _lines(r"\b(?:test|testWidgets)\(\s*(['\"][^'\"\n]*['\"])"),
    "bats": _lines(r"^@test[ \t]+(['\"].*['\"]|[\w-]+)"),
}
SKIPS = {
    "py": re.compile(
        r"\b(?:skip\b(?!\s*=[^=])|skipif|skipIf|skipUnless|skipTest|SkipTest|xfail|importorskip|expectedFailure"
        r"|__test__|collect_ignore)\b"
    ),
    "go": re.compile(r"\bt\.Skip(?:f|Now)?\("),
    "rs": re.compile(r"#\[ignore\b|#\[cfg_attr\([^\]]{0,200}\bignore\b"),
    "js": _lines(
        r"\b(?:it|test|describe|suite|context)(?:\.serial)?\.(?:skip|todo|only|failing|fixme)\b"
        r"|^[ \t]*x(?:it|test|describe|context)\(|\b(?:t|this|context)\.(?:skip|todo)\("
        r"|^[ \t]*(?:it|test|describe|suite)\(\s*['\"`].*?['\"`]\s*,\s*\{[^}]{0,200}\b(?:skip|todo|only)\b"
    ),
    **dict.fromkeys(("java", "kt", "kts", "scala", "groovy"), _JVM_SKIPS),
    **dict.fromkeys(("t", "pl"), _PERL_SKIPS),
    "rb": _lines(
        r"^[ \t]*(?:x(?:it|describe|context|specify)|pending|skip)\b|,\s*(?:skip|pending)\b"
    ),
    "php": re.compile(r"\bmarkTest(?:Skipped|Incomplete)\b|@requires\b|#\[Requires"),
    **dict.fromkeys(("c", "cc", "cpp", "cxx", "h", "hpp"), _C_SKIPS),
    "cs": re.compile(r"\bSkip\s*=|\[(?:Ignore|Explicit)\b|\bAssert\.(?:Ignore|Inconclusive)\b"),
    "swift": re.compile(r"\bXCTSkip\w*|\.disabled\(|\.enabled\("),
    "exs": re.compile(r"@(?:module|describe)?tag\b[^\n]{0,200}\bskip\b"),
    "hs": re.compile(r"\b(?:xit|xdescribe|xcontext|pending\w*)\b"),
    "dart": re.compile(r"\bskip\s*:|@Skip\b|\bmarkTestSkipped\b"),
    "bats": _lines(r"^[ \t]*skip\b"),
}
# Where brackets tell which test a skip stands in.
WITH_BLOCKS = frozenset(("go", "rs", "js", "java", "kt", "kts", "cs", "swift", "php"))
# Of JavaScript: what leaves out the one test that it names, or a group of them.
SKIP_OF_SOME = re.compile(
    r"[ \t]*(?:(?P<one>(?:it|test)(?:\.serial)?\.(?:skip|todo|failing|fixme)|x(?:it|test))"
    r"|(?:describe|suite|context)(?:\.(?:skip|todo))?|x(?:describe|context))(?P<opens>\()"
    r"(?(one)\s*(?P<name>['\"`].*?['\"`]))"
)
_ANY_WEB = re.compile(_WEB)


def language_of(path: str) -> str:
    """How the names of files in this language end; those of JavaScript are all one."""
    end = path.rpartition(".")[2]
    return "js" if _ANY_WEB.fullmatch(end) else end
