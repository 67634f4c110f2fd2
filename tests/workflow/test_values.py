"""Placeholders become values, and everything else in a text stays as it is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.core.errors import ProwessError
from prowess.workflow.values import ValueProblemError, fill, fill_path, fill_value, slots_of

SCOPE: dict[str, Any] = {
    "who": "Ada",
    "empty": "",
    "files": ["a.py", "b c.py"],
    "text": "one\n\ntwo\n",
    "found": {"count": 3, "names": ["x", "y"], "deep": {"er": True}},
    "steps": {"list-all": {"output": "out", "ok": True}},
    "a-b": "hyphen",
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
    ],
)
def test_a_placeholder_becomes_its_value(text: str, expected: str) -> None:
    assert fill(text, SCOPE) == expected


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


def test_what_has_no_value_is_an_error_that_says_how_to_give_one() -> None:
    with pytest.raises(ValueProblemError, match="has no value") as caught:
        fill("{role}", {})

    assert "--set role=" in caught.value.hint


@pytest.mark.parametrize(
    "path", ["who.upper", "who.__class__", "found.keys", "files.9", "found.count.real"]
)
def test_a_path_goes_through_keys_and_never_through_attributes(path: str) -> None:
    with pytest.raises(ValueProblemError):
        fill(f"{{{path}}}", SCOPE)


def test_a_text_that_is_one_placeholder_becomes_the_very_value() -> None:
    filled = fill_value({"n": "{found.count}", "all": ["{files}", "x{who}"], "k": 7}, SCOPE)

    assert filled == {"n": 3, "all": [["a.py", "b c.py"], "xAda"], "k": 7}


@pytest.mark.parametrize("value", ["../x", "a/../../x", "..", "x/..", "a\0b"])
def test_a_value_cannot_lead_a_path_out_of_its_folder(value: str) -> None:
    for template in ("out/{n}/f.txt", "out/{n}"):
        with pytest.raises(ProwessError, match="leaves the folder"):
            fill_path(template, {"n": value})


@pytest.mark.parametrize("value", ["/etc", "~root"])
def test_a_value_cannot_give_a_path_another_root(value: str) -> None:
    with pytest.raises(ProwessError, match="leaves the folder"):
        fill_path("{n}/x", {"n": value})


def test_two_values_cannot_climb_together() -> None:
    with pytest.raises(ProwessError, match="leaves the folder"):
        fill_path("out/{a}{a}/x", {"a": "."})


@pytest.mark.parametrize(
    ("value", "path"), [("a", "out/a.txt"), ("b/c", "out/b/c.txt"), ("..a", "out/..a.txt"), ("", "out/.txt")]
)  # fmt: skip
def test_an_ordinary_name_makes_an_ordinary_path(value: str, path: str) -> None:
    assert fill_path("out/{n}.txt", {"n": value}) == path
