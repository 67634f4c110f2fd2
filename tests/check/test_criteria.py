"""What a criterion's own words let us look at."""

import pytest

from prowess.check.criteria import Proposal, propose
from prowess.check.probes import Probe
from prowess.check.running.shell import says_nothing


def read(text: str, *validation: str) -> Proposal:
    known = {"test_parse": ["tests/test_a.py"], "test_twice": ["a_test.py", "tests/test a.py"]}
    return propose(text, validation=validation, find_test=lambda name: known.get(name, ()))


def file(target: str, *, there: bool = True) -> Probe:
    return Probe(type="file_existence", target=target, there=there)


def words(target: str, *quotes: str, there: bool = True) -> Probe:
    return Probe(type="file_inspection", target=target, quotes=quotes, there=there)


@pytest.mark.parametrize(
    ("text", "probe"),
    [
        ("`docs/units.md` exists", file("docs/units.md")),
        ("docs/units.md exists.", file("docs/units.md")),
        ("The file `docs/units.md` is added", file("docs/units.md")),
        ("There is a folder `docs/`", file("docs/")),
        ("`old.py` no longer exists", file("old.py", there=False)),
        ("old.py is removed", file("old.py", there=False)),
        ("There is no `old.py`", file("old.py", there=False)),
        ("The file `bin/tool` exists", file("bin/tool")),
        ("The folder `src/old` is removed", file("src/old", there=False)),
        ("`src/old/` is removed", file("src/old/", there=False)),
        ("There is a `Makefile`", file("Makefile")),
        ("`.github/CODEOWNERS` is added", file(".github/CODEOWNERS")),
        ("`.env.example` is removed", file(".env.example", there=False)),
        ("`uv.lock` exists", file("uv.lock")),
        ("`.github/` is removed", file(".github/", there=False)),
        ("`.eslintrc.json` is gone", file(".eslintrc.json", there=False)),
        ("`R/fit.R` exists", file("R/fit.R")),
        ("`src/a.py` contains `def parse`", words("src/a.py", "def parse")),
        ('README.md mentions "the units"', words("README.md", "the units")),
        ('`README.md` mentions "install and run"', words("README.md", "install and run")),
        ("`README.md` says “first; then and there”", words("README.md", "first; then and there")),
        ("The file `c.txt` must exist", file("c.txt")),
        ("The file `sub dir/c.txt` exists", file("sub dir/c.txt")),
        ("The file `sub dir/c.txt` contains `x`", words("sub dir/c.txt", "x")),
        ("`a.py` contains `def a`, `def b`", words("a.py", "def a", "def b")),
        ('`a.md` mentions "one", "two and" and "three"', words("a.md", "one", "two and", "three")),
        ("`a.py` does not contain `x` or `y`", words("a.py", "x", "y", there=False)),
        ("`c.txt` must not exist", file("c.txt", there=False)),
        ("`a.py` must contain `def parse`", words("a.py", "def parse")),
        ("`a.py` does not contain `eval(`", words("a.py", "eval(", there=False)),
        ("`make lint` passes", Probe(type="command_output", target="make lint")),
        ("`make` succeeds", Probe(type="command_output", target="make")),
        ("`./run.sh` exits with code 0", Probe(type="command_output", target="./run.sh")),
        ("`app --bad` exits with 2", Probe(type="command_output", target="app --bad", code=2)),
        ("`app --bad` fails", Probe(type="command_output", target="app --bad", code=None)),
        (
            "`app --version` prints `2.0`",
            Probe(type="command_output", target="app --version", quotes=("2.0",)),
        ),
        ("`pytest -q` passes", Probe(type="test_result", target="pytest -q")),
        ("`npm run test` passes", Probe(type="test_result", target="npm run test")),
        (
            "`tests/test_a.py::test_parse` passes",
            Probe(type="test_result", target="python -m pytest -q tests/test_a.py::test_parse"),
        ),
        (
            "`test_twice` passes",
            Probe(
                type="test_result",
                target="python -m pytest -q a_test.py 'tests/test a.py' -k test_twice",
            ),
        ),
        (
            "test_parse passes",
            Probe(type="test_result", target="python -m pytest -q tests/test_a.py -k test_parse"),
        ),
    ],
)
def test_a_plain_sentence_is_read_whole(text: str, probe: Probe) -> None:
    assert read(text) == Proposal(probes=(probe,), whole=True)


def test_all_tests_are_those_of_the_validation_commands() -> None:
    found = read("All tests pass", "ruff check .", "pytest -q")

    assert found == Proposal(probes=(Probe(type="test_result", target="pytest -q"),), whole=True)
    assert not read("All tests pass", "ruff check .").whole
    assert read("All existing tests still pass", "ruff check .", "pytest -q") == found


