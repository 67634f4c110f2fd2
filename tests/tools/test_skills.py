"""What a run takes from skills: supporting files of its own, and the instructions of others."""

from collections.abc import Callable
from pathlib import Path

import pytest

from prowess.core.chat import Call, Observation
from prowess.core.errors import UnknownSkillError
from prowess.core.verdict import Verdict
from prowess.tools.place import Place
from prowess.tools.standard import standard_tools

Act = Callable[..., Observation]


@pytest.fixture
def skill(place: Place) -> Path:
    folder = Path(str(place.skill_dir))
    (folder / "references").mkdir()
    (folder / "references" / "style-guide.md").write_text("Write short sentences.\n")
    return folder


async def load(name: str, arguments: str) -> str:
    if name != "pdf":
        raise UnknownSkillError(f"no skill named {name!r}", hint="did you mean 'pdf'?")
    return f"Reading: pdf\nWork on {arguments}."


def test_a_supporting_file_is_read_by_its_path_in_the_skill(act: Act, skill: Path) -> None:
    seen = act("Fetch", file_path="references/style-guide.md")

    assert seen.ok
    assert seen.text == "Write short sentences.\n"
    assert seen.facts == {"path": "references/style-guide.md", "lines": 1}


def test_the_whole_path_of_a_supporting_file_will_do(act: Act, skill: Path) -> None:
    assert act("Fetch", file_path=str(skill / "references" / "style-guide.md")).ok


def test_a_supporting_file_carries_the_values_of_the_run(act: Act, skill: Path) -> None:
    (skill / "form.md").write_text("For $ARGUMENTS")

    seen = act(
        "Fetch",
        file_path="form.md",
        _place={"fill": lambda text: text.replace("$ARGUMENTS", "Ada")},
    )

    assert seen.text == "For Ada"


@pytest.mark.parametrize("path", ["../workspace/notes.md", "/etc/hostname", "a/../../x", "x\0y"])
def test_nothing_outside_the_skill_is_fetched(act: Act, skill: Path, path: str) -> None:
    seen = act("Fetch", file_path=path)

    assert not seen.ok
    assert "is not in the skill's folder" in seen.text


def test_a_link_out_of_the_skill_is_not_followed(act: Act, skill: Path, tmp_path: Path) -> None:
    (tmp_path / "private.txt").write_text("private")
    (skill / "link.md").symlink_to(tmp_path / "private.txt")

    seen = act("Fetch", file_path="link.md")

    assert not seen.ok
    assert "private" not in seen.text


def test_a_nearly_right_path_is_understood(act: Act, skill: Path) -> None:
    seen = act("Fetch", file_path="reference/style_guide.md")

    assert seen.ok
    assert "style-guide.md" in seen.healed[0]


def test_a_near_file_is_taken_only_when_it_is_granted(act: Act, skill: Path) -> None:
    def only_what_was_said(call: Call) -> Verdict:
        return Verdict(allowed="style-guide" not in str(call.input), reason="no")

    seen = act("Fetch", file_path="style_guide.md", _place={"gate": only_what_was_said})

    assert not seen.ok


def test_a_supporting_file_in_an_old_encoding_is_read(act: Act, skill: Path) -> None:
    (skill / "old.md").write_bytes("Grüße aus Köln, schöne Größe".encode("cp1252"))

    seen = act("Fetch", file_path="old.md")

    assert "Grüße" in seen.text
    assert seen.healed == ("read old.md as cp1252",)


def test_a_folder_of_the_skill_is_listed(act: Act, skill: Path) -> None:
    assert "style-guide.md" in act("Fetch", file_path="references").text


def test_a_binary_supporting_file_is_not_shown(act: Act, skill: Path) -> None:
    (skill / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")

    seen = act("Fetch", file_path="logo.png")

    assert not seen.ok
    assert "binary" in seen.text


def test_another_skill_brings_its_instructions(act: Act) -> None:
    seen = act("Skill", name="pdf", arguments="report.pdf", _place={"load_skill": load})

    assert seen.text == "Reading: pdf\nWork on report.pdf."


@pytest.mark.parametrize("said", ["/pdf", "@pdf", " pdf "])
def test_a_skill_is_known_however_people_write_its_name(act: Act, said: str) -> None:
    assert act("Skill", skill=said, _place={"load_skill": load}).ok


def test_an_unknown_skill_is_answered_with_a_near_name(act: Act) -> None:
    seen = act("Skill", name="pfd", _place={"load_skill": load})

    assert not seen.ok
    assert "no skill named 'pfd'" in seen.text
    assert "did you mean 'pdf'?" in seen.text


def test_what_the_place_cannot_serve_is_not_in_the_box(place: Place) -> None:
    names = {tool.name for tool in standard_tools(place)}

    assert "Fetch" in names
    assert not names & {"Skill", "Ask"}
