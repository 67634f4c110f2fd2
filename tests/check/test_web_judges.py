"""Runners of JavaScript are known as judges, with the files that switch them off."""

import shutil

import pytest

from check.checks import check, claim, ran, verdicts
from check.repository import Repository
from prowess.check.judges.deciding import to_read
from prowess.check.kept.known_tests import is_test, lost_tests, more_skips
from prowess.core.evidence import Change
from prowess.core.ports import Sandbox

TEST = """const test = require('node:test');
const assert = require('node:assert');
test('adds', () => { assert.equal(require('./add.js')(1, 2), 3); });
"""
ADD = "module.exports = (a, b) => a {} b;\n"
PASSES = "`node --test` passes"


@pytest.fixture
def wrong(repo: Repository) -> Repository:
    """A repository with a test for node that fails."""
    if not shutil.which("node"):
        pytest.skip("there is no node")
    repo.put("add.js", ADD.format("-"))
    repo.put("add.test.js", TEST)
    repo.put(
        "package.json", '{"name": "n", "version": "1.0.0", "scripts": {"test": "node --test"}}\n'
    )
    repo.put("check.sh", "node --test >/dev/null\n")
    repo.commit("tests")
    return repo


def test_tests_for_node_are_counted(wrong: Repository, sandbox: Sandbox) -> None:
    wrong.put("add.js", ADD.format("+"))

    report = check(wrong, sandbox, PASSES, files=["add.js"], validation=("node --test",))

    assert report.passed
    assert "1 passed, 0 failed" in report.criteria[0].evidence[0].seen


def test_tests_for_node_that_fail_are_seen_to(wrong: Repository, sandbox: Sandbox) -> None:
    wrong.put("add.js", ADD.format("*"))

    assert verdicts(check(wrong, sandbox, PASSES)) == ["FAIL"]


@pytest.mark.parametrize(
    "gutted", ["// nothing\n", TEST.replace("'adds', ", "'adds', {skip: true}, ")]
)
@pytest.mark.parametrize("command", ["node --test", "npm test", "bash check.sh"])
def test_a_gutted_test_proves_nothing_by_whatever_command(
    wrong: Repository, sandbox: Sandbox, command: str, gutted: str
) -> None:
    wrong.put("add.test.js", gutted)

    report = check(wrong, sandbox, "`README.md` exists", validation=(command,))

    assert verdicts(report) == ["PASS", "INCONCLUSIVE"]


def test_a_gutted_test_says_nothing_of_a_command_that_runs_none(
    wrong: Repository, sandbox: Sandbox
) -> None:
    wrong.put("add.test.js", "// nothing\n")

    report = check(wrong, sandbox, "`README.md` exists", validation=("test -f README.md",))

    assert report.passed


def test_settings_that_switch_a_runner_off_take_its_worth(
    wrong: Repository, sandbox: Sandbox
) -> None:
    wrong.put(".npmrc", "script-shell=/bin/true\n")

    report = check(wrong, sandbox, "all tests pass", validation=("npm test",))

    assert verdicts(report) == ["INCONCLUSIVE", "INCONCLUSIVE"]
    assert "the change touches what judges it: .npmrc" in report.reasons[0]


def test_a_claimed_run_is_no_better(wrong: Repository, sandbox: Sandbox) -> None:
    wrong.put("add.test.js", "// nothing\n")

    report = check(wrong, sandbox, "it adds", claims=[claim("it adds", ran("node --test"))])

    assert verdicts(report) == ["INCONCLUSIVE"]


@pytest.mark.parametrize(
    "path",
    [".npmrc", "web/.yarnrc", ".yarnrc.yml", "bunfig.toml", ".mocharc.json", "ava.config.js",
     "playwright.config.ts", ".cargo/config.toml", "rust-toolchain"],
)  # fmt: skip
def test_such_settings_are_read(path: str) -> None:
    assert to_read([Change(path=path, status="A")]) == [path]


@pytest.mark.parametrize(
    "path",
    [
        "test/add.js",
        "web/tests/deep/add.mjs",
        "test.js",
        "test-add.cjs",
        "add-test.ts",
        "add_test.js",
    ],
)
def test_where_these_runners_look_are_tests(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize(
    "path", ["src/add.js", "test/fixtures/a.js", "tests/helpers.js", "latest.js"]
)
def test_elsewhere_are_none(path: str) -> None:
    assert not is_test(path)


@pytest.mark.parametrize(
    "now",
    ["test.skip('a', f)", "test('a', { skip: true }, f)", "test('a', (t) => { t.skip() })",
     "it('a', function () { this.skip() })", "test.serial.skip('a', f)", "test.failing('a', f)"],
)  # fmt: skip
def test_their_ways_to_skip_a_test_are_known(now: str) -> None:
    assert more_skips("a.test.js", "test('a', f)", now)


@pytest.mark.parametrize(
    "now",
    ["list({ skip: 10, take: 5 })", "const { id, todo } = item", "add({ todo: 'milk' })",
     "test('b', () => list({ skip: 1 }))"],
)  # fmt: skip
def test_words_of_the_work_itself_skip_no_test(now: str) -> None:
    assert not more_skips("a.test.js", "test('a', f)", f"test('a', f)\n{now}\n")


def test_a_test_that_runs_one_after_the_other_is_one_too() -> None:
    assert lost_tests({"test.js": "test.serial('a', f)\n"}, {"test.js": "// nothing\n"}) == ["'a'"]
