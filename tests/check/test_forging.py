"""Tests that are made to look as if they passed, by whoever did the work, prove nothing."""

import os
import py_compile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from check.checks import PYTEST, check, claim, held, output, ran, verdicts
from check.repository import Repository
from prowess.check.judges.deciding import touched
from prowess.check.judges.touched import spoiled
from prowess.check.scope import scope
from prowess.core.evidence import Evidence, Spec
from prowess.core.ports import Sandbox

GOOD = "def test_a():\n    assert True\n\n\ndef test_b():\n    assert True\n"
BAD = "def test_a():\n    assert False\n"
LEAVE = 'import os\n\n\ndef test_a():\n    getattr(os, "_ex" + "it")(0)\n'
BOAST = LEAVE.replace("    getattr", '    os.write(1, b"\\n1 passed in 0.01s\\n")\n    getattr')
FORGE = """
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    seen = yield
    seen.get_result().outcome = "passed"
"""
PASSES = f"`{PYTEST}` passes"


@pytest.fixture
def tested(repo: Repository) -> Repository:
    """A repository with two tests, in which something was done."""
    repo.put("test_it.py", GOOD)
    repo.put("pyproject.toml", '[project]\nname = "x"\n')
    repo.commit("tests")
    repo.put("lib/a.py", "A = 2\n")
    return repo


@pytest.mark.parametrize("text", [LEAVE, BOAST])
def test_a_run_that_ends_before_its_report_is_inconclusive(
    repo: Repository, sandbox: Sandbox, text: str
) -> None:
    repo.put("test_new.py", text)

    report = check(repo, sandbox, f"`{PYTEST} -s` passes")

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "before it had written its report" in report.reasons[0]


def test_calling_it_the_output_of_a_command_makes_it_no_better(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put("test_new.py", LEAVE)

    report = check(repo, sandbox, "it works", claims=[claim("it works", output(PYTEST))])

    assert verdicts(report) == ["INCONCLUSIVE"]


def test_a_runner_without_reports_needs_its_summary(repo: Repository, sandbox: Sandbox) -> None:
    inside = LEAVE.replace("import os", "import os, unittest", 1).replace(
        "def test_a():\n    ", "class T(unittest.TestCase):\n    def test_a(self):\n        "
    )
    repo.put("test_new.py", inside)

    report = check(repo, sandbox, "`python -m unittest test_new` passes")

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "without a summary" in report.reasons[0]


def test_a_planted_plugin_takes_the_worth_from_tests_and_is_named(
    tested: Repository, sandbox: Sandbox
) -> None:
    tested.put("test_new.py", BAD)
    tested.put("conftest.py", FORGE)

    report = check(tested, sandbox, PASSES)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert (
        "the change touches what judges it: conftest.py;"
        " put it back, or have the task ask for the change: name the file in its words, or in its `files:`"
        " if it has any ("
    ) in report.reasons[0]
    assert "the change touches what judges it: conftest.py" in report.notes


def test_a_plugin_that_the_task_names_may_be_changed(tested: Repository, sandbox: Sandbox) -> None:
    tested.put("test_new.py", BAD)
    tested.put("conftest.py", FORGE)

    assert check(tested, sandbox, PASSES, files=["lib/**", "test_new.py", "conftest.py"]).passed
    assert not check(tested, sandbox, PASSES, files=["lib/**", "*.py"]).passed


def test_a_plugin_of_which_nothing_comes_costs_no_proof_and_is_named(
    tested: Repository, sandbox: Sandbox
) -> None:
    tested.put("test_new.py", "def test_new():\n    assert True\n")
    tested.put("conftest.py", "def pytest_report_header():\n    return 'hello'\n")

    report = check(tested, sandbox, PASSES)

    assert held(report)
    assert "the change touches what judges it: conftest.py" in report.notes


def test_tests_that_fail_under_a_planted_plugin_fail(tested: Repository, sandbox: Sandbox) -> None:
    tested.put("test_new.py", BAD)
    tested.put("conftest.py", "import pytest\n")

    assert verdicts(check(tested, sandbox, PASSES)) == ["FAIL"]


def test_only_the_part_of_the_settings_that_judges_matters(
    tested: Repository, sandbox: Sandbox
) -> None:
    tested.put("pyproject.toml", '[project]\nname = "y"\n')
    assert held(check(tested, sandbox, PASSES))

    tested.put("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-k test_a"\n')
    report = check(tested, sandbox, PASSES)
    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "pyproject.toml (tool.pytest)" in report.reasons[0]


def test_byte_code_that_lies_about_is_not_run(repo: Repository, sandbox: Sandbox) -> None:
    repo.put(".gitignore", "__pycache__/\n")
    repo.put("test_a.py", "from mod import right\n\ndef test_a():\n    assert right()\n")
    source = repo.put("mod.py", "def right():\n    return 1==1\n")
    kept = Path(py_compile.compile(str(source), doraise=True) or "").read_bytes()
    when = source.stat()
    source.write_text("def right():\n    return 1==2\n")
    os.utime(source, ns=(when.st_atime_ns, when.st_mtime_ns))
    (made,) = (repo.folder / "__pycache__").glob("mod.*")
    made.write_bytes(kept)

    report = check(repo, sandbox, f"`{PYTEST}` passes")

    assert verdicts(report) == ["FAIL"]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"test_it.py": "def test_a():\n    assert True\n"}, "the test test_b is gone"),
        ({"test_it.py": None, "it.py": GOOD, "test_x.py": BAD.replace("False", "1")}, "test_b is"),
        (
            {
                "test_it.py": "import pytest\n"
                + GOOD.replace("def test_b", "@pytest.mark.skip\ndef test_b")
            },
            "test_it.py skips more tests than before",
        ),
    ],
)
def test_tests_that_went_away_are_told_and_those_that_are_left_prove_nothing(
    tested: Repository, sandbox: Sandbox, changed: dict[str, str | None], told: str
) -> None:
    for name, text in changed.items():
        if text is None:
            (tested.folder / name).unlink()
        else:
            tested.put(name, text)

    report = check(tested, sandbox, PASSES)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert told in report.reasons[0]


