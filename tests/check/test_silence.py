"""Tests that nobody altered and that are heard no more; and commands that show nothing of a task."""

from collections.abc import MutableMapping

import pytest

from check.checks import PYTEST, check, claim, inspected, needs_cargo, verdicts
from check.repository import Repository
from prowess.check.evidence import was_so
from prowess.check.kept.silence import silenced
from prowess.check.probes import Probe
from prowess.check.running.tests_run import TestRun
from prowess.core.ports import Sandbox

TODO = "def half(x):\n    raise NotImplementedError\n\n\ndef add(a, b):\n    return a + b\n"
TESTS = (
    "import unittest\n\nimport calc\n\n\nclass T(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n\n"
    "    def test_half(self):\n        self.assertEqual(calc.half(4), 2)\n"
)
SKIPS = TODO.replace("raise NotImplementedError", "raise __import__('unittest').SkipTest('no')")
ENDS = "import atexit, sys\n\nif 'unittest' in sys.modules:\n    sys.exit(0)\n"
DONE = TODO.replace("raise NotImplementedError", "return x / 2")


@pytest.fixture
def todo(repo: Repository) -> Repository:
    repo.put("calc.py", TODO)
    repo.put("test_calc.py", TESTS)
    repo.put("Makefile", "test:\n\tpython3 -m unittest -q test_calc\n")
    repo.commit("half is to do")
    return repo


@pytest.mark.parametrize("command", [PYTEST, "make test", "python3 -m unittest"])
def test_a_test_that_the_work_itself_skips_is_missed(
    todo: Repository, sandbox: Sandbox, command: str
) -> None:
    todo.put("calc.py", SKIPS)

    report = check(todo, sandbox, "all tests pass", validation=(command,))

    assert set(verdicts(report)) == {"INCONCLUSIVE"}
    assert "where the work began" in report.reasons[0]
    todo.put("calc.py", DONE)
    assert check(todo, sandbox, "all tests pass", validation=(command,)).passed


def test_a_run_that_tells_of_no_test_any_more_is_none(todo: Repository, sandbox: Sandbox) -> None:
    todo.put("calc.py", ENDS + DONE)

    (criterion,) = check(todo, sandbox, validation=("make test",)).criteria

    assert criterion.verdict == "INCONCLUSIVE"
    assert "it told of 2 tests where the work began, and tells of none now" in criterion.reason


def test_where_tests_were_to_go_nobody_misses_them(todo: Repository, sandbox: Sandbox) -> None:
    todo.put("test_calc.py", TESTS[: TESTS.index("    def test_half")])
    words = "Delete the test of half in `test_calc.py`"

    report = check(todo, sandbox, words, validation=("make test",))

    assert verdicts(report)[1] == "PASS"


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        (("a::test_1", "a::test_2"), ("a::test_1",), "does not now: a::test_2"),
        (("test_x::test_1", "a::test_2"), ("a::test_2",), ""),  # its file was altered
        (("a::test_1",), ("a::test_1", "a::test_2"), ""),
    ],
)
def test_names_tell_which_tests_fell_silent(
    then: tuple[str, ...], now: tuple[str, ...], told: str
) -> None:
    before, after = (
        TestRun(kind="pytest", code=0, passed=len(names), names=frozenset(names))
        for names in (then, now)
    )

    why = silenced(before, after, {"test_x.py": ["test_1"]})

    assert why.endswith(told)
    assert bool(why) == bool(told)


def test_what_was_told_of_a_commit_is_not_asked_for_again(
    todo: Repository, sandbox: Sandbox
) -> None:
    told: MutableMapping[tuple[str, str], TestRun] = {}
    todo.put("calc.py", DONE)
    assert check(todo, sandbox, validation=("make test",), told=told, tree="t").passed
    base = todo.git("rev-parse", "HEAD")
    assert told[base, "make test"].failed == 1
    assert told["t", "make test"].passed == 2

    told[base, "make test"] = TestRun(kind="unittest", code=0, passed=3)
    (criterion,) = check(todo, sandbox, validation=("make test",), told=told).criteria

    assert "it ran 3 tests where the work began, and 2 now" in criterion.reason


