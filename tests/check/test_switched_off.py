"""Tests in other languages than Python that are there to be read and no longer run are altered."""

import shutil
import time

import pytest

from check.checks import check, verdicts
from check.repository import Repository
from prowess.check.kept.code_lines import code_lines, without_comments
from prowess.check.kept.kept_tests import altered
from prowess.check.kept.known_tests import names_in
from prowess.core.ports import Sandbox

JS = """const { add } = require("./add");

// sums
test("adds", () => {
  expect(add(1, 2)).toBe(3);
});

describe("more", () => {
  test("again", () => {
    const text = `
      /* no comment */
    `;
    expect(add(0, 0)).toBe(0); // nothing
  });
});
"""
GO = """package sum

import "testing"

func TestAdd(t *testing.T) {
	for _, each := range []struct{ a, b, want int }{
		{1, 2, 3},
	} {
		if got := Add(each.a, each.b); got != each.want {
			t.Fatal(got)
		}
	}
}
"""
RUST = """#[test]
fn adds() {
    assert_eq!(add(1, 2), 3);
}
"""
JAVA = """class SumTest {
    @Test
    void adds() {
        assertEquals(3, new Sum().add(1, 2));
    }
}
"""
C = """static void test_add(void) {
    assert(add(1, 2) == 3);
}
"""
RUBY = """class SumTest < Minitest::Test
  def test_add
    assert_equal 3, add(1, 2)
  end
end
"""
PERL = "use Test::More;\nis(add(1, 2), 3);\ndone_testing;\n"
HASKELL = 'main = hspec $ do\n  it "adds" $ add 1 2 `shouldBe` 3\n'


def around(text: str, first: str, before: str, after: str) -> str:
    """The text with new lines around a part of it, from the line that begins so."""
    at = text.index(first)
    return f"{text[:at]}{before}\n{text[at:].rstrip()}\n{after}\n"


def after(text: str, line: str, more: str) -> str:
    return text.replace(line, f"{line}\n{more}", 1)


