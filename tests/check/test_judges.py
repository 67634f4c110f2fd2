"""What decides how a command ends judges it, by whatever name, and what is honest work does not."""

import json
import py_compile

import pytest

from check.checks import PYTEST, check, verdicts
from check.repository import Repository
from prowess.check.judges.deciding import decides, to_read, touched
from prowess.check.judges.touched import spoiled
from prowess.check.scope import scope
from prowess.core.evidence import Change, Spec
from prowess.core.ports import Sandbox


def judges(
    path: str, old: str | None, new: str | None, *, files: tuple[str, ...] = ()
) -> list[str]:
    """Commands that prove nothing once this file is changed, of a handful."""
    changes = [Change(path=path, status="M")]
    found = touched(
        {} if old is None else {path: old},
        {} if new is None else {path: new},
        spec=Spec(id="T", title="Do it", files=files),
        found=scope(files or ("**",), changes),
    )
    return [command for command in COMMANDS if spoiled(found, [command])]


COMMANDS = (
    "pytest -q", "npm test", "npm run lint", "cargo test", "go test ./...", "make test", "just test",
    "ruff check .", "black --check .", "prettier --check .", "cargo fmt --check", "isort -c .",
    "yamllint .", "shellcheck a.sh", "pre-commit run -a", "task test", "tox", "hatch run test",
    "poe test", "codespell", "cargo clippy", "biome check", "cat note.txt",
)  # fmt: skip


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("tests/pyvenv.cfg", "pytest -q"),
        ("tests/bin/activate", "pytest -q"),
        ("tests/conda-meta/history", "pytest -q"),
        ("sitecustomize.pyc", "pytest -q"),
        ("src/usercustomize.cpython-312-x86_64-linux-gnu.so", "pytest -q"),
        (".env", "make test"),
        (".env.test", "just test"),
        (".envrc", "task test"),
        ("turbo.json", "npm test"),
        ("nx.json", "npm test"),
        ("lerna.json", "npm test"),
        (".swcrc", "npm test"),
        ("test/jest-e2e.json", "npm test"),
        (".prettierrc.json", "prettier --check ."),
        (".prettierignore", "npm run lint"),
        ("biome.jsonc", "biome check"),
        (".isort.cfg", "isort -c ."),
        (".yamllint.yml", "yamllint ."),
        (".shellcheckrc", "shellcheck a.sh"),
        (".pre-commit-config.yaml", "pre-commit run -a"),
        (".rustfmt.toml", "cargo fmt --check"),
        ("tox.toml", "tox"),
        ("hatch.toml", "hatch run test"),
        ("taskfile.yml", "task test"),
        ("Taskfile.dist.yml", "task test"),
        (".justfile", "just test"),
        (".ignore", "ruff check ."),
        (".rgignore", "ruff check ."),
    ],
)
def test_settings_judge_the_commands_that_read_them(path: str, command: str) -> None:
    found = judges(path, None, "anything\n")

    assert to_read([Change(path=path)]) == [path]
    assert command in found
    assert "cat note.txt" not in found
    assert judges(path, None, "anything\n", files=(path,)) == []


@pytest.mark.parametrize("path", [".env.example", "docs/.env.sample", "src/activate.py"])
def test_what_only_looks_like_settings_judges_nothing(path: str) -> None:
    assert judges(path, None, "anything\n") == []


@pytest.mark.parametrize("path", [".env", "venv/pyvenv.cfg", "venv/bin/activate"])
def test_what_a_command_may_write_for_the_next_one_is_left_to_it(path: str) -> None:
    assert not decides(path)


@pytest.mark.parametrize(
    ("table", "command"),
    [
        ('tool.black]\nforce-exclude = "a"', "black --check ."),
        ('tool.isort]\nskip = ["a"]', "isort -c ."),
        ('tool.codespell]\nskip = "a"', "codespell"),
        ('tool.hatch.envs.default.scripts]\ntest = "true"', "hatch run test"),
        ('tool.poe.tasks]\ntest = "true"', "poe test"),
        ('tool.taskipy.tasks]\ntest = "true"', "task test"),
    ],
)
def test_tables_of_tools_judge_what_these_run(table: str, command: str) -> None:
    before = '[project]\nname = "a"\n'

    assert command in judges("pyproject.toml", before, f"{before}\n[{table}\n")


