"""The skills extension (SEP-2640): whole folders with digests, and nothing beyond them."""

import base64
import hashlib
import os
from pathlib import Path
from typing import Any, Literal

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from prowess.core.files import MAX_BYTES
from prowess.discover.resources import MAX_FILES
from serve.mcp_talking import Home
from support import write_file, write_skill

HEADER = "---\nname: {name}\ndescription: Does a thing.\n{more}---\n\n# Body\n"


class Ask(types.Request[dict[str, Any], str]):
    method: str
    params: dict[str, Any]


class Told(types.Result, extra="allow"):
    """Whatever came back."""


@pytest.fixture
def skills(project: Path) -> Path:
    return project / "skills"


@pytest.fixture
def home(home: Path, project: Path, skills: Path, tmp_path: Path) -> Home:
    skills.mkdir()
    return Home(project, tmp_path / "data", settings={"only_dirs": (str(skills),)})


def ask(home: Home, method: str, **params: Any) -> dict[str, Any]:
    """One request as it goes over the wire, and what came back as it came."""

    async def work(client: Client) -> dict[str, Any]:
        told = await client.session.send_request(Ask(method=method, params=params), Told)
        return told.model_dump(by_alias=True)

    return home.talk(work)


def refused(home: Home, method: str, **params: Any) -> MCPError:
    async def work(client: Client) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await client.session.send_request(Ask(method=method, params=params), Told)
        return caught.value

    return home.talk(work)


def listed(home: Home) -> list[str]:
    return [skill["uri"] for skill in ask(home, "skills/list")["skills"]]


def sha256(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def test_the_extension_is_declared_with_what_it_needs(home: Home) -> None:
    async def work(client: Client) -> Any:
        return client.server_capabilities

    able = home.talk(work)

    assert able.extensions == {"io.modelcontextprotocol/skills": {"directoryRead": True}}
    assert able.resources is not None


def test_an_entry_has_the_header_as_it_was_written_and_every_file_with_its_digest(
    home: Home, skills: Path
) -> None:
    more = (
        "version: 1.10\nmetadata:\n  since: 2026-01-01\n  deep: [1, true, null]\nodd-field: yes\n"
    )
    text = HEADER.format(name="pdf", more=more)
    write_file(skills / "pdf" / "SKILL.md", text)
    write_file(skills / "pdf" / "scripts" / "a b.py", "print()")
    write_file(skills / "pdf" / "logo.bin", b"\xff\x00")

    told = ask(home, "skills/list")

    (entry,) = told["skills"]
    assert entry["uri"] == "skill://pdf/SKILL.md"
    assert entry["frontmatter"] == {
        "name": "pdf",
        "description": "Does a thing.",
        "version": 1.1,
        "metadata": {"since": "2026-01-01", "deep": [1, True, None]},
        "odd-field": "yes",
    }
    assert entry["resources"] == [
        {
            "uri": "skill://pdf/SKILL.md",
            "digest": sha256(text.encode()),
            "size": len(text.encode()),
        },
        {"uri": "skill://pdf/logo.bin", "digest": sha256(b"\xff\x00"), "size": 2},
        {"uri": "skill://pdf/scripts/a%20b.py", "digest": sha256(b"print()"), "size": 7},
    ]
    assert (told["resultType"], told["cacheScope"]) == ("complete", "private")
    assert told["ttlMs"] > 0
    assert ask(home, "skills/get", uri=entry["uri"])["skill"] == entry


def test_what_is_read_is_what_the_digest_was_made_of(home: Home, skills: Path) -> None:
    write_file(skills / "pdf" / "SKILL.md", HEADER.format(name="pdf", more="") + "Zoë\n")
    write_file(skills / "pdf" / "logo.bin", b"\xff\x00")
    (entry,) = ask(home, "skills/list")["skills"]

    for file in entry["resources"]:
        (content,) = ask(home, "resources/read", uri=file["uri"])["contents"]
        text = content.get("text")
        data = base64.b64decode(content["blob"]) if text is None else text.encode()
        assert (sha256(data), len(data)) == (file["digest"], file["size"])


def test_a_file_that_changes_gets_another_digest(home: Home, skills: Path) -> None:
    folder = write_skill(skills, "pdf")

    async def work(client: Client) -> list[str]:
        digests = []
        for text in ("one", "two"):
            write_file(folder / "reference.md", text)
            get = Ask(method="skills/get", params={"uri": "skill://pdf/SKILL.md"})
            told = (await client.session.send_request(get, Told)).model_dump()
            digests += [each["digest"] for each in told["skill"]["resources"][1:]]
        return digests

    assert home.talk(work) == [sha256(b"one"), sha256(b"two")]


def test_a_long_list_comes_page_by_page_and_nothing_is_missed(
    home: Home, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.serve.mcp.SKILLS_PAGE", 2)
    for number in range(5):
        write_skill(skills, f"s{number}")
    found: list[str] = []
    cursor: dict[str, Any] = {}

    for _ in range(3):
        page = ask(home, "skills/list", **cursor)
        found += [each["frontmatter"]["name"] for each in page["skills"]]
        cursor = {"cursor": page.get("nextCursor")}

    assert found == ["s0", "s1", "s2", "s3", "s4"]
    assert cursor == {"cursor": None}
    assert refused(home, "skills/list", cursor="gone").code == -32602


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("another name", HEADER.format(name="other", more="")),
        ("a header to be mended", "---\nname: pdf\ndescription: Use when: asked\n---\n"),
        ("no plain name", HEADER.format(name="PDF", more="")),
    ],
)
def test_what_a_strict_reader_would_refuse_is_not_served(
    home: Home, skills: Path, why: str, text: str
) -> None:
    write_skill(skills, "good")
    write_file(skills / "pdf" / "SKILL.md", text)

    assert listed(home)[:1] == ["skill://good/SKILL.md"]
    assert "skill://pdf/SKILL.md" not in listed(home)
    assert refused(home, "skills/get", uri="skill://pdf/SKILL.md").code == -32602


