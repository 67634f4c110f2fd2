"""A file that says it is to be overlooked, as a whole, is told of; a line that is passed over is not."""

import re
import shutil

import pytest

from check.checks import check, verdicts
from check.repository import Repository
from prowess.check.judges.deciding import to_read
from prowess.check.judges.silencing import silenced_for
from prowess.core.evidence import Change
from prowess.core.ports import Sandbox


def said(path: str, now: str, before: str = "") -> list[str]:
    return [words for words, _ in silenced_for(path, before, now)]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "# ruff: noqa"),
        ("a.py", "# ruff: noqa: E501"),
        ("a.py", "# ruff: file-ignore[F401]"),
        ("a.py", "# ruff: disable[F401]"),
        ("a.py", "# flake8: noqa"),
        ("a.py", "# mypy: ignore-errors"),
        ("a.py", "# type: ignore"),
        ("a.py", "# pylint: skip-file"),
        ("a.py", "# pylint: disable=all"),
        ("a.py", "# fmt: off"),
        ("a.py", "# yapf: disable"),
        ("a.py", "# isort: off"),
        ("a.js", "// @ts-nocheck"),
        ("a.js", "/* eslint-disable */"),
        ("a.js", "/* eslint-disable no-unused-vars, no-empty */"),
        ("a.js", "/* eslint-disable no-empty -- for now */"),
        ("a.js", '/* eslint no-console: "off" */'),
        ("a.js", "/* eslint no-console: 0, curly: 2 */"),
        ("a.ts", "/* istanbul ignore file */"),
        ("a.ts", "/* v8 ignore file */"),
        ("a.ts", "/* c8 ignore start */"),
        ("a.ts", "// biome-ignore-all lint: later"),
        ("a.ts", "// deno-lint-ignore-file"),
        ("a.rs", "#![allow(warnings)]"),
        ("a.rs", "#![allow(dead_code)]"),
        ("a.rs", "#![expect(unused_variables)]"),
        ("a.rs", "#![cfg_attr(all(), allow(dead_code))]"),
        ("a.css", "/* stylelint-disable */"),
        ("a.scss", "// stylelint-disable color-no-hex"),
        ("a.php", "<?php // phpcs:ignoreFile"),
        ("a.sh", "# shellcheck disable=SC2086"),
        ("a.md", "<!-- markdownlint-disable -->"),
        ("a.md", "<!-- markdownlint-disable-file MD013 -->"),
        ("a.yml", "# yamllint disable"),
        ("a.yml", "# yamllint disable rule:line-length"),
        ("a.yml", "# yamllint disable-file"),
        ("a.rb", "# rubocop:disable Style/For"),
        ("a.rb", "# rubocop:disable all"),
    ],
)
def test_what_is_said_for_a_whole_file_is_told_of_once_it_is_new(path: str, line: str) -> None:
    assert said(path, f"{line}\nx\n")
    assert not said(path, f"{line}\nx = 1\n", f"{line}\nx\n")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "import os  # noqa: F401\nx = f()  # type: ignore\n"),
        ("a.py", "# fmt: off\nx = [1,\n  2]\n# fmt: on\n"),
        ("a.py", "# isort: off\nimport b\nimport a\n# isort: on\n"),
        ("a.py", "# ruff: disable[F401]\nimport os\n# ruff: enable[F401]\n"),
        ("a.py", "# pylint: disable=line-too-long\nx\n# pylint: enable=line-too-long\n"),
        ("a.py", "def f():\n    # fmt: off\n    return [1,2]\n"),
        ("a.py", 'HELP = """\n# fmt: off\n# ruff: noqa\n"""\n'),
        ("a.js", "// eslint-disable-next-line no-empty\nx()\n"),
        ("a.js", "/* eslint-disable-next-line no-empty */\nx()\n"),
        ("a.js", "/* eslint-disable no-empty */\nx()\n/* eslint-enable no-empty */\n"),
        ("a.js", "/* eslint-disable no-empty */\nx()\n/* eslint-enable */\n"),
        ("a.js", "const help = `\n/* eslint-disable */\n`\n"),
        ("a.js", '/* eslint no-console: "error" */\nx()\n'),
        ("a.js", "/* c8 ignore start */\nx()\n/* c8 ignore stop */\n"),
        ("a.js", "/* istanbul ignore next */\nx()\n"),
        ("a.rs", "#[allow(dead_code)]\nfn a() {}\n"),
        ("a.rs", 'const A: &str = r"\n#![allow(dead_code)]\n";\n'),
        ("a.sh", "#!/bin/sh\necho a\n# shellcheck disable=SC2086\necho $a\n"),
        ("a.md", "Write:\n\n```markdown\n<!-- markdownlint-disable -->\n```\n"),
        ("a.md", "# fmt: off\n\n# ruff: noqa\n"),
        ("a.md", "<!-- markdownlint-disable -->\nx\n<!-- markdownlint-enable -->\n"),
        ("a.yml", "a: 1  # yamllint disable-line\n# yamllint disable-line rule:colons\nb: 2\n"),
        ("a.rb", "x = 1 # rubocop:disable Style/For\n"),
        ("a.rb", "# rubocop:disable Style/For\nx\n# rubocop:enable Style/For\n"),
        ("a.css", "/* stylelint-disable-next-line color-no-hex */\na { color: #fff }\n"),
    ],
)
def test_what_is_said_of_a_line_or_closed_again_or_only_shown_is_free(path: str, text: str) -> None:
    assert not said(path, text)


