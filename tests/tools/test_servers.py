"""The table of MCP servers, as people write it."""

from typing import Any

import pytest

from prowess.core.errors import SettingsError
from prowess.tools.servers import Server, read_servers


def test_servers_are_commands_or_addresses() -> None:
    table = {
        "files": {"command": ["serve-files", "--here"], "env": {"LEVEL": "1"}},
        "issue-tracker": {"url": "https://tracker.example/mcp"},
    }

    assert read_servers(table) == [
        Server(name="files", command=("serve-files", "--here"), env={"LEVEL": "1"}),
        Server(name="issue-tracker", url="https://tracker.example/mcp"),
    ]


@pytest.mark.parametrize(
    ("name", "entry", "said"),
    [
        ("a__b", {"url": "http://h"}, "not a name"),
        ("a_", {"url": "http://h"}, "not a name"),
        ("a b", {"url": "http://h"}, "not a name"),
        ("a", "http://h", "not a table"),
        ("a", {}, "neither a command nor a url"),
        ("a", {"command": ["x"], "url": "http://h"}, "both a command and a url"),
        ("a", {"command": "x --y"}, "command is not a list"),
        ("a", {"command": []}, "command is not a list"),
        ("a", {"command": ["x", 1]}, "command is not a list"),
        ("a", {"command": ["x\0"]}, "command is not a list"),
        ("a", {"command": ["x"], "env": {"A": 1}}, "env is not a table"),
        ("a", {"command": ["x"], "args": ["y"]}, "no setting 'args'"),
        ("a", {"url": "ftp://h"}, "not an address"),
        ("a", {"url": "http://["}, "not an address"),
        ("a", {"url": 1}, "not an address"),
        ("a", {"url": "http://h", "env": {}}, "no use with a url"),
    ],
)
def test_a_wrong_server_is_refused_by_name(name: str, entry: Any, said: str) -> None:
    with pytest.raises(SettingsError) as error:
        read_servers({name: entry})

    assert f"mcp_servers.{name}" in str(error.value)
    assert said in str(error.value)
    assert error.value.hint