def test_tests_may_move_be_more_and_go_where_the_task_says_so(
    tested: Repository, sandbox: Sandbox
) -> None:
    (tested.folder / "test_it.py").unlink()
    tested.put("test_moved.py", GOOD + "\n\ndef test_c():\n    assert True\n")
    assert held(check(tested, sandbox, PASSES))

    tested.put("test_moved.py", "def test_a():\n    assert True\n")
    files = ["lib/**", "test_it.py", "test_moved.py"]
    assert held(check(tested, sandbox, PASSES, files=files))


def test_leaving_a_test_run_from_inside_is_excused_by_nothing(
    tested: Repository, sandbox: Sandbox
) -> None:
    tested.put("lib/a.py", "import os\n\n\ndef leave():\n    os._exit(0)\n")

    report = check(tested, sandbox, PASSES, files=["lib/a.py"])

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "lib/a.py can end a test run with `os._exit`; put it back (" in report.reasons[0]


@pytest.mark.parametrize(
    "evidence",
    [
        output("echo all payments work", "prints `all payments work`"),
        output("/bin/echo all payments work", "prints `all payments work`"),
        output("bash -c 'echo all payments work'", "prints `all payments work`"),
        output("""python3 -c 'print("all payments work")'""", "prints `all payments work`"),
        ran("/bin/true"),
        ran("sh -c true"),
        ran("bash -c 'echo 42 passed in 0.1s'"),
    ],
)
def test_a_command_that_says_its_own_words_shows_nothing(
    tested: Repository, sandbox: Sandbox, evidence: Evidence
) -> None:
    tested.put("note.txt", "done\n")

    report = check(tested, sandbox, "Payments work", claims=[claim("Payments work", evidence)])

    assert verdicts(report) == ["INCONCLUSIVE"]


def test_what_a_command_hears_of_the_work_counts(tested: Repository, sandbox: Sandbox) -> None:
    tested.put("app.py", "print('paid 42')\n")
    heard = output("python3 app.py", "prints `paid 42`")
    found = output("grep 'paid 42' app.py", "finds `paid 42`")

    for each in (heard, found):
        assert check(tested, sandbox, "It pays", claims=[claim("It pays", each)]).passed


@pytest.mark.parametrize("what", ["a folder without a file", "no file"])
def test_what_git_cannot_keep_does_not_exist(
    tested: Repository, sandbox: Sandbox, what: str
) -> None:
    place = tested.folder / "docs" / "guide.md"
    place.parent.mkdir()
    place.mkdir() if "folder" in what else os.mkfifo(place)
    tested.put("note.txt", "done\n")

    report = check(tested, sandbox, "`docs/guide.md` exists")

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert f"docs/guide.md is {what}, which git does not keep" in report.reasons[0]


