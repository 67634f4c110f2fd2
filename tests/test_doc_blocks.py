"""
Every block of code in the documents is checked by what will read it, and run where that needs no more than Prowess, git and curl.

The journeys and the README are walked as a whole elsewhere; workflows and skills have tests of their own.
"""

import json
import re
import shlex
import shutil
import textwrap
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import typer

from journeys.page import Typed, Written, is_as_shown
from journeys.walking import ROOT, Walk
from prowess.cli.app import make_app
from prowess.core.safe_yaml import read_mapping
from prowess.loop.phase.phases import parse_phases
from prowess.model.demo_script import parse_script
from prowess.select.plan import read_plan
from prowess.settings import load_settings
from support import write_file

_BLOCK = re.compile(
    r"^(`{3,})(?P<language>[^\n`]*)\n(?P<text>.*?)^\1$|(?<=\n\n)(?P<indented>(?: {4}[^\n]*\n)+)",
    re.MULTILINE | re.DOTALL,
)
# A block that names no language holds commands when a line of it begins with one.
_COMMAND = re.compile(r"^(?:\$ )?(?:prowess|make|curl|mcp-inspector) ", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    page: str
    language: str
    text: str
    line: int

    @property
    def commands(self) -> list[str]:
        """The lines that call Prowess, without what stands before and behind them."""
        lines = (line.removeprefix("$ ") for line in self.text.splitlines())
        found = (re.search(r"(?:^|\| )(prowess .*)", line) for line in lines)
        return [match[1] for match in found if match]

    @property
    def typed(self) -> list[Typed]:
        """What a reader would type, each with what the page then shows; nothing in other blocks."""
        if self.language not in SHELL and not (self.language == "" and _COMMAND.search(self.text)):
            return []
        if not self.text.startswith("$ "):
            return [Typed(line, "", self.line) for line in self.text.splitlines()]
        parts = re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]
        said = [part.partition("\n") for part in parts]
        return [Typed(command, shown, self.line) for command, _, shown in said]


