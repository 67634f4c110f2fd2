"""The tools every run starts with; what the place cannot serve is left out of the box."""

from prowess.tools.ask import ask_tools
from prowess.tools.edit import edit_tool
from prowess.tools.files import file_tools
from prowess.tools.place import Place
from prowess.tools.search import search_tools
from prowess.tools.shell import shell_tool
from prowess.tools.skills import skill_tools
from prowess.tools.toolbox import Tool


def standard_tools(place: Place) -> list[Tool]:
    return [
        *file_tools(place),
        edit_tool(place),
        *search_tools(place),
        shell_tool(place),
        *skill_tools(place),
        *ask_tools(place),
    ]
