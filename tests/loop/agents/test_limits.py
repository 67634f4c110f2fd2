"""What agents say when they are given no more, and when that ends."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from prowess.loop.agents.limits import is_for_good, reset_time, sort

NOW = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
LIMITS = {
    "Claude AI usage limit reached|1794830400": "2026-11-16T12:00",
    "You've hit your limit · resets 3pm (UTC)": "2026-11-16T15:00",
    "5-hour limit reached ∙ resets 9am (UTC)": "2026-11-17T09:00",
    "Weekly limit reached ∙ resets Nov 19, 5pm (UTC)": "2026-11-19T17:00",
    "You've hit your limit · resets 3:30pm (America/New_York)": "2026-11-16T20:30",
    "You've hit your usage limit. Upgrade to Pro or try again in 1 day 2 hours 5 minutes.": "2026-11-17T12:05",
    "You've hit your usage limit. Try again at 3:05 PM.": "2026-11-16T15:05",
    "You've hit your usage limit; try again at Nov 20th, 2026 3:05 PM.": "2026-11-20T15:05",
    "You have exhausted your daily quota. Your quota will reset after 3h12m5s.": "2026-11-16T13:12",
    "Rate limit reached for gpt-x. Please try again in 90.5s.": "2026-11-16T10:01",
    "429 Too Many Requests: retry in 30 minutes": "2026-11-16T10:30",
    "You've hit your session limit · resets 3:45pm (UTC)": "2026-11-16T15:45",
    "You've hit your weekly limit · resets Mon 12:00am (UTC)": "2026-11-23T00:00",
    "You've hit your weekly limit · resets Monday, 11am (UTC)": "2026-11-16T11:00",
    "You've hit your weekly limit · resets Thu 5pm (America/New_York)": "2026-11-19T22:00",
    "You've hit your Opus limit · resets 3:45pm": "2026-11-16T15:45",
    "You have reached your API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.": "2026-12-01T00:00",
    "rate_limit_error: quota resets at 2026-11-16T18:00:00Z": "2026-11-16T18:00",
}
ENDLESS = [
    "You've hit your usage limit. Try again later.",
    "Resource has been exhausted (e.g. check quota).",
    "Your credit balance is too low to access the API",
    "usage limit reached|99999999999999",
    "usage limit; try again at 99:99",
    "rate limit reached; resets Feb 31, 5pm",
    "usage limit reached|0",
    "limit reached, resets 3",
    "You've hit your limit · resets Feb 4, 9pm (Africa/Johannesburg)",
    "API Error: Request rejected (429) · this may be a temporary capacity issue",
]


@pytest.mark.parametrize("message", LIMITS)
def test_the_end_of_a_limit_is_read_as_each_agent_words_it(message: str) -> None:
    reset = reset_time(message, now=NOW)

    assert sort(message) == "usage_limit"
    assert reset
    assert reset.astimezone(UTC).strftime("%Y-%m-%dT%H:%M") == LIMITS[message]


@pytest.mark.parametrize("message", ENDLESS)
def test_a_limit_without_a_usable_end_has_none(message: str) -> None:
    assert sort(message) == "usage_limit"
    assert reset_time(message, now=NOW) is None


def test_an_hour_without_a_zone_is_one_of_ours() -> None:
    here = NOW.astimezone(timezone(timedelta(hours=2)))

    assert reset_time("usage limit reached, try again at 1:00 PM", now=here) == NOW + timedelta(
        hours=1
    )


@pytest.mark.parametrize(
    "message",
    [
        "unexpected status 401 Unauthorized: bad key",
        "Incorrect API key provided",
        "Not logged in · Please run /login",
        "litellm.AuthenticationError: no",
        "Invalid auth method selected.",
        "OAuth token has expired",
        "This organization has been disabled.",
    ],
)
def test_a_missing_or_wrong_key_is_one_kind_of_trouble(message: str) -> None:
    assert sort(message) == "auth"


def test_the_status_counts_where_the_words_say_nothing() -> None:
    assert [sort("no", status=status) for status in (401, 403, 429, 500, None)] == [
        "auth",
        "auth",
        "usage_limit",
        "crash",
        "crash",
    ]


def test_a_long_message_made_to_waste_time_is_read_at_once() -> None:
    for bait in ("in " + "1 h " * 100_000, "resets " * 100_000, "1" * 1_000_000, "in 1" * 300_000):
        assert reset_time(bait, now=NOW) is None or bait.startswith("in 1 h")


@pytest.mark.parametrize(
    "message",
    [
        "thread 'main' panicked at codex-rs/core/src/client.rs:429:18",
        "client.rs:401:7: index out of bounds",
        "SyntaxError in line 429",
        "error: 403:12 unexpected token",
        "rate limiter module too long",
        "the rate limit setting cannot be read",
        "Disk quota exceeded",
        "client.rs:402:7: index out of bounds",
    ],
)
def test_numbers_and_nouns_that_are_no_answer_of_a_provider_are_a_crash(message: str) -> None:
    assert sort(message) == "crash"


@pytest.mark.parametrize(
    "message",
    [
        "exceeded retry limit, last status: 429",
        "Error code: 429 - {'error': {}}",
        "HTTP/1.1 429",
        "429 status code (no body)",
        '{"error": {"code": 429}}',
        "litellm.RateLimitError: OpenAIException",
        "You exceeded the rate limits of your tier",
        "rate_limit_exceeded",
    ],
)
def test_a_status_or_the_words_of_a_limit_are_one(message: str) -> None:
    assert sort(message) == "usage_limit"


def test_what_only_money_ends_is_told_from_what_time_ends() -> None:
    paid = (
        "You exceeded your current quota, please check your plan and billing details.",
        "error: insufficient_quota",
        "Your credit balance is too low to access the API",
        "Insufficient Balance",
        "402 Insufficient credits. Add more using https://openrouter.ai/settings/credits",
        "HTTP 402",
        "Reached your monthly spend limit",
        "Free usage exceeded, add credits https://opencode.ai/zen",
    )

    assert {each: (sort(each), is_for_good(each)) for each in paid} == dict.fromkeys(
        paid, ("usage_limit", True)
    )
    assert not any(map(is_for_good, [*LIMITS, "Resource has been exhausted (e.g. check quota)."]))
