"""
The same tasks done in two ways, each run in a clone of its own, and what came of it checked by code.

Everything a figure needs is a fact in the log, so that the table can be made again from there.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any

from prowess.check.claims import said_claims
from prowess.check.compare.comparison import Trial, judged, trial
from prowess.check.layered import LAYERS
from prowess.check.templates import template, told
from prowess.check.tree.changes import git_folder, open_tree
from prowess.core.errors import OutsideError, UnknownRunError, UsageError
from prowess.core.event import Event
from prowess.core.evidence import Spec
from prowess.core.files import make_private
from prowess.core.ports import Log, Record
from prowess.core.process import Order
from prowess.core.scratch import scratch
from prowess.discover.catalog import Catalog
from prowess.engine.checking import checker_of, root_of
from prowess.engine.finding import discover, load
from prowess.engine.house import House, new_run
from prowess.engine.occasion import Occasion, open_occasions
from prowess.engine.proposing import guidance, layered_in
from prowess.engine.request import RunRequest
from prowess.engine.work import Asked
from prowess.engine.world import OpenModel
from prowess.settings import Settings

STARTED, CHECKED = "compare.started", "compare.checked"
_CLONE = """
git -c core.hooksPath=/dev/null clone -q --no-hardlinks -- "$1" "$2" || exit
git -C "$2" rev-parse -q --verify HEAD
"""
# A variable reaches the second git that a clone starts; an option of the first one does not.
_SAFE = {
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Versus:
    """
    What is compared: a skill by its name, or, without one, layered guidance against the plain one.
    `proposing`: runs only propose evidence for work that is there, and do not do it.
    """

    skill: str | None = None

    @property
    def proposing(self) -> bool:
        return self.skill is None

    @property
    def ways(self) -> tuple[str, str]:
        return ("plain", "layered") if self.skill is None else ("without", "with")

    def run_of(self, way: str) -> str:
        """What the runs of one way are called, wherever runs are listed."""
        return f"{way}-guidance" if self.skill is None else f"{way}-{_plain(self.skill)}"

    @property
    def title(self) -> str:
        return "Layered against plain" if self.skill is None else f"With and without {self.skill}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A comparison as the log has it; `runs` of each task in each way were to be made."""

    id: str
    versus: Versus
    tasks: tuple[str, ...]
    trials: tuple[Trial, ...]
    runs: int = 1

    @property
    def planned(self) -> int:
        """How many runs there are when it is finished."""
        return len(self.tasks) * self.runs * len(self.versus.ways)

    @property
    def unfinished(self) -> str:
        """How far one came that was ended before its end; empty where it is whole."""
        made = len(self.trials)
        return f"unfinished: {made} of {self.planned} runs" if made < self.planned else ""


