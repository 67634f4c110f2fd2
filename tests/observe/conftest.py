"""Where an event log may be: the place by which any process opens it."""

from pathlib import Path

import pytest

from postgres import server


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A file that is not there yet, or an empty database."""
    return str(tmp_path / "data" / "log") if request.param == "sqlite" else server().new_database()
