"""The table `[limits]`, and what a server queues."""

from dataclasses import replace
from typing import Any

import pytest

from prowess.core.errors import SettingsError
from prowess.durable.fair import Limit
from prowess.engine.limits import read_limits
from prowess.engine.queueing import Queueing, of_server, of_worker
from prowess.settings import Settings


def test_limits_are_read_by_dimension_and_name() -> None:
    limits = read_limits(
        {"user": {"default": {"at_once": 3}}, "model": {"demo": {"per_minute": 10, "per_day": 20}}}
    )

    assert limits.of("user", "ann") == Limit(at_once=3)
    assert limits.of("model", "demo") == Limit(per_minute=10, per_day=20)
    assert limits.of("model", "haiku") == limits.of("skill", "pdf") == Limit()


@pytest.mark.parametrize(
    "table",
    [
        {"team": {}},
        {"user": 3},
        {"user": {"ann": 3}},
        {"user": {"ann": {"at_most": 3}}},
        {"user": {"ann": {"at_once": 0}}},
        {"user": {"ann": {"at_once": 1.5}}},
        {"user": {"ann": {"per_minute": True}}},
        {"user": {"ann": {"per_day": -1}}},
        {"user": {"ann": {"per_day": "much"}}},
        {"user": {"ann": {"per_day": float("nan")}}},
        {"user": {"ann": {"per_day": float("inf")}}},
    ],
    ids=str,
)
def test_what_is_no_limit_is_refused_with_how_to_write_one(table: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="limits") as refused:
        read_limits(table)

    assert refused.value.hint.startswith(("use ", "write "))


def test_a_server_alone_begins_runs_at_once_and_queues_them_where_there_are_limits() -> None:
    alone = Settings()
    limited = replace(alone, limits={"user": {"default": {"at_once": 1}}})
    shared = replace(alone, database_url="postgresql://db/prowess")

    assert of_server(alone) == Queueing()
    assert (of_server(limited).everything, of_server(limited).at_once) == (True, 8)
    assert (of_server(shared).everything, of_server(shared).at_once) == (True, 8)
    assert of_server(replace(shared, serve_works=False)).at_once == 0


def test_a_worker_takes_as_many_as_it_is_told_or_as_the_settings_say() -> None:
    settings = replace(Settings(), worker_at_once=5)

    assert of_worker(settings, None).at_once == 5
    assert of_worker(settings, 2).at_once == 2
    assert not of_worker(settings, 2).everything
