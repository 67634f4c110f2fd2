"""Which changes a task's allowed files allow, whatever the changes look like."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from prowess.check.scope import scope
from prowess.core.evidence import Change

SHARED = Path(
    os.environ.get("PROWESS_SHARED", Path(__file__).parent.parent.parent.parent / "shared")
)
CASES = SHARED / "data" / "security" / "path_escape.jsonl"


def cases() -> list[Any]:
    if not CASES.exists():
        why = "the labelled cases are not here: PROWESS_SHARED says where they lie"
        return [pytest.param({}, marks=pytest.mark.skipif("True", reason=why))]
    rows = [json.loads(line) for line in CASES.read_text().splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row.get("kind") == "files_allowed"]


def change_of(row: dict[str, Any]) -> Change:
    link = row.get("symlink")
    mode = str(row.get("mode", ""))
    return Change(
        path=row["path"],
        status=row["status"],
        source=row.get("from", ""),
        link=link if isinstance(link, str) else "" if link or mode == "120000" else None,
        submodule=bool(row.get("submodule")) or mode == "160000",
    )


@pytest.mark.parametrize("row", cases())
def test_the_labelled_cases_hold(row: dict[str, Any]) -> None:
    found = scope(row["patterns"], [change_of(each) for each in row["changes"]])

    assert [each.path for each in found.violations] == row["violations"]
    assert found.verdict == ("PASS" if row["expect"] == "allow" else "FAIL")


def allowed(pattern: str, path: str, **change: Any) -> bool:
    return scope([pattern], [Change(path=path, **change)]).verdict == "PASS"


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src/foo.py", "src/test_foo.py"),
        ("src/foo.py", "src/foo_test.py"),
        ("src/foo.py", "src/tests/test_foo.py"),
        ("foo.py", "tests/test_foo.py"),
        ("web/foo.ts", "web/foo.test.ts"),
        ("web/foo.ts", "web/foo.spec.ts"),
        ("web/foo.tsx", "web/__tests__/foo.test.tsx"),
        ("pkg/foo.go", "pkg/foo_test.go"),
        ("src/Foo.java", "src/FooTest.java"),
        ("src/*.py", "src/tests/test_foo.py"),
    ],
)
def test_a_test_beside_an_allowed_file_is_allowed_by_its_subject(pattern: str, path: str) -> None:
    found = scope([pattern], [Change(path=path)])

    assert [each.pattern for each in found.files] == [pattern]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src/foo.py", "src/conftest.py"),
        ("src/foo.py", "other/test_foo.py"),
        ("src/foo.py", "src/test_foo.sh"),
        ("src/foo.py", "src/test_foo/helper.py"),
        ("src/foo.py", "src/testfoo.py"),
        ("src/foo.ts", "src/foo.test.py"),
        ("src/test.py", "src/latest.py"),
        ("bin/deploy", "bin/test_deploy"),
    ],
)
def test_nothing_else_rides_along_as_a_test(pattern: str, path: str) -> None:
    assert not allowed(pattern, path)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../x",
        "lib/../x",
        "lib/./x",
        "lib//x",
        "",
        "lib\\..\\x",
        ".git/config",
        ".GIT/hooks/post-commit",
        "lib/.git",
        "git~1/config",
        ".git./config",
        ".gi\u200ct/config",
        "a\0b",
    ],
)
def test_some_paths_no_pattern_allows(path: str) -> None:
    assert not allowed("**", path)


@pytest.mark.parametrize("path", ["lib/a b.py", "lib/ü\n'\".py", "lib/-rf", "lib/$(x).py"])
def test_a_name_may_be_odd(path: str) -> None:
    assert allowed("lib/**", path)


def test_letters_in_another_case_are_another_file() -> None:
    assert not allowed("lib/a.py", "lib/A.py")


def test_a_pattern_that_leads_out_or_cannot_be_read_allows_nothing() -> None:
    for pattern in ("../**", "/**", "lib/../**", "", "{a,b}" * 40):
        assert not allowed(pattern, "x.py"), pattern


def test_braces_names_with_brackets_and_folders_with_a_slash_are_understood() -> None:
    assert allowed("lib/*.{js,ts}", "lib/a.ts")
    assert allowed("app/[id].ts", "app/[id].ts")
    assert allowed("lib/", "lib/deep/a.ts")
    assert not allowed("lib", "lib/a.ts")


def test_a_link_may_lead_anywhere_but_out_of_the_repository() -> None:
    assert allowed("lib/**", "lib/x", link="../README.md")
    for target in ("/etc/passwd", "../../x", "../..", "../.git/config", ""):
        assert not allowed("**", "lib/x", link=target), target


def test_a_repository_in_the_repository_must_be_allowed_by_its_name() -> None:
    assert allowed("lib/dep", "lib/dep", submodule=True)
    assert not allowed("lib/**", "lib/dep", submodule=True)


def test_two_names_that_differ_in_case_only_are_not_both_allowed() -> None:
    found = scope(["**"], [Change(path="lib/a.py"), Change(path="lib/A.py", status="A")])

    assert [each.path for each in found.violations] == ["lib/A.py"]


def test_a_file_may_be_renamed_to_another_case() -> None:
    gone, came = Change(path="lib/a.py", status="D"), Change(path="lib/A.py", status="A")

    assert scope(["lib/**"], [gone, came]).verdict == "PASS"


@pytest.mark.parametrize(
    ("source", "path", "outside"),
    [
        ("src/a.py", "src/b.py", []),
        ("keep/a.py", "src/a.py", ["keep/a.py"]),
        ("src/a.py", "away/a.py", ["away/a.py"]),
    ],
)
def test_both_ends_of_a_rename_must_be_allowed(source: str, path: str, outside: list[str]) -> None:
    found = scope(["src/**"], [Change(path=path, source=source, status="R100")])

    assert [each.path for each in found.violations] == outside


def test_what_a_copy_was_made_of_is_not_a_change() -> None:
    assert allowed("lib/**", "lib/b.py", status="C", source="other.py")
