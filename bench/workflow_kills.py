"""
Workflows under kill -9: no step that was finished is done again.

    .venv/bin/python bench/workflow_kills.py               100 kills, some minutes
    .venv/bin/python bench/workflow_kills.py --kills 10    a quick look

A workflow is begun, or goes on, in a child that is killed at a random moment, until it has ended by
itself; then the next begins. Each step is a command in the sandbox that adds its name to a file: one
after another, four side by side, and one for each of a list. After every death:

- every event that a follower had read is still there;
- a step that was told to be finished has not been done again.

At the end every step was done, in its order, and none was told twice. The exit code is 1 when a
promise is broken.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kills import RUN, hold, kept_as_read, live_on, options, play, settings_of

from prowess.core.event import Recorded
from prowess.engine.house import open_house
from prowess.engine.workflows import KIND, WorkflowRequest
from prowess.observe.follow import follow
from prowess.observe.log import SqliteLog
from prowess.observe.views import run_view

IN_ORDER = [f"s{number}" for number in range(20)]
BESIDE = [f"p{number}" for number in range(4)]
EACH = [f"e[{number}]" for number in range(1, 7)]  # as such steps are called in the log
# Slow, so that kills fall into it.
DOES = "sleep 0.02; echo {name} >> done"


def workflow() -> str:
    steps = [f"  - {{id: {name}, command: '{DOES.format(name=name)}'}}" for name in IN_ORDER]
    beside = [f"      - {{id: {name}, command: '{DOES.format(name=name)}'}}" for name in BESIDE]
    each = f"  - {{id: each, foreach: {EACH}, as: name, steps: [{{id: e, command: '{DOES}'}}]}}"
    head = ["name: steps", "description: Is killed.", "steps:"]
    return "\n".join([*head, *steps, "  - id: beside", "    parallel:", *beside, each, ""])


@dataclass
class WorkflowRun:
    """Adds a line to a file in every step; a step that is done again leaves another."""

    folder: Path
    seen: list[Recorded] = field(default_factory=list)
    finished: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        skill = self.folder / "skills" / "steps"
        skill.mkdir(parents=True)
        (skill / "skill.yaml").write_text(workflow())
        (self.folder / "work").mkdir()
        self.log = SqliteLog(settings_of(self.folder).log_file)

    def command(self) -> Sequence[str]:
        return [sys.executable, __file__, "--child", str(self.folder)]

    async def watch(self) -> None:
        async for each in follow(self.log, RUN, after=len(self.seen)):
            self.seen.append(each)
            if each.event.kind == "step.finished":
                step = each.event.payload["step"]
                self.finished[step] = self._done()[step]

    def check(self, *, ended: bool) -> None:
        kept = kept_as_read(self.log, self.seen)
        done = self._done()
        for step, times in self.finished.items():
            hold(done[step] == times, f"the step {step} was finished and is done again")
        if ended:
            self._check_end(kept)
            self.log.close()

    def _check_end(self, kept: Sequence[Recorded]) -> None:
        view = run_view(kept)
        hold(view.state == "done", f"it ended {view.state}: {view.reason}")
        told = Counter(each.event.payload["step"] for each in kept if each.event.kind == "step.finished")  # fmt: skip
        hold(max(told.values()) == 1, "a step is told twice")
        hold(set(self._done()) == {*IN_ORDER, *BESIDE, *EACH}, "a step is missing")
        first = list(dict.fromkeys(self._lines()))
        hold(first[: len(IN_ORDER)] == IN_ORDER, "the steps are not in order")

    def _done(self) -> Counter[str]:
        return Counter(self._lines())

    def _lines(self) -> list[str]:
        done = self.folder / "work" / "done"
        return done.read_text().split() if done.exists() else []


async def child(folder: Path) -> None:
    request = WorkflowRequest(skill="steps", workspace=str(folder / "work"))
    async with open_house(settings_of(folder)) as house:
        await live_on(house, KIND, request.as_json())


def main() -> int:
    given = options("Kill workflows at random, and look what is lost.", kills=100).parse_args()
    return play(WorkflowRun, child, given)


if __name__ == "__main__":
    sys.exit(main())
