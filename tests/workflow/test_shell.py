"""A value in a command stays one argument, in real bash, whatever it says and wherever it stands."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prowess.core.errors import ProwessError
from prowess.workflow.check import find_mistakes
from prowess.workflow.conditions import parse_condition
from prowess.workflow.shell.line import fill_arguments, parse_line
from prowess.workflow.shell.words import UnsafeCommandError
from support import write_file

ROOT = Path(__file__).parent.parent.parent
SHARED = Path(os.environ.get("PROWESS_SHARED", ROOT.parent / "shared"))
CASES = SHARED / "data" / "security" / "workflow_injection.jsonl"
PROGRAMS = (
    "echo printf t jq git id ls wc cat python bash sh awk sed grep rm curl touch tee xargs env find"
)
BUILTINS = "enable -n echo printf test\n"  # so that the stubs are run and not the shell's own

Run = Callable[[str], list[list[str]]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a line in bash, where every program only writes down how it was called."""
    folder = tmp_path_factory.mktemp("stubs")
    log = folder / "log"
    for name in PROGRAMS.split():
        stub = write_file(
            folder / "bin" / name,
            f"""#!/bin/sh\nprintf '%s\\0' "$#" "${{0##*/}}" "$@" >> '{log}'\n""",
        )
        stub.chmod(0o755)

    def run(line: str) -> list[list[str]]:
        log.write_bytes(b"")
        subprocess.run(
            ["/bin/bash", "-c", BUILTINS + line],
            env={"PATH": str(folder / "bin")},
            cwd=folder,
            capture_output=True,
            timeout=20,
            check=False,
        )
        return _rows(log.read_bytes().decode().split("\0")[:-1])

    return run


def _rows(words: list[str]) -> list[list[str]]:
    """Each row is written as the number of its arguments, its program and its arguments."""
    rows = []
    while words:
        count = int(words[0]) + 1
        rows.append(words[1 : 1 + count])
        words = words[1 + count :]
    return rows


def workflow_of(command: str, names: Any) -> str:
    """A skill.yaml with one command, and inputs of these names."""
    inputs = [{"name": name} for name in names]
    steps = [{"id": "it", "command": command}]
    return json.dumps({"name": "w", "description": "d", "inputs": inputs, "steps": steps})


def filled(command: str, values: dict[str, Any]) -> str:
    """The line as a workflow would run it; raises when it would not."""
    if mistakes := find_mistakes(workflow_of(command, values)):
        raise UnsafeCommandError(str(mistakes[0]))
    return parse_line(command).filled(values)


def cases() -> list[dict[str, Any]]:
    if not CASES.is_file():
        return []
    return [json.loads(row) for row in CASES.read_text().splitlines()]


@pytest.mark.skipif(not CASES.is_file(), reason="the shared data is not here")
@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_every_case_of_the_shared_data_holds(case: dict[str, Any], run: Run) -> None:
    template, values, expect = case["template"], case["values"], case["expect"]
    if case["kind"] == "condition":
        assert parse_condition(template).holds(values) is False
    elif case["kind"] == "path":
        with pytest.raises(ProwessError):
            filled(f"cat > {template}", values)
    elif expect == "reject":
        with pytest.raises(ProwessError):
            filled(template, values)
    else:
        made = run(filled(template, values))

        if expect == "argv":
            assert made == [case["argv"]]
        elif expect == "exec_set":
            assert sorted(made) == sorted(case["exec"])
        else:
            assert not {row[0] for row in made} & set(case["forbidden_exec"])


