"""
What judged the work before it was done: the tests and settings of the base, to be put back for a second
look.

However a test was switched off, in whatever language, the test of the base is as it was. So commands
that pass on the work have to pass once more where these are put back and new ones are left out. What the
task itself asks to change stays as it is now.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from prowess.check.judges.deciding import decides, touched
from prowess.check.judges.growing import with_what_is_new
from prowess.check.judges.hiding import hiding, may_hide
from prowess.check.kept.conftest import is_conftest, only_adds
from prowess.check.kept.kept_tests import is_rust_test_file
from prowess.check.kept.known_tests import is_test
from prowess.check.kept.meant import asks_for, asks_for_tests, kept_files
from prowess.check.kept.rust import rust_tests
from prowess.check.kept.rust_before import renamed_from, rust_instead
from prowess.check.scope import scope
from prowess.core.evidence import Change, Scope, Spec

AS_BEFORE = "with the tests and settings as they were before"  # how such a doubt begins
_TEST_FOLDER = re.compile(
    r"(?:^|/)(?:tests?|__tests__|e2e|cypress|testdata|(?:__)?snapshots(?:__)?|goldens?)/"
    r"|\.(?:snap|golden)$"
    r"|(?:(?:^|/)(?:expected|golden)(?:[_-](?:out(?:put)?s?|results?|values?|stdout|stderr))?"
    r"|[._-](?:expected|golden|approved|baseline))"
    r"(?:\.(?:txt|out|stdout|stderr|log|json|csv|tsv|ya?ml|xml|svg|png))?$"
)


def may_judge(changes: Sequence[Change]) -> list[str]:
    """The changed files that may have judged the work, by their names."""
    paths = dict.fromkeys(each.path for each in changes if not each.submodule)
    return [path for path in paths if may_hold_tests(path) or _may_hold_settings(path)]


def _may_hold_settings(path: str) -> bool:
    """Whether a file is or may hold settings or plugins of what runs tests."""
    return (
        decides(path) or may_hide(path) or path.endswith((".py", ".json", ".toml", ".cfg", ".ini"))
    )


def put_back(
    before: Mapping[str, bytes],
    now: Mapping[str, bytes],
    *,
    specs: Sequence[Spec],
    scripts: Collection[str] = (),
    loaded: Collection[str] = (),
    files: Collection[str] = (),
    named: Mapping[str, bytes] = {},
) -> dict[str, bytes | None]:
    """
    The content of files that judge, as it was; None for those that were not there. `specs` are the tasks
    whose words allow some to be changed, `scripts` what validation commands run, `loaded` what those
    would load instead of Python's own, `files` all of the work, `named` changed ones of it that the tasks
    name and that are none of `now`.
    """
    modules = {_module(path) for path in files if not may_hold_tests(path)}
    changed = [
        path
        for path in dict.fromkeys((*before, *now))
        if before.get(path) != now.get(path) and not any(allows(spec, path) for spec in specs)
    ]
    code = [
        path
        for path in changed
        if path.endswith(".rs") and not _is_of_tests(path, before.get(path)) and path not in scripts
    ]
    instead = _of_rust(before, now, code)
    asked = [*named.values(), *(now[path] for path in now if path not in changed)]
    hidden = hiding(before, now, files=files, asked=asked)
    for path in changed:
        old = before.get(path)
        if _only_adds(path, old, now.get(path)) and path not in loaded:
            continue
        if path not in code and (
            (path in scripts and old is not None)
            or _judges(path, old, now.get(path))
            or _covers(path, old, modules)
            or path in hidden
            or path in loaded
        ):
            instead[path] = old and with_what_is_new(path, old, now.get(path, b""))
    return instead


def without_work(
    then: Mapping[str, bytes | None], now: Mapping[str, bytes]
) -> dict[str, bytes | None] | None:
    """
    The changed code as it was before the work, for the tests to be run that lie there `now`. Those of Rust
    stand in the same files; None where such a file is new, as they go with it.
    """
    code = {path: content for path, content in then.items() if not may_hold_tests(path)}
    for path, content in then.items():
        if path.endswith(".rs") and not is_rust_test_file(path):
            new = _text(now.get(path, b""))
            if content is None and next(rust_tests(new), None):
                return None
            text = rust_instead(path, new, _text(content)) if content else None
            code[path] = content if text is None else text.encode()
    return code


def _only_adds(path: str, old: bytes | None, new: bytes | None) -> bool:
    """Whether it has fixtures that only new tests ask for, which may stay as they are now."""
    there = is_conftest(path) and new is not None
    return there and only_adds(_text(old or b""), _text(new or b""))


def _of_rust(
    before: Mapping[str, bytes], now: Mapping[str, bytes], paths: Sequence[str]
) -> dict[str, bytes | None]:
    """Only the tests among the code are put back, also where its file has another name now."""
    old = {path: _text(before[path]) for path in paths if path in before}
    gone = {path: text for path, text in old.items() if path not in now and any(rust_tests(text))}
    instead: dict[str, bytes | None] = {path: before[path] for path in gone}
    for path in paths:
        if path not in now:
            continue
        new = _text(now[path])
        source = "" if path in old else renamed_from(new, gone)
        instead.pop(source, None)
        then = old.get(path, gone.get(source, ""))
        text = rust_instead(path, then, new, renamed=bool(source))
        if text is not None:
            instead[path] = text.encode()
    return instead


def _covers(path: str, old: bytes | None, modules: Collection[str]) -> bool:
    """Whether a new module beside tests is called like one of the work, and may be loaded in its place."""
    return old is None and may_hold_tests(path) and _module(path) in modules


def _module(path: str) -> str:
    """What a file is loaded as: its own name, or that of its folder."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in ("__init__", "index", "mod") else stem


def _judges(path: str, old: bytes | None, new: bytes | None) -> bool:
    if _is_of_tests(path, old) or decides(path):
        return True
    texts = {path: _text(old)} if old is not None else {}
    nobody = Spec(id="", title="")
    return bool(touched(texts, {path: _text(new or b"")}, spec=nobody, found=Scope()))


def allows(spec: Spec, path: str) -> bool:
    """Whether a task names the file as one to be changed; tests also by a wildcard."""
    if path in {each.strip().removeprefix("./") for each in spec.files} or asks_for(spec, path):
        return True
    if decides(path) or not may_hold_tests(path):
        return False
    if asks_for_tests(spec):
        return True
    found = scope(spec.files, [Change(path=path)])
    covered = found.verdict == "PASS"
    return covered and path not in kept_files(spec, found)


def _is_of_tests(path: str, old: bytes | None) -> bool:
    """Whether all of a file is for tests; what a new `build.rs` does, it may do to them."""
    if old is not None and _TEST_FOLDER.search(path):
        return True
    if path.endswith(".rs"):
        return is_rust_test_file(path) or (old is None and path.rpartition("/")[2] == "build.rs")
    return is_test(path)


def may_hold_tests(path: str) -> bool:
    return is_test(path) or bool(_TEST_FOLDER.search(path))


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
