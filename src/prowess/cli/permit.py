"""The command that explains the gate: what a line would run, and which rule grants each part of it."""

import json as json_
import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prowess.cli.options import Json
from prowess.cli.output import print_json, print_table, say
from prowess.core.errors import UsageError

if TYPE_CHECKING:
    from prowess.core.verdict import Verdict
    from prowess.permit.shell.judge import Judgement

WORKSPACE, SKILL_DIR = "/ws", "/skills/demo"  # of a batch's lines that name none


def register(app: typer.Typer) -> None:
    app.command(
        short_help="Say whether rules grant a command, and why.",
        epilog='Example: prowess permit --allowed "Bash(git:*) Read" "git status && rm x"',
    )(permit)


def permit(
    command: Annotated[
        str | None, typer.Argument(metavar="COMMAND", help="A command line, in quotes.")
    ] = None,
    allowed: Annotated[
        str | None,
        typer.Option("--allowed", metavar="RULES", help="What `allowed-tools` of a skill says."),
    ] = None,
    disallowed: Annotated[
        str, typer.Option("--disallowed", metavar="RULES", help="What `disallowed-tools` says.")
    ] = "",
    batch: Annotated[
        str | None,
        typer.Option(
            "--batch",
            metavar="FILE",
            help='Lines of {"id", "allowed", "command" | "call"}; answers {"id", "verdict", "reason"}. '
            "- is standard input.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """
    Say whether rules grant a command: each simple command in it, and what grants or refuses it.

    Nothing is run. The exit code is 0 if the command may run and 1 if not.
    """
    from prowess.permit.rules import make_policy, parse_rules
    from prowess.permit.shell.judge import explain

    if batch is not None and command is None:
        for line in _answers(batch):
            print_json(line, line=True)
        return
    if batch is not None or command is None or allowed is None:
        raise UsageError(
            "a command and --allowed RULES, or --batch FILE, are needed",
            hint='prowess permit --allowed "Bash(git:*)" "git status"',
        )
    policy = make_policy(
        allowed=parse_rules(allowed), disallowed=parse_rules(disallowed), workspace=os.getcwd()
    )
    judged = explain(command, policy)
    if json:
        print_json(_as_json(judged))
    else:
        _show(judged)
    if not judged.verdict.allowed:
        raise typer.Exit(1)


def _show(judged: "Judgement") -> None:
    if judged.findings:
        rows = [
            (
                "refused" if each.refused else "granted",
                each.source,
                each.refused or f"by {each.granted_by}",
            )
            for each in judged.findings
        ]
        print_table(("VERDICT", "COMMAND", "WHY"), rows)
    say(f"{_word(judged.verdict)}: {judged.verdict.reason}")


def _as_json(judged: "Judgement") -> dict[str, Any]:
    return {
        "verdict": _word(judged.verdict),
        "reason": judged.verdict.reason,
        "commands": [
            {"command": each.source, "granted_by": each.granted_by, "refused": each.refused}
            for each in judged.findings
        ],
    }


def _word(verdict: "Verdict") -> str:
    return "allow" if verdict.allowed else "deny"


def _answers(path: str) -> Iterator[dict[str, Any]]:
    """One answer a line; a line that is no question is answered with what is wrong with it."""
    try:
        with open(path, "rb") if path != "-" else sys.stdin.buffer as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _answer(line, number)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", hint="name a file that exists"
        ) from error


def _answer(line: bytes, number: int) -> dict[str, Any]:
    try:
        row = json_.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or "id" not in row:
        return {"id": None, "error": f"line {number} is no JSON object with an id"}
    if "allowed" not in row or not ("command" in row or "call" in row):
        return {"id": row["id"], "error": f"line {number} lacks `allowed`, or `command` or `call`"}
    verdict = _judged(row)
    return {"id": row["id"], "verdict": _word(verdict), "reason": verdict.reason}


def _judged(row: Mapping[str, Any]) -> "Verdict":
    from prowess.core.chat import Call
    from prowess.core.verdict import Verdict
    from prowess.permit.rules import make_gate, parse_rules

    gate = make_gate(
        allowed=parse_rules(row["allowed"]),
        disallowed=parse_rules(row.get("disallowed", "")),
        workspace=str(row.get("workspace", WORKSPACE)),
        skill_dir=str(row.get("skill_dir", SKILL_DIR)),
    )
    call = row.get("call", {"tool": "Bash", "input": {"command": row.get("command")}})
    if not isinstance(call, dict) or not isinstance(call.get("input"), dict):
        return Verdict(allowed=False, reason="a call needs `tool` and `input`, an object")
    return gate(Call(id="", tool=str(call.get("tool")), input=call["input"]))
