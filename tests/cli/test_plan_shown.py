"""`prowess plan` tells what a newcomer cannot know: who sees a criterion, and what was nearly written."""

from pathlib import Path

import pytest

from loop.looping import git
from support import Cli, write_file


def problems(cli: Cli, project: Path, text: str) -> dict[int, str]:
    write_file(project / "PLAN.md", text)
    found = cli("plan", "PLAN.md", "--json").json["problems"]
    return {each["line"]: each["what"] for each in found}


@pytest.mark.parametrize(
    ("criterion", "how"),
    [
        ("`b.txt` exists", "code looks"),
        ("`test_b` passes", "code looks"),
        ("`b.txt` exists and it is pretty", "code looks at a part, the rest needs evidence"),
        ("it is pretty", "needs evidence"),
    ],
)
def test_each_criterion_of_a_task_to_do_says_who_sees_it(
    cli: Cli, project: Path, criterion: str, how: str
) -> None:
    write_file(project / "PLAN.md", f"- [R] Old\n  - it is old\n- [ ] New\n  - {criterion}\n")

    assert f"line 3, {how}: {criterion}" in cli("plan", "PLAN.md").err.splitlines()
    assert cli("plan", "PLAN.md", "--json").json["seen"] == [
        {"line": 3, "criterion": criterion, "how": how}
    ]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("file: b.txt", "files"),
        ("fils: b.txt", "files"),
        ("**files:** b.py", "files"),
        ("`files`: b.py", "files"),
        ("depends: A", "after"),
        ("Depends on: A", "after"),
        ("_after_: A", "after"),
    ],
)
@pytest.mark.parametrize("below", ["  - ", "  "])
def test_what_is_nearly_a_field_is_told(
    cli: Cli, project: Path, said: str, meant: str, below: str
) -> None:
    told = problems(cli, project, f"- [ ] A\n- [ ] B\n{below}{said}\n")

    assert told == {3: f"{said!r} is taken for words of the task; did you mean `{meant}:`?"}


@pytest.mark.parametrize(
    "said", ["files: b.txt", "After: A", "later: it is done", "note: b", "it says `file: b`"]
)
def test_what_is_a_field_or_a_criterion_is_not(cli: Cli, project: Path, said: str) -> None:
    assert problems(cli, project, f"- [ ] A\n- [ ] B\n  - {said}\n") == {}


@pytest.mark.parametrize("below", ["  - files:\n", "  files:\n", "  - files:\n    -\n"])
def test_files_that_name_none_are_told(cli: Cli, project: Path, below: str) -> None:
    told = problems(cli, project, f"- [ ] A\n{below}")

    assert told[2].startswith("`files:` names no file, so that any may be changed")


def test_files_below_their_field_are_there(cli: Cli, project: Path) -> None:
    assert problems(cli, project, "- [ ] A\n  - files:\n    - b.txt\n") == {}


@pytest.mark.parametrize("fence", ["```", "~~~", "````\n```"])
def test_a_fence_that_is_never_closed_is_told(cli: Cli, project: Path, fence: str) -> None:
    told = problems(cli, project, f"- [ ] A\n\n{fence}\n- [ ] B\n")

    assert told[3].startswith("this fence is never closed")


def test_fences_that_are_closed_are_not(cli: Cli, project: Path) -> None:
    text = "```\na\n```\n\n- [ ] A\n\n  ~~~~\n  ~~~\n  ~~~~~\n\n> ```\n> b\n> ```\n"

    assert problems(cli, project, text) == {}


def test_a_validation_command_that_a_loop_refuses_is_told(cli: Cli, project: Path) -> None:
    git(project, "init", "-q")
    write_file(project / "tools/check", "")
    commands = "```sh\npytest -q || true\ntools/chek\nmake test\n```\n"

    told = problems(cli, project, f"- [ ] A\n\n## Validation commands\n\n{commands}")

    assert told == {
        6: "'pytest -q || true' proves nothing: its exit code is the same whatever is true",
        7: "there is no tools/chek; did you mean tools/check?",
    }


def test_a_validation_program_that_the_sandbox_lacks_is_told(cli: Cli, project: Path) -> None:
    (told,) = problems(
        cli, project, "- [ ] A\n\n## Validation\n\n```sh\nno-such-runner -q\n```\n"
    ).items()

    assert told[0] == 6
    assert told[1].startswith("`no-such-runner` is not in the sandbox: make a `.venv` and write")
