"""How a `Bash(…)` rule matches a command: word by word, never half a word."""

import pytest

from granting import allowed, pairs

MATCHED: dict[str, list[str]] = {
    "Bash(git:*)": [
        "git",
    ],
    "Bash(npm run test:*)": [
        "npm run test -- -x",
    ],
    "Bash(npm run test:unit)": [
        "npm run test:unit",
    ],
    "Bash(git * main)": [
        "git merge main",
        "git checkout -b x main",
    ],
    "Bash(* --version)": [
        "node --version",
    ],
    "Bash(ls*)": [
        "lsof",
        "ls -la",
        "ls",
    ],
    "Bash(/usr/bin/git:*)": [
        "/usr/bin/git log",
    ],
    "Bash(scripts/*.sh)": [
        "scripts/a.sh",
    ],
    "Bash(git status)": [
        'git "status"',
        "git  status",
        "  git status  ",
        "git status;",
        "git status &",
    ],
    "Bash(git status:*)": [
        "g'i't st\"at\"us -s",
    ],
    "Bash(git commit -m *)": [
        "git commit -m 'x y'",
    ],
    "Bash(git add *.py)": [
        "git add a.py",
        "git add *.py",
    ],
    "Bash(*)": [
        "anything | $(x) ((",
    ],
    "Bash(npm test:*)": [
        "npm  test",
    ],
    "Bash(npm:*)": [
        "npm\ttest",
    ],
    "Bash(echo hello:*)": [
        "echo hello $HOME",
    ],
    "Bash(echo:*)": [
        "echo $HOME",
        'echo "${HOME}" *.py ~ $1',
    ],
}

UNMATCHED: dict[str, list[str]] = {
    "Bash(git:*)": [
        "gitk",
        "Git log",
        "/usr/bin/git log",
    ],
    "Bash(npm run test:*)": [
        "npm run test:unit",
    ],
    "Bash(git * main)": [
        "git merge main x",
    ],
    "Bash(* --version)": [
        "node --version; id",
    ],
    "Bash(GIT:*)": [
        "git log",
    ],
    "Bash(/usr/bin/git:*)": [
        "git log",
    ],
    "Bash(./scripts/x.sh:*)": [
        "scripts/x.sh",
    ],
    "Bash(scripts/*.sh)": [
        "scripts/../../x.sh",
    ],
    "Bash(git status)": [
        '"git status"',
    ],
    "Bash": [
        "  ",
        "a\x00b",
    ],
    "Bash(:*)": [
        "id",
    ],
    "Bash( )": [
        "id",
    ],
}


@pytest.mark.parametrize(("rules", "command"), pairs(MATCHED))
def test_a_rule_grants_the_commands_it_says(rules: str, command: str) -> None:
    assert allowed(rules, command)


@pytest.mark.parametrize(("rules", "command"), pairs(UNMATCHED))
def test_a_rule_grants_nothing_that_only_looks_like_it(rules: str, command: str) -> None:
    assert not allowed(rules, command)
