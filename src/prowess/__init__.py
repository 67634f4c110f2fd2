"""
Prowess: the right skill at the right moment, run to the end, with proof.

    from prowess import load_settings, discover, ask

    settings = load_settings()
    catalog = discover(settings, record=print)
    print(ask(catalog, settings).match("review this change", limit=2))
"""

from typing import Any

__version__ = "0.1.0"
__all__ = [
    "Catalog",
    "Root",
    "Settings",
    "Skill",
    "ask",
    "discover",
    "load_settings",
    "open_catalog",
]

_HOMES = {
    "Catalog": "prowess.discover.catalog",
    "Root": "prowess.discover.roots",
    "Settings": "prowess.settings",
    "Skill": "prowess.core.skill",
    "ask": "prowess.engine",
    "discover": "prowess.engine",
    "load_settings": "prowess.settings",
    "open_catalog": "prowess.discover.catalog",
}


def __getattr__(name: str) -> Any:
    """The public names are imported when first used, so that `import prowess` costs nothing."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'prowess' has no attribute {name!r}")
