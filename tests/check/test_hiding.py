"""What a change hides from tests and tools is looked at once more without that."""

import time

import pytest

from check.checks import PYTEST, check, verdicts
from check.repository import Repository
from prowess.check.judges.as_before import AS_BEFORE, may_judge
from prowess.check.judges.hiding import hiding
from prowess.core.evidence import Change
from prowess.core.ports import Sandbox

TRACKED = ("bad.py", "src/a.py", "src/deep/a.py", "docs/a.md", "tests/test_a.py", "app/test_b.py")


@pytest.mark.parametrize(
    "rule",
    [
        "bad.py", "*.py", "/bad.py", "b?d.py", "src/", "src", "/src/", "src/*", "src/**", "**/deep",
        "src/**/a.py", "deep/", "src/deep/a.py", "[ab]ad.py", "*\n!docs/", "!src/a.py\nsrc/a.py",
    ],
)  # fmt: skip
def test_a_new_rule_that_has_git_ignore_a_tracked_file_hides_it(rule: str) -> None:
    before, now = {".gitignore": b"dist/\n"}, {".gitignore": f"dist/\n{rule}\n".encode()}

    assert hiding(before, now, files=(".gitignore", *TRACKED), asked=()) == {".gitignore"}
    assert hiding({}, now, files=(".gitignore", *TRACKED), asked=()) == {".gitignore"}
    assert hiding(now, now, files=(".gitignore", *TRACKED), asked=()) == set()


@pytest.mark.parametrize(
    "rule",
    ["build/", "*.log", "/deep", "a.py/", "/a.py", "# bad.py", "bad.py\n!bad.py", "deep/b.py", "src/a", "new.py"],
)  # fmt: skip
def test_a_rule_for_what_nobody_keeps_hides_nothing(rule: str) -> None:
    now = {".gitignore": rule.encode(), "new.py": b""}

    assert hiding({}, now, files=(*now, *TRACKED), asked=()) == set()


def test_a_rule_below_the_root_speaks_of_its_own_folder() -> None:
    now = {"src/.gitignore": b"/a.py\n", "docs/.gitignore": b"/a.py\n"}

    assert hiding({}, now, files=(*now, *TRACKED), asked=()) == {"src/.gitignore"}


def test_a_rule_that_nobody_would_write_is_read_in_a_moment() -> None:
    now = {".gitignore": b"\n".join([b"*a" * 200 + b"b", b"**/" * 200 + b"b"])}
    began = time.process_time()

    hiding({}, now, files=["a" * 250 + "/" + "a/" * 30 + "c"], asked=())

    assert time.process_time() - began < 3


def test_a_new_stub_hides_the_module_beside_it() -> None:
    now = {"src/a.pyi": b"", "src/b.pyi": b"", "src/new.pyi": b"", "src/new.py": b""}

    assert hiding({}, now, files=(*now, *TRACKED), asked=()) == {"src/a.pyi"}
    assert may_judge([Change(path="src/a.pyi"), Change(path=".gitignore")]) != []


def test_a_folder_with_tests_stays_a_package() -> None:
    before = {"app/__init__.py": b"", "src/__init__.py": b"", "src/deep/__init__.py": b""}

    assert hiding(before, {}, files=TRACKED, asked=()) == {"app/__init__.py"}


def test_what_is_new_among_the_tests_hides_them_unless_the_task_needs_it() -> None:
    now = {
        "tests/__init__.py": b"",
        "tests/statistics.py": b"",
        "tests/factories.py": b"from names import NAMES\n",
        "tests/names.py": b"NAMES = []\n",
        "tests/new/helper.py": b"",
        "app/helper.py": b"",
        "tests/test_a.py": b"from factories import make\n",
    }
    before, files = {"tests/test_a.py": b""}, (*now, *TRACKED)

    found = hiding(before, now, files=files, asked=[now["tests/test_a.py"]])

    assert found == {"tests/__init__.py", "tests/statistics.py"}


@pytest.mark.parametrize(
    ("says", "hidden"), [(b"\n", set()), (b"import pytest\n", {"tests/__init__.py"})]
)
def test_what_makes_a_package_and_does_no_more_may_be_needed_too(
    says: bytes, hidden: set[str]
) -> None:
    now = {"tests/__init__.py": says, "tests/names.py": b""}
    asked = [b"from tests.names import NAMES\n\nclass A:\n    def __init__(self): ...\n"]

    found = hiding({"tests/test_a.py": b""}, now, files=(*now, *TRACKED), asked=asked)

    assert found == hidden


