"""
The real programs at work, against a scripted model on loopback.

Needs the agents: `make peers`. Their streams are also told by hand beside these tests, so that what is
read from them is held where the programs cannot be installed.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents_fakes import Ended, worked
from agents_server import AgentsServer, Run, Turn, Use
from installed import missing
from model.formats import Say
from model.server import Fault
from prowess.core.agent import AgentOrder
from prowess.loop.agents.known import PROGRAMS
from prowess.loop.agents.program import Program
from support import write_file, write_skill

AGENTS = Path(__file__).parents[3] / ".peers" / "agents"
PLACES = {"aider": "venv/bin/aider"}
OPTIONAL = {"claude"}  # not free software: tried where somebody has put it there
TALKERS = ["claude", "codex", "opencode", "gemini", "qwen"]
MCP_SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    known = {"protocolVersion": asked.get("params", {}).get("protocolVersion", "2025-06-18")}
    known |= {"capabilities": {"tools": {}}, "serverInfo": {"name": "state", "version": "1"}}
    schema = {"type": "object", "properties": {}}
    tool = {"name": "current_phase", "description": "Tells the phase.", "inputSchema": schema}
    seen = {"content": [{"type": "text", "text": "phase seven"}]}
    answers = {"initialize": known, "tools/list": {"tools": [tool]}, "tools/call": seen}
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": answers.get(asked["method"], {})}
    print(json.dumps(answer), flush=True)
"""


def program(name: str) -> Program:
    """An installed agent; without it the test is skipped, or fails where all is required."""
    ways = PROGRAMS[name]
    path = AGENTS / PLACES.get(name, f"node_modules/.bin/{ways.program}")
    if not path.exists():
        if name in OPTIONAL:
            pytest.skip(
                f"{name} is not installed: npm i --prefix .peers/agents @anthropic-ai/claude-code"
            )
        missing(f"{name} is not installed: run `make peers`")
    return Program(ways=ways, path=str(path))


