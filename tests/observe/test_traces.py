"""Runs as traces, made from the log alone."""

from pathlib import Path
from typing import Any

from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from prowess.core.event import Event
from prowess.observe.log import SqliteLog
from prowess.observe.traces import trace, tracing, wanted

USAGE = {"input_tokens": 10, "output_tokens": 3, "cost": None}


def spans(log: SqliteLog, run: str) -> dict[str, Any]:
    """The finished spans by name."""
    kept = InMemorySpanExporter()
    with tracing(kept) as tracer:
        trace(log, run, tracer)
    return {span.name: span for span in kept.get_finished_spans()}


def tell(log: SqliteLog, run: str, kind: str, **payload: Any) -> None:
    log.append(Event(run=run, kind=kind, payload=payload))


def told(tmp_path: Path, *, ok: bool = True, ending: str = "done") -> SqliteLog:
    log = SqliteLog(str(tmp_path / "log"))
    tell(log, "r1", "run.started", skill="report", arguments="secret words")
    tell(log, "r1", "model.replied", model="openai:gpt-x", usage=USAGE, iteration=1)
    tell(log, "r1", "call.started", call_id="c1", tool="Bash", input={"command": "secret words"})
    tell(log, "r1", "call.finished", call_id="c1", tool="Bash", ok=ok, text="secret words")
    tell(log, "r1.1", "run.started", skill="child")
    tell(log, "r1.1", "run.finished", outcome={"ending": "done"})
    tell(log, "r1", "agent.joined", child="r1.1")
    tell(log, "r1", "run.finished", outcome={"ending": ending, "iterations": 2})
    return log


def test_a_run_is_a_span_with_its_requests_calls_and_sub_agents_inside(tmp_path: Path) -> None:
    found = spans(told(tmp_path), "r1")

    assert set(found) == {
        "invoke_agent report",
        "chat gpt-x",
        "execute_tool Bash",
        "invoke_agent child",
    }
    run = found["invoke_agent report"]
    assert all(
        span.parent.span_id == run.context.span_id for span in found.values() if span is not run
    )
    assert found["chat gpt-x"].attributes["gen_ai.provider.name"] == "openai"
    assert found["chat gpt-x"].attributes["gen_ai.usage.input_tokens"] == 10
    assert found["execute_tool Bash"].attributes["gen_ai.tool.call.id"] == "c1"
    assert run.attributes["gen_ai.conversation.id"] == "r1"
    assert run.start_time <= found["chat gpt-x"].start_time <= run.end_time


def test_what_failed_is_an_error(tmp_path: Path) -> None:
    found = spans(told(tmp_path, ok=False, ending="partial"), "r1")

    assert not found["execute_tool Bash"].status.is_ok
    assert found["invoke_agent report"].attributes["error.type"] == "partial"
    assert found["invoke_agent child"].status.is_unset or found["invoke_agent child"].status.is_ok


def test_spans_hold_nothing_of_what_was_said(tmp_path: Path) -> None:
    found = spans(told(tmp_path), "r1")

    assert "secret words" not in " ".join(span.to_json() for span in found.values())


def test_traces_are_sent_only_where_somebody_said_where_to() -> None:
    assert not wanted({})
    assert wanted({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"})
