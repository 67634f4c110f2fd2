"""
The strict check of a skill: every rule of its format, every step of a workflow, and what its words
lead to: tools that nobody has, and files that are not there.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator

from prowess.core.errors import ProwessError
from prowess.core.files import decode, read_beneath
from prowess.core.near import did_you_mean
from prowess.core.skill import Problem, Skill
from prowess.discover import frontmatter
from prowess.discover.rules import validate
from prowess.permit.rules import parse_rules

WORKFLOW = "skill.yaml"
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
    """All that is wrong with the skill in the folder `path`, or whose file `path` is, by file and line."""
    found = validate(path)
    if not os.path.isdir(path) and os.path.basename(path) not in (SKILL, WORKFLOW):
        return found
    folder = os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path))
    return sorted(
        [*found, *_of_workflow(folder, found), *_of_words(folder)],
        key=lambda problem: (problem.path, problem.line or 0),
    )


def workflow_problems(skills: Iterable[Skill], found: Collection[Problem]) -> list[Problem]:
    """What keeps workflows from running: to be quick, discovery `found` only what is wrong in their heads."""
    workflows = [skill for skill in skills if skill.format == "workflow"]
    return [problem for skill in workflows for problem in _of_workflow(skill.path, found)]


def _of_workflow(folder: str, found: Collection[Problem]) -> Iterator[Problem]:
    """The mistakes of its steps, but not at a place where something was found already."""
    if (text := _text(folder, WORKFLOW)) is None:
        return
    from prowess.workflow.check import find_mistakes

    path = os.path.join(folder, WORKFLOW)
    known = {problem.line for problem in found if problem.path == path}
    for each in find_mistakes(text, beside=lambda name: os.path.isfile(os.path.join(folder, name))):
        if each.line not in known:
            yield Problem(path=path, line=each.line, message=each.message, hint=each.hint)


def _of_words(folder: str) -> Iterator[Problem]:
    """Tools and files that a SKILL.md names and that are not there. Both are legal, so they are warnings."""
    if (text := _text(folder, SKILL)) is None:
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


def _text(folder: str, name: str) -> str | None:
    """None when it is not there, or cannot be read: that is told by the rules of its format."""
    if not os.path.isfile(os.path.join(folder, name)):
        return None
    try:
        return decode(read_beneath(folder, name))
    except ProwessError:
        return None