CARGO = '[package]\nname = "c"\nversion = "0.1.0"\n\n[workspace]\nmembers = ["a", "b"]\n\n'


@pytest.mark.parametrize(
    "now",
    [
        CARGO.replace('["a", "b"]', '["a"]'),
        f'{CARGO}exclude = ["b"]\n',
        f'{CARGO}default-members = ["a"]\n',
        CARGO.replace("[package]\n", "[package]\nautotests = false\n"),
        CARGO.replace("[package]\n", "[package]\nautobins = false\n"),
        f'{CARGO}[patch.crates-io]\nserde = {{ path = "fake" }}\n',
        f"{CARGO}[profile.test]\ndebug-assertions = false\n",
        f"{CARGO}[profile.dev]\noverflow-checks = false\n",
    ],
)
def test_what_takes_tests_of_cargo_out_of_sight_judges(now: str) -> None:
    assert "cargo test" in judges("Cargo.toml", CARGO, now)


@pytest.mark.parametrize(
    ("path", "before", "now"),
    [
        ("Cargo.toml", CARGO, f'{CARGO}[dependencies]\nserde = "1"\n'),
        ("Cargo.toml", CARGO, f'{CARGO}[workspace.dependencies]\nserde = "1"\n'),
        ("Cargo.toml", CARGO, CARGO.replace('"b"]', '"b", "c"]')),
        ("c/Cargo.toml", None, '[package]\nname = "c"\n\n[workspace]\n'),
        ("package.json", '{"workspaces": ["a"]}', '{"workspaces": ["a", "b"]}'),
        ("package.json", '{"name": "a"}', '{"name": "a", "dependencies": {"left-pad": "1"}}'),
        ("package.json", None, '{"workspaces": ["a"]}'),
        ("pnpm-workspace.yaml", "packages:\n  - a\n", "packages:\n  - a\n  - b\ncatalog:\n  zod: 1\n"),
        ("go.mod", "module m\n\ngo 1.22\n", "module m\n\ngo 1.22\n\nrequire a/b v1.0.0\n"),
        ("go.mod", None, "module m\n\ngo 1.22\n"),
        ("go.work", "go 1.22\n\nuse ./a\n", "go 1.22\n\nuse (\n\t./a\n\t./b\n)\n"),
    ],
)  # fmt: skip
def test_what_is_needed_besides_is_honest_work(path: str, before: str | None, now: str) -> None:
    assert to_read([Change(path=path)]) == [path]
    assert judges(path, before, now) == []


@pytest.mark.parametrize(
    ("path", "before", "now", "command"),
    [
        ("package.json", '{"workspaces": ["a", "b"]}', '{"workspaces": ["a"]}', "npm test"),
        ("package.json", '{"workspaces": ["*"]}', '{"workspaces": ["*", "!b"]}', "npm test"),
        ("pnpm-workspace.yaml", "packages:\n  - a\n", "packages:\n  - b\n", "npm test"),
        ("pnpm-workspace.yaml", "packages: [a]\n", "packages: [a]\nscriptShell: /bin/true\n", "npm test"),
        ("b/go.mod", None, "module b\n", "go test ./..."),
        ("go.mod", "module m\n", "module m\n\nreplace a/b => ./fake\n", "go test ./..."),
        ("go.mod", "module m\n", "module m\n\nreplace (\n\ta/b => ./fake // it\n)\n", "go test ./..."),
        ("go.mod", "module m\n", "module m\n\nignore ./b\n", "go test ./..."),
        ("go.work", "use (\n\t./a\n\t./b\n)\n", "use ./a\n", "go test ./..."),
    ],
)  # fmt: skip
def test_what_takes_other_tests_out_of_sight_judges(
    path: str, before: str | None, now: str, command: str
) -> None:
    assert command in judges(path, before, now)


@pytest.mark.parametrize(
    "path",
    [
        ".venv/bin/python",
        ".venv",
        "venv/lib/python3/site-packages/a.py",
        "web/node_modules/chai/index.js",
        "lib/site-packages/a.py",
    ],
)
def test_installed_programs_that_git_is_to_keep_judge_what_they_may_run(path: str) -> None:
    assert {"pytest -q", "ruff check .", "npm test"} <= set(judges(path, None, None))
    assert judges(path, None, None, files=(path,)) == []


