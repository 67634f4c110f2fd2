"""Commands run on a copy of what git would keep; what lies about has no say, and what they leave is gone."""

import os
from pathlib import Path
from typing import Any

import pytest

from check.checks import PYTEST, check, claim, held, output, verdicts
from check.repository import Repository
from prowess.check.feedback import feedback
from prowess.check.tree.beside import HIDDEN, MISSED, found_beside, lying_beside
from prowess.check.tree.ground import Source, fresh
from prowess.core.ports import Sandbox
from prowess.sandbox.bubblewrap import Bubblewrap
from prowess.sandbox.probe import Wanted, open_sandbox
from sandbox.commands import without_overlays
from support import write_file

GOOD = "def test_a():\n    assert True\n"
PROGRAM = "#!/bin/sh\necho '1 passed in 0.01s'\n"


@pytest.fixture
def work(repo: Repository) -> Repository:
    """A repository that ignores its programs, secrets and builds, with a change."""
    repo.put(".gitignore", "tools/\nvendor/\nnode_modules/\n.env\nbuilt/\n*.so\n")
    repo.commit("ignores")
    repo.put("lib/b.py", "B = 1\n")
    return repo


def program(path: Path, text: str = PROGRAM) -> Path:
    write_file(path, text).chmod(0o755)
    return path


def lay(repo: Repository) -> dict[str, list[int | str]]:
    """How everything beside the work lies now."""
    kept = frozenset(repo.git("ls-files", "-co", "--exclude-standard").split("\n"))
    return lying_beside(str(repo.folder), kept, ())


def test_a_command_finds_the_work_at_its_own_path_and_leaves_nothing_there(
    work: Repository, sandbox: Sandbox
) -> None:
    here = f'test "$PWD" = {work.folder} && cat lib/b.py && echo x > new && git status --short'

    report = check(work, sandbox, validation=(here, "test -e new"))

    assert report.passed
    assert not (work.folder / "new").exists()


def test_what_one_command_built_the_next_one_finds_but_no_judge_that_it_planted(
    work: Repository, sandbox: Sandbox
) -> None:
    build = "mkdir built && echo x > built/Makefile && echo 'import os' > conftest.py && echo > pytest.py"
    seen = "test -e built/Makefile && test ! -e conftest.py && test ! -e pytest.py"

    assert held(check(work, sandbox, validation=(build, seen)))


def test_a_file_of_the_work_that_a_command_changed_is_as_it_was_for_the_next(
    work: Repository, sandbox: Sandbox
) -> None:
    change = "echo 'B = 2' > lib/b.py && touch -d '2001-01-01' lib/b.py && rm README.md"

    report = check(
        work, sandbox, validation=(change, "grep -q 'B = 1' lib/b.py && test -e README.md")
    )

    assert report.passed
    assert report.notes == (f"`{change}` changed README.md, lib/b.py",)


def test_what_the_tasks_own_commands_leave_is_no_evidence_for_a_claim(
    work: Repository, sandbox: Sandbox
) -> None:
    said = output("cat proof.txt", "Exit code 0, it says `B = 1`")

    report = check(
        work, sandbox, "c", claims=[claim("c", said)], validation=("grep B lib/b.py > proof.txt",)
    )

    assert verdicts(report) == ["INCONCLUSIVE", "PASS"]


def test_ignored_files_that_lie_as_they_lay_are_seen_and_may_be_written(
    work: Repository, sandbox: Sandbox
) -> None:
    work.put(".env", "KEY=1\n")
    program(work.folder / "tools/run")
    for number in range(2_100):  # too many to be copied
        work.put(f"node_modules/a/{number}.js", "a\n")
    seen = (
        ". ./.env && test $KEY = 1 && tools/run && echo b > node_modules/a/1.js && echo > tools/x"
    )

    report = check(work, sandbox, validation=(seen, "grep -q a node_modules/a/1.js"), lay=lay(work))

    assert held(report)
    assert (work.folder / "node_modules/a/1.js").read_text() == "a\n"
    assert not (work.folder / "tools/x").exists()


