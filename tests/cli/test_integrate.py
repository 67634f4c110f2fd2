"""`prowess integrate`: other tools learn of our skills, and nobody loses a byte."""

import json
import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prowess.core.errors import UsageError
from prowess.core.safe_yaml import read_mapping
from prowess.integrate import json_entry, marked
from prowess.integrate.tools import TOOLS
from support import Cli, write_file

ENTRIES = {
    "opencode": ("mcp", {"type": "local", "command": ["prowess", "mcp"], "enabled": True}),
    "cursor": ("mcpServers", {"command": "prowess", "args": ["mcp"]}),
    "claude": ("mcpServers", {"command": "prowess", "args": ["mcp"]}),
}
JSON_FILES = [
    "{}",
    "{}\n",
    " { } \n",
    '{"a": 1}',
    '{"mcp": {}, "mcpServers": {}}',
    '{"mcp": {},"mcpServers": {}}\n',
    '{\n  "a": {"b": [1, 2]},\n  "c": "é"\n}\n',
    '{\r\n\t"a": 1\r\n}\r\n',
    '{\n    "mcp": {\n        "other": {"x": 1}\n    },\n    "mcpServers": {\n        "other": {"x": 1}\n    }\n}\n',
]


@pytest.mark.parametrize("tool", ENTRIES)
def test_a_tool_gets_the_server_in_its_settings(tool: str, cli: Cli, project: Path) -> None:
    done = cli("integrate", tool, "--yes")

    table, entry = ENTRIES[tool]
    written = (project / TOOLS[tool].file).read_text()
    assert done.code == 0
    assert json.loads(written) == {table: {"prowess": entry}}
    assert '+    "prowess": {' in done.out


def test_codex_gets_a_marked_block(cli: Cli, project: Path) -> None:
    write_file(project / ".codex/config.toml", 'model = "m"  # mine\n')
    cli("integrate", "codex", "--yes")

    written = (project / ".codex/config.toml").read_text()
    assert written.startswith('model = "m"  # mine\n\n# >>> prowess')
    assert tomllib.loads(written) == {
        "model": "m",
        "mcp_servers": {
            "prowess": {
                "command": "prowess",
                "args": ["mcp"],
                "required": True,
                "startup_timeout_sec": 60,
            }
        },
    }


def test_codex_gets_what_an_earlier_version_did_not_write(cli: Cli, project: Path) -> None:
    old = '[mcp_servers.prowess]\ncommand = "prowess"\nargs = ["mcp"]'
    file = write_file(project / ".codex/config.toml", marked.with_block('model = "m"\n', old))

    cli("integrate", "codex", "--yes")

    assert tomllib.loads(file.read_text())["mcp_servers"]["prowess"]["required"]
    assert file.read_text().count(">>> prowess >>>") == 1
    cli("integrate", "codex", "--remove", "--yes")
    assert file.read_text() == 'model = "m"\n'


@pytest.mark.parametrize(
    ("before", "read"),
    [
        ("", ["AGENTS.md"]),
        ("model: m\n", ["AGENTS.md"]),
        ("read:\n  - A.md\n  - B.md\nmodel: m\n", ["AGENTS.md", "A.md", "B.md"]),
        ("model: m\nread: # mine\n- A.md", ["AGENTS.md", "A.md"]),
    ],
)
def test_aider_is_told_to_read_agents_md(
    before: str, read: list[str], cli: Cli, project: Path
) -> None:
    file = write_file(project / ".aider.conf.yml", before)
    cli("integrate", "aider", "--yes")

    assert read_mapping(file.read_text()).value["read"] == read

    cli("integrate", "aider", "--remove", "--yes")

    assert file.read_text() == before


