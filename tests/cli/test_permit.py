"""`permit`: a verdict explained, and many in a batch."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from support import Cli, write_file


def answers(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_each_command_of_a_line_is_shown_with_what_grants_or_refuses_it(cli: Cli) -> None:
    told = cli("permit", "--allowed", "Bash(git:*) Read", "git status && rm x")

    assert told.code == 1
    first, second, last = told.out.splitlines()
    assert first == "granted\tgit status\tby Bash(git:*)"
    assert second.startswith("refused\trm x\t`rm x` is not granted")
    assert last.startswith("deny: `rm x` is not granted; granted commands: Bash(git:*)")


def test_a_granted_command_exits_with_0(cli: Cli) -> None:
    told = cli("permit", "--allowed", "Bash(git:*)", "git log | head -3")

    assert told.code == 0
    assert told.out.splitlines()[-1] == "allow: granted by Bash(git:*)"


def test_the_verdict_comes_as_json(cli: Cli) -> None:
    told = cli("permit", "--json", "--allowed", "Bash(git:*)", "git log; id")

    assert told.code == 1
    assert told.json["verdict"] == "deny"
    assert [each["command"] for each in told.json["commands"]] == ["git log", "id"]
    assert [each["granted_by"] for each in told.json["commands"]] == ["Bash(git:*)", ""]


def test_disallowed_tools_win(cli: Cli) -> None:
    told = cli("permit", "--allowed", "Bash", "--disallowed", "Bash(rm:*)", "ls && rm x")

    assert told.code == 1
    assert "disallowed-tools forbids (Bash(rm:*))" in told.out


def test_a_line_that_cannot_be_read_is_refused_with_the_reason(cli: Cli) -> None:
    told = cli("permit", "--allowed", "Bash(git:*)", 'git log "')

    assert told.code == 1
    assert told.out == "deny: this is not a shell command that can be parsed; check the quoting\n"


def test_a_batch_answers_line_by_line_and_survives_bad_lines(cli: Cli, project: Path) -> None:
    rows = [
        {"id": "1", "allowed": "Bash(git:*)", "command": "git log"},
        {"id": "2", "allowed": "Read", "call": {"tool": "Read", "input": {"file_path": "/ws/a"}}},
        {"id": "3", "allowed": "Read", "call": {"tool": "Read", "input": "a"}},
        {"id": "4", "allowed": "Bash", "command": None},
        {"id": "5", "command": "git log"},
        {
            "id": "6",
            "allowed": ["Read"],
            "call": {"tool": "Read", "input": {"file_path": "/here/a"}},
            "workspace": "/here",
        },
        {"id": "7", "allowed": "Bash", "command": "a", "disallowed": "Bash"},
    ]
    lines = [*map(json.dumps, rows), "{", '"text"', '{"allowed": "Bash"}']
    write_file(project / "asked.jsonl", "\n".join(lines))

    told = cli("permit", "--batch", "asked.jsonl")

    assert told.code == 0
    found = answers(told.out)
    assert [row["id"] for row in found] == ["1", "2", "3", "4", "5", "6", "7", None, None, None]
    assert [row.get("verdict", "error") for row in found] == [
        *("allow", "allow", "deny", "deny", "error", "allow", "deny"),
        *("error", "error", "error"),
    ]
    assert all(row["reason"] for row in found if "verdict" in row)


def test_a_batch_comes_on_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    line = json.dumps({"id": 9, "allowed": "Read", "command": "echo done"})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line.encode())))

    told = cli("permit", "--batch", "-")

    assert told.json == {"id": 9, "verdict": "allow", "reason": "harmless, and needs no rule"}


def test_a_command_without_rules_is_wrong_usage(cli: Cli) -> None:
    assert cli("permit", "git log").code == 2
    assert cli("permit", "--allowed", "Bash").code == 2
    assert cli("permit", "--batch", "nowhere.jsonl").code == 2
