"""The example skills, found as a user would find them."""

from pathlib import Path

import pytest

from prowess.discover.catalog import Catalog, open_catalog
from prowess.discover.roots import Root

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def skills() -> Path:
    return EXAMPLES / "skills"


@pytest.fixture(scope="session")
def data() -> Path:
    return EXAMPLES / "data"


@pytest.fixture
def catalog(skills: Path) -> Catalog:
    return open_catalog([Root(path=str(skills), location="project")])
