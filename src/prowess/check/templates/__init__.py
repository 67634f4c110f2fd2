"""Prose for the agents of a check, and how a task is told to them."""

from collections.abc import Sequence
from importlib.resources import files

from prowess.core.evidence import Spec


def template(name: str) -> str:
    """The text of one template, without the line break at its end."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8").rstrip("\n")


def told(spec: Spec, *, validation: Sequence[str] = (), base: str = "") -> str:
    """A task as an agent reads it; a part with nothing in it is left out."""
    parts = [
        f"# Task {spec.id}: {spec.title}",
        spec.summary,
        _listed("Acceptance criteria, word for word", spec.criteria),
        _listed("Files that may be changed", spec.files),
        _listed("Validation commands", validation),
        f"The work began at commit {base}." if base else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _listed(heading: str, lines: Sequence[str]) -> str:
    return "\n".join((f"## {heading}", "", *(f"- {line}" for line in lines))) if lines else ""
