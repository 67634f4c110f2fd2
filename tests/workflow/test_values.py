"""Placeholders become values, and everything else in a text stays as it is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.workflow.conditions import parse_condition
from prowess.workflow.values import ValueProblemError, fill, fill_value, slots_of

SCOPE: dict[str, Any] = {
    "who": "Ada",
    "empty": "",
    "files": ["a.py", "b c.py"],
    "text": "one\n\ntwo\n",
    "found": {"count": 3, "names": ["x", "y"], "deep": {"er": True}},
    "steps": {"list-all": {"output": "out", "ok": True}},
    "a-b": "hyphen",
    "nothing": {"list": [], "mapping": {}, "zero": 0, "false": False, "feed": "a\fb\r\nc"},
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello {who}!", "Hello Ada!"),
        ("{steps.list-all.output}", "out"),
        ("{found.count} {found.names.1} {found.deep.er}", "3 y true"),
        ("{a-b}", "hyphen"),
        ("{none | default('nobody')} {empty | default(\"none\")}", "nobody none"),
        ("{files | join}", "a.py, b c.py"),
        ("{files | join(' + ')}", "a.py + b c.py"),
        ("{files | lines}", "a.py\nb c.py"),
        ("{files}", '["a.py", "b c.py"]'),
        ("{found.deep | json}", '{"er": true}'),
        ("{none | default('x') | json}", '"x"'),
        ("{nothing.list | default('x')} {nothing.mapping | default('y')}", "x y"),
        ("{nothing.zero | default('x')} {nothing.false | default('y')}", "0 false"),
        ("{nothing.feed | lines | json}", '["a\\fb", "c"]'),
    ],
)
def test_a_placeholder_becomes_its_value(text: str, expected: str) -> None:
    assert fill(text, SCOPE) == expected


@pytest.mark.parametrize("filters", ["", " | lines", " | join", " | json", " | lines | join('+')"])
@pytest.mark.parametrize("name", ["none", "nothing.null", "nothing.list.0"])
def test_no_filter_makes_a_value_of_nothing_but_default(name: str, filters: str) -> None:
    scope = {**SCOPE, "nothing": {**SCOPE["nothing"], "null": None}}

    with pytest.raises(ValueProblemError, match="has no value here"):
        fill(f"{{{name}{filters}}}", scope)
    assert not parse_condition(f"{{{name}{filters}}}").holds(scope)
    assert fill(f"[{{{name}{filters} | default('-')}}]", scope) == "[-]"


@pytest.mark.parametrize(
    "text",
    [
        "awk '{print $1}'",
        "{}",
        "{ }",
        '{"a": {"b": 1}}',
        "{a,b}",
        "{1..3}",
        "{{.Name}}",
        "{{json .Config}}",
        "f() { ls; }",
        "{ who }",
        "{a: .b}",
        "}{",
        "{",
        "{who",
    ],
)
def test_a_brace_that_opens_no_name_is_plain_text(text: str) -> None:
    assert slots_of(text) == []
    assert fill(text, SCOPE) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{who}}", "{who}"),
        ("{{{who}}}", "{Ada}"),
        ("{{{{end}}}}", "{{end}}"),
        ("{{print}} {who}", "{print} Ada"),
        ('{"name":{who}}', '{"name":Ada}'),
        ("{{who | default('x')}}", "{who | default('x')}"),
    ],
)
def test_doubled_braces_write_braces(text: str, expected: str) -> None:
    assert fill(text, SCOPE) == expected


def test_in_a_line_for_the_shell_its_own_variables_are_left_to_it() -> None:
    assert [slot.source for slot in slots_of("${who} {who}", line=True)] == ["{who}"]


@given(st.text())
def test_a_value_is_never_looked_at_again(value: str) -> None:
    assert fill("<{x}>", {"x": value, "y": "expanded"}) == f"<{value}>"


@given(st.text(alphabet="{}ab.|'() !:["))
def test_any_text_is_filled_or_refused_with_a_reason(text: str) -> None:
    try:
        fill(text, {"a": "1", "b": "2"})
    except (ValueProblemError, KeyError):
        assert slots_of(text)


def test_what_has_no_value_is_an_error_that_says_how_to_do_without() -> None:
    with pytest.raises(ValueProblemError, match="has no value") as caught:
        fill("{role}", {})

    assert caught.value.hint == "write {role | default('...')}"


@pytest.mark.parametrize(
    "path", ["who.upper", "who.__class__", "found.keys", "files.9", "found.count.real"]
)
def test_a_path_goes_through_keys_and_never_through_attributes(path: str) -> None:
    with pytest.raises(ValueProblemError):
        fill(f"{{{path}}}", SCOPE)


def test_a_text_that_is_one_placeholder_becomes_the_very_value() -> None:
    filled = fill_value({"n": "{found.count}", "all": ["{files}", "x{who}"], "k": 7}, SCOPE)

    assert filled == {"n": 3, "all": [["a.py", "b c.py"], "xAda"], "k": 7}