def test_manifests_and_workflows_are_no_skills_of_the_extension(home: Home, skills: Path) -> None:
    write_file(skills / "role" / "manifest.json", '{"name": "Role", "description": "x"}')
    write_file(skills / "flow" / "skill.yaml", "name: flow\ndescription: x\nsteps: [{output: x}]\n")

    assert listed(home) == []


def test_a_skill_beyond_the_limits_is_not_served_and_one_at_the_limit_is(
    home: Home, skills: Path
) -> None:
    for name, files in (("many", MAX_FILES), ("most", MAX_FILES - 1)):
        folder = write_skill(skills, name)
        for number in range(files):
            (folder / f"{number}.txt").touch()
    for name, size in (("large", MAX_BYTES), ("largest", MAX_BYTES - 100_000)):
        with (write_skill(skills, name) / "data.bin").open("wb") as file:
            file.truncate(size)

    assert listed(home) == ["skill://largest/SKILL.md", "skill://most/SKILL.md"]
    assert "more than 512 files" in str(refused(home, "skills/get", uri="skill://many/SKILL.md"))
    assert "bytes" in str(refused(home, "skills/get", uri="skill://large/SKILL.md"))


@pytest.mark.parametrize(
    "uri",
    [
        "skill://pdf/nope.md",
        "skill://pdf/../secret",
        "skill://pdf/%2e%2e/secret",
        "skill://pdf/..%2fsecret",
        "skill://pdf//SKILL.md",
        "skill://pdf/link.md",
        "skill://pdf/.git/config",
        "skill://pdf/references",
        "skill://nope/SKILL.md",
        "file:///etc/passwd",
        "pdf/SKILL.md",
        "",
    ],
)
def test_only_files_of_skills_can_be_read(home: Home, skills: Path, uri: str) -> None:
    write_file(skills / "secret", "s")
    folder = write_skill(skills, "pdf")
    write_file(folder / "references" / "a.md", "a")
    write_file(folder / ".git" / "config", "c")
    os.symlink(skills / "secret", folder / "link.md")

    assert refused(home, "resources/read", uri=uri).code == -32602
    assert refused(home, "skills/get", uri=uri).code == -32602


def test_a_folder_is_listed_one_level_at_a_time(home: Home, skills: Path) -> None:
    folder = write_skill(skills, "pdf")
    write_file(folder / "templates" / "invoice.md", "x")
    write_file(folder / "templates" / "eu" / "invoice.md", "x")
    (folder / "empty").mkdir()

    def children(uri: str) -> list[tuple[str, str, str]]:
        found = ask(home, "resources/directory/read", uri=uri)["resources"]
        return [(each["uri"], each["name"], each["mimeType"]) for each in found]

    assert children("skill://pdf") == [
        ("skill://pdf/SKILL.md", "SKILL.md", "text/markdown"),
        ("skill://pdf/empty", "empty", "inode/directory"),
        ("skill://pdf/templates", "templates", "inode/directory"),
    ]
    assert children("skill://pdf/templates") == [
        ("skill://pdf/templates/eu", "eu", "inode/directory"),
        ("skill://pdf/templates/invoice.md", "invoice.md", "text/markdown"),
    ]
    assert children("skill://pdf/empty") == []


@pytest.mark.parametrize(
    "uri", ["skill://pdf/SKILL.md", "skill://pdf/", "skill://pdf/nope", "skill://nope", "skill://"]
)
def test_what_is_no_folder_cannot_be_listed(home: Home, skills: Path, uri: str) -> None:
    write_skill(skills, "pdf")

    assert refused(home, "resources/directory/read", uri=uri).code == -32602


def test_a_client_that_knows_only_resources_finds_the_skills_as_such(
    home: Home, skills: Path
) -> None:
    write_skill(skills, "pdf", description="Reads PDFs.")
    era: Literal["legacy"] = "legacy"

    async def work(client: Client) -> Any:
        (found,) = (await client.list_resources()).resources
        (read,) = (await client.read_resource(found.uri)).contents
        return found, read

    found, read = home.talk(work, era=era)

    assert (found.uri, found.name, found.description) == (
        "skill://pdf/SKILL.md",
        "pdf",
        "Reads PDFs.",
    )
    assert read.text == (skills / "pdf" / "SKILL.md").read_text()
