"""
Programs that are to prove a task and that the sandbox lacks: told before an agent is paid, and where
only a check finds it out, no attempt's fault.
"""

import os
import re
import shutil

from prowess.check.running.commands import NOT_HERE
from prowess.check.running.shell import simple_commands
from prowess.check.tree.beside import HIDDEN, MISSED
from prowess.core.errors import UsageError
from prowess.core.evidence import Criterion, Report
from prowess.core.ports import Sandbox
from prowess.core.process import Order
from prowess.core.task import Plan
from prowess.loop import marks
from prowess.loop.done import CutError
from prowess.loop.request import LoopRequest

# What bash would run by this name, be it a program or a word of its own.
_LOOK = 'for name; do command -v -- "$name" >/dev/null || printf "%s\\n" "$name"; done'
_NAME = re.compile(r"[\w.+-]+")
_GOES_ELSEWHERE = frozenset(("cd", "pushd"))
_TOOLS = frozenset("black coverage flake8 mypy nox pylint pytest ruff tox".split())
_LACKED = re.compile(
    rf"{re.escape(NOT_HERE)}, (?P<name>[^,]+), which says nothing against the work"
)


class LackedError(CutError):
    """A program is missing, so that no attempt could be proven; the text says which, and what to do."""

    told = "nothing could prove it, so it is not"


async def must_have_programs(request: LoopRequest, sandbox: Sandbox) -> None:
    """Refuse validation commands whose program is not in the sandbox, whatever an agent does."""
    folder = request.workspace
    if told := await _lacking_in(marks.must_read(request.plan), folder, sandbox):
        raise UsageError(
            "\n".join(f"{request.plan}:{line}: {_not_there(program)}" for line, program in told),
            hint=f"{_instead(told[0][1], folder)}, or install it below /usr; nothing was begun",
        )


async def told_lacking(plan: Plan, folder: str, sandbox: Sandbox) -> list[tuple[int, str]]:
    """The same, in words for who looks at the plan."""
    told = await _lacking_in(plan, folder, sandbox)
    return [
        (line, f"{_not_there(program)}: {_instead(program, folder)}, or install it below /usr")
        for line, program in told
    ]


async def _lacking_in(plan: Plan, folder: str, sandbox: Sandbox) -> list[tuple[int, str]]:
    """The programs that validation commands begin with and that are not there, each with its line."""
    called = {
        line: program
        for line, command in zip(plan.validation_lines, plan.validation, strict=True)
        if (program := _called_by_name(command))
    }
    lacked = await _lacked(sorted(set(called.values())), folder, sandbox)
    return [(line, program) for line, program in called.items() if program in lacked]


def must_not_lack(report: Report) -> None:
    """
    Stop where nothing speaks against the work but a program that no attempt could bring, or bring back as
    it was.
    """
    if report.passed or report.scope.verdict != "PASS":
        return
    if any(each.verdict == "FAIL" for each in report.criteria):
        return
    if changed := next((each.reason for each in report.criteria if MISSED in each.reason), ""):
        raise LackedError(changed[changed.index(MISSED) :])
    if name := next(filter(None, map(_lacking, report.criteria)), ""):
        raise LackedError(f"the sandbox lacks {name}, which is to prove the task; {_mend(name)}")


def _lacking(criterion: Criterion) -> str:
    """
    The program without which it was left open. Where an agent changed programs, that comes first; and a
    module that is no tool may be what the task is to bring.
    """
    found = _LACKED.match(criterion.reason)
    if found is None or HIDDEN in criterion.reason:
        return ""
    module, of_python, _ = found["name"].partition(" for ")
    return found["name"] if not of_python or module in _TOOLS else ""


def _called_by_name(command: str) -> str:
    """
    The program that a command begins with, where the PATH decides which it is. None where another
    command stands in for it, or the line sets the PATH.
    """
    simple = simple_commands(command) or []
    if any(joined == "||" for joined, _ in simple):
        return ""
    words = next((words for _, words in simple if words[0] not in _GOES_ELSEWHERE), [])
    while words and re.match(r"\w+=", words[0]):
        if words[0].startswith("PATH="):
            return ""
        words = words[1:]
    return words[0] if words and _NAME.fullmatch(words[0]) else ""


async def _lacked(names: list[str], folder: str, sandbox: Sandbox) -> set[str]:
    if not names:
        return set()
    order = Order(argv=("bash", "-c", _LOOK, "bash", *names), cwd=folder, readable=(folder,))
    finished = await sandbox.run(order)
    return set(finished.out.decode("utf-8", "replace").split()) if not finished.code else set()


def _mend(name: str) -> str:
    if "/" in name:  # it is there, and what it runs with is not
        return "install what it needs below /usr, and begin again"
    if " for " in name:
        return (
            "let the command name a Python that has it, such as `.venv/bin/python`, and begin again"
        )
    path = os.path.join(".venv", "bin", name)
    return f"let the command name one in the project, such as `{path}`, or install it below /usr, and begin again"


def _not_there(program: str) -> str:
    mine = shutil.which(program)
    beside = f", where commands are run; {mine} is not shown to it" if mine else ""
    return f"`{program}` is not in the sandbox{beside}"


def _instead(program: str, folder: str) -> str:
    path = os.path.join(".venv", "bin", program)
    there = os.path.exists(os.path.join(folder, path))
    return f"write `{path} …`" if there else f"make a `.venv` and write `{path} …`"
