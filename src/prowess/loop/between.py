"""
What comes onto the branch while no loop is at work is a person's, and no step of a loop undoes it.

Without work trees the loop and the person share a branch. So the log is told where it is: when a task
begins, as often as its agent moves it, and before the loop itself does. Where it is elsewhere when the
task is taken up again, a person has brought it there, and the task is begun again on top of that.
"""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from prowess.core.errors import OutsideError, StaysError
from prowess.core.event import Event, Recorded
from prowess.core.ports import Json
from prowess.engine.pen import ASIDE
from prowess.loop import marks
from prowess.loop.abreast import Work
from prowess.loop.crew import Crew
from prowess.loop.git.repository import Repository
from prowess.loop.git.running import few, run_git

if TYPE_CHECKING:
    from prowess.loop.journey import Journey

KIND = "loop.branch"
LOOK = 1.0  # seconds between two looks at the branch while an agent is at work
_GRACE = 2.0  # seconds until an agent is gone whose loop was killed
_MOVE = re.compile(r"(\w+) HEAD@\{(\d+)\}")
_QUICKLY = 10.0  # seconds for one of them
_CAME = "came between"  # in what is kept of a step: where the branch was by then
_MESSAGE = "Taken back: what an agent has committed and nobody has proven yet"


class CameBetweenError(Exception):
    """A person has brought the branch to `head`; what the step was to do is not done."""

    def __init__(self, head: str) -> None:
        super().__init__(head)
        self.head = head


class Told(NamedTuple):
    """Where the branch was; `made`: the loop itself brought it there, or was about to."""

    head: str
    made: bool


@dataclass(slots=True, kw_only=True)
class Between:
    """
    The steps of a task in the person's own tree. `here`: this process began the task, or has looked what
    came in between.
    """

    crew: Crew
    journey: "Journey"
    here: bool = False

    async def step(self, name: str, work: Work) -> Json:
        """The first one in a process that takes the task up again looks before it does anything."""
        if not self.journey.status:
            return await self.crew.step(
                name, partial(self._begins, work) if name == "base" else work
            )

        async def looked() -> Json:
            head = "" if self.here else await self._came()
            self.here = True
            return {_CAME: head} if head else await work()

        kept = await self.crew.step(name, looked)
        if isinstance(kept, dict) and _CAME in kept:
            raise CameBetweenError(kept[_CAME])
        return kept

    async def _begins(self, work: Work) -> Json:
        head = await work()
        branch = await self.crew.repository(self.crew.request.workspace).branch()
        tell_begins(self.crew, head, branch)
        self.here = True
        return head

    async def _came(self) -> str:
        crew, base = self.crew, self.journey.base
        told = await crew.world.log.aside(lambda: told_at(crew.world.log.run(crew.run)))
        if not told:  # by an older version
            return ""
        try:
            await crew.must_be_on(crew.request.workspace, self.journey.branch)
        except OutsideError as error:  # nobody has been at work since, so there is time to mend it
            raise StaysError(str(error), hint=error.hint) from error
        repository = crew.repository(crew.request.workspace)
        asked = ("rev-parse", "-q", "--verify", "HEAD^{commit}")
        head = (await repository.git(*asked, fails=False)).strip()
        heads = [each.head for each in told]
        if (left := await _left_by_agent(crew, repository)) and left not in heads:
            tell_at(crew, left)  # it moved the branch after the last look, and before it died
            heads.append(left)
            told.append(Told(left, made=False))
        known = (heads[0] == base and head in heads) or await made_in(repository, told, head)
        if not head or known or head == left:
            return ""
        commits = await _commits(repository, [*heads, base], head)
        agents = await _agents(repository, heads, base, head)
        if agents and (both := await _in_both(repository, agents, base, head)):
            raise StaysError(
                f"you have committed to what the agent of the task has committed too: {few(both)}",
                hint=f"`prowess runs cancel {crew.run}` takes all of it as yours, then begin anew",
            )
        if agents:
            head = await _taken_back(repository, agents, base, head)
        crew.warn(
            "Your branch was moved while no loop was at work, and stays so; the task is begun again on"
            f" top of {commits}"
        )
        # The loop was killed between a tick and its commit, perhaps.
        marks.tick(crew.request.plan, self.journey.task, self.journey.task.mark)
        tell_begins(crew, head, self.journey.branch)
        return head

    async def must_still_be(self) -> str:
        """The head of the branch; `OutsideError` where somebody has moved it since the loop looked last."""
        crew = self.crew
        repository = crew.repository(crew.request.workspace)
        head = await repository.head()
        told = await crew.world.log.aside(lambda: told_at(crew.world.log.run(crew.run)))
        if told and head not in {each.head for each in told}:
            commits = await _commits(repository, [each.head for each in told], head)
            raise OutsideError(
                f"your branch was moved while the loop was at work: {commits}",
                hint=f"nothing was undone, and what the agent did lies in {repository.folder}: look at it,"
                " commit or stash it, and begin a new loop",
            )
        return head

    async def made(self) -> tuple[str, str]:
        """The commit of the loop's own for this task, if the branch holds it, and where that is."""
        crew = self.crew
        repository = crew.repository(crew.request.workspace)
        told = await crew.world.log.aside(lambda: told_at(crew.world.log.run(crew.run)))
        head = await repository.head()
        return await made_in(repository, told, head), head


