"""Who sees how much of a run."""

from typing import Any

import pytest

from prowess.core.errors import SettingsError
from prowess.permit.visibility import Level, Role, Visibility, read_visibility, seen

CALL = {
    "summary": "Read data.csv",
    "progress": 40,
    "visibility": "SUMMARY",
    "iteration": 3,
    "tool": "Read",
    "tool_kind": "FILE",
    "input": {"path": "data.csv"},
    "text": "a,b\n1,2",
}
THOUGHT = {"summary": "Thinks", "progress": 40, "visibility": "FULL", "thought": "I should look"}
QUERY = {**CALL, "tool": "Query", "tool_kind": "DATABASE", "summary": "SELECT 1"}


def look(
    payload: dict[str, Any], role: Role, rules: Visibility | None = None
) -> dict[str, Any] | None:
    return seen(payload, kind="call.finished", role=role, rules=rules or Visibility())


@pytest.mark.parametrize("role", [Role.DEVELOPER, Role.ADMIN])
def test_who_builds_sees_every_thought_call_and_result(role: Role) -> None:
    assert look(CALL, role) == CALL
    assert look(THOUGHT, role) == THOUGHT


def test_an_end_user_sees_how_far_it_is_and_not_what_was_read() -> None:
    shown = look(CALL, Role.END_USER)

    assert shown == {
        "summary": "Read data.csv",
        "progress": 40,
        "visibility": "SUMMARY",
        "iteration": 3,
        "tool_kind": "FILE",
    }


def test_an_end_user_sees_no_thought() -> None:
    assert look(THOUGHT, Role.END_USER) is None


@pytest.mark.parametrize("role", Role)
def test_a_database_call_is_hidden_from_everyone_unless_the_settings_say_otherwise(
    role: Role,
) -> None:
    shown = look(QUERY, role)

    assert shown == {"summary": "[database call hidden]", "progress": 40, "visibility": "SUMMARY"}
    assert look({**QUERY, "visibility": "FULL"}, role) is None


def test_the_settings_can_show_database_calls() -> None:
    rules = read_visibility({"by_tool": {"DATABASE": "FULL"}})

    assert look(QUERY, Role.DEVELOPER, rules) == QUERY


@pytest.mark.parametrize("by_role", Level)
@pytest.mark.parametrize("by_tool", Level)
def test_the_more_hidden_of_the_rules_wins(by_role: Level, by_tool: Level) -> None:
    rules = Visibility(by_role={Role.ADMIN: by_role}, by_tool={"SHELL": by_tool})

    assert rules.level(Role.ADMIN, "SHELL") == min(by_role, by_tool)


def test_a_role_without_a_rule_gets_the_default() -> None:
    assert Visibility(default=Level.HIDDEN, by_role={}).level(Role.DEVELOPER) is Level.HIDDEN


@pytest.mark.parametrize("role", Role)
def test_secrets_are_redacted_at_every_level(role: Role) -> None:
    payload = {**CALL, "summary": "login password=hunter2x", "input": {"api_key": "abc123def"}}

    shown = str(look(payload, role))

    assert "hunter2x" not in shown
    assert "abc123def" not in shown


def test_personal_data_is_kept_only_for_a_role_that_was_granted_it() -> None:
    payload = {**CALL, "summary": "Wrote to bob@example.com"}
    rules = read_visibility({"personal": ["admin"]})

    assert "bob@example.com" in str(look(payload, Role.ADMIN, rules))
    assert "bob@example.com" not in str(look(payload, Role.DEVELOPER, rules))


def test_names_in_settings_may_be_written_in_any_case() -> None:
    rules = read_visibility(
        {"default": "hidden", "by_role": {"end_user": "full"}, "by_tool": {"shell": "summary"}}
    )

    assert rules.default is Level.HIDDEN
    assert rules.by_role[Role.END_USER] is Level.FULL
    assert rules.by_tool["SHELL"] is Level.SUMMARY
    assert rules.by_tool["DATABASE"] is Level.HIDDEN


@pytest.mark.parametrize(
    ("settings", "wrong", "allowed"),
    [
        ({"default": "SOME"}, "visibility.default: 'SOME'", "HIDDEN, SUMMARY or FULL"),
        (
            {"by_role": {"GUEST": "FULL"}},
            "visibility.by_role: 'GUEST'",
            "END_USER, DEVELOPER or ADMIN",
        ),
        ({"by_tool": {"BASH": "FULL"}}, "visibility.by_tool: 'BASH'", "SHELL"),
        ({"by_tool": {"SHELL": 3}}, "visibility.by_tool.SHELL: 3", "HIDDEN, SUMMARY or FULL"),
        ({"by_role": "FULL"}, "visibility.by_role is not a table", "END_USER"),
        ({"personal": "ADMIN"}, "visibility.personal is not a list", "ADMIN"),
        ({"rules": {}}, "no setting 'rules'", "by_role"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_is_allowed(
    settings: Any, wrong: str, allowed: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        read_visibility(settings)

    assert wrong in str(refused.value)
    assert allowed in refused.value.hint
