"""Variables in a skill's text: ours are filled, everything else comes through as it stands."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.prompt.commands import Segment
from prowess.prompt.variables import (
    Values,
    declared,
    fill_instructions,
    fill_variables,
    values_for,
)
from support import a_skill

SHARED = Path(os.environ.get("PROWESS_SHARED", Path(__file__).parents[3] / "shared"))
VALUES = Values(
    arguments='report.csv "two words" --fast',
    names=("file", "title"),
    session_id="run-7",
    skill_dir="/skills/demo",
    workspace="/home/ann/shop",
    user="ann",
    date="2026-01-26",
)
anything = st.text(alphabet=st.characters(exclude_categories=["Cs"]))
tricky = st.lists(
    st.sampled_from(["$1", "$ARGUMENTS", "$ARGUMENTS[0]", "$file", "${DATE}", "{baseDir}", "!`ls`"])
    | st.sampled_from(["$", "\\", "'", '"', "\n", " ", "x", "```!\n", "awk '"])
).map("".join)


def text(written: str, values: Values = VALUES) -> str:
    return fill_variables(written, values).text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Do $ARGUMENTS.", 'Do report.csv "two words" --fast.'),
        ("$ARGUMENTS[0]|$ARGUMENTS[1]|$ARGUMENTS[2]", "report.csv|two words|--fast"),
        ("$1|$2|$3", "report.csv|two words|--fast"),
        ("${WORKSPACE}/$1.bak", "/home/ann/shop/report.csv.bak"),
        ("$file called $title", "report.csv called two words"),
        ("$file-$title", "report.csv-two words"),
        ("${SESSION_ID} ${CLAUDE_SESSION_ID}", "run-7 run-7"),
        ("${SKILL_DIR}/a ${CLAUDE_SKILL_DIR}/b {baseDir}/c", "/skills/demo/a /skills/demo/b /skills/demo/c"),
        ("${USER} on ${DATE}", "ann on 2026-01-26"),
        ("处理$1文件$ARGUMENTS[1]。", "处理report.csv文件two words。"),
        ("```bash\npython ${SKILL_DIR}/x.py --input $1\n```", "```bash\npython /skills/demo/x.py --input report.csv\n```"),
    ],
)  # fmt: skip
def test_our_variables_are_filled(written: str, read: str) -> None:
    assert text(written) == read


@pytest.mark.parametrize(
    "written",
    [
        "$HOME $PATH ${HOME} ${VAR:-default} ${VAR} $$ $? $@ $* $# $!",
        "$(date) $((1 + 2)) $'x' `$`",
        "It costs $5.00, $1,000, $3-5 or $20k; US$100M at most.",
        "awk '{print $1}' data | gawk -F, -v n=1 '$2 > n {print $3}'",
        "awk -F ',' '{ sum += $1 }\nEND { print sum, $0 }' x.csv",
        "const x = `${file}/${title}`; {{baseDir}} ${baseDir}",
        "$ARGUMENTSX $ARGUMENT $files $titles_x ${ARGUMENTS}",
        "$$1$$ and $1st",
        "{file} {0} {} %s {{ file }}",
        "re.sub(r'(\\d+)$', '\\\\1')",
    ],
)
def test_what_is_not_ours_comes_through(written: str) -> None:
    assert text(written) == written


def test_after_the_program_of_awk_variables_are_ours_again() -> None:
    assert text("awk '{print $1}' $1 > ${DATE}") == "awk '{print $1}' report.csv > 2026-01-26"
    assert text("awk, don't print $1 or '$2'") == "awk, don't print report.csv or 'two words'"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"\$1 \$ARGUMENTS \$ARGUMENTS[0]", "$1 $ARGUMENTS $ARGUMENTS[0]"),
        (r"\$file \${DATE} \{baseDir}", "$file ${DATE} {baseDir}"),
        (r"\\$1", r"\\report.csv"),
        (r"\$HOME \${HOME} \$5.00", r"\$HOME \${HOME} \$5.00"),
    ],
)
def test_a_backslash_makes_a_variable_of_ours_literal(written: str, read: str) -> None:
    assert text(written) == read


def test_a_missing_argument_stays_with_a_warning() -> None:
    filled = fill_variables("$1 $7 $ARGUMENTS[7] $title $7", replace(VALUES, arguments="one"))

    assert filled.text == "one $7 $ARGUMENTS[7] $title $7"
    assert filled.warnings == ("no value for $7, $ARGUMENTS[7], $title; left as it stands",)


def test_an_undefined_variable_stays_with_a_warning() -> None:
    written = r"${CLAUDE_EFFORT} ${USER} ${name} \${LITERAL}"

    filled = fill_variables(written, Values())

    assert filled.text == written
    assert filled.warnings == (
        "no value for ${USER}; left as it stands",
        "not a variable of skills, left as it stands: ${CLAUDE_EFFORT}",
    )


def test_a_filled_text_has_no_warnings() -> None:
    assert fill_variables("$1 ${DATE} $HOME awk '{print $9}'", VALUES).warnings == ()


def test_arguments_without_a_value_are_empty() -> None:
    filled = fill_instructions("Do: $ARGUMENTS.", Values())

    assert filled.text == "Do: ."
    assert filled.warnings == ()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("a b", ("a", "b")),
        ("'a b' \"c d\" e\\ f", ("a b", "c d", "e f")),
        ("don't split me", ("don't", "split", "me")),
        ("", ()),
        ('"" x', ("", "x")),
        ("# not a comment", ("#", "not", "a", "comment")),
    ],
)
def test_arguments_are_split_as_a_shell_would(typed: str, words: tuple[str, ...]) -> None:
    assert Values(arguments=typed).words == words


@pytest.mark.parametrize(
    ("instructions", "read"),
    [
        ("$1 then $2", "a then b"),
        ("$0 then $1", "a then b"),
        ("costs \\$0; $1 then $2", "costs $0; a then b"),
        ("awk '{print $0}'; $1 then $2", "awk '{print $0}'; a then b"),
    ],
)
def test_a_skill_that_uses_zero_counts_from_zero(instructions: str, read: str) -> None:
    values = values_for(a_skill("x"), instructions, arguments="a b c")

    assert text(instructions, values) == read


def test_a_supporting_file_counts_as_the_skill_does() -> None:
    values = values_for(a_skill("x"), "Take $0.", arguments="a b")

    assert text("then $1", values) == "then b"


def test_values_come_from_the_skill_and_the_run() -> None:
    skill = a_skill("x", arguments=["file", "title"])

    values = values_for(
        skill, "", arguments="q", session_id="s", workspace="/w", user="u", date="d"
    )

    assert values == Values(
        arguments="q",
        names=("file", "title"),
        first=1,
        session_id="s",
        skill_dir=skill.path,
        workspace="/w",
        user="u",
        date="d",
    )


@pytest.mark.parametrize(
    ("written", "names"),
    [
        (["issue", "branch-name"], ("issue", "branch-name")),
        ("issue branch", ("issue", "branch")),
        ("issue, branch", ("issue", "branch")),
        ([{"name": "topic", "required": True}, {"description": "nameless"}], ("topic",)),
        (["9lives", "a b", "", None, 3, "ok"], ("ok",)),
        ({"topic": "text"}, ()),
        (None, ()),
        (7, ()),
    ],
)
def test_declared_arguments_are_read_as_authors_write_them(
    written: object, names: tuple[str, ...]
) -> None:
    assert declared(a_skill("x", arguments=written)) == names


def test_the_longer_of_two_names_wins() -> None:
    values = Values(arguments="1 2 3", names=("pr", "pr-title", "pr_url"))

    assert text("$pr $pr-title $pr_url", values) == "1 2 3"


def test_arguments_with_no_place_are_put_at_the_end() -> None:
    filled = fill_instructions("Just work on ${DATE}.", VALUES)

    assert filled.text == 'Just work on 2026-01-26.\n\nARGUMENTS: report.csv "two words" --fast'


@pytest.mark.parametrize("use", ["$ARGUMENTS", "$ARGUMENTS[1]", "$2", "$title"])
def test_arguments_with_a_place_are_not_put_at_the_end(use: str) -> None:
    assert "ARGUMENTS: " not in fill_instructions(f"Take {use}.", VALUES).text


@pytest.mark.parametrize("use", [r"\$1", "$9", "$5.00", "awk '{print $1}'"])
def test_what_takes_no_argument_does_not_count_as_a_place(use: str) -> None:
    assert fill_instructions(f"Take {use}.", VALUES).text.endswith(f"ARGUMENTS: {VALUES.arguments}")


@pytest.mark.parametrize("arguments", ["", "  \n"])
def test_no_arguments_add_nothing(arguments: str) -> None:
    assert fill_instructions("Work.", Values(arguments=arguments)).text == "Work."


def test_a_supporting_file_gets_no_arguments_at_its_end() -> None:
    assert fill_variables("Reference.", VALUES).text == "Reference."


@given(anything | tricky)
def test_what_a_command_printed_comes_through_to_the_letter(printed: str) -> None:
    segments = [Segment(text="$1$"), Segment(text=printed, printed=True), Segment(text="1 ${DATE}")]

    assert fill_variables(segments, VALUES).text == f"report.csv${printed}1 2026-01-26"


@given(anything | tricky)
def test_arguments_come_through_to_the_letter(typed: str) -> None:
    values = replace(VALUES, arguments=typed)

    assert text("<$ARGUMENTS>", values) == f"<{typed}>"
    for place, word in enumerate(values.words[:999]):
        assert text(f"<$ARGUMENTS[{place}]>", values) == f"<{word}>"


@given(anything | tricky)
def test_every_other_value_comes_through_to_the_letter(value: str) -> None:
    values = Values(workspace=value, user=value, date=value, session_id=value, skill_dir=value)

    for name in ("WORKSPACE", "USER", "DATE", "SESSION_ID", "SKILL_DIR"):
        assert text(f"<${{{name}}}>", values) == (f"<{value}>" if value else f"<${{{name}}}>")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="$\\{")))
def test_a_text_without_variables_is_itself(written: str) -> None:
    assert text(written) == written


def test_hostile_text_is_read_in_bearable_time() -> None:
    text("awk" + " -v" * 50_000 + " x" + "\nawk 'x" * 20_000 + "$" * 100_000 + "\\" * 100_000)


def test_the_gate_is_told_what_a_command_finds_in_its_variables() -> None:
    told = Values(arguments="a 'b c'", user="ann").shell_variables

    assert {name: told[name] for name in ("0", "1", "2", "3", "@", "*", "ARGUMENTS", "USER")} == {
        "0": "bash", "1": "a", "2": "b c", "3": "", "@": "a b c", "*": "a b c",
        "ARGUMENTS": "a 'b c'", "USER": "ann",
    }  # fmt: skip


def test_a_command_gets_its_values_from_the_environment() -> None:
    assert VALUES.environment == {
        "ARGUMENTS": 'report.csv "two words" --fast',
        "SESSION_ID": "run-7",
        "CLAUDE_SESSION_ID": "run-7",
        "SKILL_DIR": "/skills/demo",
        "CLAUDE_SKILL_DIR": "/skills/demo",
        "WORKSPACE": "/home/ann/shop",
        "USER": "ann",
        "DATE": "2026-01-26",
    }
    assert Values().environment == {"ARGUMENTS": ""}


def test_a_command_counts_its_arguments_as_the_text_does() -> None:
    from_one, from_zero = Values(arguments="a 'b c'"), Values(arguments="a 'b c'", first=0)

    assert from_one.parameters == ("bash", "a", "b c")
    assert from_zero.parameters == ("a", "b c")
    assert Values(first=0).parameters == ("bash",)


@pytest.mark.skipif(not SHARED.exists(), reason="PROWESS_SHARED says where real skills lie")
def test_real_skills_without_our_variables_come_through_whole() -> None:
    ours = (
        "$ARGUMENTS",
        "SKILL_DIR}",
        "SESSION_ID}",
        "${USER}",
        "${DATE}",
        "${WORKSPACE}",
        "{baseDir}",
    )
    files = sorted((SHARED / "data/skills-sample").glob("*/SKILL.md"))

    for file in files:
        body = file.read_text(encoding="utf-8", errors="replace")
        if not any(name in body for name in ours):
            assert text(body, Values()) == body, file