@pytest.mark.parametrize(
    "path",
    ["src/tools/venv/run.py", "tests/fixtures/node_modules/a/index.js", "docs/venv", "venv.py"],
)
def test_what_is_no_environment_is_work_like_any_other(path: str) -> None:
    assert judges(path, None, None) == []


SCRIPTS = {
    "pretest": "npm run build",
    "test": "npm run unit",
    "unit": "jest",
    "build": "tsc",
    "lint": "eslint .",
    "e2e": "playwright test",
}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("lint", {"npm run lint"}),
        ("prelint", {"npm run lint"}),
        ("unit", {"npm test"}),
        ("posttest", {"npm test"}),
        ("build", {"npm test"}),
        ("test", {"npm test"}),
        ("e2e", set()),
    ],
)
def test_a_script_of_a_package_judges_the_commands_that_run_it(name: str, found: set[str]) -> None:
    now = {"scripts": {**SCRIPTS, name: "true"}}

    assert set(judges("package.json", json.dumps({"scripts": SCRIPTS}), json.dumps(now))) == found


def test_a_star_stands_for_any_script() -> None:
    before = {"scripts": {"test": "run-s check:*", "check:types": "tsc"}}
    now = {"scripts": {**before["scripts"], "check:types": "true"}}

    assert "npm test" in judges("package.json", json.dumps(before), json.dumps(now))


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("npm test", False),
        ("npm t -- --coverage", False),
        ("yarn test", False),
        ("pnpm run test", False),
        ("npx jest", False),
        ("npm --prefix web run test", False),
        ("npm run lint", True),
        ("npm run lint && npm test", True),
        ("cd web && npm run lint", True),
        ("npm ci", False),
        ("npm ci && npm test", False),
        ("npm exec -c 'npm run lint'", True),
        ("npx turbo run all", True),
        ("node scripts/all.js", True),
        ("bash -c 'npm run lint'", True),
        ("npm run 'lint", True),
    ],
)
def test_where_it_cannot_be_told_which_scripts_run_all_do(command: str, *, runs: bool) -> None:
    found = touched(
        {"package.json": '{"scripts": {"test": "jest"}}'},
        {"package.json": '{"scripts": {"test": "jest", "lint": "eslint ."}}'},
        spec=Spec(id="T", title="Do it"),
        found=scope(("**",), []),
    )

    assert bool(spoiled(found, [command])) is runs


def test_a_script_below_the_root_may_be_run_by_any_other() -> None:
    before, now = '{"scripts": {}}', '{"scripts": {"lint": "eslint ."}}'

    assert "npm test" in judges("web/package.json", before, now)


PLUGIN = """import pytest


def pytest_runtest_setup(item):
    pass


@pytest.fixture
def expected():
    return 4
"""


def test_fixtures_under_a_name_of_their_own_stay_as_they_were() -> None:
    path, now = "support/plug.py", PLUGIN.replace("return 4", "return 2")

    assert "pytest -q" in judges(path, PLUGIN, now)
    assert judges(path, PLUGIN, f"{PLUGIN}\n\ndef more():\n    return 2\n") == []
    assert judges(path, PLUGIN, now, files=("support/**",)) == []
    assert judges(path, "def expected():\n    return 4\n", "def expected():\n    return 2\n") == []


def test_byte_code_that_python_loads_by_itself_takes_the_worth_from_tests(
    repo: Repository, sandbox: Sandbox
) -> None:
    repo.put("src/calc.py", "def double(x):\n    return x\n")
    repo.put(
        "tests/test_calc.py",
        "from calc import double\n\n\ndef test_d():\n    assert double(2) == 4\n",
    )
    repo.commit("wrong")
    planted = "import calc\ncalc.double = lambda x: 2 * x\n"
    source = repo.put("planted.py", planted)
    py_compile.compile(str(source), cfile=str(repo.folder / "src/sitecustomize.pyc"))
    source.unlink()

    report = check(repo, sandbox, f"`PYTHONPATH=src {PYTEST}` passes")

    assert verdicts(report) == ["INCONCLUSIVE"]
    assert "src/sitecustomize.pyc" in report.reasons[0]
