"""A list of tasks says which of them can be worked on, and everything that is wrong with it."""

import json
from typing import Any

import pytest

from prowess.check.task_file import read_tasks, ready
from prowess.core.errors import UsageError
from prowess.core.evidence import Spec


def tasks(*rows: dict[str, Any]) -> list[Spec]:
    told = [{"title": row["id"], **row} for row in rows]
    return read_tasks(json.dumps(told), name="tasks.json")


def ready_ids(*rows: dict[str, Any]) -> list[str]:
    return [spec.id for spec in ready(tasks(*rows))]


def test_a_task_has_its_fields_and_no_others() -> None:
    row = {
        "id": "T1",
        "title": "Units",
        "summary": "Reject what has none.",
        "acceptanceCriteria": ["`src/a.py` exists"],
        "filesAllowed": ["src/**"],
        "dependsOn": [],
        "status": "failed",
    }

    (spec,) = tasks(row)

    assert (spec.id, spec.title, spec.summary) == ("T1", "Units", "Reject what has none.")
    assert (spec.criteria, spec.files) == (("`src/a.py` exists",), ("src/**",))
    assert (spec.after, spec.status) == ((), "failed")
    with pytest.raises(UsageError, match="unknown key 'owner'"):
        tasks({**row, "owner": "me"})
    with pytest.raises(UsageError, match="status: must be one of"):
        tasks({**row, "status": "done"})


def test_those_pending_and_failed_are_ready_and_no_others() -> None:
    assert ready_ids(
        {"id": "pending"},
        {"id": "under way", "status": "in_progress"},
        {"id": "passed", "status": "passed"},
        {"id": "failed", "status": "failed"},
    ) == ["failed", "pending"]


@pytest.mark.parametrize("status", ["pending", "in_progress", "failed"])
def test_a_task_is_ready_only_when_all_it_depends_on_has_passed(status: str) -> None:
    first = {"id": "A", "status": "passed"}
    last = {"id": "C", "dependsOn": ["A", "B"]}

    assert "C" not in ready_ids(first, {"id": "B", "status": status}, last)
    assert ready_ids(first, {"id": "B", "status": "passed"}, last) == ["C"]


def test_those_that_failed_come_first_and_each_kind_in_the_order_of_the_list() -> None:
    rows = [
        {"id": "z"},
        {"id": "y", "status": "failed"},
        {"id": "b"},
        {"id": "a", "status": "failed"},
    ]

    assert ready_ids(*rows) == ["y", "a", "z", "b"]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([{"id": "A"}, {"id": "A"}], "DUPLICATE_ID: A"),
        ([{"id": "A", "dependsOn": ["B"]}], "MISSING_DEPENDENCY: A needs B"),
        ([{"id": "A", "dependsOn": ["A"]}], "CYCLE_DETECTED: A -> A"),
        (
            [
                {"id": "A"},
                {"id": "B", "dependsOn": ["A", "D"]},
                {"id": "C", "dependsOn": ["B"]},
                {"id": "D", "dependsOn": ["C"]},
            ],
            "CYCLE_DETECTED: B -> D -> C -> B",
        ),
    ],
)
def test_a_list_that_cannot_be_worked_through_is_refused_by_name(
    rows: list[dict[str, Any]], problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        tasks(*rows)


@pytest.mark.parametrize("text", ["", "\n", "tasks: []"])
def test_a_file_without_a_task_says_so_and_what_a_task_has(text: str) -> None:
    with pytest.raises(UsageError, match=r"none.yaml holds no task") as refused:
        read_tasks(text, name="none.yaml")
    assert "`id` and `title`" in refused.value.hint