@pytest.mark.parametrize(
    ("path", "before", "now"),
    [
        ("a.test.js", JS, around(JS, "test(", "/*", "*/")),
        ("a.test.ts", JS, around(JS, "test(", "const old = `", "`;")),
        ("a.test.js", "assert.ok(true);\n", "const old = `\nassert.ok(true);\n`;\n"),
        ("a.test.js", JS, around(JS, "test(", "if (false) {", "}")),
        ("a.test.js", JS, around(JS, "test(", "if (process.env.NEVER) {", "}")),
        ("a.test.js", JS, around(JS, "test(", "function never() {", "}")),
        ("a.test.js", JS, around(JS, "test(", "void (() => {", "});")),
        ("a.test.js", JS, around(JS, "test(", "false && (", ");")),
        ("a.test.js", JS, around(JS, "test(", "if (false)", "")),
        ("a.test.js", JS, f"return;\n{JS}"),
        ("a.test.js", JS, f"process.exit(0);\n{JS}"),
        ("a.test.js", JS, f"if (!process.env.X) process.exit(0);\n{JS}"),
        ("a.test.js", JS, f"const test = () => {{}};\n{JS}"),
        ("a.test.js", JS, f"globalThis.expect = fake;\n{JS}"),
        ("a.test.js", JS, after(JS, 'test("adds", () => {', "  return;")),
        ("a.test.js", JS, after(JS, 'test("adds", () => {', "  if (Date.now()) return;")),
        ("a.test.js", JS, after(JS, 'test("adds", () => {', "  if (Date.now()) {\n    return;\n  }")),
        ("a.test.js", JS, after(JS, 'test("again", () => {', "    return")),
        ("a_test.go", GO, around(GO, "func TestAdd", "/*", "*/")),
        ("a_test.go", GO, around(GO, "func TestAdd", "const old = `", "`")),
        ("a_test.go", GO, f"//go:build ignore\n\n{GO}"),
        ("a_test.go", GO, f"//go:build never\n\n{GO}"),
        ("a_test.go", GO, f"// +build ignore\n\n{GO}"),
        ("a_test.go", GO, f"{GO}\nfunc TestMain(m *testing.M) {{\n\tos.Exit(0)\n}}\n"),
        ("a_test.go", GO, f"{GO}\nfunc init() {{\n\tAdd = nil\n}}\n"),
        ("a_test.go", GO, after(GO, "func TestAdd(t *testing.T) {", "\treturn")),
        ("a_test.go", GO, after(GO, "\t} {", "\t\tcontinue")),
        ("tests/a.rs", RUST, around(RUST, "#[test]", "/*", "*/")),
        ("tests/a.rs", RUST, around(RUST, "#[test]", "/* /* */", "*/")),
        ("tests/a.rs", RUST, f"#[cfg(any())]\n{RUST}"),
        ("tests/a.rs", RUST, f"#![cfg(any())]\n{RUST}"),
        ("tests/a.rs", RUST, f"#[cfg(FALSE)]\n{RUST}"),
        ("tests/a.rs", RUST, f"#[cfg(not(test))]\n{RUST}"),
        ("tests/a.rs", RUST, around(RUST, "#[test]", "#[cfg(any())]\nmod never {", "}")),
        ("tests/a.rs", RUST, around(RUST, "#[test]", 'const OLD: &str = r#"', '"#;')),
        ("src/a.rs", RUST, f"#[cfg(any())]\n{RUST}"),
        ("src/a.rs", RUST, f'#[cfg(feature = "never")]\n{RUST}'),
        ("src/a.rs", RUST, f"#![cfg(any())]\n{RUST}"),
        ("src/a.rs", RUST, around(RUST, "#[test]", "/* /* */", "*/")),
        ("src/SumTest.java", JAVA, around(JAVA, "    @Test", "/*", "*/\n}")),
        ("src/SumTest.java", JAVA, JAVA.replace("    @Test", '    @EnabledIf("never")\n    @Test')),
        ("src/SumTest.java", JAVA, after(JAVA, "void adds() {", "        if (true) return;")),
        ("src/SumTest.kt", JAVA, around(JAVA, "    @Test", 'val old = """', '"""\n}')),
        ("test_sum.c", C, around(C, "static", "#if 0", "#endif")),
        ("test_sum.cpp", C, f"#define assert(what)\n{C}"),
        ("SumTests.cs", C, around(C, "static", "#if NEVER", "#endif")),
        ("test/sum_test.rb", RUBY, around(RUBY, "class", "=begin", "=end")),
        ("test/sum_test.rb", RUBY, f"__END__\n{RUBY}"),
        ("test/sum_test.rb", RUBY, f"exit 0\n{RUBY}"),
        ("test/sum_test.rb", RUBY, after(RUBY, "  def test_add", "    return")),
        ("test/sum_test.rb", RUBY, around(RUBY, "class", "if false", "end")),
        ("t/sum.t", PERL, around(PERL, "is(", "=pod", "=cut")),
        ("t/sum.t", PERL, after(PERL, "use Test::More;", "done_testing; exit;")),
        ("test/SumSpec.hs", HASKELL, around(HASKELL, "main", "{-", "-}")),
        ("sum.bats", "@test adds {\n  [ 1 = 1 ]\n}\n", ": <<'END'\n@test adds {\n  [ 1 = 1 ]\n}\nEND\n"),
        ("sum.unknown", "adds 1 2\n", "adds 1 1\n"),
    ],
)  # fmt: skip
def test_a_test_that_is_switched_off_is_altered(path: str, before: str, now: str) -> None:
    assert altered(path, before, now)


