"""A price is known or unknown, and unknown is never nothing."""

import pytest

from prowess.model.cost import price, window
from prowess.model.names import ALIASES, Named, resolve

SONNET = resolve("sonnet", environment={"ANTHROPIC_API_KEY": "x"})


def test_what_came_from_the_cache_costs_less_and_what_went_into_it_more() -> None:
    plain = price(SONNET, input_tokens=10_000, output_tokens=100)
    cached = price(SONNET, input_tokens=10_000, output_tokens=100, cached_tokens=9_000)
    written = price(SONNET, input_tokens=10_000, output_tokens=100, written_tokens=9_000)

    assert plain is not None
    assert cached is not None
    assert written is not None
    assert 0 < cached < plain < written


@pytest.mark.parametrize("name", [*ALIASES, "openai:gpt-5.5", "google:gemini-3.8-flash"])
def test_the_models_we_suggest_have_a_price_and_a_window(name: str) -> None:
    keys = {"ANTHROPIC_API_KEY": "x", "OPENAI_API_KEY": "x", "GEMINI_API_KEY": "x"}
    named = resolve(name, environment=keys)

    assert price(named, input_tokens=1, output_tokens=1)
    assert (window(named) or 0) >= 100_000


@pytest.mark.parametrize(
    "named",
    [
        Named(provider="anthropic", model="claude-of-tomorrow"),
        Named(provider="ollama", model="qwen3", base_url="http://127.0.0.1:11434/v1"),
        Named(provider="local", model="gpt-5.5", base_url="http://127.0.0.1:8000/v1"),
        Named(provider="demo", model="demo"),
    ],
)
def test_a_price_that_nobody_knows_is_none(named: Named) -> None:
    assert price(named, input_tokens=1_000, output_tokens=10) is None
    assert window(named) is None
