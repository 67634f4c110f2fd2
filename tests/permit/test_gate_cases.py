"""The labelled cases of the contract, when they lie beside the checkout (`PROWESS_SHARED`, default ../shared)."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from prowess.core.chat import Call
from prowess.permit.rules import make_gate, parse_rules

SHARED = Path(
    os.environ.get("PROWESS_SHARED", Path(__file__).parent.parent.parent.parent / "shared")
)
FILE = SHARED / "data/security/allowed_tools.jsonl"


def cases() -> list[Any]:
    if not FILE.exists():
        why = f"{FILE.name} is not here: PROWESS_SHARED says where it lies"
        return [pytest.param({}, marks=pytest.mark.skipif("True", reason=why))]
    rows = [json.loads(line) for line in FILE.read_text().splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows]


@pytest.mark.parametrize("case", cases())
def test_the_gate_says_what_the_contract_says(case: dict[str, Any]) -> None:
    asked = case.get("call") or {"tool": "Bash", "input": {"command": case["command"]}}
    gate = make_gate(
        allowed=parse_rules(case["allowed"]), workspace="/ws", skill_dir="/skills/demo"
    )

    verdict = gate(Call(id="1", tool=asked["tool"], input=asked["input"]))

    assert ("allow" if verdict.allowed else "deny") == case["expect"], verdict.reason
    assert verdict.reason
