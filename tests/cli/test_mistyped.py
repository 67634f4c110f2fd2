"""What a person is told who typed a command that is not there, or a value that it cannot take."""

import pytest

from support import Cli


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("resume", "'prowess runs resume'"),
        ("resum", "'prowess runs resume'"),
        ("cancel", "'prowess runs cancel' or 'prowess handoff cancel'"),
        ("version", "'prowess --version'"),
        ("help", "'prowess --help'"),
        ("lst", "'prowess list'"),
        ("ls", "'prowess list'"),
        ("task add", "'prowess task create'"),
        ("task help", "'prowess task --help'"),
        ("runs cancle", "'prowess runs cancel'"),
    ],
)
def test_a_command_that_is_elsewhere_or_nearly_so_is_offered(
    cli: Cli, typed: str, meant: str
) -> None:
    refused = cli(*typed.split())

    assert refused.code == 2
    assert refused.err.endswith(f"Did you mean {meant}?\n")


@pytest.mark.parametrize("typed", ["xyzzy", "session version"])
def test_where_nothing_is_near_nothing_is_offered(cli: Cli, typed: str) -> None:
    refused = cli(*typed.split())

    assert refused.code == 2
    assert "There is no command" in refused.err
    assert "Did you mean" not in refused.err


def test_a_program_is_told_in_json_what_was_meant(cli: Cli) -> None:
    told = cli("resume", "--json").json

    assert "'prowess runs resume'" in told["message"]
    assert told["code"] == "VALIDATION_ERROR"


def test_a_word_where_a_number_belongs_is_told_in_plain_words(cli: Cli) -> None:
    refused = cli("serve", "--port", "abc")

    assert refused.code == 2
    assert "'--port': 'abc' is not a valid whole number." in refused.err
