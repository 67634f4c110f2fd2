"""A plan is read as Markdown, and ticking a task changes one byte of it."""

import pytest

from prowess.core.errors import UsageError
from prowess.core.task import Mark, Plan, Task
from prowess.select.plan import MAX_BYTES, MOST_LISTS, read_plan, ticked


def plan(text: str) -> Plan:
    return read_plan(text.encode())


def labels(text: str) -> list[str]:
    return [task.label for task in plan(text).tasks]


def one(text: str) -> Task:
    (task,) = plan(text).tasks
    return task


def open_labels(text: str) -> list[str]:
    """The tasks that are not ignored."""
    return [task.label for task in plan(text).tasks if not task.ignored]


# What is a task


@pytest.mark.parametrize(
    ("written", "mark"),
    [("[ ]", " "), ("[~]", "~"), ("[x]", "x"), ("[X]", "x"), ("[R]", "R"), ("[ ]?", "?")],
)
def test_every_mark_is_known_and_only_a_manual_task_is_ignored(written: str, mark: str) -> None:
    task = one(f"- {written} Sort the table\n")

    assert (task.label, task.mark, task.ignored) == ("Sort the table", mark, mark == "?")


@pytest.mark.parametrize(
    "line",
    [
        "- []",
        "- [] text",
        "- [ ]text",
        "-[ ] text",
        "- [ ]",
        "- [ ] ",
        "- [r] text",
        "- [-] text",
        "- [  ] text",
        "- text [ ] more",
        "[ ] text",
        "    - [ ] code",
        "<!--\n- [ ] text\n-->",
    ],
)
def test_what_only_resembles_a_task_is_none(line: str) -> None:
    assert labels(f"{line}\n") == []


@pytest.mark.parametrize("bullet", ["-", "*", "+", "1.", "7)", "-\t", "  -", "-   "])
def test_every_kind_of_list_holds_tasks(bullet: str) -> None:
    assert labels(f"{bullet} [ ] Sort\n") == ["Sort"]


