"""How `allowed-tools` is written, and what a field that cannot be read grants: nothing."""

import pytest

from granting import allowed, verdict
from prowess.permit.rule import HOLE, overlap, wild
from prowess.permit.rules import parse_rules


@pytest.mark.parametrize(
    "field",
    [
        "Bash(git log:*) Read",
        "Bash(git log:*), Read",
        "Read,Bash(git log:*)",
        "Read,,Bash( git log:* )",
        "Read\n  Bash(git log:*)",
        ["Read", "Bash(git log:*)"],
        ("Bash(git log:*)",),
    ],
)
def test_rules_stand_between_blanks_or_commas_or_in_a_list(field: object) -> None:
    assert allowed(field, "git log -1")
    assert not allowed(field, "git push")


@pytest.mark.parametrize(
    "field",
    [
        "Bash(git:*",
        "Bash(git:*))",
        "Bash(git:*) )",
        "Bash (git:*)",
        "Bash(git:*)Read",
        "Bash(git:*) Read(",
        "Bash(git:*);Read",
        "Bash(git:*)\u00a0Read",
        "Bash(git:*) \x07",
        "[]",
        ["Bash(git:*)", 3],
        {"Bash": "git:*"},
        None,
        True,
    ],
)
def test_one_malformed_rule_makes_the_whole_field_grant_nothing(field: object) -> None:
    told = verdict(field, "Bash", command="git log")

    assert parse_rules(field).problem
    assert not told.allowed
    assert "allowed-tools cannot be read" in told.reason


@pytest.mark.parametrize(
    "field", ["", " , ", [], "Bash()", "*", "B*", "bash(git:*)", "Bashful", "mcp__*"]
)
def test_a_field_without_a_rule_for_the_tool_grants_nothing(field: object) -> None:
    assert not allowed(field, "git log")
    assert not parse_rules(field).problem


def test_brackets_inside_a_rule_belong_to_it() -> None:
    assert allowed("Bash(python -c 'print(1)') Read", "python -c 'print(1)'")


@pytest.mark.parametrize("command", ["rm -rf build && make", "anything | $(x) ((", "a\nb"])
def test_bash_alone_grants_every_command_line_unread(command: str) -> None:
    assert allowed("Bash", command)
    assert allowed("Bash(*)", command)


@pytest.mark.parametrize("command", ["", "  \n", "a\0b", None, 3, ["ls"]])
def test_what_is_no_command_is_granted_by_nothing(command: object) -> None:
    assert not allowed("Bash", command)


@pytest.mark.parametrize(
    ("rule", "tool"),
    [
        ("mcp__gh", "mcp__gh__get"),
        ("mcp__gh__*", "mcp__gh__get"),
        ("mcp__gh__get_*", "mcp__gh__get_issue"),
        ("mcp__gh__get", "mcp__gh__get"),
    ],
)
def test_a_rule_for_a_server_grants_its_tools(rule: str, tool: str) -> None:
    assert verdict(rule, tool).allowed


@pytest.mark.parametrize(
    ("rule", "tool"),
    [
        ("mcp__gh", "mcp__ghx__get"),
        ("mcp__gh__*", "mcp__ghx__get"),
        ("mcp__gh__get", "mcp__gh__getx"),
        ("mcp__gh__get_*", "mcp__gh__delete"),
        ("mcp__*", "mcp__gh__get"),
        ("mcp__g*__get", "mcp__gh__get"),
        ("mcp__gh__", "mcp__gh__get"),
        ("mcp__gh__get(x)", "mcp__gh__get"),
        ("MCP__gh", "mcp__gh__get"),
        ("*", "mcp__gh__get"),
    ],
)
def test_a_rule_for_one_server_grants_no_other(rule: str, tool: str) -> None:
    assert not verdict(rule, tool).allowed


def test_a_star_is_any_text_and_none() -> None:
    assert wild("a*b*c", "a-b-b-c")
    assert wild("a*", "a")
    assert not wild("a*a", "a")
    assert not wild("a*b*b", "a-b")


def test_two_patterns_overlap_when_some_text_fits_both() -> None:
    assert overlap("git push*", f"git {HOLE}")
    assert overlap("rm", f"r{HOLE}")
    assert overlap("*x", f"{HOLE}y{HOLE}")
    assert not overlap("git push*", f"git log{HOLE}")
    assert not overlap("rm", f"rm{HOLE}x")
