"""
A plan is a Markdown task list, read as Markdown and not by its prefixes.

    ## Tasks
    - [ ] Reject durations without a unit @code-quality      to do
      - files: src/durations.py, tests/**
      - after: Add the table of units
      - `parse("10")` raises and names the units              an acceptance criterion
    - [~] blocked   - [x] done, awaiting review   - [R] reviewed   - [ ]? for a person to try

Fences hold no tasks, nor do sections about verification, checklists or manual QA. The commands in
a fence under a heading like "Validation commands" prove every task.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from prowess.core.errors import UsageError
from prowess.core.task import Mark, Plan, Task, key_of, names_of
from prowess.select.hints import find_hints

MAX_NESTING = 100
MAX_BYTES = 32 * 1024 * 1024
_TASK = re.compile(r"\[([ ~xXR])\](\??)[ \t]+(\S.*)", re.DOTALL)
_FIELD = re.compile(r"(files|after)[ \t]*:[ \t]*(.*)", re.IGNORECASE)
_MARK = re.compile(r"\[[ ~xXR]\](?=\??[ \t])")
_IGNORED = re.compile(r"verification|checklist", re.IGNORECASE)
_MANUAL = re.compile(r"manual\s+qa\b", re.IGNORECASE)
_VALIDATION = re.compile(
    r"\bvalidation\s+commands?\b|^(?:[\d.]+\s+)?(?:final\s+)?validation:?$|^commands?\s+to\s+run\b",
    re.IGNORECASE,
)
_LINE_END = re.compile(r"\r\n|\n|\r")


def read_plan(data: bytes) -> Plan:
    """Parse a plan; raises `UsageError` when it is no text at all."""
    if len(data) > MAX_BYTES:
        raise UsageError(f"the plan has {len(data):,} bytes", hint=f"keep it under {MAX_BYTES:,}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("the plan is not UTF-8", hint="save it as UTF-8 text") from None
    if "\0" in text:
        raise UsageError("the plan is not text", hint="name a Markdown file")
    return _Reader().read(text)


def ticked(data: bytes, task: Task, mark: Mark) -> bytes:
    """`data` with the mark of `task` changed, and no other byte; raises when the task is not there any more."""
    if mark == "?":
        raise UsageError("one mark cannot make a task manual", hint="write [ ]? in the plan")
    text = data.decode("utf-8", "surrogateescape")
    starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
    start = starts[task.line - 1] if task.line <= len(starts) else len(text)
    found = _MARK.search(text, start)
    now = next((each for each in read_plan(data).tasks if each.line == task.line), None)
    if found is None or now is None or now.label != task.label:
        raise UsageError(
            f"line {task.line} of the plan is not the task {task.label!r} any more",
            hint="read the plan again; nothing was changed",
        )
    changed = text[: found.start() + 1] + mark + text[found.start() + 2 :]
    return changed.encode("utf-8", "surrogateescape")


@dataclass(slots=True)
class _Item:
    """A list item as the parser meets it: its own text, and the items below it."""

    line: int = 0  # where its text begins
    text: str = ""
    children: list["_Item"] = field(default_factory=list)


class _Reader:
    def __init__(self) -> None:
        self._tasks: list[Task] = []
        self._validation: list[str] = []
        self._headings: list[tuple[int, str]] = []

    def read(self, text: str) -> Plan:
        parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING})
        parser.core.ruler.disable(
            ["inline", "text_join"], ignoreInvalid=True
        )  # blocks are all we need
        stack: list[_Item] = []
        in_heading = False
        for token in parser.parse(text):
            if token.type == "heading_open" and token.level == 0:
                level = int(token.tag[1])
                self._headings = [each for each in self._headings if each[0] < level] + [
                    (level, "")
                ]
                in_heading = True
            elif token.type == "heading_close":
                in_heading = False
            elif token.type == "inline":
                self._inline(token, stack, in_heading=in_heading)
            elif token.type == "list_item_open":
                item = _Item()
                if stack:
                    stack[-1].children.append(item)
                stack.append(item)
            elif token.type == "list_item_close":
                item = stack.pop()
                if not stack:
                    self._tasks += self._of(item)
            elif token.type == "fence" and not stack:
                self._fence(token)
        return Plan(tasks=_with_after(self._tasks), validation=tuple(self._validation))

    def _inline(self, token: Token, stack: list[_Item], *, in_heading: bool) -> None:
        if in_heading:
            self._headings[-1] = (self._headings[-1][0], " ".join(token.content.split()))
        elif stack:
            item = stack[-1]
            item.line = item.line or (token.map or [0])[0] + 1
            item.text = f"{item.text}\n{token.content}" if item.text else token.content

    def _fence(self, token: Token) -> None:
        if any(level > 1 and _VALIDATION.search(title) for level, title in self._headings):
            joined = token.content.replace("\\\n", " ")
            self._validation += [
                line.strip()
                for line in joined.split("\n")
                if line.strip() and not line.lstrip().startswith("#")
            ]

    def _of(self, item: _Item) -> Iterator[Task]:
        """The task of an item, then those of the items below it; a plain item may hold tasks too."""
        found = _TASK.fullmatch(item.text)
        if found:
            yield self._task(item, found)
        for child in item.children:
            yield from self._of(child)

    def _task(self, item: _Item, found: re.Match[str]) -> Task:
        label, fields = _own_lines(found[3])
        criteria: list[str] = []
        for child in item.children:
            if not _TASK.fullmatch(child.text):
                criteria += _criteria(child, fields)
        manual = bool(found[2])
        mark = "?" if manual and found[1] == " " else found[1].replace("X", "x")
        return Task(
            label=label,
            line=item.line,
            mark=mark,  # type: ignore[arg-type]  # the pattern lets no other through
            section=self._headings[-1][1] if self._headings else "",
            hints=find_hints(label),
            criteria=tuple(criteria),
            files=tuple(_values(fields["files"])),
            after=tuple(line.strip() for line in fields["after"] if line.strip()),
            ignored=manual or any(_is_ignored(level, title) for level, title in self._headings),
        )


def _with_after(tasks: list[Task]) -> tuple[Task, ...]:
    """`after:` may name one task, whose text may hold commas, or several between commas."""
    known = {name for task in tasks for name in names_of(task)}
    return tuple(
        replace(
            task,
            after=tuple(
                name
                for line in task.after
                for name in (
                    [line.strip("`")] if key_of(line.strip("`")) in known else _values([line])
                )
            ),
        )
        if task.after
        else task
        for task in tasks
    )


def _own_lines(text: str) -> tuple[str, dict[str, list[str]]]:
    """The label on one line, and the fields that were written as lines of the same paragraph."""
    fields: dict[str, list[str]] = {"files": [], "after": []}
    first, *rest = text.split("\n")
    words = [first]
    for line in rest:
        if found := _FIELD.fullmatch(line.strip()):
            fields[found[1].lower()].append(found[2])
        else:
            words.append(line)
    return " ".join(" ".join(words).split()), fields


def _criteria(item: _Item, fields: dict[str, list[str]]) -> list[str]:
    """What an indented item adds: to `files` or `after`, or criteria; a line that ends in a colon only heads those below."""
    text = " ".join(item.text.split())
    below = [child for child in item.children if not _TASK.fullmatch(child.text)]
    if found := _FIELD.fullmatch(text):
        fields[found[1].lower()] += [found[2], *(child.text for child in below)]
        return []
    if text.endswith(":") and below:
        return [line for child in below for line in _criteria(child, fields)]
    return [text] if text else []


def _values(lines: list[str]) -> Iterator[str]:
    """Between commas, but not those inside braces, which belong to a glob."""
    for line in lines:
        for value in re.split(r",(?![^{]*\})", line):
            if bare := value.strip().strip("`").strip():
                yield bare


def _is_ignored(level: int, title: str) -> bool:
    """A plan's own title may say anything; its sections are what is meant."""
    return level > 1 and bool(_IGNORED.search(title) or _MANUAL.match(title))
