"""Which tool shows a workflow, when nobody says so."""

from pathlib import Path

import pytest

from prowess.workflow.renderers.detect import detect


def test_the_setting_counts_most(tmp_path: Path) -> None:
    (tmp_path / ".opencode").mkdir()

    assert detect({"OPENCODE": "1"}, str(tmp_path), setting="json", terminal=True) == "json"


@pytest.mark.parametrize(
    "variable",
    ["OPENCODE", "CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "CURSOR_AGENT", "GEMINI_CLI"],
)
def test_a_command_of_a_coding_agent_speaks_markdown(variable: str, tmp_path: Path) -> None:
    (tmp_path / ".aider.chat.history.md").touch()

    assert detect({variable: "1"}, str(tmp_path), terminal=True) == "markdown"
    assert detect({variable: ""}, str(tmp_path)) == "aider"


@pytest.mark.parametrize("folder", [".opencode", ".cursor"])
def test_then_the_folder_tells(folder: str, tmp_path: Path) -> None:
    (tmp_path / ".aider.conf.yml").touch()
    (tmp_path / folder).mkdir()

    assert detect({}, str(tmp_path)) == "markdown"


@pytest.mark.parametrize("terminal", [True, False])
def test_aider_is_known_by_its_files_alone(terminal: bool, tmp_path: Path) -> None:  # noqa: FBT001
    (tmp_path / ".aider.conf.yml").touch()

    assert detect({}, str(tmp_path), terminal=terminal) == "aider"


def test_a_terminal_has_a_person_at_it_whatever_folders_lie_about(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()

    assert detect({}, str(tmp_path), terminal=True) == "terminal"


def test_where_nothing_tells_a_pipe_gets_markdown(tmp_path: Path) -> None:
    assert detect({}, str(tmp_path)) == "markdown"
    assert detect({}, str(tmp_path / "gone"), terminal=True) == "terminal"