async def compare(
    tasks: Sequence[Spec],
    versus: Versus,
    settings: Settings,
    *,
    model: str | None = None,
    runs: int = 1,
    open_model: OpenModel | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Compared:
    """
    Run every task in both ways, `runs` times each, and check what each run leaves. The first thing that
    it tells is the comparison's id, by which it is found also when it is killed.
    """
    if (model or settings.model_default) == "demo":
        raise UsageError(
            "the demo model plays a script and reads no skill, so it cannot show what a skill is worth",
            hint="name a real model: --model sonnet with ANTHROPIC_API_KEY set, openai:NAME, google:NAME,"
            " or ollama:NAME for one on this machine",
        )
    key = new_run()
    root = root_of(settings.project)
    bodies = _bodies(settings, versus)
    occasions = [Occasion(name=versus.run_of(way), body=body) for way, body in bodies.items()]
    async with open_occasions(settings, occasions, key=key, open_model=open_model) as house:
        await _must_have_commit(house, root)
        for way in versus.ways:
            house.check(RunRequest(skill=versus.run_of(way), model=model))
        house.log.append(_started(key, versus, tasks, model=model, runs=runs))
        tell(f"comparison {key}")
        with _place(settings) as place:
            for spec, number, way in product(tasks, range(1, runs + 1), versus.ways):
                folder = os.path.join(place, _plain(f"{spec.id}-{way}-{number}"))
                clone = await _clone(house, root, folder)
                checked = await _tried(house, spec, way, clone, model, versus=versus)
                shutil.rmtree(clone.folder, ignore_errors=True)  # the log has what counts
                checked["number"] = number
                house.log.append(_checked(key, checked))
                tell(f"{spec.id}, {way}: {'success' if checked['success'] else 'no success'}")
        return compared_in(house.log, key)


def compared_in(log: Log, key: str) -> Compared:
    """A comparison read back from the log; `UnknownRunError` when there is none of this id."""
    facts = [each.event for each in log.run(key)]
    started = next((each.payload for each in facts if each.kind == STARTED), None)
    if started is None:
        raise UnknownRunError(f"no comparison {key!r}", hint="`prowess compare` tells its id")
    trials = [
        trial(each.payload, [recorded.event for recorded in log.run(each.payload["run"])])
        for each in facts
        if each.kind == CHECKED
    ]
    return Compared(
        id=key,
        versus=Versus(skill=started["skill"]),
        tasks=tuple(started["tasks"]),
        trials=tuple(trials),
        runs=started.get("runs", 1),
    )


def _bodies(settings: Settings, versus: Versus) -> Mapping[str, str]:
    """The instructions of each way; they differ in what is compared and in nothing else."""
    record: Record = _unheard
    catalog = discover(settings, record=record)
    plain, other = versus.ways
    if versus.skill is None:
        return {
            plain: template("propose.md"),
            other: _layered(catalog, settings, record=record),
        }
    skill = load([catalog.get(versus.skill)], settings, record=record)
    work = template("work.md")
    return {plain: work, other: f"{work}\n\n{skill}"}


def _layered(catalog: Catalog, settings: Settings, *, record: Record) -> str:
    mode = layered_in(catalog, True)  # noqa: FBT003  the setting, as whoever asks for this has it
    if not mode.on:
        raise UsageError(
            f"layered skills cannot be used: {mode.reason}", hint=f"install {' and '.join(LAYERS)}"
        )
    return guidance(catalog, settings, mode, record=record)


def _unheard(event: Event) -> None:
    """What is found and cut here is told by the runs themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clone:
    """The project as it was last committed, in a folder that nobody else works in."""

    folder: str
    base: str


async def _must_have_commit(house: House, root: str) -> None:
    if git_folder(root) is None:
        raise UsageError(
            f"{root} is not a git repository",
            hint="`git init` and commit what is there; each run works in a clone of it",
        )
    try:
        await open_tree(root, house.world.sandbox).base("HEAD")
    except UsageError:
        raise UsageError(
            "the repository has no commit yet", hint="commit what is there, then compare"
        ) from None


async def _clone(house: House, root: str, folder: str) -> _Clone:
    parent = os.path.dirname(folder)
    make_private(parent)
    order = Order(
        argv=("bash", "-c", _CLONE, "clone", root, folder),
        cwd=parent,
        environment=_SAFE,
        writable=(parent,),
        readable=(root, *open_tree(root, house.world.sandbox).records),
        limits=house.world.limits,
    )
    done = await house.world.sandbox.run(order)
    if done.code:
        said = done.err.decode(errors="replace").strip().splitlines()
        raise OutsideError(
            f"{root} cannot be cloned: {said[-1] if said else done.code}",
            hint="see that git can read it, and that the data folder has room",
        )
    return _Clone(folder=folder, base=done.out.decode().strip())


@contextmanager
def _place(settings: Settings) -> Iterator[str]:
    """A folder for clones, gone afterwards; those that a killed comparison left are gone before."""
    within = os.path.join(os.path.realpath(settings.data), "compare")
    make_private(within)
    with scratch("compare", within=within) as place:
        yield place


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in name)


async def _tried(
    house: House, spec: Spec, way: str, clone: _Clone, model: str | None, *, versus: Versus
) -> dict[str, Any]:
    request = RunRequest(
        skill=versus.run_of(way), arguments=told(spec), workspace=clone.folder, model=model
    )
    run = await house.start(request)
    outcome = await house.outcome(run)
    claims, ignored = said_claims(outcome.answer)
    asked = Asked(
        spec=spec,
        workspace=clone.folder,
        base=clone.base,
        claims=tuple(claims),
        ignored=tuple(ignored),
    )
    report = await checker_of(house.world).check(asked)
    told_of = judged(report, proposing=versus.proposing)
    return {"task": spec.id, "way": way, "run": run, "ending": outcome.ending, **told_of}


def _started(
    key: str, versus: Versus, tasks: Sequence[Spec], *, model: str | None, runs: int
) -> Event:
    payload = {
        "summary": versus.title,
        "visibility": "SUMMARY",
        "skill": versus.skill,
        "ways": list(versus.ways),
        "tasks": [spec.id for spec in tasks],
        "model": model,
        "runs": runs,
    }
    return Event(run=key, kind=STARTED, payload=payload)


def _checked(key: str, facts: Mapping[str, Any]) -> Event:
    summary = f"{facts['task']}, {facts['way']}: {facts['outcome']}"
    return Event(
        run=key, kind=CHECKED, payload={"summary": summary, "visibility": "SUMMARY", **facts}
    )
