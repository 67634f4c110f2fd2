"""A task is proven by what was seen, never by what was said."""

import asyncio
import shutil
from pathlib import Path

import pytest

from check.checks import PYTEST, check, claim, exists, held, inspected, output, ran, verdicts
from check.repository import Repository
from prowess.core.evidence import Spec, report_from_json
from prowess.core.ports import Sandbox
from prowess.engine.checking import Checker
from prowess.engine.work import Asked

GOOD = "def test_a():\n    assert True\n"
BAD = "def test_a():\n    assert False\n"


@pytest.fixture
def work(repo: Repository) -> Repository:
    """Work was done: a module with a line to cite, in a file of five lines."""
    repo.put("lib/a.py", "import re\n\n\ndef parse(text):\n    return   re.escape(text)\n")
    return repo


def test_a_cited_line_that_says_what_is_quoted_proves_the_criterion(
    work: Repository, sandbox: Sandbox
) -> None:
    shown = inspected("lib/a.py:5", "`return re.escape(text)` is what it does")

    report = check(work, sandbox, "it escapes", claims=[claim("it escapes", shown)])

    assert report.outcome == "passed"
    assert report.verdict == "PASS"


@pytest.mark.parametrize(
    ("location", "description", "why"),
    [
        ("lib/a.py:99", "`return re.escape(text)`", "has 5 lines, and line 99 is cited"),
        ("lib/a.py:4", "`return re.escape(text)`", "is not on line 4 but on line 5"),
        ("lib/a.py:5", "`return None`", "line 5 says `return re.escape(text)`"),
        ("lib/a.py:5", "it escapes the text", "it quotes nothing"),
        ("lib/a.py:5", "`(`", "too short"),
        ("lib/a.py", "`return re.escape(text)`", "it names no line"),
        ("lib/none.py:1", "`return re.escape(text)`", "there is no lib/none.py"),
        ("../outside.py:1", "`return re.escape(text)`", "cannot be read"),
        ("/etc/passwd:1", "`root`", "cannot be read"),
        ("", "`return re.escape(text)`", "names no place"),
    ],
)
def test_a_citation_that_cannot_be_confirmed_is_inconclusive_and_no_pass(
    work: Repository, sandbox: Sandbox, location: str, description: str, why: str
) -> None:
    shown = inspected(location, description)

    report = check(work, sandbox, "it escapes", claims=[claim("it escapes", shown)])

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert report.outcome == "failed"
    assert why in report.reasons[0]


@pytest.mark.parametrize("text", ["`" * 1_000_000, "exit" + " " * 1_000_000, "` ``" * 300_000])
def test_a_description_that_is_made_to_hold_us_up_is_not_read(
    work: Repository, sandbox: Sandbox, text: str
) -> None:
    report = check(work, sandbox, text, "c", claims=[claim("c", output("ls", text))])

    assert verdicts(report) == ["INCONCLUSIVE", "INCONCLUSIVE"]


def test_one_wrong_citation_spoils_the_good_ones_beside_it(
    work: Repository, sandbox: Sandbox
) -> None:
    good = inspected("lib/a.py:5", "`return re.escape(text)`")
    wrong = inspected("lib/a.py:50", "`return re.escape(text)`")

    report = check(work, sandbox, "it escapes", claims=[claim("it escapes", good, wrong)])

    assert verdicts(report) == ["INCONCLUSIVE"]