def test_an_ignored_program_that_was_changed_since_is_not_run(
    work: Repository, sandbox: Sandbox
) -> None:
    place = program(work.folder / "tools/check", "#!/bin/sh\nexit 1\n")
    before = lay(work)
    status = place.stat()
    program(place, "#!/bin/sh\nexit 0\n")
    os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))

    report = check(work, sandbox, validation=("tools/check",), lay=before)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert report.notes == (f"{HIDDEN}: tools/",)
    assert "a person installs before" in feedback(report)


def test_a_file_that_was_written_again_as_it_was_is_the_same(
    work: Repository, sandbox: Sandbox
) -> None:
    program(work.folder / "tools/check", "#!/bin/sh\nexit 0\n")
    before = lay(work)
    (work.folder / "tools/check").unlink()
    program(work.folder / "tools/check", "#!/bin/sh\nexit 0\n")

    assert held(check(work, sandbox, validation=("tools/check",), lay=before))


@pytest.mark.parametrize("many", [0, 2_100])
def test_a_new_package_is_seen_beside_installed_ones_and_nothing_else_that_is_new(
    work: Repository, sandbox: Sandbox, many: int
) -> None:
    for number in range(many):
        work.put(f"node_modules/old/{number}.js", "a\n")
    work.put("node_modules/old/index.js", "old\n")
    before = lay(work)
    work.put("node_modules/new/index.js", "new\n")
    work.put("node_modules/@s/new/index.js", "new\n")
    work.put("node_modules/old/more.js", "more\n")
    work.put("node_modules/.vite/deps.js", "more\n")
    work.put("node_modules/new/conftest.py", "more\n")
    work.put("built/out.js", "more\n")
    seen = "cat node_modules/new/index.js node_modules/@s/new/index.js"
    hidden = "! grep -rq more node_modules built"

    assert held(check(work, sandbox, validation=(seen, hidden), lay=before))
    assert not check(work, sandbox, validation=(hidden,)).passed


MANY = 2_100  # too many to be copied


@pytest.mark.parametrize("many", [0, MANY])
@pytest.mark.parametrize("gone", [True, False])
@pytest.mark.parametrize(
    "path", ["node_modules/a/lint.js", "tools/test_local.py", "tools/conftest.py"]
)
def test_where_a_program_or_test_is_missed_nothing_passes_for_the_want_of_it(
    work: Repository, sandbox: Sandbox, path: str, *, gone: bool, many: int
) -> None:
    for number in range(many):
        work.put(f"{path}.d/{number}.js", "a\n")
    work.put(path, "strict\n")
    before = lay(work)
    if gone:
        (work.folder / path).unlink()
    else:
        work.put(path, "lax\n")

    report = check(work, sandbox, validation=("test ! -e nowhere",), lay=before)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert f"{MISSED}: {path}" in report.criteria[0].reason
    assert "a person has to put back" in feedback(report)


def test_other_ignored_files_may_change_and_are_not_missed(
    work: Repository, sandbox: Sandbox
) -> None:
    work.put("built/log.txt", "a\n")
    work.put("tools/site-packages/__pycache__/a.pyc", "a\n")
    work.put("tools/site-packages/a.py", "a\n")
    before = lay(work)
    work.put("built/log.txt", "b\n")
    work.put("tools/site-packages/__pycache__/a.pyc", "b\n")

    report = check(work, sandbox, validation=("test ! -e built/log.txt",), lay=before)

    assert held(report)
    assert report.notes == (f"{HIDDEN}: built/",)


def test_a_link_that_is_hidden_takes_nothing_else_away(work: Repository, sandbox: Sandbox) -> None:
    for number in range(MANY):
        work.put(f"node_modules/a/{number}.js", "a\n")
    before = lay(work)
    (work.folder / "node_modules/a/zz").symlink_to("../../lib/b.py")
    (work.folder / "node_modules/a/dangling").symlink_to("nowhere")
    (work.folder / "node_modules/a/folder").symlink_to("../../lib")

    report = check(work, sandbox, validation=("grep -q B lib/b.py && ls lib/a.py",), lay=before)

    assert report.passed