@pytest.mark.parametrize("tool", TOOLS)
def test_doing_it_twice_changes_nothing_and_removing_leaves_nothing(
    tool: str, cli: Cli, project: Path
) -> None:
    assert cli("integrate", tool, "--json").json["changed"] is True
    assert cli("integrate", tool, "--json").json["changed"] is False
    assert cli("integrate", tool, "--remove", "--json").json["changed"] is True
    assert cli("integrate", tool, "--remove", "--json").json["changed"] is False
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("before", JSON_FILES)
@pytest.mark.parametrize("tool", ENTRIES)
def test_a_json_file_keeps_what_it_says_and_comes_back_to_the_byte(tool: str, before: str) -> None:
    table, entry = ENTRIES[tool]
    after = TOOLS[tool].add(before)

    expected = json.loads(before)
    expected[table] = {**expected.get(table, {}), "prowess": entry}
    assert json.loads(after) == expected
    assert TOOLS[tool].remove(after) == before


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(["mcp", "other", 'q"{}', "é"])
TREES = st.dictionaries(KEYS, VALUES, max_size=4).map(
    lambda tree: (
        {**tree, "mcp": tree["mcp"] if isinstance(tree.get("mcp"), dict) else {}}
        if "mcp" in tree
        else tree
    )
)
LAYOUTS = st.sampled_from([{}, {"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}])


@given(TREES, LAYOUTS, st.sampled_from(["", "\n", "\r\n "]))
def test_any_json_file_comes_back_to_the_byte(
    tree: dict[str, object], layout: dict[str, object], end: str
) -> None:
    text = json.dumps(tree, **layout) + end  # type: ignore[arg-type]
    after = json_entry.with_entry(text, "mcp", "prowess", {"a": [1]})

    assert json_entry.entry(after, "mcp", "prowess") == {"a": [1]}
    assert json_entry.without_entry(after, "mcp", "prowess") == text


@given(st.text(alphabet="ab# \n\r", max_size=12))
def test_any_text_comes_back_to_the_byte_from_around_a_block(text: str) -> None:
    assert marked.without_block(marked.with_block(text, "x = 1")) == text


def test_text_that_was_added_behind_the_block_stays() -> None:
    text = marked.with_block("a = 1\n", "x = 1") + "\n[b]\n"

    assert marked.without_block(text) == "a = 1\n\n[b]\n"


def test_an_entry_in_a_file_that_was_laid_out_anew_is_taken_out_with_the_table_made_for_it() -> (
    None
):
    after = json.loads(TOOLS["cursor"].add('{"a": 1}'))
    anew = json.dumps(dict(reversed(after.items())), indent=8)

    removed = TOOLS["cursor"].remove(anew)

    assert removed is not None
    assert json.loads(removed) == {"a": 1}


def test_what_the_tool_itself_added_since_is_all_that_stays() -> None:
    schema = '{\n  "$schema": "https://example.org/config.json",'
    changed = TOOLS["opencode"].add(None).replace("{", schema, 1)

    assert json.loads(TOOLS["opencode"].remove(changed) or "") == json.loads(schema[:-1] + "}")


def test_an_empty_table_of_somebody_else_stays() -> None:
    changed = TOOLS["opencode"].add('{"mcp": {}}').replace("{", '{"a": 1, ', 1)

    assert json.loads(TOOLS["opencode"].remove(changed) or "") == {"a": 1, "mcp": {}}


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("opencode", '{\n  // mine\n  "mcp": {}\n}\n'),
        ("opencode", '{"mcp": []}'),
        ("opencode", '{"mcp": null}'),
        ("opencode", '{"mcp": {"prowess": null}}'),
        ("claude", '{"mcpServers": null}'),
        ("opencode", '{"mcp": {}, "mcp": {}}'),
        ("cursor", "[]"),
        ("claude", ""),
        ("claude", "[" * 100_000),
        ("codex", "mcp_servers = {}\n"),
        ("codex", "= 1\n"),
        ("aider", "read: [A.md]\n"),
        ("aider", "read: A.md\n"),
        ("aider", "a: {\n"),
    ],
)
def test_what_it_does_not_understand_it_leaves_alone_and_says_what_to_paste(
    tool: str, text: str, cli: Cli, project: Path
) -> None:
    file = write_file(project / TOOLS[tool].file, text)

    done = cli("integrate", tool, "--yes")

    assert done.code == 2
    assert "add this by hand" in done.err
    assert ("AGENTS.md" if tool == "aider" else "prowess") in done.err
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("tool", "text"),
    [("opencode", '{"mcp": {} /* mine */}'), ("codex", "= 1\n"), ("aider", "a: {\n")],
)
def test_what_it_cannot_take_out_is_named_to_be_taken_out_by_hand(tool: str, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        TOOLS[tool].remove(text)

    assert "take this out by hand" in caught.value.hint


@pytest.mark.parametrize("words", [[], ["--remove"]])
@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("cursor", '{"mcpServers": {"prowess": {"command": "mine"}}}'),
        ("codex", '[mcp_servers.prowess]\ncommand = "mine"\n'),
    ],
)
def test_an_entry_of_your_own_is_not_touched(
    tool: str, text: str, words: list[str], cli: Cli, project: Path
) -> None:
    file = write_file(project / TOOLS[tool].file, text)

    assert cli("integrate", tool, "--yes", *words).code == 2
    assert file.read_text() == text


