"""A path from a stranger never leads out of the folder, whatever the kernel can do and whoever swaps files."""

import errno
import os
import socket
import threading
from collections import Counter
from pathlib import Path

import pytest

from prowess.core import files
from prowess.core.errors import RefusedError, SkillError
from prowess.core.files import MAX_BYTES, decode, open_beneath, read_beneath
from support import write_file

SECRET = b"the secret"


@pytest.fixture(params=["openat2", "walk"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to a file: the kernel's, and ours where the kernel has none."""
    name: str = request.param
    if name == "walk":
        monkeypatch.setattr(files, "_openat2_call", lambda: None)
    return name


@pytest.fixture
def folder(tmp_path: Path, way: str) -> Path:
    """A skill's folder with a file in it, and a secret beside it."""
    write_file(tmp_path / "secret.txt", SECRET)
    write_file(tmp_path / "skill-two" / "secret.txt", SECRET)
    write_file(tmp_path / "skill" / "notes.md", b"notes")
    write_file(tmp_path / "skill" / "references" / "deep" / "a.md", b"deep")
    return tmp_path / "skill"


def refused(folder: Path, relative: str) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        read_beneath(str(folder), relative)
    assert SECRET.decode() not in f"{caught.value}{caught.value.hint}"
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("relative", "content"),
    [
        ("notes.md", b"notes"),
        ("./notes.md", b"notes"),
        ("references/deep/a.md", b"deep"),
        ("references//deep/./a.md", b"deep"),
        ("././references/deep/a.md", b"deep"),
    ],
)
def test_a_file_inside_is_read(folder: Path, relative: str, content: bytes) -> None:
    assert read_beneath(str(folder), relative) == content


@pytest.mark.parametrize(
    "name", ["two words.md", "a..b.md", "..notes", "notes..", "...", "~", "$HOME", "é 中.md", "-x"]
)
def test_a_name_that_is_merely_odd_is_read(folder: Path, name: str) -> None:
    write_file(folder / name, b"odd")

    assert read_beneath(str(folder), name) == b"odd"


def test_a_name_that_is_not_utf_8_is_read(folder: Path) -> None:
    write_file(folder / os.fsdecode(b"caf\xe9.md"), b"latin")

    assert read_beneath(str(folder), os.fsdecode(b"caf\xe9.md")) == b"latin"


def test_an_empty_file_is_empty(folder: Path) -> None:
    write_file(folder / "empty.md", b"")

    assert read_beneath(str(folder), "empty.md") == b""


def test_the_folder_itself_may_be_reached_through_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)

    assert read_beneath(str(tmp_path / "link"), "notes.md") == b"notes"


@pytest.mark.parametrize(
    "relative",
    [
        "..",
        "../secret.txt",
        "../skill-two/secret.txt",
        "./../secret.txt",
        "references/../../secret.txt",
        "references/../notes.md",
        "notes.md/../../secret.txt",
        "references/..",
    ],
)
def test_a_path_that_climbs_is_refused_even_where_it_would_come_back(
    folder: Path, relative: str
) -> None:
    assert "leads outside" in str(refused(folder, relative))


@pytest.mark.parametrize(
    "relative", ["", "/", "/etc/passwd", "//etc/passwd", "notes.md\0", "\0", "..\\secret.txt"]
)
def test_what_is_not_a_relative_path_is_refused(folder: Path, relative: str) -> None:
    assert "is not a path inside" in str(refused(folder, relative))


def test_the_absolute_path_of_a_file_inside_is_refused(folder: Path) -> None:
    refused(folder, str(folder / "notes.md"))


@pytest.mark.parametrize("relative", [".", "./", "././/"])
def test_the_folder_itself_is_not_a_file(folder: Path, relative: str) -> None:
    refused(folder, relative)


def test_half_a_surrogate_pair_is_refused(folder: Path) -> None:
    refused(folder, "\ud800.md")


@pytest.mark.parametrize(
    "relative", ["missing.md", "missing/a.md", "notes.md/a.md", "references/missing.md"]
)
def test_a_missing_file_is_said_to_be_missing(folder: Path, relative: str) -> None:
    assert str(refused(folder, relative)) == f"there is no {relative!r} in the skill"


