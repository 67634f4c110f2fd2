"""The specification's rules for a skill's name, one place for the lenient and the strict reading."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_NAME = 64
_PLAIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a name, worded to follow it, and what would be right."""

    what: str
    hint: str


def is_faultless(name: str, folder: str) -> bool:
    """Plain and the folder's own, as most names are: then no rule is broken, and nothing else need be asked."""
    short = len(name) <= LONGEST_NAME
    return short and folder.endswith(f"/{name}") and _PLAIN.fullmatch(name) is not None


def name_faults(name: str, folder: str) -> Iterator[Fault]:
    """Every rule the name breaks. Letters of any script are letters; the folder must be called the same."""
    if is_faultless(name, folder):
        return
    directory = folder.rpartition("/")[2]
    name = unicodedata.normalize("NFKC", name)
    # The folder's name is the better one, if the specification would have it.
    right = (
        directory
        if _PLAIN.fullmatch(directory) and len(directory) <= LONGEST_NAME
        else suggestion(name)
    )
    better = f"write `name: {right}`" + (
        "" if right == directory else " and call the folder the same"
    )
    if not name:
        yield Fault("is empty", better)
    if len(name) > LONGEST_NAME:
        yield Fault(f"has {len(name)} characters", f"use at most {LONGEST_NAME}: {better}")
    if name != name.lower():
        yield Fault("is not lowercase", better)
    if name.startswith("-") or name.endswith("-"):
        yield Fault("begins or ends with a hyphen", better)
    if "--" in name:
        yield Fault("has two hyphens in a row", better)
    if not all(letter.isalnum() or letter == "-" for letter in name):
        yield Fault("has characters other than letters, digits and hyphens", better)
    if unicodedata.normalize("NFKC", directory) != name:
        yield Fault(
            f"is not the folder's, {directory!r}",
            "give both the same name; other tools go by the folder",
        )


def suggestion(name: str) -> str:
    """The nearest name that the specification allows."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", name).lower())
    return "-".join(words)[:LONGEST_NAME].strip("-") or "my-skill"
