"""`redact`, which filters what comes on standard input."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support import PATIENCE, Cli, write_file

WORD = "hunter2x9"


@pytest.fixture
def filtered(home: Path) -> Any:
    """Run the filter as a pipe would."""

    def run(text: str | bytes, *words: str, **environment: str) -> bytes:
        done = subprocess.run(
            [sys.executable, "-m", "prowess", "redact", *words],
            input=text.encode() if isinstance(text, str) else text,
            capture_output=True,
            check=True,
            env={**os.environ, **environment},
        )
        return done.stdout

    return run


def test_a_pipe_is_filtered(filtered: Any) -> None:
    out = filtered(f"one\npassword={WORD} for bob@example.com\nlast")

    assert out == b"one\npassword=[secret] for [email]\nlast"


def test_each_class_can_be_left(filtered: Any) -> None:
    text = f"password={WORD} for bob@example.com\n"

    assert filtered(text, "--secrets-only") == b"password=[secret] for bob@example.com\n"
    assert filtered(text, "--pii-only") == f"password={WORD} for [email]\n".encode()


def test_values_of_secret_variables_are_taken_out_wherever_they_appear(filtered: Any) -> None:
    environment = {"MY_TOKEN": "open-sesame"}

    assert filtered("saw open-sesame there\n", **environment) == b"saw [secret] there\n"


def test_bytes_that_are_no_text_come_out_as_they_went_in(filtered: Any) -> None:
    assert (
        filtered(b"\xff\xfe password=" + WORD.encode() + b" \xe2\x82\n")
        == b"\xff\xfe password=[secret] \xe2\x82\n"
    )


def test_json_lines_are_walked_and_other_lines_read_as_text(filtered: Any) -> None:
    out = filtered(f'{{"password": "{WORD}", "n": 1}}\nnot json: token={WORD}\n', "--json")

    first, second = out.decode().splitlines()
    assert json.loads(first) == {"password": "[secret]", "n": 1}
    assert second == "not json: token=[secret]"


def test_a_line_passes_before_the_next_one_comes(home: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "prowess", "redact"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"first\n")
        process.stdin.flush()

        assert process.stdout.readline() == b"first\n"
        process.stdin.close()


def test_a_batch_answers_each_record(cli: Cli, tmp_path: Path) -> None:
    records = [
        {"id": "1", "redact": ["secrets"], "payload": f"password={WORD} bob@example.com"},
        {"id": "2", "redact": ["secrets", "pii"], "payload": {"to": "bob@example.com"}},
        {"id": "3", "chunks": ["pass", f"word={WORD}", " end"]},
        {
            "id": "4",
            "redact": ["secrets"],
            "payload": "open-sesame",
            "known_secrets": ["open-sesame"],
        },
    ]
    file = write_file(tmp_path / "batch.jsonl", "\n".join(map(json.dumps, records)))

    out = [json.loads(line) for line in cli("redact", "--batch", file).out.splitlines()]

    assert out == [
        {"id": "1", "output": "password=[secret] bob@example.com"},
        {"id": "2", "output": {"to": "[email]"}},
        {"id": "3", "output": "password=[secret] end"},
        {"id": "4", "output": "[secret]"},
    ]


@pytest.mark.parametrize("line", ["{}", "no json", '{"id": "1"}', "[]"])
def test_a_bad_record_is_named(cli: Cli, tmp_path: Path, line: str) -> None:
    file = write_file(tmp_path / "batch.jsonl", line)

    done = cli("redact", "--batch", file)

    assert done.code == 2
    assert "batch.jsonl:1" in done.err


def test_a_batch_that_is_not_there_is_told(cli: Cli) -> None:
    assert cli("redact", "--batch", "nowhere.jsonl").code == 2


def test_both_halves_at_once_make_no_sense(cli: Cli) -> None:
    done = cli("redact", "--secrets-only", "--pii-only")

    assert done.code == 2
    assert "use one of them" in done.err


def test_at_a_terminal_it_says_what_it_waits_for(home: Path) -> None:
    master, slave = pty.openpty()
    os.write(master, b"mail bob@example.com\n\x04")
    command = [sys.executable, "-m", "prowess", "redact"]
    done = subprocess.run(command, stdin=slave, capture_output=True, check=True, timeout=PATIENCE)
    for end in (master, slave):
        os.close(end)

    assert b"Waiting for text on stdin" in done.stderr
    assert b"prowess redact < FILE" in done.stderr
    assert done.stdout == b"mail [email]\n"


def test_a_file_that_is_named_is_told_to_come_on_standard_input(cli: Cli) -> None:
    refused = cli("redact", "my notes.txt")

    assert refused.code == 2
    assert "it filters standard input" in refused.err
    assert "prowess redact < 'my notes.txt'" in refused.err
    assert cli("redact", "--help").out.splitlines()[0] == "Usage: prowess redact [OPTIONS]"
