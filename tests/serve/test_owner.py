"""A server without tokens belongs to whoever sits at the machine, and to nobody else."""

from pathlib import Path

import pytest

from prowess.core.errors import OutsideError, SettingsError
from prowess.serve.auth import read_tokens
from prowess.serve.listening import bound, check_safe
from prowess.settings import Settings
from serve.served import Home


def test_without_tokens_only_our_own_pages_may_ask(
    home: Path, project: Path, tmp_path: Path
) -> None:
    with Home(project, tmp_path / "data").serving() as served:
        ours = f"http://localhost:{served.port}"
        own = {"Origin": ours, "Sec-Fetch-Site": "same-origin"}
        other = {"Origin": "http://localhost:1", "Sec-Fetch-Site": "same-site"}

        assert served.get("/api/skills").status == 200
        assert served.post("/api/skills/x/reload", headers=own).status == 404
        assert served.post("/api/skills/x/reload", headers=other).status == 403


def test_beyond_loopback_nothing_listens_without_tokens() -> None:
    for host in ("0.0.0.0", "192.168.1.5", "::", "example.com"):  # noqa: S104
        with pytest.raises(SettingsError):
            check_safe(Settings(serve_host=host))
        check_safe(Settings(serve_host=host, serve_tokens={"x" * 20: "ADMIN"}))
    for host in ("127.0.0.1", "::1", "localhost"):
        check_safe(Settings(serve_host=host))


def test_a_port_that_is_taken_is_said_so() -> None:
    with bound("127.0.0.1", 0) as taken:
        taken.listen()

        with pytest.raises(OutsideError, match="cannot be listened on") as told:
            bound("127.0.0.1", taken.getsockname()[1])
    assert "--port" in told.value.hint


def test_a_token_can_be_given_by_its_digest() -> None:
    import hashlib

    digest = "sha256:" + hashlib.sha256(b"my secret word").hexdigest()

    tokens = read_tokens({digest: "end_user"})

    found = tokens.caller(b"my secret word")
    assert found
    assert found.role == "END_USER"
    assert tokens.caller(digest.encode()) is None


@pytest.mark.parametrize(
    ("token", "role"), [("short", "ADMIN"), ("long enough to be one", "BOSS"), ("ü" * 20, "ADMIN")]
)
def test_a_token_that_cannot_be_used_is_refused_without_being_told(token: str, role: str) -> None:
    with pytest.raises(SettingsError) as told:
        read_tokens({token: role})

    assert token not in f"{told.value} {told.value.hint}"
