"""The stand-in of `bench/layered.py` differs between the two ways by what its prompt says, and by nothing else."""

import asyncio
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prowess.check.templates import told
from prowess.core.chat import Message
from prowess.engine.comparing import Versus, compare
from prowess.engine.finding import discover
from prowess.engine.proposing import guidance, layered_in
from prowess.model.scripted import Scripted
from prowess.settings import Settings, load_settings

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(BENCH))
    yield importlib.import_module("layered")
    for name in ("layered", "layered_reader", "layered_tasks", "table"):
        sys.modules.pop(name, None)


@pytest.fixture
def settings(home: Path, tmp_path: Path, bench: Any) -> Settings:
    bench.make_repository(tmp_path / "shop")
    return load_settings(
        project=str(tmp_path / "shop"), data=str(tmp_path / "data"), environment={}
    )


def prompt_of(settings: Settings, *, layers: bool) -> str:
    catalog = discover(settings, record=lambda event: None)
    return guidance(catalog, settings, layered_in(catalog, layers), record=lambda event: None)


def test_every_rule_of_the_stand_in_stands_in_the_layers_and_none_in_the_plain_prompt(
    bench: Any, settings: Settings
) -> None:
    layered_reader = importlib.import_module("layered_reader")

    assert layered_reader.rules_in(prompt_of(settings, layers=True)) == set(layered_reader.RULES)
    assert layered_reader.rules_in(prompt_of(settings, layers=False)) == set()


def test_the_same_words_lead_to_the_same_turn_whatever_they_are_called(
    bench: Any, settings: Settings
) -> None:
    task = Message(role="user", text=told(bench.TASKS[3].spec))

    def turn(text: str) -> Any:
        return bench.reader([Message(role="system", text=text), task]).message.calls

    layered = prompt_of(settings, layers=True)
    rule = "Use the structured tools of your host first"
    assert rule in layered
    assert turn(layered.replace(rule, "")) == turn("plain")
    assert turn(layered) != turn("plain")


def test_the_truth_is_found_by_layers_and_missed_without_and_the_log_tells_it_again(
    bench: Any,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (asked,) = [each for each in bench.TASKS if each.spec.id == "L10"]
    monkeypatch.setattr(bench, "TASKS", (asked,))

    found = asyncio.run(
        compare([asked.spec], Versus(), settings, open_model=lambda *_: Scripted(bench.reader))
    )

    told_now = bench.lines_of(found)
    assert told_now[0].values == (0.0, 1.0)
    assert bench.lines_of(bench.from_log(settings, found.id)) == told_now
    assert {each.verdict for each in bench.show(found, told_now)} == {"met"}
    assert "| L10  | another spelling |  PASS |    true |" in capsys.readouterr().out
