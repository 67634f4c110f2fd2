"""YAML from strangers: what it means, what is refused, and that the short way never differs from the long."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st
from yaml import YAMLError

from prowess.core.errors import SkillError
from prowess.core.plain_yaml import Document, read_plain
from prowess.core.safe_yaml import (
    MAX_CHARS,
    MAX_DEPTH,
    YamlRefusedError,
    YamlSyntaxError,
    _Reader,
    read_mapping,
)

KEEP = frozenset({"name", "description", "version", "metadata"})


def value_of(text: str) -> Any:
    """The value of the field `a` in this YAML."""
    return read_mapping(text).value["a"]


def refused(text: str, *, first_line: int = 1) -> YamlRefusedError:
    with pytest.raises(YamlRefusedError) as caught:
        read_mapping(text, first_line=first_line)
    return caught.value


def misread(text: str, *, first_line: int = 1) -> YamlSyntaxError:
    with pytest.raises(YamlSyntaxError) as caught:
        read_mapping(text, first_line=first_line)
    return caught.value


# What YAML means here


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("text", "text"),
        ("yes", "yes"),
        ("No", "No"),
        ("on", "on"),
        ("y", "y"),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        *((word, None) for word in ("Null", "NULL")),
        ("tRUE", "tRUE"),
        ("null", None),
        ("~", None),
        ("", None),
        ("# nothing", None),
        ("nullable", "nullable"),
        ("7", 7),
        ("-7", -7),
        ("+7", 7),
        ("007", 7),
        ("1.10", 1.1),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z"),
        ("1.2.3", "1.2.3"),
        ('"7"', "7"),
        ("'true'", "true"),
        ("!!str 7", "7"),
        ("[1, two, [3.0]]", [1, "two", [3.0]]),
        ("{b: 1, c: {d: ~}}", {"b": 1, "c": {"d": None}}),
        ('"caf\\u00e9"', "café"),
        ("text # a comment", "text"),
        ("a#b", "a#b"),
    ],
)
def test_a_value_means_what_the_core_schema_of_yaml_1_2_says(written: str, meant: object) -> None:
    value = value_of(f"a: {written}\n")

    assert value == meant
    assert type(value) is type(meant)


@pytest.mark.parametrize("written", ["1234567890123456789", "-" + "9" * 30, "1" * 400])
def test_digits_too_many_for_a_quantity_are_an_identifier_and_stay_text(written: str) -> None:
    assert value_of(f"a: {written}\n") == written


@pytest.mark.parametrize("written", ["1e999", "-1e999", ".inf", "-.inf", ".nan", "9" * 400 + ".0"])
def test_every_value_can_be_written_as_json(written: str) -> None:
    document = read_mapping(f"a: {written}\n")

    assert json.loads(json.dumps(document.value, allow_nan=False)) == document.value


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n", "---\n...\n"])
def test_a_text_that_says_nothing_has_no_fields(text: str) -> None:
    document = read_mapping(text)

    assert document.value == {}
    assert document.lines == {}


def test_a_key_is_text_whatever_it_looks_like() -> None:
    document = read_mapping("1: a\ntrue: b\nnull: c\n'quoted key': d\n")

    assert document.value == {"1": "a", "true": "b", "null": "c", "quoted key": "d"}


def test_a_merge_key_merges_nothing() -> None:
    assert read_mapping("a: &a {b: 1}\nc:\n  <<: *a\n").value["c"] == {"<<": {"b": 1}}


# Lines


def test_each_field_knows_the_line_of_its_file_it_stands_on() -> None:
    text = (
        "# about\nname: x\n\ndescription: >\n  two\n  lines\nmetadata:\n  a: 1\nlast: [1,\n  2]\n"
    )

    document = read_mapping(text, first_line=2)

    assert document.lines == {"name": 3, "description": 5, "metadata": 8, "last": 10}


def test_lines_are_counted_from_one_when_nothing_is_said() -> None:
    assert read_mapping("a: 1\nb: 2\n").lines == {"a": 1, "b": 2}


# Text that must stay text


def test_a_field_kept_as_text_is_as_the_author_typed_it() -> None:
    document = read_mapping(
        "version: 1.10\nmetadata:\n  rank: 007\n  on: true\nother: 1.10\n",
        keep_text=frozenset({"version", "metadata"}),
    )

    assert document.value["version"] == "1.10"
    assert document.value["metadata"] == {"rank": "007", "on": "true"}
    assert document.value["other"] == 1.1


def test_a_field_kept_as_text_is_kept_so_all_the_way_down() -> None:
    document = read_mapping("a: {b: [1.10, {c: true}]}\n", keep_text=frozenset({"a"}))

    assert document.value == {"a": {"b": ["1.10", {"c": "true"}]}}


def test_a_tag_does_not_make_a_number_of_a_field_kept_as_text() -> None:
    assert read_mapping("a: !!int 007\n", keep_text=frozenset({"a"})).value == {"a": "007"}


@pytest.mark.parametrize("text", ["name:\n", "name: ~\n", "name: null\n", "name: # later\n"])
def test_an_absent_value_is_none_even_where_text_is_kept(text: str) -> None:
    assert read_mapping(text, keep_text=frozenset({"name"})).value == {"name": None}


def test_an_empty_text_in_quotes_is_text() -> None:
    assert read_mapping('name: ""\n', keep_text=frozenset({"name"})).value == {"name": ""}


# What is refused


@pytest.mark.parametrize("second", ["a: 2", "'a': 2", '"a": 2', "a: [2]"])
def test_the_same_field_twice_is_refused_at_the_second(second: str) -> None:
    error = refused(f"a: 1\nb: 2\n{second}\n", first_line=2)

    assert str(error) == "refused in YAML: the field 'a' stands twice"
    assert error.hint == "keep one of them"
    assert error.line == 4


def test_the_same_field_twice_further_down_is_refused() -> None:
    assert refused("a:\n  b: 1\n  b: 2\n").line == 3
    assert refused("a: [{b: 1, b: 2}]\n").line == 1


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/object/apply:os.system [ls]\n",
        "a: !!python/name:os.system x\n",
        "a: !mine 1\n",
        "a: ! 1\n",
        "a: !!binary aGk=\n",
        "a: !!set {b}\n",
        "a: !!timestamp 2026-01-01\n",
        "a: [!mine {b: 1}]\n",
        "a: !!str [1]\n",
        "!mine\na: 1\n",
        "%TAG ! tag:yaml.org,2002:python/\n---\na: !name:os.system 1\n",
    ],
)
def test_a_tag_that_names_a_type_is_refused(text: str) -> None:
    error = refused(text)

    assert "the tag" in str(error)
    assert error.hint == "write the value without a tag"


@pytest.mark.parametrize("text", ["!!map\na: !!seq [1]\n", "a: !!map {b: 1}\n"])
def test_a_tag_that_changes_nothing_is_let_through(text: str) -> None:
    assert read_mapping(text).value["a"] in ([1], {"b": 1})


@pytest.mark.parametrize(
    ("text", "meant"), [("!!int 5", 5), ("!!float 1.5", 1.5), ("!!bool true", True)]
)
def test_a_tag_of_a_plain_type_means_that_type(text: str, meant: object) -> None:
    assert value_of(f"a: {text}\n") == meant


@pytest.mark.parametrize(
    "text",
    [
        "? [b]\n: c\n",
        "[b]: c\n",
        "{b: 1}: c\n",
        "a: {[b]: c}\n",
        "a:\n  ? - b\n  : c\n",
        "a: &x b\n*x : c\n",
        "a: &x b\nc: {*x : d}\n",
    ],
)
def test_a_key_that_is_not_text_is_refused(text: str) -> None:
    assert str(refused(text)) == "refused in YAML: a key that is not plain text"


@pytest.mark.parametrize(
    "text", ["- a\n", "[a]\n", "just words\n", "7\n", "~\n", "*x\n", "|\n  x\n"]
)
def test_anything_but_fields_outermost_is_refused(text: str) -> None:
    error = refused(text, first_line=2)

    assert "fields are expected" in str(error)
    assert error.line == 2


def test_a_second_document_is_refused() -> None:
    error = refused("a: 1\n---\nb: 2\n", first_line=2)

    assert str(error) == "refused in YAML: a second YAML document"
    assert error.line == 3


@pytest.mark.parametrize("text", ["---\n---\nb: 2\n", "--- ''\n---\nb: 2\n"])
def test_a_second_document_after_an_empty_one_is_refused(text: str) -> None:
    assert str(refused(text)) == "refused in YAML: a second YAML document"


@pytest.mark.parametrize("opening", ["[", "{b: ", "- "])
def test_nesting_too_deep_is_refused_before_it_is_built(opening: str) -> None:
    text = "a: " if opening != "- " else "a:\n  "

    error = refused(text + opening * 50_000)

    assert str(error) == f"refused in YAML: nesting deeper than {MAX_DEPTH} levels"


def test_nesting_up_to_the_limit_is_read() -> None:
    value = value_of("a: " + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "\n")

    assert json.dumps(value) == "[" * MAX_DEPTH + "]" * MAX_DEPTH
    refused("a: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1) + "\n")


def test_more_text_than_a_header_ever_needs_is_refused_unread() -> None:
    error = refused("[" * (MAX_CHARS + 1), first_line=2)

    assert f"{MAX_CHARS + 1:,} characters" in str(error)
    assert f"{MAX_CHARS:,}" in error.hint
    assert error.line == 2


def test_text_of_exactly_the_limit_is_read() -> None:
    text = "a: " + "x" * (MAX_CHARS - 4) + "\n"

    assert len(value_of(text)) == MAX_CHARS - 4


@pytest.mark.parametrize("character", ["\0", "\x01", "\x07", "\x1b", "\x7f", "\x80", "\ufffe"])
def test_a_control_character_is_refused_at_its_line(character: str) -> None:
    error = refused(f"a: 1\nb: 2\nc: x{character}y\n", first_line=2)

    assert str(error) == "a control character, which YAML cannot hold"
    assert error.hint == "remove it"
    assert error.line == 4


def test_half_a_surrogate_pair_is_refused() -> None:
    assert isinstance(refused("a: \ud800\n"), SkillError)


# Aliases


def test_an_alias_is_the_value_again() -> None:
    text = "a: &a [1, {b: 2}]\nc: *a\nd: [*a, &e x, *e]\n"

    value = read_mapping(text).value

    assert value["c"] == [1, {"b": 2}]
    assert value["d"] == [[1, {"b": 2}], "x", "x"]


def test_an_alias_of_a_number_is_the_number() -> None:
    assert read_mapping("a: &a 7\nb: *a\n").value == {"a": 7, "b": 7}


@pytest.mark.parametrize(
    "text", ["a: *x\n", "a: &x [*x]\n", "a: &x {b: *x}\n", "a: &x [[1, *x]]\n", "a: *x\nb: &x 1\n"]
)
def test_an_alias_of_what_is_not_finished_is_refused(text: str) -> None:
    error = refused(text)

    assert str(error) == "refused in YAML: the alias *x has no finished anchor before it"


def test_an_anchor_on_the_whole_header_is_refused() -> None:
    assert str(refused("&x\na: *x\n")) == "refused in YAML: an anchor on the whole header"


@pytest.mark.parametrize("shape", ["[{}]", "{{{}}}"])
def test_aliases_that_multiply_are_refused(shape: str) -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for n in range(1, 12):
        inside = ", ".join(
            (f"*a{n - 1}" if shape == "[{}]" else f"k{i}: *a{n - 1}") for i in range(9)
        )
        rows.append(f"a{n}: &a{n} " + shape.format(inside))

    error = refused("\n".join(rows) + "\n")

    assert "aliases counted as often as used" in str(error)
    assert error.line is not None
    assert error.line < 6


def test_aliases_of_a_long_text_do_not_multiply_it_either() -> None:
    text = f"a: &a {'x' * 100_000}\nb: [{'*a, ' * 5_000}]\n"

    assert "aliases counted as often as used" in str(refused(text))


def test_many_values_without_aliases_are_read() -> None:
    assert len(value_of("a: [" + "1, " * 50_000 + "]\n")) == 50_000


# Mistakes that people make


def test_an_unquoted_colon_is_explained() -> None:
    error = misread("name: x\ndescription: Use when: testing\n", first_line=2)

    assert str(error) == "not valid YAML: mapping values are not allowed in this context"
    assert error.hint == "a colon followed by a blank needs quotes around the whole value"
    assert error.line == 3


@pytest.mark.parametrize("text", ["a:\n\tb: 1\n", "a: b\n\tc: d\n"])
def test_a_tab_as_indentation_is_explained(text: str) -> None:
    error = misread(text, first_line=2)

    assert str(error) == "not valid YAML: a tab at the start of a line"
    assert error.hint == "indent with spaces"
    assert error.line == 3


@pytest.mark.parametrize("text", ['a: "open\n', "a: [1, 2\n", "a: @reserved\n", "a: `code`\n"])
def test_other_broken_yaml_says_where_and_suggests_quotes(text: str) -> None:
    error = misread(text)

    assert str(error).startswith("not valid YAML: ")
    assert "in quotes" in error.hint
    assert error.line in {1, 2}


@pytest.mark.parametrize("line_end", ["\r", "\x85", "\u2028", "\u2029"])
def test_a_mistake_after_line_ends_that_only_yaml_knows_is_still_told(line_end: str) -> None:
    assert str(misread(f"a: 1{line_end * 5}b: [\n")).startswith("not valid YAML: ")


# The short way and the long


def told(document: Document) -> str:
    """Value and lines as one text: True is not 1 there, nor 1.0."""
    return json.dumps([document.value, document.lines])


def long_way(text: str) -> str:
    try:
        return told(_Reader(text, 2, KEEP).mapping())
    except (SkillError, YAMLError):
        return "no"


def short_way(text: str) -> str | None:
    """None when it leaves the answer to the parser."""
    plain = read_plain(text, first_line=2, keep_text=KEEP)
    return told(plain) if plain else None


PLAIN = [
    "name: x\n",
    "name: x\ndescription: Does a thing. Use when testing.\n",
    "name:\n",
    "name: 7\nversion: 1.10\nother: 1.10\n",
    "a: true\nb: null\nc: 007\nd: .5\ne: 2026-01-01\nf: no\ng: 1e3\n",
    'a: "quoted: # text"\nb: \'single "text"\'\nc: ""\n',
    "a: it's (fine) - really, [yes] {no} & * ! % @ `\n",
    "a: http://example.org/x#y?z=1:2\n",
    "a: x#y\n",
    "a: élan vital — 中文 🙂\n",
    "a: 中文\n",
    "description: >\n  one\n  two: three # four\n",
    "description: >-\n  one\n  - two\n",
    "description: |\n    one\n    two \nname: x\n",
    "description: |-\n  ---\n",
    "metadata:\n  version: 1.0\n  author: me\nname: x\n",
    "other:\n  rank: 1\n  text: 'a'\nlast:\n",
    "a:\nb:\n  c: d\n",
    "a: ...\n",
    "a: $HOME/<x>\n",
    "null: a\ntrue: b\n",
]

AWKWARD = [
    "",
    "name: x",
    "name: xy",
    "name: x\n\n",
    "# about\nname: x\n",
    "name: x # about\n",
    "name: x:\n",
    "name: x \n",
    "name: x\n  y\n",
    "name: x\n  y: z\n",
    "name: a: b\n",
    "name: ~\n",
    "name: -1\n",
    "name: [x]\n",
    "name: {x: 1}\n",
    "name: &a x\n",
    "name: *a\n",
    "name: !!str 1\n",
    'name: "x\\n"\n',
    "name: 'it''s'\n",
    'name: "x" y\n',
    "name: @x\n",
    "name: %x\n",
    "name: a\tb\n",
    "name: a\xa0b\n",
    "name: a\u2028b\n",
    "\ufeffname: x\n",
    "name: x\r\n",
    "name: x\nname: y\n",
    "metadata:\n  a: 1\n  a: 2\n",
    "metadata:\n  a: 1\n b: 2\n",
    "metadata:\n  a: 1\n   b: 2\n",
    "metadata:\n  a:\n    b: 1\n",
    "metadata:\n  a: |\n    b\n",
    "metadata:\n  a: |\n  b: c\n",
    "metadata:\n  - a\n",
    "metadata: x\n  a: 1\n",
    "metadata: 'x'\n  a: 1\n",
    "metadata: null\n  a: 1\n",
    "description: >\n",
    "description: >\nname: x\n",
    "description: >\n  a\n\n  b\n",
    "description: >\n  a\n    b\n",
    "description: >\n    a\n  b\n",
    "description: |\n    a\n  bcdef\n",
    "description: >\n  a\n  \n",
    "description: >2\n  a\n",
    "description: >+\n  a\n",
    "description: > # c\n  a\n",
    "---\nname: x\n",
    "name: x\n---\n",
    "name: x\n...\n",
    "  name: x\n",
    "? name\n",
    "name : x\n",
    "name:x\n",
    "two words: x\n",
    '"name": x\n',
    "k" * 1100 + ": x\n",
]


@pytest.mark.parametrize("text", PLAIN)
def test_the_short_way_answers_plain_headers_exactly_as_the_parser_does(text: str) -> None:
    assert short_way(text) == long_way(text)


@pytest.mark.parametrize("text", AWKWARD)
def test_the_short_way_answers_an_awkward_header_as_the_parser_does_or_not_at_all(
    text: str,
) -> None:
    assert short_way(text) in {None, long_way(text)}


keys = st.sampled_from(["name", "description", "version", "metadata", "a", "b-c", "null", "on"])
words = st.text(
    st.sampled_from("ab n01-.:#'\"|>~,[]{}&*!%@`$(</\\_\té中🙂\xa0\u2028\ufeff")
    | st.characters(codec="utf-8"),
    max_size=8,
)
SENSIBLE = (
    "text it's a#b x:y 1 1.10 007 1e3 .5 2026-01-01 true No null ... (see) [x] 中文 <b>".split()
)
QUOTED = ['"a: b"', "'c #d'", '""', '"it\'s"']
ODD = ["", "~", "-1", "a: b", "a #b", "a:", "a ", '"q" r', "'it''s'", "---", "[x]", '"\\n"']
phrases = st.sampled_from(SENSIBLE * 4 + QUOTED * 4 + ODD) | st.one_of(
    st.lists(st.sampled_from(SENSIBLE), min_size=2, max_size=3).map(" ".join),
    words,
    words.map(lambda text: f'"{text}"'),
    words.map(lambda text: f"'{text}'"),
)
indents = st.sampled_from(["  "] * 12 + ["", " ", "    ", "\t"])
kinds = st.sampled_from(["line"] * 4 + ["block"] * 3 + ["nested"] * 3 + ["goes on", "stray"])
marks = st.sampled_from([">", ">-", "|", "|-"] * 3 + [">+", "|2"])


@st.composite
def fields(draw: st.DrawFn) -> str:
    """A field as authors write it: one line, a block, a nested mapping, or a value that goes on."""
    key, value = draw(keys), draw(phrases)
    below = draw(st.lists(st.tuples(indents, phrases), max_size=3))
    match draw(kinds):
        case "block":
            return f"{key}: {draw(marks)}\n" + "".join(f"{i}{text}\n" for i, text in below)
        case "nested":
            head = draw(st.sampled_from(["", "", "", " null", " ~", " x"]))
            rows = [f"{i}{draw(keys)}: {text}\n" for i, text in below]
            return f"{key}:{head}\n" + "".join(rows)
        case "goes on":
            return f"{key}: {value}\n" + "".join(f"{i}{text}\n" for i, text in below)
        case "stray":
            return f"{value}\n"
        case _:
            return f"{key}: {value}\n"


@settings(max_examples=1000, deadline=None)
@given(st.lists(fields(), min_size=1, max_size=3).map("".join))
def test_whenever_the_short_way_answers_it_equals_the_parser(text: str) -> None:
    short = short_way(text)

    event("left to the parser" if short is None else "answered")
    assert short in {None, long_way(text)}


@settings(max_examples=500, deadline=None)
@given(
    st.text(st.characters(codec=None, exclude_categories=()))
    | st.text("ab:-#[]{}&*!|>'\"%@`~? ,\n\r\t\x85\u2028\ufeff\0", max_size=40)
    | st.lists(fields(), max_size=4).map("".join)
)
@example("a: 1\nb: [")
@example("a: 1\r\r\rb: [")
@example("a: \ud800")
@example("\ufeff\ufeffa: 1")
@example("a: \u2029\u2029\u2029\n\t[")
def test_no_text_raises_anything_but_an_error_of_the_skill(text: str) -> None:
    with contextlib.suppress(SkillError):
        document = read_mapping(text)

        assert document.lines.keys() == document.value.keys()
