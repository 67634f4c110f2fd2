"""
What a reply costs, from the price list that is installed with us; nothing is fetched.

An unknown price is None and never 0: a sum that silently leaves something out is worse than none.
"""

from collections.abc import Mapping
from typing import Any

from prowess.model.names import Named, Provider

_SELLERS: Mapping[Provider, str] = {
    "anthropic": "anthropic",
    "openai": "openai",
    "openai-responses": "openai",
    "google": "google",
}


def price(
    named: Named,
    *,
    input_tokens: int,
    output_tokens: int,
    cached_tokens: int = 0,
    written_tokens: int = 0,
) -> float | None:
    """
    US dollars, or None when no price is known, as for a model on one's own machine.

    `input_tokens` are all that were read; of these, `cached_tokens` came from the provider's
    cache and `written_tokens` were put into it, which have prices of their own.
    """
    counted = {
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "cache_read_tokens": cached_tokens,
        "cache_write_tokens": written_tokens,
    }
    found = _calculated(named, counted)
    return float(found.total_price) if found else None


def window(named: Named) -> int | None:
    """How many tokens the model can read, where the price list says so."""
    found = _calculated(named, {})
    return found.model.context_window if found else None


def _calculated(named: Named, counted: Mapping[str, int]) -> Any:
    if named.provider not in _SELLERS:
        return None
    from genai_prices import Usage, calc_price

    try:
        return calc_price(Usage(**counted), named.model, provider_id=_SELLERS[named.provider])
    except (LookupError, ValueError):  # no such model; counts that contradict each other
        return None