def tell_begins(
    crew: Crew, head: str, branch: str, *, trees: Mapping[str, str] | None = None
) -> None:
    """
    Work begins on top of `head`, on this branch or in `trees`, by their tasks; what was told of it before
    counts no more.
    """
    _tell(crew, head, begins=True, branch=branch, trees=trees or {})


def tell_at(crew: Crew, head: str, *, made: bool = False) -> None:
    """Where the branch is by now, or is about to be."""
    _tell(crew, head, begins=False, made=made)


def _tell(crew: Crew, head: str, **facts: Any) -> None:
    payload = {
        "summary": f"The branch is at {head[:12]}",
        "visibility": "FULL",
        "head": head,
        **facts,
        ASIDE: True,
    }
    crew.world.appender(crew.run)(Event(run=crew.run, kind=KIND, payload=payload))


def told_at(events: Iterable[Recorded]) -> list[Told]:
    """Where the branch was since the task under way began, the base of the task first."""
    told: list[Told] = []
    for each in events:
        if each.event.kind == KIND:
            fact: Any = each.event.payload
            told = [] if fact["begins"] else told
            told.append(Told(fact["head"], bool(fact.get("made"))))
    return told


def _sign(data: str, run: str) -> str:
    """A file that is touched as long as an agent is at work and looked after."""
    return os.path.join(os.path.realpath(data), "looks", run)


def seen_at_work(data: str, run: str) -> float:
    """When an agent of this loop was seen at work last; 0 where nobody knows."""
    try:
        return os.stat(_sign(data, run)).st_mtime
    except OSError:
        return 0.0


def forget(crew: Crew) -> None:
    """The loop has ended, and nobody asks any more."""
    with suppress(OSError):
        os.unlink(_sign(crew.world.settings.data, crew.run))


def _is_at_work(events: Iterable[Recorded]) -> bool:
    """Whether an agent was asked of whose end nobody has told."""
    asked: set[str] = set()
    for each in events:
        if each.event.kind == "agent.forked":
            asked.add(each.event.payload["child"])
        elif each.event.kind == "agent.joined":
            asked.discard(each.event.payload["child"])
    return bool(asked)


async def _left_by_agent(crew: Crew, repository: Repository) -> str:
    """Where the branch was when the agent died that was at work; empty where none was, or nobody can tell."""
    if not await crew.world.log.aside(lambda: _is_at_work(crew.world.log.run(crew.run))):
        return ""
    died = seen_at_work(crew.world.settings.data, crew.run) + LOOK + _GRACE
    told = await repository.git("log", "-g", "--format=%H %gd", "--date=unix", "HEAD", fails=False)
    moves = (_MOVE.fullmatch(line) for line in told.splitlines())
    return next((each[1] for each in moves if each and int(each[2]) <= died), "")


