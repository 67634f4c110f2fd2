"""Text that the line, or somebody from outside, puts where a program looks for options or files."""

import pytest

from granting import allowed, pairs
from prowess.core.chat import Call
from prowess.permit.rules import make_gate, parse_rules

MADE_UP: dict[str, list[str]] = {
    "Bash(git:*)": [
        ": '--exec=touch x'; git rebase \"$_\" HEAD~1",
        "true --exec=./x && git rebase HEAD~1 ${_}",
        "git rebase HEAD~1 $BASH_EXECUTION_STRING # --exec=./x ",
        "git rebase HEAD~1 $BASH_COMMAND",
        'git rebase HEAD~1 "$REPLY"',
        "cd 'a --exec=x' && git rebase $PWD",
        "cd 'a --exec=x' && for f in $PWD; do git rebase $f; done",
        "git rebase \"$(git log -1 --format='format:--exec=touch x')\" HEAD~1",
        "git rebase HEAD~1 `git log -1 --format=--exec=./x`",
        "git rebase HEAD~1 $(git log -1 --format=%s)",
        "git rebase HEAD~1 $(git log -1 --format=%H --pretty=--exec=./x)",
        "git branch --format=--exec=./x | xargs git rebase HEAD~1",
        "git for-each-ref --count=1 --format=--exec=./x | xargs git rebase HEAD~1",
        "git ls-files --format=--exec=./x f | xargs git rebase HEAD~1",
        "for x in $(git log -1 --format=--exec=./x); do git rebase HEAD~1 $x; done",
        "git rev-parse -- --exec=./x | tail -n1 | xargs git rebase HEAD~1",
        "git rebase HEAD~1 $(git rev-parse 'x --exec=./x')",
        "git rebase HEAD~1 $(git config user.name)",
        "git ls-files --error-unmatch -- --exec=./x |& xargs git rebase HEAD~1",
        "git ls-files -- --exec=./x 2>&1 | xargs git rebase HEAD~1",
        "git log --format=%s -1 | grep -o -- '--exec.*' | xargs git rebase HEAD~1",
        "git ls-files | tail -c 9 | xargs git rebase HEAD~1",
        "git stripspace <<'E' | xargs git rebase HEAD~1\n--exec=./x\nE",
        "xargs git rebase HEAD~1 <<< --exec=./x",
        "xargs git rebase HEAD~1 < x",
        "while true; do xargs git rebase HEAD~1; done <<'E'\n--exec=./x\nE",
        "git rebase -m \"$(echo '--exec=touch x')\" HEAD~1",
        "git grep -e -- $(git log -1 --format=-Ox) f",
        "git mv a -- $(git log -1 --format=.husky/x)",
        "git rebase --ex* HEAD~1",
    ],
    "Bash(git:*) Bash(date:*) Bash(seq:*)": [
        "git rebase HEAD~1 $(date +--exec=./x)",
        "git rebase HEAD~1 $(date +%n--exec=./x)",
        "git rebase HEAD~1 $(seq -f --exec=./x 1)",
        "git rebase HEAD~1 $(date +%F | tr 0-9 x)",
    ],
    "Bash(find:*)": [
        ": -delete; find sub $_",
        "find . -maxdepth 0 -printf '-delete\\n' | xargs find sub",
        "find sub $(find . -maxdepth 0 -printf -delete)",
    ],
    "Bash(sort:*)": [": -ox; sort $_ f"],
    "Bash(awk:*)": [': \'BEGIN{system("x")}\'; awk "$_"'],
    "Bash(cp:*)": [
        ": .git/hooks/pre-commit; cp x $_",
        'cd .git/hooks && cd ../.. && cp x "$OLDPWD/pre-commit"',
        "cd .git/hooks && cd ../.. && cp x ~-/pre-commit",
        'cp x "$(cd .git/hooks && pwd)/pre-commit"',
        'for f in .git/hooks/pre-commit; do cp x "$f"; done',
        'for f in .; do cp x "$f"git/hooks/pre-commit; done',
        'cp x "sub$(printf /../.git/hooks/pre-commit)"',
        "echo .git/hooks/pre-commit | xargs cp x",
    ],
    "Bash(cp:*) Bash(ls:*)": ["ls .git/hooks/pre-commit | xargs cp x"],
}

