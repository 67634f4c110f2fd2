"""Only who skips a test that was there has skipped more; a new test may skip itself, and words skip nothing."""

import time

import pytest

from prowess.check.kept.known_tests import more_skips

PYTHON = """import pytest

on_linux = pytest.mark.skipif(True, reason="no")


@pytest.fixture
def client():
    return 1


def helper():
    return 2


def test_old(client):
    assert helper() == 2


@on_linux
def test_there(): ...


class TestAll:
    def test_one(self): ...
"""


@pytest.mark.parametrize(
    "more",
    [
        "def test_new():\n    # skip the header line\n    assert True",
        'def test_new():\n    """Skip them all: skip."""',
        "def test_new():\n    assert helper() == '--skip'",
        "def test_new(q):\n    assert q.skip(3)",
        "@pytest.mark.skipif(True, reason='no')\ndef test_new(): ...",
        "@on_linux\ndef test_new(): ...",
        "def test_new():\n    pytest.importorskip('numpy')",
        "@pytest.mark.xfail(strict=True)\ndef test_new(): ...",
        "import unittest\n\nclass TestNew(unittest.TestCase):\n    @unittest.skip('no')\n    def test_x(self): ...",
        "import unittest\n\n@unittest.skipIf(True, 'no')\nclass TestNew(unittest.TestCase):\n    def test_x(self): ...",
        "class TestNew:\n    pytestmark = pytest.mark.skip\n    def test_x(self): ...",
        "class TestNew:\n    def setup_method(self):\n        pytest.skip('no')",
        "on_mac = pytest.mark.skipif(True, reason='no')\n\n@on_mac\ndef test_new(): ...",
        "import unittest\n\nnever = unittest.skip('no')",
        "@pytest.fixture\ndef numbers():\n    return pytest.importorskip('numpy')",
        "def run():\n    pytest.skip('no')\n\ndef test_new():\n    run()",
        "CASES = [pytest.param(1, marks=pytest.mark.skip)]",
    ],
)
def test_a_new_python_test_may_be_skipped(more: str) -> None:
    assert not more_skips("test_a.py", PYTHON, f"{PYTHON}\n\n{more}\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def test_old", "@pytest.mark.skip\ndef test_old"),
        ("def test_old", "@pytest.mark.xfail\ndef test_old"),
        ("def test_old", "@on_linux\ndef test_old"),
        ("def test_old", "never = pytest.mark.skip\n\n@never\ndef test_old"),
        ("def test_old", "from pytest import skip as never\n\n@never\ndef test_old"),
        ("def test_old", "@pytest.mark.usefixtures('skipping')\ndef test_old"),
        ("    assert helper() == 2", "    pytest.skip('no')\n    assert helper() == 2"),
        ("    assert helper() == 2", "    pytest.importorskip('numpy')\n    assert helper() == 2"),
        ("    assert helper() == 2", "    getattr(pytest, 'skip')()\n    assert helper() == 2"),
        ("    assert helper() == 2", "    vars(pytest)['skip']()\n    assert helper() == 2"),
        ("    return 1", "    pytest.skip('no')"),
        ("    return 2", "    raise __import__('unittest').SkipTest"),
        ("class TestAll:", "@pytest.mark.skip\nclass TestAll:"),
        ("class TestAll:", "class TestAll:\n    pytestmark = pytest.mark.skip"),
        ("class TestAll:", "class TestAll:\n    __test__ = False"),
        ("class TestAll:", "class TestAll:\n    def setup_method(self): pytest.skip()"),
        ("class TestAll:", "class Base:\n    def setUp(self): self.skipTest('')\n\nclass TestAll(Base):"),
        ("test_one(self): ...", "test_one(self): self.skipTest('no')"),
        ("import pytest\n", "import pytest\n\npytestmark = pytest.mark.skip\n"),
        ("import pytest\n", "import pytest\n\npytestmark = [pytest.mark.usefixtures('skipping')]\n"),
        ("import pytest\n", "import pytest\n\npytest.importorskip('numpy')\n"),
        ("import pytest\n", "import pytest\n\nnp = pytest.importorskip('numpy')\n"),
        ("import pytest\n", "import pytest\n\nif True:\n    pytest.skip(allow_module_level=True)\n"),
        ("import pytest\n", "import pytest\n\ndef setup_module(): pytest.skip()\n"),
        ("import pytest\n", "import pytest\n\n@pytest.fixture(autouse=True)\ndef no(): pytest.skip()\n"),
        ("import pytest\n", "import pytest\n\ndef no(): pytest.skip()\n\nno()\n"),
        ("import pytest\n", "import pytest\n\ncollect_ignore = ['test_a.py']\n"),
        ("import pytest\n", "import pytest\n\nraise __import__('unittest').SkipTest\n"),
        ("@on_linux\ndef test_there", "_ = pytest.mark.skip(test_old)\n\n@on_linux\ndef test_there"),
        ("@on_linux\ndef test_there", "test_old = on_linux(test_old)\n\n@on_linux\ndef test_there"),
        ("@on_linux\ndef test_there", "it = test_old\n_ = on_linux(it)\n\n@on_linux\ndef test_there"),
        ("@on_linux\ndef test_there", "def a(b=on_linux(test_old)): ...\n\n@on_linux\ndef test_there"),
        ("@on_linux\ndef test_there", "_ = [on_linux(a) for a in globals()]\n\n@on_linux\ndef test_there"),
        ("@on_linux\ndef test_there", "def test_a():\n    on_linux(test_old)\n\n@on_linux\ndef test_there"),
        ("def test_old", "def late(): never()\n\ndef never(): pytest.skip()\n\n@late\ndef test_old"),
    ],
)  # fmt: skip
def test_a_python_test_of_before_may_not(old: str, new: str) -> None:
    text = PYTHON + "\n\n@pytest.fixture\ndef skipping():\n    pytest.skip('no')\n"

    assert more_skips("test_a.py", text, text.replace(old, new, 1))
    assert not more_skips("test_a.py", text.replace(old, new, 1), text)


