"""What models are told of each tool, kept as files so that it is reviewed as prose."""

from importlib.resources import files


def description(name: str) -> str:
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
