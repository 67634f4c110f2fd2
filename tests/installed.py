"""What tests take for granted on a machine: tools of others (`make peers`), and programs."""

import os
from pathlib import Path
from typing import NoReturn

import pytest

PEERS = Path(__file__).parents[1] / ".peers"


def peer(relative: str) -> str:
    """The path of an installed peer; without it the test is skipped, or fails where all is required."""
    path = PEERS / relative
    if not path.exists():
        missing(f"{path.name} is not installed: run `make peers`")
    return str(path)


def missing(why: str) -> NoReturn:
    """Skip a test for want of something on this machine, or fail it where all is required."""
    if os.environ.get("PROWESS_REQUIRE_ALL"):
        pytest.fail(why)
    pytest.skip(why)
