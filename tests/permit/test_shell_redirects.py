"""Files that a command line opens itself."""

import pytest

from granting import allowed, pairs

REDIRECTED: dict[str, list[str]] = {
    "Bash(make:*)": [
        "make 2>&1 >/dev/null",
        "make >&-",
        "make 2>&-",
        "make &>/dev/null",
        "make < in.txt",
        "make </dev/null",
        "2>/dev/null make",
        "make 1>&2",
        "echo x >&2",
    ],
    "Bash(make:*) Write": [
        "make &> x",
        "make >> logs/x.log",
        "make >| x",
        "make 2> x",
        "make >& x",
        "make &>> x",
        "make > /ws/x",
        "cd sub && make > ../x",
        "> x",
        "(make; make) > x",
        "make > .gitignore",
        'make > "a b.txt"',
        "for f in a; do make; done > x",
        ">x make",
        "make > x y",
        "make 3> x",
    ],
    "Bash(make:*) Edit": [
        "make > x",
    ],
    "Bash(make:*) Write(logs/**)": [
        "make > logs/a/b.log",
    ],
    "Bash(make:*) Write(*.log)": [
        "make > a.log",
    ],
}

MISDIRECTED: dict[str, list[str]] = {
    "Bash(make:*)": [
        "make &> x",
        "make < /etc/passwd",
        "make < ../x",
        "make < $x",
        "> x",
        "{ make; } > x",
        "for f in a; do make; done > x",
        ">x make",
    ],
    "Bash(make:*) Write": [
        "make > $x",
        'make > "$(id)"',
        "make > *.x",
        "make > ~/x",
        "make > /dev/tcp/h/1",
        "make < /dev/tcp/h/1",
        "make {fd}> x",
        "make > .vscode/x",
        "make > a/../.git/x",
        "make > .claude/x",
        "make > .skills/x",
        "make > .idea/x",
        "make > sub/.git/x",
        "cd sub; make > ../x",
        "cd sub && make > ../../x",
        "make > /dev/stderr",
        "make > .GIT/x",
    ],
    "Bash(make:*) Write(*.log)": [
        "make > b/a.log",
    ],
    "Bash(make:*) Read": [
        "make > x",
    ],
    "Bash(make) Write": [
        "make > x y",
    ],
}


@pytest.mark.parametrize(("rules", "command"), pairs(REDIRECTED))
def test_redirections_into_the_workspace_need_a_write_rule(rules: str, command: str) -> None:
    assert allowed(rules, command)


@pytest.mark.parametrize(("rules", "command"), pairs(MISDIRECTED))
def test_redirections_anywhere_else_are_refused(rules: str, command: str) -> None:
    assert not allowed(rules, command)