@pytest.mark.parametrize("new", ["slow/__init__.py", "slow.abi3.so", "slow.pyd"])
def test_a_new_package_does_not_take_the_place_of_an_installed_module(
    work: Repository, sandbox: Sandbox, new: str
) -> None:
    work.put("tools/site-packages/slow.py", "SLOW = 1\n")
    before = lay(work)
    work.put(f"tools/site-packages/{new}", "planted\n")

    report = check(work, sandbox, validation=("! grep -r planted tools",), lay=before)

    assert held(report)


def test_a_command_that_fails_says_what_it_was_not_shown(
    work: Repository, sandbox: Sandbox
) -> None:
    before = lay(work)
    work.put("built/out.js", "b\n")

    report = check(work, sandbox, validation=("cat built/out.js",), lay=before)

    assert verdicts(report) == ["FAIL"]
    assert f"{HIDDEN}: built/" in report.criteria[0].reason


def test_programs_beside_the_work_of_another_tree_are_those_of_that_tree(
    work: Repository, sandbox: Sandbox, tmp_path: Path
) -> None:
    program(work.folder / "tools/run", f"#!{work.folder}/tools/sh\necho ran\n")
    (work.folder / "tools/sh").symlink_to("/bin/sh")
    for number in range(2_100):
        work.put(f"node_modules/a/{number}.js", "a\n")
    work.commit("b")
    other = tmp_path / "other"
    work.git("worktree", "add", "-q", str(other))
    linked = Repository.__new__(Repository)
    linked.folder = other
    linked.put("lib/c.py", "C = 1\n")
    asked: dict[str, Any] = {"home": str(work.folder), "lay": lay(work)}
    work.put("lib/d.py", "D = 1\n")
    seen = f"tools/run && cat lib/c.py node_modules/a/7.js {work.folder}/lib/c.py && git log"
    seen += f" && test ! -e lib/d.py && test ! -e {work.folder}/lib/d.py"

    assert check(linked, sandbox, validation=(seen,), **asked).passed


def test_the_callers_own_folder_is_not_shown(work: Repository, sandbox: Sandbox) -> None:
    work.put(".prowess/run.py", "print('1 passed in 0.01s')\n")

    report = check(work, sandbox, validation=("python .prowess/run.py",), own=(".prowess/",))

    assert verdicts(report) == ["FAIL"]


@pytest.mark.parametrize("level", ["landlock", "none"])
def test_other_sandboxes_run_commands_in_the_copy_itself(work: Repository, level: Wanted) -> None:
    program(work.folder / "tools/run")
    for number in range(2_100):
        work.put(f"node_modules/a/{number}.js", "a\n")
    seen = f'test "$PWD" != {work.folder} && cat lib/b.py node_modules/a/7.js && tools/run'

    report = check(work, open_sandbox(level), validation=(f"{seen} && echo > new",))

    assert report.passed
    assert not (work.folder / "new").exists()


@pytest.mark.parametrize("level", ["landlock", "none"])
def test_where_nothing_can_be_hidden_a_folder_with_something_new_is_not_shown(
    work: Repository, level: Wanted
) -> None:
    program(work.folder / "tools/check", "test -e tools/skip || exit 1\n")
    for number in range(2_100):
        work.put(f"tools/{number}", "a\n")
    before = lay(work)
    work.put("tools/skip", "\n")

    report = check(work, open_sandbox(level), validation=("sh tools/check",), lay=before)

    assert verdicts(report) == ["FAIL"]
    assert f"{HIDDEN}: tools/skip" in report.notes


@pytest.fixture
def older(sandbox: Sandbox, tmp_path: Path) -> Sandbox:
    """A bubblewrap without overlays."""
    if not isinstance(sandbox, Bubblewrap):
        pytest.skip("bubblewrap does not run here")
    return Bubblewrap(without_overlays(tmp_path / "older", sandbox.binary))


