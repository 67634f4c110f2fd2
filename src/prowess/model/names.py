"""
Which model a name means, and where it is served.

Nothing is asked of the network here, and no key is read: a name becomes a provider, a model, an
address and the name of the variable that holds the key. A key is only ever meant for its own
provider or for the address the user set for it; a server named in a URL gets none.
"""

import difflib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from prowess.core.errors import UsageError

Provider = Literal["anthropic", "openai", "openai-responses", "google", "ollama", "local", "demo"]
ALIASES: Mapping[str, str] = {
    "haiku": "anthropic:claude-haiku-5-5",
    "sonnet": "anthropic:claude-sonnet-5-5",
    "opus": "anthropic:claude-opus-5-5",
}
# What a user who names no model gets, by the key that is set; the first wins.
DEFAULTS: Mapping[str, str] = {
    "ANTHROPIC_API_KEY": "sonnet",
    "OPENAI_API_KEY": "openai-responses:gpt-5.5",
    "GEMINI_API_KEY": "google:gemini-3.8-flash",
    "GOOGLE_API_KEY": "google:gemini-3.8-flash",
}
KEYS: Mapping[Provider, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openai-responses": ("OPENAI_API_KEY",),
    "google": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
}
ADDRESSES: Mapping[Provider, str] = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "openai": "OPENAI_BASE_URL",
    "openai-responses": "OPENAI_BASE_URL",
    "google": "GOOGLE_GEMINI_BASE_URL",
    "ollama": "OLLAMA_HOST",
    "local": "OPENAI_BASE_URL",
}
OLLAMA = "http://127.0.0.1:11434/v1"
_WAYS = (
    "to get going, put a key in the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY);"
    " or start a local server (Ollama, vLLM, llama.cpp) and name its model, as in --model ollama:NAME"
)
_BY_PREFIX: Sequence[tuple[re.Pattern[str], Provider]] = (
    (re.compile(r"claude-"), "anthropic"),
    (re.compile(r"gpt-|chatgpt-|o[0-9]"), "openai-responses"),
    (re.compile(r"gemini-"), "google"),
)
_MOST_ALIASES = 5  # an alias may name another, but not for ever


