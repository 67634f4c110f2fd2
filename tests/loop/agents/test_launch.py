"""How each agent is started: the words it knows, and nothing fetched, asked or written elsewhere."""

import json
import os
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agents_fakes import Work
from prowess.loop.agents.known import PROGRAMS, passed_on
from support import write_skill

LOCAL = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
SPOKEN_TO = {
    "claude": "-p --verbose --output-format stream-json --model m1",
    "codex": "exec --json --skip-git-repo-check -C HERE -m m1 -",
    "opencode": "run --format json --dir HERE -m prowess/m1",
    "gemini": "--approval-mode yolo --output-format stream-json -m m1",
    "qwen": "--yolo --output-format stream-json --chat-recording true --auth-type openai -m m1",
    "aider": (
        "--yes-always --no-check-update --no-analytics --no-pretty --no-stream"
        " --no-auto-commits --no-dirty-commits --no-gitignore --model openai/m1 --message-file"
    ),
}


def in_order(words: list[str], all_words: list[str]) -> bool:
    left = iter(all_words)
    return all(word in left for word in words)


def settings_of(words: list[str]) -> dict[str, Any]:
    """What `-c name=value` says, as the program reads it."""
    given = [after for word, after in pairwise(words) if word == "-c"]
    return tomllib.loads("\n".join(given))


@pytest.mark.parametrize("agent", sorted(PROGRAMS))
def test_it_is_called_by_the_words_it_knows(agent: str, work: Work, workspace: Path) -> None:
    noted = work(agent, [], model="m1", environment=LOCAL).noted

    words = SPOKEN_TO[agent].replace("HERE", str(workspace).replace(" ", "\0")).split(" ")
    assert in_order([word.replace("\0", " ") for word in words], noted["words"])


def test_codex_asks_nobody_and_neither_updates_nor_tells_of_itself(work: Work) -> None:
    settings = settings_of(work("codex", []).noted["words"])

    assert settings["approval_policy"] == "never"
    assert settings["check_for_update_on_startup"] is False
    assert settings["analytics"] == {"enabled": False}


def test_codex_speaks_to_the_server_that_is_named(work: Work) -> None:
    settings = settings_of(work("codex", [], environment=LOCAL).noted["words"])

    provider = settings["model_providers"][settings["model_provider"]]
    assert provider["base_url"] == LOCAL["OPENAI_BASE_URL"]
    assert (provider["wire_api"], provider["requires_openai_auth"]) == ("responses", False)


def test_opencode_fetches_nothing_by_itself_and_keeps_to_the_private_folder(work: Work) -> None:
    environment = work("opencode", []).noted["environment"]

    for name in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"):
        assert environment[f"OPENCODE_DISABLE_{name}"] == "1"
    place = os.path.dirname(environment["TMPDIR"])
    for name in ("DATA", "CONFIG", "CACHE", "STATE"):
        assert environment[f"XDG_{name}_HOME"].startswith(place + os.sep)


def test_opencode_is_granted_what_it_could_ask_nobody_for(work: Work) -> None:
    environment = work("opencode", []).noted["environment"]

    settings = json.loads(environment["OPENCODE_CONFIG_CONTENT"])
    assert settings["permission"] == {"*": "allow"}
    assert (settings["autoupdate"], settings["share"]) == (False, "disabled")


def test_opencode_asks_the_server_that_is_named_and_no_other_for_titles_too(work: Work) -> None:
    environment = work("opencode", [], model="m1", environment=LOCAL).noted["environment"]

    settings = json.loads(environment["OPENCODE_CONFIG_CONTENT"])
    assert settings["small_model"] == "prowess/m1"
    provider = settings["provider"]["prowess"]
    assert provider["npm"] == "@ai-sdk/openai-compatible"
    assert provider["options"]["baseURL"] == LOCAL["OPENAI_BASE_URL"]
    assert "m1" in provider["models"]


@pytest.mark.parametrize(
    ("agent", "named", "known_as"),
    [
        ("claude", "ANTHROPIC_BASE_URL", "ANTHROPIC_BASE_URL"),
        ("gemini", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
        ("qwen", "OPENAI_BASE_URL", "OPENAI_BASE_URL"),
        ("aider", "OPENAI_BASE_URL", "OPENAI_API_BASE"),
    ],
)
def test_a_server_of_ones_own_is_passed_on_by_the_name_that_the_agent_knows(
    agent: str, named: str, known_as: str, work: Work
) -> None:
    given = passed_on(agent, {named: "http://127.0.0.1:1"})

    environment = work(agent, [], environment=given).noted["environment"]

    assert environment[known_as] == "http://127.0.0.1:1"


def test_skills_are_laid_where_codex_and_opencode_look_for_them(work: Work, tmp_path: Path) -> None:
    skill = write_skill(tmp_path / "elsewhere", "csv-tools")
    look = (
        "found = subprocess.run(['find', '-L', '.agents/skills'], capture_output=True).stdout\n"
        "open(os.path.join(here, 'found'), 'wb').write(found)"
    )

    def finds(agent: str) -> bool:
        work(agent, [], before=look, skills={"csv-tools": str(skill)})
        return "/csv-tools/SKILL.md" in (tmp_path / "fake" / "found").read_text()

    assert {agent for agent in PROGRAMS if finds(agent)} == {"codex", "opencode"}
