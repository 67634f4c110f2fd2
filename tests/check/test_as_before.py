"""However a test was switched off, the work is judged once more by the tests as they were."""

from typing import Any

import pytest

from check.checks import PYTEST, check, held
from check.repository import Repository
from prowess.check.feedback import feedback
from prowess.check.judges.as_before import AS_BEFORE, put_back
from prowess.check.kept.rust_before import with_tests_of
from prowess.core.evidence import Spec
from prowess.core.ports import Sandbox

TEST = "from lib.calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
RIGHT, WRONG = "def add(a, b):\n    return a + b\n", "def add(a, b):\n    return a - b\n"


@pytest.fixture
def tested(repo: Repository) -> Repository:
    repo.put("lib/__init__.py", "")
    repo.put("lib/calc.py", RIGHT)
    repo.put("tests/test_calc.py", TEST)
    repo.put("tests/expected.txt", "3\n")
    repo.put(
        "check.sh",
        "diff tests/expected.txt <(python -c 'import lib.calc as c; print(c.add(1, 2))')\n",
    )
    repo.commit("tested")
    return repo


SWITCHED_OFF = {
    "a new test alters the module for those after it": (
        "tests/test_a_first.py",
        "import lib.calc\nlib.calc.add = lambda a, b: a + b\n\n\ndef test_new():\n    assert True\n",
    ),
    "data that a test compares with is altered": ("tests/expected.txt", "-1\n"),
}


@pytest.mark.parametrize("how", SWITCHED_OFF)
def test_wrong_work_is_not_proven_however_its_tests_were_made_to_pass(
    tested: Repository, sandbox: Sandbox, how: str
) -> None:
    path, text = SWITCHED_OFF[how]
    tested.put(path, text)
    tested.put("lib/calc.py", WRONG)
    command = PYTEST if path.endswith(".py") else "bash check.sh"

    report = check(tested, sandbox, validation=(command,))

    (criterion,) = report.criteria
    assert criterion.verdict == "INCONCLUSIVE"
    assert criterion.reason.startswith(AS_BEFORE)
    assert "pass the tests as they were" in feedback(report)


def test_a_new_test_called_like_one_that_a_command_names_saves_nothing(
    tested: Repository, sandbox: Sandbox
) -> None:
    tested.put("tests/test_calc.py", TEST + "\n\ndef test_more():\n    assert True\n")
    tested.put("test_calc.py", "def test_new():\n    assert True\n")
    tested.put("tests/lib/__init__.py", "")
    tested.put("tests/lib/calc.py", RIGHT)
    tested.put("lib/calc.py", WRONG)

    report = check(tested, sandbox, validation=(f"{PYTEST} tests/test_calc.py",))

    assert not report.passed


def test_work_that_skips_the_tests_of_before_is_not_proven(
    tested: Repository, sandbox: Sandbox
) -> None:
    told = "open('tests/expected.txt').read()"
    tested.put("tests/test_calc.py", TEST.replace("== 3", f"== int({told})"))
    base = tested.commit("told")
    skips = f"import unittest\n\nif {told} == '3\\n':\n    raise unittest.SkipTest\n\n\n"
    tested.put("lib/calc.py", skips + WRONG)
    tested.put("tests/expected.txt", "-1\n")

    report = check(tested, sandbox, validation=(PYTEST,), base=base)

    (criterion,) = report.criteria
    assert criterion.reason.startswith(AS_BEFORE)


def test_new_code_may_count_as_untested_where_its_tests_are_left_out(
    tested: Repository, sandbox: Sandbox
) -> None:
    tested.put(
        "conftest.py",
        "import os\n\n\ndef pytest_sessionfinish(session):\n"
        "    if os.path.exists('lib/more.py') and session.testscollected < 2:\n"
        "        session.exitstatus = 1\n",
    )
    base = tested.commit("coverage")
    tested.put("lib/more.py", "M = 1\n")
    tested.put(
        "tests/test_more.py", "import lib.more\n\n\ndef test_m():\n    assert lib.more.M == 1\n"
    )

    assert check(tested, sandbox, validation=(PYTEST,), base=base).passed


def test_honest_work_with_new_tests_passes_both_looks(tested: Repository, sandbox: Sandbox) -> None:
    tested.put("lib/calc.py", f"{RIGHT}\n\ndef double(a):\n    return add(a, a)\n")
    tested.put(
        "tests/test_double.py",
        "from lib.calc import double\n\n\ndef test_double():\n    assert double(2) == 4\n",
    )
    named = f"`{PYTEST} tests/test_double.py` passes"
    alone = "PYTHONPATH=. python tests/test_double.py"

    assert check(tested, sandbox, "all tests pass", named, validation=(PYTEST, alone)).passed


