"""
How git behaves in a repository, kept from before any agent was at work.

An agent can write into `.git`, and settings of git can run programs; hooks are programs, which the loop
does not run and the person's next commit would. So they are put back before git is used. What was found
in their place may be a person's: it is kept beside them, and told. What a person set for all their
repositories is left to them, and git is shown a copy of it. Settings can hold secrets, so their copies
lie in the repository's own folder, readable to whom the settings are; the record of a run has only what
they hash to.
"""

import hashlib
import os
import re
import shutil
import stat
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from prowess.check.tree.beside import Lying
from prowess.check.tree.ignoring import rules_at_work, rules_in
from prowess.core.errors import OutsideError
from prowess.core.files import take_away
from prowess.core.ports import Json
from prowess.loop.behind.lay import read_lay
from prowess.loop.git.everywhere import ATTRIBUTES, CONFIG, EXCLUDES, own_settings
from prowess.loop.git.running import LONGEST, run_git

_CONFIG = "config"
_SETTINGS = (
    _CONFIG,
    "config.worktree",
    "commondir",  # names another place for all of these
    os.path.join("info", "attributes"),
    os.path.join("info", "exclude"),
    os.path.join("info", "sparse-checkout"),
    # What a commit has for parents, and where its objects may lie but here.
    "shallow",
    os.path.join("info", "grafts"),
    os.path.join("objects", "info", "alternates"),
    os.path.join("objects", "info", "http-alternates"),
)
_HOOKS = "hooks"
_SHORTEST = (
    60.0  # seconds for one git when the time of the loop is over: what was done is kept still
)
_COPIES = "prowess"  # in the folder of the repository
_OWN = "own"  # in the folder of the copies: those that git is shown
_BESIDE = (
    ".changed-"  # in the name of what was found in the place of something; git runs no such hook
)
# What a person sets for their own pushes and pulls; git does nothing else by it.
_HARMLESS = re.compile(
    r"remote\..+\.(?:url|pushurl|fetch)|branch\..+\.(?:remote|merge|rebase)|user\.(?:name|email)"
)


class _File(NamedTuple):
    """What lies at a path: the target of a link, only the kind of what is neither a link nor a file."""

    content: bytes
    mode: int


Tell = Callable[[Sequence[str]], None]


@dataclass(slots=True, kw_only=True)
class Kept:
    """
    `files` are the settings and hooks by their names in `place`, the folder of the repository; None:
    there is none. `shown` are copies of the person's own settings, none in a loop that an older version
    began. `rules` are those by which git ignored files besides `.gitignore`, and `lay` is how what it does
    not keep lay there, None if an older version did not look. `tell` hears where what was
    found in their place is. `until` is when the loop has to end, 0 where nobody said. Empty until the loop
    has begun.
    """

    place: str = ""
    run: str = ""
    rules: str = ""
    files: dict[str, _File | None] = field(default_factory=dict)
    shown: dict[str, _File] = field(default_factory=dict)
    lay: dict[str, Lying] | None = None
    tell: Tell = lambda beside: None
    until: float = 0.0

    async def begin(self, told: Mapping[str, Any], tell: Tell) -> None:
        """
        Take up what `remember` told, also in another process. After a kill nobody can say who changed
        the settings; what only a person's pushes and pulls go by is left to them.
        """
        self.place, self.run, self.rules = told["place"], told["run"], told["rules"]
        self.tell = tell
        for name, hashed in told["hashes"].items():
            self.files[name] = self._copy(name, hashed)
        for name, hashed in told.get("own", {}).items():
            self.shown[name] = await self._own_copy(name, hashed)
        if "lay" in told:
            self.lay = read_lay(copies_of(told), told["lay"])
        now = _look(os.path.join(self.place, _CONFIG))
        if now != self.files[_CONFIG] and await self._differs_harmlessly():
            self.files[_CONFIG] = now

    def _copy(self, name: str, hashed: str | None) -> _File | None:
        for path in (_copy_of(self.place, self.run, name), os.path.join(self.place, name)):
            found = _look(path)
            if _hash(found) == hashed:
                return found
        raise OutsideError(
            f"git's settings in {os.path.join(self.place, name)} were changed, and the copy of them too",
            hint="look at them; when they are as they should be, begin a new loop",
        )

    async def _own_copy(self, name: str, hashed: str) -> _File:
        found = _look(self._shown_at(name))
        if found is None or _hash(found) != hashed:
            found = _private((await own_settings(self.place))[name])
        if _hash(found) != hashed:
            raise OutsideError(
                f"your own settings of git ({name}) were changed, and the copy of them too",
                hint="look at them; when they are as they should be, begin a new loop",
            )
        return _private(found.content)

    async def _differs_harmlessly(self) -> bool:
        paths = (_copy_of(self.place, self.run, _CONFIG), os.path.join(self.place, _CONFIG))
        one, other = [await _entries(path) for path in paths]
        if one is None or other is None:
            return False
        different = (one - other) + (other - one)
        return all(_HARMLESS.fullmatch(each.partition("\n")[0]) for each in different)

    async def run_git(
        self, *words: str, cwd: str, more: Mapping[str, str] = {}
    ) -> tuple[int, str, str]:
        """What git says, as it behaved before any agent was at work."""
        self.put_back()
        left = self.until - time.time() if self.until else LONGEST
        seconds = min(LONGEST, max(_SHORTEST, left))
        if not self.shown:
            return await run_git(*words, cwd=cwd, more=more, seconds=seconds)
        named = (
            "-c", f"core.excludesFile={self._shown_at(EXCLUDES)}",
            "-c", f"core.attributesFile={self._shown_at(ATTRIBUTES)}",
        )  # fmt: skip
        mine = {"GIT_CONFIG_GLOBAL": self._shown_at(CONFIG)}
        return await run_git(*named, *words, cwd=cwd, more={**mine, **more}, seconds=seconds)

    def _shown_at(self, name: str) -> str:
        return _copy_of(self.place, self.run, os.path.join(_OWN, name))

    def put_back(self) -> None:
        """Settings that are not as they were are moved beside their place, and made as they were."""
        if self.place and not os.path.isdir(self.place):
            raise OutsideError(
                f"the repository itself is gone: there is no {self.place}",
                hint="put it back from a clone or a backup; the work tree is left as it is",
            )
        beside = []
        for name, kept in self.files.items():
            path = os.path.join(self.place, name)
            if (now := _look(path)) == kept:
                continue
            if now is not None:
                beside.append(self._move_beside(path))
            if kept is not None:
                _write(path, kept)
        beside += [self._move_beside(os.path.join(self.place, name)) for name in self._new_hooks()]
        for name, copy in self.shown.items():
            if _look(path := self._shown_at(name)) != copy:
                take_away(path)
                _write(path, copy)
        if beside:
            self.tell(beside)

    def _new_hooks(self) -> list[str]:
        if _HOOKS not in self.files:  # the loop has not begun, or began before hooks were looked at
            return []
        return [name for name in _hooks(self.place) if name not in self.files]

    def _move_beside(self, path: str) -> str:
        number, beside = 1, f"{path}{_BESIDE}{self.run}"
        while os.path.lexists(beside):
            number += 1
            beside = f"{path}{_BESIDE}{self.run}-{number}"
        os.rename(path, beside)
        return beside

    def forget(self) -> None:
        """The loop is over, and needs no copies."""
        if self.place:
            shutil.rmtree(_copies(self.place, self.run), ignore_errors=True)
            with suppress(OSError):
                os.rmdir(os.path.join(self.place, _COPIES))


