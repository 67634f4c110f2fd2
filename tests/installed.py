"""Tools of others that `make peers` installs below .peers, for tests that work with the real ones."""

import os
from pathlib import Path
from typing import NoReturn

import pytest

PEERS = Path(__file__).parents[1] / ".peers"


def peer(relative: str) -> str:
    """The path of an installed peer; without it the test is skipped, or fails where all is required."""
    path = PEERS / relative
    if not path.exists():
        absent(path.name)
    return str(path)


def absent(name: str) -> NoReturn:
    why = f"{name} is not installed: run `make peers`"
    if os.environ.get("PROWESS_REQUIRE_ALL"):
        pytest.fail(why)
    pytest.skip(why)
