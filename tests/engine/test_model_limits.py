"""A limit holds a model back whatever it is called by, and a server's caller by what its token is told by."""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from house import skill_file
from prowess.core.errors import SettingsError
from prowess.durable.fair import Limit
from prowess.engine.limits import limits_of, read_limits
from prowess.engine.queueing import of_server, of_worker
from prowess.model.names import counted
from prowess.model.scripted import call, final
from prowess.settings import Settings
from serve.served import Home, Served
from support import until

SCALE = Path(__file__).parents[2] / "docs" / "scale.md"
ALIASES = {"mine": "openai:gpt-4o", "ours": "mine"}
ONE = {"at_once": 1}
SCRIPTS = {
    "waits": [call("Bash", command="sleep 30"), final("Rested.")],
    "note": [final("Noted.")],
    "picky": [final("Noted.")],
}


def at(project: Path, data: Path, **settings: Any) -> Home:
    for name in ("waits", "note"):
        skill_file(project, name, "Do it.")
    skill_file(project, "picky", "Do it.", model="mine")
    return Home(project, data, SCRIPTS, {"model_aliases": ALIASES, **settings})


def beside(served: Served, first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """What the second run waits for while the first is under way; the first is gone afterwards."""
    one = served.start(**first)
    until(lambda: served.get(f"/api/runs/{one}").json["state"] == "running")
    other = served.start(**second)
    told = served.get(f"/api/runs/{other}").json
    served.post(f"/api/runs/{one}/cancel")
    served.ended(other)
    return str(told.get("waits") or "")


@pytest.mark.parametrize(
    "asked",
    [
        {"skill": "note", "model": "openai:gpt-4o"},
        {"skill": "note", "model": "mine"},
        {"skill": "note", "model": "ours"},
        {"skill": "note", "model": " openai:gpt-4o "},
        {"skill": "note", "model": "openai: gpt-4o"},
        {"skill": "note", "model": "openai:GPT-4o"},
        {"skill": "note", "model": "gpt-4o"},  # the same model, asked in OpenAI's other way
        {"skill": "note"},  # named by the settings
        {"skill": "picky"},  # named by the skill
    ],
    ids=str,
)
@pytest.mark.parametrize("limit", ["openai:gpt-4o", "mine"])
def test_a_model_is_one_for_its_limit_whatever_it_is_called_by(
    home: Path, project: Path, tmp_path: Path, limit: str, asked: dict[str, str]
) -> None:
    limits = {"model": {limit: ONE}}
    house = at(project, tmp_path / "data", limits=limits, model_default="ours")

    with house.serving() as served:
        waits = beside(served, {"skill": "waits", "model": "mine"}, asked)

    assert waits == "1 of 1 runs of the model openai:gpt-4o are under way"


def test_runs_that_name_no_model_are_held_back_by_the_limit_of_the_one_they_get(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has a default: it is the model of the key that is set."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a key of this test")
    house = at(project, tmp_path / "data", limits={"model": {"sonnet": ONE}})

    with house.serving() as served:
        waits = beside(served, {"skill": "waits"}, {"skill": "note"})

    assert waits == "1 of 1 runs of the model anthropic:claude-sonnet-5-5 are under way"


def test_the_first_fact_tells_the_model_by_the_name_it_was_asked_for_by(
    home: Path, project: Path, tmp_path: Path
) -> None:
    """As the run itself tells it: here nobody works on one."""
    limits = {"model": {"opus": ONE}}
    settings = {"limits": limits, "model_default": "ours", "serve_works": False}

    with at(project, tmp_path / "data", **settings).serving() as served:
        runs = [served.start("note", model="gpt-4o"), served.start("note")]
        facts = [next(served.events(f"/api/runs/{run}/events")) for run in runs]

    assert [fact["model"] for fact in facts] == ["gpt-4o", "ours"]


def test_an_alias_of_ours_limits_the_whole_name_and_default_stays_the_limit_of_all_others() -> None:
    limits = read_limits(
        {"model": {"opus": {"per_day": 5}, "default": ONE, "a model of your own ": {"at_once": 2}}},
        aliases={"default": "openai:gpt-4o"},
    )

    assert limits.of("model", counted("claude-opus-5-5")) == Limit(per_day=5)
    assert limits.of("model", counted("haiku")) == Limit(at_once=1)
    assert limits.of("model", counted("a model of your own")) == Limit(at_once=2)


def test_two_limits_of_one_model_are_refused_with_both_their_names() -> None:
    table = {"model": {"opus": ONE, "claude-opus-5-5": {"per_day": 1.0}}}

    with pytest.raises(SettingsError, match=r"opus and limits\.model\.claude-opus-5-5"):
        read_limits(table)


def test_what_names_no_model_is_that_of_the_settings_else_of_the_key() -> None:
    limited = replace(Settings(), limits={"model": {"default": ONE}}, model_aliases=ALIASES)
    named = replace(limited, model_default="mine")
    key = {"OPENAI_API_KEY": "x"}

    assert limits_of(named, {}).unnamed == "openai:gpt-4o"  # its key may be elsewhere
    assert limits_of(limited, key).unnamed == "openai:gpt-5.5"
    assert of_server(named).limits == of_worker(named, 1).limits == limits_of(named)
    assert limits_of(replace(Settings(), model_default="mine"), {}).unnamed == ""


def test_what_names_no_model_where_there_is_no_key_is_that_of_a_server_on_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited = replace(Settings(), limits={"model": {"ollama:qwen3": ONE}})
    found = {"11434": ("qwen3",)}

    def models(base_url: str) -> tuple[str, ...]:
        for port, names in found.items():
            if port in base_url:
                return names
        raise OSError

    monkeypatch.setattr("prowess.model.detect._models", models)

    assert limits_of(limited, {}).unnamed == "ollama:qwen3"
    found.clear()
    assert limits_of(limited, {}).unnamed == ""


def test_one_caller_of_a_server_is_limited_by_the_name_that_the_page_computes(
    home: Path, project: Path, tmp_path: Path
) -> None:
    caller, other = "the token of a caller", "the token of another"
    (line,) = re.findall(r"`(printf %s TOKEN[^`]+)`", SCALE.read_text(encoding="utf-8"))
    done = subprocess.run(
        ["sh", "-c", line.replace("TOKEN", f"'{caller}'")],
        capture_output=True,
        text=True,
        check=True,
    )
    house = at(
        project,
        tmp_path / "data",
        limits={"user": {f"token {done.stdout.strip()}": ONE}},
        serve_tokens={caller: "DEVELOPER", other: "DEVELOPER"},
    )

    with house.serving(token=caller) as served:
        held = beside(served, {"skill": "waits"}, {"skill": "note"})
        free = beside(served, {"skill": "waits"}, {"skill": "note", "token": other})

    assert held == f"1 of 1 runs of the user token {done.stdout.strip()} are under way"
    assert "are under way" not in free