def test_nothing_is_done_before_somebody_says_yes(cli: Cli, project: Path) -> None:
    done = cli("integrate", "opencode")

    assert done.code == 2
    assert "--yes" in done.err
    assert '+    "prowess": {' in done.out
    assert list(project.iterdir()) == []


@pytest.mark.parametrize(("typed", "code"), [("y", 0), ("n", 1)])
def test_at_a_terminal_it_asks(typed: str, code: int, home: Path, project: Path) -> None:
    keyboard, screen = pty.openpty()
    os.write(keyboard, f"{typed}\n".encode())

    done = subprocess.run(
        [sys.executable, "-m", "prowess", "integrate", "opencode"],
        stdin=screen,
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(screen)
    os.close(keyboard)

    assert done.returncode == code
    assert (project / "opencode.json").exists() == (code == 0)


def test_a_link_out_of_the_project_is_not_followed(cli: Cli, project: Path, home: Path) -> None:
    (project / ".cursor").symlink_to(home)

    done = cli("integrate", "cursor", "--yes")

    assert done.code == 1
    assert "leads out of the project" in done.err
    assert list(home.iterdir()) == []


def test_a_file_keeps_its_permissions(cli: Cli, project: Path) -> None:
    file = write_file(project / ".mcp.json", "{}")
    file.chmod(0o600)
    cli("integrate", "claude", "--yes")

    assert file.stat().st_mode & 0o777 == 0o600


def test_an_unknown_tool_is_refused_with_those_there_are(cli: Cli) -> None:
    done = cli("integrate", "vim")

    assert done.code == 2
    assert "opencode, cursor, claude, codex, aider" in done.err


def test_a_file_that_is_not_text_is_left_alone(cli: Cli, project: Path) -> None:
    file = write_file(project / ".mcp.json", b"\xff{}")

    assert cli("integrate", "claude", "--yes").code == 2
    assert file.read_bytes() == b"\xff{}"


def test_removing_by_hand_is_named_when_the_marks_are_gone() -> None:
    text = '[mcp_servers.prowess]\ncommand = "prowess"\nargs = ["mcp"]\n'

    assert TOOLS["codex"].add(text) == text
    with pytest.raises(UsageError, match="did not write"):
        TOOLS["codex"].remove(text)


@pytest.mark.parametrize(
    ("tool", "mark"), [("codex", marked.START), ("codex", marked.END), ("aider", marked.END)]
)
def test_a_block_with_one_mark_gone_is_left_to_be_taken_out_by_hand(
    tool: str, mark: str, cli: Cli, project: Path
) -> None:
    text = TOOLS[tool].add("").replace(mark, "# mine")
    file = write_file(project / TOOLS[tool].file, text)

    done = cli("integrate", tool, "--remove", "--yes")

    assert (done.code, file.read_text()) == (2, text)
    assert "by hand" in done.err


def test_a_mark_inside_of_somebodys_text_loses_nothing() -> None:
    noted = f'note = """\n{marked.START}\nmine\n"""\nkept = 1\n'
    own = f'{noted}[mcp_servers.prowess]\ncommand = "prowess"\nargs = ["mcp"]\n{marked.END}\n'

    assert TOOLS["codex"].remove(TOOLS["codex"].add(noted)) == noted
    with pytest.raises(UsageError, match="did not write"):
        TOOLS["codex"].remove(own)


def test_a_list_that_goes_on_behind_the_block_is_not_broken() -> None:
    text = TOOLS["aider"].add("a: 1\n") + "  - mine.md\n"

    with pytest.raises(UsageError, match="between Prowess's marks"):
        TOOLS["aider"].remove(text)