def test_a_wrapped_label_becomes_one_line() -> None:
    assert labels("- [ ] Sort the\n  long\ttable\nby name\n") == ["Sort the long table by name"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_one(end: str) -> None:
    found = plan(f"# P{end}{end}- [x] one{end}  - proof{end}- [ ] two @pdf{end}")

    assert [(task.label, task.line) for task in found.tasks] == [("one", 3), ("two @pdf", 5)]
    assert found.tasks[0].criteria == ("proof",)


def test_a_byte_order_mark_hides_nothing() -> None:
    assert [task.label for task in read_plan(b"\xef\xbb\xbf- [ ] Sort\n").tasks] == ["Sort"]


def test_a_tab_indents_what_belongs_to_a_task() -> None:
    assert one("-\t[ ] Sort\n\t- stable\n\t- files: a.py\n").criteria == ("stable",)


def test_nested_tasks_stand_in_the_order_of_the_file() -> None:
    text = "- [ ] one\n  - [x] two\n    - [ ] three\n- plain\n  - [ ] four\n- [ ] five\n"

    assert labels(text) == ["one", "two", "three", "four", "five"]
    assert [task.line for task in plan(text).tasks] == [1, 2, 3, 5, 6]


def test_tasks_nested_twelve_deep_are_all_found() -> None:
    text = "".join(f"{'  ' * depth}- [ ] t{depth}\n" for depth in range(12))

    assert len(labels(text)) == 12


def test_a_plan_that_is_nested_too_deep_to_be_read_whole_is_refused_with_the_line() -> None:
    deep = [f"{'  ' * depth}- [ ] t{depth}\n" for depth in range(MOST_LISTS + 1)]
    after = "- [ ] last\n## Validation\n```\nmake\n```\n"
    found = plan("".join(deep[:-1]) + after)

    assert (found.tasks[-1].label, len(found.tasks)) == ("last", MOST_LISTS + 1)
    assert found.validation == ("make",)
    with pytest.raises(UsageError, match=f"line {len(deep)} of the plan is nested too deep"):
        plan("".join(deep) + after)
    with pytest.raises(UsageError, match="line 2 of the plan"):
        plan(f"- [ ] a\n{'> ' * 2 * MOST_LISTS}> > - [ ] b\n")


def test_a_hint_in_the_label_is_kept_there_and_read() -> None:
    task = one("- [ ] Fill in the form @pdf, ask me@example.org\n")

    assert task.label == "Fill in the form @pdf, ask me@example.org"
    assert task.hints == ("pdf",)


def test_the_section_is_the_nearest_heading() -> None:
    text = "- [ ] a\n# Plan\n- [ ] b\n## Tasks `here` #\n- [ ] c\n\nUnderlined\n---\n- [ ] d\n"

    assert [t.section for t in plan(text).tasks] == ["", "Plan", "Tasks `here`", "Underlined"]


# Fences


@pytest.mark.parametrize("fence", ["```", "~~~", "````", "~~~~~~", "``` md"])
def test_a_fence_of_any_length_holds_no_tasks(fence: str) -> None:
    close = fence.split(maxsplit=1)[0]

    assert labels(f"{fence}\n- [ ] no\n{close}\n- [ ] yes\n") == ["yes"]


@pytest.mark.parametrize(("fence", "inner"), [("````", "```"), ("~~~", "```"), ("```", "~~~~~")])
def test_a_fence_ends_only_at_its_own_kind_and_length(fence: str, inner: str) -> None:
    assert labels(f"{fence}\n{inner}\n- [ ] no\n{fence}\n- [ ] yes\n") == ["yes"]


def test_a_fence_that_never_ends_hides_the_rest() -> None:
    assert labels("- [ ] yes\n\n~~~\n- [ ] no\n") == ["yes"]


def test_a_fence_inside_a_list_ends_with_its_item() -> None:
    text = "- [ ] one\n\n  ```\n  - [ ] no\n- [ ] two\n\n  ~~~\n  - [ ] no\n  ~~~\n  - proof\n"

    assert labels(text) == ["one", "two"]
    assert plan(text).tasks[1].criteria == ("proof",)


# Sections that are not for the loop


@pytest.mark.parametrize(
    "title",
    [
        "Verification",
        "Final verification steps",
        "Release Checklist",
        "MANUAL QA",
        "Manual QA (later)",
        "Manual  qa:",
        "4. Manual QA",
        "4.2) **Manual QA**",
        "__Manual-QA__",
    ],
)
def test_sections_for_people_are_ignored(title: str) -> None:
    assert open_labels(f"# Plan\n## {title}\n- [ ] no\n## Tasks\n- [ ] yes\n") == ["yes"]


@pytest.mark.parametrize("title", ["About manual QA", "Manual quality", "Verify", "Check list"])
def test_other_sections_are_not(title: str) -> None:
    assert open_labels(f"## {title}\n- [ ] yes\n") == ["yes"]


def test_headings_below_an_ignored_one_stay_inside_it() -> None:
    text = "## Verification\n- [ ] a\n### Unit\n- [ ] b\n#### Deep\n- [ ] c\n## Tasks\n- [ ] yes\n"

    assert open_labels(text) == ["yes"]


def test_a_higher_heading_ends_an_ignored_section() -> None:
    assert open_labels("# A\n### Checklist\n- [ ] no\n# B\n- [ ] yes\n") == ["yes"]


def test_an_underlined_heading_is_a_heading_too() -> None:
    assert open_labels("Verification\n---\n- [ ] no\n\nTasks\n---\n- [ ] yes\n") == ["yes"]


def test_the_title_of_the_plan_ignores_nothing() -> None:
    assert open_labels("# Verification of signatures\n- [ ] yes\n") == ["yes"]


def test_a_heading_in_a_fence_opens_no_section() -> None:
    assert open_labels("```\n## Verification\n```\n- [ ] yes\n") == ["yes"]


@pytest.mark.parametrize("inner", ["> ## Note", "- ## Note"])
def test_a_heading_in_a_quote_or_list_does_not_end_the_section(inner: str) -> None:
    assert open_labels(f"## Verification\n{inner}\n\n- [ ] no\n") == []


@pytest.mark.parametrize("heading", ["##", "> ## Note"])
def test_a_paragraph_is_never_taken_for_a_heading(heading: str) -> None:
    assert open_labels(f"{heading}\n\nSee the checklist elsewhere.\n\n- [ ] yes\n") == ["yes"]


# What a task carries


def test_indented_items_are_its_acceptance_criteria() -> None:
    text = "- [ ] Sort\n  - `sort()` is stable\n  - it takes\n    no memory\n  1. and is fast\n- [ ] x\n"

    assert plan(text).tasks[0].criteria == (
        "`sort()` is stable",
        "it takes no memory",
        "and is fast",
    )
    assert plan(text).tasks[1].criteria == ()


def test_a_line_that_ends_in_a_colon_only_heads_those_below() -> None:
    assert one("- [ ] Sort\n  - Acceptance criteria:\n    - stable\n    - fast\n").criteria == (
        "stable",
        "fast",
    )


@pytest.mark.parametrize("head", ["**Acceptance criteria:**", "Acceptance criteria", "Done when"])
def test_a_usual_head_of_criteria_is_none_of_them(head: str) -> None:
    assert one(f"- [ ] Sort\n  - {head}\n    - stable\n").criteria == ("stable",)
    assert one("- [ ] Sort\n  - Done when sorted\n    - stable\n").criteria[0] == "Done when sorted"


def test_criteria_below_a_criterion_count_however_deep_they_are() -> None:
    text = "- [ ] Write\n  - a exists\n    - b exists\n      1. c exists\n    - d exists\n  - e exists\n"

    assert one(text).criteria == tuple(f"{name} exists" for name in "abcde")


def test_a_task_below_is_no_criterion_and_keeps_its_own() -> None:
    text = "- [ ] one\n  - a\n  - [ ] two\n    - b\n    - files: c.py\n    - after: x\n"
    outer, inner = plan(text).tasks

    assert (outer.criteria, outer.files, outer.after) == (("a",), (), ())
    assert (inner.criteria, inner.files, inner.after) == (("b",), ("c.py",), ("x",))


@pytest.mark.parametrize(
    "written",
    [
        "  - files: a.py, b/**",
        "  - Files : `a.py`, `b/**`",
        "  files: a.py, b/**",
        "  - files:\n    - a.py\n    - `b/**`",
        "  - files: a.py\n  - files: b/**",
        "  - files:\n    a.py,\n    b/**",
        "  - files: a.py,, b/**,",
        "  files: a.py,\n  b/**",
        "  files:\n  a.py, b/**",
        "  - files: a.py\n    b/**",
        "  - files: a.py\n    - b/**",
        "  - files:\n    - a.py\n      - b/**",
        "  - after: x\n    files: a.py, b/**",
    ],
)
def test_files_may_be_written_in_several_ways(written: str) -> None:
    task = one(f"- [ ] Sort\n{written}\n")

    assert task.label == "Sort"
    assert task.files == ("a.py", "b/**")
    assert task.criteria == ()


def test_a_comma_inside_braces_belongs_to_the_glob() -> None:
    assert one("- [ ] x\n  - files: src/*.{py,pyi}, {a,b}/{c,d}, e\n").files == (
        "src/*.{py,pyi}",
        "{a,b}/{c,d}",
        "e",
    )
    assert one("- [ ] x\n  - files: {a,\n    b}/c,\n    d\n").files == ("{a,b}/c", "d")


def test_a_task_about_files_keeps_its_label() -> None:
    assert one("- [ ] files: delete the old ones\n").label == "files: delete the old ones"


@pytest.mark.parametrize(("head", "said"), [("Notes:", ()), ("Scope", ("Scope",))])
def test_files_and_after_below_any_item_are_found(head: str, said: tuple[str, ...]) -> None:
    task = one(f"- [ ] x\n  - {head}\n    - files: a.py\n    - after: y\n    - proof\n")

    assert (task.files, task.after, task.criteria) == (("a.py",), ("y",), (*said, "proof"))


def test_a_line_below_a_criterion_may_be_a_field() -> None:
    task = one("- [ ] x\n  - proof\n    files: a.py\n    of it\n")

    assert (task.files, task.criteria) == (("a.py",), ("proof of it",))


@pytest.mark.parametrize(
    ("written", "description"),
    [
        ("\n  The table\n  is long.\n\n  - stable\n", "The table\nis long."),
        ("  - stable\n\n  See the docs.\n\n  And @pdf.\n", "See the docs.\n\nAnd @pdf."),
        ("  - stable\n  - files: a.py\n\n    No other.\n", "No other."),
    ],
    ids=["before", "after", "below a field"],
)
def test_later_paragraphs_describe_a_task_and_are_not_its_name(
    written: str, description: str
) -> None:
    found = plan(f"- [ ] Sort the table\n{written}- [ ] Next\n  - after: Sort the table\n")
    task = found.tasks[0]

    assert (task.label, task.description) == ("Sort the table", description)
    assert (task.criteria, task.text) == (("stable",), f"Sort the table\n\n{description}")
    assert task.hints == (("pdf",) if "@pdf" in description else ())
    assert found.unknown() == []


@pytest.mark.parametrize("gap", ["", "\n"])
@pytest.mark.parametrize("head", ["Acceptance criteria:", "**Done when**:", "**Acceptance:**"])
def test_a_line_that_heads_criteria_is_no_part_of_the_label(head: str, gap: str) -> None:
    task = one(f"- [ ] Sort the\n  table\n{gap}  {head}\n{gap}  - stable\n")

    assert (task.label, task.description, task.criteria) == ("Sort the table", "", ("stable",))


def test_a_criterion_may_stand_behind_its_head() -> None:
    task = one("- [ ] Sort\n  Done when: it is\n  stable\n  - and fast\n")

    assert (task.label, task.criteria) == ("Sort", ("it is stable", "and fast"))
    assert labels("- [ ] Criteria: write them\n") == ["Criteria: write them"]


# What waits


def test_a_task_waits_for_what_it_comes_after() -> None:
    found = plan("- [ ] one\n  - after: Two, `three`\n- [ ] two\n- [~] three\n")
    first, second, _ = found.tasks

    assert found.waiting() == {first: ["Two", "three"]}
    assert found.next() == second


@pytest.mark.parametrize("mark", ["x", "X", "R"])
def test_a_task_that_is_done_holds_nobody_up(mark: str) -> None:
    found = plan(f"- [ ] one\n  after: two\n- [{mark}] Two.\n")

    assert found.unknown() == []
    assert found.waiting() == {}
    assert found.next() == found.tasks[0]


@pytest.mark.parametrize("label", ["two @pdf", "@pdf two", "two (@pdf)", "two @pdf."])
def test_after_may_name_a_task_with_or_without_its_hints(label: str) -> None:
    for name in (label, "two"):
        found = plan(f"- [ ] one\n  - after: {name}\n- [ ] {label}\n")

        assert found.unknown() == []
        assert list(found.waiting()) == [found.tasks[0]]


@pytest.mark.parametrize("name", ["Read, then sort", "`Read, then sort`"])
def test_after_may_name_a_task_whose_label_has_a_comma(name: str) -> None:
    found = plan(f"- [ ] one\n  - after: {name}\n- [ ] Read, then sort\n")

    assert found.unknown() == []
    assert list(found.waiting()) == [found.tasks[0]]


def test_what_is_not_in_the_plan_is_reported_and_not_waited_for() -> None:
    found = plan("- [ ] one\n  - after: nowhere\n")

    assert found.next() == found.tasks[0]
    assert found.unknown() == [(found.tasks[0], "nowhere")]


def test_tasks_that_wait_for_each_other_leave_no_next_one() -> None:
    found = plan("- [ ] one\n  - after: two\n- [ ] two\n  - after: one\n")

    assert found.next() is None
    assert len(found.waiting()) == 2
    assert found.circle() == list(found.tasks)
    what = "it waits for line 3, which waits for line 1: none of them can ever begin"
    assert found.problems() == [(1, what)]


def test_a_ring_is_told_without_those_that_only_wait_for_it() -> None:
    found = plan(
        "- [ ] behind\n  - after: one\n- [ ] free\n- [ ] one\n  - after: free, two\n"
        "- [ ] two\n  - after: one\n- [ ] self\n  - after: self\n"
    )
    _, _, one, two, itself = found.tasks

    assert found.circle() == [one, two]
    assert plan("- [ ] self\n  - after: self\n").circle() != []
    assert itself in found.waiting()


def test_a_task_whose_namesake_can_be_done_waits_in_no_ring() -> None:
    blocked = plan("- [ ] one\n  - after: two\n- [~] two\n  - after: one\n")
    twins = plan("- [ ] test\n- [ ] build\n  - after: test\n- [ ] test\n  - after: build\n")

    assert blocked.circle() == []
    assert twins.circle() == []


def test_a_manual_task_that_was_tried_holds_nobody_up() -> None:
    found = plan("- [ ] one\n  - after: try it\n- [x]? try it\n")

    assert found.next() == found.tasks[0]


def test_next_passes_over_what_is_done_blocked_manual_or_ignored() -> None:
    text = (
        "- [x] a\n- [R] b\n- [~] c\n- [ ]? d\n## Checklist\n- [ ] e\n## Tasks\n- [ ] f\n- [ ] g\n"
    )

    following = plan(text).next()

    assert following is not None
    assert following.label == "f"


@pytest.mark.parametrize("text", ["", "\n\n", "# A title\n\nProse.\n", "- [x] done\n"])
def test_a_plan_with_nothing_to_do_has_no_next_task(text: str) -> None:
    assert plan(text).next() is None


# The commands that prove every task


@pytest.mark.parametrize(
    "title",
    [
        "Validation commands",
        "Validation Command",
        "Validation",
        "Commands to run",
        "3. **Validation**:",
        "Validation steps",
        "Final validation & tests",
        "Our validation commands (all of them)",
    ],
)
def test_commands_are_read_from_fences_under_a_heading_like(title: str) -> None:
    text = f"## Tasks\n```\nnot this\n```\n## {title}\n\n```bash\n# first\nmake test\n\n  make lint\n```\n~~~\nlast\n~~~\n## More\n```\nnor this\n```\n"

    assert plan(text).validation == ("make test", "make lint", "last")
    assert plan(text).tasks == ()


def test_commands_in_a_fence_in_a_list_are_read_too() -> None:
    text = "- [ ] x\n## Validation commands\n1. Run this:\n\n   ```bash\n   make test\n     make lint\n   ```\n   - ~~~\n     make all\n     ~~~\n"
    found = plan(text)

    assert found.validation == ("make test", "make lint", "make all")
    assert found.validation_lines == (6, 7, 10)
    assert found.slips == ()


@pytest.mark.parametrize(
    "title", ["Validation commands", "2. **Validation**", "Validation & tests"]
)
def test_a_heading_of_the_first_level_that_says_nothing_else_holds_commands(title: str) -> None:
    found = plan(f"# Plan\n- [ ] x\n\n# {title}\n```\nmake test\n```\n## Notes\n```\nno\n```\n")

    assert found.validation == ("make test",)
    assert found.slips == ()


def test_a_command_may_go_on_over_lines() -> None:
    (command,) = plan("## Validation commands\n```\nmake \\\n  test\n```\n").validation

    assert command.split() == ["make", "test"]


@pytest.mark.parametrize(
    "above",
    [
        "# Add validation commands to the CLI",
        "# Add validation commands to the CLI\n## Example",
        "# Validation\n## Example",
    ],
)
def test_the_title_of_a_plan_turns_no_example_into_a_command(above: str) -> None:
    assert plan(f"{above}\n```py\nremove_everything()\n```\n").validation == ()


def test_a_section_about_validating_something_holds_no_commands() -> None:
    assert plan("## Input validation\n```py\nremove_everything()\n```\n").validation == ()


# Ticking


@pytest.mark.parametrize("mark", ["~", "x", "R"])
@pytest.mark.parametrize(
    "data",
    [
        b"- [x] one\n- [ ] two [ ] it\n- [ ] three\n",
        b"# P\r\n- [x] one\r\n- [ ] two [ ] it\r\n- [ ] three",
        b"- [ ] one\r- [ ] two [ ] it\r",
        "\ufeff# Änderungen 漢字 🎉\n1. [R] eins é\n2. [ ] two [ ] it\n".encode(),
        "- [ ] a\u2028b\x0bc\x0cd\x85e\n- [ ] f\n-\t[ ] two [ ] it\n".encode(),
        b"> - [ ] two [ ] it\n",
        b"- [x] one\n  - [ ] two [ ] it\n    - [ ] three\n",
        b"-\n  [ ] two [ ] it\n",
        b"```\n- [ ] two [ ] it\n```\n- [ ] two [ ] it\n",
    ],
)
def test_ticking_changes_exactly_one_byte(data: bytes, mark: Mark) -> None:
    task = next(each for each in read_plan(data).tasks if each.label == "two [ ] it")

    after = ticked(data, task, mark)

    changed = [at for at, (was, now) in enumerate(zip(data, after, strict=True)) if was != now]
    assert len(changed) == 1
    assert data[changed[0] - 1 : changed[0] + 2] == b"[ ]"
    again = [each for each in read_plan(after).tasks if each.line == task.line]
    assert [(each.label, each.mark) for each in again] == [(task.label, mark)]


@pytest.mark.parametrize("was", ["~", "x", "X", "R"])
def test_a_task_may_be_opened_again(was: str) -> None:
    data = f"- [{was}] one\r\n".encode()

    assert ticked(data, read_plan(data).tasks[0], " ") == b"- [ ] one\r\n"


def test_a_mark_in_a_fence_before_the_task_is_left_alone() -> None:
    data = b"- ```\n  [x] example\n  ```\n  [ ] real\n"
    (task,) = read_plan(data).tasks

    assert ticked(data, task, "x") == b"- ```\n  [x] example\n  ```\n  [x] real\n"


def test_a_task_made_manual_is_still_a_task() -> None:
    data = b"- [ ] one\n"

    try:
        after = ticked(data, read_plan(data).tasks[0], "?")
    except UsageError:  # one byte cannot say it, so to refuse is fair
        return
    assert [task.mark for task in read_plan(after).tasks] == ["?"]


@pytest.mark.parametrize(
    "changed",
    [b"", b"- [ ] another\n", b"new line\n\n- [ ] one\n", b"```\n- [ ] one\n```\n", b"\xff"],
)
def test_a_plan_that_changed_meanwhile_is_not_ticked(changed: bytes) -> None:
    (task,) = plan("- [ ] one\n").tasks

    with pytest.raises(UsageError):
        ticked(changed, task, "x")


# What is no plan


def test_what_is_no_text_is_refused_with_a_reason() -> None:
    with pytest.raises(UsageError, match="not UTF-8"):
        read_plan(b"- [ ] caf\xe9\n")
    with pytest.raises(UsageError, match="not text"):
        read_plan(b"\x7fELF\0\0- [ ] x\n")
    with pytest.raises(UsageError, match="bytes"):
        read_plan(b" " * (MAX_BYTES + 1))


def test_twenty_thousand_tasks_are_a_plan_too() -> None:
    found = read_plan(b"- [x] done\n" * 19_999 + b"- [ ] last\n")

    following = found.next()
    assert len(found.tasks) == 20_000
    assert following is not None
    assert (following.label, following.line) == ("last", 20_000)


def test_a_task_as_json_has_every_field() -> None:
    text = "## Tasks\n- [ ] Sort @pdf\n  - stable\n  - files: a.py\n  - after: x\n\n  It is long.\n"

    assert one(text).as_json() == {
        "label": "Sort @pdf",
        "line": 2,
        "mark": " ",
        "section": "Tasks",
        "description": "It is long.",
        "hints": ["pdf"],
        "criteria": ["stable"],
        "files": ["a.py"],
        "after": ["x"],
        "ignored": False,
    }


@pytest.mark.parametrize(
    ("label", "named"),
    [
        ("Implement `slugify`", "Implement `slugify`"),
        ("`slugify` is there", "`slugify` is there"),
        ("Add a, then `b`", "Add a, then `b`"),
        ("Say hello", "`Say hello`"),
    ],
)
def test_after_finds_a_task_whose_words_begin_or_end_with_code(label: str, named: str) -> None:
    found = plan(f"- [ ] {label}\n- [ ] Other\n- [ ] Use it\n  - after: {named}\n")

    assert found.unknown() == []
    assert [task.label for task in found.waiting()] == ["Use it"]