def test_without_overlays_what_an_installer_adds_hides_no_other_program(
    work: Repository, older: Sandbox
) -> None:
    for number in range(MANY):
        work.put(f"node_modules/a/{number}.js", "a\n")
    program(work.folder / "node_modules/.bin/lint", "#!/bin/sh\ncat node_modules/a/7.js\n")
    work.put("node_modules/.package-lock.json", "old\n")
    before = lay(work)
    work.put("node_modules/new/index.js", "new\n")
    work.put("node_modules/new/conftest.py", "planted\n")
    work.put("node_modules/.package-lock.json", "planted\n")
    work.put("node_modules/.cache/x/y", "planted\n")
    program(work.folder / "node_modules/.bin/new", "#!/bin/sh\necho planted\n")
    seen = "node_modules/.bin/lint && cat node_modules/new/index.js && ls node_modules/a/2.js"
    hidden = (
        "! grep -rq planted node_modules && test ! -e node_modules/.bin/new && test ! -e"
        " node_modules/new/conftest.py"
    )
    rewritten = "echo x > node_modules/.bin/lint && grep x node_modules/.bin/lint"

    report = check(work, older, validation=(seen, hidden, rewritten, hidden, seen), lay=before)

    assert held(report)
    assert (work.folder / "node_modules/.bin/lint").read_text().startswith("#!/bin/sh")


def test_without_overlays_a_new_name_is_not_there_at_all(work: Repository, older: Sandbox) -> None:
    for number in range(MANY):
        work.put(f"vendor/{number % 9}/{number}", "a\n")
    work.put("vendor/kept", "kept\n")
    before = lay(work)
    work.put("vendor/test", "")
    work.put("vendor/done/test", "")
    work.put("vendor/1/skip", "")
    seen = "cat vendor/kept vendor/2/2 vendor/1/1 && test ! -e vendor/test && test ! -e vendor/done && test ! -e vendor/1/skip"

    report = check(work, older, validation=(seen,), lay=before)

    assert held(report)


def test_without_overlays_a_build_that_something_is_hidden_in_can_still_be_made_anew(
    work: Repository, older: Sandbox
) -> None:
    for number in range(MANY):
        work.put(f"built/{number % 9}/{number}", "old\n")
    before = lay(work)
    work.put("built/7/new", "planted\n")

    report = check(work, older, validation=("rm -rf built && mkdir built",), lay=before)

    assert held(report)


def test_without_overlays_too_nothing_passes_for_the_want_of_a_program(
    work: Repository, older: Sandbox
) -> None:
    for number in range(MANY):
        work.put(f"node_modules/a/{number}.js", "a\n")
    work.put("node_modules/b/7.js", "a\n")
    before = lay(work)
    work.put("node_modules/b/7.js", "b\n")

    report = check(work, older, validation=("cat node_modules/a/7.js",), lay=before)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert f"{MISSED}: node_modules/b/7.js" in report.criteria[0].reason


def test_what_is_hidden_does_not_come_back_where_a_command_built_the_same(
    work: Repository, sandbox: Sandbox
) -> None:
    before = lay(work)
    work.put("built/out.js", "planted\n")
    again = "echo 2 > built/out.js && grep 2 built/out.js"
    built = ("mkdir built && echo 1 > built/out.js", again, "! grep planted built/out.js")

    assert held(check(work, sandbox, validation=built, lay=before))


def test_where_nothing_can_be_hidden_nothing_passes_for_the_want_of_a_folder(
    work: Repository,
) -> None:
    for number in range(2_100):
        work.put(f"node_modules/a/{number}.js", "a\n")
    before = lay(work)
    work.put("node_modules/a/7.js", "b\n")

    report = check(work, open_sandbox("none"), validation=("test -e lib/b.py",), lay=before)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert MISSED in report.criteria[0].reason