@asynccontextmanager
async def followed(crew: Crew, branch: str, *, shared: bool) -> AsyncIterator[None]:
    """
    While an agent is at work, that it is can be seen later; and on a branch that is `shared` with a person,
    what it commits is known to be its own.
    """
    seen = [""]

    sign = _sign(crew.world.settings.data, crew.run)
    os.makedirs(os.path.dirname(sign), exist_ok=True)

    async def look() -> None:
        with suppress(OSError):
            Path(sign).touch()  # noqa: ASYNC240 - one call of the kernel
        if not shared:
            return
        with suppress(OutsideError):
            asked = ("rev-parse", "-q", "--verify", f"{branch or 'HEAD'}^{{commit}}")
            code, out, _ = await run_git(*asked, cwd=crew.request.workspace, seconds=_QUICKLY)
            if not code and out.strip() != seen[0]:
                seen[0] = out.strip()
                tell_at(crew, seen[0])

    async def go_on_looking() -> None:
        while True:
            await look()
            await asyncio.sleep(LOOK)

    looking = asyncio.create_task(go_on_looking())
    try:
        yield
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        await look()


async def made_in(repository: Repository, told: list[Told], head: str) -> str:
    """The commit of the loop's own that was made last, where `head` leads to it; else an empty text."""
    if told and told[-1].made and await _leads(repository, head, told[-1].head):
        return told[-1].head
    return ""


async def _agents(repository: Repository, heads: list[str], base: str, head: str) -> str:
    """The last commit of the agent's own below `head`; empty where there is none."""
    for each in reversed(heads[1:]):
        if await _leads(repository, head, each) and not await _leads(repository, base, each):
            return each
    return ""


async def _in_both(repository: Repository, agents: str, base: str, head: str) -> list[str]:
    """The files in which a person's commits cannot be told from the agent's below them."""
    async with _without(repository, agents, base, head) as index:
        told = (await repository.git("ls-files", "-u", "-z", more=index)).split("\0")
    return sorted({each.partition("\t")[2] for each in told if each})


async def _taken_back(repository: Repository, agents: str, base: str, head: str) -> str:
    """
    The branch with a commit on top that takes back what an agent committed below a person's commits; the
    files lie where they were.
    """
    async with _without(repository, agents, base, head) as index:
        tree = (await repository.git("write-tree", more=index)).strip()
    if tree == await repository.name_of(f"{head}^{{tree}}"):
        return head
    made = (await repository.git("commit-tree", tree, "-p", head, "-m", _MESSAGE)).strip()
    await repository.reindex(made)
    await repository.move(head, made, f"commit: {_MESSAGE}")
    return made


@asynccontextmanager
async def _without(
    repository: Repository, agents: str, base: str, head: str
) -> AsyncIterator[Mapping[str, str]]:
    """An index of what `head` holds, but for what the agent's commits changed of `base`."""
    merged = ("read-tree", "-i", "-m", "--aggressive", agents, head, base)
    async with repository.index_of(head) as index:
        await repository.git(*merged, more=index)
        yield index


async def _leads(repository: Repository, head: str, commit: str) -> bool:
    found = await repository.git("merge-base", commit, head, fails=False)
    return found.strip() == commit


async def _commits(repository: Repository, known: Iterable[str], head: str) -> str:
    """What came in, in words: the first lines of the commits that nobody knew of."""
    without = [f"^{each}" for each in dict.fromkeys(known)]
    listed = ("log", "--format=%h %s", "-z", head, *without, "--")
    found = (await repository.git(*listed, fails=False)).split("\0")
    return few([each for each in found if each]) or head[:12]