@pytest.mark.parametrize(
    ("validation", "call"),
    [
        (".venv/bin/python -m pytest tests -q", ".venv/bin/python -m pytest -q"),
        ("uv run pytest", "uv run pytest"),
        ("poetry run pytest -x tests/test_b.py::test_c", "poetry run pytest -x"),
        (".venv/bin/pytest -k 'not slow' -m fast -q", ".venv/bin/pytest -q"),
        (
            "A='b c' B=1 pytest -p no:cacheprovider -n 4",
            "A='b c' B=1 pytest -p no:cacheprovider -n 4",
        ),
        ("ruff check . && .venv/bin/pytest -kslow", ".venv/bin/pytest"),
        ("pytest --cov src --cov-fail-under=90 --ignore=old --lf -c own.ini", "pytest -c own.ini"),
        ("npm test", "python -m pytest -q"),
        ("cd web && .venv/bin/pytest", "python -m pytest -q"),
        ('"$VENV/bin/pytest"', "python -m pytest -q"),
        ("python -m unittest", "python -m pytest -q"),
    ],
)
def test_a_test_is_run_as_the_validation_commands_run_theirs(validation: str, call: str) -> None:
    named = read("`test_parse` passes", "ruff check .", validation)
    whole = read("tests/test_a.py passes", "ruff check .", validation)

    assert named.probes[0].target == f"{call} tests/test_a.py -k test_parse"
    assert whole.probes[0].target == f"{call} tests/test_a.py"


@pytest.mark.parametrize(
    "text",
    [
        '`parse("10")` raises, and the message names the units',
        "`parse` works",
        "the page looks good",
        "`None` is returned",
        "test_unknown passes",
        "",
        "`a.py` exists or `b.py` exists",
        "`a.py` exists, or `b.py` exists",
        "`a.py` exists, unless `b.py` exists",
        "`a.py` exists, `b.py` exists, or both",
        "`old_add` is removed",
        "`--verbose` no longer exists",
        "there is no `eval`",
        "`requests` is gone and `Calculator.old` has been deleted",
        "Calculator.old is gone",
        "`self.json` is removed",
        "`Vue.js` is removed",
        "`console.log` is gone",
        "`.btn-primary` is removed",
        "there is no `.then`",
        "`users/me` exists",
        "`/users.json` is removed",
        "`@babel/core` has been removed",
        "there is a `parse`",
    ],
)
def test_what_is_not_understood_is_not_guessed(text: str) -> None:
    assert read(text) == Proposal()


def test_a_part_that_is_not_understood_leaves_the_whole_open() -> None:
    found = read("`make lint` passes and the users are happy")

    assert found == Proposal(
        probes=(Probe(type="command_output", target="make lint"),), whole=False
    )


def test_two_parts_that_are_understood_are_both_looked_at() -> None:
    found = read("`a.py` exists, and `b.py` contains `x and y`; `c.py` is gone")

    assert found.whole
    assert found.probes == (file("a.py"), words("b.py", "x and y"), file("c.py", there=False))


def test_a_list_ends_where_the_next_sentence_begins() -> None:
    found = read("`a.py` contains `x`, `y`, and `b.py` contains `z` and `c.txt` exists")

    assert found == Proposal(
        probes=(words("a.py", "x", "y"), words("b.py", "z"), file("c.txt")), whole=True
    )


@pytest.mark.parametrize(
    "text", ["`pytest` passes and `mypy src`", "Running `make lint` succeeds and `make test`"]
)
def test_what_is_no_list_may_still_be_refuted_by_its_first_part(text: str) -> None:
    found = read(text)

    assert len(found.probes) == 1
    assert not found.whole


def test_a_comma_joins_what_is_understood_on_both_sides() -> None:
    found = read("`a.txt` exists, `b.txt` contains `x, y`, and `c.txt` exists")

    assert found == Proposal(
        probes=(file("a.txt"), words("b.txt", "x, y"), file("c.txt")), whole=True
    )


@pytest.mark.parametrize(
    "command",
    ["true", ":", "echo ok", "make || true", "make; echo done", "make\nexit 0", "A=1 true",
     "cd lib && echo ok", "make | echo fine", "make || exit", "make || exit 0", "make; exit 1",
     "make || { echo failed; exit 0; }", "make || { true; }", "make || (echo failed; true)", "make &",
     "set -e; make || true", "set -e; make && echo ok; true", "set -e; set +e; make; true",
     "bash -c 'make || true'", "bash -euo pipefail -c 'make || exit 0'", "make -k a#b || true",
     "make || \\\n  true", "make ||\n  true", "make # all of it\ntrue", "! true", "exit 1",
     "make; true; exit $?", "(make; exit 1) || true", "(((" * 30 + "make"],
)  # fmt: skip
def test_some_commands_end_the_same_whatever_is_true(command: str) -> None:
    assert says_nothing(command)


@pytest.mark.parametrize(
    "command",
    ["make", "make && echo done", "echo a | grep a", "test -f x", "cd lib && make", "grep 'a; true' x",
     "pytest || exit 1", "pytest || { echo failed; exit 1; }", "pytest || (echo failed; exit 1)",
     "make test || exit 2", "set -e; pytest", "set -e; pytest; echo done", "set -euo pipefail\nmake\ntrue",
     "bash -ec 'make; echo done'", "make || exit $?", "make; exit $?", "make; code=$?; exit $code",
     "(cd lib && make)", "! make", "make && echo a | echo b", "make || false", "make || exit 1; echo ok",
     "grep '#' x || exit 1", "echo a; { make; }"],
)  # fmt: skip
def test_others_may_end_well_or_badly(command: str) -> None:
    assert not says_nothing(command)
