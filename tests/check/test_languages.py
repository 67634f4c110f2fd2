"""Tests, their files and what decides how they end are known in many languages."""

import asyncio
import time

import pytest

from check.repository import Repository
from prowess.check.judges.deciding import to_read, touched
from prowess.check.judges.touched import spoiled
from prowess.check.kept.kept_tests import altered
from prowess.check.kept.known_tests import is_test, lost_tests, may_not_run, more_skips, names_in
from prowess.check.kept.rust import rust_tests
from prowess.check.running.runners import RUNS_TESTS
from prowess.check.scope import scope
from prowess.check.tree.changes import open_tree
from prowess.core.evidence import Change, Spec
from prowess.core.ports import Sandbox


@pytest.mark.parametrize(
    "path",
    [
        "src/test/java/org/SumTest.java", "app/src/test/kotlin/Helpers.kt", "src/SumTests.java",
        "src/SumIT.java", "core/SumSpec.kt", "src/test/scala/SumSuite.scala", "t/sum.t", "lib/xt/deep/a.t",
        "spec/models/sum_spec.rb", "test/sum_test.rb", "test/unit/test_sum.rb", "spec/spec_helper.rb",
        "tests/SumTest.php", "test_sum.c", "src/sum_test.cc", "tests/sum_unittest.cpp",
        "Sum.Tests/SumTests.cs", "SumTest.cs", "Tests/SumTests/SumTests.swift", "test/sum_test.exs",
        "test/SumSpec.hs", "test/Main.hs", "test/sum_test.dart", "test/sum.bats", "sum.bats",
    ],
)  # fmt: skip
def test_where_runners_look_are_tests(path: str) -> None:
    assert is_test(path)
    assert to_read([Change(path=path, status="M")]) == [path]


@pytest.mark.parametrize(
    "path",
    ["src/main/java/Latest.java", "src/EDIT.java", "lib/sum.t.txt", "lib/sum.rb", "src/sum.c", "Contest.cs",
     "Sources/Sum.swift", "lib/sum.ex", "src/Sum.hs", "lib/sum.dart", "sum.sh", "tester.php"],
)  # fmt: skip
def test_elsewhere_are_none(path: str) -> None:
    assert not is_test(path)


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("A.java", "@Test\npublic void adds() {}\nvoid helper() {}\n", ["adds"]),
        ("A.kt", "@ParameterizedTest\n@ValueSource(ints = [1])\nfun `adds up`() {}\n", ["`adds up`"]),
        ("A.scala", 'test("adds") {\n}\n', ['"adds"']),
        ("a.t", "subtest 'adds' => sub {};\n", ["'adds'"]),
        ("a_test.rb", "def test_adds\nend\nit 'more' do\nend\n", ["test_adds", "'more'"]),
        ("ATest.php", "public function testAdds(): void {}\nfunction helper() {}\n", ["testAdds"]),
        ("a_test.cc", "TEST(Sum, Adds) {\n}\n", ["Sum, Adds"]),
        ("test_a.c", "static void test_adds(void) {\n}\n", ["test_adds"]),
        ("ATests.cs", "[Theory]\n[InlineData(1)]\npublic async Task Adds(int a) {}\n", ["Adds"]),
        ("Tests/A.swift", "func testAdds() {}\n@Test func more() {}\n", ["testAdds", "more"]),
        ("a_test.exs", 'test "adds" do\nend\n', ['"adds"']),
        ("ASpec.hs", 'it "adds" $ do\n', ['"adds"']),
        ("a_test.dart", "test('adds', () {});\n", ["'adds'"]),
        ("a.bats", '@test "adds" {\n}\n', ['"adds"']),
        ("a.unknown", 'test("adds", () => {})\n', []),
    ],
)  # fmt: skip
def test_a_test_has_the_name_that_its_language_gives_it(
    path: str, text: str, names: list[str]
) -> None:
    assert list(names_in(path, text)) == names
    assert lost_tests({path: text}, {path: "nothing\n"}) == sorted(names)


@pytest.mark.parametrize(
    ("path", "skip"),
    [
        ("A.java", "@Disabled"),
        ("A.kt", "@Ignore"),
        ("A.java", "assumeTrue(false);"),
        ("a.t", "plan skip_all => 'no';"),
        ("a_spec.rb", "  skip 'no'"),
        ("a_spec.rb", "xit 'adds' do"),
        ("ATest.php", "$this->markTestSkipped();"),
        ("a_test.cc", "GTEST_SKIP();"),
        ("ATests.cs", '[Fact(Skip = "no")]'),
        ("Tests/A.swift", "throw XCTSkip()"),
        ("a_test.exs", "@tag :skip"),
        ("ASpec.hs", 'xit "adds" $ do'),
        ("a_test.dart", "test('a', f, skip: true);"),
        ("a.bats", "  skip"),
        ("src/a.rs", "#[cfg_attr(test, ignore)]"),
    ],
)
def test_their_ways_to_leave_a_test_out_are_known(path: str, skip: str) -> None:
    assert more_skips(path, "before\n", f"before\n{skip}\n")
    assert not more_skips("a.unknown", "before\n", f"before\n{skip}\n")


def test_a_skip_in_a_comment_skips_nothing() -> None:
    assert not more_skips("a_test.go", "package a\n", "package a\n// t.Skip() is for later\n")
    assert may_not_run("a_test.go", "func TestA(t *testing.T) {} /* t.Skip() */\n") == set()


def test_of_a_language_that_nobody_knows_each_line_has_to_stay() -> None:
    assert altered("spec/a.zig", "test {\n  try add(1);\n}\n", "test {\n}\n") == ["try add(1)"]


