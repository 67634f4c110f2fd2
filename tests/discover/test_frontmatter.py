"""A SKILL.md parted into header and body: only a fence ends a header, and what can be mended is."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prowess.core.errors import SkillError
from prowess.core.safe_yaml import YamlRefusedError
from prowess.discover.agent_skill import instructions
from prowess.discover.frontmatter import parse
from prowess.discover.header import Frontmatter, parse_header

PLAIN = "---\nname: x\ndescription: Does a thing.\n---\n\n# Body\n"


def mended(found: Frontmatter) -> list[tuple[int | None, str]]:
    return [(each.line, each.what) for each in found.mended]


def refused(text: str) -> SkillError:
    with pytest.raises(SkillError) as caught:
        parse(text)
    return caught.value


# Fences


def test_a_plain_file_is_header_and_body() -> None:
    found = parse(PLAIN)

    assert found.fields == {"name": "x", "description": "Does a thing."}
    assert found.lines == {"name": 2, "description": 3}
    assert found.body == "\n# Body\n"
    assert found.body_line == 5
    assert found.mended == []


@pytest.mark.parametrize(
    "header",
    [
        "description: a --- b",
        "description: >\n  a\n  ---\n  b",
        "description: |\n  ---",
        "description: a\n  ---",
        'description: "--- a ---"',
        "description: a\n# ---",
        "a---: b",
    ],
)
def test_dashes_inside_a_value_do_not_end_the_header(header: str) -> None:
    found = parse(f"---\n{header}\nlast: seen\n---\nbody\n")

    assert found.fields["last"] == "seen"
    assert found.body == "body\n"
    assert found.mended == []


@pytest.mark.parametrize("line", ["----", "--- a", "---a", "--", " ---", "- --"])
def test_only_three_dashes_alone_on_a_line_are_a_fence(line: str) -> None:
    assert refused(f"{line}\nname: x\n---\n").args[0] == "no header"
    assert refused(f"---\nname: >\n  x\n{line}\n").args[0] == "the header never ends"


def test_a_rule_in_the_body_belongs_to_the_body() -> None:
    assert parse("---\nname: x\n---\na\n\n---\n\nb\n---\n").body == "a\n\n---\n\nb\n---\n"


def test_a_header_may_end_with_the_file() -> None:
    found = parse("---\nname: x\n---")

    assert found.fields == {"name": "x"}
    assert found.body == ""


@pytest.mark.parametrize("text", ["---\n---\n", "---\n---", "---\n# nothing yet\n---\n"])
def test_a_header_may_be_empty(text: str) -> None:
    assert parse(text).fields == {}


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", "# Title\n", "name: x\n---\n", " ---\n---\n"])
def test_a_file_that_does_not_begin_with_a_fence_has_no_header(text: str) -> None:
    error = refused(text)

    assert str(error) == "no header"
    assert "begin the file with a line of ---" in error.hint


@pytest.mark.parametrize("text", ["---", "---\n", "---\nname: x\n", "---\nname: x\n ---\n"])
def test_a_header_that_is_never_closed_is_told_at_its_beginning(text: str) -> None:
    error = refused(text)

    assert str(error) == "the header never ends"
    assert error.hint == "close it with a line of --- on its own"
    assert error.line == 1


# What is mended


def test_a_byte_order_mark_is_legal_and_stripped() -> None:
    found = parse("\ufeff" + PLAIN)

    assert found.fields["name"] == "x"
    assert mended(found) == []


def test_crlf_line_ends_are_line_ends() -> None:
    found = parse(PLAIN.replace("\n", "\r\n"))

    assert found.fields == {"name": "x", "description": "Does a thing."}
    assert found.body == "\n# Body\n"
    assert found.mended == []


def test_line_ends_of_the_old_macintosh_kind_are_line_ends_and_told() -> None:
    found = parse(PLAIN.replace("\n", "\r"))

    assert found.fields["description"] == "Does a thing."
    assert mended(found) == [(1, "line ends of the old Macintosh kind")]


def test_blank_lines_before_the_header_are_told_and_counted() -> None:
    found = parse("\n\n---\nname: x\nversion: 1\n---\nbody")

    assert found.lines == {"name": 4, "version": 5}
    assert found.body_line == 7
    assert mended(found) == [(1, "blank lines before the header")]


def test_blanks_after_a_fence_are_told() -> None:
    found = parse("--- \nname: x\n---\t\nbody\n")

    assert found.body == "body\n"
    assert mended(found) == [
        (1, "blanks after the opening ---"),
        (3, "blanks after the closing ---"),
    ]


@pytest.mark.parametrize(
    "value",
    [
        "Use when: testing",
        "Use this: it works: always",
        "See: [this]",
        "@mention it",
        "`code` first",
        "%percent",
        "[draft] not a list",
        "{x} not a mapping",
        "*bold* text",
        "& more",
        "ends with a colon:",
        "- a dash",
    ],
)
def test_a_value_that_yaml_misreads_is_taken_as_the_text_it_plainly_is(value: str) -> None:
    found = parse(f"---\nname: x\ndescription: {value}\nlicense: MIT\n---\n")

    assert found.fields == {"name": "x", "description": value, "license": "MIT"}
    assert mended(found) == [
        (3, "the value of 'description' needs quotes and was read as plain text")
    ]


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ('"PDF" and Word files.', '"PDF" and Word files.'),
        ("'quoted' and more", "'quoted' and more"),
        ('"PDF" and "Word"', '"PDF" and "Word"'),
        ('"PDF" and\n  Word files.', '"PDF" and Word files.'),
        (r'"Reads C:\Users files."', r"Reads C:\Users files."),
        (r'"Reads C:\Users files."  # all', r"Reads C:\Users files."),
        ('"Says "hello" to all"', 'Says "hello" to all'),
        ("'it's fine'", "it's fine"),
    ],
)
def test_quotes_that_yaml_refuses_do_not_cost_the_value(value: str, meant: str) -> None:
    found = parse(f"---\nname: x\ndescription: {value}\nlicense: MIT\n---\n")

    assert found.fields == {"name": "x", "description": meant, "license": "MIT"}
    assert mended(found) == [
        (3, "the quotes of 'description' are not those of YAML, so it was read as plain text")
    ]


def test_a_misread_value_over_several_lines_is_put_together() -> None:
    found = parse(
        "---\ndescription: Use when: testing\n  or when: not\n\n  testing\nname: x\n---\n"
    )

    assert found.fields == {
        "description": "Use when: testing or when: not testing",
        "name": "x",
    }


def test_two_misread_values_are_both_mended_and_both_told() -> None:
    found = parse("---\ndescription: a: b\nname: x\ncompatibility: c: d\n---\n")

    assert found.fields == {"description": "a: b", "name": "x", "compatibility": "c: d"}
    assert [each.line for each in found.mended] == [2, 4]


@pytest.mark.parametrize("value", ["[a, b}", "{a: [}", '"open', "'open", "\n  - a\n - b"])
def test_a_structure_that_cannot_be_read_is_dropped_and_told(value: str) -> None:
    found = parse(f"---\nname: x\npaths: {value}\ndescription: d\n---\n")

    assert found.fields["name"] == "x"
    assert found.fields["description"] == "d"
    assert "paths" not in found.fields
    assert "the field 'paths' was dropped" in found.mended[0].what


def test_values_beside_a_mended_one_keep_their_meaning_and_their_lines() -> None:
    found = parse("---\nversion: 1.10\nmax: 3\ndescription: a: b\nmetadata:\n  k: 1\n---\n")

    assert found.fields == {
        "version": "1.10",
        "max": 3,
        "description": "a: b",
        "metadata": {"k": "1"},
    }
    assert found.lines == {"version": 2, "max": 3, "description": 4, "metadata": 5}


@pytest.mark.parametrize(
    "stray", ["  indented: 1", "\tx: 1", "} brace", ": nothing before the colon"]
)
def test_a_line_that_belongs_to_no_field_is_told_where_it_is_left_out(stray: str) -> None:
    found = parse(f"---\n{stray}\nname: x\ndescription: d\n---\n")

    assert found.fields == {"name": "x", "description": "d"}
    assert [each.line for each in found.mended] == [2]


def test_what_is_refused_is_never_mended() -> None:
    twice = refused("---\nname: x\ndescription: a: b\nname: y\n---\n")
    tagged = refused("---\nname: x\ndescription: a: b\nrun: !!python/name:os.system x\n---\n")

    assert str(twice) == "refused in YAML: the field 'name' stands twice"
    assert twice.line == 4
    assert isinstance(tagged, YamlRefusedError)
    assert tagged.line == 4


def test_with_no_field_left_the_first_mistake_stands() -> None:
    error = refused("---\n@ nothing here\n---\n")

    assert str(error).startswith("not valid YAML: ")
    assert error.line == 2


# Text, bytes and both doors


@pytest.mark.parametrize("field", ["name", "description", "license", "version", "model", "agent"])
def test_fields_shown_to_people_stay_as_typed(field: str) -> None:
    assert parse(f"---\n{field}: 1.10\nother: 1.10\n---\n").fields == {field: "1.10", "other": 1.1}


def test_bytes_that_are_not_utf_8_are_told_at_their_line() -> None:
    with pytest.raises(SkillError, match="not UTF-8: byte 0xe9") as caught:
        parse_header(b"---\nname: caf\xe9\n---\n")

    assert caught.value.line == 2


@pytest.mark.parametrize("data", [b"\xff\xfe-\0-\0", b"\x00\x01\x02", b"---\n\0: \0\n---\n"])
def test_bytes_that_are_no_text_are_an_error_of_the_skill(data: bytes) -> None:
    with pytest.raises(SkillError):
        parse_header(data)


def outcome(found: Frontmatter) -> object:
    return found.fields, found.lines, mended(found)


ROWS = "---|--- |----|name: x|description: a: b|é: ü|  ---|k: >|  v||\r|- x|\ufeff|a: [|name: y|\x01|# c|@"


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(ROWS.split("|")), max_size=7), st.booleans(), st.booleans())
def test_the_header_alone_says_what_the_whole_file_says(
    rows: list[str],
    fenced: bool,  # noqa: FBT001
    crlf: bool,  # noqa: FBT001
) -> None:
    if fenced:
        rows = ["---", *rows, "---", "body"]
    text = ("\r\n" if crlf else "\n").join(rows)
    try:
        whole = outcome(parse(text))
    except SkillError as error:
        whole = (str(error), error.line, error.hint)
    try:
        alone = outcome(parse_header(text.encode()))
    except SkillError as error:
        alone = (str(error), error.line, error.hint)

    assert alone == whole


@settings(max_examples=300, deadline=None)
@given(st.binary() | st.binary().map(lambda data: b"---\n" + data + b"\n---\n"))
def test_no_bytes_raise_anything_but_an_error_of_the_skill(data: bytes) -> None:
    with contextlib.suppress(SkillError):
        found = parse_header(data)

        assert found.lines.keys() == found.fields.keys()


def test_the_instructions_are_the_body_and_all_of_a_file_without_a_header() -> None:
    assert instructions(PLAIN) == "\n# Body\n"
    assert instructions("# Only a body\n") == "# Only a body\n"
    assert instructions("---\n[\n---\n") == "---\n[\n---\n"


def test_a_field_behind_a_tab_is_told_by_its_tab_and_not_by_quotes() -> None:
    found = parse("---\nname: x\n\tdescription: y\n---\n")

    [mended] = found.mended
    assert mended.line == 3
    assert mended.what.startswith("a tab at the start of a line")
    assert "spaces" in mended.hint
