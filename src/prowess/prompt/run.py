"""
What the model of a run reads first, and the few notes it gets on the way.

The skill's instructions come last: whatever stands in them, or was printed into them by a command,
nothing of ours follows that it could pretend to end. The same skill gives the same text to the
byte, so that providers can keep the beginning of a conversation in their caches.
"""

import re
from collections.abc import Sequence

from prowess.core.execution import Mode
from prowess.core.skill import Resource, Skill
from prowess.prompt.templates import template

AGENTS = {"explore": "explore", "plan": "plan", "general-purpose": "general", "general": "general"}
_PLACE = re.compile(r"\{(\w+)\}")
_FAILED = 10  # approaches that the list of failures names
_DEMO = {"demo.yaml", "demo.json"}  # what the offline demo model follows; nothing for a real one
_TEMPLATES = {"autonomous": "run-system.md", "simple": "run-simple.md"}


def run_prompt(
    skill: Skill,
    instructions: str,
    resources: Sequence[Resource],
    *,
    mode: Mode = "autonomous",
    agent: str | None = None,
) -> str:
    """
    The system prompt. `instructions` are filled in already; supporting files get a line each.

    `agent` is the kind of sub-agent that the skill asks for, when it runs as one.
    """
    listed = "\n".join(_line(each) for each in resources if each.path not in _DEMO)
    files = _filled("run-files.md", folder=skill.path, text=listed) if listed else ""
    return _filled(
        _TEMPLATES[mode],
        name=skill.name,
        agent=_paragraph(_agent(agent) if agent else ""),
        files=_paragraph(files),
        instructions=instructions.strip("\n"),
    )


def failed_note(approaches: Sequence[str]) -> str:
    """What was tried in vain, so that it is not tried again: the newest, and how many there were before."""
    lines = [f"- {each}" for each in approaches[-_FAILED:]]
    if before := len(approaches) - len(lines):
        lines.insert(0, f"- {before:,} more before these")
    return _filled("run-note-failed.md", text="\n".join(lines))


def malformed_note(problem: str) -> str:
    return _filled("run-note-malformed.md", text=problem.rstrip(". "))


def compacted_note(chars: int) -> str:
    """Stands where an old result was taken out of the conversation."""
    return _filled("run-note-compacted.md", text=f"{chars:,}")


def last_note() -> str:
    """For the last iteration but one: what comes next is the answer."""
    return template("run-note-last.md")


def confirm_note() -> str:
    """For skills that want their first answer checked before it counts."""
    return template("run-note-confirm.md")


def _agent(name: str) -> str:
    kind = AGENTS.get(name.casefold(), "custom")
    return _filled(f"run-agent-{kind}.md", agent=name)


def _line(resource: Resource) -> str:
    said = f": {' '.join(resource.description.split())}" if resource.description.strip() else ""
    lines = "1 line" if resource.lines == 1 else f"{resource.lines:,} lines"
    return f"- {resource.path}{said} ({lines})"


def _paragraph(text: str) -> str:
    return f"\n{text}\n" if text else ""


def _filled(file: str, /, **values: str) -> str:
    """In one pass, so that what stands in a value is never taken for a place."""
    return _PLACE.sub(lambda found: values.get(found[1], found[0]), template(file))
