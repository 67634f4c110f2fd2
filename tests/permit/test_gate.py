"""The gate of a run: a skill's own rules, the platform's default, what a person may grant besides."""

from typing import Any

import pytest

from prowess.core.chat import Call
from prowess.core.ports import Gate
from prowess.core.verdict import Verdict
from prowess.permit.rules import Default, make_gate, make_policy, parse_rules
from prowess.permit.shell.judge import judge_command

INPUTS: dict[str, dict[str, Any]] = {
    "Read": {"file_path": "a.py"},
    "Write": {"file_path": "a.py", "content": ""},
    "Edit": {"file_path": "a.py", "old_string": "a", "new_string": "b"},
    "Glob": {"pattern": "*.py"},
    "Grep": {"pattern": "x"},
    "Bash": {"command": "make"},
    "Skill": {"name": "other"},
    "Fetch": {"name": "reference.md"},
    "Ask": {"question": "Which?"},
    "mcp__gh__get": {},
}


def gate_by(default: Default, **more: Any) -> Gate:
    return make_gate(
        allowed=None, default=default, workspace="/ws", skill_dir="/skills/demo", **more
    )


def ask(gate: Gate, tool: str, **given: object) -> Verdict:
    return gate(Call(id="1", tool=tool, input=given or INPUTS[tool]))


def granted(gate: Gate) -> set[str]:
    return {tool for tool in INPUTS if ask(gate, tool).allowed}


READING = {"Read", "Glob", "Grep", "Skill", "Fetch", "Ask"}


def test_by_default_a_skill_may_do_what_the_sandbox_holds() -> None:
    assert granted(gate_by("sandbox")) == READING | {"Write", "Edit", "Bash"}


@pytest.mark.parametrize("default", ["ask", "read-only"])
def test_a_stricter_default_only_lets_look(default: Default) -> None:
    gate = gate_by(default)

    assert granted(gate) == READING
    assert ask(gate, "Bash", command="echo done").allowed


def test_what_ask_refuses_a_person_may_grant_and_what_read_only_refuses_nobody() -> None:
    assert ask(gate_by("ask"), "Bash").askable
    assert ask(gate_by("ask"), "Write").askable
    assert not ask(gate_by("read-only"), "Bash").askable


def test_a_skill_that_says_what_it_needs_gets_that_and_no_default() -> None:
    gate = make_gate(allowed=parse_rules("Read"), default="sandbox", workspace="/ws")

    assert granted(gate) == {"Read", "Fetch", "Ask"}
    assert ask(gate, "Bash").askable


def test_rules_from_the_command_line_are_granted_besides() -> None:
    extra = parse_rules("Bash(make:*) mcp__gh")

    assert granted(gate_by("read-only", extra=extra)) == READING | {"Bash", "mcp__gh__get"}


@pytest.mark.parametrize("tool", INPUTS)
def test_what_is_disallowed_is_refused_whatever_grants_it(tool: str) -> None:
    gate = gate_by("sandbox", extra=parse_rules(tool), disallowed=parse_rules(tool))

    told = ask(gate, tool)

    assert not told.allowed
    assert not told.askable
    assert "disallowed-tools" in told.reason


def test_a_field_of_disallowed_tools_that_cannot_be_read_refuses_everything() -> None:
    assert granted(gate_by("sandbox", disallowed=parse_rules("Bash(rm"))) == set()


@pytest.mark.parametrize("rule", ["B*", "*", "Bash(*)"])
def test_a_star_forbids_although_it_would_not_grant(rule: str) -> None:
    assert not ask(gate_by("sandbox", disallowed=parse_rules(rule)), "Bash").allowed


