"""
Which commands run tests, and how a runner is asked for a report of its own.

What a run prints, the tests under it can print too. So a runner that can write down its results for
programs is asked to, into a place outside of the work tree, and one that ends without telling any
result has been kept from its end, whatever its exit code says.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from prowess.check.running.shell import simple_commands

RUNS_TESTS = re.compile(
    r"\b(?:pytest|unittest|jest|vitest|mocha|ava(?![\w./-])|playwright test|tox|nox|ctest|rspec|phpunit"
    r"|node(?: [^\s;&|]+)*? --test"
    r"|prove(?=$| -| [\w./]*\.t\b| x?t(?:/|$| ))|bats(?= -| [\w./-]*\.bats\b| [\w./-]*tests?\b)"
    r"|(?:mvnw?|gradlew?)(?: [^\s;&|]+)*? (?:[\w:-]*:)?(?:test\w*|\w+Test|check|verify)"
    r"|(?:go|cargo|npm|pnpm|yarn|bun|deno|make|just|dotnet|swift|mix|sbt|rake|meson|dart|flutter|bazel(?:isk)?)"
    r"(?: -\S+)*(?: run)? test)\b"
)
_ASKS_GIT = re.compile(r"!? ?git (?:-\S+ )*(?:diff(?:-\w+)?|status)\b")
_NOWHERE = re.compile(r"[\d&]?>{1,2} ?(?:&\d|/dev/null)")
_LOOKS = re.compile(
    r"!|git\b|(?:cd|set|export|echo|printf|test|\[|\[\[|grep|cat|ls|wc|head|tail|diff|cmp|find|true|sleep|mypy|pyright)(?: |$)"
    r"|ruff (?:check(?!.*--fix)|format --(?:check|diff))|(?:npx )?(?:eslint(?!.*--fix)|tsc|prettier --check)"
)
# What may stand before a program: variables that are set for it, and those that start it.
_STARTED = (
    r"(?:\w+=\S* )*(?:(?:uv|poetry|pipenv|pdm|hatch|rye) run )?(?:(?:npx|bunx|pnpm|pnpm exec|yarn) )?"
    r"(?:(?:\S*/)?python[\d.]*(?: -[A-Za-z]+)* -m )?(?:\S*/)?"
)
_RUNNER = re.compile(
    rf"{_STARTED}(?P<runner>pytest|py\.test|unittest|jest|vitest|mocha|ava|playwright test"
    r"|node(?: -\S+(?: [^-\s]\S*)?)*? --test|go test|cargo test)(?= |$)"
)
# What looks at a work, formats or builds it, and runs none of its tests.
_RUNS_NONE = re.compile(
    rf"(?:! )?{_STARTED}(?:ruff|mypy|pyright|black|isort|flake8|pylint|compileall|py_compile"
    r"|tsc|eslint|prettier|biome|shellcheck|shfmt|yamllint|actionlint|gofmt|rustfmt"
    r"|go (?:vet|build|fmt)|cargo (?:build|check|clippy|fmt|doc)|git|cd|true|echo|printf"
    r"|test|\[|grep|rg|cat|ls|head|tail|wc|sort|diff|cmp|stat|jq"
    r"|(?:make|just|(?:npm|pnpm|yarn|bun)(?: run)?) (?:-s )?"
    r"(?:lint|fmt|format|build|docs|types|typecheck|type-check))(?= |$)"
)
_A_TEST = re.compile(r"::\w|\btest_\w|\w_test\b|\.(?:test|spec)\.\w|\bTest[A-Z]\w")
_LEFT_OUT = re.compile(r"--(?:ignore|deselect)[\w-]*[= ]\S+|\bnot \w+")
_PYTEST = re.compile(r"(?:.*/)?(?:pytest|py\.test)")
_OF_SHELL = re.compile(r"[$`*?<>(){}~]")
# Options of pytest that take the next word; and those that choose tests, or ask for all of them at once.
_TAKES_WORD = frozenset("-p -c -o -W -n -r --rootdir --confcutdir --import-mode --tb --ds".split())
_LEFT_AWAY = re.compile(
    r"-[km]|--(?:deselect|ignore|cov|lf|last-failed|ff|failed-first|nf|new-first|sw|stepwise)"
)
_GO = re.compile(r"\bgo\s+test\b")
_UNREADABLE = re.compile(r"[<>()#`]|\$\(|(?:^|\s)--(?:\s|$)|[;&|]\s*$")

Form = Literal["junit", "jest", "go"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporting:
    """A command that tells its results to programs too: in `file`, or for Go in what it prints."""

    command: str
    form: Form
    file: str = ""


def runner_in(command: str) -> str:
    """The runner that a command calls by its name, or an empty text; `make test` names none."""
    named = (_runner(words) for _, words in simple_commands(command) or ())
    return next(filter(None, named), "")


def may_run_tests(command: str) -> bool:
    """Whether tests may be among what a command runs: all but those that are known to run none."""
    commands = simple_commands(command)
    if commands is None or RUNS_TESTS.search(command):
        return True
    return not all(_RUNS_NONE.match(" ".join(words)) for _, words in commands)


def pytest_in(commands: Sequence[str]) -> str:
    """
    How these commands call pytest, without the tests that they choose, or an empty text. What is run in
    another folder, or has words in it that only a shell understands, is no call for other tests.
    """
    for command in commands:
        parts = [words for _, words in simple_commands(command) or ()]
        if not any(words[0] == "cd" for words in parts):
            for words in parts:
                if _runner(words) == "pytest" and not _OF_SHELL.search("".join(words)):
                    return _without_choice(words)
    return ""


def names_tests(text: str) -> bool:
    """Whether a command or a sentence names tests, or files of tests, that are to run."""
    return bool(_A_TEST.search(_LEFT_OUT.sub(" ", text)))


def reporting(command: str, place: str) -> Reporting | None:
    """
    The same command with a report into the folder `place`; None when its runner writes none, or
    when it is more shell than words can be added to.
    """
    commands = simple_commands(command)
    if not commands or _UNREADABLE.search(command):
        return None
    joined, last = commands[-1]
    runner = _runner(last)
    if joined not in ("", "&&", ";") or not runner:
        return None
    return _asked(runner, command.strip(), place)


def _runner(words: list[str]) -> str:
    found = _RUNNER.match(" ".join("_".join(word.split()) for word in words))
    if found is None:
        return ""
    runner = "node --test" if found["runner"].startswith("node ") else found["runner"]
    return "pytest" if runner == "py.test" else runner


def _without_choice(words: Sequence[str]) -> str:
    named = next(at for at, word in enumerate(words) if _PYTEST.fullmatch(word))
    kept = list(words[: named + 1])
    rest = iter(words[named + 1 :])
    for word in rest:
        if word in _TAKES_WORD:
            kept += [word, next(rest, "")]
        elif word.startswith("-") and not _LEFT_AWAY.match(word):
            kept.append(word)
    return " ".join(map(_quoted, kept))


def _quoted(word: str) -> str:
    """For a shell; a variable that is set stays one."""
    name, given, value = word.partition("=")
    plain = given and re.fullmatch(r"\w+", name)
    return f"{name}={shlex.quote(value)}" if plain else shlex.quote(word)


def _asked(runner: str, command: str, place: str) -> Reporting | None:
    if runner == "pytest":
        file = f"{place}/report.xml"
        words = f"--junitxml={shlex.quote(file)}"
        if "no:cacheprovider" not in command:
            words += f" -o cache_dir={shlex.quote(place)}/cache"
        return Reporting(command=f"{command} {words}", form="junit", file=file)
    file = f"{place}/report.json"
    if runner == "jest":
        asked = f"{command} --json --outputFile={shlex.quote(file)}"
        return Reporting(command=asked, form="jest", file=file)
    if runner == "vitest":
        words = f"--reporter=default --reporter=json --outputFile.json={shlex.quote(file)}"
        return Reporting(command=f"{command} {words}", form="jest", file=file)
    if runner == "go test":
        # What was cached was told by another run than this.
        head, tail = _last_go(command)
        return Reporting(command=f"{head} -json -count=1{tail}", form="go")
    return None


def _last_go(command: str) -> tuple[str, str]:
    *_, last = _GO.finditer(command)
    return command[: last.end()], command[last.end() :]


def asks_for_work(command: str) -> bool:
    """Whether it asks git for changes, and nothing before that can have made any: it runs tests, or looks."""
    plain = _NOWHERE.sub("", command)
    before, git, _ = plain.partition("git ")
    if not git or ">" in before:
        return False
    for _, words in simple_commands(plain) or ():
        line = " ".join(words)
        if _ASKS_GIT.match(line):
            return True
        if not (_LOOKS.match(line) or RUNS_TESTS.search(line)):
            return False
    return False