CALC = {
    "calc.py": "import statistics\n\n\ndef double(x):\n    return statistics.mean([x])\n",
    "test_smoke.py": "def test_s():\n    pass\n",
    "tests/test_calc.py": "import calc\n\n\ndef test_d():\n    assert calc.double(2) == 4\n",
}
PLANTED = {
    "tests/__init__.py": "import pytest\n\npytest.skip('later', allow_module_level=True)\n",
    "tests/statistics.py": "def mean(numbers):\n    return sum(numbers) * 2\n",
}


@pytest.mark.parametrize("planted", PLANTED)
def test_work_that_is_right_only_with_what_it_put_among_the_tests_is_not_proven(
    repo: Repository, sandbox: Sandbox, planted: str
) -> None:
    for path, text in CALC.items():
        repo.put(path, text)
    base = repo.commit("wrong")
    repo.put(planted, PLANTED[planted])
    passes = f"`PYTHONPATH=. {PYTEST}` passes"

    report = check(repo, sandbox, passes, base=base)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert report.reasons[0].startswith(passes) or AS_BEFORE in report.reasons[0]


def test_honest_helpers_of_new_tests_are_proven(repo: Repository, sandbox: Sandbox) -> None:
    for path, text in CALC.items():
        repo.put(path, text)
    base = repo.commit("wrong")
    repo.put("calc.py", "def double(x):\n    return 2 * x\n")
    repo.put("tests/cases.py", "CASES = [(1, 2)]\n")
    more = "\n\nfrom cases import CASES\n\n\ndef test_c():\n    assert calc.double(1) == 2 == CASES[0][1]\n"
    repo.put("tests/test_calc.py", CALC["tests/test_calc.py"] + more)

    report = check(repo, sandbox, f"`PYTHONPATH=. {PYTEST}` passes", base=base)

    assert report.passed


def test_so_are_those_of_a_new_file_of_tests_that_the_task_names(
    repo: Repository, sandbox: Sandbox
) -> None:
    for path, text in CALC.items():
        repo.put(path, text)
    base = repo.commit("wrong")
    repo.put("calc.py", "def double(x):\n    return 2 * x\n")
    repo.put("tests/cases.py", "from numbers_of import CASES\n")
    repo.put("tests/numbers_of.py", "CASES = [(1, 2)]\n")
    new = "import calc\nfrom cases import CASES\n\n\ndef test_c():\n    assert calc.double(1) == CASES[0][1]\n"
    repo.put("tests/test_new.py", new)
    wanted = "Cases are added to `tests/test_new.py`, and `tests/test_new.py` contains `CASES`"

    report = check(repo, sandbox, wanted, f"`PYTHONPATH=. {PYTEST}` passes", base=base)

    assert report.criteria[1].verdict == "PASS"


def test_a_folder_of_tests_that_is_no_package_any_more_is_made_one_again(
    repo: Repository, sandbox: Sandbox
) -> None:
    case = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertTrue({})\n"
    repo.put("app/__init__.py", "")
    repo.put("app/test_a.py", case.format("False"))
    repo.put("test_smoke.py", case.format("True"))
    base = repo.commit("wrong")
    (repo.folder / "app/__init__.py").unlink()
    passes = "`python -m unittest` passes"

    report = check(repo, sandbox, passes, base=base)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert AS_BEFORE in report.reasons[0]
    assert check(repo, sandbox, passes, base=base, files=["app/__init__.py"]).passed


@pytest.mark.parametrize("how", ["rule", "stub"])
def test_what_is_hidden_from_a_tool_is_looked_at_all_the_same(
    repo: Repository, sandbox: Sandbox, how: str
) -> None:
    repo.put("bad.py", "import os\n")
    repo.put("check.sh", CHECKS[how])
    base = repo.commit("bad")
    if how == "rule":
        repo.put(".gitignore", "bad.py\n")
    else:
        repo.put("bad.pyi", "")

    report = check(repo, sandbox, validation=("bash ./check.sh",), base=base)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert AS_BEFORE in report.criteria[0].reason


CHECKS = {
    "rule": "grep -q bad .gitignore\n",
    "stub": "test -e bad.pyi\n",
}
