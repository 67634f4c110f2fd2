"""
The files that decide how commands end by their mere presence, or by a part of what they say, and the
commands that each of them matters to.

Some judge only in a change, since a command may well write them for the next one: an environment, `.env`.
"""

import re
from collections.abc import Mapping, Sequence

ANY = r""
MAKE = r"\bmake\b"
_WEB = r"\b(?:npm|pnpm|yarn|bun|npx|bunx|node|jest|vitest|mocha|ava|playwright|turbo|nx|lerna)\b"
_JVM = r"\b(?:gradlew?|mvnw?|sbt)\b"
_C = r"\b(?:cmake|ctest|meson|ninja|make)\b"
_WEB_STYLE = r"\b(?:npm|pnpm|yarn|bun)\b.*\b(?:lint|format|fmt|check|style|prettier|biome)\b"
_ENV = (
    r"\b(?:make|just|task|docker(?:-compose)?|podman|direnv|dotenv|pipenv|poe|honcho|bun|vite|vitest)\b"
    r"|--env-file"
)
_COVERAGE = r"\bcoverage\b|--cov\b"
ANY_COMMAND = r"."  # tests or not
# How tests end, or what is run in the place of a program.
_FILES = (
    (r"conftest\.py|\.?pytest\.(?:ini|toml)|.*\.pth", ANY),
    (r"(?:site|user)customize(?:/__init__)?\.(?:py|pyc|pyd|[\w.-]*so)", ANY),
    (r"entry_points\.txt", ANY),  # how a plugin of pytest makes itself known
    (r"(?:jest|vitest|vite|ava|playwright|babel)\.config\.\w+|\.(?:mocha|babel)rc(?:\.\w+)?", _WEB),
    (
        r"(?:karma|jasmine|wdio|web-test-runner)\.conf(?:ig)?\.\w+|jasmine\.json|cypress\.config\.\w+|setupTests\.\w+",
        _WEB,
    ),
    (r"(?:jest|vitest)\.(?:setup|workspace)\.\w+|jest-[\w.-]*\.json|\.swcrc", _WEB),
    (r"lerna\.json|turbo\.json|nx\.json", _WEB),
    (r"\.npmrc|\.yarnrc(?:\.yml)?|bunfig\.toml", _WEB),
    (r"deno\.jsonc?|import_map\.json", r"\bdeno\b"),
    (r"\.cargo/config(?:\.toml)?|rust-toolchain(?:\.toml)?", r"\bcargo\b"),
    (r"(?:GNU)?[Mm]akefile|.*\.mk", MAKE),
    (r"\.?[Jj]ustfile", r"\bjust\b"),
    (r"tox\.toml", r"\btox\b"),
    (r"hatch\.toml", r"\bhatch\b"),
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
    (r"[Tt]askfile(?:\.dist)?\.ya?ml", r"\btask\b"),
    (r"\.coveragerc", _COVERAGE),
    (r"\.nycrc(?:\.\w+)?|nyc\.config\.\w+|\.c8rc(?:\.\w+)?", rf"\b(?:nyc|c8)\b|{_WEB}"),
    # What linters and type checkers are to overlook.
    (r"\.?ruff\.toml", r"\bruff\b"),
    (r"\.?mypy\.ini", r"\bmypy\b"),
    (r"\.flake8", r"\bflake8\b"),
    (r"\.?pylintrc(?:\.toml)?", r"\bpylint\b"),
    (r"\.pydocstyle(?:rc)?(?:\.ini)?", r"\bpydocstyle\b"),
    (r"\.bandit|bandit\.ya?ml", r"\bbandit\b"),
    (r"\.importlinter", r"\blint-imports\b"),
    (r"(?:ty|pyrefly)\.toml", r"\b(?:ty|pyrefly)\b"),
    (r"pyrightconfig\.json", r"\bpyright\b"),
    (r"\.eslintrc(?:\.\w+)?|eslint\.config\.\w+|\.eslintignore", rf"\beslint\b|{_WEB}"),
    (r"tsconfig[\w.-]*\.json", rf"\btsc\b|{_WEB}"),
    (
        r"\.stylelintrc(?:\.\w+)?|stylelint\.config\.\w+|\.stylelintignore",
        rf"\bstylelint\b|{_WEB_STYLE}",
    ),
    (r"\.oxlintrc\.json", rf"\boxlint\b|{_WEB_STYLE}"),
    (r"\.markdownlint[\w.-]*|\.remarkrc(?:\.\w+)?", rf"\b(?:markdownlint|remark)\b|{_WEB_STYLE}"),
    (r"\.?cspell(?:\.config)?\.\w+", rf"\bcspell\b|{_WEB_STYLE}"),
    (r"[._]?typos\.toml", r"\btypos\b"),
    (r"\.golangci\.\w+", r"\bgolangci-lint\b"),
    (r"\.?deny\.toml|\.cargo/audit\.toml", r"\bcargo\b"),
    (r"\.rubocop(?:_todo)?\.yml", r"\brubocop\b"),
    (r"phpstan(?:-baseline)?\.neon(?:\.dist)?|phpstan\.dist\.neon", r"\b(?:phpstan|composer)\b"),
    (r"psalm(?:-baseline)?\.xml(?:\.dist)?", r"\b(?:psalm|composer)\b"),
    (r"\.?phpcs\.xml(?:\.dist)?", r"\b(?:phpcs|composer)\b"),
    (r"\.clang-(?:tidy|format)", r"\bclang-(?:tidy|format)\b"),
    (r"\.swiftlint\.ya?ml", r"\bswiftlint\b"),
    (r"\.hadolint\.ya?ml", r"\bhadolint\b"),
    (r"\.ansible-lint(?:\.ya?ml)?", r"\bansible-lint\b"),
    (r"\.sqlfluff(?:ignore)?", r"\bsqlfluff\b"),
    (r"\.vale\.ini", r"\bvale\b"),
    (r"\.tflint\.hcl", r"\btflint\b"),
    (r"\.semgrepignore", r"\bsemgrep\b"),
    (r"\.?clippy\.toml", r"\bclippy\b"),
    (r"\.?rustfmt\.toml", r"\b(?:rustfmt|fmt)\b"),
    (
        r"\.prettierrc(?:\.\w+)?|\.prettierignore|prettier\.config\.\w+",
        rf"\bprettier\b|{_WEB_STYLE}",
    ),
    (r"biome\.jsonc?", rf"\bbiome\b|{_WEB_STYLE}"),
    (r"\.isort\.cfg", r"\bisort\b"),
    (r"\.codespellrc", r"\bcodespell\b"),
    (r"\.yamllint(?:\.ya?ml)?", r"\byamllint\b"),
    (r"\.?shellcheckrc", r"\bshellcheck\b"),
    (r"\.pre-commit-config\.ya?ml", r"\bpre-commit\b"),
    (r"\.(?:rg)?ignore", r"\b(?:ruff|rg|ag|fd|biome|typos)\b"),
)
_IN_CHANGES = (
    # Pytest passes over a folder that looks like an environment.
    (r"pyvenv\.cfg|conda-meta/history|(?:bin|Scripts)/[Aa]ctivate(?:\.\w+)?", ANY),
    (r"\.env(?!\.(?:example|sample|template|dist)$)(?:\.[\w-]+)?|\.envrc", _ENV),
)
_INSTALLED = re.compile(
    r"((?:.*/)?(?:\.venv|node_modules|site-packages))/.*|((?:.*/)?venv)/(?:bin|lib|lib64|Lib|Scripts)/.*"
    r"|((?:.*/)?\.venv|(?:.*/)?node_modules|venv)"
)
_MADE_UP = re.compile(r"(?:^|/)(?:(?:__)?fixtures?(?:__)?|testdata)/")
# Files of which a part does.
_LINTERS = "mypy flake8 pylint isort codespell pycodestyle pydocstyle bandit".split()
_PYTHON = {
    f"tool.{name}": rf"\b{name}\b"
    for name in (
        *_LINTERS,
        *"ruff pyright basedpyright black ty pyrefly vulture interrogate deptry typos".split(),
    )
}
_OF_TOOLS = {**{name: rf"\b{name}\b" for name in _LINTERS}, "coverage": _COVERAGE}
_RUN_BY = {
    "tool.hatch.envs": r"\bhatch\b",
    "tool.pdm.scripts": r"\bpdm\b",
    "tool.poe": r"\bpoe(?:thepoet)?\b",
    "tool.taskipy": r"\btask(?:ipy)?\b",
}
PARTS: Mapping[str, Mapping[str, str]] = {
    "pyproject.toml": {
        "tool.pytest": ANY,
        "tool.tox": ANY,
        "tool.coverage": _COVERAGE,
        "tool.importlinter": r"\blint-imports\b",
        **_PYTHON,
        **_RUN_BY,
    },
    "setup.cfg": {"tool:pytest": ANY, **_OF_TOOLS},
    "tox.ini": {"pytest": ANY, "tox": ANY, "testenv": ANY, **_OF_TOOLS},
    "package.json": dict.fromkeys(
        (
            "jest",
            "vitest",
            "mocha",
            "ava",
            "babel",
            "nyc",
            "c8",
            "eslintConfig",
            "eslintIgnore",
            "stylelint",
            "xo",
        ),
        _WEB,
    ),
    "composer.json": {"scripts": r"\b(?:composer|phpunit|pest)\b"},
    "Cargo.toml": dict.fromkeys(("test", "lib", "bin"), r"\bcargo\b"),
}
SCRIPTS = _WEB  # the commands that those of a `package.json` matter to
# Parts of files that were there: a new file of this kind takes no test out of sight.
PARTS_OF_OLD: Mapping[str, Mapping[str, str]] = {
    "package.json": {"workspaces": _WEB},
    "pnpm-workspace.yaml": {"packages": _WEB, "scriptShell": _WEB, "nodeOptions": _WEB},
    "Cargo.toml": {
        **dict.fromkeys(
            (
                *(f"package.auto{what}" for what in ("tests", "bins", "benches")),
                *(f"workspace.{what}" for what in ("members", "default-members", "exclude")),
                *(f"profile.dev.{what}" for what in ("debug-assertions", "overflow-checks")),
                "profile.test",
                "patch",
            ),
            r"\bcargo\b",
        ),
        **dict.fromkeys(("lints", "workspace.lints"), r"\bclippy\b"),
    },
}
# Lists to which more may be added: what was named there still is.
OF_PYTEST = frozenset(("tool.pytest", "tool:pytest", "pytest"))
MAY_GROW = frozenset(("workspaces", "packages", "workspace.members", "workspace.default-members"))
_Patterns = tuple[tuple[re.Pattern[str], str], ...]


def _compiled(files: Sequence[tuple[str, str]]) -> _Patterns:
    return tuple((re.compile(f"(?:.*/)?(?:{names})"), commands) for names, commands in files)


_ALWAYS, _CHANGED = _compiled(_FILES), _compiled(_IN_CHANGES)


def judged_by_name(path: str) -> str | None:
    """A pattern of the commands that a file matters to by its mere presence; None where it is no such file."""
    return _first(_ALWAYS, path)


def judged_in_change(path: str) -> str | None:
    """The same, also for a file that judges only where somebody's work brings or alters it."""
    return _first(_ALWAYS + _CHANGED, path)


def installed_in(path: str) -> str:
    """The environment or folder of packages that a file is a part of, or an empty text."""
    found = _INSTALLED.fullmatch(path)
    return next(filter(None, found.groups())) if found and not _MADE_UP.search(path) else ""


def _first(patterns: _Patterns, path: str) -> str | None:
    return next((commands for names, commands in patterns if names.fullmatch(path)), None)
