"""
The loop under kill -9: a plan with a second attempt, a task that cannot be done, and unproven work.

    .venv/bin/python bench/loop_kills.py                 50 kills, some minutes
    .venv/bin/python bench/loop_kills.py --kills 5       a quick look
    .venv/bin/python bench/loop_kills.py --parallel 2    tasks side by side, in work trees

A loop is begun, or goes on, in a child that is killed at a random moment, until it has ended by
itself; then the next begins. After every death:

- no task is marked as proven whose file is not in the last commit as it has to be;
- every event that a follower had read is still there;
- what a person committed beside the loop is still there.

At the end the plan, the report, the attempts and the branches are those of a loop that nobody
killed. The exit code is 1 when a promise is broken.
"""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from kills import RUN, BrokenError, hold, live_on, made, options, play
from mixed import begin_repository, git

from prowess.core.event import Recorded
from prowess.loop.house import open_whole_house
from prowess.loop.request import LoopRequest
from prowess.loop.run import KIND
from prowess.observe.follow import follow
from prowess.observe.log import SqliteLog
from prowess.settings import Settings

PLAN = """# Plan

- [ ] Make one
  - files: one.txt
  - `one.txt` contains `made one`
- [ ] Make two
  - files: two.txt
  - `two.txt` contains `made two`
- [ ] Make the impossible
  - files: impossible.txt
  - `impossible.txt` contains `made otherwise`
- [ ] Make three
  - files: three.txt
  - after: Make one
  - `three.txt` contains `made three`
"""
MARKS = {"Make one": "R", "Make two": "R", "Make the impossible": "~", "Make three": "R"}
ATTEMPTS = {"Make one": 1, "Make two": 2, "Make the impossible": 2, "Make three": 1}
# Slow, so that kills fall into it, and in two steps, so that half of the work is there when they do.
AGENT = """
import sys, time
from pathlib import Path
prompt = sys.stdin.read()
task = prompt.partition("\\n## Task\\n")[2].strip().splitlines()[0]
name = task.split()[-1]
file = Path(f"{name}.txt")
file.write_text("half")
time.sleep(0.2)
wrong = name == "two" and "Failed Criteria" not in prompt
file.write_text("wrong" if wrong else f"made {name}")
print("All tests pass.")
"""


@dataclass
class LoopRun:
    """One loop over the plan, in a repository of its own."""

    folder: Path
    parallel: int
    seen: list[Recorded] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.work = self.folder / "work"
        self.work.mkdir(parents=True)
        (self.folder / "agent.py").write_text(AGENT)
        (self.work / "PLAN.md").write_text(PLAN)
        (self.work / "mine.txt").write_text("a person's")
        begin_repository(self.work)

    @cached_property
    def log(self) -> SqliteLog:
        """The child makes it, in a data folder that is not there before its first start."""
        return SqliteLog(settings_of(self.folder).log_file)

    def command(self) -> Sequence[str]:
        words = ["--child", str(self.folder), "--parallel", str(self.parallel)]
        return [sys.executable, __file__, *words]

    async def watch(self) -> None:
        await made(settings_of(self.folder).log_file)
        async for each in follow(self.log, RUN, after=len(self.seen)):
            self.seen.append(each)

    def check(self, *, ended: bool) -> None:
        kept = list(self.log.run(RUN))
        hold(kept[: len(self.seen)] == self.seen, "an event that was read is lost or changed")
        hold(self._git("show", "HEAD:mine.txt") == "a person's", "a person's file is lost")
        hold((self.work / "mine.txt").exists(), "a person's file is lost from the tree")
        for label, mark in self._marks().items():
            if mark == "R":
                self._check_proven(label)
        if ended:
            self._check_end(kept)
            self.log.close()

    def _check_proven(self, label: str) -> None:
        """The mark is set just before its commit, so the work may still lie in the tree."""
        name = label.rsplit(maxsplit=1)[-1]
        lying = self.work / f"{name}.txt"
        hold(lying.exists() and lying.read_text() == f"made {name}", f"{label} has no proof")

    def _check_end(self, kept: Sequence[Recorded]) -> None:
        marks, last = self._marks(), kept[-1].event
        hold(last.kind == "run.finished", f"the story ends with {last.kind}")
        why = last.payload["outcome"]["reason"]
        hold(marks == MARKS, f"the plan ends as {marks}: {why}")
        tasks = {each["task"]: each for each in last.payload["outcome"]["details"]["tasks"]}
        attempts = {label: each["attempts"] for label, each in tasks.items()}
        hold(attempts == ATTEMPTS, f"the attempts are {attempts}")
        for label, mark in MARKS.items():
            if mark == "R":
                name = label.split()[-1]
                told = self._git("show", f"HEAD:{name}.txt")
                hold(told == f"made {name}", f"{label} is not in the branch")
                times = self._git("log", "--first-parent", "--format=%s").splitlines().count(label)
                hold(times == 1, f"{label} was committed {times} times")
        branch = tasks["Make the impossible"]["branch"]
        hold(
            self._git("show", f"{branch}:impossible.txt") == "made impossible",
            "work that was not proven is lost",
        )
        hold(self._git("status", "--porcelain") == "", "the tree is not clean")
        hold(self._git("worktree", "list").count("\n") == 1, "a work tree is left")

    def _marks(self) -> dict[str, str]:
        lines = (self.work / "PLAN.md").read_text().splitlines()
        return {line[6:]: line[3] for line in lines if line.startswith("- [")}

    def _git(self, *words: str) -> str:
        try:
            return git(self.work, *words)
        except subprocess.CalledProcessError as error:
            raise BrokenError(f"git {' '.join(words)}: {error.stderr}") from error


def settings_of(folder: Path) -> Settings:
    return Settings(project=str(folder / "work"), data=str(folder / "data"))


async def child(folder: Path, parallel: int) -> None:
    request = LoopRequest(
        plan=str(folder / "work" / "PLAN.md"),
        workspace=str(folder / "work"),
        agent="command",
        command=(sys.executable, str(folder / "agent.py")),
        max_attempts=2,
        parallel=parallel,
    )
    async with open_whole_house(settings_of(folder)) as house:
        await live_on(house, KIND, request.as_json())


def main() -> int:
    parser = options("Kill loops at random moments, and look what is lost.", kills=50)
    parser.add_argument("--parallel", type=int, default=1)
    given = parser.parse_args()
    return play(
        partial(LoopRun, parallel=given.parallel), partial(child, parallel=given.parallel), given
    )


if __name__ == "__main__":
    sys.exit(main())
