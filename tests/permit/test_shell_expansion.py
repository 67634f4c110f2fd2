"""Expansions, substitutions, here-documents and variables in a command line."""

import pytest

from granting import allowed, pairs

EXPANDED: dict[str, list[str]] = {
    "Bash(git:*)": [
        "git log `git rev-parse HEAD`",
        "git log $'\\t'",
        "git log ~/x",
        "git log ${x}",
        "git log $x",
        "git add {a,b}.txt",
        "git log HEAD@{1}",
        "git log '$(id)'",
        'git log "\\$(id)"',
        "git log \\$\\(id\\)",
    ],
    "Bash(diff:*) Bash(sort:*)": [
        "diff <(sort a) <(sort b)",
    ],
    "Bash(cat:*)": [
        "cat <<'EOF'\n$HOME `id`\nEOF",
        'cat <<"EOF"\n$(id)\nEOF',
        "cat <<-EOF\n\thello\n\tEOF",
        "cat <<< hello",
        'cat <<< "$x"',
    ],
    "Bash(python3:*)": [
        "python3 <<'PY' | head -2\nprint(1)\nPY",
    ],
    "Bash(python3:*) Write": [
        "python3 <<'PY' > x\nprint(1)\nPY",
    ],
    "Write": [
        "cat > notes.txt <<'EOF'\nhello $x\nEOF",
        "cat <<'EOF' > notes.txt\nhello\nEOF",
    ],
}

EXPANDING: dict[str, list[str]] = {
    "Bash(git:*)": [
        "git log `id`",
        "git log `git log \\`id\\``",
        'git log "$(id)"',
        "git log $(<x)",
        "git log $'\\x41'",
        "$'git' log",
        "g* log",
        "{git,x} log",
        "~/git log",
        "git log ${x:-y}",
        "git log ${x:=y}",
        "git log ${x@P}",
        "git log ${!x}",
        "git log ${x[0]}",
        "git log ${x/a/b}",
        "git log ${#x}",
        "git log ${x%y}",
        'git log "${x:-$(id)}"',
    ],
    "Bash(diff:*)": [
        "diff <(sort a) <(sort b)",
    ],
    "Bash(cat:*)": [
        "cat <<EOF\n$HOME\nEOF",
        "cat <<EOF\na\\b\nEOF",
        "cat <<'E F'\nx\nE F",
        "cat <<E-F\nx\nE-F",
        "cat <<< `id`",
        "cat <<A <<B\nx\nA\ny\nB",
    ],
    "Bash(python3:*)": [
        "python3 <<'PY' | sh\nprint(1)\nPY",
        "python3 <<'PY' && id\nprint(1)\nPY",
        "python3 <<'PY'; id\nprint(1)\nPY",
        "python3 <<'PY' > x\nprint(1)\nPY",
    ],
    "Read": [
        "cat <<'EOF' > notes.txt\nhello\nEOF",
    ],
}

HARMLESS: dict[str, list[str]] = {
    "Bash(git:*)": [
        "TZ=UTC git log",
        "CI=1 NO_COLOR=1 git log",
        "LC_ALL= git log",
        'LC_ALL="C.UTF-8" git log',
        "CI=1 TERM=dumb git log",
    ],
    "Bash(python:*)": [
        "PYTHONUNBUFFERED=1 python x.py",
    ],
    "Bash(cargo:*)": [
        "RUST_LOG=debug RUST_BACKTRACE=1 cargo test",
    ],
    "Bash(go:*)": [
        "GOOS=linux GOARCH=amd64 CGO_ENABLED=0 go build ./...",
    ],
}

HARMFUL: dict[str, list[str]] = {
    "Bash(git:*)": [
        "TZ=$x git log",
        "CI=1",
        "CI=1; git log",
        "GIT_PAGER=cat git log",
        "BASH_ENV=x git log",
        "IFS=x git log",
        "PYTHONPATH=. git log",
        "CI=$(id) git log",
        "CI+=1 git log",
        "export CI=1; git log",
        "TZ=~ git log",
        "lang=C git log",
        "LC_X[0]=1 git log",
    ],
    "Bash(python:*)": [
        "PYTHONSTARTUP=x python",
    ],
}


@pytest.mark.parametrize(("rules", "command"), pairs(EXPANDED))
def test_expansions_are_fine_in_arguments(rules: str, command: str) -> None:
    assert allowed(rules, command)


@pytest.mark.parametrize(("rules", "command"), pairs(EXPANDING))
def test_expansions_that_run_or_hide_a_command_are_refused(rules: str, command: str) -> None:
    assert not allowed(rules, command)


@pytest.mark.parametrize(("rules", "command"), pairs(HARMLESS))
def test_harmless_variables_may_be_set_for_one_command(rules: str, command: str) -> None:
    assert allowed(rules, command)


@pytest.mark.parametrize(("rules", "command"), pairs(HARMFUL))
def test_any_other_variable_is_refused(rules: str, command: str) -> None:
    assert not allowed(rules, command)
