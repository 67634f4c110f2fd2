"""Commands that run another command, and commands that need no rule."""

import pytest

from granting import allowed, pairs

WRAPPED: dict[str, list[str]] = {
    "Bash(git:*)": [
        "timeout 5 git log",
        "timeout -k 5 10s git log",
        "timeout --signal=KILL 10 git log",
        "nice -n 5 git log",
        "nice git log",
        "nice -5 git log",
        "stdbuf -oL git log",
        "stdbuf -o L git log",
        "command git log",
        "nohup git log &",
        "timeout 5 nice git log",
        "xargs git add",
        "git ls-files | xargs",
    ],
    "Bash(command -v:*)": [
        "command -v git",
    ],
    "Bash(command:*)": [
        "command -v git",
    ],
    "Bash(git:*) Bash(sudo:*)": [
        "sudo git log",
    ],
    "Bash(sudo git status)": [
        "sudo git status",
    ],
    "Bash(env:*) Bash(git:*)": [
        "env CI=1 git log",
        "env -i git log",
    ],
    "Bash(env)": [
        "env",
    ],
    "Bash(git:*) Bash(xargs:*)": [
        "git ls-files -z | xargs -0 git add",
        "git ls-files | xargs -I{} git add {}",
    ],
    "Bash(xargs:*) Bash(git:*)": [
        "git ls-files | xargs -n 1 -P 4 git add",
    ],
    "Bash(xargs:*)": [
        "xargs",
    ],
    "Bash(busybox:*) Bash(git:*)": [
        "busybox git log",
    ],
    "Bash(watch:*) Bash(git:*)": [
        "watch -n 1 git status",
    ],
    "Bash(flock:*) Bash(git:*)": [
        "flock /tmp/l git log",
    ],
    "Bash(strace:*) Bash(git:*)": [
        "strace -f git log",
    ],
    "Bash(setsid:*) Bash(git:*)": [
        "setsid git log",
    ],
    "Bash(npx:*)": [
        "npx jest",
    ],
    "Bash(uv run:*)": [
        "uv run pytest",
    ],
    "Bash(docker exec:*)": [
        "docker exec c id",
    ],
    "Bash(make:*)": [
        "make",
    ],
    "Bash(npm run:*)": [
        "npm run x",
    ],
    "Bash(xargs -n1 rm)": [
        "xargs -n1 rm",
    ],
    "Bash(nohup id)": [
        "nohup id",
    ],
    "Bash(timeout 5 id)": [
        "timeout 5 id",
    ],
}

WRAPPING: dict[str, list[str]] = {
    "Bash(git:*)": [
        "timeout --foo 10 git log",
        "timeout git log",
        "command -v git",
        "timeout 5 sudo git log",
        "git ls-files | xargs -0 git add",
        "busybox git log",
        "time",
        "nohup",
        "xargs -n1 git add",
        "exec git log",
        "builtin git",
    ],
    "Bash(timeout:*)": [
        "timeout 5 id",
    ],
    "Bash(command:*)": [
        "command id",
    ],
    "Bash(sudo:*)": [
        "sudo git log",
    ],
    "Bash(sudo git:*)": [
        "sudo git log",
    ],
    "Bash(env:*) Bash(git:*)": [
        "env FOO=1 git log",
        'env -S "git log"',
    ],
    "Bash(env:*)": [
        "env",
    ],
    "Bash(git:*) Bash(xargs:*)": [
        "git ls-files | xargs -I {} sh -c {}",
    ],
    "Bash(xargs:*) Bash(git:*)": [
        "git ls-files | xargs -a x git add",
    ],
    "Bash(parallel:*) Bash(git:*)": [
        "parallel git log",
    ],
    "Bash(watch:*) Bash(git:*)": [
        'watch "git status; id"',
        "watch git status ';id'",
    ],
    "Bash(su:*) Bash(git:*)": [
        'su -c "git log"',
    ],
    "Bash(* log)": [
        "time X=1 git log",
    ],
}

