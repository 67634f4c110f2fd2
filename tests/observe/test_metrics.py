"""Numbers for machines, counted once from the log."""

from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from prowess.core.event import Event, skills_discovered, skills_truncated
from prowess.observe.log import SqliteLog
from prowess.observe.metrics import Count, exposition


def tell(log: SqliteLog, run: str, kind: str, **payload: Any) -> None:
    log.append(Event(run=run, kind=kind, payload=payload))


def finished(log: SqliteLog, run: str, ending: str) -> None:
    tell(log, run, "run.started", skill="report")
    usage = {"input_tokens": 10, "output_tokens": 3, "cost": 0.5}
    tell(log, run, "model.replied", model="m", usage=usage, iteration=1)
    tell(log, run, "run.finished", outcome={"ending": ending, "iterations": 2})


def samples(count: Count) -> dict[str, float]:
    """Every value of the page, with its labels in the name."""
    page = exposition(count)
    return {
        sample.name + "".join(f" {key}={value}" for key, value in sorted(sample.labels.items())): (
            sample.value
        )
        for family in text_string_to_metric_families(page.decode())
        for sample in family.samples
    }


def test_the_four_counters_are_there_from_the_start(tmp_path: Path) -> None:
    found = samples(Count(SqliteLog(str(tmp_path / "log"))))

    assert {name: found[name] for name in found if name.startswith("skills_")} == {
        "skills_discovered_total": 0,
        "skills_selected_total": 0,
        "skills_load_failed_total": 0,
        "skills_truncated_total": 0,
    }
    assert "prowess_success_ratio" not in found


def test_what_is_new_is_added_and_nothing_is_counted_twice(tmp_path: Path) -> None:
    log = SqliteLog(str(tmp_path / "log"))
    count = Count(log)
    log.append(skills_discovered("x", locations=[], names=["a", "b"]))
    finished(log, "r1", "done")
    first = samples(count)
    log.append(skills_truncated("x", name="a", max_chars=5))
    finished(log, "r2", "failed")

    found = samples(count)

    assert first["skills_discovered_total"] == found["skills_discovered_total"] == 2
    assert found["skills_truncated_total"] == 1
    assert (first["prowess_success_ratio"], found["prowess_success_ratio"]) == (1.0, 0.5)
    assert found["prowess_runs_ended_total ending=failed skill=report"] == 1
    assert found["prowess_tokens_total direction=input model=m"] == 20
    assert found["prowess_cost_dollars_total model=m"] == 1.0
    assert found["prowess_iterations_average"] == 2


def test_a_restart_changes_no_number(tmp_path: Path) -> None:
    log = SqliteLog(str(tmp_path / "log"))
    count = Count(log)
    finished(log, "r1", "done")
    samples(count)
    finished(log, "r2", "done")

    assert samples(count) == samples(Count(log))


def test_a_cost_that_is_not_known_is_left_out(tmp_path: Path) -> None:
    log = SqliteLog(str(tmp_path / "log"))
    tell(log, "r", "run.started", skill="s")
    tell(log, "r", "model.replied", model="m", usage={"input_tokens": 1, "cost": None})

    found = samples(Count(log))

    assert "prowess_cost_dollars_total model=m" not in found
    assert found["prowess_model_requests_total model=m"] == 1
