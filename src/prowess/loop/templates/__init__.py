"""What the loop says to agents, beyond the prompts of a task; prose in `.md` files."""

from importlib.resources import files


def template(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
