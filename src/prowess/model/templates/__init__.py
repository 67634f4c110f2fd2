"""Prose for models and for the people who read a demonstration, kept as files and reviewed as prose."""

from importlib.resources import files


def template(name: str) -> str:
    """The text of one template, without the line break at its end."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8").rstrip("\n")
