"""
A skill's instructions in the form that OpenSkills' `read` prints.

Reading is all that happens: commands and variables in the text are left as they stand.
"""

from collections.abc import Sequence

from prowess.core.skill import Skill
from prowess.prompt.templates import template


def read_form(skill: Skill, text: str) -> str:
    """`text` is the file as it stands on disk, header included; it is not touched."""
    return f"Reading: {skill.name}\nBase directory: {skill.path}\n\n{text}\n\nSkill read: {skill.name}\n"


def loaded(
    skill: Skill, text: str, references: Sequence[tuple[str, str]], *, max_chars: int
) -> tuple[str, bool]:
    """
    The skill for a prompt, and whether it had to be cut.

    The instructions come first, then the references in the order given; together they have at
    most `max_chars` characters, and a cut is announced where it was made, with where the rest is.
    """
    whole, missing = text, ""  # `missing`: the first reference that is not there to its end
    for path, reference in references:
        whole += f"\n\nReference: {path}\n\n{reference}"
        if len(whole) > max_chars and not missing:
            missing = path
    cut = len(whole) > max_chars
    if cut:
        where = [template("cut-instructions.md")] if len(text) > max_chars else []
        where += [template("cut-references.md")] if missing else []
        note = template("cut.md").format(
            shown=f"{max_chars:,}", total=f"{len(whole):,}", where=", and ".join(where)
        )
        note = note.format(file=skill.file, name=skill.name, path=missing)
        whole = f"{whole[:max_chars]}\n\n{note}"
    return read_form(skill, whole).rstrip("\n"), cut