def test_what_is_no_python_is_searched_as_it_is() -> None:
    assert more_skips("test_a.py", "def test_a(:\n", "def test_a(:\n    pytest.skip()\n")


GO = "func TestA(t *testing.T) {\n\tt.Log(Add(1, 2))\n}\n"
JAVA = "class A {\n    @Test\n    void adds() {\n        add(1);\n    }\n}\n"
RUST = "#[test]\nfn adds() {\n    add(1);\n}\n"
JS = "describe('all', () => {\n  it('adds', () => {\n    add(1);\n  });\n});\n"


@pytest.mark.parametrize(
    ("path", "before", "more"),
    [
        ("a_test.go", GO, "func TestB(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n}\n"),
        ("A.java", JAVA, "class B {\n    @Test\n    void subs() {\n        assumeTrue(a);\n    }\n}\n"),
        ("A.java", JAVA, "class B {\n    @Disabled\n    @Test\n    void subs() {\n    }\n}\n"),
        ("A.kt", JAVA.replace("void", "fun"), "@Disabled\n@Test\nfun `subs`() = run {\n}\n"),
        ("tests/a.rs", RUST, "#[test]\n#[ignore]\nfn subs() {\n}\n"),
        ("tests/a.rs", RUST, '#[ignore = "slow"]\n#[test]\nfn subs() {\n}\n'),
        ("ATests.cs", "[Fact]\npublic void Adds() {}\n", '[Fact(Skip = "no")]\npublic void Subs() {}\n'),
        ("ATest.php", "function testAdds() {}\n", "function testSubs() { $this->markTestSkipped(); }\n"),
        ("Tests/A.swift", "func testAdds() {}\n", "func testSubs() { throw XCTSkip() }\n"),
        ("a.test.ts", JS, "it.todo('subs');\n"),
        ("a.test.ts", JS, "it.skip('subs', () => {});\n"),
        ("a.test.ts", JS, "xit('subs', () => {});\n"),
        ("a.test.ts", JS, "test('subs', { skip: true }, () => {});\n"),
        ("a.test.ts", JS, "test('subs', (t) => {\n  t.skip();\n});\n"),
        ("a.test.ts", JS, "describe.skip('new', () => {\n  it('subs', () => {});\n});\n"),
        ("a.test.ts", JS, "describe('new', { skip: true }, () => {\n  it('subs', () => {});\n});\n"),
    ],
)  # fmt: skip
def test_a_new_test_in_another_language_may_be_skipped(path: str, before: str, more: str) -> None:
    assert not more_skips(path, before, f"{before}\n{more}")
    assert not more_skips(path, before, f"{more}\n{before}")