NOT_MADE_UP: dict[str, list[str]] = {
    "Bash(git:*)": [
        "git show $(git rev-parse HEAD~1)",
        'git push -u origin "$(git branch --show-current)"',
        'git push origin "$(git rev-parse --abbrev-ref HEAD)"',
        "git diff $(git merge-base HEAD main)",
        "git diff $(git log -1 --format=%H -- src)",
        "git log $(git describe --tags --abbrev=0 2>/dev/null)..HEAD",
        "git diff --name-only -z HEAD~1 | xargs git add",
        "git ls-files -- '*.py' | grep -v test | sort -u | head -5 | xargs git add",
        'for f in $(git ls-files); do git add "$f"; done',
        "git add -- $(git log --format=%s)",
        "git log -5 -- $(git log --format=%s)",
        "git commit -m \"$(cat <<'EOF'\nfix: x\nEOF\n)\"",
        'git commit -m "on $(git log --format=%s -1)"',
        'git diff --no-index <(git show HEAD:a) <(git show "HEAD:b")',
        'git log --author="$(git config user.name)"',
        "git log -- *.py",
        "git add *",
        'cd src && git log -- "$PWD"',
    ],
    "Bash(git:*) Bash(tar:*) Bash(date:*)": [
        'tar czf "out/x-$(date +%Y%m%d-%H%M%S).tgz" src',
        'tar czf "x-$(git rev-parse --short HEAD).tgz" src',
    ],
    "Bash(find:*) Bash(sed:*)": ["find src -type f -name '*.py' | xargs sed -n 1p"],
    "Bash(git:*) Bash(sed:*)": ["git grep -l old | xargs sed -i s/old/new/"],
    "Bash(git:*) Bash(test:*)": ['test -n "$(git status --porcelain)" && git diff'],
    "Bash(git:*) Bash(printf:*)": ["printf '%s\\n' \"$(git log -1 --format=%s)\""],
    "Bash(cp:*)": ['for f in *.py a b/c.md; do cp "$f" "out/$f"; done', 'cp "$HOME/a" b'],
    "Bash(curl:*) Bash(cat:*)": ['curl -H "Authorization: Bearer $(cat t)" https://x.example'],
    "Bash(python:*) Bash(cat:*)": ["python x.py $(cat names.txt)"],
}


@pytest.mark.parametrize(("rules", "command"), pairs(MADE_UP))
def test_no_program_is_given_an_option_or_a_place_that_the_line_made_up(
    rules: str, command: str
) -> None:
    assert not allowed(rules, command)


@pytest.mark.parametrize(("rules", "command"), pairs(NOT_MADE_UP))
def test_what_the_line_cannot_choose_may_be_handed_on(rules: str, command: str) -> None:
    assert allowed(rules, command)


def told(rules: str, command: str, **values: str) -> bool:
    gate = make_gate(allowed=parse_rules(rules), workspace="/ws")
    named = {name.removeprefix("n"): value for name, value in values.items()}
    return gate(Call(id="1", tool="Bash", input={"command": command}, values=named)).allowed


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ('git diff "$1"', "--output=x"),
        ("git diff $1", "--output=x"),
        ("git diff $1", "main --output=x"),
        ("git diff main$1", " --output=x"),
        ("git diff $1", "* --output=x"),
        ("git ls-remote $1 .", "--upload-pack=./x"),
        ("git $1", "rebase --exec ./x"),
        ("$1 status", "git"),
        ("git log > $1", "x"),
        ("for a in $1; do git diff $a; done", "--output=x"),
        ('git log "$(git rev-parse "$1")"', "--output=x"),
        ("git rebase HEAD~1 $(git rev-parse $1)", "--exec=./x"),
        ("git push $1 HEAD", "./evil"),
    ],
)
def test_an_argument_of_a_run_is_judged_as_what_it_is(command: str, value: str) -> None:
    assert not told("Bash(git:*)", command, n1=value)
    assert not told("Bash(git:*)", command.replace("$1", "$ARGUMENTS"), ARGUMENTS=value)


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ('git diff "$1"', "main"),
        ("git diff $1", "main develop"),
        ("git diff $1", ""),
        ('git log -5 -- "$1"', "a file; or two"),
        ("git log --grep=$1", "fix"),
        ('git log --grep="$1"', "it's; rm -rf *"),
        ("gh issue view $1", "12 --web"),
        ('cat "$1"', "notes.txt"),
    ],
)
def test_an_argument_that_is_just_a_word_is_fine(command: str, value: str) -> None:
    assert told("Bash(git:*) Bash(gh:*) Bash(cat:*)", command, n1=value)


def test_a_model_cannot_say_what_a_variable_holds() -> None:
    gate = make_gate(allowed=parse_rules("Bash(git:*)"), workspace="/ws")
    lie = {"command": "git $1", "values": {"1": "status"}}

    assert not gate(Call(id="1", tool="Bash", input=lie)).allowed