@pytest.fixture
def tree(home: Path, workspace: Path) -> Path:
    """A git work tree with one file, of somebody with nothing else on the machine."""
    write_file(workspace / "README.md", "# Here\n")
    git = ["git", "-C", str(workspace), "-c", "user.name=a", "-c", "user.email=a@localhost"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    return workspace


def at_work(name: str, tree: Path, server: AgentsServer, **asked: Any) -> Ended:
    order = AgentOrder(
        **{
            "run": "r1",
            "prompt": "Make the file.",
            "workspace": str(tree),
            "model": "scripted",
            "wall": 240.0,
            "idle": 120.0,
            "environment": {
                "OPENAI_BASE_URL": f"{server.url}/v1",
                "GOOGLE_GEMINI_BASE_URL": server.url,
                "ANTHROPIC_BASE_URL": server.url,
                "ANTHROPIC_API_KEY": "none",
            },
            **asked,
        }
    )
    return worked(program(name), order)


def told(name: str, tree: Path, *turns: Turn, **asked: Any) -> Ended:
    with AgentsServer(*turns) as server:
        return at_work(name, tree, server, **asked)


def changes(tree: Path) -> str:
    status = ["git", "-C", str(tree), "status", "--porcelain", "--untracked-files=all"]
    return subprocess.run(status, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("name", TALKERS)
def test_it_does_what_the_model_says_and_its_story_is_ours(name: str, tree: Path) -> None:
    ended = told(name, tree, Run("echo made > made.txt; cat made.txt"), Say(text="It is made."))

    assert (tree / "made.txt").read_text() == "made\n"
    assert changes(tree) == "?? made.txt\n"
    (started,), (finished,) = ended.payloads("call.started"), ended.payloads("call.finished")
    assert started["input"]["command"] == "echo made > made.txt; cat made.txt"
    assert finished["ok"]
    assert finished["text"].strip().endswith("made")
    assert (ended.end.trouble, ended.end.said_done, ended.end.code) == ("none", True, 0)
    assert ended.end.answer == "It is made."
    assert (ended.end.usage.input_tokens, ended.end.usage.output_tokens) == (200, 40)


@pytest.mark.parametrize("name", TALKERS)
def test_a_command_that_fails_is_seen_to_fail(name: str, tree: Path) -> None:
    """Gemini and Qwen call it a success, OpenCode completed."""
    ended = told(name, tree, Run("echo boom >&2; exit 3"), Say(text="All tests pass."))

    (finished,) = ended.payloads("call.finished")
    assert not finished["ok"]
    assert finished["facts"] == ({} if name == "claude" else {"exit": 3})
    assert ended.end.trouble == "none"


@pytest.mark.parametrize("name", [*TALKERS, "aider"])
def test_a_wrong_key_is_known_for_what_it_is(name: str, tree: Path) -> None:
    """Qwen leaves with 0 and calls it a success; Claude tries on for minutes."""
    ended = told(name, tree, Fault(status=401), idle=20.0 if name == "claude" else 120.0)

    assert (ended.end.trouble, ended.end.said_done) == ("auth", False)


@pytest.mark.parametrize("name", ["codex", "opencode"])
def test_a_server_that_hangs_does_not_hang_us(name: str, tree: Path) -> None:
    with AgentsServer(Fault(trouble="hang")) as server:
        ended = at_work(name, tree, server, idle=40.0)

        assert server.conversations
    assert (ended.end.trouble, ended.end.killed_by) == ("idle", "idle")


LIMIT = {"error": {"message": "Rate limit reached. Please try again in 2 hours.", "code": 429}}


@pytest.mark.parametrize("name", ["opencode", "gemini", "qwen"])
def test_a_usage_limit_is_known_also_of_one_that_asks_on_until_it_is_stopped(
    name: str, tree: Path
) -> None:
    ended = told(name, tree, Fault(status=429, body=LIMIT), wall=40.0)

    assert (ended.end.trouble, ended.end.killed_by) == ("usage_limit", "timeout")
    if name != "gemini":  # it tells the status, and nothing else
        assert "Rate limit reached. Please try again in 2 hours." in ended.end.why
        assert ended.end.resets_at


def test_a_server_that_always_fails_does_not_keep_it_for_ever(tree: Path) -> None:
    """OpenCode would go on asking."""
    with AgentsServer(Fault(status=500)) as server:
        ended = at_work("opencode", tree, server, wall=40.0)

        assert server.conversations
    assert ended.end.trouble == "timeout"


@pytest.mark.parametrize(
    "name", ["codex", "opencode", "gemini"]
)  # Qwen's model must search for them
def test_it_is_handed_the_mcp_servers(name: str, tree: Path, tmp_path: Path) -> None:
    script = write_file(tmp_path / "state.py", MCP_SERVER)
    servers = {"state": {"command": [sys.executable, str(script)], "env": {"MARK": "yes"}}}

    ended = told(name, tree, Use("current_phase"), Say(text="Seven."), servers=servers)

    (finished,) = ended.payloads("call.finished")
    assert finished["ok"]
    assert "phase seven" in finished["text"]


def test_codex_does_not_work_without_a_server_that_it_was_handed(tree: Path) -> None:
    """Left to itself it would begin, and the model would never know of the tools that are missing."""
    servers = {"state": {"command": ["/nowhere/at-all"]}}

    with AgentsServer(Say(text="All done.")) as server:
        ended = at_work("codex", tree, server, servers=servers)

        assert not server.conversations
    assert not ended.end.said_done
    assert ended.end.trouble != "none"
    assert "state" in ended.end.told


@pytest.mark.parametrize("name", ["codex", "opencode"])
def test_it_finds_the_skills_that_are_handed_over(name: str, tree: Path, tmp_path: Path) -> None:
    skill = write_skill(tmp_path / "away", "csv-tools", description="Adds up odd columns.")

    with AgentsServer(Say(text="Seen.")) as server:
        at_work(name, tree, server, skills={"csv-tools": str(skill)})

        assert b"Adds up odd columns." in server.conversations[0].raw
    assert changes(tree) == ""


def test_aider_changes_files_and_nothing_else(tree: Path) -> None:
    edit = "README.md\n```\n# There\n```\n"
    settings = (tree / ".git" / "config").read_text()

    with AgentsServer(Say(text=edit)) as server:
        server.beside = Say(text=edit)
        ended = at_work("aider", tree, server)

    assert (tree / "README.md").read_text() == "# There\n"
    assert changes(tree) == " M README.md\n"
    assert (tree / ".git" / "config").read_text() == settings
    assert [each["tool"] for each in ended.payloads("call.finished")] == ["Edit"]
    assert (ended.end.trouble, ended.end.said_done) == ("none", True)
    assert ended.end.usage.output_tokens == 20 * len(server.requests)
