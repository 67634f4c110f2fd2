"""How cleanly an agent worked, counted from its events."""

import pytest

from prowess.check.compare.hygiene import Hygiene, hygiene
from prowess.check.compare.searches import Search, deeds
from prowess.check.layered import Layered, layered
from prowess.core.errors import RefusedError, UnknownSkillError
from prowess.core.event import Event

KINDS = {"Bash": "SHELL", "Grep": "SEARCH", "Glob": "SEARCH", "Read": "FILE", "Write": "FILE"}


def called(tool: str, *, ok: bool = True, refused: bool = False, **given: str) -> list[Event]:
    named = {"tool": tool, "tool_kind": KINDS[tool]}
    return [
        Event(run="r", kind="call.started", payload={**named, "input": given}),
        Event(run="r", kind="call.finished", payload={**named, "ok": ok, "refused": refused}),
    ]


def answered(text: str) -> Event:
    return Event(run="r", kind="model.replied", payload={"thought": text, "calls": []})


def figures(*events: list[Event] | Event) -> Hygiene:
    return hygiene(
        event for each in events for event in (each if isinstance(each, list) else [each])
    )


def test_a_shell_search_counts_as_first_until_a_search_tool_was_tried() -> None:
    found = figures(
        called("Bash", command="rg -n parse src | head"),
        called("Bash", command="cd src && find . -name '*.py'"),
        called("Grep", pattern="parse"),
        called("Bash", command="git grep -n other"),
    )

    assert found.searches == 4
    assert found.shell_first_searches == 2


def test_the_same_question_with_another_tool_is_a_duplicate() -> None:
    found = figures(
        called("Grep", pattern="parse", path="src/"),
        called("Bash", command="rg -n -F -e 'parse' -- src | head -n 50"),
        called("Bash", command="grep -rn parse lib"),
        called("Glob", pattern="*.py", path="."),
        called("Bash", command="find . -name '*.py'"),
    )

    assert found.duplicate_searches == 2


def test_searches_are_weighed_against_reads() -> None:
    found = figures(
        called("Grep", pattern="a"),
        called("Grep", pattern="b"),
        called("Grep", pattern="c"),
        called("Read", file_path="a.py"),
        called("Bash", command="sed -n '1,20p' b.py"),
        called("Write", file_path="c.py", content="x"),
    )

    assert found.searches_per_read == 1.5
    assert figures(called("Grep", pattern="a")).searches_per_read is None


def test_commands_that_fail_are_counted_and_refused_ones_never_ran() -> None:
    found = figures(
        called("Bash", command="make", ok=False),
        called("Bash", command="ls"),
        called("Bash", command="rm -rf /", ok=False, refused=True),
        called("Read", ok=False, file_path="none"),
    )

    assert (found.commands, found.failed_commands) == (2, 1)


def test_a_claim_names_what_shows_it_or_counts_against_the_answer() -> None:
    said = "I read it. All tests pass. The parser works: `parse` at lib/a.py:5. It exists!\nThanks."

    found = figures(answered("nothing yet"), answered(said))

    assert (found.claims, found.claims_without_evidence) == (3, 2)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("grep -rn 'a b' src lib", [Search("text", "a b", "lib src")]),
        ("rg -t py -g '*.py' needle", [Search("text", "needle", ".")]),
        ("rg --files -g '*x*' src", [Search("names", "*x*", "src")]),
        ("git ls-files -- '*x*'", [Search("names", "*x*", ".")]),
        ("ls -laR src", [Search("names", "*", "src")]),
        ("cat a.py | grep x", ["read"]),
        ("make && cat log", ["read"]),
        ("ls", []),
        ("echo 'unclosed", []),
    ],
)
def test_a_command_is_read_as_what_it_looks_for(command: str, found: list[object]) -> None:
    assert list(deeds("Bash", "SHELL", {"command": command})) == found


def text_of(**texts: str | Exception) -> object:
    def read(name: str) -> str:
        found = texts.get(name.replace("-", "_"), "instructions")
        if isinstance(found, Exception):
            raise found
        return found

    return read


@pytest.mark.parametrize(
    ("value", "texts", "reason"),
    [
        (True, {}, ""),
        (False, {}, "rollout_flag_disabled"),
        (None, {}, "rollout_flag_missing"),
        ("true", {}, "rollout_flag_invalid"),
        (1, {}, "rollout_flag_invalid"),
        (True, {"safe_shell_search": UnknownSkillError("no")}, "missing_skill:safe-shell-search"),
        (True, {"task_spec_check": UnknownSkillError("no")}, "missing_skill:task-spec-check"),
        (True, {"task_spec_check": RefusedError("no")}, "unreadable_skill:task-spec-check"),
        (True, {"safe_shell_search": " \n"}, "unreadable_skill:safe-shell-search"),
    ],
)
def test_layers_are_used_only_where_wanted_and_readable(
    value: object, texts: dict[str, str | Exception], reason: str
) -> None:
    found = layered(value, text_of(**texts))  # type: ignore[arg-type]

    assert found == Layered(on=not reason, reason=reason)
