"""
Numbers for machines: the log counted once, event by event, and told as Prometheus reads it.

Whoever asks gets the numbers up to the last event, and only events that are new since the last
question are read. Nothing is counted anywhere else, so a restart changes no number.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from prowess.core.ports import Log
from prowess.observe.stats import Numbers, Stats, Tally, counters

if TYPE_CHECKING:
    from prometheus_client.core import Metric

CONTENT_TYPE = "text/plain; version=1.0.0; charset=utf-8"  # what `exposition` is
FOUR = tuple(counters(()))


class Count:
    """The log so far, counted. May be asked by several threads at once."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._one = threading.Lock()
        self._position = 0
        self._tally = Tally()
        self._four: Counter[str] = Counter()

    def catch_up(self) -> None:
        with self._one:
            self._read()

    def stats(self) -> Stats:
        with self._one:
            self._read()
            return self._tally.stats()

    def counters(self) -> dict[str, int]:
        """How many skills were found, chosen, not loaded and cut."""
        with self._one:
            self._read()
            return {name: self._four[name] for name in FOUR}

    def _read(self) -> None:
        for each in self._log.tail(after=self._position):
            self._tally.add(each)
            self._four.update(counters([each]))
            self._position = each.position


def exposition(count: Count) -> bytes:
    """The page that Prometheus scrapes."""
    from prometheus_client import CollectorRegistry
    from prometheus_client.exposition import generate_latest

    registry = CollectorRegistry()
    registry.register(_Collector(count))
    return generate_latest(registry)


class _Collector:
    """A rate that nothing was divided for, and a cost that is not known, are left out, never 0."""

    def __init__(self, count: Count) -> None:
        self._count = count

    def collect(self) -> Iterator["Metric"]:
        told = self._count.stats()
        yield from _counters(self._count.counters())
        yield from _rates(told.all)
        yield from _skills(told)
        yield from _loops(told)
        yield from _models(told)


def _counters(four: dict[str, int]) -> Iterator["Metric"]:
    from prometheus_client.core import CounterMetricFamily

    about = ("found", "chosen for a task", "not loaded", "cut to size")
    for (name, value), what in zip(four.items(), about, strict=True):
        yield CounterMetricFamily(name, f"Skills {what}.", value=value)


def _rates(numbers: Numbers) -> Iterator["Metric"]:
    from prometheus_client.core import GaugeMetricFamily

    for name, about, value in (
        ("success_ratio", "Runs that ended done, of those that nobody cancelled.", numbers.success_rate),
        ("recovery_ratio", "Failing calls that were overcome.", numbers.recovery_rate),
        ("iterations_average", "Iterations of a run that ended.", numbers.iterations),
    ):  # fmt: skip
        if value is not None:
            yield GaugeMetricFamily(f"prowess_{name}", about, value=value)


def _skills(told: Stats) -> Iterator["Metric"]:
    from prometheus_client.core import CounterMetricFamily

    runs = CounterMetricFamily("prowess_runs", "Runs that began.", labels=["skill"])
    ended = CounterMetricFamily(
        "prowess_runs_ended", "Runs by how they ended.", labels=["skill", "ending"]
    )
    failing = CounterMetricFamily("prowess_failing_calls", "Calls that failed.", labels=["skill"])
    overcome = CounterMetricFamily(
        "prowess_overcome_calls", "Failing calls that were overcome.", labels=["skill"]
    )
    for skill, numbers in told.skills.items():
        runs.add_metric([skill], numbers.runs)
        failing.add_metric([skill], numbers.failing_calls)
        overcome.add_metric([skill], numbers.overcome_calls)
        for ending, number in numbers.endings.items():
            ended.add_metric([skill, ending], number)
    ways = CounterMetricFamily("prowess_recoveries", "Recoveries by their way.", labels=["how"])
    for each in told.all.recoveries:
        ways.add_metric([each["how"]], each["count"])
    yield from (runs, ended, failing, overcome, ways)


def _loops(told: Stats) -> Iterator["Metric"]:
    from prometheus_client.core import CounterMetricFamily

    loops = CounterMetricFamily("prowess_loops", "Loops that began.", labels=["plan"])
    ended = CounterMetricFamily(
        "prowess_loops_ended", "Loops by how they ended.", labels=["plan", "ending"]
    )
    for plan, numbers in told.loops.items():
        loops.add_metric([plan], numbers.runs)
        for ending, number in numbers.endings.items():
            ended.add_metric([plan, ending], number)
    yield from (loops, ended)


def _models(told: Stats) -> Iterator["Metric"]:
    from prometheus_client.core import CounterMetricFamily

    requests = CounterMetricFamily("prowess_model_requests", "Requests.", labels=["model"])
    tokens = CounterMetricFamily("prowess_tokens", "Tokens.", labels=["model", "direction"])
    cost = CounterMetricFamily("prowess_cost_dollars", "What models cost.", labels=["model"])
    for model, used in told.models.items():
        requests.add_metric([model], used.requests)
        tokens.add_metric([model, "input"], used.input_tokens)
        tokens.add_metric([model, "output"], used.output_tokens)
        if used.cost is not None:
            cost.add_metric([model], used.cost)
    yield from (requests, tokens, cost)
