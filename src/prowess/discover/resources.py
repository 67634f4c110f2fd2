"""
A skill's supporting files: listed with what SKILL.md says of them, read only when asked for.

Nothing outside the skill's folder is ever read, whatever a link, a dot-dot or a race suggests.
"""

import os
import re
from collections.abc import Iterator

from prowess.core.errors import RefusedError, SkillError
from prowess.core.files import decode, read_beneath
from prowess.core.skill import Resource, Skill
from prowess.discover.scan import DEFINITIONS, PASSED_OVER

MAX_FILES = 512  # what the MCP skills extension allows a skill
MAX_DEPTH = 8
LONGEST_LINE = 1_000
TOLD_CHARS = 200_000
_LINK = re.compile(r"\[[^\[\]]*\]\(([^()]*)\)")
_BULLET = re.compile(r"^(?:[-*+]|\d{1,3}[.)])\s+")
_DOT_SLASH = re.compile(r"(?<![\w/.])\./")
_DASHES = (":", "-", "\u2013", "\u2014")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_LABEL = re.compile(r"\w[\w -]{0,40}: ")
_POINTS = re.compile(r"\b(?:see|read|in|refer to|check|use|load|follow)\b", re.IGNORECASE)


def resources(skill: Skill) -> list[Resource]:
    """Every plain file in the skill's folder but its definitions, by path; at most `MAX_FILES`."""
    told = _bare_lines(instructions_text(skill))
    return [
        Resource(path=path, size=size, lines=lines, description=_described(path, told))
        for path, size, lines in _files(skill.path)
    ]


def read_resource(skill: Skill, path: str) -> str:
    """The text of one supporting file, or an error that leaks nothing of what is outside."""
    return decode(read_beneath(skill.path, path))


def instructions_text(skill: Skill) -> str:
    """The file with the skill's instructions as it stands on disk; empty for a manifest without a skill.md."""
    name = "skill.md" if skill.files[0] == "manifest.json" else skill.files[0]
    try:
        return read_resource(skill, name)
    except RefusedError:
        if name == "skill.md":
            return ""
        raise


def described(path: str, text: str) -> str:
    """What `text` says of the file: after its name in a list, behind a label, or where it says to see it."""
    return _described(path, _bare_lines(text))


def _bare_lines(text: str) -> list[str]:
    """Long lines are passed over, and what comes late: they are data, and patterns on them would take their time."""
    return [_bare(line) for line in text[:TOLD_CHARS].split("\n") if len(line) <= LONGEST_LINE]


def _described(path: str, told: list[str]) -> str:
    lines = [line for line in told if path in line]
    named = re.compile(rf"(?<![\w/.-]){re.escape(path)}(?![\w/-]|\.\w)")
    for line in lines:
        if (found := named.match(line)) and (rest := line[found.end() :].lstrip()).startswith(
            _DASHES
        ):
            return rest[1:].strip()
    for line in lines:
        if named.search(line) and _LABEL.match(line):
            return line
    for line in lines:
        for sentence in _SENTENCE.split(line):
            if named.search(sentence) and _POINTS.search(sentence):
                return sentence.strip()
    return ""


def _bare(line: str) -> str:
    """The line without its bullet and without bold, code and link marks."""
    line = _LINK.sub(r"\1", line.replace("**", "").replace("`", "")).strip()
    return _DOT_SLASH.sub("", _BULLET.sub("", line))


def _files(root: str) -> Iterator[tuple[str, int, int]]:
    """Path, size and line count of each plain file, sorted; links are passed over, as they may lead anywhere."""
    found: list[tuple[str, int]] = []
    waiting = [("", 0)]
    while waiting and len(found) < MAX_FILES:
        below, depth = waiting.pop(
            0
        )  # what lies nearer the top comes first, should there be too many
        try:
            with os.scandir(os.path.join(root, below)) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in inside:
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.name in PASSED_OVER or (not below and entry.name in DEFINITIONS):
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < MAX_DEPTH:
                    waiting.append((path, depth + 1))
            elif entry.is_file(follow_symlinks=False):
                found.append((path, entry.stat(follow_symlinks=False).st_size))
    for path, size in sorted(found[:MAX_FILES]):
        yield path, size, _lines(root, path)


def _lines(root: str, path: str) -> int:
    """Lines of text; 0 for what is not text, too large or gone."""
    try:
        data = read_beneath(root, path)
        decode(data)
    except (RefusedError, SkillError):
        return 0
    if b"\0" in data:
        return 0
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
