"""
Real clients of others against our server: the MCP Inspector, OpenCode and Codex.

Needs them: `make peers`. The agents are told what to do by a scripted model on loopback.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from agents_fakes import worked
from agents_server import AgentsServer, Use
from house import skill_file
from installed import peer
from model.formats import Say
from prowess.core.agent import AgentOrder
from prowess.integrate import codex as integrate
from prowess.loop.agents.opencode import OPENCODE
from prowess.loop.agents.program import Program
from serve.served import Home
from support import write_file

INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
WRITES = """
turns:
  - {call: Write, input: {file_path: greeting.txt, content: hello}}
  - answer: The greeting is written.
"""


@pytest.fixture
def at(home: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PROWESS_MODEL_DEFAULT", "demo")
    folder = skill_file(project, "greet", "Greet.\n\n- references/words.md: what to say")
    write_file(folder / "demo.yaml", WRITES)
    write_file(folder / "references" / "words.md", "Hello, Zoë.\n")
    return project


def inspect(*words: str, target: tuple[str, ...]) -> tuple[int, str, str]:
    """What the Inspector's command line says of the server; its own options come after the target."""
    done = subprocess.run(
        [
            peer("inspector/node_modules/.bin/node"),
            peer(f"inspector/{INSPECTOR}"),
            "--cli",
            *("-e", "PROWESS_MODEL_DEFAULT=demo"),  # it hands on nothing of its own
            *target,
            *words,
        ],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


STDIO = (sys.executable, "-m", "prowess", "mcp")


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_tools_and_prompts_and_finds_their_schemas_portable(
    at: Path, era: str
) -> None:
    tools = inspect("--protocol-era", era, "--method", "tools/list", "--strict", target=STDIO)
    prompts = inspect("--protocol-era", era, "--method", "prompts/list", target=STDIO)

    assert tools[0] == 0, tools[2]
    assert {"greet", "prowess_match"} <= {each["name"] for each in json.loads(tools[1])["tools"]}
    assert "greet" in {each["name"] for each in json.loads(prompts[1])["prompts"]}


def test_the_inspector_calls_a_skill(at: Path) -> None:
    words = ("--method", "tools/call", "--tool-name", "greet", "--tool-arg", "arguments=Ada")
    code, out, err = inspect(*words, target=STDIO)

    assert code == 0, err
    assert json.loads(out)["content"][0]["text"] == "The greeting is written."
    assert (at / "greeting.txt").read_text() == "hello"


def verified(target: tuple[str, ...]) -> list[dict[str, Any]]:
    words = ("--protocol-era", "modern", "--method", "skills/list", "--verify", "--require-digests")
    code, out, err = inspect(*words, target=target)
    assert code == 0, err + out
    return [json.loads(line) for line in out.splitlines()]


def test_the_inspector_verifies_every_skill_over_stdio(at: Path) -> None:
    reports = verified(STDIO)

    assert {"greet", "skill-author"} <= {each["name"] for each in reports}
    assert all(each["outcome"] == "verified" for each in reports)
    assert all(each["conformance"] == each["frontmatter"] == [] for each in reports)


def test_the_inspector_verifies_every_skill_over_http(at: Path, tmp_path: Path) -> None:
    with Home(at, tmp_path / "data").serving(faces=None) as served:
        reports = verified((f"http://127.0.0.1:{served.port}/mcp",))

    assert "greet" in {each["name"] for each in reports}


def test_the_inspector_reads_a_folder_and_is_told_what_is_none(at: Path) -> None:
    def read(uri: str) -> tuple[int, str, str]:
        words = ("--protocol-era", "modern", "--method", "resources/directory/read", "--uri", uri)
        return inspect(*words, target=STDIO)

    code, out, err = read("skill://greet/references")
    assert code == 0, err
    assert [each["name"] for each in json.loads(out)["resources"]] == ["words.md"]
    assert "is not a folder" in read("skill://greet/SKILL.md")[2]


def test_opencode_runs_a_skill_through_our_server(at: Path, tmp_path: Path) -> None:
    agent = Program(ways=OPENCODE, path=peer("agents/node_modules/.bin/opencode"))
    server = {
        "command": [*STDIO, "--project", str(at), "--data", str(tmp_path / "data")],
        "env": {"PROWESS_MODEL_DEFAULT": "demo"},
    }
    with AgentsServer(Use("greet"), Say(text="All greeted.")) as model:
        order = AgentOrder(
            run="r1",
            prompt="Greet everybody.",
            workspace=str(at),
            model="scripted",
            wall=240.0,
            idle=120.0,
            environment={"OPENAI_BASE_URL": f"{model.url}/v1"},
            servers={"prowess": server},
        )
        ended = worked(agent, order)

    (finished,) = ended.payloads("call.finished")
    assert finished["ok"]
    assert "The greeting is written." in finished["text"]
    assert (at / "greeting.txt").read_text() == "hello"
    assert ended.end.answer == "All greeted."


def test_codex_runs_a_skill_through_our_server(at: Path, tmp_path: Path) -> None:
    codex = peer("agents/node_modules/.bin/codex")
    with AgentsServer(Use("greet"), Say(text="All greeted.")) as model:
        settings = f"""
            model_provider = "here"
            check_for_update_on_startup = false
            analytics.enabled = false
            [model_providers.here]
            name = "here"
            base_url = "{model.url}/v1"
            wire_api = "responses"
            requires_openai_auth = false
            [mcp_servers.prowess]
            command = "{sys.executable}"
            args = ["-m", "prowess", "mcp", "--project", "{at}", "--data", "{tmp_path / "data"}"]
            env = {{ PROWESS_MODEL_DEFAULT = "demo" }}
            required = true
            startup_timeout_sec = 60
            default_tools_approval_mode = "approve"
        """
        place = write_file(tmp_path / "codex" / "config.toml", dedent(settings)).parent
        done = subprocess.run(
            [codex, "exec", "--json", "--skip-git-repo-check", "-C", str(at), "-m", "m", "-"],
            input="Greet everybody.",
            env={**os.environ, "CODEX_HOME": str(place)},
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )

    items = [json.loads(line).get("item", {}) for line in done.stdout.splitlines()]
    (called,) = [
        each
        for each in items
        if each.get("type") == "mcp_tool_call" and each["status"] != "in_progress"
    ]
    assert called["status"] == "completed", done.stdout
    assert "The greeting is written." in json.dumps(called["result"])
    assert (at / "greeting.txt").read_text() == "hello"
    assert items[-2]["text"] == "All greeted."


def test_codex_says_so_when_the_server_that_we_entered_does_not_start(
    at: Path, tmp_path: Path
) -> None:
    """What `prowess integrate codex` writes; here no command is called `prowess`."""
    codex = peer("agents/node_modules/.bin/codex")
    place = write_file(tmp_path / "codex" / "config.toml", integrate.add(None)).parent
    node = Path(str(shutil.which("node"))).parent
    with AgentsServer(Say(text="All greeted.")) as model:
        done = subprocess.run(
            [
                *(codex, "exec", "--json", "--skip-git-repo-check", "-C", str(at), "-m", "m"),
                *("-c", 'model_provider="here"', "-c", "check_for_update_on_startup=false"),
                *("-c", f'model_providers.here={{name="here", base_url="{model.url}/v1"}}', "-"),
            ],
            input="Greet everybody.",
            env={"HOME": str(tmp_path), "CODEX_HOME": str(place), "PATH": f"{node}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )

        assert not model.conversations
    assert done.returncode
    assert "prowess" in done.stdout + done.stderr
