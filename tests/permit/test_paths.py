"""Paths and addresses: normalised first, matched afterwards."""

import pytest

from granting import verdict

READ: dict[str, list[str]] = {
    "Read": ["a", "/ws/a", "/skills/demo/ref.md", "a/../b", "./a//b"],
    "Read(src/**)": ["src/a/b.py", "/ws/src/b.py", "./src//b.py", "src/.env"],
    "Read(**/*.md)": ["c.md", "a/b/c.md"],
    "Read(./src/**)": ["src/b.py"],
    "Read(/ws/src/**)": ["src/b.py"],
}
UNREAD: dict[str, list[object]] = {
    "Read": [
        *("/etc/passwd", "../x", "/skills/demo/../x", "/skills/demo2/x", "/wsx/a", "~/x"),
        *("", " ", "a\0b", 3, None, ["a"]),
    ],
    "Read(src/**)": ["srcx/b.py", "src/../.env", "/skills/demo/src/a", "a"],
    "Read(src/*)": ["src/a/b.py"],
    "Read(*.md)": ["a/x.md"],
    "Read(../x)": ["../x"],
    "Read(SRC/**)": ["src/a"],
    "Read()": ["a"],
    "read": ["a"],
    "Write Edit Glob Grep": ["a"],
}


@pytest.mark.parametrize(("rules", "path"), [(r, p) for r, paths in READ.items() for p in paths])
def test_a_path_is_read_when_a_rule_covers_it(rules: str, path: str) -> None:
    assert verdict(rules, "Read", file_path=path).allowed
    assert verdict(rules, "Read", path=path).allowed


@pytest.mark.parametrize(("rules", "path"), [(r, p) for r, paths in UNREAD.items() for p in paths])
def test_any_other_path_is_not(rules: str, path: object) -> None:
    assert not verdict(rules, "Read", file_path=path).allowed


def test_a_call_that_names_no_path_is_refused() -> None:
    assert not verdict("Read", "Read").allowed


@pytest.mark.parametrize("tool", ["Write", "Edit"])
def test_only_the_workspace_is_written_and_each_tool_needs_its_own_rule(tool: str) -> None:
    other = "Edit" if tool == "Write" else "Write"

    assert verdict(tool, tool, file_path="a").allowed
    assert verdict(f"{tool}(out/*.json)", tool, file_path="out/a.json").allowed
    assert not verdict(f"{tool}(out/*.json)", tool, file_path="out/x/a.json").allowed
    assert not verdict(other, tool, file_path="a").allowed
    assert not verdict(tool, tool, file_path="/skills/demo/a").allowed
    assert not verdict(tool, tool, file_path="/etc/a").allowed


def test_folders_that_other_programs_run_from_are_written_only_if_a_rule_names_them() -> None:
    assert not verdict("Write", "Write", file_path=".git/hooks/pre-commit").allowed
    assert not verdict("Write(**)", "Write", file_path="sub/.GIT/config").allowed
    assert verdict("Write(.vscode/**)", "Write", file_path=".vscode/settings.json").allowed
    assert verdict("Write", "Write", file_path=".gitignore").allowed


@pytest.mark.parametrize(
    ("rules", "pattern", "path"),
    [
        ("Glob", "**/*.py", "."),
        ("Glob", "*", "src"),
        ("Glob", "*", "/skills/demo"),
        ("Glob(src/**)", "src/**/*.py", "."),
        ("Glob(src/**)", "**/*.py", "src"),
    ],
)
def test_a_search_for_files_stays_where_a_rule_allows_it(
    rules: str, pattern: str, path: str
) -> None:
    assert verdict(rules, "Glob", pattern=pattern, path=path).allowed


@pytest.mark.parametrize(
    ("rules", "pattern", "path"),
    [
        ("Glob", "../*", "."),
        ("Glob", "a/{..,b}/*", "."),
        ("Glob", "/etc/*", "."),
        ("Glob", "{/etc,a}/*", "."),
        ("Glob", "~/*", "."),
        ("Glob", "*", "/etc"),
        ("Glob", "", "."),
        ("Glob(src/**)", "*.py", "."),
        ("Glob(src/**)", "**/*.py", "."),
        ("Glob(src/**)", "../x", "src"),
        ("Glob(src/*)", "src/**", "."),
        ("Glob(**)", "*", "/skills/demo"),
    ],
)
def test_a_search_that_may_find_more_is_refused(rules: str, pattern: str, path: str) -> None:
    assert not verdict(rules, "Glob", pattern=pattern, path=path).allowed


