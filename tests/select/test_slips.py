"""Lines of a plan that look like a task and are none: found where they stand, and only those."""

import pytest

from prowess.select.plan import read_plan


def slips(text: str) -> list[int]:
    return [line for line, _ in read_plan(text.encode()).slips]


@pytest.mark.parametrize(
    "line",
    ["- [] x", "- [  ] x", "- [ x] y", "- [ ]x", "- [r] x", "- [-] x", "- [ ]", "-[ ] x", "*[x] y"],
)
def test_a_task_that_was_written_wrong_is_told_with_its_line(line: str) -> None:
    plan = read_plan(f"# Plan\n\n- [ ] Good\n\n{line}\n".encode())

    assert [number for number, _ in plan.slips] == [5]
    assert plan.slips[0][1] == f"{line.removeprefix('- ')!r} is no task; write it as `- [ ] text`"
    assert [task.label for task in plan.tasks] == ["Good"]


def test_one_right_below_another_task_is_told_too() -> None:
    assert slips("- [ ] Good\n-[ ] glued\n  - [] below\n- [] bad\n") == [2, 3, 4]


@pytest.mark.parametrize(
    "title", ["Validation plan", "Validate", "Test commands", "**Verification commands**"]
)
@pytest.mark.parametrize("language", ["", "sh", "bash", "console"])
def test_a_fence_that_looks_like_commands_and_is_not_run_is_told(title: str, language: str) -> None:
    plan = read_plan(f"- [ ] x\n## {title}\n- now\n  ```{language}\n  make\n  ```\n".encode())

    what = f"nothing runs this fence under {title!r}; call the section `## Validation commands`"
    assert (plan.slips, plan.validation) == (((4, what),), ())


@pytest.mark.parametrize("below", ["", "- `make test`\n", "    make test\n", "```\n# later\n```\n"])
@pytest.mark.parametrize("more", ["", "## More\n- [ ] x\n"])
def test_a_section_for_commands_that_holds_none_is_told(below: str, more: str) -> None:
    plan = read_plan(f"- [ ] x\n\n## Validation commands\n\n{below}{more}".encode())

    what = "'Validation commands' holds no command; write commands in a fence (```) below it"
    assert plan.slips == ((3, what),)


@pytest.mark.parametrize(
    "text",
    [
        "# Validation\n## Tasks\n- [ ] x\n",
        "## Validation\n### Unit\n```\nmake\n```\n",
        "## Validation rules\n```py\nx = 1\n```\n",
        "## Input validation\n```\nx\n```\n",
        "# Validate the form\n```\nx\n```\n",
    ],
)
def test_what_is_meant_for_readers_is_no_slip(text: str) -> None:
    assert slips(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] x\n- [~] x\n- [x] x\n- [X] x\n- [R] x\n- [ ]? x\n",
        "- [x](https://example.org)\n- [ ][ref]\n- [1] the first\n- [a, b] is a list\n",
        "- plain\n  - `[]` is empty\n- a [] b\n- dashes -[ ] inside\n",
        "```\n- [] x\n```\n\n~~~\n-[ ] x\n~~~\n",
        "## Checklist\n\n- [] x\n-[ ] y\n",
    ],
    ids=["tasks", "links and lists", "text", "fences", "ignored sections"],
)
def test_what_is_meant_otherwise_is_no_slip(text: str) -> None:
    assert slips(text) == []


TITLES = (
    "Tests", "How to test", "Testing", "Checks", "Run the tests", "Commands", "Verification",
    "How to validate",
)  # fmt: skip


@pytest.mark.parametrize("title", TITLES)
def test_commands_of_known_runners_are_told_wherever_nothing_runs_them(title: str) -> None:
    plan = read_plan(f"# Plan\n\n- [ ] x\n\n## {title}\n\n```bash\npytest -q\n```\n".encode())

    told = f"nothing runs this fence under {title!r}; to have it prove every task, call the section"
    assert plan.slips == ((7, f"{told} `## Validation commands`"),)
    assert plan.validation == ()


@pytest.mark.parametrize(
    "commands",
    [
        "cd app && npm test",
        "# All of it\nmake lint\n\nmake test",
        "$ uv run pytest -q\n3 passed in 0.1s",
        ".venv/bin/python -m pytest \\\n  -q",
        "CI=1 npx eslint .\ncargo clippy",
        "./gradlew check",
    ],
)
def test_commands_of_tests_and_linters_are_known(commands: str) -> None:
    assert slips(f"- [ ] x\n\n# Notes\n\n```\n{commands}\n```\n") == [5]


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] x\n\n  Reproduce it:\n\n  ```bash\n  pytest -q\n  ```\n",
        "- [ ] x\n\n## Tests\n\n```python\npytest -q\n```\n",
        "- [ ] x\n\n## Tests\n\n```\npip install -e .\npytest -q\n```\n",
        "- [ ] x\n\n## Tests\n\n```\npytests are fine\n```\n",
        "- [ ] x\n\n## Tests\n\n```\n```\n",
        "- [ ] x\n\n## Manual QA\n\n```\npytest -q\n```\n",
        "- [ ] x\n\n## Validation\n\n```\npytest -q\n```\n",
    ],
)
def test_other_fences_are_not_told(text: str) -> None:
    assert slips(text) == []
