"""Code under test that ends its run with 0 has not passed."""

import shutil

import pytest

from check.checks import check, held, verdicts
from check.repository import Repository
from prowess.core.ports import Sandbox

TEST = "const test = require('node:test');\nconst { double } = require('./calc');\ntest('double', () => {});\n"


def test_code_that_ends_a_run_of_node_with_0_has_not_passed(
    repo: Repository, sandbox: Sandbox
) -> None:
    if not shutil.which("node"):
        pytest.skip("there is no node")
    repo.put("calc.js", "exports.double = x => 2 * x;\n")
    repo.put("calc.test.js", TEST)
    base = repo.commit("right")
    repo.put("calc.js", "exports.double = x => x;\nprocess.exit(0);\n")
    passes = "`node --test` passes"

    report = check(repo, sandbox, passes, base=base)

    assert verdicts(report) == ["INCONCLUSIVE"]
    repo.put("calc.js", "exports.double = x => x + x;\n")
    assert held(check(repo, sandbox, passes, base=base))


def test_a_run_of_cargo_that_is_cut_short_is_inconclusive(
    repo: Repository, sandbox: Sandbox
) -> None:
    told = "running 1 test\\n"
    whole = "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\\n"
    repo.put("tests.sh", f"printf '{told}{whole}{told}'\n")

    report = check(repo, sandbox, "it works", validation=("bash tests.sh cargo test",))

    assert verdicts(report)[-1] == "INCONCLUSIVE"
