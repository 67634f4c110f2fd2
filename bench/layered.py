"""
What the layered skills are worth to somebody who follows them: twelve tasks, plain and layered.

    .venv/bin/python bench/layered.py                              the table; about a minute
    .venv/bin/python bench/layered.py --data DIR --svg layered.svg keeps the log, and draws the bars
    .venv/bin/python bench/layered.py --data DIR --from-log ID     computes everything again from it

The comparison is `prowess compare --layered`, with its runs, its tools, its sandbox and its check; the
model is a stand-in (`layered_reader.py`) with habits, which gives each up when a sentence of its prompt
tells it to. So the figures say what those sentences are worth to a model that obeys, and that they are
in the prompt; how well a real model obeys, they do not say. `truth` is added by the tasks themselves.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from layered_reader import reader
from layered_tasks import TASKS, make_repository
from table import Figure as Promised
from table import Found, Plot, add_option, print_table, target_table, write

from prowess.check.compare.comparison import Figure, Trial, figures
from prowess.check.compare.plot import shown, svg
from prowess.core.skill import Skill
from prowess.engine.comparing import Compared, Versus, compare, compared_in
from prowess.model.scripted import Scripted
from prowess.observe.opening import open_log
from prowess.settings import Settings, load_settings

TRUTH = {asked.spec.id: asked.truth for asked in TASKS}


def run(settings: Settings) -> Compared:
    def model(name: str | None, skill: Skill | None) -> Scripted:
        return Scripted(reader, name="stand-in")

    specs = [asked.spec for asked in TASKS]
    return asyncio.run(
        compare(
            specs,
            Versus(),
            settings,
            open_model=model,
            tell=lambda line: print(line, file=sys.stderr),
        )
    )


def from_log(settings: Settings, key: str) -> Compared:
    log = open_log(settings.log_place)
    try:
        return compared_in(log, key)
    finally:
        log.close()


def lines_of(found: Compared) -> list[Figure]:
    """The figures of the comparison, and how often the check came to the truth by what was proposed."""
    sides = [[each for each in found.trials if each.way == way] for way in found.versus.ways]
    true = Figure(
        name="true verdicts",
        unit="share of criteria",
        values=tuple(_true(side) for side in sides),
        more_is_better=True,
    )
    return [true, *figures(found.trials, found.versus.ways)]


def _true(trials: Sequence[Trial]) -> float:
    pairs = [
        (said, truth)
        for each in trials
        for said, truth in zip(each.verdicts, TRUTH[each.task], strict=True)
    ]
    return float(sum(said == truth for said, truth in pairs) / len(pairs))


def show(found: Compared, lines: Sequence[Figure]) -> list[Promised]:
    """Print the tables; what is promised, with what it came to."""
    plain, layered = found.versus.ways
    rows = [(line.name, line.unit, *map(shown, line.values), _ratio(line)) for line in lines]
    print_table(("figure", "per", plain, layered, f"{layered} / {plain}"), rows)
    print()
    print_table(
        ("task", "trap", plain, layered), [_row(found, number) for number in range(len(TASKS))]
    )
    print()
    by_name = {line.name: line.values for line in lines}
    promises = [
        _more("true verdicts", by_name["true verdicts"]),
        _more("success", by_name["success"]),
        _more("evidence quality", by_name["evidence quality"]),
        _less("command errors", by_name["command errors"]),
        _less("duplicate searches", by_name["duplicate searches"]),
        _less("claims without evidence", by_name["claims without evidence"]),
    ]
    print_table(*target_table(promises))
    print(
        f"\n{len(found.tasks)} tasks, {len(found.trials)} runs, comparison {found.id}",
        file=sys.stderr,
    )
    return promises


def _ratio(line: Figure) -> str:
    plain, layered = line.values
    return f"{layered / plain:.2f}" if plain and layered is not None else "-"


def _row(found: Compared, number: int) -> tuple[str, ...]:
    asked = TASKS[number]
    said = []
    for way in found.versus.ways:
        (trial,) = [each for each in found.trials if (each.task, each.way) == (asked.spec.id, way)]
        errors = trial.hygiene.failed_commands
        told = "true" if trial.verdicts == asked.truth else ", ".join(trial.verdicts)
        said.append(f"{told}{f', {errors} failed' if errors else ''}")
    return (asked.spec.id, asked.trap, *said)


def _more(name: str, values: Sequence[float | None]) -> Promised:
    return Promised(name=f"{name}, layered", value=values[1], at_least=values[0])


def _less(name: str, values: Sequence[float | None]) -> Promised:
    return Promised(name=f"{name}, layered", value=values[1], at_most=values[0])


def plot_of(found: Compared, lines: Sequence[Figure]) -> Plot:
    """What it is worth, and beside it what it costs."""
    bars = {
        line.name: dict(zip(found.versus.ways, (each or 0.0 for each in line.values), strict=True))
        for line in lines
    }
    return Plot(
        title="True verdicts by a stand-in for a model",
        unit="of all",
        bars=bars["true verdicts"],
        beside=(
            Plot(title="Success", unit="of all runs", bars=bars["success"]),
            Plot(title="Tokens that it took", unit="a run", bars=bars["tokens"]),
        ),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Layered skills against the plain prompt.")
    parser.add_argument("--data", metavar="DIR", help="keep the log here")
    parser.add_argument("--from-log", metavar="ID", help="compute an earlier comparison again")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write the plot")
    add_option(parser)
    given = parser.parse_args()
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="prowess-layered-")))
        project, data = place / "shop", given.data or str(place / "data")
        make_repository(project)
        settings = load_settings(project=str(project), data=data, environment={})
        found = from_log(settings, given.from_log) if given.from_log else run(settings)
        lines = lines_of(found)
        if given.svg:
            title = f"{found.versus.title}, {len(found.tasks)} tasks, a stand-in for a model"
            given.svg.write_text(svg(lines, found.versus.ways, title=title), encoding="utf-8")
        promises = show(found, lines)
        write(given.figures, Found(figures=promises, plot=plot_of(found, lines)))
        return 0 if all(each.verdict == "met" for each in promises) else 1


if __name__ == "__main__":
    sys.exit(main())