def test_a_missing_folder_is_refused(folder: Path) -> None:
    refused(folder / "missing", "notes.md")
    refused(folder / "notes.md", "notes.md")


def test_a_name_too_long_for_any_disk_is_refused(folder: Path) -> None:
    refused(folder, "x" * 300)
    refused(folder, "x/" * 5_000 + "x")


def test_a_link_to_a_file_outside_is_refused(folder: Path, tmp_path: Path, way: str) -> None:
    (folder / "absolute").symlink_to(tmp_path / "secret.txt")
    (folder / "relative").symlink_to("../secret.txt")
    (folder / "sibling").symlink_to("../skill-two/secret.txt")

    why = "leads outside the skill" if way == "openat2" else "is a link"
    for name in ("absolute", "relative", "sibling"):
        assert why in str(refused(folder, name))


def test_a_link_to_a_folder_outside_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "absolute").symlink_to(tmp_path)
    (folder / "relative").symlink_to("..")
    (folder / "references" / "up").symlink_to("../..")

    for name in ("absolute", "relative", "references/up"):
        refused(folder, f"{name}/secret.txt")


def test_a_chain_of_links_that_ends_outside_is_refused(folder: Path) -> None:
    (folder / "first").symlink_to("references/second")
    (folder / "references" / "second").symlink_to("../third")
    (folder / "third").symlink_to("../secret.txt")

    refused(folder, "first")


def test_a_link_that_stays_inside_is_followed_where_the_kernel_watches(
    folder: Path, way: str
) -> None:
    (folder / "link.md").symlink_to("references/deep/a.md")
    (folder / "docs").symlink_to("references")

    if way == "openat2":
        assert read_beneath(str(folder), "link.md") == b"deep"
        assert read_beneath(str(folder), "docs/deep/a.md") == b"deep"
    else:
        refused(folder, "link.md")
        refused(folder, "docs/deep/a.md")


def test_a_link_into_another_process_is_refused(folder: Path) -> None:
    (folder / "self").symlink_to("/proc/self/environ")
    (folder / "root").symlink_to("/proc/self/root")

    refused(folder, "self")
    refused(folder, "root/etc/passwd")


def test_links_in_a_circle_are_refused(folder: Path) -> None:
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")
    (folder / "self").symlink_to("self")

    for name in ("one", "self"):
        assert "is a link that leads nowhere" in str(refused(folder, name))
    refused(folder, "self/a.md")


def test_a_link_to_nothing_is_refused(folder: Path) -> None:
    (folder / "dangling").symlink_to("nothing")

    refused(folder, "dangling")


def test_a_folder_is_not_read(folder: Path) -> None:
    assert str(refused(folder, "references")) == "references is not a plain file"


def test_a_fifo_that_nobody_writes_to_is_refused_at_once(folder: Path) -> None:
    os.mkfifo(folder / "pipe")

    assert str(refused(folder, "pipe")) == "pipe is not a plain file"


def test_a_socket_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")

        refused(folder, "socket")


def test_a_file_of_exactly_the_limit_is_read_and_one_byte_more_is_refused(folder: Path) -> None:
    write_file(folder / "full", b"x" * 100)
    write_file(folder / "over", b"x" * 101)

    assert read_beneath(str(folder), "full", limit=100) == b"x" * 100
    with pytest.raises(RefusedError, match="over has 101 bytes") as caught:
        read_beneath(str(folder), "over", limit=100)
    assert caught.value.hint == "keep it under 100 bytes"


def test_a_huge_file_is_refused_unread(folder: Path) -> None:
    with (folder / "huge").open("wb") as file:
        file.truncate(MAX_BYTES * 1000)

    assert f"{MAX_BYTES * 1000:,} bytes" in str(refused(folder, "huge"))


def test_a_file_that_grows_while_it_is_read_is_read_to_its_new_end(folder: Path) -> None:
    path = write_file(folder / "log", b"x" * 10)
    descriptor = open_beneath(str(folder), "log")
    before = os.fstat(descriptor)
    path.write_bytes(b"x" * 50)

    assert files.read_plain(descriptor, "log", before, limit=50) == b"x" * 50
    os.close(descriptor)


