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
from collections.abc import Collection, Iterator
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from prowess.core.errors import UsageError
from prowess.core.task import Mark, Plan, Task, key_of, names_of, numbered
from prowess.select.hints import find_hints
from prowess.select.plan_fence import is_of_shell, looks_like_proof
from prowess.select.plan_heading import Heading, about_empty, about_fence, hold_commands
from prowess.select.plan_item import TASK, Item, Told, values

MAX_NESTING = 100
MOST_LISTS = MAX_NESTING // 2 - 1  # inside each other: a list and its item are a level each
_HOLDERS = ("list_item_open", "blockquote_open")
MAX_BYTES = 32 * 1024 * 1024
_MARK = re.compile(r"\[[ ~xXR]\](?=\??[ \t])")
# What was meant for a task: a box that is empty, crowded or glued to its text; a dash glued to its box.
_BOX = re.compile(r"\[[ \t]*[~xXrR?*+/>!-]?[ \t]*\](?![(\[:])")
_GLUED = re.compile(r"[-*+]\[[ \t]*[~xXrR]?[ \t]*\](?![(\[:])")
_NEVER_CLOSED = (
    "this fence is never closed, and what stands below it is in it; close it with the same marks"
)
_LINE_END = re.compile(r"\r\n|\n|\r")


def read_plan(data: bytes) -> Plan:
    """Parse a plan; raises `UsageError` when it is no text at all, or cannot be read to its end."""
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


class _Reader:
    def __init__(self) -> None:
        self._tasks: list[Task] = []
        self._validation: list[tuple[int, str]] = []
        self._slips: list[tuple[int, str]] = []
        self._headings: list[Heading] = []
        self._lines: list[str] = []

    def read(self, text: str) -> Plan:
        parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING})
        parser.core.ruler.disable(
            ["inline", "text_join"], ignoreInvalid=True
        )  # blocks are all we need
        stack: list[Item] = []
        in_heading = False
        self._lines = _LINE_END.split(text)
        for token in parser.parse(text):
            _must_be_read_whole(token)
            if token.type == "heading_open" and token.level == 0:
                self._open_section(int(token.tag[1]), _line(token))
                in_heading = True
            elif token.type == "heading_close":
                in_heading = False
            elif token.type == "inline":
                self._inline(token, stack, in_heading=in_heading)
            elif token.type == "list_item_open":
                item = Item()
                if stack:
                    stack[-1].children.append(item)
                stack.append(item)
            elif token.type == "list_item_close":
                item = stack.pop()
                if not stack:
                    self._tasks += self._of(item)
            elif token.type == "fence":
                self._fence(token, of_task=any(TASK.fullmatch(item.text) for item in stack))
        self._close_sections(0)
        return Plan(
            tasks=numbered(_with_after(self._tasks)),
            validation=tuple(command for _, command in self._validation),
            validation_lines=tuple(line for line, _ in self._validation),
            slips=tuple(self._slips),
        )

    def _inline(self, token: Token, stack: list[Item], *, in_heading: bool) -> None:
        if in_heading:
            self._headings[-1].called(token.content)
            return
        self._look_for_slips(token, begins=bool(stack) and not stack[-1].text)
        if stack:
            item = stack[-1]
            item.line = item.line or _line(token)
            item.paragraphs.append(token.content)

    def _look_for_slips(self, token: Token, *, begins: bool) -> None:
        """`begins`: an item of a list begins here, so that a task might."""
        if self._in_ignored:
            return
        for number, line in enumerate(token.content.split("\n"), _line(token)):
            said = line.strip()
            boxed = begins and _BOX.match(said) and not TASK.fullmatch(said)
            if boxed or _GLUED.match(said):
                told = f"{said!r} is no task; write it as `- [ ] text`"
                self._slips.append((number, told))
            begins = False

    @property
    def _in_ignored(self) -> bool:
        return any(each.ignored for each in self._headings)

    def _open_section(self, level: int, line: int) -> None:
        self._close_sections(level)
        self._headings.append(Heading(level=level, line=line))

    def _close_sections(self, level: int) -> None:
        """Those of this level, and those below them."""
        while self._headings and self._headings[-1].level >= level:
            ended = self._headings.pop()
            if ended.holds and not ended.used:
                self._slips.append((ended.line, about_empty(ended)))

    def _use_sections(self) -> None:
        for each in self._headings:
            each.used = True

    def _fence(self, token: Token, *, of_task: bool) -> None:
        if not _is_closed(token, self._lines):
            self._slips.append((_line(token), _NEVER_CLOSED))
        if not hold_commands(self._headings):
            proves = not of_task and looks_like_proof(token.content)
            wrong = about_fence(self._headings, proves=proves)
            if wrong and is_of_shell(token.info):
                self._slips.append((_line(token), wrong))
        elif found := list(_commands(token.content, _line(token) + 1)):
            self._validation += found
            self._use_sections()

    def _of(self, item: Item) -> Iterator[Task]:
        """The task of an item, then those of the items below it; a plain item may hold tasks too."""
        found = TASK.fullmatch(item.text)
        if found:
            self._use_sections()
            yield self._task(item, found)
        for child in item.children:
            yield from self._of(child)

    def _task(self, item: Item, found: re.Match[str]) -> Task:
        told = Told(item, found[3])
        if not self._in_ignored:
            self._slips += told.slips
        manual = bool(found[2])
        mark = "?" if manual and found[1] == " " else found[1].replace("X", "x")
        return Task(
            label=told.label,
            line=item.line,
            mark=mark,  # type: ignore[arg-type]  # the pattern lets no other through
            section=self._headings[-1].title if self._headings else "",
            description=told.description,
            hints=find_hints(f"{told.label}\n{told.description}"),
            criteria=tuple(told.criteria),
            files=told.files,
            after=told.after,
            ignored=manual or self._in_ignored,
        )


