"""Code that is laid out anew, or that is hard to read, alters no test; what is gone still does."""

import time

import pytest

from prowess.check.kept.code_lines import code_lines, is_balanced
from prowess.check.kept.kept_tests import altered

GO = """package sum

import "testing"

type each struct {
	a int
	want int // the sum
}

var sums = map[string]int{
	"a": 1,
}

const (
	one = 1
)

func TestAdd(t *testing.T) {
	add("a  b")
}
"""
GO_MORE = """package sum

import (
	"fmt"
	"testing"
)

type each struct {
	a     int
	want  int // the sum
	other string
}

var sums = map[string]int{
	"a":     1,
	"longer": 2,
}

const (
	one  = 1
	more = 2
)

func TestAdd(t *testing.T) {
	add("a  b")
}

func TestMore(t *testing.T) {
	fmt.Println(sums)
}
"""


def test_what_gofmt_lays_out_anew_alters_nothing() -> None:
    assert altered("a_test.go", GO, GO_MORE) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"a  b"', '"a b"'),
        ('\t"testing"\n', ""),
        ('"testing"', 't "testing"'),
        ("want  int // the sum", "want  int64 // the sum"),
        ("one  = 1", "one  = 2"),
    ],
)
def test_what_is_altered_while_it_is_laid_out_anew_is_told(old: str, new: str) -> None:
    assert old in GO_MORE
    assert altered("a_test.go", GO, GO_MORE.replace(old, new))


def test_an_import_in_a_block_may_stand_alone_again() -> None:
    block = GO.replace('import "testing"', 'import (\n\t"testing"\n)')

    assert altered("a_test.go", block, GO) == []


RUST = (
    "#[cfg(test)]\nmod tests {\n    use super::add;\n\n    #[test]\n    fn adds() { add(1); }\n}\n"
)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("add", "{add, sub}", True),
        ("add", "{\n        add,\n        sub,\n    }", True),
        ("{\n        add,\n        sub,\n    }", "{\n        add,\n        mul,\n        sub,\n    }", True),
        ("{add, sub}", "{add, math::{mul, deep::pow}, sub}", True),
        ("math::mul", "{add, math::{mul, div}}", True),
        ("add", "{sub, sub as add}", False),
        ("add", "{self, sub}", False),
        ("add", "other::{add, sub}", False),
        ("{add, sub}", "{add}", False),
        ("add", "*;\n    mod never {\n        use super::{add, sub}; }\n    fn a() {}", False),
    ],
)  # fmt: skip
def test_more_may_be_brought_in_beside(old: str, new: str, *, same: bool) -> None:
    before = RUST.replace("super::add", f"super::{old}")
    now = RUST.replace("super::add", f"super::{new}")

    assert (altered("src/lib.rs", before, now) == []) is same
    assert (altered("tests/a.rs", before, now) == []) is same


OLD = 'test("adds", () => {\n  expect(add(1, 2)).toBe(3);\n});\n'
HARD = [
    'const quoted = (s) => /[("]/.test(s);\n',
    "const page = () => (\n  <p>Don't panic</p>\n);\n",
    "const page = () => (<p>Don't panic (at all)</p>);\n",
    "const page = () => (<p>5\" long, isn't it</p>);\n",
    "const sql = `a ${b ? `c ${d}` : '`'} }`;\n",
    "const sql = `a ${f({ a: `(` })} (`;\n",
    f"const long = text.match(/{'(a|b)' * 30}[/]/);\n",
]


@pytest.mark.parametrize("hard", HARD)
def test_code_that_is_hard_to_read_shifts_nothing_behind_it(hard: str) -> None:
    assert is_balanced("tsx", hard)
    assert altered("a.test.tsx", OLD, hard + OLD) == []
    assert altered("a.test.tsx", hard + OLD, OLD)
    assert altered("a.test.tsx", hard + OLD, f"{hard}if (process.env.NEVER) {{\n{OLD}}}\n")


def test_no_text_between_backticks_ends_where_a_comment_in_it_says_so() -> None:
    hidden = f"const old = `${{(() => {{ // }}`;\n{OLD}// `\n}})}}`;\n"

    assert altered("a.test.ts", OLD, hidden)


MISREAD = "const page = () => (<p>http://x.org</p>);\n"


def test_where_brackets_were_misread_before_each_line_has_to_be_there_all_the_same() -> None:
    text = MISREAD + OLD
    more = 'test("more", () => {\n  expect(add(2, 2)).toBe(4);\n});\n'

    assert not is_balanced("tsx", text)
    assert altered("a.test.tsx", text, MISREAD + MISREAD.replace("page", "more") + OLD + more) == []
    assert altered("a.test.tsx", text, text.replace("toBe(3)", "toBe(4)"))
    assert altered("a.test.tsx", text, f"{MISREAD}/*\n{OLD}*/\n")
    assert altered("a.test.tsx", text, f"{MISREAD}const old = `\n{OLD}`;\n")
    assert altered("a.test.tsx", text, f"{MISREAD}if (false) {{\n{OLD}}}\n")


def test_whoever_makes_brackets_unreadable_alters_what_follows() -> None:
    assert altered("a.test.tsx", OLD, f"{MISREAD}if (process.env.NEVER) {{\n{OLD}}}\n")


@pytest.mark.parametrize(
    ("more", "fine"),
    [
        ("const run = () => spawnSync('node', ['-e', 'process.exit(3)']);", True),
        ('const words = "if (false) return";', True),
        ("process.exit(3);", False),
        ("const never = `${process.exit(3)}`;", False),
        ("eval('process.exit(3)');", False),
        ("vm.runInThisContext('process.exit(3)');", False),
    ],
)
def test_a_way_out_that_is_only_quoted_leads_nowhere(more: str, *, fine: bool) -> None:
    assert (altered("a.test.js", OLD, f"{more}\n{OLD}") == []) is fine


def test_what_is_quoted_is_kept_to_the_letter() -> None:
    (line,) = code_lines("go", 'x   :=  "a  b"    // c  d\n')

    assert altered("a.test.zig", "a(\n  \\\\a  b\n)\n", "a(\n  \\\\a b\n)\n")
    assert (line.said, line.plain) == ('x := "a  b" // c  d', 'x := "" // c  d')


@pytest.mark.parametrize("end", ["tsx", "rs", "go"])
@pytest.mark.parametrize(
    "hostile",
    ["`${", "`${`", "'\\", "\\'", "\\'\"", "'\"\n", "use {\n", "use a::{b};\n", "use a::{", "import (\n",
     "=> /[", "(/[a]", "(/[(", "<p>don't</p>\n", "`${'`'}`"],
)  # fmt: skip
def test_what_nobody_would_write_is_read_in_a_moment(end: str, hostile: str) -> None:
    text = hostile * (100_000 // len(hostile))
    began = time.process_time()

    altered(f"tests/a.{end}", f"a\n{hostile}", text)

    assert time.process_time() - began < 2
