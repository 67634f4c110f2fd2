"""Whoever writes evidence by hand finds its shape where the error says."""

from pathlib import Path

from loop.looping import git
from prowess.check.schemas import schema
from support import Cli, write_file


def test_the_schema_of_evidence_is_printed(cli: Cli) -> None:
    done = cli("schema", "evidence")

    assert done.code == 0
    assert done.json == schema("evidence")
    assert cli("schema", "evidence", "--json").json == schema("evidence")


def test_evidence_of_a_wrong_shape_is_told_where_the_shape_is(cli: Cli, project: Path) -> None:
    git(project, "init", "-q")
    write_file(project / "PLAN.md", "- [ ] Say hello\n  - it is polite\n")

    for wrong in ("{}", "no JSON"):
        write_file(project / "evidence.json", wrong)
        done = cli("check", "--evidence", "evidence.json")

        assert done.code == 2
        assert "`prowess schema evidence` prints the shape" in done.err
