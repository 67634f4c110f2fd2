"""
What a fence of a plan looks like that nothing runs: commands of test runners and linters and nothing
else, in a language of shells, are most likely meant to prove the tasks.
"""

import re

_SHELL = re.compile(r"(?:ba|z|da|k)?sh\b|shell|console|terminal|$", re.IGNORECASE)
# What may stand before a program: variables that are set for it, and those that start it.
_STARTED = (
    r"(?:\w+=\S* )*(?:(?:uv|poetry|pipenv|pdm|hatch|rye) run )?(?:(?:npx|bunx|pnpm(?: exec)?|yarn) )?"
    r"(?:(?:\S*/)?python[\d.]* (?:-[A-Za-z]+ )*-m )?(?:\S*/)?"
)
_TOOL = re.compile(
    rf"{_STARTED}(?:pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|ava|playwright test|node --test"
    r"|ruff|mypy|pyright|flake8|pylint|black --check|isort --check|eslint|tsc|biome|prettier --check"
    r"|shellcheck|yamllint|actionlint|golangci-lint|rspec|phpunit|ctest|bats|prove"
    r"|go (?:test|vet)|cargo (?:test|clippy|check|fmt --check)|(?:dotnet|swift|mix|deno|bun|flutter) test"
    r"|(?:npm|pnpm|yarn|bun)(?: run)?(?: -\S+)* (?:test|lint|check|typecheck)[\w:-]*"
    r"|(?:make|just|rake|task)(?: -\S+)* (?:test|lint|check|verify|typecheck)[\w-]*"
    r"|(?:\./)?(?:mvnw?|gradlew?)(?: \S+)* (?:test|check|verify))(?= |$)"
)


def is_of_shell(language: str) -> bool:
    return bool(_SHELL.match(language.strip()))


def looks_like_proof(content: str) -> bool:
    """Whether each line is a command of a known test runner or linter, and there is one."""
    lines = [line.strip() for line in content.replace("\\\n", " ").split("\n")]
    lines = [line for line in lines if line and not line.startswith("#")]
    typed = [line[2:].strip() for line in lines if line.startswith("$ ")]  # beside what they print
    return bool(lines) and all(map(_is_proof, typed or lines))


def _is_proof(line: str) -> bool:
    *_, last = re.split(r" *(?:&&|;) *", line)
    return bool(_TOOL.match(last))
