"""The promise that most everyday faults are overcome without a model, held against the bench's faults."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
LEAST = 0.8


def test_most_everyday_faults_are_recovered_in_every_family(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    from faults import FAULTS
    from recovery import measure, sandbox_here

    results = asyncio.run(measure(FAULTS, sandbox_here(), heals=True))

    size = Counter(result.fault.family for result in results)
    recovered = Counter(result.fault.family for result in results if result.recovered)
    assert recovered.total() >= LEAST * len(results)
    lost = {family for family in size if recovered[family] < LEAST * size[family]}
    assert lost == {"needs judgement"}


def test_what_needs_judgement_is_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))
    from faults import FAULTS
    from recovery import measure, sandbox_here

    hard = [fault for fault in FAULTS if fault.family == "needs judgement"]
    results = asyncio.run(measure(hard, sandbox_here(), heals=True))

    assert len(results) == len(hard)
    assert all(result.answer.startswith("Given up.") for result in results)
