"""
Read a SKILL.md leniently, as the Agent Skills guide asks of a client.

What is odd is a warning and the skill loads; only a missing description or a header beyond
repair keeps it out. The strict rules are in `rules.py` and share nothing with this file but the parser.
"""

from typing import Any

from prowess.core.errors import SkillError
from prowess.core.execution import SPELLINGS, read_execution
from prowess.core.skill import spelled_alike
from prowess.discover.draft import Draft
from prowess.discover.header import Frontmatter, parse_header

LONGEST_DESCRIPTION = 1024
LONGEST_FILE = 500  # lines
SPEC_FIELDS = frozenset(
    ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
)


def read(draft: Draft, data: bytes) -> None:
    """Fill `draft` from the bytes of a SKILL.md; raises `SkillError` when it cannot be loaded."""
    found = parse_header(data)
    if draft.file != "SKILL.md":
        draft.note(
            f"the file is called {draft.file}",
            hint="rename it to SKILL.md; other tools look for that name only",
        )
    draft.take_header(found.fields, found.mended)
    draft.take_name(found.fields.get("name"), found.lines.get("name"))
    draft.take_description(found.fields.get("description"), found.lines.get("description"))
    _warn(draft, found, data)


def _warn(draft: Draft, found: Frontmatter, data: bytes) -> None:
    if len(draft.description) > LONGEST_DESCRIPTION:
        draft.note(
            f"the description has {len(draft.description):,} characters",
            hint=f"the specification allows {LONGEST_DESCRIPTION:,}; other tools may cut or refuse it",
            line=found.lines.get("description"),
        )
    warn_of_length(draft, data)
    draft.warn_of_guards(found.fields, found.lines)
    if not SPELLINGS.isdisjoint(found.fields):
        warn_of_settings(draft, found.fields, found.lines)


def warn_of_length(draft: Draft, data: bytes) -> None:
    """Long instructions cost every run that loads them."""
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    if lines > LONGEST_FILE:
        draft.note(
            f"SKILL.md has {lines:,} lines",
            hint=f"keep it under {LONGEST_FILE} and move details to references/, which are read only when needed",
            line=LONGEST_FILE,
        )


def warn_of_settings(draft: Draft, header: dict[str, Any], lines: dict[str, int]) -> None:
    """A wrong setting is an error of its own: the skill is listed, and not run until it is mended."""
    _, wrong = read_execution(spelled_alike(header))
    for setting in wrong:
        line = next((lines[key] for key in lines if setting.field in spelled_alike({key: 0})), None)
        draft.note(setting.message, hint=setting.hint, line=line, level="error")


def instructions(text: str) -> str:
    """The body of a SKILL.md, without its header; a file with no header is all body."""
    from prowess.discover.frontmatter import parse  # and the parser, which a start does without

    try:
        return parse(text).body
    except SkillError:
        return text
