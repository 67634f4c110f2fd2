"""
Every bench, one after the other, and one table of what they found.

    .venv/bin/python bench/all.py                   the whole of it, half an hour
    .venv/bin/python bench/all.py --quick           smaller, five minutes at most
    .venv/bin/python bench/all.py --only serve,loop    some of them
    .venv/bin/python bench/all.py --keep            also write docs/benchmarks.*, the plots and the README's table

Each bench is a process of its own with a limit of time; one that fails or takes too long is a row
that says so. Leave the machine alone meanwhile. The exit code is 1 when a bench could not be run;
a promise that was missed is told in the table and is no failure.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import headlines
import printed
import report
from table import Found, read

HERE = Path(__file__).parent
WHOLE, QUICK = 2400.0, 300.0  # seconds for all of them together


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """How a bench is run; `read` is given what it printed, where it writes no figures itself."""

    name: str
    whole: Sequence[str] = ()
    quick: Sequence[str] | None = None  # None: the same
    limit: float = 120  # seconds of the whole
    short: float = 60  # seconds of the quick
    read: printed.Reader | None = None


TASKS = (
    Task(
        name="discovery",
        whole=("--rounds", "7,5,3"),
        quick=("--sizes", "1000", "--rounds", "2", "--only", "prowess"),
        limit=300,
    ),
    Task(name="matching", quick=("--quick",), limit=240, short=100),
    Task(
        name="loop",
        whole=("--rounds", "3"),
        quick=("--rounds", "1", "--only", "prowess"),
        limit=240,
        read=printed.loop,
    ),
    Task(name="context"),
    Task(name="recovery"),
    Task(name="steps"),
    Task(name="workflow", limit=180, short=90, read=printed.workflow),
    Task(name="serve", quick=("skills",), limit=180, read=printed.serve),
    Task(name="kills", whole=("--kills", "100"), quick=("--kills", "3"), limit=480),
    Task(name="workflow_kills", whole=("--kills", "100"), quick=("--kills", "3"), limit=480),
    Task(name="loop_kills", whole=("--kills", "50"), quick=("--kills", "2"), limit=480),
    Task(name="layered", limit=240, short=120),
    Task(name="workers", quick=("--runs", "12", "--only", "kills"), limit=360),
    Task(name="whole", quick=("--runs", "12"), limit=420, short=90),
)


def run(task: Task, *, quick: bool, left: float) -> report.Bench:
    """One bench within its own limit, and within the seconds that are left for all."""
    words = task.whole if task.quick is None or not quick else task.quick
    limit = max(1.0, min(left, task.short if quick else task.limit))
    machine, began = report.machine(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="prowess-bench-") as folder:
        figures = Path(folder, "figures.json")
        more = () if task.read else ("--figures", str(figures))
        out, failed = _run([sys.executable, str(HERE / f"{task.name}.py"), *words, *more], limit)
        found = Found()
        try:
            found = task.read(out) if task.read else read(figures)
        except (OSError, ValueError, LookupError) as error:
            failed = failed or f"no figures: {error}"
    return report.Bench(
        name=task.name,
        found=found,
        tables=report.only_tables(out),
        machine=machine,
        when=report.today(),
        commit=report.commit(),
        seconds=time.monotonic() - began,
        failed=failed,
    )


def _run(command: Sequence[str], limit: float) -> tuple[str, str]:
    """What it printed, and why it failed; its children end with it."""
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, wrong = child.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        out, _ = child.communicate()
        return out, f"not done after {limit:.0f} s"
    last = (wrong.strip() or out.strip() or "it said nothing").splitlines()[-1]
    return out, f"exit code {child.returncode}: {last[:120]}" if child.returncode else ""


def main() -> int:
    parser = argparse.ArgumentParser(description="Every bench, and one table of what they found.")
    parser.add_argument("--quick", action="store_true", help="smaller, five minutes at most")
    parser.add_argument("--only", default="", metavar="NAME,NAME", help="some benches")
    parser.add_argument(
        "--keep",
        action="store_true",
        help="write docs/benchmarks.*, the plots and the README's table",
    )
    given = parser.parse_args()
    if given.keep and given.quick:
        parser.error("what a quick look finds is not worth keeping; leave one of the two out")
    wanted = given.only.split(",") if given.only else [task.name for task in TASKS]
    if unknown := set(wanted) - {task.name for task in TASKS}:
        parser.error(f"there is no bench {', '.join(sorted(unknown))}")
    benches, until = {}, time.monotonic() + (QUICK if given.quick else WHOLE)
    for task in TASKS:
        if task.name in wanted and (HERE / f"{task.name}.py").exists():
            print(f"{task.name} …", file=sys.stderr, flush=True)
            left = until - time.monotonic()
            benches[task.name] = run(task, quick=given.quick, left=left)
    print(report.summary(benches, report.kept()))
    if given.keep:
        report.keep(benches)
        headlines.keep()
    return int(any(bench.failed for bench in benches.values()))


if __name__ == "__main__":
    sys.exit(main())
