"""
The grounds of one check, each made when it is first needed: for what the task itself names, for what a
claim names, and for a second look with the judges of before.
"""

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from prowess.check.evidence import look, was_so
from prowess.check.judges.as_before import AS_BEFORE, without_work
from prowess.check.kept.known_tests import is_test, names_in
from prowess.check.kept.moved_tests import deselects, tells
from prowess.check.kept.silence import names_of, silenced
from prowess.check.probes import FILES, Probe
from prowess.check.running.commands import Ran, Runner
from prowess.check.running.runners import may_run_tests
from prowess.check.running.tests_run import TestRun
from prowess.check.tree.beside import MISSED, Lying, found_beside, missed
from prowess.check.tree.changes import Tree
from prowess.check.tree.ground import Ground, Source, fresh, in_place
from prowess.check.tree.indexing import lay_index
from prowess.core.errors import OutsideError
from prowess.core.files import make_private

# How tests went, by the tree or commit and the command.
Told = MutableMapping[tuple[str, str], TestRun]

# Which nobody misses.
_CACHE = re.compile(
    r"(?:^|/)(?:__pycache__|\.[\w-]*cache|node_modules/\.(?:package-lock\.json|yarn-integrity))(?:/|$)"
)
_DOTTED = re.compile(r"\w+(?:\.\w+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Land:
    """
    What grounds are made of. `files` are those of the work, `own` the caller's, `home` is the folder
    beside whose work installed programs lie and `lay` how they lay, None where nobody knows; `instead` is
    what judged before. `known`: git knows of the work. `room` is where copies are made. `base` is the
    commit that the work began at and `changed` the files that differ from it, `before` what those of them
    said then that may judge; `heedless`: the task is to change what finds or hides tests. `told`
    is what is known of runs at that commit.
    """

    tree: Tree
    files: frozenset[str] = frozenset()
    own: tuple[str, ...] = ()
    home: str = ""
    lay: Mapping[str, Lying] | None = None
    instead: Mapping[str, bytes | None] = field(default_factory=dict)
    known: bool = True
    room: str | None = None
    base: str = ""
    changed: Sequence[str] = ()
    before: Mapping[str, str] = field(default_factory=dict)
    heedless: bool = False
    told: Told = field(default_factory=dict)


@dataclass(kw_only=True)
class Grounds:
    """`make` makes a runner of a ground; `stack` has the grounds gone in the end."""

    land: Land
    stack: ExitStack
    make: Callable[[Ground], Runner]
    _source: Source | None = None
    _own: Runner | None = None
    _claimed: Runner | None = None
    _before: Runner | None = None
    _began: Runner | None = None
    _without: dict[frozenset[str], Runner] = field(default_factory=dict)

    @property
    def ran(self) -> tuple[Ran, ...]:
        """What was run for the work as it is."""
        return tuple(ran for runner in self._runners for ran in runner.ran)

    @property
    def _runners(self) -> list[Runner]:
        return [runner for runner in (self._own, self._claimed) if runner]

    @property
    def hidden(self) -> list[str]:
        """What lies beside the work and commands were not shown."""
        entries = self._source.beside if self._source else ()
        found = [path for entry in entries for path in entry.masks()]
        return [path for path in found if not _CACHE.search(path)]

    @property
    def missed(self) -> str:
        """Why what commands say for the work does not count, or an empty text."""
        if self._source is None or self.land.lay is None:
            return ""
        hidden = {path for runner in self._runners for path in runner.ground.hidden}
        found = missed(self.land.lay, self.land.files, self._source.beside, hidden)
        return f"{MISSED}: {', '.join(found[:3])}; put them back, and begin anew" if found else ""

    def done(self, command: str) -> Ran:
        """What this command did, which was run before."""
        return next(ran for ran in self.ran if ran.command == command)

    async def run(self, command: str) -> Ran:
        """A command that the task itself names."""
        self._own = self._own or await self._runner()
        return await self._own(command)

    async def run_claimed(self, command: str) -> Ran:
        """A command that somebody proposes, where none of the task's own has left anything."""
        if self._own and any(ran.command == command for ran in self._own.ran):
            return await self._own(command)
        self._claimed = self._claimed or await self._runner()
        return await self._claimed(command)

    async def again(self, probe: Probe, *, first: Sequence[str]) -> str:
        """
        Why what a probe saw is not to be seen with the judges of before, or an empty text. `first` are
        commands that are run before it, as they may build what it needs.
        """
        if not self._is_judged(probe.target):
            return ""
        self._before = self._before or await self._runner(self.land.instead)
        for command in first:
            await self._before(command)
        sight = await look(probe, folder=self.land.tree.folder, run=self._before)
        if sight.state == "confirmed" or _says_nothing(self._before.done(probe.target)):
            return ""
        changed = ", ".join(sorted(self.land.instead)[:3])
        return f"{AS_BEFORE} ({changed}) it does not hold: {sight.seen}"

    async def holds_without(
        self, judges: Sequence[str], probe: Probe, *, first: Sequence[str]
    ) -> bool:
        """
        Whether a probe sees the same where these files are as they were, and all else is as it is now: then
        nothing that was done to them made it so. Tests among them have to be heard of.
        """
        paths = frozenset(judges)
        if not paths:
            return True
        if not paths <= self.land.instead.keys():
            return False
        if paths not in self._without:
            was = {path: self.land.instead[path] for path in paths}
            self._without[paths] = await self._runner(was)
        run = self._without[paths]
        for command in first:
            await run(command)
        sight = await look(probe, folder=self.land.tree.folder, run=run)
        if sight.state != "confirmed":
            return False
        return all(self._is_heard(path, run.done(probe.target)) for path in paths if is_test(path))

    def _is_heard(self, path: str, ran: Ran) -> bool:
        """Whether a command that tells of tests told of those that are back in this file."""
        land, now = self.land, ran.tests
        if not now.kind or (content := land.instead[path]) is None:
            return True
        if not now.names:
            only = [each for each in _named(ran.command, land.files) if is_test(each)]
            return not only or path in only
        then = land.told.get((land.base, ran.command))
        told = now.names | now.left_out
        known = then.names if then else None
        names = [
            name
            for name in names_in(path, _text(content))
            if known is None or any(tells(each, path, name) for each in known)
        ]
        return bool(names) and all(any(tells(each, path, name) for each in told) for name in names)

    async def silenced(self, command: str, *, first: Sequence[str]) -> str:
        """Why tests that this command ran where the work began are not heard of now, or an empty text."""
        land = self.land
        if land.heedless or not land.changed or not may_run_tests(command):
            return ""
        then = await self._where_it_began(command, first)
        if then is None:
            return ""
        now = self.done(command)
        if deselects(now.output):  # what could not be loaded may be what it is not to run
            then = replace(then, unloaded=frozenset())
        second = self._done_before(command)
        same = second is None and not land.instead
        if why := silenced(then, now.tests, names_of(self._tests_then), same=same):
            return why
        if second is None or _says_nothing(second):
            return ""
        why = silenced(then, second.tests, self._not_in_second())
        return f"{AS_BEFORE}, {why}" if why else ""

    def _not_in_second(self) -> dict[str, list[str]]:
        """
        The tests of where the work began that a second look has no need to tell of: the task asks to change
        them, or they came since the person's tests that are back there, by a task that was done before.
        """
        land = self.land
        asked = {path: each for path, each in self._tests_then.items() if path not in land.instead}
        found = names_of(asked)
        for path, content in land.instead.items():
            left = set(names_in(path, _text(content)))
            came = [name for name in names_in(path, self._then(path)) if name not in left]
            found |= {path: came} if came else {}
        return found

    @property
    def _tests_then(self) -> dict[str, str]:
        """The changed files of tests, as they were where the work began."""
        return {path: text for path, text in self.land.before.items() if is_test(path)}

    def _then(self, path: str) -> str:
        """What a file said where the work began."""
        land = self.land
        return land.before.get(path, "") if path in land.changed else _text(land.tree.content(path))

    def _done_before(self, command: str) -> Ran | None:
        ran = self._before.ran if self._before else ()
        return next((each for each in ran if each.command == command), None)

    async def show_nothing(self, confirmed: Sequence[Probe]) -> bool:
        """
        Whether all that was seen to be so is so without the work as well: where the work began, and there
        with the tests that it brought.
        """
        if not self.land.changed:
            return False
        try:
            then = await self._contents_then()
            looked = [each for each in confirmed if each.type in FILES]
            if not all(was_so(each, then, self.land.files) for each in looked):
                return False
            commands = [each for each in confirmed if each.type not in FILES]
            if not commands:
                return True
            code = without_work(then, self._now(then))
            return code is not None and (
                await self._hold(commands, code) and await self._hold(commands, then)
            )
        except (
            OutsideError
        ):  # it is too large to be laid out once more, or a command closed its ground
            return False

    async def _hold(self, probes: Sequence[Probe], instead: Mapping[str, bytes | None]) -> bool:
        """Whether all of these see the same where some files say something else."""
        run, folder = await self._runner(instead), self.land.tree.folder
        for probe in probes:
            if (await look(probe, folder=folder, run=run)).state != "confirmed":
                return False
        return True

    def _now(self, paths: Iterable[str]) -> dict[str, bytes]:
        """What those of these files say now that can be read."""
        found = ((path, self.land.tree.content(path)) for path in paths)
        return {path: content for path, content in found if content is not None}

    async def _where_it_began(self, command: str, first: Sequence[str]) -> TestRun | None:
        land = self.land
        if (known := land.told.get((land.base, command))) is not None:
            return known
        try:
            self._began = self._began or await self._runner(await self._contents_then())
            for each in (*first, command):
                land.told[land.base, each] = (await self._began(each)).tests
        except OutsideError:
            return None
        return land.told[land.base, command]

    async def _contents_then(self) -> dict[str, bytes | None]:
        """The changed files as they were where the work began; None for those that were not there."""
        there = await self.land.tree.contents_at(self.land.base, self.land.changed)
        return {path: there.get(path) for path in (*self.land.changed, *there)}

    def _is_judged(self, command: str) -> bool:
        """Whether tests or settings that were there before have a say in it."""
        land = self.land
        came = [path for path, content in land.instead.items() if content is None]
        named = [path for path in _named(command, land.files) if is_test(path)]
        if not land.instead or (named and all(word in came for word in named)):
            return False
        if not any(is_test(path) for path in land.files.difference(came)):
            return any(not is_test(path) for path in land.instead)
        return may_run_tests(command) or any(not is_test(path) for path in land.instead)

    async def _runner(self, instead: Mapping[str, bytes | None] = {}) -> Runner:
        land = self.land
        if not land.known:
            return self.make(in_place(land.tree.folder))
        if self._source is None:
            self._source = await asyncio.to_thread(self._found)
        if land.room:
            make_private(land.room)
        there = {path for path, content in instead.items() if content is not None}
        source = replace(self._source, files=self._source.files | there, instead=instead)
        made = fresh(source, within=land.room, sandbox=land.tree.sandbox)
        ground = await asyncio.to_thread(self.stack.enter_context, made)
        await lay_index(ground, land.tree, land.base)
        return self.make(ground)

    def _found(self) -> Source:
        land = self.land
        home = land.home or land.tree.folder
        elsewhere = home != land.tree.folder
        beside = found_beside(home, land.files, land.own, land.lay, elsewhere=elsewhere)
        return Source(folder=land.tree.folder, files=land.files, home=home, beside=beside)


def _named(command: str, files: Collection[str]) -> set[str]:
    """The files that a command names, a test of a file as that file; unittest also knows modules."""
    words = set(re.split(r"[\s;&|()'\"=]+", command))
    named = {word.removeprefix("./").partition("::")[0] for word in words}
    if re.search(r"-m\s+unittest\b", command):
        named |= {
            path for word in words if _DOTTED.fullmatch(word) for path in _file_of(word, files)
        }
    return named.intersection(files)


def _file_of(module: str, files: Collection[str]) -> list[str]:
    """The file of the module that a dotted name begins with; a folder of the same name comes before it."""
    parts = module.split(".")
    for count in range(len(parts), 0, -1):
        place = "/".join(parts[:count])
        if any(path.startswith(f"{place}/") for path in files):
            return []
        if f"{place}.py" in files:
            return [f"{place}.py"]
    return []


def _says_nothing(ran: Ran) -> bool:
    """
    Whether a run of tests found none that it was to run, or whether all of them passed and the runner was
    not content for another reason, such as that new code has no tests now.
    """
    tests = ran.tests
    if not tests.kind or tests.failed:
        return False
    if tests.passed:
        return tests.code == 1
    none = (4, 5) if tests.kind == "pytest" else (0, 1)
    return not tests.skipped and tests.code in none


def _text(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", "replace")