@pytest.mark.parametrize("level", ["bubblewrap", "none"])
def test_a_link_that_a_command_lays_leads_us_nowhere(
    work: Repository, tmp_path: Path, level: Wanted
) -> None:
    theirs = tmp_path / "theirs"
    write_file(theirs / "b.py", "theirs\n")
    write_file(theirs / "inner/kept", "theirs\n")
    work.put("lib/inner", "a file of the work\n")
    laid = f"rm -r lib && ln -s {theirs} lib"

    report = check(work, open_sandbox(level), validation=(laid, "grep -q B lib/b.py"))

    assert report.passed
    assert (theirs / "b.py").read_text() == "theirs\n"
    assert (theirs / "inner/kept").read_text() == "theirs\n"


def test_a_folder_that_a_command_closes_is_open_for_the_next(
    work: Repository, sandbox: Sandbox
) -> None:
    close = "echo > lib/b.py; chmod 000 lib ."

    report = check(work, sandbox, validation=(close, "grep -q B lib/b.py"))

    assert report.passed


def test_an_empty_folder_beside_the_work_can_be_made_anew(
    work: Repository, sandbox: Sandbox
) -> None:
    (work.folder / "built/inner").mkdir(parents=True)
    for number in range(1_500):  # more than bubblewrap has words for
        (work.folder / f"empty{number}").mkdir()

    report = check(work, sandbox, validation=("rm -r built && mkdir built && test -d empty7",))

    assert held(report)


def test_a_large_folder_that_a_command_removes_is_made_anew_and_programs_stay(
    work: Repository, sandbox: Sandbox
) -> None:
    for number in range(2_100):
        work.put(f"built/{number}", "old\n")
        work.put(f"node_modules/{number}.js", "a\n")
    anew = "rm -rf built/ && mkdir built && echo new > built/7"

    report = check(work, sandbox, validation=(anew, "grep new built/7", "rm -r node_modules"))

    assert verdicts(report) == ["PASS", "PASS", "FAIL"]
    assert (work.folder / "built/7").read_text() == "old\n"


def test_many_small_folders_are_not_all_copied(
    work: Repository, tmp_path: Path, sandbox: Sandbox
) -> None:
    kept = frozenset(work.git("ls-files", "-co", "--exclude-standard").split("\n"))
    for folder in range(4):
        for number in range(1_500):
            work.put(f"{folder}/node_modules/{number}.js", "a\n")
    beside = found_beside(str(work.folder), kept, (), None)
    source = Source(folder=str(work.folder), files=kept, home=str(work.folder), beside=beside)

    with fresh(source, within=str(tmp_path), sandbox=sandbox) as ground:
        copied = list(Path(ground.place).rglob("7.js"))

    assert len(copied) == 3


def test_links_modes_and_folders_of_the_work_are_as_they_are(
    work: Repository, sandbox: Sandbox
) -> None:
    program(work.folder / "run.sh", "#!/bin/sh\necho ran\n")
    (work.folder / "link").symlink_to("run.sh")
    inner = Repository(work.folder / "inner")
    inner.put("a", "inner\n")
    inner.commit()

    seen = "./link && test -L link && grep -q inner inner/a && echo x > inner/a"

    assert check(work, sandbox, validation=(seen,), files=["**", "inner"]).passed
    assert (work.folder / "inner/a").read_text() == "inner\n"


def test_a_large_work_is_copied_within_the_room_that_is_named_and_gone_after(
    work: Repository, tmp_path: Path, sandbox: Sandbox
) -> None:
    room = tmp_path / "room"
    room.mkdir()
    source = Source(
        folder=str(work.folder), files=frozenset(["lib/a.py", "gone"]), home=str(work.folder)
    )

    with fresh(source, within=str(room), sandbox=sandbox) as ground:
        assert Path(ground.place).is_relative_to(room)
        assert (Path(ground.place) / "lib/a.py").read_text() == "A = 1\n"
        closed = Path(ground.place) / "closed"
        closed.mkdir()
        closed.chmod(0)

    assert list(room.iterdir()) == []


def test_pytest_finds_tests_in_the_copy(work: Repository, sandbox: Sandbox) -> None:
    work.put("tests/test_a.py", GOOD)

    assert check(work, sandbox, "all tests pass", validation=(PYTEST,)).passed