@pytest.mark.parametrize(
    ("path", "before", "old", "new"),
    [
        ("a_test.go", GO, "\tt.Log", "\tt.Skip()\n\tt.Log"),
        ("a_test.go", GO, "\tt.Log", "\tt.Run(`x`, func(t *testing.T) {\n\tt.Skip()\n})\n\tt.Log"),
        ("a_test.go", GO, "func TestA", "func skipping(t *testing.T) {\n\tt.Skip()\n}\n\nfunc TestA"),
        ("A.java", JAVA, "add(1);", "assumeTrue(false);"),
        ("A.java", JAVA, "    @Test", "    @Disabled\n    @Test"),
        ("A.java", JAVA, "    @Test", "    @Test\n    @Disabled"),
        ("A.java", JAVA, "class A", "@Disabled\nclass A"),
        ("A.java", JAVA, "    @Test", "    @BeforeEach\n    void no() {\n        assumeTrue(a);\n    }\n    @Test"),
        ("tests/a.rs", RUST, "#[test]", "#[ignore]\n#[test]"),
        ("tests/a.rs", RUST, "#[test]", "#[test]\n#[ignore]"),
        ("a.test.ts", JS, "it(", "it.skip("),
        ("a.test.ts", JS, "it(", "it.todo("),
        ("a.test.ts", JS, "it(", "xit("),
        ("a.test.ts", JS, "it('adds', ", "it('adds', { skip: true }, "),
        ("a.test.ts", JS, "add(1);", "this.skip();"),
        ("a.test.ts", JS, "describe(", "describe.skip("),
        ("a.test.ts", JS, "describe(", "xdescribe("),
        ("a.test.ts", JS, "describe('all', ", "describe('all', { skip: true }, "),
        ("a.test.ts", JS, "  it(", "  beforeEach((t) => {\n    t.skip();\n  });\n  it("),
        ("a.test.ts", JS, "  it(", "  it.only('new', () => {});\n  it("),
        ("a.test.ts", JS, "describe(", "describe.only('new', () => {});\ndescribe("),
        ("a.test.ts", JS, "describe('all', ", "it.skip('new', "),
        ("a.test.ts", JS, "it('adds'", "it.skip(add.name, f);\n  it('adds'"),
    ],
)  # fmt: skip
def test_a_test_of_before_in_another_language_may_not(
    path: str, before: str, old: str, new: str
) -> None:
    assert more_skips(path, before, before.replace(old, new, 1))


@pytest.mark.parametrize(
    ("path", "hostile"),
    [
        ("a.test.js", "test('a', {\n"),
        ("a.test.js", "test('a', () => { t.skip() })\n"),
        ("a.test.js", "describe.skip('a', () => {\n"),
        ("a.test.js", "describe.skip('a', () => {})\n"),
        ("a_test.go", "func TestA(t *testing.T) { t.Skip()\n"),
        ("A.java", "@Test\n@Disabled\nvoid a() {}\n"),
        ("A.java", "@Disabled\n" * 20 + "@Test void a() {}\n"),
        ("test_a.py", "def f(): return g()\n"),
        ("test_a.py", "def test_a(): pytest.skip()\n"),
    ],
)
def test_skips_that_nobody_would_write_are_read_in_a_moment(path: str, hostile: str) -> None:
    text = hostile * (100_000 // len(hostile))
    began = time.process_time()

    more_skips(path, text, text)

    assert time.process_time() - began < 3


def test_a_chain_of_names_is_followed_in_a_moment() -> None:
    chain = "".join(f"def f{number}(): f{number + 1}()\n" for number in range(3_000))
    text = f"{chain}def f3000(): pytest.skip()\n\ndef test_a(): ...\n"
    began = time.process_time()

    assert more_skips("test_a.py", text, text.replace("test_a(): ...", "test_a(): f0()"))

    assert time.process_time() - began < 3
