"""The skills of a role as one text: title, version, description, instructions."""

from collections.abc import Iterable

from prowess.core.skill import Skill
from prowess.core.text import visible


def role_form(skills: Iterable[tuple[Skill, str]]) -> str:
    """Each skill with its instructions; one without instructions ends after its description."""
    return "\n\n".join(
        f"---\n# {_line(skill.title)} (v{_line(skill.version)})\n\n{_line(skill.description)}"
        + (f"\n\n{text}" if text else "")
        for skill, text in skills
    )


def _line(text: str) -> str:
    """On one line, so that no description can begin a section of its own."""
    return " ".join(visible(text).split())
