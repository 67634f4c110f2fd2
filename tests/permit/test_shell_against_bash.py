"""
What the gate believes of a line, compared with what bash really runs.

Lines are made at random from a seed and given to the reader. Those it accepts are run by bash with
nothing on its path but programs that note how they were called; each note must be a command that
the reader had found. The reader may refuse too much, but it may never miss a command.
"""

import os
import random
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from prowess.permit.rule import HOLE, overlap
from prowess.permit.rules import make_policy, parse_rules
from prowess.permit.shell.environment import NEVER
from prowess.permit.shell.judge import judge_command
from prowess.permit.shell.simple import Simple
from prowess.permit.shell.syntax import read_script
from prowess.permit.shell.words import RefusedError

BASH = shutil.which("bash")
LINES, SEEDS = 220, range(3)
BREAK, RECORD = "\x1f", "\x1e\0"
PROGRAMS = ("git", "ls", "id", "no", "EOF")

WORDS = (
    "a", "id", '"a b"', "'x;id'", "$v", '"$v"', "${v}", "*", "\\;", "a\\ b", "$(git x)", "-n", "{a,b}",
    "--opt=1", "~", '"$(id)"', "`git b`", "é", "a#b", "#", "$", '"\\""', "-", "=", "!", "a=b", "[a]",
    "x{", "}", "$'\\t'", '"`id`"', "\\\\", "EOF", "HEAD@{1}", '""', "<(ls)", "\\\na", "a\\\n", "2", "&",
)  # fmt: skip
TEXTS = (
    "a", " ", "id", "$(id)", "`id`", "$v", '"', "'", "\\", "#", ";", "|", "EOF", "\nEOF", "\n", "\n\tEOF",
    "EOF\n", "é", "\\EOF", "\n id", "\\\n", ")", "(", "<<EOF",
)  # fmt: skip
SHAPES = (
    "git W", "git W W", "C && C", "C; C", "C | C", "(C)", "{ C; }", "if C; then C; fi", "git $(C)",
    "for i in W W; do C; done", 'git "$(C)"', "git `git W`", "git <(C)", "C <<EOF\nT\nEOF\nC",
    "C <<'EOF'\nT\nEOF", "C <<'EOF' | C\nT\nEOF\nC", "C <<< W", "C > f1", "C 2>&1", "> f1 C", "C # T",
    "C \\\n C", "! C", "case W in W) C;; *) C;; esac", "while no W; do C; done", "CI=W C", "C &\nC",
    'git "T"', "git 'T'", 'git W"T"W', "C <<-EOF\n\tT\n\tEOF\nC", "[ W = W ] && C", "C > f1 W W",
    "C\n\nC", "git W - <<EOF\nT\nEOF", "C <<EOF > f1\nT\nEOF", "C <<EOF && C\nT\nEOF\n", "C W>f1<f1",
    "git \"$(git <<'EOF'\nT\nEOF\n)\" W", "C |\n C", "C &&\n\n C", "# T\nC", "git W;# T\nC",
)  # fmt: skip
NOISE = (
    *"\"'\\ \t;&|()`<>#$*?[]{}!=-~@+%:,\n", "\\\n", "&&", "||", "|&", "$(", ">>", ">&", "<<", "<<-", "<<<",
    "<<EOF\n", "\nEOF\n", "2>&1", "{a,b}", "CI=1 ", "\\ ", '\\"', "$'", "<(", ">(", "f1", "$@", "${", "()",
    "[[ ", "((", "))", '$"', "git", "id", "é", "-n", "2",
)  # fmt: skip