async def remember(folder: str, run: str) -> Json:
    """Copy the settings of this repository before any agent is at work; where they are, and their hashes."""
    place = _git_folder(folder)
    rules = f"{rules_at_work(folder)}\n{rules_in(os.path.join(place, 'info', 'exclude'))}"
    shutil.rmtree(_copies(place, run), ignore_errors=True)
    os.makedirs(_copies(place, run), mode=0o700)
    hashes = {}
    for name in (*_SETTINGS, _HOOKS, *_hooks(place)):
        found = _look(os.path.join(place, name))
        hashes[name] = _hash(found)
        if found is not None:
            _write(_copy_of(place, run, name), found)
    own = {name: _private(content) for name, content in (await own_settings(folder)).items()}
    for name, copy in own.items():
        _write(_copy_of(place, run, os.path.join(_OWN, name)), copy)
    hashed = {name: _hash(copy) for name, copy in own.items()}
    return {"place": place, "run": run, "rules": rules, "hashes": hashes, "own": hashed}


def copies_of(told: Mapping[str, Any]) -> str:
    """The folder of the copies that `remember` told of."""
    return _copies(told["place"], told["run"])


def _copies(place: str, run: str) -> str:
    return os.path.join(place, _COPIES, run)


def _copy_of(place: str, run: str, name: str) -> str:
    return os.path.join(_copies(place, run), name)


def _hooks(place: str) -> list[str]:
    """
    What lies in the folder of the hooks, those included that hooks may call. A link in its place is all
    there is: it leads to files of the person's, which are kept or committed as any other.
    """
    top = os.path.join(place, _HOOKS)
    if os.path.islink(top):
        return []
    found = []
    for at, folders, names in os.walk(top):
        links = [name for name in folders if os.path.islink(os.path.join(at, name))]
        found += [os.path.relpath(os.path.join(at, name), place) for name in (*names, *links)]
    return sorted(name for name in found if _BESIDE not in name and name.isprintable())


def _hash(file: _File | None) -> str | None:
    return None if file is None else hashlib.sha256(file.content).hexdigest()


def _private(content: bytes) -> _File:
    return _File(content, stat.S_IFREG | 0o600)


def _look(path: str) -> _File | None:
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        if stat.S_ISLNK(mode):
            return _File(os.fsencode(os.readlink(path)), mode)
        if not stat.S_ISREG(mode):
            return _File(b"", stat.S_IFMT(mode))
        with open(path, "rb") as file:
            return _File(file.read(), mode)
    except PermissionError:
        return _File(b"", mode)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _write(path: str, file: _File) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if stat.S_ISLNK(file.mode):
        os.symlink(file.content, os.fsencode(path))
        return
    if stat.S_ISDIR(file.mode):
        os.mkdir(path)
        return
    made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(made, "wb") as out:
        out.write(file.content)
        os.fchmod(out.fileno(), stat.S_IMODE(file.mode))


async def _entries(path: str) -> "Counter[str] | None":
    """The settings in a file, each as its name and its value; None where it cannot be read."""
    listed = ("config", "--file", path, "--no-includes", "--list", "-z")
    code, out, _ = await run_git(*listed, cwd=os.path.dirname(path))
    return None if code else Counter(each for each in out.split("\0") if each)


def _git_folder(folder: str) -> str:
    """The folder of the repository, also where the work tree is a linked one."""
    place = os.path.join(folder, ".git")
    if os.path.isfile(place):
        with open(place, encoding="utf-8") as file:
            place = os.path.join(folder, file.read().removeprefix("gitdir:").strip())
        common = os.path.join(place, "commondir")
        if os.path.isfile(common):
            with open(common, encoding="utf-8") as file:
                place = os.path.join(place, file.read().strip())
    return os.path.realpath(place)
