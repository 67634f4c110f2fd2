"""
Prowess: the right skill at the right moment, run to the end, with proof.

    import asyncio, prowess

    outcome = asyncio.run(prowess.run("csv-report", "sales.csv", model="haiku"))
    print(outcome.answer)

docs/journeys/python.md has more. Whatever is not named here may change without notice.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prowess.api import run
    from prowess.core.errors import ProwessError
    from prowess.core.run import Outcome
    from prowess.core.skill import Skill
    from prowess.discover.catalog import Catalog, open_catalog
    from prowess.discover.roots import Root
    from prowess.engine import ask, find_roots
    from prowess.engine.house import open_house
    from prowess.engine.request import RunRequest
    from prowess.settings import Settings, load_settings

__version__ = "0.1.0"
__all__ = [
    "Catalog",
    "Outcome",
    "ProwessError",
    "Root",
    "RunRequest",
    "Settings",
    "Skill",
    "ask",
    "find_roots",
    "load_settings",
    "open_catalog",
    "open_house",
    "run",
]
_HOMES = {
    "Catalog": "prowess.discover.catalog",
    "Outcome": "prowess.core.run",
    "ProwessError": "prowess.core.errors",
    "Root": "prowess.discover.roots",
    "RunRequest": "prowess.engine.request",
    "Settings": "prowess.settings",
    "Skill": "prowess.core.skill",
    "ask": "prowess.engine",
    "find_roots": "prowess.engine",
    "load_settings": "prowess.settings",
    "open_catalog": "prowess.discover.catalog",
    "open_house": "prowess.engine.house",
    "run": "prowess.api",
}


def __getattr__(name: str) -> Any:
    """The public names are imported when first used, so that `import prowess` costs nothing."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'prowess' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, also before they are first used, and nothing that is only ours."""
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
