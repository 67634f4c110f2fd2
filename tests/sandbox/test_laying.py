"""What a command finds in the place of something else, and what becomes of what it writes there."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from prowess.core.errors import RefusedError
from prowess.core.process import Finished, Laid, Order
from prowess.sandbox import laying
from prowess.sandbox.bubblewrap import Bubblewrap
from prowess.sandbox.probe import open_sandbox, probe
from support import write_file

pytestmark = pytest.mark.skipif(
    probe().level != "bubblewrap", reason="only bubblewrap shows a folder in the place of another"
)


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A folder with programs beside the work, and a copy of the work."""
    tree, copy = tmp_path / "tree", tmp_path / "copy"
    write_file(tree / "programs/run", "run\n")
    write_file(tree / "programs/planted", "planted\n")
    write_file(tree / "programs/inner/planted", "planted\n")
    write_file(tree / "secret", "secret\n")
    write_file(copy / "code", "code\n")
    return tree, copy


def run(command: str, tree: Path, *laid: Laid) -> Finished:
    sandbox = open_sandbox("bubblewrap")
    return asyncio.run(sandbox.run(Order(argv=["sh", "-c", command], cwd=str(tree), laid=laid)))


def over(tree: Path, copy: Path) -> list[Laid]:
    return [
        Laid(path=str(tree), source=str(copy), kept=True),
        Laid(path=str(tree / "programs"), source=str(tree / "programs")),
    ]


def test_a_folder_is_seen_at_the_path_of_another_and_written_where_it_lies(
    places: tuple[Path, Path],
) -> None:
    tree, copy = places

    done = run("cat code && test ! -e secret && echo new > made", tree, *over(tree, copy))

    assert (done.code, done.out) == (0, b"code\n")
    assert (copy / "made").read_text() == "new\n"
    assert not (tree / "made").exists()


@pytest.mark.parametrize("how", ["disk", "memory"])
def test_what_is_written_over_a_folder_is_dropped(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    tree, copy = places
    monkeypatch.setattr(laying, "overlays", lambda binary, folder: how)

    done = run(
        "cat programs/run && echo x > programs/run && rm -r programs/inner && echo > programs/new"
        " && cat programs/run",
        tree,
        *over(tree, copy),
    )

    assert (done.code, done.out) == (0, b"run\nx\n")
    assert (tree / "programs/run").read_text() == "run\n"
    assert (tree / "programs/inner/planted").exists()
    assert not (tree / "programs/new").exists()


def test_where_there_are_no_overlays_the_folder_itself_is_written(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, copy = places
    monkeypatch.setattr(laying, "overlays", lambda binary, folder: "none")

    assert run("echo > programs/new", tree, *over(tree, copy)).code == 0
    assert (tree / "programs/new").exists()


@pytest.mark.parametrize("how", ["disk", "memory"])
def test_what_a_folder_is_laid_without_is_not_there(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    tree, copy = places
    monkeypatch.setattr(laying, "overlays", lambda binary, folder: how)
    work, programs = over(tree, copy)
    programs = replace(programs, without=("planted", "inner"))

    done = run("ls programs", tree, work, programs)

    assert (done.code, done.out) == (0, b"run\n")


def test_where_nothing_can_be_hidden_such_a_folder_is_not_shown(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, copy = places
    monkeypatch.setattr(laying, "overlays", lambda binary, folder: "none")
    work, programs = over(tree, copy)

    assert (
        run("test ! -e programs/run", tree, work, replace(programs, without=("planted",))).code == 0
    )


def test_a_file_that_is_laid_is_only_read(places: tuple[Path, Path]) -> None:
    tree, copy = places
    file = Laid(path=str(tree / "secret"), source=str(tree / "secret"))

    done = run("cat secret; echo x > secret", tree, *over(tree, copy), file)

    assert done.out == b"secret\n"
    assert done.code != 0
    assert (tree / "secret").read_text() == "secret\n"


def test_nothing_is_laid_over_a_home_folder_or_through_a_link(places: tuple[Path, Path]) -> None:
    tree, copy = places
    (tree / "link").symlink_to(copy)

    with pytest.raises(RefusedError, match="home folder"):
        run("true", tree, Laid(path=str(Path.home()), source=str(copy), kept=True))
    with pytest.raises(RefusedError, match="link"):
        run("true", tree, Laid(path=str(tree), source=str(tree / "link"), kept=True))


def test_whether_there_are_overlays_is_found_out_by_trying(tmp_path: Path) -> None:
    sandbox = open_sandbox("bubblewrap")
    assert isinstance(sandbox, Bubblewrap)

    assert laying.overlays(sandbox.binary, str(tmp_path)) in ("disk", "memory", "none")
    assert laying.overlays("/usr/bin/false", str(tmp_path)) == "none"


def test_a_file_system_that_no_overlay_may_lie_on_is_found_out_by_trying(
    places: tuple[Path, Path],
) -> None:
    """One of the kernel's own is such a file system."""
    sandbox = open_sandbox("bubblewrap")
    assert isinstance(sandbox, Bubblewrap)

    done = run("true", places[0], *over(*places), Laid(path="/run/own", source="/proc/tty"))

    assert done.code == 0
    assert laying.overlays(sandbox.binary, "/proc/tty") == "none"
