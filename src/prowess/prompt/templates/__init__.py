"""Prose for models, kept as files so that it is reviewed as prose."""

from importlib.resources import files


def template(name: str) -> str:
    """The text of one template, without the line break at its end."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8").rstrip("\n")