@pytest.mark.parametrize(
    ("path", "before", "now"),
    [
        ("a.test.js", JS, f'{JS}\ntest("new", () => {{\n  if (x) {{\n    return;\n  }}\n}});\n'),
        ("a.test.js", JS, f"{JS}\nfunction helper(a) {{\n  return a;\n}}\n"),
        ("a.test.js", JS, f"/* Words\n * for a reader. */\n{JS}"),
        ("a.test.js", JS, JS.replace("// sums", "// sums, and more")),
        ("a.test.js", JS, JS.replace("// sums\n", "")),
        ("a.test.js", JS, around(JS, "test(", 'describe("all", () => {', "});")),
        ("a.test.js", JS, after(JS, "expect(add(1, 2)).toBe(3);", "  expect(add(2, 2)).toBe(4);")),
        ("a.test.js", JS, f"{JS}\nconst one = /[\"'`]/;\nconst two = text.split(/\\/*/);\n"),
        ("a.test.js", JS, f"const words = `\n  of ${{two}}\n`;\n{JS}"),
        ("a_test.go", GO, after(GO, "\t\t{1, 2, 3},", "\t\t{2, 2, 4},")),
        ("a_test.go", GO, f"{GO}\nfunc helper() int {{\n\treturn 1\n}}\n"),
        ("a_test.go", f"//go:build unix\n\n{GO}", f"//go:build unix\n\n{GO}\nfunc TestB(t *testing.T) {{}}\n"),
        ("tests/a.rs", RUST, f"{RUST}\n#[cfg(unix)]\n#[test]\nfn links() {{}}\n"),
        ("src/a.rs", RUST, f"#[cfg(not(test))]\nfn start() {{}}\n{RUST}"),
        ("src/SumTest.java", JAVA, JAVA.replace("}\n}", '}\n\n    @Test\n    @Tag("slow")\n    void more() {\n        return;\n    }\n}')),
        ("test/sum_test.rb", RUBY, RUBY.replace("  end\nend", "  end\n\n  def helper(a)\n    return a\n  end\nend")),
        ("t/sum.t", PERL, PERL.replace("done", "is(add(2, 2), 4);\ndone")),
        ("sum.unknown", "adds 1 2\n", "adds 1 2\nadds 2 2\n"),
    ],
)  # fmt: skip
def test_what_is_added_beside_alters_nothing(path: str, before: str, now: str) -> None:
    assert altered(path, before, now) == []


def test_a_test_in_a_comment_is_gone() -> None:
    assert list(names_in("a.test.js", f"/*\n{JS}*/\n")) == []
    assert list(names_in("a_test.go", around(GO, "func TestAdd", "/*", "*/"))) == []
    assert list(names_in("a.test.js", JS)) == ['"adds"', '"again"']


def test_comments_end_where_they_end() -> None:
    text = 'a "/* b" /* c */ d // e\n/* f\n g */ h\n'

    assert without_comments("js", text) == 'a "/* b" {} d {}\n{}\n{} h\n'.format(
        " " * 7, " " * 4, " " * 4, " " * 5
    )
    assert [line.said for line in code_lines("js", text)] == ['a "/* b" /* c */ d // e', "g */ h"]


def test_a_test_for_node_that_is_commented_out_proves_nothing(
    repo: Repository, sandbox: Sandbox
) -> None:
    if not shutil.which("node"):
        pytest.skip("there is no node")
    test = (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "test('adds', () => {\n  assert.equal(1 + 1, 3);\n});\n"
    )
    repo.put("add.test.js", test)
    base = repo.commit("a test that fails")
    new = around(test, "test('adds'", "/*", "*/\ntest('new', () => {});")
    repo.put("add.test.js", new)

    report = check(repo, sandbox, "`node --test` passes", base=base)

    assert verdicts(report) == ["INCONCLUSIVE"]


@pytest.mark.parametrize("end", ["js", "rs", "go", "java", "dart", "php", "cs"])
@pytest.mark.parametrize(
    "hostile", ["(/[(/a", "/*", '"', "`", "'", '"""', "{", "(a)", '\\"', 'r#"', "'''", '@"', "a\n"]
)
def test_a_program_that_nobody_would_write_is_read_in_a_moment(end: str, hostile: str) -> None:
    """Time grows with its length and not with its square."""
    text = hostile * (100_000 // len(hostile)) + ")" * 20_000
    began = time.process_time()

    assert altered(f"tests/a.{end}", "a\n", text) is not None

    assert time.process_time() - began < 2