NASTY = [
    "a; id", "$(id)", "`id`", "' ; id ; '", '" ; id ; "', "a\nid\n", "\\", "\\'; id; '", "|id", "&id&",
    ">(id)", "${IFS}id", "*", "~", "!!", "#", "=(id)", "a[$(id)]", "EOF\nid", "\nEOF\nid\n", "x'", "2",
    "{a,b}", "$'\\x27; id'", "\t", "<(id)", "%s", "id", "$x", "a b  c", "é\u2028", "\\\nid", "'\"'\"", "]]; id",
]  # fmt: skip
PLACES = [
    "t {x}", "t a{x}b", "t '{x}'", 't "{x}"', "t --f={x}", "t --f='{x}'", 't "a $(t {x}) b"', "t $(t {x})",
    "V={x} t", 'V="{x}" t', "t {x} | wc", "ls && t {x}", "(t {x})", "{ t {x}; }", "if t {x}; then ls; fi",
    "for i in {x}; do t; done", "case {x} in a) t;; *) ls;; esac", "t *{x}*", "t <<< {x}", "! t {x}",
    "cat <<EOF\nmy {x} $HOME\nEOF", "cat <<'EOF'\n{x}\nEOF", "cat <<-EOF\n\t{x}\n\tEOF\n", "[ {x} != a ] && t",
    "t {x} 2>/dev/null", "cat <<EOF {x}\ny\nEOF", "t <(ls {x})", "t 1 {x}>out", "t \\\n  {x}", "t a\\ b{x}",
    "t {x}{x}", "while t {x}; do break; done", "t \"{x}\"'{x}'{x}", "t -- {x}", "find . -name {x}",
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_nothing_but_the_authors_programs_is_ever_run(place: str, run: Run) -> None:
    safe = {row[0] for row in run(filled(place, {"x": "plain"}))}

    assert safe, "the line itself runs"
    for value in NASTY:
        try:
            line = filled(place, {"x": value})
        except ProwessError:
            continue
        made = run(line)

        assert "id" not in {row[0] for row in made}, value


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("t {x}", ["t", "{}"]),
        ("t a{x}b", ["t", "a{}b"]),
        ("t '{x}'", ["t", "{}"]),
        ("t 'a {x} b'", ["t", "a {} b"]),
        ('t "{x}"', ["t", "{}"]),
        ('t "a {x} b"', ["t", "a {} b"]),
        ("t --f={x}", ["t", "--f={}"]),
        ("t -- {x} c", ["t", "--", "{}", "c"]),
        ("V=1 t {x} 2>/dev/null", ["t", "{}"]),
        ("t {x}>out", ["t", "{}"]),
    ],
)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(value=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_value_stays_one_argument(
    place: str, expected: list[str], run: Run, value: str
) -> None:
    try:
        line = filled(place, {"x": value})
    except UnsafeCommandError:
        assert value.startswith("-")
        return

    assert run(line) == [[word.replace("{}", value) for word in expected]]


@pytest.mark.parametrize(
    "command",
    [
        "{x}", "pre{x} a", "./{x}", "V=1 {x}", "ls | {x}", "ls && {x}", "env {x}", "sudo {x}", "xargs {x}",
        "nohup {x} a", "timeout 5 {x}", "env A=1 {x}", "! {x}", "if {x}; then ls; fi", "$({x})", "time {x}",
        "bash -c 'echo {x}'", 'sh -xc "{x}"', "/bin/sh -c {x}", "python3.11 -c 'print({x})'", "perl -ne '{x}'",
        "node -e {x}", "node --eval={x}", "ruby -e '{x}'", "php -r '{x}'", "bash {x}", "python {x}", "eval {x}",
        "eval 'echo {x}'", "source {x}", ". {x}", "exec {x}", "trap {x} EXIT", "ssh host ls {x}", "awk '/{x}/' f",
        "awk -f {x} f", "sed s/{x}/y/ f", "sed -e s/{x}/y/ f", "sed -n -e '/{x}/p' f", "jq .{x} f", "su -c {x}",
        "find . -exec sh -c 'echo {x}' ;", "find . -exec {x} ;", "docker run i sh -c 'ls {x}'", "sudo -u a bash -c {x}",
        "xargs sh -c 'ls {x}'", "env bash -c {x}", "echo {x} | bash", "echo {x} | sh -s", "echo {x} | sudo bash",
        "bash <<EOF\n{x}\nEOF", "bash <<< {x}", "python3 <<'EOF'\nprint('{x}')\nEOF", "echo {x} | xargs -I% sh -c 'echo %'",
        "echo $(( {x} ))", "(( {x} ))", "[[ {x} -eq 1 ]]", "let a={x}", "echo `ls {x}`", "echo # {x}", "echo ${a:-{x}}",
        "echo $'{x}'", 'echo $"{x}"', "a[{x}]=1", "declare a={x}", "export A={x}", "read {x}", "unset {x}", "test -v {x} || printf -v {x} a",
        "[ -v {x} ]", "PATH={x} ls", "LD_PRELOAD={x} ls", "BASH_ENV={x} bash s", "V={x}; $V", "V={x}; eval $V",
        'V={x}; bash -c "$V"', "V={x}; echo $((V))", "f() { ls {x}; }; f", "echo \\{x}", 'echo "\\{x}"',
        "for {x} in a; do ls; done", "cat <<{x}\na\n{x}", "echo '{x}", "ls > f {x}", "alias a={x}", "watch {x}",
        "parallel echo {x}", 'sqlite3 db "select {x}"', 'psql -c "select {x}"', "echo {x!r}", "echo {x[0]}", "echo {x.y}",
        "echo {x.__class__}", "echo {y}", "echo {x | nope}", "coproc {x}", "function {x} { ls; }",
    ],
)  # fmt: skip
def test_where_quoting_cannot_help_a_placeholder_is_refused_before_anything_runs(
    command: str,
) -> None:
    mistakes = find_mistakes(workflow_of(command, ["x"]))

    assert mistakes
    assert all(each.hint for each in mistakes)


@pytest.mark.parametrize(
    "command",
    [
        "awk '{print $1}' {x}", "awk -v n={x} '{print n}' f", "find . -name {x} -exec ls {} +", "jq --arg a {x} '.[$a]' f",
        "bash -c 'echo \"$1\"' _ {x}", "python3 report.py {x}", "ls {a,b} {x}", "echo {{x}} {x}", "sed -n 1p {x}",
        "echo {x} | python3 script.py", "curl -d '{\"a\": {\"b\": 1}}' {x}", "git commit -m {x}", "echo ${HOME} {x}",
        "docker ps --format '{{.Names}}' --filter name={x}", "source env.sh && ls {x}", "cd {x} && make",
    ],
)  # fmt: skip
def test_everyday_commands_are_taken(command: str) -> None:
    assert find_mistakes(workflow_of(command, ["x"])) == []


def test_braces_of_other_languages_reach_their_programs(run: Run) -> None:
    line = filled("jq '{a: .b}' {x} {} {{y}}", {"x": "f"})

    assert run(line) == [["jq", "{a: .b}", "f", "{}", "{y}"]]


def test_a_line_without_placeholders_is_the_authors_own() -> None:
    line = "[[ -n $X ]] && echo $((1 + 2)) `date`"

    assert parse_line(line).filled({}) == line


def test_a_list_is_a_program_and_its_arguments_without_a_shell() -> None:
    command = ("git", "commit", "-m", "{x}", "--author={x}")

    assert fill_arguments(command, {"x": "a; $(id)"}) == (
        "git", "commit", "-m", "a; $(id)", "--author=a; $(id)",
    )  # fmt: skip


@pytest.mark.parametrize("value", ["-f", "--upload-pack=id", "-"])
def test_a_value_is_never_taken_for_an_option(value: str) -> None:
    for command in ("git checkout {x}", "git checkout '{x}'", 'git checkout "{x}y"'):
        with pytest.raises(UnsafeCommandError, match="would be taken for an option"):
            filled(command, {"x": value})
    with pytest.raises(UnsafeCommandError, match="would be taken for an option"):
        fill_arguments(("git", "checkout", "{x}"), {"x": value})

    assert filled("git checkout -- {x}", {"x": value})


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ('n={x}; ls "$n"', "-la"),
        ('n={x}y; ls "${n}"', "-la"),
        ('n={x}; ls "$n"b', "-la"),
        ('n=a; n={x}; ls "$n"', "-la"),
        ('n=""; ls "$n"{x}', "-la"),
        ('n={x}; ls "$n-y"', ""),
        ('n=a{x}; n=; ls "$n"{x}', "-la"),
        ('for f in a {x}; do ls "$f"; done', "-la"),
        ('n={x}; m=$n; ls "$m"', "-la"),
        ('n={x}; m=" $n"; ls ${m# } {x}', "-la"),
        ('read -r a b <<< {x}; ls "$b"', "a -la"),
        ('ls "$(cut -d, -f2 <<< {x})"', "a,-la"),
        ("ls $(cat <<< {x})", "a -la"),
        ("cat <<< {x} | xargs ls", "a -la"),
        ("cat <<< {x} | sudo xargs -- ls -d", "-la"),
        ("cat <<< {x} | xargs -I% ls %", "-la"),
    ],
)
def test_a_value_is_never_taken_for_an_option_on_a_way_through_the_shell(
    command: str, value: str
) -> None:
    with pytest.raises(UnsafeCommandError):
        filled(command, {"x": value})


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ('n={x}; ls -- "$n"', "-la"),
        ('n={x}; ls "./$n"', "-la"),
        ('n={x}; ls --name="$n"', "-la"),
        ('n={x}; ls "$n"', "a -b"),
        ('n={x}; ls "$n$n"', "a"),
        ('read -r n <<< {x}; ls "$n"', "my-long-name 2026-01-02"),
        ("cat <<< {x} | xargs ls --", "-la"),
        ("cat <<< {x} | xargs -I% ls a%", "-la"),
    ],
)
def test_what_cannot_be_an_option_is_taken(command: str, value: str) -> None:
    assert filled(command, {"x": value})


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ('n={x}; ls > "$n"', "../x"),
        ('n={x}; ls > "out/$n"', "a/../../b"),
        ('for n in {x}; do ls > "$n"; done', "/etc/passwd"),
        ('read -r a b <<< {x}; ls > "$b"', "a /etc/passwd"),
        ('ls > "$(echo {x})"', "../x"),
    ],
)
def test_a_redirection_stays_in_its_folder_on_a_way_through_the_shell(
    command: str, value: str
) -> None:
    with pytest.raises(ProwessError, match="leaves the folder"):
        filled(command, {"x": value})

    assert filled(command, {"x": "a/b.txt"})