class Maker:
    """Lines that are nearly right, and some that are not."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311

    def line(self) -> str:
        line = self._command(0)
        for _ in range(self.random.choice((0, 0, 1, 2))):
            at = self.random.randint(0, len(line))
            line = line[:at] + self.random.choice(NOISE) + line[at:]
        return line

    def _command(self, depth: int) -> str:
        if depth > 2 or self.random.random() < 0.4:
            return "git " + " ".join(self.random.choices(WORDS, k=self.random.randint(0, 3)))
        return "".join(self._part(letter, depth) for letter in self.random.choice(SHAPES))

    def _part(self, letter: str, depth: int) -> str:
        if letter == "W":
            return self.random.choice(WORDS)
        if letter == "T":
            return "".join(self.random.choices(TEXTS, k=self.random.randint(0, 5)))
        return self._command(depth + 1) if letter == "C" else letter


class Bash:
    """Runs a line where every program only notes its words; at most two seconds."""

    def __init__(self, folder: Path) -> None:
        self.log, self.workspace, programs = folder / "log", folder / "ws", folder / "bin"
        self.workspace.mkdir()
        programs.mkdir()
        note = f"printf '%s\\0' \"${{0##*/}}\" \"$@\" '\x1e' >> '{self.log}'\n"
        for name in PROGRAMS:
            program = programs / name
            program.write_text(f"#!/bin/sh\n{note}" + ("exit 1\n" if name == "no" else ""))
            program.chmod(0o755)
        unknown = f"() {{ printf '%s\\0' \"$@\" '\x1e' >> '{self.log}'; return 127; }}"
        self.environment = {
            "PATH": str(programs),
            "HOME": str(self.workspace),
            "v": "val ue",
            "BASH_FUNC_command_not_found_handle%%": unknown,
        }

    def run(self, line: str) -> list[list[str]]:
        """The words of each program that was started."""
        self.log.write_bytes(b"")
        with subprocess.Popen(
            [str(BASH), "--norc", "--noprofile", "-c", line],
            cwd=self.workspace,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as shell:
            try:
                shell.communicate(timeout=2)
            except subprocess.TimeoutExpired:
                os.killpg(shell.pid, signal.SIGKILL)
        notes = self.log.read_bytes().decode(errors="replace").split(RECORD)
        return [note.split("\0")[:-1] for note in notes if note]


def accepted(line: str, workspace: Path) -> tuple[Simple, ...]:
    """What the reader finds in a line that some rules could grant; nothing in one they could not."""
    anything = make_policy(allowed=parse_rules("Write Bash(**)"), workspace=str(workspace))
    try:
        found = read_script(line)
    except RefusedError:
        return ()
    names = [each.words[0].text for each in found if each.words]
    if any(name in NEVER or name == "time" for name in names):
        return ()
    return found if judge_command(line, anything).allowed else ()


def is_found(words: list[str], found: tuple[Simple, ...]) -> bool:
    """A hole may be anything, also no word at all."""
    ran = BREAK.join(words).replace("*", "\x02")
    for each in found:
        read = BREAK.join(word.text for word in each.words).replace("*", "\x02")
        if overlap(ran, read) or overlap(ran, read.replace(BREAK + HOLE, HOLE)):
            return True
    return False


@pytest.mark.skipif(BASH is None, reason="there is no bash here to compare with")
@pytest.mark.parametrize("seed", SEEDS)
def test_bash_runs_no_command_that_the_reader_did_not_find(seed: int, tmp_path: Path) -> None:
    make, bash = Maker(seed), Bash(tmp_path)
    compared = 0

    for _ in range(LINES):
        line = make.line()
        if found := accepted(line, bash.workspace):
            compared += 1
            for words in bash.run(line):
                assert is_found(words, found), (line, words)

    assert compared > LINES / 10


MISREAD = {
    "git log\n\\\n id": "a continued line after an empty one begins a new command",
    "git log -n<<EOF\nx\nEOF": "the parser takes `-n` for a part of `<<`",
    "git log -x2<f1": "the parser takes `-x2` for a descriptor",
    "git log >& -x": "bash closes a descriptor, and `x` is an argument",
    "git log a\\\n 2>&1": "the parser takes the descriptor for an argument",
    "git \\ log": "the parser passes over a backslash and a blank",
}


@pytest.mark.parametrize("line", MISREAD)
def test_lines_that_the_parser_reads_otherwise_than_bash_are_refused(line: str) -> None:
    with pytest.raises(RefusedError):
        read_script(line)