def blocks() -> list[Block]:
    made = []
    for path in sorted((ROOT / "docs").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for found in _BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            inside = found["text"] or textwrap.dedent(found["indented"] or "")
            made.append(Block(path.name, (found["language"] or "").strip(), inside, line))
    return made


SHELL = ("bash", "console", "sh")
BLOCKS = blocks()
# Every command of every page is run, but for those of a page that begin so: what they need, or why nobody can wait for them.
NOT_RUN = {
    ("benchmarks.md", ""): "half an hour; tests/test_benches.py holds how the figures are judged",
    ("installing.md", "docker"): "an image that is fetched, and a daemon",
    ("integrations.md", ""): "a person who says yes; docs/journeys/engineer.md walks it",
    ("keeping.md", "prowess migrate"): "a server; tests/keep/test_migrate.py has one",
    ("loop.md", ""): "an agent and its model; docs/journeys/plan.md walks one",
    ("mcp.md", ""): "the Inspector; tests/serve/test_mcp_peers.py has it",
    ("postgres.md", ""): "a server; tests/postgres.py starts one for tests of its own",
    ("upgrading.md", "git pull"): "a newer version to fetch",
    ("upgrading.md", "pipx"): "an installation outside of the checkout",
    (
        "writing-skills.md",
        "prowess run ",
    ): "a key for a model; docs/journeys/author.md runs a skill",
}


@dataclass(frozen=True)
class Reader:
    """
    Who comes to a page: what they have (`files`) and have done `before`, what they type `instead` of
    what stands for something of theirs or would never end, which answers are no success, as the page
    says (`codes`), and what shows `after` it that the commands did what they are for.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    instead: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, int] = field(default_factory=dict)
    after: tuple[str, ...] = ()


PLAN = """
- [x] Reject durations without a unit
  - `src/durations.py` contains `raise SettingsError`
  - the message is helpful

## Validation commands

```
pytest -q
```
"""
SIXTEEN_TESTS = """
import pytest

@pytest.mark.parametrize("number", range(16))
def test_it(number):
    if number > 13:
        pytest.skip("not today")
"""
# A workflow that waits, until there is a file, to be killed meanwhile.
HELLO = """
name: hello
description: Says so.
steps:
  - command: test -e go || sleep 60
  - output: Hello
"""
RELEASE_NOTE = next(block.text for block in BLOCKS if block.text.startswith("name: release-note"))
GREETING = (ROOT / "examples/skills/greeting/SKILL.md").read_text(encoding="utf-8")
CASE = '{"id": "1", "allowed": "Bash(git:*)", "command": "rm x"}\n'
TASK = "prowess task create --role engineer --title 'Fix it'"
SERVE = (
    "prowess serve --port 7700 2> ~/serve.log & "
    "curl -s --retry 60 --retry-connrefused --retry-delay 1 http://127.0.0.1:7700/health"
)
KILLED = (
    "prowess run hello & "
    "until prowess runs list --state running 2>&1 | grep hello; do sleep 0.2; done; kill -9 $!; touch go"
)
# The newest run that stands so.
ID = """id() { prowess runs list --state $1 --json | grep -om1 '"id": "[^"]*"' | cut -d'"' -f4; }"""
SKILLS = ".agents/skills"
NO_ONE_ANSWERS = 4
READERS_OF = {
    "checking.md": Reader(
        files={
            "PLAN.md": PLAN,
            "src/durations.py": "parse = float\n",
            "test_durations.py": SIXTEEN_TESTS,
        },
        before=(
            "git init -q && git add PLAN.md src && git commit -qm Begin",
            "echo 'raise SettingsError' > src/durations.py",
        ),
        codes={"prowess check": 1},
    ),
    "keeping.md": Reader(
        files={f"{SKILLS}/hello/skill.yaml": HELLO, "go": ""},
        before=("prowess run hello", "prowess run hello", TASK, TASK),
        after=(
            "prowess task list --data ~/elsewhere | grep 'Fix it'",
            "prowess runs list --data ~/elsewhere --state done | grep hello",
            "prowess task list | grep 'Fix it'",
        ),
    ),
    "permissions.md": Reader(files={"cases.jsonl": CASE}, codes={"prowess permit --allowed": 1}),
    "privacy.md": Reader(files={"app.log": "password=hunter2\n"}, instead={"tail -f": "tail"}),
    "rest.md": Reader(
        files={f"{SKILLS}/hello/skill.yaml": HELLO, "go": ""},
        before=(ID, "prowess run hello", SERVE),
        instead={"curl -N": "curl -fN", "3f2a9c41d0b7": "$(id done)"},
    ),
    "serving.md": Reader(instead={"prowess serve": SERVE}),
    "upgrading.md": Reader(before=(TASK,)),
    "workflows.md": Reader(
        files={
            f"{SKILLS}/release-note/skill.yaml": RELEASE_NOTE,
            f"{SKILLS}/hello/skill.yaml": HELLO,
            f"{SKILLS}/greeting/SKILL.md": GREETING,
            "answers.yaml": "audience: users\n",
        },
        before=(ID, "git init -q && git commit -q --allow-empty -m First", KILLED),
        instead={
            "resume ID": "resume $(id interrupted)",
            "fork ID": "fork $(id failed)",
            "--set ...": "--set commits=one --set audience=users",
        },
        codes={
            "prowess run release-note  ": NO_ONE_ANSWERS,
            "prowess runs fork": NO_ONE_ANSWERS,
        },
        after=("prowess runs list --state done | grep hello", f"ls {SKILLS}/greeting/skill.yaml"),
    ),
}


def is_run(page: str, command: str) -> bool:
    return not any(page == of and command.startswith(begins) for of, begins in NOT_RUN)


PAGES_RUN = sorted(
    {block.page for block in BLOCKS for each in block.typed if is_run(block.page, each.command)}
)


def name(block: Block) -> str:
    return f"{block.page}:{block.line}"


def of(*languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.language in languages]


def test_every_block_is_of_a_kind_that_somebody_checks() -> None:
    known = {"bash", "console", "json", "markdown", "toml", "yaml", "sh", ""}

    assert {block.language for block in BLOCKS} <= known


@pytest.mark.parametrize("block", of("toml"), ids=name)
def test_settings_are_such_that_are_taken(block: Block, home: Path) -> None:
    write_file(home / ".config" / "prowess" / "prowess.toml", block.text)

    assert tomllib.loads(block.text)
    load_settings(environment={})


@pytest.mark.parametrize("block", of("json"), ids=name)
def test_json_is_json_line_by_line(block: Block) -> None:
    for line in block.text.splitlines():
        json.loads(line)


READERS: dict[str, Callable[[str], object]] = {"loop.md": parse_phases, "models.md": parse_script}


@pytest.mark.parametrize("block", of("yaml"), ids=name)
def test_yaml_is_read_by_what_it_is_for(block: Block) -> None:
    assert READERS.get(block.page, read_mapping)(block.text)


def test_the_plan_of_the_page_about_plans_is_one() -> None:
    page = (ROOT / "docs" / "plans.md").read_text(encoding="utf-8")
    text = page.partition("```markdown\n")[2].partition("\n| mark |")[0]

    plan = read_plan(text.encode())

    assert [task.mark for task in plan.tasks][:2] == ["R", " "]


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.commands], ids=name)
def test_commands_take_the_words_they_are_given(block: Block) -> None:
    known = dict(typer.main.get_command(make_app()).commands)  # type: ignore[attr-defined]
    for line in block.commands:
        words = shlex.split(line, comments=True)[1:]
        if words[0].startswith("-"):
            continue
        command = known[words[0]]
        if words[1:] and words[1] in getattr(command, "commands", {}):
            command = command.commands[words[1]]
        options = {option for parameter in command.params for option in parameter.opts}
        given = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert given <= options, line


@pytest.mark.parametrize("page", PAGES_RUN)
def test_commands_do_what_they_are_for_and_show_what_the_page_shows(
    page: str, tmp_path: Path
) -> None:
    for program in ("git", "curl"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} on this machine")
    reader, walk = READERS_OF.get(page, Reader()), Walk(tmp_path)
    typed = [each for block in BLOCKS if block.page == page for each in block.typed]
    for path, text in reader.files.items():
        walk.write(Written(path, text, 0))
    with walk.shell() as shell:

        def do_all(commands: Sequence[str]) -> None:
            for command in commands:
                seen = walk.seen(shell, Typed(command, "", 0))
                assert shell.code == 0, f"around {page}: {command}\n{seen}"

        do_all(reader.before)
        for each in typed:
            if not is_run(page, each.command):
                continue
            seen = walk.seen(shell, replace(each, command=instead_of(each.command, reader)))
            where = f"{page}:{each.line}: {each.command}\n{seen}"
            assert shell.code == code_of(each.command, reader), where
            # A page may leave out what comes last, and how many there are is the reader's.
            assert is_as_shown(without_numbers(f"{each.shown}..."), without_numbers(seen)), where
        do_all(reader.after)


def instead_of(command: str, reader: Reader) -> str:
    for said, meant in reader.instead.items():
        command = command.replace(said, meant)
    return command


def code_of(command: str, reader: Reader) -> int:
    return next((code for said, code in reader.codes.items() if command.startswith(said)), 0)


def without_numbers(text: str) -> str:
    return re.sub(r"\d[\d,]*", "0", text)


def test_what_is_not_run_or_typed_otherwise_is_about_commands_that_are_there() -> None:
    typed = [(block.page, each.command) for block in BLOCKS for each in block.typed]
    said = [
        (page, beginning)
        for page, reader in READERS_OF.items()
        for beginning in (*reader.instead, *reader.codes)
    ]

    for page, beginning in NOT_RUN:
        assert any(of == page and it.startswith(beginning) for of, it in typed), (page, beginning)
    for page, words in said:
        assert any(of == page and words in it for of, it in typed), (page, words)
    assert set(READERS_OF) <= set(PAGES_RUN)


def test_the_pages_that_are_run_and_those_that_are_not_are_all_pages_with_commands() -> None:
    not_run = {page for page, beginning in NOT_RUN if not beginning}
    with_commands = {
        block.page for block in BLOCKS if block.typed or block.commands or block.language in SHELL
    }

    assert not_run.isdisjoint(PAGES_RUN)
    assert {*PAGES_RUN, *not_run} == with_commands
