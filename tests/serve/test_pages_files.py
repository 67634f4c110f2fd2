"""The page and its files, as they are sent and as they are written."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from prowess.serve import pages
from serve.served import Home, Served

FILES = sorted(Path(pages.STATIC).iterdir())
SCRIPTS = [file for file in FILES if file.suffix == ".js"]
KINDS = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
TOKEN = "a-token-for-a-test"  # noqa: S105


@pytest.fixture
def served(home: Path, project: Path, tmp_path: Path) -> Iterator[Served]:
    with Home(project, tmp_path / "data").serving(faces=[pages.include]) as server:
        yield server


def names_in(page: str) -> list[str]:
    return re.findall(r'(?:src|href)="(/static/[^"]+)"', page)


def test_every_file_that_the_page_names_is_there_and_may_be_kept(served: Served) -> None:
    named = names_in(served.get("/").body.decode())

    assert len(named) > len(SCRIPTS)
    for name in named:
        answer = served.get(name)
        assert answer.status == 200
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-type"].startswith(KINDS[name.rpartition(".")[2]])
        assert answer.body == (Path(pages.STATIC) / name.rpartition("/")[2]).read_bytes()


def test_the_page_itself_is_asked_for_anew_each_time(served: Served) -> None:
    answer = served.get("/")

    assert answer.headers["cache-control"] == "no-store"
    assert served.ask("HEAD", "/").status == 200


def test_a_changed_file_has_a_new_address() -> None:
    assert pages._digest({"app.js": b"one"}) != pages._digest({"app.js": b"two"})
    assert pages._digest({"app.js": b"one"}) != pages._digest({"map.js": b"one"})


@pytest.mark.parametrize("path", ["../pages.py", "%2e%2e/pages.py", "nothing.js", ""])
def test_nothing_else_can_be_had_from_the_place_of_the_files(served: Served, path: str) -> None:
    folder = names_in(served.get("/").body.decode())[0].rpartition("/")[0]

    assert served.get(f"{folder}/{path}").status == 404


def test_nothing_in_the_page_needs_more_than_the_policy_allows(served: Served) -> None:
    page = served.get("/").body.decode()

    assert "unsafe" not in served.get("/").headers["content-security-policy"]
    assert not re.search(r"\son\w+=|\sstyle=|<style|javascript:", page)
    assert all(
        script.startswith('<script type="module" src=')
        for script in re.findall(r"<script[^>]*>", page)
    )
    assert "http" not in page


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_no_script_reads_text_as_html_or_asks_another_server(file: Path) -> None:
    text = file.read_text()
    known = text.replace("http://www.w3.org/2000/svg", "")

    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|DOMParser|\beval\(|new Function|srcdoc",
        text,
    )
    assert not re.search(r"https?://", known)


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.name)
def test_a_script_can_be_read_in_one_sitting(file: Path) -> None:
    lines = file.read_text().splitlines()

    assert len(lines) <= 250
    assert lines[0].startswith("// ")


def test_a_stranger_gets_the_page_that_asks_for_a_token_and_nothing_else(
    home: Path, project: Path, tmp_path: Path
) -> None:
    owner = Home(project, tmp_path / "data", settings={"serve_tokens": {TOKEN: "DEVELOPER"}})
    with owner.serving(faces=[pages.include]) as served:
        page = served.get("/")
        me = served.get("/api/me", token=TOKEN)

        assert page.status == 401
        assert served.get(names_in(page.body.decode())[0]).status == 200
        assert served.get("/api/me").status == 401
        assert me.json["role"] == "DEVELOPER"
        assert me.json["level"] == "FULL"
