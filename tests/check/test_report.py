"""The artifacts are exactly what other programs expect, and the next attempt can work with them."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from check.checks import check, claim, inspected
from check.repository import Repository
from prowess.check import schemas
from prowess.check.claims import objects_in, read_claims, said_claims
from prowess.check.report import evidence_json, write_artifacts
from prowess.core.errors import OutsideError, UsageError
from prowess.core.evidence import Report
from prowess.core.ports import Sandbox

PACK = Path(schemas.__file__).parents[2] / "pack" / "task-spec-check" / "references"


@pytest.fixture
def failed(repo: Repository, sandbox: Sandbox) -> Report:
    repo.put("lib/a.py", "A = 2\n")
    repo.put("other.py")
    claims = [claim("A is three", inspected("lib/a.py:1", "`A = 3`"))]
    return check(
        repo, sandbox, "`lib/a.py` contains `A = 2`", "A is three", "`lib/b.py` exists",
        claims=claims, files=["lib/**"],
    )  # fmt: skip


@pytest.fixture
def passed(repo: Repository, sandbox: Sandbox) -> Report:
    repo.put("lib/a.py", "A = 2\n")
    return check(repo, sandbox, "`lib/a.py` contains `A = 2`", files=["lib/**"])


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_a_pass_has_a_report_evidence_and_a_record_and_no_feedback(
    passed: Report, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "task-feedback.md").write_text("of an earlier attempt")

    names = write_artifacts(passed, str(tmp_path / "out"), more_tasks=False)

    assert names == ["phase-report.json", "phase-record.json", "T1-evidence.json"]
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(names)
    assert read(tmp_path / "out" / "phase-report.json") == {
        "schemaVersion": 1,
        "phase": "check",
        "outcome": "passed",
        "statusUpdates": {
            "taskPassed": True,
            "taskFailed": False,
            "hasMoreTasks": False,
            "allTasksComplete": True,
        },
        "reasons": [],
        "evidenceRefs": ["T1-evidence.json"],
    }


def test_a_failure_never_ends_a_plan(failed: Report, tmp_path: Path) -> None:
    write_artifacts(failed, str(tmp_path), more_tasks=False)

    told = read(tmp_path / "phase-report.json")
    assert told["outcome"] == "failed"
    assert told["statusUpdates"] == {
        "taskPassed": False,
        "taskFailed": True,
        "hasMoreTasks": True,
        "allTasksComplete": False,
    }
    assert told["evidenceRefs"] == ["T1-evidence.json", "task-feedback.md"]


def test_the_evidence_tells_each_criterion_with_what_was_seen(failed: Report) -> None:
    told = evidence_json(failed)

    assert told["verdict"] == "FAIL"
    assert [each["verdict"] for each in told["criteria"]] == ["PASS", "INCONCLUSIVE", "FAIL"]
    assert [each.get("reason") for each in told["criteria"]] == [
        None,
        "lib/a.py:1: line 1 says `A = 2`, not `A = 3`",
        "lib/b.py is not there",
    ]
    doubted = told["criteria"][1]["evidence"][0]
    assert (doubted["type"], doubted["location"]) == ("file_inspection", "lib/a.py:1")
    assert doubted["confidence"] == 0.0
    assert "Not confirmed: line 1 says `A = 2`" in doubted["description"]
    assert told["filesAllowed"] == {
        "verdict": "FAIL",
        "modifiedFiles": [
            {"path": "lib/a.py", "matchedPattern": "lib/**"},
            {"path": "other.py", "matchedPattern": None},
        ],
    }


def test_the_record_tells_what_was_claimed_committed_and_ignored(
    failed: Report, tmp_path: Path
) -> None:
    claims = [claim("A is three", inspected("lib/a.py:1", "`A = 3`"))]

    write_artifacts(failed, str(tmp_path), claims=claims, claimed_outcome="passed")

    told = read(tmp_path / "phase-record.json")
    assert told["claimed"] == {
        "outcome": "passed",
        "criteria": [{"criterion": "A is three", "verdict": "PASS"}],
    }
    assert told["committed"]["outcome"] == "failed"
    assert told["committed"]["criteria"][1] == {
        "criterion": "A is three",
        "verdict": "INCONCLUSIVE",
        "confirmed": 0,
        "refuted": 0,
        "unconfirmed": 1,
    }


def test_a_claim_that_was_not_taken_is_in_the_record_with_its_reason(
    repo: Repository, sandbox: Sandbox, tmp_path: Path
) -> None:
    repo.put("lib/a.py", "A = 2\n")
    claims = [claim("not asked", inspected("lib/a.py:1", "`A = 2`"))]
    report = check(repo, sandbox, "`lib/a.py` exists", claims=claims)

    write_artifacts(report, str(tmp_path), claims=claims)

    record = read(tmp_path / "phase-record.json")
    assert record["claimed"]["criteria"] == [{"criterion": "not asked", "verdict": "PASS"}]
    assert record["ignored"] == [{"what": "not asked", "why": "the task has no such criterion"}]


def test_the_feedback_has_its_headings_and_every_failure_with_a_step(
    failed: Report, tmp_path: Path
) -> None:
    write_artifacts(failed, str(tmp_path))

    text = (tmp_path / "task-feedback.md").read_text()
    assert re.findall(r"^#.*", text, re.MULTILINE) == [
        "# Task Feedback: T1",
        "## Failed Criteria",
        "## Suggested Fixes",
        "## Files to Review",
    ]
    for line in (
        '- INCONCLUSIVE: "A is three": lib/a.py:1: line 1 says `A = 2`, not `A = 3`.',
        '- FAIL: "`lib/b.py` exists": lib/b.py is not there.',
        "- FAIL: files. other.py was changed and matches none of the allowed files.",
        "3. Put other.py back as it was at the base commit, or ask for it to be allowed.",
        "- other.py: changed outside the allowed files",
    ):
        assert line in text
    assert "contains `A = 2`" not in text


def test_an_unproven_task_has_a_report_that_says_so(
    repo: Repository, sandbox: Sandbox, tmp_path: Path
) -> None:
    repo.put("lib/a.py", "A = 2\n")

    names = write_artifacts(check(repo, sandbox), str(tmp_path))

    assert names == ["phase-report.json", "phase-record.json", "task-feedback.md"]
    assert "neither acceptance criteria" in read(tmp_path / "phase-report.json")["reasons"][0]
    assert read(tmp_path / "phase-record.json")["committed"]["outcome"] == "unproven"


def test_artifacts_follow_no_link_to_somewhere_else(passed: Report, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "phase-report.json").symlink_to(tmp_path / "precious")

    with pytest.raises(OutsideError, match="is a link"):
        write_artifacts(passed, str(tmp_path / "out"))
    assert not (tmp_path / "precious").exists()


@pytest.mark.parametrize(
    ("schema", "page"), [("evidence", "evidence.md"), ("phase-report", "artifacts.md")]
)
def test_what_agents_are_told_of_the_shapes_is_what_we_hold_them_to(schema: str, page: str) -> None:
    blocks = re.findall(r"```json\n(.*?)```", (PACK / page).read_text(), re.DOTALL)
    told, *examples = [json.loads(block) for block in blocks]

    ours = dict(schemas.schema(schema))
    del ours["$schema"]
    assert told == ours
    for example in examples:
        if "schemaVersion" in example:
            assert schemas.problems(example, schema) == []


def test_every_mistake_in_an_artifact_is_told_at_once(passed: Report) -> None:
    wrong = evidence_json(passed)
    wrong["schemaVersion"] = True
    wrong["extra"] = 1
    wrong["criteria"][0]["verdict"] = "MAYBE"
    wrong["criteria"][0]["evidence"][0]["confidence"] = 2
    del wrong["filesAllowed"]["verdict"]

    assert sorted(schemas.problems(wrong, "evidence")) == [
        "$.criteria[0].evidence[0].confidence: must be at most 1",
        "$.criteria[0].verdict: must be one of PASS, FAIL, INCONCLUSIVE",
        "$.filesAllowed: verdict is missing",
        "$.schemaVersion: must be 1",
        "$: unknown key 'extra'",
    ]
    assert schemas.problems({"criteria": []}, "evidence") == [
        "$: schemaVersion is missing",
        "$: taskId is missing",
        "$: verdict is missing",
        "$: filesAllowed is missing",
        "$.criteria: must have at least 1",
    ]


def _with_confidence(report: Report, confidence: float) -> Report:
    (criterion,) = report.criteria
    (looked,) = criterion.evidence
    spoilt = replace(looked, evidence=replace(looked.evidence, confidence=confidence))
    return replace(report, criteria=(replace(criterion, evidence=(spoilt,)),))


def test_an_artifact_of_the_wrong_shape_is_never_written(passed: Report, tmp_path: Path) -> None:
    for name, report, phase in (
        ("phase-report", passed, ""),
        ("phase-record", replace(passed, notes=("",)), "check"),
        ("evidence", _with_confidence(passed, 2.0), "check"),
    ):
        with pytest.raises(ValueError, match=f"{name}: "):
            write_artifacts(report, str(tmp_path / "out"), phase=phase)

    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("confidence", -0.1, "must be at least 0"),
        ("confidence", 1.1, "must be at most 1"),
        ("confidence", True, "must be number"),
        ("type", "hearsay", "must be one of file_inspection"),
        ("source", "me", "unknown key 'source'"),
    ],
)
def test_an_item_of_evidence_has_its_shape_and_no_other(
    passed: Report, name: str, value: object, problem: str
) -> None:
    told = evidence_json(passed)
    told["criteria"][0]["evidence"][0][name] = value

    (wrong,) = schemas.problems(told, "evidence")

    assert problem in wrong


def test_a_criterion_without_evidence_is_none(passed: Report) -> None:
    told = evidence_json(passed)
    told["criteria"][0]["evidence"] = []

    assert schemas.problems(told, "evidence") == ["$.criteria[0].evidence: must have at least 1"]


def test_claims_are_read_from_a_file_or_from_the_last_json_of_an_answer(passed: Report) -> None:
    text = json.dumps(evidence_json(passed))
    answer = (
        f'I looked {{at}} it.\n```json\n{{"criteria": 1}}\n```\nThen:\n```json\n{text}\n```\nBye {{'
    )

    assert said_claims(answer) == (read_claims(text, name="e.json"), [])
    assert read_claims(text, name="e.json")[0].criterion == "`lib/a.py` contains `A = 2`"


def test_words_are_no_claims_and_a_wrong_shape_is_none_either() -> None:
    assert (
        said_claims("All criteria PASS. All tests pass.")[1][0].why == "it holds no evidence JSON"
    )
    claims, ignored = said_claims('{"criteria": "all PASS"}')
    assert claims == []
    assert ignored[0].why == "criteria: must be array"
    wrong = {
        "criterion": "a",
        "evidence": [{"type": "hearsay", "description": "d", "confidence": 1}],
    }
    assert said_claims(json.dumps({"criteria": [wrong]}))[1][0].why == (
        "criterion 1: verdict is missing;"
        " criterion 1, evidence 1, type: must be one of file_inspection, command_output,"
        " test_result, file_existence"
    )
    assert said_claims('{"criteria": [{"criterion": "a",]}')[1][0].why == "its JSON is not whole"
    with pytest.raises(UsageError, match="is not JSON"):
        read_claims("PASS", name="e.json")


def test_evidence_is_found_behind_any_amount_of_code() -> None:
    text = json.dumps({"criteria": []})
    code = "if (a) { b(); } " * 3_000

    assert objects_in(f"{code}\n{text}") == [{"criteria": []}]
    assert objects_in(f'{text} {code} {{"verdict": "CHANGES"}}')[-1] == {"verdict": "CHANGES"}
