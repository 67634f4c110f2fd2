"""
What was done for a task, as git sees it: the changes, what of them judges the work, and what judged it
before. All of it is read before any command runs.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import filterfalse

from prowess.check.judges.as_before import allows, may_judge, put_back
from prowess.check.judges.deciding import (
    decides,
    judging_scripts,
    named_by,
    new_files,
    to_read,
    touched,
)
from prowess.check.judges.hiding import may_hide
from prowess.check.judges.scripts import judges_of
from prowess.check.judges.shadowing import shadows_of
from prowess.check.judges.touched import Touched
from prowess.check.kept.conftest import is_conftest, new_fixtures, only_for_its_own
from prowess.check.kept.known_tests import is_test
from prowess.check.kept.weakened import allowed
from prowess.check.scope import scope
from prowess.check.tree.beside import Lying
from prowess.check.tree.changes import Tree, git_folder, open_tree
from prowess.check.tree.ignoring import personal_rules
from prowess.core.errors import OutsideError
from prowess.core.evidence import Change, Claim, Ignored, Scope, Spec
from prowess.core.ports import Sandbox
from prowess.engine.grounds import Told

_UNREAD = "\0"  # no text that any format could be read from


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """
    One task to be checked. `base` is the commit the work began at, None for the usual one. `own`
    are paths that the caller itself writes (the plan, the artifacts); a folder ends in a slash. `theirs`
    are those that a person had git ignore, which are no work whatever git says of them now. `others` are
    commands that prove other tasks of the same plan.
    `may_be_so`: where nothing was changed, the task may have been done before, by another one.
    `stood` is how files stood before the work began that differed from the base by then; `rules` are
    those by which git ignored files besides `.gitignore`, None for the person's own as they are now.
    `home` is the tree beside whose work programs are installed, and `lay` how all lay there before
    anybody worked, None where nobody knows. `judges_of` is the commit whose tests and settings judge, the
    base if none; `earlier` are tasks done since then, which may have been meant to change some.
    `told` is what commands told of tests at other times, `tree` what git calls the one that is checked.
    `restricts_only`: nobody knows whether a person wrote the task, so that it allows none to be changed.
    """

    spec: Spec
    workspace: str
    base: str | None = None
    validation: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    own: tuple[str, ...] = ()
    theirs: frozenset[str] = frozenset()
    others: tuple[str, ...] = ()
    may_be_so: bool = False
    stood: Mapping[str, str] = field(default_factory=dict)
    rules: str | None = None
    home: str = ""
    lay: Mapping[str, Lying] | None = None
    judges_of: str = ""
    earlier: tuple[Spec, ...] = ()
    told: Told = field(default_factory=dict)
    tree: str = ""
    restricts_only: bool = False

    @property
    def allowing(self) -> Spec:
        """The task by whose words and `files:` some of what judges may be changed."""
        return Spec(id=self.spec.id, title="") if self.restricts_only else self.spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """
    What was done, as git sees it; `base` is empty where git sees nothing. `before` is what changed files
    said at the base, `instead` what judged the work before it was done. `heedless`: the task names a file
    that decides which tests are found. `allowed` is what became of tests because the task lets it.
    """

    tree: Tree
    scope: Scope
    base: str = ""
    before: Mapping[str, str] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    touched: tuple[Touched, ...] = ()
    files: frozenset[str] = frozenset()
    instead: Mapping[str, bytes | None] = field(default_factory=dict)
    heedless: bool = False
    allowed: tuple[str, ...] = ()

    @property
    def untouched(self) -> bool:
        return bool(self.base) and not self.changes

    def defining(self, test: str) -> list[str]:
        """Every file of the work that defines a test of this name, or did at the base."""
        wanted = f"def {test}("
        return [
            path
            for path in sorted(self.files)
            if path.endswith(".py")
            and is_test(path)
            and (wanted in _text(self.tree, path) or wanted in self.before.get(path, ""))
        ]


async def find_work(asked: Asked, sandbox: Sandbox) -> Work:
    """What was done of the task, read before anything runs."""
    rules = personal_rules() if asked.rules is None else asked.rules
    tree = open_tree(asked.workspace, sandbox, rules=rules, stood=asked.stood)
    try:
        base = await tree.base(asked.base)
        changes, files = await tree.read(base)
    except OutsideError as error:
        # Without `files:` nothing is restricted, and a folder without git can still be checked.
        needed = asked.spec.files or asked.base or git_folder(tree.folder)
        failure = str(error) if needed else ""
        return Work(tree=tree, scope=Scope(failure=failure))
    changes = _done(changes, asked)
    scoped = scope(asked.spec.files or ("**",), changes)
    before, touched_then, altered = await _touched(
        tree, base, changes, asked.allowing, scoped, there=files - new_files(changes)
    )
    seen = _Seen(changes=changes, files=files, before=before, tree=tree)
    instead, unknown = await _instead(seen, base, asked)
    return Work(
        tree=tree,
        base=base,
        before=before,
        changes=tuple(changes),
        touched=(
            *touched_then,
            *unknown,
            *(
                Touched(what=f"{path} has a fixture that is called like another", path=path)
                for path in seen.overriding()
            ),
            *judging_scripts(
                asked.validation, changes, _named([asked.allowing], changes), files, seen.read
            ),
        ),
        files=frozenset(filterfalse(_among(asked.theirs), files)),
        scope=scoped,
        instead=instead,
        allowed=tuple(altered),
        heedless=any(map(_finds_tests, _named([asked.allowing], changes))),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What git told of the work; `before` are texts of changed files at the base."""

    changes: Sequence[Change]
    files: frozenset[str]
    before: Mapping[str, str]
    tree: Tree

    def overriding(self) -> set[str]:
        """The changed `conftest.py` with a new fixture that is called like one of another."""
        changed = {each.path for each in self.changes if is_conftest(each.path)}
        return {path for path in changed if self._takes_names(path)}

    def _takes_names(self, path: str) -> bool:
        new = new_fixtures(self.before.get(path, ""), _text(self.tree, path))
        if not new:
            return new is None
        names = re.compile(rf"\b(?:{'|'.join(map(re.escape, new))})\b")
        others = (each for each in self.files if is_conftest(each) and each != path)
        return any(names.search(self.read(each)) for each in others)

    def read(self, path: str) -> str:
        """What a file said where the work began, as far as it is known; else what it says."""
        return self.before.get(path) or _text(self.tree, path)


