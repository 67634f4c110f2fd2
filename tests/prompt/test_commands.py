"""Commands in a skill's text: where one stands, what becomes of it, and that its output is only data."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.core.errors import OutsideError
from prowess.core.process import Finished
from prowess.core.verdict import Verdict
from prowess.prompt import commands
from prowess.prompt.commands import (
    MAX_CHARS,
    MAX_COMMANDS,
    Injected,
    Segment,
    fill_commands,
    find_commands,
)

SHARED = Path(os.environ.get("PROWESS_SHARED", Path(__file__).parents[3] / "shared"))


def found(text: str) -> list[str]:
    return [injection.command for injection in find_commands(text)]


def yes(command: str) -> Verdict:
    return Verdict(allowed=True, reason="")


def prints(
    output: str | bytes, code: int = 0, err: str = ""
) -> Callable[[str], Awaitable[Finished]]:
    data = output.encode(errors="surrogatepass") if isinstance(output, str) else output

    async def run(command: str) -> Finished:
        return Finished(code=code, out=data, err=err.encode(), seconds=0.25)

    return run


def filled(
    text: str,
    run: Callable[[str], Awaitable[Finished]],
    judge: Callable[[str], Verdict] = yes,
) -> Injected:
    return asyncio.run(fill_commands(text, run=run, judge=judge))


async def shell(command: str) -> Finished:
    """The command as bash really runs it."""
    process = await asyncio.create_subprocess_exec(
        "bash",
        "-c",
        command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.communicate()
        raise
    return Finished(code=process.returncode or 0, out=out, err=err, seconds=0.1)


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("!`git status`", ["git status"]),
        ("Status: !`git status --short` and !`git log -1`", ["git status --short", "git log -1"]),
        ("a\n\t!`pwd`\r\nb", ["pwd"]),
        ("| !`one` | !`two` |", ["one", "two"]),
        ("- **Diff**: !`git diff | head -5`", ["git diff | head -5"]),
        ("!`date`!`date`", ["date"]),  # the second follows no blank
        ("    1. deep in a list: !`ls`", ["ls"]),
        ("a `span` and !`ls` and ``more``", ["ls"]),
        ("two\x0blines? !`ls`", ["ls"]),
    ],
)
def test_a_command_stands_at_the_start_of_a_line_or_after_a_blank(
    text: str, commands: list[str]
) -> None:
    assert found(text) == commands


@pytest.mark.parametrize(
    "text",
    [
        "Wow!`git status`",
        "no command: \\!`ls`",
        "write it as `` !`command` `` in your skill",
        "`` ` !`ls` ``",
        "an image ![alt](x.png) and `code!`",
        "`not !`ls`",  # Markdown reads the first span as `not !`
        "!``ls``",
        "!` `",
        "!``",
        "!`never closed",
        "!`over two\nlines`",
        "! `ls`",
    ],
)
def test_text_that_only_looks_like_a_command_is_none(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("fence", ["```", "````", "~~~", "~~~~~"])
@pytest.mark.parametrize("lead", ["", "  ", "> ", "- ", "12. "])
def test_a_fenced_block_shows_commands_and_runs_none(fence: str, lead: str) -> None:
    assert found(f"{lead}{fence}yaml\n!`rm -rf .`\n{fence}\n!`ls`") == ["ls"]
    assert found(f"{lead}{fence}\n!`never closed`") == []


def test_a_shorter_or_other_fence_closes_nothing() -> None:
    assert found("````\n```\n!`a`\n~~~\n````\n!`b`") == ["b"]


def test_a_block_of_its_own_is_one_script() -> None:
    text = "Before\r\n  ```!\n  cd src\n\n  for f in *; do echo $f; done\n  ```\r\nAfter"

    (injection,) = find_commands(text)

    assert injection.command == "cd src\n\nfor f in *; do echo $f; done"
    assert text[: injection.start] == "Before\r\n  "
    assert text[injection.end :] == "\r\nAfter"


@pytest.mark.parametrize(
    "text", ["```!\n\n```", "```!\nls", "```!bash\nls\n```", "````\n```!\nls\n```\n````"]
)
def test_a_block_that_is_empty_unclosed_or_quoted_is_no_script(text: str) -> None:
    assert found(text) == []


@given(st.text(alphabet="`! \n~ab>-\r\\"))
def test_what_is_found_lies_in_the_text_in_order(text: str) -> None:
    at = 0
    for injection in find_commands(text):
        assert at <= injection.start < injection.end <= len(text)
        assert injection.command
        assert injection.command == injection.command.strip()
        at = injection.end


def test_a_hostile_line_costs_no_more_than_its_length() -> None:
    text = " ".join("`" * length for length in range(1, 1500)) + "\n" + "!`" * 200_000

    assert len(found(text)) <= 200_000


def test_each_command_gives_way_to_what_it_prints() -> None:
    text = "Here: !`echo one; echo two` and !`printf x`.\n```!\necho a\necho b | tr b c\n```\nEnd"

    result = filled(text, shell)

    assert result.text == "Here: one\ntwo and x.\na\nc\nEnd"
    assert [audit.command for audit in result.audit] == [
        "echo one; echo two",
        "printf x",
        "echo a\necho b | tr b c",
    ]
    assert all(audit.ok and audit.allowed for audit in result.audit)


def test_the_same_command_runs_once_however_often_it_stands_there() -> None:
    ran = []

    async def run(command: str) -> Finished:
        ran.append(command)
        return Finished(code=0, out=b"now", err=b"", seconds=0.0)

    result = filled("!`date` !`pwd` !`date`", run)

    assert result.text == "now now now"
    assert sorted(ran) == ["date", "pwd"]
    assert [audit.command for audit in result.audit] == ["date", "pwd"]


def test_the_order_is_that_of_the_text_whichever_ends_first() -> None:
    first = asyncio.Event()

    async def run(command: str) -> Finished:
        if command == "slow":
            await first.wait()
        else:
            first.set()
        return Finished(code=0, out=command.upper().encode(), err=b"", seconds=0.0)

    result = filled("!`slow` !`fast`", run)

    assert result.text == "SLOW FAST"
    assert [audit.command for audit in result.audit] == ["slow", "fast"]


def test_output_is_never_scanned_again() -> None:
    result = filled("!`cat notes`", prints("!`rm -rf .`\n```!\nrm\n```\n$ARGUMENTS ${DATE}"))

    assert result.segments[1] == Segment(
        text="!`rm -rf .`\n```!\nrm\n```\n$ARGUMENTS ${DATE}", printed=True
    )
    assert len(result.audit) == 1


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_output_comes_through_to_the_letter(output: str) -> None:
    result = filled("a !`x` b", prints(output))

    assert result.text == f"a {output.rstrip()} b"


def test_a_refused_command_is_not_run_and_says_why() -> None:
    async def run(command: str) -> Finished:
        raise AssertionError(command)

    result = filled("Now: !`rm -rf {x}`.", run, lambda _: Verdict(allowed=False, reason="no rule"))

    assert result.text == "Now: [`rm -rf {x}` was not run: no rule]."
    assert result.audit[0].as_json() == {
        "command": "rm -rf {x}",
        "allowed": False,
        "ok": False,
        "seconds": 0.0,
        "chars": 0,
        "reason": "no rule",
    }


def test_a_failed_command_leaves_its_output_and_its_error() -> None:
    result = filled("!`ls here gone`", prints("here\n", code=2, err="ls: gone: no such file\n"))

    assert result.text == "here\n[`ls here gone` failed: exit code 2: ls: gone: no such file]"
    assert (result.audit[0].ok, result.audit[0].seconds, result.audit[0].chars) == (False, 0.25, 4)
    assert "exit code 2" in result.audit[0].reason


def test_one_failure_does_not_spoil_the_rest() -> None:
    result = filled("!`no-such-command-here` !`echo fine`", shell)

    assert result.text.endswith("] fine")
    assert "exit code 127" in result.text


def test_a_sandbox_that_cannot_run_is_told_in_the_text() -> None:
    async def run(command: str) -> Finished:
        raise OutsideError("no sandbox here")

    assert filled("!`ls`", run).text == "[`ls` failed: no sandbox here]"


def test_a_command_has_five_seconds_and_ten_thousand_characters() -> None:
    assert commands.SECONDS == 5.0
    assert commands.MAX_CHARS == 10_000


def test_a_command_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "SECONDS", 0.05)

    result = filled("!`sleep 60` !`echo on`", shell)

    assert "[`sleep 60` failed: stopped after 0.05 s]" in result.text
    assert result.audit[0].reason == "stopped after 0.05 s"


def test_a_command_that_its_sandbox_killed_says_so() -> None:
    async def run(command: str) -> Finished:
        return Finished(code=-9, out=b"so far", err=b"", seconds=5.0, killed_by="timeout")

    assert filled("!`x`", run).text == "so far\n[`x` failed: stopped (timeout)]"


def test_long_output_is_cut_at_a_character_and_says_so() -> None:
    result = filled("!`x`", prints("é" * (MAX_CHARS + 1)))

    shown, _, note = result.text.partition("\n")
    assert shown == "é" * MAX_CHARS
    assert note.startswith("[Cut here")
    assert result.audit[0].chars == MAX_CHARS + 1


def test_output_of_just_the_limit_is_whole() -> None:
    assert filled("!`x`", prints("x" * MAX_CHARS)).text == "x" * MAX_CHARS


def test_output_that_the_sandbox_dropped_is_told() -> None:
    async def run(command: str) -> Finished:
        return Finished(code=0, out=b"much", err=b"", seconds=0.0, dropped=10**9)

    assert filled("!`yes`", run).text.startswith("much\n[Cut here")


def test_output_that_is_not_text_does_no_harm() -> None:
    assert filled("a !`x` b", prints(b"\xff\xfe ok")).text == "a \ufffd\ufffd ok b"


def test_a_text_with_far_too_many_commands_runs_only_the_first() -> None:
    text = "\n".join(f"!`echo {number}`" for number in range(MAX_COMMANDS + 2))

    result = filled(text, prints("ran"))

    assert result.text.count("ran") == MAX_COMMANDS
    assert [audit.allowed for audit in result.audit[-3:]] == [True, False, False]


def test_a_text_without_commands_is_itself() -> None:
    result = filled("Plain.\n", prints("never"))

    assert result == Injected(segments=(Segment(text="Plain.\n"),))


@pytest.mark.skipif(not SHARED.exists(), reason="PROWESS_SHARED says where real skills lie")
def test_real_skills_have_the_commands_that_their_authors_meant() -> None:
    sample = SHARED / "data/skills-sample"

    meant = found((sample / "configure-mise/SKILL.md").read_text())
    spoken_of = found((sample / "claude-code-sdk/SKILL.md").read_text())

    assert meant[0] == "pwd"
    assert len(meant) == 5
    assert spoken_of == []