def test_commands_that_succeed_without_the_work_show_nothing_of_it(
    todo: Repository, sandbox: Sandbox
) -> None:
    todo.put("calc.py", DONE)
    base = todo.commit("done")
    todo.put("notes.md", "half() rejects what is negative.\n")

    report = check(todo, sandbox, validation=("make test",), base=base)

    assert verdicts(report) == ["PASS"]
    assert (report.outcome, report.verdict) == ("unproven", "INCONCLUSIVE")
    assert "shows nothing of the task" in report.reasons[0]
    assert check(todo, sandbox, "`notes.md` exists", validation=("make test",), base=base).passed


def test_a_new_test_that_fails_without_the_work_shows_it(
    todo: Repository, sandbox: Sandbox
) -> None:
    todo.put("calc.py", DONE)
    base = todo.commit("done")
    todo.put("calc.py", DONE + "\n\ndef third(x):\n    return x / 3\n")
    more = TESTS + "\n    def test_third(self):\n        self.assertEqual(calc.third(6), 2)\n"
    todo.put("test_calc.py", more)

    assert check(todo, sandbox, validation=("make test",), base=base).passed
    todo.put("test_calc.py", more.replace("calc.third(6), 2", "2, 2"))
    assert check(todo, sandbox, validation=("make test",), base=base).outcome == "unproven"


@pytest.fixture
def red(repo: Repository) -> Repository:
    """A test that waits for its module, beside one that passes."""
    repo.put("calc/__init__.py", "def add(a, b):\n    return a + b\n")
    repo.put(
        "tests/test_add.py", "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"
    )
    repo.put(
        "tests/test_half.py",
        "from calc.half import half\n\ndef test_half():\n    assert half(4) == 2\n",
    )
    repo.put("Makefile", f"test:\n\t{PYTEST}\n")
    repo.commit("a test first")
    return repo


@pytest.mark.parametrize("command", [PYTEST, "make test"])
def test_a_test_that_was_written_first_is_proven_by_its_module(
    red: Repository, sandbox: Sandbox, command: str
) -> None:
    red.put("calc/half.py", "def half(x):\n    return x / 2\n")

    assert check(red, sandbox, validation=(command,)).passed


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (PYTEST, "could not be loaded where the work began, and no test of it runs now"),
        ("make test", "it skipped 0 where the work began, and 1 now"),
    ],
)
def test_a_module_that_skips_the_test_that_waits_for_it_proves_nothing(
    red: Repository, sandbox: Sandbox, command: str, told: str
) -> None:
    red.put("calc/half.py", "import unittest\n\nraise unittest.SkipTest('not here')\n")

    (criterion,) = check(red, sandbox, validation=(command,)).criteria

    assert criterion.verdict == "INCONCLUSIVE"
    assert told in criterion.reason


def test_a_file_that_could_not_be_loaded_is_not_missed_where_others_were_asked_for(
    red: Repository, sandbox: Sandbox
) -> None:
    red.put("calc/half.py", "def half(x):\n    return x / 2\n")

    assert check(red, sandbox, validation=(f"{PYTEST} -k add",)).passed


@pytest.mark.parametrize("command", ["make test", "python3 -m unittest discover"])
def test_a_new_test_does_not_stand_in_for_one_that_the_work_skips(
    todo: Repository, sandbox: Sandbox, command: str
) -> None:
    todo.put("Makefile", "test:\n\tpython3 -m unittest -q\n")
    todo.commit("all tests")
    todo.put("calc.py", SKIPS)
    more = TESTS.replace("test_add", "test_more")[: TESTS.index("    def test_half") + 1]
    todo.put("test_more.py", more)

    (criterion,) = check(todo, sandbox, validation=(command,)).criteria

    assert criterion.verdict == "INCONCLUSIVE"
    assert "as they were before, it ran 2 tests where the work began, and 1 now" in criterion.reason
    todo.put("calc.py", DONE)
    todo.put("test_more.py", more.replace("class T", "@unittest.skip('later')\nclass T"))
    assert check(todo, sandbox, validation=(command,)).passed


def test_a_criterion_that_held_without_the_work_shows_nothing_of_it(
    todo: Repository, sandbox: Sandbox
) -> None:
    todo.put("calc.py", DONE)
    base = todo.commit("done")
    todo.put("calc.py", f"{DONE}\n")

    report = check(todo, sandbox, "all tests pass", validation=("make test",), base=base)

    assert set(verdicts(report)) == {"PASS"}
    assert report.outcome == "unproven"
    assert "shows nothing of the task" in report.reasons[0]
    named = f"`{PYTEST} test_calc.py` passes"
    assert check(todo, sandbox, named, "`make test` passes", base=base).outcome == "unproven"
    assert check(todo, sandbox, named, base=base).passed


