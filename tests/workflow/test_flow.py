"""However a value gets into a word of the shell, that word is no code, no program and no name."""

import pytest

from prowess.workflow.shell.line import parse_line
from prowess.workflow.shell.words import UnsafeCommandError

# A line in which `@` is a command that has the value in this word.
WAYS = [
    ("y={x}; @", '"$y"'),
    ("y={x} && @", '"$y"'),
    ("(y={x}; @)", '"$y"'),
    ("y={x}; z=$y; @", '"$z"'),
    ('y={x}; z="${y}b"; @', '"${z}"'),
    ("y=a; y+={x}; @", '"$y"'),
    ('y={x}; w=("$y"); @', '"$w"'),
    ('y={x}; export z="$y"; @', '"$z"'),
    ('y={x}; : "${z:=$y}"; @', '"$z"'),
    ("y={x}; @", '"${z:-$y}"'),
    ("if true; then y={x}; fi; @", '"$y"'),
    ("for y in a {x}; do @; done", '"$y"'),
    ('y={x}; for z in "$y"; do @; done', '"$z"'),
    ("read <<< {x}; @", '"$REPLY"'),
    ("IFS= read -r y <<< {x}; @", '"$y"'),
    ("LC_ALL=C IFS=: read -r a y <<< {x}; @", '"$y"'),
    ("command -p read -r y <<< {x}; @", '"$y"'),
    ("\\read y <<< {x}; @", '"$y"'),
    ("'read' y <<< {x}; @", '"$y"'),
    ("mapfile -t y <<< {x}; @", '"$y"'),
    ("readarray <<< {x}; @", '"$MAPFILE"'),
    ("IFS= read -r y <<< {x} || @", '"$y"'),
    ("cat <<< {x} | while IFS= read -r y; do @; done", '"$y"'),
    ("while IFS= read -r y; do @; done < <(cat <<< {x})", '"$y"'),
    ("if IFS= read -r y; then @; fi <<< {x}", '"$y"'),
    ("cat <<EOF | while IFS= read -r y; do @; done\n{x}\nEOF", '"$y"'),
    ("y={x}; read -r z <<EOF\n$y\nEOF\n@", '"$z"'),
    ("y=$(cat <<< {x}); @", '"$y"'),
    ("@", '"$(cat <<< {x})"'),
    ("cat <<< {x} | { y=$(cat); @; }", '"$y"'),
    ("cat <<< {x} | @", '"$(head -1)"'),
    ("true {x}; @", '"$_"'),
    ("cd {x}; @", '"$PWD"'),
]
TRAPS = [
    "sed -e %s f", "make %s", "ssh host %s", "bash -c %s", "python3 -c %s", "awk %s f", "sqlite3 db %s", "eval %s", "%s",
    "env %s", "xargs -a f %s", "git -c %s z", "test -v %s", "printf -v %s a", "source %s", "uv run %s", "bash %s",
    "tar -I %s -cf a .", "export %s", "find . -exec %s \\;",
]  # fmt: skip


@pytest.mark.parametrize(("line", "word"), WAYS)
def test_a_value_is_seen_on_every_way_through_the_shell(line: str, word: str) -> None:
    for trap in TRAPS:
        with pytest.raises(UnsafeCommandError):
            parse_line(line.replace("@", trap % word))


@pytest.mark.parametrize(("line", "word"), WAYS)
def test_on_every_way_it_may_be_a_plain_argument(line: str, word: str) -> None:
    assert parse_line(line.replace("@", f"echo {word}")).filled({"x": "plain"})


def test_what_has_nothing_to_do_with_a_value_is_the_authors_own() -> None:
    line = 'm=release; for t in a b; do make "MODE=$m" $t; done; v=$(cat VERSION); echo $v {x}'

    assert parse_line(line).filled({"x": "plain"})
