"""
The journey, in order. Read this folder first.

    folders → finding → catalog → choosing → the few skills that fit, and their prompt → running → outcome

The stages do not know each other; they meet here and nowhere else.
"""

from prowess.engine.choosing import Asking, ask, read_plan_file, step_prompt
from prowess.engine.finding import (
    Started,
    discover,
    find_roots,
    load,
    role_prompt,
    start,
    tell,
)

__all__ = [
    "Asking",
    "Started",
    "ask",
    "discover",
    "find_roots",
    "load",
    "read_plan_file",
    "role_prompt",
    "start",
    "step_prompt",
    "tell",
]
