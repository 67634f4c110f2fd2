"""What is read of a command line, and what is refused because nobody can be sure of it."""

import pytest

from granting import allowed, pairs

CERTAIN: dict[str, list[str]] = {
    "Bash(git:*)": [
        "git log \\\n -1",
        "git\\\n log",
        "git log # c; id",
        "# c\ngit log",
        "git log x#id",
        "git commit -m 'a\nb'",
        'git commit -m "x\ty"',
        "git log é日本",
        'git commit -m "🎉 done"',
    ],
    "Bash(python:*)": [
        "python - <<EOF\nprint(1)\nEOF",
    ],
}

UNCERTAIN: dict[str, list[str]] = {
    "Bash(git:*)": [
        "git lo\\\ng",
        "gi\\\nt log",
        "git \\ log",
        "git log\r",
        "git log\u200b",
        "git\xa0log",
        "git log \u202e x",
        "git log \\",
        'git commit -m "a\\\nb"',
        "git log #c\nid",
        "git log \x1b[0m",
        "git log \ufeff",
        "git log \x7f",
    ],
}

COMPOUND: dict[str, list[str]] = {
    "Bash(git:*)": [
        "(git log; git status)",
        "{ git log; git status; }",
        "! git diff --quiet",
        "if git log; then git status; elif git diff; then git fetch; else git pull; fi",
        "while git log; do git status; done",
        "case x in a) git log;; *) git status;; esac",
        'for f in a b; do git add "$f"; done',
        'for f in *.py; do git add "$f"; done',
        'for f in $(git ls-files); do git add "$f"; done',
        "git log & git status",
        "time git log",
        "time -p git log",
        "git log &&\ngit status",
        "git log |\n head -3",
        "[ -f x ] && git log",
        "if [ -d .git ]; then git status; fi",
    ],
}

HIDING: dict[str, list[str]] = {
    "Bash(git:*)": [
        "git log || id",
        "git log |& id",
        "(id)",
        "{ id; }",
        "if git log; then id; fi",
        "until git log; do id; done",
        "case x in a) git log;; *) id;; esac",
        "for PATH in /tmp; do git log; done",
        "for f in $(id); do git add $f; done",
        "function f { git log; }",
        "f() { git log; }; f",
        "coproc git log",
        "select x in a; do git log; done",
        "[[ -f x ]] && git log",
        "(( 1 )) && git log",
        "x=(a b); git log",
        "git log $((1))",
        "git log -$[1]",
        "for ((i=0;i<3;i++)); do git log; done",
        "git log;; id",
        '[ "$x" = y ] && git log',
        "[ -v x ] && git log",
        "test -v x && git log",
    ],
}


@pytest.mark.parametrize(("rules", "command"), pairs(CERTAIN))
def test_blanks_comments_and_ordinary_letters_do_no_harm(rules: str, command: str) -> None:
    assert allowed(rules, command)


@pytest.mark.parametrize(("rules", "command"), pairs(UNCERTAIN))
def test_what_cannot_be_read_for_certain_is_refused(rules: str, command: str) -> None:
    assert not allowed(rules, command)


@pytest.mark.parametrize(("rules", "command"), pairs(COMPOUND))
def test_a_compound_line_is_granted_when_all_its_commands_are(rules: str, command: str) -> None:
    assert allowed(rules, command)


@pytest.mark.parametrize(("rules", "command"), pairs(HIDING))
def test_one_command_that_is_not_granted_refuses_the_line(rules: str, command: str) -> None:
    assert not allowed(rules, command)


@pytest.mark.parametrize(
    "command",
    [
        "git " + "x" * 10_000,
        "; ".join(["git log"] * 51),
        "(" * 4_000 + "git" + ")" * 4_000,
        "git && " * 1_400 + "git",
        "git " + "<(git " * 1_000 + ")" * 1_000,
        'git "' + '$(git "' * 1_000 + '")' * 1_000 + '"',
        "nice " * 1_900 + "git",
        "timeout 5 " * 900 + "git",
    ],
    ids=lambda command: command[:20],
)
def test_a_line_that_is_too_long_or_too_deep_is_refused_with_a_reason(command: str) -> None:
    assert not allowed("Bash(git:*)", command)


def test_fifty_commands_are_not_too_many() -> None:
    assert allowed("Bash(git:*)", " && ".join(["git log"] * 50))
    assert allowed("Bash(git:*)", "; ".join(["git log"] * 50))
    assert allowed("Bash(git:*)", " | ".join(["git log"] * 50))