def test_a_judge_that_is_too_long_to_be_read_is_one_all_the_same(
    tested: Repository, sandbox: Sandbox
) -> None:
    tested.put("conftest.py", "#" * (5 * 1024 * 1024))
    assert verdicts(check(tested, sandbox, PASSES)) == ["INCONCLUSIVE"]

    (tested.folder / "conftest.py").unlink()
    tested.put("pyproject.toml", "#" * (5 * 1024 * 1024))
    assert verdicts(check(tested, sandbox, PASSES)) == ["INCONCLUSIVE"]


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("src/pytest.py", "python -m pytest"),
        ("backend/pytest/__init__.py", "python -m pytest"),
        ("src/sitecustomize/__init__.py", "python -m pytest"),
        ("ruff.toml", "ruff check ."),
        ("pyproject.toml", "ruff check ."),
        ("mypy.ini", "mypy src"),
        ("eslint.config.js", "npm run lint"),
        ("phpunit.xml", "vendor/bin/phpunit"),
        (".pylintrc.toml", "pylint src"),
        (".pydocstyle.ini", "pydocstyle src"),
        (".stylelintrc.json", "npm run lint"),
    ],
)
def test_what_decides_how_a_command_ends_is_a_judge_of_it(path: str, command: str) -> None:
    text = '[tool.ruff]\nexclude = ["src"]\n'
    spec, scoped = Spec(id="T", title="Do it"), scope(("**",), [])
    found = touched({}, {path: text}, spec=spec, found=scoped)

    assert spoiled(found, [command])
    assert not spoiled(found, ["cat note.txt"])
    excused = replace(spec, files=(path,))
    assert not spoiled(touched({}, {path: text}, spec=excused, found=scoped), [command])


@pytest.mark.parametrize(
    ("path", "section", "command"),
    [
        ("setup.cfg", "coverage:run", "pytest --cov=src --cov-fail-under=90"),
        ("tox.ini", "coverage:report", "coverage report --fail-under=90"),
        ("pyproject.toml", "tool.coverage.run", "pytest --cov=src"),
        ("setup.cfg", "pylint.main", "pylint src"),
        ("tox.ini", "pylint", "pylint src"),
        ("setup.cfg", "pycodestyle", "pycodestyle src"),
        ("tox.ini", "pycodestyle", "pycodestyle src"),
        ("setup.cfg", "mypy-src.a", "mypy src"),
        ("tox.ini", "isort", "isort --check src"),
        ("pyproject.toml", "tool.pydocstyle", "pydocstyle src"),
    ],
)
def test_a_part_of_settings_by_which_a_command_overlooks_things_is_a_judge_of_it(
    path: str, section: str, command: str
) -> None:
    spec, scoped = Spec(id="T", title="Do it"), scope(("**",), [])
    name, other = '[x]\nname = "x"\n', f'[{section}]\nomit = "src"\n'

    assert spoiled(touched({path: name}, {path: name + other}, spec=spec, found=scoped), [command])
    assert not spoiled(touched({path: ""}, {path: name}, spec=spec, found=scoped), [command])


def test_a_task_does_not_change_what_another_one_will_be_proven_by(
    tested: Repository, sandbox: Sandbox
) -> None:
    tested.put("guide.md", "Read it.\n")
    asked: dict[str, Any] = {"others": (f"{PYTEST} test_it.py",)}
    assert check(tested, sandbox, "`guide.md` exists", **asked).passed

    tested.put("conftest.py", FORGE)
    report = check(tested, sandbox, "`guide.md` exists", **asked)

    assert verdicts(report) == ["PASS", "FAIL"]
    assert report.reasons[0] == (
        "Added by Prowess, not in the plan: tests and settings that judge other tasks stay as they were:"
        " this change alters them: conftest.py."
        " Put it back; or, if this task needs it, name the file in its `files:`"
    )
    assert check(tested, sandbox, "`guide.md` exists").passed


def test_a_word_that_only_looks_like_a_skip_is_none(tested: Repository, sandbox: Sandbox) -> None:
    tested.put("test_it.py", GOOD + "\n\ndef test_page():\n    assert dict(skip=2)\n")

    assert held(check(tested, sandbox, PASSES))
