"""Commands, and how they are helped."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from prowess.core.chat import Call, Observation
from prowess.core.process import Finished, KilledBy, Limits, Order
from prowess.core.verdict import Verdict
from prowess.tools.command import literal, only_reads, split
from prowess.tools.place import Place
from support import write_file

Act = Callable[..., Observation]
Only = Callable[..., dict[str, str]]


def test_a_command_tells_what_it_said_and_how_it_ended(act: Act) -> None:
    good = act("Bash", command="echo out")
    bad = act("Bash", command="echo out; echo err >&2; exit 3")

    assert good == Observation(call_id="call-1", text="out", facts=good.facts)
    assert bad.text == "out\n[stderr]\nerr\n[exit code 3]"
    assert not bad.ok
    assert bad.facts["code"] == 3
    assert act("Bash", command="true").text == "(no output)"


def test_a_command_gets_the_places_rights_and_no_more(act: Act, place: Place, sandbox: Any) -> None:
    act("Bash", command="true", timeout=5, _place={"environment": {"A": "1"}, "network": True})

    order = sandbox.orders[-1]
    assert order.cwd == place.workspace
    assert list(order.writable) == [place.workspace]
    assert place.skill_dir in order.readable
    assert order.environment == {"A": "1"}
    assert order.network
    assert order.limits.seconds == 5


def test_a_command_is_given_only_places_that_are_there_by_their_real_names(
    act: Act, place: Place, sandbox: Any, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(place.workspace)

    act("Bash", command="true", _place={"workspace": str(tmp_path / "link")})

    order = sandbox.orders[-1]
    assert order.cwd == place.workspace
    assert list(order.writable) == [place.workspace]
    assert list(order.readable) == [place.skill_dir]  # no long output has been kept yet


@pytest.mark.parametrize("killer", get_args(KilledBy)[1:])
def test_a_killed_command_says_why(act: Act, killer: KilledBy) -> None:
    class Killing:
        level = "none"

        def can_hide(self, folder: str) -> bool:
            return False

        async def run(self, order: Order) -> Finished:
            return Finished(code=-9, out=b"", err=b"", seconds=1.0, killed_by=killer)

    seen = act("Bash", command="true", _place={"sandbox": Killing()})

    assert not seen.ok
    assert seen.text.startswith("[killed after 1.0 s: it ")


def test_a_command_may_not_take_more_time_than_the_place_gives(act: Act, sandbox: Any) -> None:
    seen = act("Bash", command="sleep 60", timeout=600, _place={"limits": Limits(seconds=0.2)})

    assert not seen.ok
    assert "it ran out of time" in seen.text
    assert seen.facts["killed_by"] == "timeout"


def test_a_search_that_finds_nothing_has_not_failed(act: Act, workspace: Path) -> None:
    write_file(workspace / "a.txt", "x")

    seen = act("Bash", command="grep y a.txt")

    assert seen.ok
    assert seen.text == "[exit code 1]"
    assert not act("Bash", command="grep y gone-forever.txt").ok


def test_output_in_another_encoding_is_read(act: Act, workspace: Path) -> None:
    write_file(workspace / "a.csv", "José;São Paulo\n".encode("latin-1"))

    seen = act("Bash", command="cat a.csv")

    assert "José;São Paulo" in seen.text
    assert seen.healed == ("read its output as cp1252",)


@pytest.mark.parametrize(
    ("have", "command", "needs"),
    [
        (["python3"], "python -c 'print(41 + 1)'", "42"),
        (
            ["python3", "cat"],
            "cat a.txt | python -c 'import sys; print(sys.stdin.read())'",
            "needle",
        ),
        (["grep"], "rg -i NEEDLE", "a.txt:1:a needle"),
        (["grep"], "rg needle --no-heading -g '*.txt' .", "a.txt:1:a needle"),
        (["find"], "fd a", "./a.txt"),
        (["find"], "tree -L 1", "./a.txt"),
        (["ls"], "ll a.txt", "a.txt"),
        (["md5sum"], "md5 a.txt", "a.txt"),
        (["sha256sum", "sha1sum"], "shasum -a 256 a.txt", "a.txt"),
        (["cat"], "less a.txt", "a needle"),
        (["python3"], "jq -r '.name[0]' d.json", "Zoë"),
        (["python3", "cat"], "cat d.json | jq '.'", '"name"'),
    ],
)
def test_a_missing_command_has_a_stand_in(
    act: Act, workspace: Path, only: Only, *, have: list[str], command: str, needs: str
) -> None:
    write_file(workspace / "a.txt", "a needle\n")
    write_file(workspace / "d.json", '{"name": ["Zoë"]}')

    seen = act("Bash", command=command, _place={"environment": only(*have)})

    assert seen.ok, seen.text
    assert needs in seen.text
    assert "is not installed; used" in seen.healed[0]


@pytest.mark.parametrize(
    "command", ["rg --pcre2 x", "fd 'a.*b'", "md5 -r a", "jq 'map(.x)' a.json"]
)
def test_a_stand_in_that_would_not_do_the_same_is_not_used(
    act: Act, only: Only, command: str
) -> None:
    have = only("grep", "find", "md5sum", "python3")

    seen = act("Bash", command=command, _place={"environment": have})

    assert "command not found" in seen.text
    assert not seen.healed


def test_an_installed_command_is_left_alone(act: Act, sandbox: Any) -> None:
    assert not act("Bash", command="python3 -c 'print(1)'").healed
    assert sandbox.commands[-1] == "python3 -c 'print(1)'"


def test_a_stand_in_needs_to_be_granted_as_well(act: Act, only: Only) -> None:
    def gate(call: Call) -> Verdict:
        return Verdict(allowed="grep" not in call.input["command"], reason="")

    seen = act("Bash", command="rg x", _place={"environment": only("grep"), "gate": gate})

    assert not seen.healed
    assert "rg: command not found" in seen.text


def test_without_healing_a_missing_command_is_missing(act: Act, only: Only) -> None:
    seen = act("Bash", command="python -V", _place={"environment": only("python3"), "heals": False})

    assert seen.facts["code"] == 127


@pytest.mark.parametrize(
    ("script", "command"),
    [
        ("#!/usr/bin/env bash\necho it ran $1\n", "./go.sh well"),
        ("#!/bin/sh\r\nif true\r\nthen\r\n  echo it ran $1\r\nfi\r\n", "./go.sh well"),
        ("for x in ran\r\ndo\r\n  echo it $x $1\r\ndone\r\n", "bash go.sh well"),
        (
            "#!/usr/bin/env python3\r\nimport sys\r\nprint('it ran', sys.argv[1])\r\n",
            "./go.sh well",
        ),
    ],
    ids=["no execute bit", "windows shebang", "windows script", "windows python"],
)
def test_a_script_that_cannot_be_started_is_run_through_its_interpreter(
    act: Act, workspace: Path, script: str, command: str
) -> None:
    write_file(workspace / "go.sh", script)

    seen = act("Bash", command=command)

    assert seen.ok, seen.text
    assert seen.text.startswith("it ran well")
    assert len(seen.healed) == 1


def test_a_script_that_can_be_started_is_left_alone(act: Act, workspace: Path) -> None:
    path = write_file(workspace / "go.sh", "#!/bin/sh\necho fine\n")
    os.chmod(path, 0o700)

    assert not act("Bash", command="./go.sh").healed


@pytest.mark.parametrize(
    "command", ["cat notes.txt", "head -1 notes.txt | wc -l; cat notes.txt", "cat Sub/Notes.txt"]
)
def test_a_file_that_lies_elsewhere_is_found(act: Act, workspace: Path, command: str) -> None:
    write_file(workspace / "sub/notes.txt", "here\n")

    seen = act("Bash", command=command)

    assert seen.ok
    assert "here" in seen.text
    assert "took sub/notes.txt" in seen.healed[0]


def test_a_script_that_lies_elsewhere_is_run(act: Act, workspace: Path) -> None:
    write_file(workspace / "scripts/report.py", "print('made')\n")

    assert act("Bash", command="python3 report.py").text.startswith("made")


@pytest.mark.parametrize("command", ["touch made; cat notes.txt", "cp notes.txt copy.txt"])
def test_what_may_have_done_something_is_not_run_again(
    act: Act, workspace: Path, sandbox: Any, command: str
) -> None:
    write_file(workspace / "sub/notes.txt", "here\n")

    assert not act("Bash", command=command).ok
    assert len(sandbox.commands) == 1


@pytest.mark.parametrize(
    "trouble",
    [
        "fatal: Unable to create '.git/index.lock': File exists.",
        "curl: (6) x: Temporary failure in name resolution",
        "bash: line 1: ./other: Text file busy",
        "bash: fork: Resource temporarily unavailable",
    ],
)
def test_a_script_that_may_have_done_much_is_not_run_again_for_the_words_of_another(
    act: Act, workspace: Path, trouble: str, pauses: list[float]
) -> None:
    write_file(workspace / "send.sh", f'echo ran >> log\necho "{trouble}" >&2\nexit 1\n')

    assert not act("Bash", command="bash send.sh").ok

    assert (workspace / "log").read_text() == "ran\n"
    assert not pauses


def test_what_could_not_be_started_is_tried_again(
    act: Act, workspace: Path, pauses: list[float]
) -> None:
    script = write_file(workspace / "busy", "#!/bin/sh\necho ran\n")
    script.chmod(0o755)
    with script.open("a"):  # who writes a program keeps it from being started
        assert not act("Bash", command="./busy").ok

    assert pauses == [0.05, 0.2, 0.8]


def test_a_lock_of_git_is_waited_for(
    act: Act, workspace: Path, sandbox: Any, pauses: list[float]
) -> None:
    assert act("Bash", command="git init -q .").ok
    write_file(workspace / "a.txt", "x")
    lock = write_file(workspace / ".git/index.lock", "")

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        lock.unlink(missing_ok=True)

    seen = act("Bash", command="git add a.txt", _place={"sleep": sleep})

    assert seen.ok
    assert seen.healed == ("tried again 1 times, as the trouble was passing",)
    assert len(pauses) == 1


def test_a_sandbox_that_cannot_start_for_a_moment_is_asked_again(
    act: Act, sandbox: Any, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, left = sandbox.run, [BlockingIOError(11, "Resource temporarily unavailable")]

    async def sometimes(order: Any) -> Finished:
        if left:
            raise left.pop()
        finished: Finished = await run(order)
        return finished

    monkeypatch.setattr(sandbox, "run", sometimes)

    assert act("Bash", command="touch made").ok
    assert pauses == [0.05]


@pytest.mark.parametrize(
    "command",
    [
        "echo $(ls)",
        "echo `ls`",
        "if true; then ls; fi",
        "A=1 ls",
        "cat <<E\nx\nE",
        "(ls)",
        "a() { ls; }",
        "ls # x",
        'echo "$(rm x)"',
        "'unclosed",
        "",
        "for x in a; do ls; done",
        "eval ls",
        '"a" "$(b)"',
    ],
)
def test_what_is_not_understood_is_not_touched(command: str) -> None:
    assert split(command) is None


def test_simple_commands_keep_their_words_as_written() -> None:
    commands = split("cd 'a b' && ls -l \"$x\" 2>&1 | sort -u\necho it\\'s;pwd&")
    assert commands

    assert [each.words for each in commands] == [
        ("cd", "'a b'"),
        ("ls", "-l", '"$x"', "2>&1"),
        ("sort", "-u"),
        ("echo", "it\\'s"),
        ("pwd",),
    ]


def test_words_are_literal_only_when_no_shell_would_change_them() -> None:
    assert literal("'a $x'") == "a $x"
    assert literal('"a b"') == "a b"
    assert literal("$x") is None
    assert literal("*.py") is None


@pytest.mark.parametrize(
    "command",
    [
        "git status; ls | head -3 2>/dev/null",
        "grep 'a>b' \"x -> y\" c\\>d <in.txt",
        "grep -n 'end$' a.txt 2>&1",
        "find . -name '*.py' -type f",
        "date -u; file -b a; tree -L 2; git diff --stat",
    ],
)
def test_what_only_reads_is_known(command: str) -> None:
    assert only_reads(command)


@pytest.mark.parametrize(
    "command",
    [
        "ls > list.txt",
        "echo ran>>list.txt",
        "echo ran&>list.txt",
        "echo ran 2>list.txt",
        "echo 'ran'>list.txt",
        "cat <in.txt>list.txt",
        "cat <>list.txt",
        "echo ran>&list.txt",
        "echo $'\\'' >list.txt '' \\'",
        "git commit -m x",
        "git diff --output=list.txt",
        "sort -o a a",
        "find . '-delete'",
        'find . -name x -ex"ec" rm x +',
        "date -s 2020-01-01",
        "rg --pre=./x y",
        "tree -o list.txt",
        "xxd a list.txt",
    ],
)
def test_what_may_do_more_than_read_is_not_said_to_only_read(command: str) -> None:
    assert not only_reads(command)
