from prowess.core.skill import Skill
from prowess.prompt.role import role_form


def skill(name: str, **header: object) -> Skill:
    return Skill(
        name=name,
        description=f"About {name}.",
        format="manifest",
        location="project",
        path=f"/skills/{name}",
        files=("manifest.json",),
        header=header,
    )


def test_each_skill_has_a_rule_a_title_with_version_a_description_and_its_instructions() -> None:
    text = role_form([(skill("a", title="Skill A", version="1.2.3"), "Do this."), (skill("b"), "")])

    assert text == (
        "---\n# Skill A (v1.2.3)\n\nAbout a.\n\nDo this.\n\n---\n# b (v1.0.0)\n\nAbout b."
    )


def test_a_description_cannot_begin_a_section_of_its_own() -> None:
    sly = skill("a", title="A\n---\n# B", version="1\n# C")

    assert role_form([(sly, "")]) == "---\n# A --- # B (v1 # C)\n\nAbout a."


def test_a_title_cannot_drive_the_terminal() -> None:
    assert role_form([(skill("a", title="A\x1b[2J\u202e"), "")]).startswith("---\n# A[2J (v1.0.0)")
