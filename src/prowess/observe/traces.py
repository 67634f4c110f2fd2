"""
Runs as OpenTelemetry traces, by the conventions for generative AI: made from the log when a run ends.

A run is a span, and in it every request to a model and every call of a tool; a sub-agent is a span
in its parent's. Spans say what was used and how long it took, never what was read, thought or said.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prowess.core.event import Recorded
from prowess.core.ports import Log

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Tracer

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def wanted(environment: Mapping[str, str]) -> bool:
    """Somebody said where traces are to go."""
    return any(environment.get(name) for name in ENDPOINTS)


@contextmanager
def tracing(exporter: "SpanExporter | None" = None) -> Iterator["Tracer"]:
    """A tracer; without an exporter, to where the environment says. What is left is sent at the end."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if exporter is None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        exporter = OTLPSpanExporter()
    provider = TracerProvider(
        resource=Resource.create({"service.name": "prowess"}), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    try:
        yield provider.get_tracer("prowess")
    finally:
        provider.shutdown()


def trace(log: Log, run: str, tracer: "Tracer", *, within: "Context | None" = None) -> None:
    """The spans of one run that has ended, and of its sub-agents."""
    from opentelemetry.trace import Status, StatusCode, set_span_in_context

    events = list(log.run(run))
    if not events:
        return
    began = next((each for each in events if each.event.kind == "run.started"), events[0])
    skill = str(began.event.payload.get("skill", ""))
    span = tracer.start_span(
        f"invoke_agent {skill}",
        context=within,
        start_time=_nanoseconds(began.at),
        attributes={
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": skill,
            "gen_ai.conversation.id": run,
        },
    )
    outcome = events[-1].event.payload.get("outcome", {})
    ending = str(outcome.get("ending", ""))
    span.set_attribute("prowess.ending", ending)
    span.set_attribute("prowess.iterations", int(outcome.get("iterations", 0)))
    if ending != "done":
        span.set_attribute("error.type", ending or "unknown")
        span.set_status(Status(StatusCode.ERROR))
    inside = set_span_in_context(span)
    for each, start in _parts(events):
        _part(each, start, log, tracer, inside)
    span.end(end_time=_nanoseconds(events[-1].at))


def _parts(events: list[Recorded]) -> Iterator[tuple[Recorded, Recorded]]:
    """Each event that ends something, with the event at which that began."""
    calls: dict[str, Recorded] = {}
    before = events[0]
    for each in events:
        kind, payload = each.event.kind, each.event.payload
        if kind == "call.started":
            calls[payload.get("call_id", "")] = each
        elif kind == "call.finished":
            yield each, calls.get(payload.get("call_id", ""), before)
        elif kind in {"model.replied", "model.failed", "agent.joined"}:
            yield each, before
        before = each


def _part(each: Recorded, start: Recorded, log: Log, tracer: "Tracer", inside: "Context") -> None:
    from opentelemetry.trace import SpanKind, Status, StatusCode

    payload = each.event.payload
    if each.event.kind == "agent.joined":
        trace(log, str(payload.get("child", "")), tracer, within=inside)
        return
    asked = each.event.kind != "call.finished"
    name, attributes = _request(payload) if asked else _call(payload)
    span = tracer.start_span(
        name,
        context=inside,
        kind=SpanKind.CLIENT if asked else SpanKind.INTERNAL,
        start_time=_nanoseconds(start.at),
        attributes={**attributes, "prowess.iteration": int(payload.get("iteration", 0))},
    )
    failed = each.event.kind == "model.failed" or payload.get("ok") is False
    if failed:
        span.set_attribute("error.type", "refused" if payload.get("refused") else "failed")
        span.set_status(Status(StatusCode.ERROR))
    span.end(end_time=_nanoseconds(each.at))


def _request(payload: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    model, usage = str(payload.get("model", "")), payload.get("usage", {})
    provider, _, name = model.rpartition(":")
    return f"chat {name}".strip(), {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider or "unknown",
        "gen_ai.request.model": name,
        "gen_ai.usage.input_tokens": int(usage.get("input_tokens", 0)),
        "gen_ai.usage.output_tokens": int(usage.get("output_tokens", 0)),
    }


def _call(payload: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    tool = str(payload.get("tool", ""))
    return f"execute_tool {tool}", {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": str(payload.get("call_id", "")),
        "gen_ai.tool.type": "function",
    }


def _nanoseconds(at: str) -> int:
    return int(datetime.fromisoformat(at).timestamp() * 1_000_000_000)
