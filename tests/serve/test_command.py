"""`prowess serve` as a new user types it, in an empty folder and a new home."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support import Cli


@contextmanager
def typed(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command at work, and the address it told."""
    command = [sys.executable, "-m", "prowess", "serve", "--port", "0", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            told = process.stderr.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+", told)
            assert found, told + process.stderr.read()
            yield process, found[0]
        finally:
            process.kill()


def fetched(address: str) -> str:
    with urllib.request.urlopen(address, timeout=20) as answer:  # noqa: S310  our own
        return str(answer.read().decode())


def test_a_new_user_gets_a_page_and_skills_and_stops_it_with_ctrl_c(home: Path) -> None:
    with typed() as (process, address):
        page, skills = fetched(address), json.loads(fetched(f"{address}/api/skills"))
        process.send_signal(signal.SIGINT)
        code = process.wait(30)
        left = process.stderr.read() if process.stderr else ""

    assert "<html" in page.lower()
    assert "prowess-worker" in {each["id"] for each in skills}
    assert code == 130
    assert left == ""
    assert (home / ".local/share/prowess/skills/prowess-worker").is_dir()


def test_a_place_where_others_could_listen_needs_tokens(cli: Cli) -> None:
    result = cli("serve", "--host", "0.0.0.0", "--port", "0")  # noqa: S104

    assert result.code == 2
    assert "serve.tokens" in result.err
