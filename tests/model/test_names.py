"""A name means one model, at one place, with one key or none."""

from collections.abc import Mapping

import pytest

from prowess.core.errors import UsageError
from prowess.model.names import ALIASES, Named, NoModelError, choose, resolve

KEYS = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "b", "GEMINI_API_KEY": "c"}


@pytest.mark.parametrize(
    ("name", "provider", "model", "key"),
    [
        ("anthropic:claude-opus-5-5", "anthropic", "claude-opus-5-5", "ANTHROPIC_API_KEY"),
        ("openai:gpt-5.5", "openai", "gpt-5.5", "OPENAI_API_KEY"),
        ("openai-responses:gpt-5.5", "openai-responses", "gpt-5.5", "OPENAI_API_KEY"),
        ("google:gemini-3.8-flash", "google", "gemini-3.8-flash", "GEMINI_API_KEY"),
        ("ollama:qwen3:8b", "ollama", "qwen3:8b", ""),
        ("claude-sonnet-5", "anthropic", "claude-sonnet-5", "ANTHROPIC_API_KEY"),
        ("gpt-5.5", "openai-responses", "gpt-5.5", "OPENAI_API_KEY"),
        ("o3-mini", "openai-responses", "o3-mini", "OPENAI_API_KEY"),
        ("gemini-2.5-pro", "google", "gemini-2.5-pro", "GEMINI_API_KEY"),
        ("demo", "demo", "demo", ""),
    ],
)
def test_a_name_means_a_provider_and_its_model(
    name: str, provider: str, model: str, key: str
) -> None:
    named = resolve(name, environment=KEYS)

    assert (named.provider, named.model, named.key_variable) == (provider, model, key)


@pytest.mark.parametrize("alias", ["haiku", "sonnet", "opus"])
def test_the_seeds_three_names_are_anthropics_current_models(alias: str) -> None:
    assert resolve(alias, environment=KEYS).name == ALIASES[alias]


def test_an_alias_of_the_settings_wins_and_may_name_another() -> None:
    aliases = {"haiku": "fast", "fast": "ollama:qwen3"}

    assert resolve("haiku", aliases=aliases, environment={}).name == "ollama:qwen3"


def test_aliases_that_go_in_a_circle_end_as_an_unknown_name() -> None:
    with pytest.raises(UsageError, match="no model is called"):
        resolve("a", aliases={"a": "b", "b": "a"}, environment={})


@pytest.mark.parametrize(
    ("environment", "model"),
    [
        ({"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "b"}, ALIASES["sonnet"]),
        ({"OPENAI_API_KEY": "b"}, "openai-responses:gpt-5.5"),
        ({"GOOGLE_API_KEY": "c"}, "google:gemini-3.8-flash"),
    ],
)
def test_without_a_name_the_first_key_decides(environment: Mapping[str, str], model: str) -> None:
    assert resolve(None, environment=environment).name == model


def test_without_a_name_or_a_key_a_local_server_is_used() -> None:
    local = Named(provider="ollama", model="qwen3", base_url="http://127.0.0.1:11434/v1")

    assert resolve(None, environment={}, servers=[local]) == local


@pytest.mark.parametrize("name", [None, "sonnet", "gpt-5.5"])
@pytest.mark.parametrize("has_script", [True, False])
def test_without_key_and_server_the_hint_lists_the_ways(
    name: str | None, *, has_script: bool
) -> None:
    with pytest.raises(NoModelError) as caught:
        resolve(name, environment={}, has_script=has_script)

    assert "ANTHROPIC_API_KEY" in caught.value.hint
    assert "local server" in caught.value.hint
    assert ("--model demo" in caught.value.hint) == has_script
    assert ("`prowess demo`" in caught.value.hint) != has_script


def test_an_address_of_the_environment_needs_no_key() -> None:
    named = resolve("sonnet", environment={"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"})

    assert (named.base_url, named.key_variable) == ("http://127.0.0.1:9", "")


def test_a_server_in_a_url_is_sent_no_key() -> None:
    named = resolve("http://127.0.0.1:8000/v1#qwen3", environment=KEYS)

    assert named == Named(provider="local", model="qwen3", base_url="http://127.0.0.1:8000/v1")


def test_a_url_without_a_model_is_refused() -> None:
    with pytest.raises(UsageError, match="no model") as caught:
        resolve("http://127.0.0.1:8000/v1", environment={})
    assert "#MODEL" in caught.value.hint


def test_a_local_name_is_served_where_the_environment_says() -> None:
    place = {"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"}

    assert resolve("local:qwen3", environment=place).base_url == "http://127.0.0.1:8000/v1"
    with pytest.raises(NoModelError, match="none is named"):
        resolve("local:qwen3", environment={})


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434/v1"),
        ("box", "http://box:11434/v1"),
        ("0.0.0.0:1234", "http://127.0.0.1:1234/v1"),
        ("https://box/", "https://box/v1"),
        ("http://box:1/v1", "http://box:1/v1"),
    ],
)
def test_ollamas_host_is_read_as_people_write_it(host: str, address: str) -> None:
    assert resolve("ollama:qwen3", environment={"OLLAMA_HOST": host}).base_url == address


@pytest.mark.parametrize(
    ("name", "near"), [("sonet", "sonnet"), ("claud-opus-5-5", "claude-opus-5-5"), ("dmo", "demo")]
)
def test_an_unknown_name_is_told_with_those_that_are_near(name: str, near: str) -> None:
    with pytest.raises(UsageError, match=name) as caught:
        resolve(name, environment=KEYS)
    assert near in caught.value.hint


def test_a_bare_name_of_nobodys_may_be_meant_for_a_local_server() -> None:
    with pytest.raises(UsageError) as caught:
        resolve("qwen3", environment={})
    assert "ollama:qwen3" in caught.value.hint


@pytest.mark.parametrize(
    ("call", "skill", "platform", "counts"),
    [
        ("opus", "haiku", "sonnet", "opus"),
        (None, "haiku", "sonnet", "haiku"),
        (None, None, "sonnet", "sonnet"),
        (None, "inherit", "sonnet", "sonnet"),
        (None, None, None, None),
        ("http://127.0.0.1/v1#m", "haiku", None, "http://127.0.0.1/v1#m"),
    ],
)
def test_the_call_wins_over_the_skill_and_the_skill_over_the_platform(
    call: str | None, skill: str | None, platform: str | None, counts: str | None
) -> None:
    assert choose(call=call, skill=skill, platform=platform) == counts


def test_a_skill_may_not_send_the_conversation_to_a_server_of_its_choice() -> None:
    with pytest.raises(UsageError, match="server of its own choice"):
        choose(call=None, skill="http://example.org/v1#m", platform="sonnet")
