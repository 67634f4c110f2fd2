"""
What judged the work before it was done: the tests and settings of the base, to be put back for a second
look.

However a test was switched off, in whatever language, the test of the base is as it was. So commands
that pass on the work have to pass once more where these are put back and new ones are left out. What the
task itself asks to change stays as it is now.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from prowess.check.judges import decides, touched
from prowess.check.known_tests import is_test
from prowess.check.meant import asks_for, kept_files
from prowess.check.rust_before import with_tests_of
from prowess.check.scope import scope
from prowess.core.evidence import Change, Scope, Spec

AS_BEFORE = "with the tests and settings as they were before"  # how such a doubt begins
_TEST_FOLDER = re.compile(
    r"(?:^|/)(?:tests?|__tests__|e2e|cypress|testdata|(?:__)?snapshots(?:__)?|goldens?)/"
    r"|\.(?:snap|golden)$"
)


def may_judge(changes: Sequence[Change]) -> list[str]:
    """The changed files that may have judged the work, by their names."""
    paths = dict.fromkeys(each.path for each in changes if not each.submodule)
    return [path for path in paths if _is_of_tests(path) or touched_by_name(path)]


def touched_by_name(path: str) -> bool:
    """Whether a file is or may hold settings or plugins of what runs tests."""
    return decides(path) or path.endswith((".py", ".json", ".toml", ".cfg", ".ini"))


def put_back(
    before: Mapping[str, bytes],
    now: Mapping[str, bytes],
    *,
    specs: Sequence[Spec],
    scripts: Sequence[str] = (),
    files: Collection[str] = (),
) -> dict[str, bytes | None]:
    """
    The content of files that judge, as it was; None for those that were not there. `specs` are the tasks
    whose words allow some to be changed, `scripts` what validation commands run, `files` all of the work.
    """
    modules = {_module(path) for path in files if not _is_of_tests(path)}
    instead: dict[str, bytes | None] = {}
    for path in dict.fromkeys((*before, *now)):
        old, new = before.get(path), now.get(path)
        if old == new or any(_allows(spec, path) for spec in specs):
            continue
        if path.endswith(".rs") and old is not None and new is not None:
            instead |= _of_rust(path, old, new)
        elif (
            (path in scripts and old is not None)
            or _judges(path, old, new)
            or _covers(path, old, modules)
        ):
            instead[path] = old
    return instead


def _of_rust(path: str, old: bytes, new: bytes) -> dict[str, bytes | None]:
    """Its tests stand among the code, so only they are put back."""
    text = with_tests_of(path, _text(old), _text(new))
    return {} if text is None else {path: text.encode()}


def _covers(path: str, old: bytes | None, modules: Collection[str]) -> bool:
    """Whether a new module beside tests is called like one of the work, and may be loaded in its place."""
    return old is None and _is_of_tests(path) and _module(path) in modules


def _module(path: str) -> str:
    """What a file is loaded as: its own name, or that of its folder."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in ("__init__", "index", "mod") else stem


def _judges(path: str, old: bytes | None, new: bytes | None) -> bool:
    if is_test(path) or (_is_of_tests(path) and old is not None) or decides(path):
        return True
    texts = {path: _text(old)} if old is not None else {}
    nobody = Spec(id="", title="")
    return bool(touched(texts, {path: _text(new or b"")}, spec=nobody, found=Scope()))


def _allows(spec: Spec, path: str) -> bool:
    """Whether a task names the file as one to be changed; of tests also by a wildcard or in words."""
    if path in {each.strip().removeprefix("./") for each in spec.files}:
        return True
    if decides(path) or not _is_of_tests(path):
        return False
    if asks_for(spec, path):
        return True
    found = scope(spec.files, [Change(path=path)])
    covered = found.verdict == "PASS"
    return covered and path not in kept_files(spec, found)


def _is_of_tests(path: str) -> bool:
    return is_test(path) or bool(_TEST_FOLDER.search(path))


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
