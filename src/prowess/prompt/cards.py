"""
Cards: the few lines of each skill that a model sees before it chooses.

Two outside forms, whose tags and line order are not ours to change: the block that OpenSkills
keeps in AGENTS.md, and what the reference library prints for `to-prompt`. Whatever a description
holds, it is escaped, so it can never close a tag of ours, and what nobody sees in it is left out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from prowess.core.skill import Skill
from prowess.core.text import visible
from prowess.prompt.templates import template

TABLE_START, TABLE_END = "<!-- SKILLS_TABLE_START -->", "<!-- SKILLS_TABLE_END -->"


@dataclass(frozen=True, slots=True)
class Card:
    """A skill as it is offered to a model; its description may have been shortened."""

    name: str
    description: str
    location: str
    file: str


def cards(skills: Iterable[Skill]) -> list[Card]:
    return [Card(skill.name, skill.description, skill.location, skill.file) for skill in skills]


def for_models(skills: Iterable[Skill]) -> list[Skill]:
    """Without those whose author says that only a person may call them."""
    return [skill for skill in skills if skill.model_may_invoke]


def available_skills(offered: Sequence[Card]) -> str:
    """The `<available_skills>` element in OpenSkills' form."""
    parts = [
        f"<skill>\n<name>{_line(card.name)}</name>\n<description>{_line(card.description)}</description>\n"
        f"<location>{card.location}</location>\n</skill>\n\n"
        for card in offered
    ]
    return "<available_skills>\n\n" + "".join(parts) + "</available_skills>"


def skills_block(offered: Sequence[Card]) -> str:
    """The whole block for AGENTS.md."""
    return (
        '<skills_system priority="1">\n\n## Available Skills\n\n'
        f"{TABLE_START}\n<usage>\n{template('usage.md')}\n</usage>\n\n"
        f"{available_skills(offered)}\n{TABLE_END}\n\n</skills_system>"
    )


def to_prompt(offered: Sequence[Card]) -> str:
    """What `agentskills to-prompt` prints: each tag and value on a line of its own."""
    lines = ["<available_skills>"]
    for card in offered:
        lines += ["<skill>", "<name>", escape(visible(card.name)), "</name>"]
        lines += ["<description>", escape(visible(card.description)), "</description>"]
        lines += ["<location>", escape(visible(card.file), quote=False), "</location>", "</skill>"]
    return "\n".join([*lines, "</available_skills>"])


def _line(text: str) -> str:
    # A folder's name may be no text at all; what cannot be written is written as an escape.
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return escape(" ".join(visible(text).split()), quote=False)
