"""The benches' own table: figures judged by their promises, regressions told, and the page made of what is kept."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[1] / "bench"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH))


def module(name: str) -> Any:
    """A program of the benches, which are judged by themselves."""
    return importlib.import_module(name)


def made(value: float | None, **limits: float) -> Any:
    table = module("table")

    return table.Figure(name="speed", value=value, unit="x", **limits)


def ran(*figures: Any, failed: str = "") -> Any:
    report = module("report")
    table = module("table")

    return report.Bench(
        name="toy",
        found=table.Found(
            figures=figures, plot=table.Plot(title="Toys", unit="ms", bars={"prowess <1>": 2.0})
        ),
        tables="| a |\n|---|\n| 1 |",
        machine="a machine",
        when="2026-01-01",
        commit="abc",
        seconds=1.0,
        failed=failed,
    )


@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize(
    ("value", "limits", "verdict"),
    [
        (2.0, {"at_most": 2.0}, "met"),
        (2.1, {"at_most": 2.0}, "missed"),
        (2.0, {"at_least": 2.0}, "met"),
        (1.9, {"at_least": 2.0}, "missed"),
        (None, {"at_least": 2.0}, "not measured"),
        (1.9, {}, ""),
    ],
)
def test_a_figure_is_judged_by_its_promise(
    value: float | None, limits: dict[str, float], verdict: str
) -> None:
    assert made(value, **limits).verdict == verdict


@pytest.mark.usefixtures("bench")
def test_what_got_worse_stands_out_and_what_got_better_does_not() -> None:
    report = module("report")

    before = {"toy": ran(made(10.0, at_least=5.0))}
    worse = report.summary({"toy": ran(made(7.0, at_least=5.0))}, before)
    better = report.summary({"toy": ran(made(13.0, at_least=5.0))}, before)

    assert "| **10 x (30% worse)** |" in worse
    assert "| 10 x (30% better) |" in better


@pytest.mark.usefixtures("bench")
def test_less_is_better_where_nothing_says_at_least() -> None:
    report = module("report")

    before = {"toy": ran(made(10.0, at_most=20.0))}

    assert "| **10 x (50% worse)** |" in report.summary(
        {"toy": ran(made(15.0, at_most=20.0))}, before
    )


@pytest.mark.usefixtures("bench")
def test_a_figure_of_which_nothing_was_promised_is_neither_better_nor_worse() -> None:
    report = module("report")

    told = report.summary({"toy": ran(made(15.0))}, {"toy": ran(made(10.0))})

    assert "| 10 x |" in told


@pytest.mark.usefixtures("bench")
def test_a_bench_that_failed_is_a_row_that_says_so() -> None:
    report = module("report")

    told = report.summary({"toy": ran(failed="not done after 5 s")}, {})

    assert "| toy | failed: not done after 5 s | - |" in told


@pytest.mark.usefixtures("bench")
def test_what_is_kept_is_read_back_and_the_rest_of_the_page_stays(tmp_path: Path) -> None:
    report = module("report")

    (tmp_path / "benchmarks.md").write_text(
        f"# Mine\n\n{report.BEGIN}\nold\n{report.END}\n\nMine too.\n"
    )
    bench = ran(made(3.0, at_most=4.0))

    report.keep({"toy": bench}, docs=tmp_path)
    report.keep({"toy": bench}, docs=tmp_path)

    page = (tmp_path / "benchmarks.md").read_text()
    assert page.startswith("# Mine\n\n")
    assert page.endswith("\n\nMine too.\n")
    assert "old" not in page
    assert "| toy | speed | 3 x | ≤ 4 | met | 3 x |" in page
    assert report.kept(tmp_path / "benchmarks.json")["toy"].found.figures[0] == made(
        3.0, at_most=4.0
    )
    assert "prowess &lt;1&gt;" in (tmp_path / "plots" / "toy.svg").read_text()


@pytest.mark.usefixtures("bench")
def test_a_bench_that_failed_leaves_its_last_figures_to_be_compared_with(tmp_path: Path) -> None:
    report = module("report")
    (tmp_path / "benchmarks.md").write_text(f"{report.BEGIN}\n{report.END}\n")
    report.keep({"toy": ran(made(3.0))}, docs=tmp_path)

    report.keep({"toy": ran(failed="it fell over")}, docs=tmp_path)

    assert "failed: it fell over" in (tmp_path / "benchmarks.md").read_text()
    assert report.kept(tmp_path / "benchmarks.json")["toy"].found.figures == (made(3.0),)


@pytest.mark.usefixtures("bench")
def test_tables_of_targets_that_a_bench_prints_become_figures() -> None:
    printed = module("printed")

    text = (
        "noise\n| promise | ratio | at most |\n| --- | ---: | ---: |\n| beside agno | 0.99 | 1 |\n\n"
        "| target | measured | verdict |\n|---|---|---|\n| rate ≥ 20 a second | 1,024.5 (3-4) | met |\n"
    )

    assert [(each.value, each.at_most, each.at_least) for each in printed.figures(text)] == [
        (0.99, 1.0, None),
        (1024.5, None, 20.0),
    ]


@pytest.mark.usefixtures("bench")
def test_what_a_bench_no_longer_prints_is_not_measured_rather_than_missing() -> None:
    printed = module("printed")

    assert {each.verdict for each in printed.serve("nothing of use").figures} == {"not measured"}


def test_a_bench_is_run_in_a_process_of_its_own_and_read() -> None:
    done = subprocess.run(
        [sys.executable, BENCH / "all.py", "--quick", "--only", "context"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "| context | tokens saved by chapters |" in done.stdout
    assert "| met |" in done.stdout


def test_a_bench_that_is_not_there_is_refused_by_name() -> None:
    done = subprocess.run(
        [sys.executable, BENCH / "all.py", "--only", "speed"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "there is no bench speed" in done.stderr


@pytest.mark.usefixtures("bench")
def test_a_mutant_is_still_python_and_says_something_else() -> None:
    mutate = module("mutate")
    file = Path("src/prowess/select/plan.py")
    source = (BENCH.parent / file).read_bytes()

    made = list(mutate.mutants(file))

    assert len(made) > 50
    whole = ast.dump(ast.parse(source))
    for mutant in made:
        assert ast.dump(ast.parse(mutant.written(source))) != whole, mutant


@pytest.mark.usefixtures("bench")
def test_a_broken_line_that_no_test_runs_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate = module("mutate")
    for name in mutate.COPIED:
        (tmp_path / name).touch() if "." in name or name == "Makefile" else (
            tmp_path / name
        ).mkdir()
    stage = tmp_path / "src" / "prowess" / "toy.py"
    stage.parent.mkdir()
    stage.write_text("def small(n):\n    return n < 3\n\n\ndef never(n):\n    return n > 7\n")
    (tmp_path / "tests" / "test_toy.py").write_text(
        "import sys\nsys.path.insert(0, 'src/prowess')\nfrom toy import small\n\n"
        "def test_small():\n    assert small(2) and not small(3)\n"
    )
    monkeypatch.setattr(mutate, "ROOT", tmp_path)
    turned = [m for m in mutate.mutants(Path("src/prowess/toy.py")) if "=" in m.after]

    alive = mutate.tried(turned, ["tests/test_toy.py"])

    assert [mutant.after for mutant in turned] == ["(n <= 3)", "(n >= 7)"]
    assert [mutant.after for mutant in alive] == ["(n >= 7)"]


@pytest.mark.usefixtures("bench")
def test_every_figure_of_the_readme_is_the_one_that_was_kept() -> None:
    """`make bench BENCH=--keep` writes them, and nobody types one."""
    headlines, report = module("headlines"), module("report")
    page = headlines.README.read_text(encoding="utf-8")

    told = report.inserted(page, headlines.table(report.kept()), headlines.BEGIN, headlines.END)

    assert told == page
