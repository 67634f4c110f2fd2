"""
The works that `bench/whole.py` mixes, and the process that does them one after another.

    .venv/bin/python bench/mixed.py FOLDER SEED RUN …       what whole.py starts, and kills

There are four kinds: a skill that writes files, a skill with a sub-agent, a workflow, and a loop with
an agent that gets one task wrong at first. The model is a script that answers from the conversation
alone, and fails at random: a request that is refused for a moment, a reply that nobody can follow, a
call of something that is not there. A work that was begun before goes on; each tells its end in a line.
"""

import asyncio
import random
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kills import begin_or_go_on

from prowess.core.chat import Message
from prowess.core.errors import ModelError
from prowess.core.skill import Skill
from prowess.engine import workflows
from prowess.engine.request import RunRequest
from prowess.engine.running import KIND as SKILL
from prowess.loop.house import open_whole_house
from prowess.loop.request import LoopRequest
from prowess.loop.run import KIND as LOOP
from prowess.model.scripted import Scripted, Turn, call, final, malformed
from prowess.settings import Settings

FAULTY = 0.15  # of the replies go wrong
FILES = 3
# With iterations enough that chance alone never uses them up.
SKILLS = {
    "scribe/SKILL.md": "---\nname: scribe\ndescription: Writes files.\nmax-iterations: 40\nallowed-tools: Write Read\n---\nWrite them.\n",
    "helper/SKILL.md": "---\nname: helper\ndescription: Helps.\ncontext: fork\nmax-iterations: 40\nallowed-tools: Write Read\n---\nHelp.\n",
    "lead/SKILL.md": "---\nname: lead\ndescription: Leads.\nmax-iterations: 80\nallowed-tools: Write Read Skill\n---\nLead.\n",
    "steps/skill.yaml": """\
name: steps
description: Takes some steps.
allowed-tools: Bash
steps:
  - id: names
    python: tool:names
    store: names
  - foreach: "{names}"
    as: name
    steps:
      - id: write
        command: sh -c 'echo text > "$1"' - {name}
        retry: 2
  - id: fails
    command: [ls, missing]
    optional: true
  - output: "{names | join(', ')}"
""",
    "steps/tool.py": f"def names():\n    return [f'{{n}}.txt' for n in range(1, {FILES + 1})]\n",
}
PLAN = """# Plan

- [ ] Make one
  - files: one.txt
  - `one.txt` contains `made one`
- [ ] Make two
  - files: two.txt
  - `two.txt` contains `made two`
"""
AGENT = """\
import sys, time
from pathlib import Path
prompt = sys.stdin.read()
name = prompt.partition("\\n## Task\\n")[2].strip().splitlines()[0].split()[-1]
time.sleep(0.1)
wrong = name == "two" and "Failed Criteria" not in prompt
Path(f"{name}.txt").write_text("wrong" if wrong else f"made {name}")
print("All tests pass.")
"""
KINDS = ("skill", "agents", "workflow", "loop")


def name_of(number: int) -> str:
    """A loop is far longer than the others, so there is one in ten."""
    kind = "loop" if number % 10 == 0 else KINDS[number % 3]
    return f"{kind}-{number}"


def kind_of(run: str) -> str:
    return run.partition("-")[0]


def settings_of(folder: Path) -> Settings:
    return Settings(
        project=str(folder), data=str(folder / "data"), only_dirs=(str(folder / "skills"),)
    )


def lay_skills(folder: Path) -> None:
    for name, text in SKILLS.items():
        file = folder / "skills" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "agent.py").write_text(AGENT)


def lay(folder: Path, run: str) -> None:
    """The workspace of one work."""
    work = folder / "works" / run
    work.mkdir(parents=True)
    if kind_of(run) == "loop":
        (work / "PLAN.md").write_text(PLAN)
        begin_repository(work)


def begin_repository(work: Path) -> None:
    git(work, "init", "-q", "-b", "main")
    git(work, "add", "-A")
    git(work, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "begin")


def git(work: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=work, capture_output=True, text=True, check=True)
    return done.stdout


def request_of(folder: Path, run: str) -> tuple[str, Mapping[str, Any]]:
    """The kind of the run for the engine, and what is asked of it."""
    work, kind = str(folder / "works" / run), kind_of(run)
    if kind == "workflow":
        asked = workflows.WorkflowRequest(skill="steps", workspace=work)
        return workflows.KIND, asked.as_json()
    if kind == "loop":
        agent = (sys.executable, str(folder / "agent.py"))
        loop = LoopRequest(
            plan=f"{work}/PLAN.md", workspace=work, agent="command", command=agent, max_attempts=3
        )
        return LOOP, loop.as_json()
    skill = "lead" if kind == "agents" else "scribe"
    return SKILL, RunRequest(skill=skill, workspace=work, model="scripted").as_json()


def wrong_with(folder: Path, run: str) -> str:
    """What a work that has ended left as it should not be; empty when all is right."""
    work = folder / "works" / run
    names = ("one", "two") if kind_of(run) == "loop" else range(1, FILES + 1)
    missing = [name for name in names if not (work / f"{name}.txt").exists()]
    if missing:
        return f"{run} has not made {missing}"
    if kind_of(run) != "loop":
        return ""
    marks = [line[3] for line in (work / "PLAN.md").read_text().splitlines() if line[:3] == "- ["]
    if marks != ["R", "R"]:
        return f"the plan of {run} ends as {marks}"
    if git(work, "status", "--porcelain"):
        return f"the tree of {run} is not clean"
    if git(work, "worktree", "list").count("\n") != 1:
        return f"{run} has left a work tree"
    return ""


class Faulty(Scripted):
    """Says the turn that comes next, unless chance has it go wrong."""

    def __init__(self, turn: Callable[[int], Turn], chance: random.Random) -> None:
        def turn_of(messages: Sequence[Message]) -> Turn:
            done = sum(message.role == "tool" and message.ok for message in messages)
            return self._fault(len(messages)) if chance.random() < FAULTY else turn(done)

        super().__init__(turn_of)
        self._chance = chance

    def _fault(self, place: int) -> Turn:
        return self._chance.choice(
            (
                ModelError("busy for a moment", transient=True, retry_after=0.0),
                malformed("{not what was asked for"),
                call("Read", file_path=f"missing-{place}.txt"),
                call("NoSuchTool", place=place),
            )
        )

    async def reply(self, messages: Sequence[Message], tools: Sequence[Any]) -> Any:
        await asyncio.sleep(0.02)
        return await super().reply(messages, tools)


def _write(done: int) -> Turn:
    if done == FILES:
        return final("all written")
    return call("Write", file_path=f"{done + 1}.txt", content=f"text {done + 1}")


def _lead(done: int) -> Turn:
    return final("all helped") if done else call("Skill", name="helper", arguments="write")


async def work_off(folder: Path, runs: Sequence[str], chance: random.Random) -> None:
    """Each work to its end, in order; one that was begun in another life goes on."""

    def open_model(_name: str | None, skill: Skill | None) -> Faulty:
        return Faulty(_lead if skill and skill.name == "lead" else _write, chance)

    async with open_whole_house(settings_of(folder), open_model=open_model) as house:
        print("ready", flush=True)
        for run in runs:
            await begin_or_go_on(house, run, *request_of(folder, run))
            outcome = await house.outcome(run)
            print(run, outcome.ending, shlex.quote(outcome.reason), flush=True)


if __name__ == "__main__":
    place, number, *given = sys.argv[1:]
    asyncio.run(work_off(Path(place), given, random.Random(int(number))))
