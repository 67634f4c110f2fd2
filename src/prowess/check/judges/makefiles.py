"""What a Makefile has make do, by target, as far as its rules are written out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_RULE = re.compile(r"^(?P<names>[\w./ %$(){}-]+?)\s*::?(?!=)(?P<needs>[^=;\n]*)(?:;(?P<line>.*))?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`needs` are the targets that are made first, `lines` what is run then."""

    needs: tuple[str, ...]
    lines: tuple[str, ...]


def rules_in(text: str) -> dict[str, Rule]:
    """The rules by target; of one that stands twice the last."""
    found: dict[str, Rule] = {}
    lines = text.replace("\\\n", " ").splitlines()
    for number, line in enumerate(lines):
        if rule := _RULE.match(line):
            recipe = (*filter(None, [rule["line"]]), *_recipe(lines, number + 1))
            made = Rule(needs=tuple((rule["needs"] or "").split()), lines=recipe)
            found |= dict.fromkeys(rule["names"].split(), made)
    return found


def targets(text: str) -> frozenset[str]:
    return frozenset(rules_in(text))


def _recipe(lines: list[str], start: int) -> Iterator[str]:
    for line in lines[start:]:
        if not line.startswith("\t"):
            return
        yield line.strip().lstrip("@-+")
