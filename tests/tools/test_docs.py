"""The page about tools names each of them with everything it takes."""

import re
from dataclasses import replace
from pathlib import Path

from prowess.core.run import Question
from prowess.tools.place import Place
from prowess.tools.standard import standard_tools

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"


async def nobody(question: Question) -> str | None:
    return None


async def nothing(name: str, arguments: str) -> str:
    return ""


def test_every_tool_is_documented_with_its_inputs(place: Place) -> None:
    rows = {
        row[1]: re.findall(r"`([^`]+)`", row[2])
        for row in re.finditer(r"^\| `([A-Z]\w+)` \| (.*?) \|", PAGE.read_text(), re.MULTILINE)
    }

    tools = standard_tools(replace(place, ask=nobody, load_skill=nothing))

    assert rows == {
        tool.name: [
            name if name in tool.parameters.get("required", ()) else f"{name}?"
            for name in tool.parameters["properties"]
        ]
        for tool in tools
    }