async def _instead(
    seen: _Seen, base: str, asked: Asked
) -> tuple[dict[str, bytes | None], list[Touched]]:
    """
    What judged before, where the work or an earlier task has something else in its place; and why
    that cannot be told.
    """
    try:
        return await _judges_before(seen, base, asked), []
    except OutsideError as error:
        return {}, [Touched(what=str(error))]


async def _judges_before(seen: _Seen, base: str, asked: Asked) -> dict[str, bytes | None]:
    tree, since = seen.tree, asked.judges_of or base
    if since != base:
        found, _ = await tree.read(since)
        seen = replace(seen, changes=_done(found, asked))
    scripts, loaded = _run_by(asked.validation, seen)
    specs = (asked.allowing, *asked.earlier)
    named = _named(specs, seen.changes)
    judging = dict.fromkeys((*may_judge(seen.changes), *scripts, *loaded))
    allowed = {path for path in judging if any(allows(spec, path) for spec in specs)} | named
    paths = [path for path in judging if path not in allowed]
    before = await tree.contents_at(since, paths)
    now = _contents(tree, (*paths, *before))
    return put_back(
        before,
        now,
        specs=specs,
        scripts=scripts,
        loaded=loaded,
        files=seen.files,
        named=_contents(tree, judging.keys() & allowed),
    )


def _contents(tree: Tree, paths: Iterable[str]) -> dict[str, bytes]:
    """What those hold that are there."""
    read = ((path, tree.content(path)) for path in dict.fromkeys(paths))
    return {path: content for path, content in read if content is not None}


def _named(specs: Sequence[Spec], changes: Sequence[Change]) -> set[str]:
    """The changed files that one of these tasks names as its own."""
    paths = {each.path for each in changes}
    there = paths - new_files(changes)
    return {path for spec in specs for path in named_by(spec, paths, there=there)}


def _finds_tests(path: str) -> bool:
    """Whether it decides which tests are found: settings, plugins, what makes a folder a package."""
    return decides(path) or may_hide(path) or path.endswith("__init__.py")


def _run_by(commands: Sequence[str], seen: _Seen) -> tuple[set[str], set[str]]:
    """Of the changed files those by which these commands judge, and what they load instead of Python's own."""
    paths, new = {each.path for each in seen.changes}, new_files(seen.changes)
    judges = (judges_of(command, paths, seen.files, seen.read) for command in commands)
    loaded = {path for command in commands for path in shadows_of(command, new, seen.files)}
    return {path for found in judges for path in found}, loaded | seen.overriding()


async def _touched(
    tree: Tree,
    base: str,
    changes: Sequence[Change],
    spec: Spec,
    scoped: Scope,
    *,
    there: Collection[str],
) -> tuple[dict[str, str], list[Touched], list[str]]:
    """What the changed files said at the base, what of it judges the work, and what was allowed."""
    paths = to_read(changes)
    try:
        before = await tree.texts_at(base, paths)
    except OutsideError as error:
        return {}, [Touched(what=str(error))], []
    now = _texts_now(tree, paths)
    found = touched(before, now, spec=spec, found=scoped)
    alone = {
        path for path in now if path not in before and _is_for_new_tests(path, now[path], there)
    }
    found = [each for each in found if each.path not in alone]
    return before, found, allowed(before, now, found)


def _is_for_new_tests(path: str, text: str, there: Collection[str]) -> bool:
    """Whether it is a `conftest.py` in a folder that holds no test that was `there`."""
    folder = path.rpartition("/")[0]
    if not (is_conftest(path) and folder and only_for_its_own(text)):
        return False
    return not any(each.startswith(f"{folder}/") and is_test(each) for each in there)


def _texts_now(tree: Tree, paths: Sequence[str]) -> dict[str, str]:
    """What those say that are there, also where that cannot be read."""
    there = [path for path in paths if os.path.lexists(os.path.join(tree.folder, path))]
    return {path: _text(tree, path, unread=_UNREAD) for path in there}


def _done(changes: Sequence[Change], asked: Asked) -> list[Change]:
    """Changes that are somebody's work."""
    is_other = _among((*asked.own, *asked.theirs))
    return [each for each in changes if not is_other(each.path)]


def _among(paths: Collection[str]) -> Callable[[str], bool]:
    """Whether a path is one of these, or in a folder of them."""
    names = frozenset(paths)
    folders = tuple(path for path in paths if path.endswith("/"))
    return lambda path: path in names or path.startswith(folders)


def _text(tree: Tree, path: str, *, unread: str = "") -> str:
    """What a file of the work says; `unread` where it is gone or cannot be read as one."""
    content = tree.content(path)
    return unread if content is None else content.decode(errors="replace")
