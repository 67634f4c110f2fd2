"""The folder that an agent keeps its things in."""

from pathlib import Path

from prowess.loop.agents.private import TEMPORARY, private_folder, write_files


def test_nobody_else_can_look_into_it_and_it_goes() -> None:
    with private_folder() as place:
        write_files(place, {"deep/settings.json": "{}"})

        assert Path(place).stat().st_mode & 0o777 == 0o700
        assert Path(place, TEMPORARY).is_dir()
        assert Path(place, "deep/settings.json").read_text() == "{}"

    assert not Path(place).exists()
