"""A gate for one question: do these rules grant this command?"""

from collections.abc import Mapping, Sequence

from prowess.core.chat import Call
from prowess.core.verdict import Verdict
from prowess.permit.rules import make_gate, parse_rules


def verdict(rules: object, tool: str, **given: object) -> Verdict:
    gate = make_gate(allowed=parse_rules(rules), workspace="/ws", skill_dir="/skills/demo")
    return gate(Call(id="1", tool=tool, input=given))


def allowed(rules: object, command: object) -> bool:
    return verdict(rules, "Bash", command=command).allowed


def pairs(table: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Rules with each of the commands under them."""
    return [(rules, command) for rules, commands in table.items() for command in commands]
