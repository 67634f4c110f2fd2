"""Read and Write."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prowess.core.chat import Call, Observation
from prowess.core.verdict import Verdict
from prowess.tools.place import Place
from support import write_file

Act = Callable[..., Observation]


def test_a_file_is_read_with_line_numbers(act: Act, workspace: Path) -> None:
    write_file(workspace / "a.txt", "one\ntwo\n")

    assert act("Read", file_path="a.txt").text == "     1\tone\n     2\ttwo"


def test_a_part_of_a_file_says_how_to_go_on(act: Act, workspace: Path) -> None:
    write_file(workspace / "a.txt", "".join(f"line {number}\n" for number in range(1, 11)))

    seen = act("Read", file_path="a.txt", offset=3, limit=2)

    assert seen.text.startswith("     3\tline 3\n     4\tline 4\n")
    assert "offset=5" in seen.text
    assert not act("Read", file_path="a.txt", offset=11).ok


def test_a_long_file_stays_within_the_room_of_one_observation(act: Act, workspace: Path) -> None:
    write_file(workspace / "a.txt", ("x" * 5_000 + "\n") * 100)

    seen = act("Read", file_path="a.txt")

    assert len(seen.text) <= 30_000
    assert "[line cut]" in seen.text
    assert "go on with offset=" in seen.text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8-sig", "naïve\n"),
        ("utf-16", "Grüße\n"),
        ("utf-16-le", "name,city\nZoë,Köln\n"),
        ("utf-32", "Grüße\n"),
        ("cp1252", "name;price\n“Ünïcode”;12 €\n"),
        ("latin-1", "name,city\nJosé,São Paulo\n"),
        ("cp1250", "Pracownicy działu księgowości muszą złożyć wnioski, które są niezbędne.\n" * 3),
        ("shift_jis", "名前,価格\nりんご,100\n"),
        ("gb18030", "这是一个中文文本文件。\n"),
        ("cp1251", "имя,город\nИван,Москва\n"),  # noqa: RUF001
    ],
)
def test_any_encoding_is_read_and_said(act: Act, workspace: Path, encoding: str, text: str) -> None:
    write_file(workspace / "a.csv", text.encode(encoding))

    seen = act("Read", file_path="a.csv")

    for line in text.splitlines():
        assert line in seen.text
    assert encoding == "utf-8-sig" or "read a.csv as" in seen.healed[0]


def test_a_stray_accent_is_not_taken_for_chinese(act: Act, workspace: Path) -> None:
    write_file(workspace / "a.txt", ("x" * 5_000 + " naïve\n").encode("latin-1"))

    assert act("Read", file_path="a.txt", offset=1).healed == ("read a.txt as cp1252",)


def test_the_encoding_can_be_named_and_a_wrong_one_is_told(act: Act, workspace: Path) -> None:
    write_file(workspace / "a.txt", "Größe".encode("cp437"))

    assert "Größe" in act("Read", file_path="a.txt", encoding="cp437").text
    assert not act("Read", file_path="a.txt", encoding="utf-8").ok
    assert "unknown encoding" in act("Read", file_path="a.txt", encoding="nonsense").text


def test_binary_is_told_as_such(act: Act, workspace: Path) -> None:
    write_file(workspace / "a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")

    seen = act("Read", file_path="a.png")

    assert not seen.ok
    assert "a.png is binary" in seen.text


def test_a_folder_is_listed(act: Act, workspace: Path) -> None:
    write_file(workspace / "src/a.py", "")
    write_file(workspace / "README.md", "")

    assert act("Read", file_path=".").text == ". is a folder. It holds:\nREADME.md\nsrc/"
    assert act("Read", file_path="src").text.endswith("a.py")


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ("Data/Sales.CSV", "data/sales.csv"),
        ("my-file_name.txt", "my file name.txt"),
        ("report.txt", "reports.txt"),
        ("settings.yml", "settings.yaml"),
        ("deep/down/notes.md", "notes.md"),
        ("configuration.toml", "configuraton.toml"),
    ],
)
def test_a_near_name_is_taken_when_only_one_can_be_meant(
    act: Act, workspace: Path, there: str, said: str
) -> None:
    write_file(workspace / there, "here it is")
    write_file(workspace / "other/unrelated.py", "")

    seen = act("Read", file_path=said)

    assert "here it is" in seen.text
    assert seen.healed == (f"there is no {said}; took {there}",)
    assert seen.healed[0] in seen.text


def test_of_several_near_names_none_is_taken(act: Act, workspace: Path) -> None:
    write_file(workspace / "a/notes.md", "")
    write_file(workspace / "b/notes.md", "")

    seen = act("Read", file_path="notes.md")

    assert not seen.ok
    assert "a/notes.md, b/notes.md" in seen.text


def test_a_near_name_that_is_not_granted_is_not_read(act: Act, workspace: Path) -> None:
    write_file(workspace / "private/notes.md", "secret")

    def gate(call: Call) -> Verdict:
        return Verdict(allowed=not call.input["file_path"].startswith("private/"), reason="")

    seen = act("Read", file_path="notes.md", _place={"gate": gate})

    assert not seen.ok
    assert "secret" not in seen.text


def test_without_healing_a_near_name_is_only_absent(act: Act, workspace: Path) -> None:
    write_file(workspace / "Notes.md", "x")

    assert not act("Read", file_path="notes.md", _place={"heals": False}).ok


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../secret", "link", "a\0b"])
def test_nothing_outside_is_read_or_written(act: Act, workspace: Path, path: str) -> None:
    write_file(workspace.parent / "secret", "keep out")
    (workspace / "link").symlink_to("../secret")

    assert "keep out" not in act("Read", file_path=path).text
    assert not act("Read", file_path=path).ok
    assert not act("Write", file_path=path, content="x").ok
    assert (workspace.parent / "secret").read_text() == "keep out"


def test_an_absolute_path_inside_the_workspace_is_fine(act: Act, workspace: Path) -> None:
    assert act("Write", file_path=str(workspace / "a.txt"), content="x").ok
    assert act("Read", file_path=str(workspace / "a.txt")).ok


def test_the_skill_folder_is_read_and_not_written(act: Act, place: Place) -> None:
    assert place.skill_dir
    path = write_file(Path(place.skill_dir) / "reference.md", "how to")

    assert "how to" in act("Read", file_path=str(path)).text
    assert "may only be read" in act("Write", file_path=str(path), content="x").text


def test_a_skill_folder_inside_the_workspace_is_still_not_written(
    act: Act, workspace: Path
) -> None:
    skill = workspace / ".agents/skills/demo"
    skill.mkdir(parents=True)

    seen = act(
        "Write", file_path=".agents/skills/demo/x", content="", _place={"skill_dir": str(skill)}
    )

    assert not seen.ok


def test_write_makes_folders_and_says_what_it_did(act: Act, workspace: Path) -> None:
    first = act("Write", file_path="a/b/c.txt", content="é\n")
    second = act("Write", file_path="a/b/c.txt", content="longer\n")

    assert first.text.startswith("Created a/b/c.txt: 3 bytes")
    assert first.healed == ("made the folder a",)
    assert second.text.startswith("Overwrote a/b/c.txt")
    assert (workspace / "a/b/c.txt").read_text() == "longer\n"


def test_a_value_that_is_no_text_is_written_as_json(act: Act, workspace: Path) -> None:
    seen = act("Write", file_path="a.json", content={"a": [1]})

    assert seen.ok
    assert (workspace / "a.json").read_text() == '{\n  "a": [\n    1\n  ]\n}'


def test_trouble_that_passes_is_waited_out(
    act: Act, workspace: Path, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(workspace / "a.txt", "here")
    real, left = os.open, iter([True, True])

    def busy(*args: Any, **kwargs: Any) -> int:
        if args[0] == str(workspace) and next(left, False):
            raise OSError(24, "Too many open files")
        return real(*args, **kwargs)

    monkeypatch.setattr(os, "open", busy)

    seen = act("Read", file_path="a.txt")

    assert "here" in seen.text
    assert seen.healed == ("tried again 2 times, as the trouble was passing",)
    assert pauses == [0.05, 0.2]


def test_a_fifo_is_refused_at_once(act: Act, workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")

    assert "not a plain file" in act("Read", file_path="pipe").text
    assert "not a plain file" in act("Write", file_path="pipe", content="").text


def test_a_path_of_another_machine_is_taken_to_end_here(act: Act, workspace: Path) -> None:
    write_file(workspace / "src" / "app.py", "x = 1\n")

    seen = act("Read", file_path="/home/ada/project/src/app.py")

    assert seen.ok
    assert seen.healed == (
        "/home/ada/project/src/app.py is outside the workspace; took src/app.py",
    )


def test_a_name_alone_is_not_enough_to_take_a_file_for_one_from_elsewhere(
    act: Act, workspace: Path
) -> None:
    write_file(workspace / "passwd", "mine\n")

    seen = act("Read", file_path="/etc/passwd")

    assert not seen.ok
    assert "outside the workspace" in seen.text


def test_a_path_of_another_machine_must_be_granted_here(act: Act, workspace: Path) -> None:
    write_file(workspace / "src" / "app.py", "x = 1\n")

    def no(call: Call) -> Verdict:
        return Verdict(allowed=False, reason="no")

    assert not act("Read", file_path="/home/ada/src/app.py", _place={"gate": no}).ok