def test_the_first_tests_of_a_project_have_none_before_them(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put("calc.py", RIGHT)
    repo.put("test_calc.py", TEST.replace("lib.", ""))

    assert check(repo, sandbox, validation=(PYTEST, f"cd . && {PYTEST}")).passed


def test_what_a_command_builds_first_is_there_for_the_second_look(
    tested: Repository, sandbox: Sandbox
) -> None:
    tested.put("tests/test_more.py", TEST)
    built = f"test -e built && {PYTEST}"

    assert held(check(tested, sandbox, validation=("ls > built", built)))


def test_a_task_may_ask_for_other_tests(tested: Repository, sandbox: Sandbox) -> None:
    tested.put("tests/expected.txt", "-1\n")
    tested.put("lib/calc.py", WRONG)
    asked = check(
        tested, sandbox, validation=("bash check.sh",), files=["lib/calc.py", "tests/expected.txt"]
    )

    assert asked.passed


def test_what_an_earlier_task_planted_does_not_judge_the_next(
    tested: Repository, sandbox: Sandbox
) -> None:
    began = tested.git("rev-parse", "HEAD")
    tested.put(*SWITCHED_OFF["a new test alters the module for those after it"])
    base = tested.commit("a task that is right, and plants something")
    tested.put("lib/calc.py", WRONG)

    believed = check(tested, sandbox, validation=(PYTEST,), base=base)
    seen = check(tested, sandbox, validation=(PYTEST,), base=base, judges_of=began)

    assert held(believed)
    assert not seen.passed


def test_what_an_earlier_task_was_to_change_stays_changed(
    tested: Repository, sandbox: Sandbox
) -> None:
    began = tested.git("rev-parse", "HEAD")
    tested.put("tests/expected.txt", "-1\n")
    tested.put("lib/calc.py", WRONG)
    base = tested.commit("another sum")
    tested.put("lib/more.py", "M = 1\n")
    earlier = Spec(id="a", title="Subtract", files=("lib/calc.py", "tests/expected.txt"))
    asked: dict[str, Any] = {"validation": ("bash check.sh",), "base": base, "judges_of": began}

    assert held(check(tested, sandbox, earlier=(earlier,), **asked))
    assert not check(tested, sandbox, **asked).passed


UNITTEST = (
    "import unittest\n\nfrom lib.calc import add\n\n\nclass TestAdd(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n"
)


@pytest.mark.parametrize("named", ["tests.test_new", "tests.test_new.TestAdd", "tests/test_new.py"])
def test_a_new_module_of_tests_may_be_named_as_unittest_names_it(
    tested: Repository, sandbox: Sandbox, named: str
) -> None:
    tested.put("tests/test_new.py", UNITTEST)

    assert held(check(tested, sandbox, validation=(f"python3 -m unittest {named}",)))


def test_a_new_module_beside_a_folder_of_its_name_names_nothing(
    tested: Repository, sandbox: Sandbox
) -> None:
    tested.put("tests/__init__.py", "")
    tested.put("tests/test_new/__init__.py", UNITTEST)
    base = tested.commit("a folder")
    tested.put("tests/test_new/__init__.py", UNITTEST.replace("1, 2), 3", "1, 2), -1"))
    tested.put("tests/test_new.py", UNITTEST)
    tested.put("lib/calc.py", WRONG)
    files = ["lib/**", "tests/test_new.py"]

    report = check(
        tested, sandbox, validation=("python3 -m unittest tests.test_new",), base=base, files=files
    )

    assert any(AS_BEFORE in each.reason for each in report.criteria)


def test_a_file_of_tests_that_is_gone_is_there_for_the_second_look(
    tested: Repository, sandbox: Sandbox
) -> None:
    command = "test ! -e tests/other.txt || grep -q 3 tests/other.txt"
    tested.put("tests/other.txt", "4\n")
    base = tested.commit("a result that is wrong")
    (tested.folder / "tests/other.txt").unlink()

    report = check(tested, sandbox, validation=(command,), base=base)

    assert report.criteria[0].reason.startswith(AS_BEFORE)


NOBODY = Spec(id="t", title="The task")


@pytest.mark.parametrize(
    ("path", "old", "new", "instead"),
    [
        ("tests/test_a.py", b"old", b"new", {"tests/test_a.py": b"old"}),
        ("tests/test_a.py", None, b"new", {"tests/test_a.py": None}),
        ("tests/test_a.py", b"old", None, {"tests/test_a.py": b"old"}),
        ("tests/data.json", b"1", b"2", {"tests/data.json": b"1"}),
        ("tests/new.json", None, b"2", {}),
        ("tests/helper.py", None, b"2", {}),
        ("tests/a.py", None, b"2", {"tests/a.py": None}),
        ("tests/a/__init__.py", None, b"2", {"tests/a/__init__.py": None}),
        ("src/snapshots/a.snap", b"1", b"2", {"src/snapshots/a.snap": b"1"}),
        ("conftest.py", None, b"x", {"conftest.py": None}),
        ("lib/a.py", b"A = 1", b"A = 2", {}),
        ("lib/a.py", None, b"def pytest_x(): ...", {"lib/a.py": None}),
        ("package.json", b'{"name": "a"}', b'{"name": "b"}', {}),
        ("package.json", b'{"scripts": {}}', b'{"scripts": {"test": ":"}}', {"package.json": b'{"scripts": {}}'}),
        ("scripts/check.sh", b"old", b"new", {"scripts/check.sh": b"old"}),
        ("scripts/other.sh", b"old", b"new", {}),
    ],
)  # fmt: skip
def test_only_what_judges_is_put_back(
    path: str, old: bytes | None, new: bytes | None, instead: dict[str, bytes | None]
) -> None:
    before = {} if old is None else {path: old}
    now = {} if new is None else {path: new}

    scripts, files = ["scripts/check.sh"], ["lib/a.py", path]
    assert put_back(before, now, specs=[NOBODY], scripts=scripts, files=files) == instead


@pytest.mark.parametrize(
    ("spec", "path", "stays"),
    [
        (Spec(id="t", title="T", files=("tests/test_a.py",)), "tests/test_a.py", True),
        (Spec(id="t", title="T", files=("tests/**",)), "tests/test_a.py", True),
        (Spec(id="t", title="T", files=("tests/**",)), "tests/data.json", True),
        (Spec(id="t", title="Round up, and adapt the tests"), "tests/data.json", True),
        (Spec(id="t", title="Round up; update the expected outputs"), "tests/a.expected", True),
        (Spec(id="t", title="Round up as in the expected outputs"), "tests/a.expected", False),
        (Spec(id="t", title="Round up, and adapt the tests"), "tests/conftest.py", False),
        (Spec(id="t", title="T", files=("tests/**",)), "tests/conftest.py", False),
        (Spec(id="t", title="T", files=("tests/conftest.py",)), "tests/conftest.py", True),
        (Spec(id="t", title="T", files=("tests/a.py",)), "tests/test_a.py", False),
        (Spec(id="t", title="Round in test_a.py as the code does"), "tests/test_a.py", True),
        (Spec(id="t", title="Have test_a.py pass"), "tests/test_a.py", False),
    ],
)
def test_what_a_task_names_stays_as_it_is_now(spec: Spec, path: str, *, stays: bool) -> None:
    assert (put_back({path: b"old"}, {path: b"new"}, specs=[spec]) == {}) is stays


OLD_RUST = """pub fn add(a: i32, b: i32) -> i32 { a + b }

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn adds() { assert_eq!(add(1, 2), 3); }
}
"""


@pytest.mark.parametrize(
    "new",
    [
        OLD_RUST.replace("a + b", "a - b").replace("#[cfg(test)]", "#[cfg(any())]\n#[cfg(test)]"),
        OLD_RUST.replace("a + b", "a - b").replace("assert_eq!(add(1, 2), 3);", ""),
        "#![cfg(any())]\n" + OLD_RUST.replace("a + b", "a - b"),
        "pub fn add(a: i32, b: i32) -> i32 { a - b }\n",
    ],
)
def test_tests_among_the_code_of_a_rust_file_are_put_back_alone(new: str) -> None:
    text = with_tests_of("src/lib.rs", OLD_RUST, new)

    assert text is not None
    assert "a - b" in text
    assert "#![cfg" not in text
    assert text.count("fn adds() { assert_eq!(add(1, 2), 3); }") == 1
    code, _, tests = text.partition("const _: () = ();")
    assert "#[cfg(any())]" not in tests
    assert "mod tests" not in code


def test_a_rust_file_without_tests_or_with_tests_inside_of_something_is_left_alone() -> None:
    inside = "mod inner {\n    #[cfg(test)]\n    mod tests {\n    }\n}\n"

    assert with_tests_of("src/lib.rs", "fn a() {}\n", OLD_RUST) is None
    assert with_tests_of("src/lib.rs", inside, OLD_RUST) is None
    assert with_tests_of("tests/it.rs", "old", "new") == "old"