def test_a_file_that_grows_past_the_limit_while_it_is_read_is_refused(folder: Path) -> None:
    path = write_file(folder / "log", b"x" * 10)
    descriptor = open_beneath(str(folder), "log")
    before = os.fstat(descriptor)
    path.write_bytes(b"x" * 500)

    with pytest.raises(RefusedError, match="grew while it was read"):
        files.read_plain(descriptor, "log", before, limit=100)
    os.close(descriptor)


def test_a_file_that_shrinks_while_it_is_read_gives_what_is_left(folder: Path) -> None:
    path = write_file(folder / "log", b"x" * 50)
    descriptor = open_beneath(str(folder), "log")
    before = os.fstat(descriptor)
    path.write_bytes(b"x" * 10)

    assert files.read_plain(descriptor, "log", before) == b"x" * 10
    os.close(descriptor)


def test_nothing_stays_open_after_a_read_or_a_refusal(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "out").symlink_to("../secret.txt")
    read_beneath(str(folder), "notes.md")
    before = os.listdir("/dev/fd")

    read_beneath(str(folder), "references/deep/a.md")
    for name in ("pipe", "out", "references", "missing", "missing/a.md", "notes.md/a", ".."):
        refused(folder, name)

    assert os.listdir("/dev/fd") == before


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EPERM])
def test_where_the_kernel_has_no_openat2_or_forbids_it_we_walk_ourselves(
    folder: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_openat2_call", lambda: lambda *_: (-1, code))
    (folder / "out").symlink_to("../secret.txt")

    assert read_beneath(str(folder), "references/deep/a.md") == b"deep"
    refused(folder, "out")


@pytest.mark.parametrize("swapped", ["file", "folder"])
def test_a_swap_made_while_we_look_never_brings_the_secret_out(
    folder: Path, tmp_path: Path, swapped: str
) -> None:
    """Another thread keeps exchanging what we read for a link to the secret, and back."""
    write_file(tmp_path / "outside" / "a.txt", SECRET)
    write_file(folder / "sub" / "a.txt", b"fine")
    good = folder / "sub" / "a.txt" if swapped == "file" else folder / "sub"
    target = tmp_path / "outside" / "a.txt" if swapped == "file" else tmp_path / "outside"
    aside, trap = tmp_path / "aside", tmp_path / "trap"
    enough = threading.Event()

    def swap() -> None:
        while not enough.is_set():
            trap.symlink_to(target)
            good.rename(aside)
            trap.rename(good)
            good.rename(trap)
            aside.rename(good)
            trap.unlink()

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen: Counter[bytes] = Counter()
    try:
        while seen.total() < 10_000 or not seen[b"refused"]:  # until the race was really run
            seen[_read_or_refused(folder)] += 1
    finally:
        enough.set()
        swapping.join()

    assert seen.keys() <= {b"fine", b"refused"}
    assert read_beneath(str(folder), "sub/a.txt") == b"fine"


def _read_or_refused(folder: Path) -> bytes:
    try:
        return read_beneath(str(folder), "sub/a.txt")
    except RefusedError:
        return b"refused"


def test_utf_8_is_text() -> None:
    assert decode("café 中文 🙂\r\n".encode()) == "café 中文 🙂\r\n"


@pytest.mark.parametrize(
    ("data", "byte", "line"),
    [
        (b"name: caf\xe9\n", "0xe9", 1),
        (b"a\nb\n\xff\xfe", "0xff", 3),
        (b"\n\xff\n", "0xff", 2),
        (b"\xed\xa0\x80", "0xed", 1),
        (b"a\n\xc3", "0xc3", 2),
    ],
)
def test_what_is_not_utf_8_is_told_at_its_line(data: bytes, byte: str, line: int) -> None:
    with pytest.raises(SkillError) as caught:
        decode(data)

    assert str(caught.value) == f"not UTF-8: byte {byte} cannot be read"
    assert caught.value.hint == "save the file as UTF-8"
    assert caught.value.line == line