@pytest.mark.parametrize(
    ("path", "command", "other"),
    [
        ("build.gradle", "./gradlew test", "npm test"),
        ("app/build.gradle.kts", "gradle check", "make test"),
        ("settings.gradle.kts", "gradle test", "mix test"),
        ("gradle.properties", "gradle test", "mix test"),
        ("gradle/wrapper/gradle-wrapper.properties", "./gradlew test", "mix test"),
        ("pom.xml", "mvn -q verify", "npm test"),
        (".mvn/jvm.config", "./mvnw test", "npm test"),
        ("build.sbt", "sbt test", "npm test"),
        (".proverc", "prove -l t", "npm test"),
        ("Makefile.PL", "perl Makefile.PL && make test", "npm test"),
        ("Build.PL", "./Build test && prove", "npm test"),
        (".rspec", "bundle exec rspec", "npm test"),
        ("Rakefile", "rake test", "npm test"),
        ("Gemfile", "bundle exec rspec", "npm test"),
        ("phpunit.xml.dist", "vendor/bin/phpunit", "npm test"),
        ("composer.json", "composer test", "npm test"),
        ("CMakeLists.txt", "ctest", "npm test"),
        ("build/CTestTestfile.cmake", "ctest --test-dir build", "npm test"),
        ("meson.build", "meson test -C build", "npm test"),
        ("Sum.Tests/Sum.Tests.csproj", "dotnet test", "npm test"),
        ("Directory.Build.props", "dotnet test", "npm test"),
        ("ci.runsettings", "dotnet test -s ci.runsettings", "npm test"),
        ("Package.swift", "swift test", "npm test"),
        ("mix.exs", "mix test", "npm test"),
        ("sum.cabal", "cabal test", "npm test"),
        ("dart_test.yaml", "dart test", "npm test"),
        ("deno.json", "deno test", "npm test"),
        ("BUILD.bazel", "bazel test //...", "npm test"),
        ("lib/BUILD", "bazel test //...", "npm test"),
        ("WORKSPACE", "bazel test //...", "npm test"),
        (".bazelrc", "bazel test //...", "npm test"),
    ],
)
def test_what_a_command_reads_judges_it_and_no_other(path: str, command: str, other: str) -> None:
    spec, scoped = Spec(id="T", title="Do it"), scope(("**",), [])
    text = '{"scripts": {"test": "true"}}'
    found = touched({}, {path: text}, spec=spec, found=scoped)

    assert to_read([Change(path=path, status="M")]) == [path]
    assert spoiled(found, [command])
    assert not spoiled(found, [other])


def test_only_the_scripts_of_a_composer_file_judge() -> None:
    spec, scoped = Spec(id="T", title="Do it"), scope(("**",), [])
    before, now = '{"require": {}}', '{"require": {"a/b": "1"}}'

    assert touched({"composer.json": before}, {"composer.json": now}, spec=spec, found=scoped) == []


@pytest.mark.parametrize(
    "command",
    ["prove", "prove -lr t", "prove t/sum.t", "prove xt/", "gradle test", "./gradlew :app:testDebugUnitTest",
     "./gradlew clean check --info", "mvn -B -q verify", "./mvnw -pl core test", "bundle exec rspec", "ctest",
     "meson test -C build", "bats tests", "bats -r sum.bats", "dotnet test", "swift test", "mix test",
     "dart test", "flutter test", "deno test", "bazel test //...", "sbt test"],
)  # fmt: skip
def test_commands_that_run_tests_are_known(command: str) -> None:
    assert RUNS_TESTS.search(command)


@pytest.mark.parametrize(
    "command",
    ["prove it to me", "improve tests", "mvn package", "gradle assemble", "bats in the attic",
     "dart format .", "bazel build //...", "meson setup build", "dotnet build"],
)  # fmt: skip
def test_words_that_only_look_like_it_run_none(command: str) -> None:
    assert not RUNS_TESTS.search(command)


def test_an_ignored_test_of_theirs_is_not_hidden(repo: Repository, sandbox: Sandbox) -> None:
    names = ["t/sum.t", "sum.bats", "build.gradle", ".rspec", "lib/BUILD", "deno.json"]
    repo.put(".gitignore", "*\n")
    for name in names:
        repo.put(name)
    tree = open_tree(str(repo.folder), sandbox)

    found = asyncio.run(tree.changes(repo.git("rev-parse", "HEAD")))

    assert {each.path for each in found} == {".gitignore", *names}


@pytest.mark.parametrize(
    ("path", "hostile"),
    [
        ("a.test.js", "test.each\n"),
        ("a.test.js", "test.each(\n"),
        ("a.test.js", "test('a', {\n"),
        ("a.test.js", "\n"),
        ("src/a.rs", "#[test]"),
        ("src/a.rs", "#[test]\n"),
        ("src/a.rs", "#[cfg(test"),
        ("src/a.rs", "#[cfg_attr("),
        ("src/a.rs", 'r#"'),
        ("src/a.rs", "\n"),
        ("ATest.java", "@Test "),
        ("ATests.cs", "[Fact] "),
        ("a_test.exs", "@tag "),
        ("a_test.cc", "TEST("),
    ],
)
def test_a_text_that_nobody_would_write_is_read_in_a_moment(path: str, hostile: str) -> None:
    """Time grows with its length and not with its square: this would take minutes."""
    text = hostile * (100_000 // len(hostile))
    began = time.process_time()

    list(names_in(path, text))
    more_skips(path, "a", text)
    list(rust_tests(text))

    assert time.process_time() - began < 3


@pytest.mark.parametrize("path", ["spec/calcSpec.js", "web/spec/deep/calc_spec.ts"])
def test_specs_of_jasmine_are_tests_and_code_that_is_called_alike_is_none(path: str) -> None:
    assert is_test(path)
    assert not is_test(f"src/{path.rpartition('/')[2]}")