def test_more_rules_are_new_and_fewer_are_not() -> None:
    one, two = "/* eslint-disable no-empty */\n", "/* eslint-disable no-empty, curly */\n"

    assert said("a.js", two, one) == [two.strip()]
    assert not said("a.js", one, two)
    assert said("a.js", "/* eslint-disable */\n", two) == ["/* eslint-disable */"]


def test_a_file_that_cannot_be_read_as_its_language_says_what_its_lines_say() -> None:
    assert said("a.py", "# ruff: noqa\ndef (:\n  '''\n") == ["# ruff: noqa"]
    assert not said("a.py", "\0")


def test_pages_and_scripts_are_read_for_what_they_say_of_themselves() -> None:
    paths = ["a.md", "a.sh", "a.yml", "a.rb", "a.css"]

    assert to_read([Change(path=path, status="M") for path in (*paths, "a.png")]) == paths


def test_rules_that_are_named_matter_to_no_run_of_tests() -> None:
    ((_, commands),) = silenced_for("a.js", "", "/* eslint-disable no-console */\n")

    assert re.search(commands, "npm run verify")
    assert re.search(commands, "npx eslint .")
    assert not re.search(commands, "npm test")


def test_what_closes_other_rules_closes_nothing() -> None:
    assert said("a.py", "# ruff: disable[F401]\nimport os\n# ruff: enable[E501]\n")
    assert said("a.js", "/* eslint-disable */\nx()\n/* eslint-enable curly */\n")


def test_what_closed_it_is_gone() -> None:
    closed = "# fmt: off\nx = [1,\n  2]\n# fmt: on\n"

    assert said("a.py", closed.replace("# fmt: on\n", ""), closed) == ["# fmt: off"]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("ruff format --check calc.py", "# fmt: off"),
        ("ruff check calc.py", "# ruff: disable[F401]"),
    ],
)
def test_a_check_believes_no_linter_of_a_file_that_is_closed_to_it(
    repo: Repository, sandbox: Sandbox, command: str, line: str
) -> None:
    repo.put("calc.py", f"{line}\nimport os\n")
    program, *words = command.split()

    report = check(repo, sandbox, f"`{shutil.which(program)} {' '.join(words)}` passes")

    assert verdicts(report)[0] == "INCONCLUSIVE", report.reasons
    assert f"calc.py says `{line}`" in report.reasons[0]


def test_helpers_that_tests_of_rust_share_may_be_used_in_part() -> None:
    unused = "#![allow(dead_code)]\n"

    assert not list(silenced_for("tests/common/mod.rs", "", unused))
    assert list(silenced_for("src/lib.rs", "", unused))
    assert list(silenced_for("tests/common/mod.rs", "", "#![allow(warnings)]\n"))
