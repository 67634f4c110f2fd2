"""What models are told of each tool, kept as files so that it is reviewed as prose."""

from functools import cache
from importlib.resources import files


@cache
def description(name: str) -> str:
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
