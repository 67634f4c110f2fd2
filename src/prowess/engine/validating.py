"""
The strict check of a skill: every rule of its format, every step of a workflow, and what its words
lead to: tools that nobody has, and files that are not there.
"""

import os
import re
from collections.abc import Iterator

from prowess.core.errors import ProwessError
from prowess.core.near import did_you_mean
from prowess.core.skill import Problem
from prowess.discover import frontmatter
from prowess.discover.rules import validate
from prowess.engine.wrong import WORKFLOW, of_workflow, text_of
from prowess.permit.rules import parse_rules

SKILL = "SKILL.md"
OURS = ("Ask", "Bash", "Edit", "Fetch", "Glob", "Grep", "Read", "Skill", "Write")
# Tools of other agents, which many skills name: granted there, and nothing here.
THEIRS = frozenset(
    "Agent AskUserQuestion BashOutput ExitPlanMode KillBash KillShell LS MultiEdit NotebookEdit"
    " NotebookRead SlashCommand Task TodoRead TodoWrite WebFetch WebSearch".split()
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LINK = re.compile(r"\]\(\s*<?([^()<>\s]+)>?(?:\s+[\"'][^()]*)?\)")
_FILE = re.compile(r"[\w./ -]+\.\w+")  # no address, no anchor, no placeholder


def problems_of(path: str) -> list[Problem]:
    """All that is wrong with the skill in the folder `path`, or whose file `path` is, by file, line and column."""
    found = validate(path)
    if not os.path.isdir(path) and os.path.basename(path) not in (SKILL, WORKFLOW):
        return found
    folder = os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path))
    return sorted(
        [*found, *of_workflow(folder, found), *_of_words(folder)],
        key=lambda problem: (problem.path, problem.line or 0, problem.column or 0),
    )


def _of_words(folder: str) -> Iterator[Problem]:
    """Tools and files that a SKILL.md names and that are not there. Both are legal, so they are warnings."""
    if (text := text_of(folder, SKILL)) is None:
        return
    path = os.path.join(folder, SKILL)
    for line, message, hint in (*_tools(text), *_links(text, folder)):
        yield Problem(path=path, line=line, level="warning", message=message, hint=hint)


def _tools(text: str) -> Iterator[tuple[int | None, str, str]]:
    try:
        header = frontmatter.parse(text)
    except ProwessError:
        return  # told by the rules of its format
    for field, value in header.fields.items():
        if field.replace("_", "-") not in ("allowed-tools", "disallowed-tools"):
            continue
        for tool in dict.fromkeys(rule.tool for rule in parse_rules(value).rules):
            if tool not in OURS and tool not in THEIRS and not tool.startswith("mcp__"):
                hint = did_you_mean(tool, OURS, most=1) or f"the tools are {', '.join(OURS)}"
                yield header.lines.get(field), f"{field} names no known tool: {tool}", hint


def _links(text: str, folder: str) -> Iterator[tuple[int, str, str]]:
    """Each file that is not there is told once, where it is first linked to."""
    told = set()
    for number, link in _prose_links(text):
        target = link.partition("#")[0]
        if target not in told and _FILE.fullmatch(target) and _is_missing(folder, target):
            told.add(target)
            hint = did_you_mean(target, _files(folder), most=1)
            yield number, f"there is no file {target}", hint or "add it, or mend the link"


def _prose_links(text: str) -> Iterator[tuple[int, str]]:
    """Where the links of a Markdown text lead, by line, but not those in its code."""
    fence = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if mark := _FENCE.match(line):
            if not fence or mark[1].startswith(fence):
                fence = "" if fence else mark[1]
        elif not fence:
            for link in _LINK.finditer(line):
                yield number, link[1]


def _is_missing(folder: str, target: str) -> bool:
    """Only what lies in the skill's own folder is looked for."""
    path = os.path.normpath(os.path.join(folder, target))
    return path.startswith(os.path.join(folder, "")) and not os.path.lexists(path)


def _files(folder: str) -> list[str]:
    return [
        os.path.relpath(os.path.join(at, name), folder)
        for at, _, names in os.walk(folder)
        for name in names
    ]
