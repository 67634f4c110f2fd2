"""
The files that decide how commands end by their mere presence, or by a part of what they say, and the
commands that each of them matters to.
"""

import re
from collections.abc import Mapping

ANY = r""
_WEB = r"\b(?:npm|pnpm|yarn|bun|npx|bunx|node|jest|vitest|mocha|ava|playwright)\b"
_JVM = r"\b(?:gradlew?|mvnw?|sbt)\b"
_C = r"\b(?:cmake|ctest|meson|ninja|make)\b"
# How tests end, or what is run in the place of a program.
_FILES = (
    (r"conftest\.py|\.?pytest\.(?:ini|toml)|.*\.pth", ANY),
    (r"(?:site|user)customize(?:/__init__)?\.py", ANY),
    (r"entry_points\.txt", ANY),  # how a plugin of pytest makes itself known
    (r"(?:jest|vitest|vite|ava|playwright|babel)\.config\.\w+|\.(?:mocha|babel)rc(?:\.\w+)?", _WEB),
    (r"(?:jest|vitest)\.(?:setup|workspace)\.\w+", _WEB),
    (r"\.npmrc|\.yarnrc(?:\.yml)?|bunfig\.toml", _WEB),
    (r"deno\.jsonc?|import_map\.json", r"\bdeno\b"),
    (r"\.cargo/config(?:\.toml)?|rust-toolchain(?:\.toml)?", r"\bcargo\b"),
    (r"(?:GNU)?[Mm]akefile|.*\.mk", r"\bmake\b"),
    (r"[Jj]ustfile", r"\bjust\b"),
    (r"noxfile\.py", r"\bnox\b"),
    (
        r"(?:build|settings|init)\.gradle(?:\.kts)?|gradle\.properties|gradle/.*|gradlew(?:\.bat)?",
        _JVM,
    ),
    (r"pom\.xml|\.mvn/.*|mvnw(?:\.cmd)?|build\.sbt|project/[^/]*\.(?:sbt|properties)", _JVM),
    (r"junit-platform\.properties|testng\.xml", _JVM),
    (r"\.proverc|Makefile\.PL|Build\.PL", r"\b(?:prove|perl|make|Build)\b"),
    (r"\.rspec", r"\brspec\b"),
    (r"Rakefile|.*\.rake", r"\brake\b"),
    (r"Gemfile|\.bundle/config", r"\b(?:bundle|rspec|rake|ruby)\b"),
    (r"(?:test|spec)/(?:test|spec|rails)_helper\.rb", r"\b(?:rspec|rake|ruby|rails|bundle)\b"),
    (r"phpunit\.xml(?:\.dist)?", r"\b(?:phpunit|composer|php|pest)\b"),
    (r"(?:tests/)?Pest\.php", r"\b(?:pest|composer|php)\b"),
    (r"CMakeLists\.txt|CTestTestfile\.cmake|CTestConfig\.cmake|CMakePresets\.json", _C),
    (r"meson\.build|meson(?:_options\.txt|\.options)", _C),
    (
        r".*\.(?:cs|fs)proj|.*\.sln|Directory\.(?:Build|Packages)\.\w+|.*\.runsettings",
        r"\bdotnet\b",
    ),
    (r"global\.json|[Nn]u[Gg]et\.[Cc]onfig|xunit\.runner\.json", r"\bdotnet\b"),
    (r"Package\.swift", r"\b(?:swift|xcodebuild)\b"),
    (r"mix\.exs|test/test_helper\.exs|config/test\.exs", r"\bmix\b"),
    (r".*\.cabal|cabal\.project(?:\.local)?|stack\.yaml|package\.yaml", r"\b(?:cabal|stack)\b"),
    (r"dart_test\.yaml", r"\b(?:dart|flutter)\b"),
    (
        r"(?:.*/)?BUILD(?:\.bazel)?|WORKSPACE(?:\.bazel)?|MODULE\.bazel|\.bazelrc|.*\.bzl",
        r"\bbazel(?:isk)?\b",
    ),
    (r"Taskfile\.ya?ml", r"\btask\b"),
    (r"\.coveragerc", r"\bcoverage\b|--cov\b"),
    # What linters and type checkers are to overlook.
    (r"\.?ruff\.toml", r"\bruff\b"),
    (r"\.?mypy\.ini", r"\bmypy\b"),
    (r"\.flake8", r"\bflake8\b"),
    (r"\.?pylintrc", r"\bpylint\b"),
    (r"pyrightconfig\.json", r"\bpyright\b"),
    (r"\.eslintrc(?:\.\w+)?|eslint\.config\.\w+|\.eslintignore", rf"\beslint\b|{_WEB}"),
    (r"tsconfig[\w.-]*\.json", rf"\btsc\b|{_WEB}"),
    (r"\.golangci\.\w+", r"\bgolangci-lint\b"),
    (r"\.?clippy\.toml", r"\bclippy\b"),
)
# Files of which a part does.
_PYTHON = {
    f"tool.{name}": rf"\b{name}\b" for name in ("ruff", "mypy", "pylint", "pyright", "coverage")
}
PARTS: Mapping[str, Mapping[str, str]] = {
    "pyproject.toml": {"tool.pytest": ANY, "tool.tox": ANY, **_PYTHON},
    "setup.cfg": {"tool:pytest": ANY, "mypy": r"\bmypy\b", "flake8": r"\bflake8\b"},
    "tox.ini": {"pytest": ANY, "tox": ANY, "testenv": ANY, "flake8": r"\bflake8\b"},
    "package.json": dict.fromkeys(("scripts", "jest", "vitest", "mocha", "ava"), _WEB),
    "composer.json": {"scripts": r"\b(?:composer|phpunit|pest)\b"},
    "Cargo.toml": dict.fromkeys(("test", "lib", "bin"), r"\bcargo\b"),
}
_COMPILED = tuple((re.compile(f"(?:.*/)?(?:{names})"), commands) for names, commands in _FILES)


def judged_by_name(path: str) -> str | None:
    """A pattern of the commands that a file matters to by its mere presence; None where it is no such file."""
    return next((commands for names, commands in _COMPILED if names.fullmatch(path)), None)