@pytest.mark.parametrize(
    "command",
    [
        "rm x",
        "ls && rm x",
        "/bin/rm x",
        "sudo rm x",
        "timeout 5 rm x",
        "find . -exec rm {} +",
        "ls | xargs rm",
        "$(rm x)",
        "echo `rm x`",
        "$x y",
        "ls (",  # not certain, so it may be anything
        "su -c 'rm x'",
        "eval rm x",
        'eval "$x"',
        "exec rm x",
        "trap 'rm x' EXIT",
        "bash -c 'ls; rm x'",
        "sh -ec 'rm x'",
        "bash -o pipefail -c 'rm x'",
        "bash --norc -c -- 'rm x'",
        'dash -c "$x"',
        "timeout 5 bash -c 'sudo rm x'",
        "bash -c 'bash -c \"rm x\"'",
        "xargs -I{} sh -c 'rm x'",
        "echo 'rm x' | sh",
        "bash <<< 'rm x'",
        "eval -- 'rm x'",
        "trap -- 'rm x' EXIT",
        "echo 'rm x' | bash -",
        "echo 'rm x' | bash -s x",
        "echo 'rm x' | bash /dev/stdin",
        "bash - <<< 'rm x'",
        "tcsh -c 'rm x'",
        "fish -c 'rm x'",
        "builtin eval rm x",
        "coproc rm x",
        "bash <(echo rm x)",
        ". /dev/stdin <<< 'rm x'",
    ],
)
def test_a_forbidden_command_is_found_wherever_it_hides(command: str) -> None:
    told = ask(gate_by("sandbox", disallowed=parse_rules("Bash(rm:*)")), "Bash", command=command)

    assert not told.allowed
    assert not told.askable


@pytest.mark.parametrize(
    "command",
    [
        "bash -c 'ls; make'",
        "eval make",
        ". .venv/bin/activate && pytest",
        "source ./env",
        "bash build.sh --clean",
        "bash -e build.sh",
        "trap - EXIT",
        "exec 2>&1",
        f"bash -c '{'; '.join(['make'] * 30)}'",
    ],
)
def test_a_script_that_does_not_say_what_is_forbidden_is_let_through(command: str) -> None:
    gate = gate_by("sandbox", disallowed=parse_rules("Bash(rm:*)"))

    assert ask(gate, "Bash", command=command).allowed


def test_a_forbidden_subcommand_leaves_the_others() -> None:
    gate = gate_by("sandbox", disallowed=parse_rules("Bash(git push:*)"))

    assert ask(gate, "Bash", command="git log | head; X=1 make").allowed
    assert not ask(gate, "Bash", command="git $verb").allowed


def test_a_file_that_may_not_be_written_is_not_written_by_a_redirection_either() -> None:
    gate = make_gate(
        allowed=parse_rules("Write Bash(make:*)"),
        disallowed=parse_rules("Write(secret/**)"),
        workspace="/ws",
    )

    assert ask(gate, "Bash", command="make > log.txt").allowed
    assert not ask(gate, "Bash", command="make > secret/log.txt").allowed
    assert not ask(gate, "Write", file_path="secret/a", content="").allowed


def test_long_output_kept_by_the_run_can_be_read_and_not_written() -> None:
    gate = gate_by("sandbox", readable=["/runs/1/outputs"])

    assert ask(gate, "Read", file_path="/runs/1/outputs/2.txt").allowed
    assert not ask(gate, "Read", file_path="/runs/1/state").allowed
    assert not ask(gate, "Write", file_path="/runs/1/outputs/2.txt", content="").allowed


def test_a_refusal_tells_the_model_what_it_may_do_instead() -> None:
    gate = make_gate(allowed=parse_rules("Read Bash(git:*)"), workspace="/ws")

    assert "granted commands: Bash(git:*)" in ask(gate, "Bash", command="make").reason
    assert "granted: Read, Bash(git:*)" in ask(gate, "Write").reason


def test_a_command_of_a_workflow_is_judged_like_a_call() -> None:
    policy = make_policy(allowed=parse_rules("Bash(git:*)"), workspace="/ws")

    assert judge_command("git log", policy).allowed
    assert not judge_command("git log; id", policy).allowed