def test_what_is_cited_shows_nothing_where_it_said_so_before(
    todo: Repository, sandbox: Sandbox
) -> None:
    todo.put("notes.md", "half is to come\n")
    words = "half refuses what is negative"
    cited = claim(words, inspected("calc.py:1", "`def half(x)` is there"))

    assert check(todo, sandbox, words, claims=[cited]).outcome == "unproven"
    todo.put("calc.py", f"# half\n{TODO}    # of two\n")
    moved = claim(words, inspected("calc.py:2", "`def half(x)` is there"))
    assert check(todo, sandbox, words, claims=[moved]).outcome == "unproven"
    new = claim(words, inspected("calc.py:8", "`# of two` is there"))
    assert check(todo, sandbox, words, claims=[new]).passed


@pytest.mark.parametrize(
    ("target", "there", "so"),
    [
        ("lib", True, True),
        ("lib/b.py", True, False),
        ("old/", True, True),
        ("old", False, False),
        ("new", True, False),
    ],
)
def test_files_that_were_there_before_are_known(target: str, *, there: bool, so: bool) -> None:
    then = {"lib/b.py": None, "old/c.py": b"c", "new/d.py": None}
    probe = Probe(type="file_existence", target=target, there=there)

    assert was_so(probe, then, {"lib/a.py", "lib/b.py", "new/d.py"}) is so


NODE = "const test = require('node:test');\ntest('{}', () => {{}});\n"
CASE = "import unittest\n\nclass T(unittest.TestCase):\n    def test_{0}(self):\n        pass\n"
CASES = (
    "import pytest\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_{0}(n):\n    assert n\n\n"
    "class TestOf:\n    def test_{0}_too(self):\n        pass\n"
)
RUST = (
    "pub fn one() -> u8 {{ 1 }}\n\n#[cfg(test)]\nmod tests {{\n    #[test]\n    fn {0}() {{}}\n}}\n"
)
SUITES = {
    PYTEST: ("test_{}.py", CASES),
    "python3 -m unittest": ("test_{}.py", CASE),
    "python3 -m unittest -q": ("test_{}.py", CASE),
    "node --test": ("{}.test.js", NODE),
    "cargo test --offline": ("src/{}.rs", RUST),
}


@pytest.mark.parametrize("grown", ["a new file", "a file of a person"])
@pytest.mark.parametrize("command", SUITES)
def test_tests_that_an_earlier_task_brought_are_missed_by_nobody(
    repo: Repository, sandbox: Sandbox, command: str, grown: str
) -> None:
    if command.startswith("cargo"):
        needs_cargo(repo, sandbox)
    name, text = SUITES[command]
    cargo = (
        "[package]\nname = 'one'\nversion = '0.1.0'\nedition = '2021'\n[lib]\npath = 'src/lib.rs'\n"
    )
    repo.put("Cargo.toml", cargo)
    repo.put("Cargo.lock", 'version = 3\n\n[[package]]\nname = "one"\nversion = "0.1.0"\n')
    repo.put(".gitignore", "target/\n")
    repo.put("src/lib.rs", "pub mod first;\n")
    repo.put(name.format("first"), text.format("first"))
    person = repo.commit("a person's")
    if grown == "a new file":
        repo.put(name.format("second"), text.format("second"))
        repo.put("src/lib.rs", "pub mod first;\npub mod second;\n")
    else:
        more = text.format("second").replace("class T(", "class U(").replace("TestOf", "TestOther")
        more = more.replace("mod tests", "mod more").replace("fn one", "fn two")
        more = more.replace("const test = require('node:test');\n", "")
        repo.put(name.format("first"), text.format("first") + "\n" + more)
    base = repo.commit("an earlier task")
    repo.put("README.md", "# One\n")

    report = check(
        repo,
        sandbox,
        "`README.md` contains `One`",
        validation=(command,),
        base=base,
        judges_of=person,
    )

    assert report.passed, report.reasons


def test_but_those_of_a_person_are(todo: Repository, sandbox: Sandbox) -> None:
    person = todo.git("rev-parse", "HEAD")
    todo.put("test_more.py", CASE.format("more"))
    base = todo.commit("an earlier task")
    todo.put("calc.py", SKIPS)

    report = check(
        todo, sandbox, validation=("python3 -m unittest -q",), base=base, judges_of=person
    )

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "where the work began" in report.reasons[0]