@pytest.mark.parametrize("value", ["../x", "/etc/passwd", "a/../../b", "~/x"])
def test_a_redirection_stays_in_its_folder(value: str) -> None:
    with pytest.raises(ProwessError, match="leaves the folder"):
        filled("ls > {x}", {"x": value})


def test_a_command_that_needs_no_shell_says_so() -> None:
    values = {"x": "a b"}

    assert parse_line("prowess name suggest {x} --count 3").argv(values) == (
        "prowess", "name", "suggest", "a b", "--count", "3",
    )  # fmt: skip
    assert parse_line("ls {x} | wc").argv(values) is None
    assert parse_line("ls *{x}").argv(values) is None
    assert parse_line("ls $HOME").argv(values) is None


def test_a_value_too_long_for_the_kernel_is_told_before_it_is_tried() -> None:
    with pytest.raises(UnsafeCommandError, match="longer than"):
        filled("t {x}", {"x": "a" * 130_000})


@pytest.mark.parametrize("value", ["../x", "a/../../x", "..", "x/..", "a\0b"])
def test_a_value_cannot_lead_a_written_file_out_of_its_folder(value: str) -> None:
    for template in ("out/{n}/f.txt", "out/{n}"):
        with pytest.raises(ProwessError, match="leaves the folder"):
            filled(f"cat > {template}", {"n": value})


@pytest.mark.parametrize("value", ["/etc", "~root"])
def test_a_value_cannot_give_a_written_file_another_root(value: str) -> None:
    with pytest.raises(ProwessError, match="leaves the folder"):
        filled("cat > {n}/x", {"n": value})


def test_two_values_cannot_climb_together() -> None:
    with pytest.raises(ProwessError, match="leaves the folder"):
        filled("cat > out/{a}{a}/x", {"a": "."})


@pytest.mark.parametrize(
    ("value", "path"), [("a", "out/'a'.txt"), ("b/c", "out/'b/c'.txt"), ("..a", "out/'..a'.txt"), ("", "out/''.txt")]
)  # fmt: skip
def test_an_ordinary_name_makes_an_ordinary_path(value: str, path: str) -> None:
    assert filled("cat > out/{n}.txt", {"n": value}) == f"cat > {path}"