def test_a_search_for_text_is_judged_by_its_folder_and_not_by_its_expression() -> None:
    assert verdict("Grep", "Grep", pattern="../x").allowed
    assert verdict("Grep(src/**)", "Grep", pattern="x", path="src").allowed
    assert verdict("Grep(src/**)", "Grep", pattern="x", path="src/a.py").allowed
    assert verdict("Grep(Makefile)", "Grep", pattern="x", path="Makefile").allowed
    assert not verdict("Grep", "Grep", pattern="x", path="..").allowed
    assert not verdict("Grep(src/**)", "Grep", pattern="x").allowed
    assert not verdict("Grep(src/**)", "Grep", pattern="x", path="src/../.env").allowed
    assert not verdict("Grep(src/*)", "Grep", pattern="x", path="src/sub").allowed
    assert not verdict("Grep", "Grep", path="src").allowed
    assert not verdict("Grep(**)", "Grep", pattern="x", path="/skills/demo").allowed


@pytest.mark.parametrize(
    ("rule", "url"),
    [
        ("WebFetch", "https://a.example"),
        ("WebFetch(domain:a.example)", "http://a.example/x?y=1#z"),
        ("WebFetch(domain:a.example)", "https://A.Example:8443/x"),
        ("WebFetch(domain:*.a.example)", "https://b.a.example/x"),
    ],
)
def test_a_page_is_fetched_from_the_host_that_a_rule_names(rule: str, url: str) -> None:
    assert verdict(rule, "WebFetch", url=url).allowed


@pytest.mark.parametrize(
    ("rule", "url"),
    [
        ("WebFetch", "file:///etc/passwd"),
        ("WebFetch", "a.example"),
        ("WebFetch", None),
        ("WebFetch(domain:a.example)", "https://b.a.example/x"),
        ("WebFetch(domain:a.example)", "https://a.example.evil.example/"),
        ("WebFetch(domain:a.example)", "https://a.example@evil.example/"),
        ("WebFetch(domain:a.example)", "https://a.example\\@evil.example/"),
        ("WebFetch(domain:a.example)", "https://evil.example/a.example"),
        ("WebFetch(domain:a.example)", "ftp://a.example/"),
        ("WebFetch(domain:a.example)", "https://a.example:port/"),
        ("WebFetch(domain:*.a.example)", "https://a.example/"),
        ("WebFetch(domain:*.a.example)", "https://xa.example/"),
        ("WebFetch(domain:*)", "https://a.example/"),
        ("WebFetch(a.example)", "https://a.example/"),
    ],
)
def test_no_other_host_passes_for_it(rule: str, url: object) -> None:
    assert not verdict(rule, "WebFetch", url=url).allowed


def test_a_rule_may_name_one_skill() -> None:
    assert verdict("Skill", "Skill", name="pdf").allowed
    assert verdict("Skill(pdf)", "Skill", name="pdf").allowed
    assert not verdict("Skill(pdf)", "Skill", name="csv").allowed
    assert not verdict("Skill", "Skill").allowed


def test_a_tool_with_nothing_to_match_is_granted_by_its_bare_name_alone() -> None:
    assert verdict("Deploy", "Deploy", anything=1).allowed
    assert not verdict("Deploy(staging)", "Deploy", anything=1).allowed
    assert not verdict("Read", "Deploy", anything=1).allowed


def test_rules_that_cannot_be_read_grant_nothing_and_the_refusal_says_so() -> None:
    refused = verdict(["Read", 3], "Read", file_path="a")

    assert not refused.allowed
    assert "allowed-tools cannot be read" in refused.reason


def test_a_refusal_says_why_a_place_is_guarded_and_only_there() -> None:
    assert "other programs run what is in" in verdict("Write", "Write", file_path=".git/x").reason
    assert "other programs" not in verdict("Read", "Write", file_path="a").reason