FREE: dict[str, list[str]] = {
    "Read": [
        "true",
        "false",
        ":",
        "pwd",
        "exit 1",
        "echo hi",
        'echo "a b" c',
        'printf "%s\\n" x',
        "test -f x",
        "[ -f x ]",
        "cd src",
        "cd /ws/src",
        "cd src && cd ..",
        "cat",
        "cat -n",
        "echo x | head -1",
        "echo x | head -n 1",
        "echo x | tail -n +2",
        "echo x | wc -l",
        "echo x | sort -u",
        "echo x | sort -t, -k2",
        "echo x | uniq -c",
        "echo x | cut -d, -f1",
        'echo x | cut -d " " -f 1',
        "echo x | tr a b",
        'echo x | tr -d "\\n"',
        "echo x | nl",
        "echo x | cat",
        "echo x | cat -",
        "echo x | column -t",
        "echo x | rev",
        "echo x | tac",
        "echo x | grep y",
        "echo x | grep -i y",
        'echo x | grep -E "a|b"',
        "echo x | grep -e a -e b",
        "echo x | egrep -v y",
        "echo x | grep -A 3 y",
        "echo x | head -c 10",
        "echo x | grep -c y | wc -l",
        "echo a | sort -k 2 -n -r | uniq | tail -5",
        "echo x | grep --color=never y",
        "echo x | grep --colour y",
        "printf '100%%\\n'",
        "printf '%s %-8d\\n' n 3",
        'echo x | tr "[:upper:]" "[:lower:]"',
        "echo x | tr a-z A-Z",
        "echo x | column -t -s ,",
        "echo x | nl -ba",
        "echo x | cut --delimiter=, --fields=1",
        "echo x | head --lines=3",
        "echo x | head -3 -q",
        "echo x | grep -- -v",
        'echo x | grep -P "a\\d"',
        "pwd -P",
        "echo x > /dev/null",
    ],
}

NOT_FREE: dict[str, list[str]] = {
    "Read": [
        "echo *",
        "echo ~",
        "echo $(id)",
        "printf -v x y",
        "printf %n PATH",
        "printf '%s%n' a PATH",
        "printf -- '%-3.*hhn' 1 PATH",
        'printf "%\'ln" PATH',
        'printf "%s" $x',
        "[ -f $x ]",
        "cd ..",
        "cd /ws/../etc",
        "cd",
        "cd -",
        "cd ~",
        "cd $x",
        "cd src && cd ../..",
        "cat x",
        "head",
        "echo x | sort -o y",
        "echo x | sort -T /tmp",
        "echo x | sort --output=y",
        "echo x | sort --reverse",
        "echo x | uniq a b",
        "echo x | cut -f1 y",
        "echo x | cat y",
        "echo x | grep -r y",
        "echo x | grep -R y",
        "echo x | grep -f y",
        "echo x | grep y z",
        "echo x | grep --colour y z",
        "echo x | grep --color y z",
        "echo x | grep -e a b",
        "echo x | grep --file=y z",
        "echo x | grep -nri y",
        "echo x | grep -if y z",
        "echo x | grep $y",
        "echo x | tee y",
        "echo x | sed s/a/b/",
        "echo x | head -n 1 y",
        "echo x | tail -f y",
        "echo x | wc --files0-from=y",
        "echo x | sort --files0-from=y",
        "grep x | head",
        "echo x | grep --include=* y",
        "echo x | uniq -f 1 a",
    ],
}


@pytest.mark.parametrize(("rules", "command"), pairs(WRAPPED))
def test_a_wrapped_command_needs_its_own_grant(rules: str, command: str) -> None:
    assert allowed(rules, command)


@pytest.mark.parametrize(("rules", "command"), pairs(WRAPPING))
def test_a_wrapper_grants_nothing_by_itself(rules: str, command: str) -> None:
    assert not allowed(rules, command)


@pytest.mark.parametrize(("rules", "command"), pairs(FREE))
def test_commands_without_effect_need_no_rule(rules: str, command: str) -> None:
    assert allowed(rules, command)


@pytest.mark.parametrize(("rules", "command"), pairs(NOT_FREE))
def test_a_filter_with_a_file_is_a_command_like_any_other(rules: str, command: str) -> None:
    assert not allowed(rules, command)