def _must_be_read_whole(token: Token) -> None:
    """Where it gets too deep, the parser leaves out all that follows, and says nothing."""
    if token.type in _HOLDERS and token.level + 1 >= MAX_NESTING:
        raise UsageError(
            f"line {_line(token)} of the plan is nested too deep, and nothing after it could be read",
            hint=f"indent it less: {MOST_LISTS} lists inside each other are the most",
        )


def _is_closed(fence: Token, lines: list[str]) -> bool:
    """Whether it ends with a mark like the one that it began with, and not where all around it does."""
    first, end = fence.map or (0, 0)
    last = lines[end - 1].strip(" \t>") if end - 1 > first else ""
    return last.startswith(fence.markup) and not last.strip(fence.markup[0])


def _line(token: Token) -> int:
    """Where it begins, counted from 1."""
    return (token.map or [0])[0] + 1


def _commands(content: str, first: int) -> Iterator[tuple[int, str]]:
    """The commands of a fence, each with the line it begins on; a backslash takes the next line along."""
    joined = content.replace("\\\n", " \0")
    line = first
    for command in joined.split("\n"):
        said = command.replace("\0", "").strip()
        if said and not said.startswith("#"):
            yield line, said
        line += 1 + command.count("\0")


def _names_in(line: str, known: Collection[str]) -> list[str]:
    """One that a task is called by, as it stands or without the backticks around it; else those between commas."""
    whole = next((each for each in (line, line.strip("`")) if key_of(each) in known), None)
    return (
        [whole]
        if whole
        else [
            part if key_of(part) in known else value
            for part in map(str.strip, line.split(","))
            for value in values([part])
        ]
    )


def _with_after(tasks: list[Task]) -> tuple[Task, ...]:
    """`after:` may name one task, whose text may hold commas, or several between commas."""
    known = {name for task in tasks for name in names_of(task)}
    return tuple(
        replace(
            task,
            after=tuple(name for line in task.after for name in _names_in(line, known)),
        )
        if task.after
        else task
        for task in tasks
    )