class NoModelError(UsageError):
    """There is no key and no server for what was asked; the hint lists the ways to get going."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """
    A model by its whole name. `base_url` is empty where the provider's own address is meant;
    `key_variable` is empty where no key is to be sent.
    """

    provider: Provider
    model: str
    base_url: str = ""
    key_variable: str = ""

    @property
    def name(self) -> str:
        return "demo" if self.provider == "demo" else f"{self.provider}:{self.model}"


def resolve(
    name: str | None,
    *,
    aliases: Mapping[str, str] = {},
    environment: Mapping[str, str] = os.environ,
    servers: Sequence[Named] = (),
    has_script: bool = False,
) -> Named:
    """
    The model that `name` means; without a name, the first for which there is a key, or else the
    first of `servers`, the local ones that were found. `aliases` add to ours and win over them.
    `has_script`: the demo model could play what is to be run, so it is offered where there is no other.
    """
    if not name:
        name = _first(environment)
    if not name:
        if servers:
            return servers[0]
        raise NoModelError("no model is set up", hint=ways(has_script=has_script))
    known = {**ALIASES, **aliases}
    named = _read(_whole(name, known), known)
    return _placed(named, environment, hint=ways(has_script=has_script))


def counted(name: str, *, aliases: Mapping[str, str] = {}) -> str:
    """
    What a model counts as where limits are shared out: one name for everything it may be called by.

    No key is needed, and a name that none of our providers has stays as it is. Both ways to ask
    OpenAI lead to the same model and the same bill, so they are one.
    """
    known = {**ALIASES, **aliases}
    whole = _whole(name, known)
    try:
        named = _read(whole, known)
    except UsageError:
        return whole
    if named.provider == "demo":
        return named.name
    provider = "openai" if named.provider == "openai-responses" else named.provider
    return f"{provider}:{named.model.strip().lower()}"


def ways(*, has_script: bool = False) -> str:
    """How to come by a model; one that needs neither key nor server plays only what brings a script."""
    if has_script:
        return f"{_WAYS}; or try it offline with --model demo"
    return f"{_WAYS}. `prowess demo` shows offline what runs are like"


def choose(*, call: str | None, skill: str | None, platform: str | None) -> str | None:
    """
    The name that counts: what was asked for this run, else what the skill asks for, else the platform's.

    A skill may be a stranger's: it may name a model, but not a server that would read everything.
    """
    if call:
        return call
    if not skill or skill == "inherit":
        return platform
    if "://" in skill:
        raise UsageError(
            f"the skill asks for the model {skill!r}, which is on a server of its own choice",
            hint=f"if you trust it, say so yourself: --model {skill}",
        )
    return skill


def _first(environment: Mapping[str, str]) -> str:
    """The model of the first key that is set; empty when none is."""
    return next((name for key, name in DEFAULTS.items() if environment.get(key)), "")


def _whole(name: str, known: Mapping[str, str]) -> str:
    """Without blanks around it, and what it is another name for."""
    whole = name.strip()
    for _ in range(_MOST_ALIASES):
        whole = known.get(whole, whole)
    return whole


def _read(name: str, known: Mapping[str, str]) -> Named:
    if name == "demo":
        return Named(provider="demo", model="demo")
    if name.startswith(("http://", "https://")):
        return _at_address(name)
    prefix, colon, model = name.partition(":")
    for provider in get_args(Provider):
        if colon and model and prefix == provider != "demo":
            return Named(provider=provider, model=model)
    for pattern, provider in _BY_PREFIX:
        if pattern.match(name):
            return Named(provider=provider, model=name)
    raise _unknown(name, known)


def _at_address(name: str) -> Named:
    address, _, model = name.partition("#")
    if not model:
        raise UsageError(
            f"{name} names a server but no model", hint=f"add the model: {address}#MODEL"
        )
    return Named(provider="local", model=model, base_url=address)


def _placed(named: Named, environment: Mapping[str, str], *, hint: str) -> Named:
    """With its address and the name of its key; an error with the hint when neither can be had."""
    if named.base_url or named.provider == "demo":
        return named
    address = environment.get(ADDRESSES[named.provider], "")
    if named.provider == "ollama":
        return replace(named, base_url=ollama_address(address))
    variables = KEYS.get(named.provider, ())
    key = next((variable for variable in variables if environment.get(variable)), "")
    if named.provider == "local":
        if not address:
            raise NoModelError(
                f"{named.name} is on a local server, and none is named",
                hint="set OPENAI_BASE_URL to its address, or name both: http://127.0.0.1:8000/v1#MODEL",
            )
        return replace(named, base_url=address)
    if not key and not address:
        raise NoModelError(f"{named.name} needs a key, and {variables[0]} is not set", hint=hint)
    return replace(named, base_url=address, key_variable=key)


def ollama_address(host: str) -> str:
    """OLLAMA_HOST as people write it (`host`, `host:port`, a URL; 0.0.0.0 is what a server binds to)."""
    if not host:
        return OLLAMA
    scheme, _, rest = host.rpartition("://")
    rest = rest.rstrip("/").removesuffix("/v1").replace("0.0.0.0", "127.0.0.1")  # noqa: S104  a name, not a bind
    port = "" if re.search(r":[0-9]+$", rest) or scheme else ":11434"
    return f"{scheme or 'http'}://{rest}{port}/v1"


def _unknown(name: str, known: Mapping[str, str]) -> UsageError:
    names = [
        *known,
        *known.values(),
        *(value.partition(":")[2] for value in known.values()),
        "demo",
    ]
    near = difflib.get_close_matches(name, names, n=3)
    prefixed = [f"{provider}:{name}" for provider in ("ollama", "local")] if ":" not in name else []
    meant = " or ".join(dict.fromkeys([*near, *prefixed]))
    others = f"{', '.join(known)}, demo, or PROVIDER:MODEL with {', '.join(KEYS)}, ollama or local"
    return UsageError(
        f"no model is called {name!r}",
        hint=f"did you mean {meant}? There are {others}" if meant else f"there are {others}",
    )