def test_a_link_out_of_the_tree_is_not_read(
    work: Repository, sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("the secret words\n")
    (work.folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    claims = [claim("c", inspected("link.txt:1", "`the secret words`"))]

    report = check(work, sandbox, "c", claims=claims)

    assert verdicts(report) == ["INCONCLUSIVE"]


def test_a_quotation_may_span_lines_that_begin_at_the_cited_one(
    work: Repository, sandbox: Sandbox
) -> None:
    quote = "`def parse(text):\n  return re.escape(text)`"

    report = check(work, sandbox, "c", claims=[claim("c", inspected("lib/a.py:4", quote))])

    assert report.passed


def test_evidence_that_calls_itself_indirect_carries_nothing(
    work: Repository, sandbox: Sandbox
) -> None:
    hint = inspected("lib/a.py:5", "`return re.escape(text)`", confidence=0.5)

    report = check(work, sandbox, "c", claims=[claim("c", hint)])

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "indirect" in report.reasons[0]


def test_a_cited_command_is_run_again(work: Repository, sandbox: Sandbox) -> None:
    right = claim("c", output("cat lib/a.py", "Exit code 0, prints `def parse(text):`"))
    fails = claim("d", output("cat lib/b.py", "Exit code 0, prints `def parse(text):`"))
    other = claim("e", output("cat lib/a.py", "Exit code 0, prints `def other():`"))

    report = check(work, sandbox, "c", "d", "e", claims=[right, fails, other])

    assert verdicts(report) == ["PASS", "INCONCLUSIVE", "INCONCLUSIVE"]
    assert "exit code 1" in report.reasons[0]


def test_a_command_that_succeeds_whatever_is_true_proves_nothing(
    work: Repository, sandbox: Sandbox
) -> None:
    for command in ("true", "echo all tests pass", "pytest nowhere || true", "false; exit 0"):
        report = check(work, sandbox, "c", claims=[claim("c", output(command))])

        assert verdicts(report) == ["INCONCLUSIVE"], command


@pytest.mark.parametrize(
    ("location", "verdict"),
    [
        ("old.py", "PASS"),
        ("src/old/", "PASS"),
        ("src/old", "INCONCLUSIVE"),
        ("parse_old", "INCONCLUSIVE"),
    ],
)
def test_only_of_a_file_the_absence_is_evidence(
    work: Repository, sandbox: Sandbox, location: str, verdict: str
) -> None:
    gone = exists(location, "it is gone")

    report = check(work, sandbox, "c", claims=[claim("c", gone)])

    assert verdicts(report) == [verdict]
    assert verdict == "PASS" or f"of a folder write {location}/" in report.reasons[0]


def test_a_command_that_makes_its_own_evidence_proves_nothing(
    work: Repository, sandbox: Sandbox
) -> None:
    forging = output("echo 'done' >> lib/a.py && grep done lib/a.py", "Exit code 0, `done`")
    made = output("touch made.txt && ls made.txt", "Exit code 0, `made.txt`")
    found = exists("made.txt")

    report = check(
        work,
        sandbox,
        "c",
        "d",
        "e",
        claims=[claim("c", forging), claim("d", made), claim("e", found)],
    )

    assert verdicts(report)[0] == "INCONCLUSIVE"
    assert verdicts(report)[2] == "INCONCLUSIVE"
    assert any("changed lib/a.py" in note for note in report.notes)
    assert not (work.folder / "made.txt").exists()


def test_the_records_of_the_repository_are_out_of_reach_of_commands(
    work: Repository, sandbox: Sandbox
) -> None:
    before = work.git("rev-parse", "HEAD")

    check(work, sandbox, "c", claims=[claim("c", output("git commit -qam sneaked"))])

    assert work.git("rev-parse", "HEAD") == before


def test_tests_are_counted_by_us(work: Repository, sandbox: Sandbox) -> None:
    work.put("test_good.py", GOOD)
    work.put("test_bad.py", BAD)
    work.put("test_none.py", "def helper(): ...\n")
    claims = [
        claim("good", ran(f"{PYTEST} test_good.py")),
        claim("bad", ran(f"{PYTEST} test_bad.py", "`1 passed`")),
        claim("none", ran(f"{PYTEST} test_none.py")),
    ]

    report = check(work, sandbox, "good", "bad", "none", claims=claims)

    assert verdicts(report) == ["PASS", "FAIL", "INCONCLUSIVE"]
    assert "1 failed" in report.reasons[0]
    assert "no test ran" in report.reasons[1]


def test_a_verifier_that_prints_without_end_neither_hangs_nor_hides_its_summary(
    work: Repository, sandbox: Sandbox
) -> None:
    loud = "for _ in range(60_000): print('x' * 79, file=sys.stderr)"
    work.put("test_loud.py", f"import sys\n\ndef test_a():\n    {loud}\n")
    work.put(
        "loud.py",
        "import sys, unittest\n\nclass T(unittest.TestCase):\n"
        f"    def test_a(self):\n        {loud}\n",
    )

    report = check(
        work, sandbox, f"`{PYTEST} -s test_loud.py` passes", "`python -m unittest loud` passes"
    )

    assert verdicts(report) == ["PASS", "PASS"]


def test_a_pipe_hides_no_failure_and_a_reader_that_has_seen_enough_is_none(
    work: Repository, sandbox: Sandbox
) -> None:
    report = check(work, sandbox, "`cat none | sort` succeeds", "`seq 999999 | head -n 1` succeeds")

    assert verdicts(report) == ["FAIL", "PASS"]


def test_a_command_that_hangs_is_stopped_and_inconclusive(
    work: Repository, sandbox: Sandbox
) -> None:
    report = check(work, sandbox, "`sleep 60 && ls` succeeds", seconds=1)

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "stopped (timeout)" in report.reasons[0]


def test_a_claimed_failure_needs_evidence_that_we_can_see(
    work: Repository, sandbox: Sandbox
) -> None:
    seen = claim(
        "c", inspected("lib/a.py:5", "`return re.escape(text)`"), verdict="FAIL", reason="no check"
    )
    unseen = claim("d", inspected("lib/a.py:9", "`nothing here`"), verdict="FAIL", reason="bad")

    report = check(work, sandbox, "c", "d", claims=[seen, unseen])

    assert verdicts(report) == ["FAIL", "INCONCLUSIVE"]
    assert "no check" in report.reasons[0]


def test_a_criterion_that_nobody_speaks_of_is_inconclusive(
    work: Repository, sandbox: Sandbox
) -> None:
    report = check(work, sandbox, "it is beautiful")

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert report.outcome == "failed"


def test_a_claim_about_something_else_is_ignored_and_told(
    work: Repository, sandbox: Sandbox
) -> None:
    good = inspected("lib/a.py:5", "`return re.escape(text)`")
    claims = [claim("another", good), claim("c", good), claim("c", good)]

    report = check(work, sandbox, "c", claims=claims)

    assert report.passed
    assert [each.why for each in report.ignored] == [
        "the task has no such criterion",
        "it was claimed before",
    ]


def test_validation_commands_must_succeed_too(work: Repository, sandbox: Sandbox) -> None:
    work.put("test_bad.py", BAD)

    report = check(
        work, sandbox, "`lib/a.py` exists", validation=("ls lib", f"{PYTEST} test_bad.py")
    )

    assert verdicts(report) == ["PASS", "PASS", "FAIL"]
    assert report.outcome == "failed"


def test_validation_that_collects_no_test_is_no_proof(work: Repository, sandbox: Sandbox) -> None:
    report = check(work, sandbox, validation=(f"{PYTEST} lib || true",))

    assert verdicts(report) == ["INCONCLUSIVE"]


def test_a_change_outside_the_allowed_files_fails_however_good_it_is(
    work: Repository, sandbox: Sandbox
) -> None:
    work.put("other.py")

    report = check(work, sandbox, "`lib/a.py` exists", files=["lib/**"])

    assert verdicts(report) == ["PASS"]
    assert report.verdict == "FAIL"
    assert report.reasons == ("other.py was changed and matches none of the allowed files",)


def test_files_that_the_caller_writes_are_not_the_workers(
    work: Repository, sandbox: Sandbox
) -> None:
    work.put("PLAN.md")
    work.put(".prowess/check/x.json")

    report = check(
        work, sandbox, "`lib/a.py` exists", files=["lib/**"], own=("PLAN.md", ".prowess/")
    )

    assert report.passed


def test_what_a_validation_command_leaves_behind_is_not_the_workers(
    work: Repository, sandbox: Sandbox
) -> None:
    report = check(work, sandbox, files=["lib/**"], validation=("ls lib > build.txt",))

    assert held(report)
    assert report.notes == ()
    assert not (work.folder / "build.txt").exists()


def test_who_changed_nothing_has_proven_nothing(repo: Repository, sandbox: Sandbox) -> None:
    repo.put("test_a.py", GOOD)
    repo.commit()

    report = check(repo, sandbox, "all tests pass", validation=(f"{PYTEST} test_a.py",))

    assert report.outcome == "failed"
    assert "no file differs" in report.reasons[0]


def test_a_task_with_nothing_to_check_is_unproven(work: Repository, sandbox: Sandbox) -> None:
    report = check(work, sandbox)

    assert report.outcome == "unproven"
    assert not report.passed


def test_without_a_sandbox_the_commands_of_a_claim_are_not_run(
    work: Repository, sandbox: Sandbox
) -> None:
    mark = work.folder / "mark"
    claims = [claim("c", output("touch mark"))]

    report = check(work, sandbox, "c", claims=claims, isolated=False, validation=("ls lib",))

    assert verdicts(report) == ["INCONCLUSIVE", "PASS"]
    assert not mark.exists()


def test_a_folder_without_git_can_be_checked_where_no_files_are_named(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    plain = Repository(tmp_path / "plain")
    plain.put("a.txt")
    shutil.rmtree(plain.folder / ".git")

    assert check(plain, sandbox, "a.txt exists").passed
    assert check(plain, sandbox, "a.txt exists", files=["a.txt"]).verdict == "FAIL"


def test_each_verdict_is_told_once_as_soon_as_it_is_known(
    work: Repository, sandbox: Sandbox
) -> None:
    told: list[str] = []
    spec = Spec(id="T", title="t", criteria=("`ls lib` succeeds", "`lib/a.py` exists"))
    checker = Checker(sandbox=sandbox, isolated=True)

    asyncio.run(
        checker.check(
            Asked(spec=spec, workspace=str(work.folder)), tell=lambda each: told.append(each.text)
        )
    )

    assert told == ["`lib/a.py` exists", "`ls lib` succeeds"]


def test_a_report_survives_being_written_down(work: Repository, sandbox: Sandbox) -> None:
    claims = [claim("c", inspected("lib/a.py:5", "`return None`"))]
    report = check(work, sandbox, "c", claims=claims, files=["x"])

    assert report_from_json(report.as_json()) == report


def test_an_exit_code_of_the_interpreter_is_none_of_the_script_that_is_not_there(
    work: Repository, sandbox: Sandbox
) -> None:
    asked = "`python cli.py --nope` exits with 2"
    assert verdicts(check(work, sandbox, asked)) == ["FAIL"]

    work.put("cli.py", "import sys\nsys.exit(2)\n")
    assert verdicts(check(work, sandbox, asked)) == ["PASS"]


def test_a_program_that_only_says_that_its_pipe_broke_has_failed(
    work: Repository, sandbox: Sandbox
) -> None:
    work.put("app.py", "import sys\nprint('broken')\nsys.exit(141)\n")

    report = check(work, sandbox, "`python app.py | tee log.txt` succeeds")

    assert verdicts(report) == ["FAIL"]
