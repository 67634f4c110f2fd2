"""A value in a here-document stays text, also where bash ends the document early."""

import subprocess
from pathlib import Path

import pytest

from prowess.workflow.shell.line import parse_line
from prowess.workflow.shell.words import UnsafeCommandError

PLACES = [
    "v=$(cat <<'EOF'\n{x}\nEOF\n); echo \"$v\"",
    'v=$(cat <<EOF\n{x}\nEOF\n); echo "$v"',
    'v=$(cat <<EOF\n$HOME {x}\nEOF\n); echo "$v"',
    'v=$(cat <<-EOF\n\t{x}\n\tEOF\n); echo "$v"',
    'v="$(cat <<EOF\nE\\\n{x}\n$HOME\nEOF\n)"; echo "$v"',
    "v=$(cat <<EOF {x}\ny\nEOF\n)",
    "cat <<EOF\n{x}\nEOF",
]
ATTACKS = [
    "EOF ); touch PWNED; v=$(true",
    "a\nEOF ); touch PWNED; v=$(true",
    "\tEOF); touch PWNED; v=$(true",
    "OF ); touch PWNED; v=$(true",
    "EOF\n); touch PWNED; v=$(true",
    "EOF); touch PWNED #",
    "\\\nEOF ); touch PWNED; (",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", ATTACKS)
def test_a_value_never_ends_a_document(place: str, value: str, tmp_path: Path) -> None:
    try:
        line = parse_line(place).filled({"x": value})
    except UnsafeCommandError:
        return
    subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, timeout=60, check=False)

    assert not (tmp_path / "PWNED").exists()


@pytest.mark.parametrize("value", ["plain", "an EOF inside", "a\nb; $(id)"])
def test_other_values_are_in_the_document_as_they_are(value: str, tmp_path: Path) -> None:
    line = parse_line('v=$(cat <<EOF\n{x}\nEOF\n); printf %s "$v"').filled({"x": value})
    made = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
    )

    assert made.stdout == value


@pytest.mark.parametrize(
    "line", ["cat <<E\nEvery {x}\nE", "cat <<E\nE{x}\nE", 'cat <<E"O"F\n{x}\nEOF']
)
def test_a_document_whose_end_is_in_doubt_is_refused(line: str) -> None:
    with pytest.raises(UnsafeCommandError):
        parse_line(line).filled({"x": "a"})
