"""Of a file of Rust only what is built for tests alone has to stay as it was."""

import pytest

from prowess.check.kept.kept_tests import altered
from prowess.check.kept.rust import rust_tests

TOP = "#[cfg(test)]\nuse std::collections::HashMap;\n\n"
CODE = "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n"
TESTS = """#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 0), 1);
    }
}
"""
MENDED = CODE.replace("a - b", "a + b")


def test_code_after_something_that_is_imported_for_tests_may_be_mended() -> None:
    assert altered("src/lib.rs", TOP + CODE + TESTS, TOP + MENDED + TESTS) == []


def test_code_after_the_tests_may_be_mended() -> None:
    assert altered("src/lib.rs", TESTS + CODE, TESTS + MENDED) == []


@pytest.mark.parametrize(
    "now",
    [
        TESTS.replace("add(1, 0), 1", "1, 1"),
        f"/*\n{TESTS}*/\n",
        TESTS.replace("#[cfg(test)]\n", ""),
        "",
    ],
)
def test_tests_may_not_be_altered_nor_taken_out(now: str) -> None:
    assert altered("src/lib.rs", TOP + CODE + TESTS, TOP + MENDED + now)


def test_a_module_of_tests_in_another_file_stays_named() -> None:
    assert altered("src/lib.rs", f"#[cfg(test)]\nmod tests;\n{CODE}", CODE)


@pytest.mark.parametrize(
    "test",
    [
        '#[test]\nfn a() { let s = "}"; let r = r#"}"}"#; let c = \'}\'; /* } */ }',
        "#[test]\n#[should_panic]\n// a } for readers\npub fn a() -> [u8; 2] { // }\n    [1, 2]\n}",
        '#[tokio::test(flavor = "multi_thread")]\nasync fn a() { b::<\'static>(); }',
        "#[cfg(all(test, unix))]\npub(crate) mod a { fn b() { if c { d() } } }",
    ],
)
def test_a_test_ends_with_the_brace_that_closes_it(test: str) -> None:
    assert list(rust_tests(f"fn before() {{}}\n{test}\nfn after() {{}}\n")) == [test]


@pytest.mark.parametrize(
    "text", ['const A: &str = "#[test] fn a() {}";', "// #[test] fn a() {}\n", CODE]
)
def test_what_is_only_said_is_no_test(text: str) -> None:
    assert list(rust_tests(text)) == []


def test_a_file_that_is_built_for_tests_alone_stays_whole() -> None:
    assert list(rust_tests(f"#![cfg(test)]\n{CODE}")) == [f"#![cfg(test)]\n{CODE}"]
