"""What is installed besides is shown, and what Python would load of it by itself is not."""

from pathlib import Path

import pytest

from prowess.check.tree.beside import found_beside, lying_beside
from support import write_file

PACKAGES = ".venv/lib/python3.12/site-packages"


def shown(folder: Path, *new: str) -> set[str]:
    """Which of these new files are shown beside one that was installed before."""
    write_file(folder / PACKAGES / "pluggy/__init__.py", "old\n")
    before = lying_beside(str(folder), (), ())
    for name in new:
        write_file(folder / PACKAGES / name, "new\n")
    entries = found_beside(str(folder), (), (), before)
    seen = {path for entry in entries for path in entry.files if path not in entry.hidden}
    return {name for name in new if f"{PACKAGES}/{name}" in seen}


@pytest.mark.parametrize(
    "new",
    [
        "sitecustomize.pyc",
        "usercustomize.pyc",
        "sitecustomize.cpython-312-x86_64-linux-gnu.so",
        "sitecustomize/__init__.pyc",
        "planted.pyc",
        "planted/__init__.pyc",
        "planted.pth",
        "planted.egg-link",
    ],
)
def test_what_python_loads_by_itself_or_nobody_can_read_is_hidden(tmp_path: Path, new: str) -> None:
    assert shown(tmp_path, new) == set()


def test_a_module_that_was_installed_is_shown_whole(tmp_path: Path) -> None:
    six = {
        "six.py",
        "__pycache__/six.cpython-312.pyc",
        "six-1.16.0.dist-info/METADATA",
        "six-1.16.0.dist-info/RECORD",
    }
    cffi = {
        "_cffi_backend.cpython-312-x86_64-linux-gnu.so",
        "cffi/__init__.py",
        "cffi/__pycache__/__init__.cpython-312.pyc",
        "cffi.libs/libffi.so.8",
    }

    assert shown(tmp_path, *six, *cffi) == six | cffi
