"""
How well and how fast a task finds its skill: Prowess beside word overlap and SQLite's full-text search.

    .venv/bin/python bench/matching.py            everything, about three minutes
    .venv/bin/python bench/matching.py --quick    without the part at 10,000 skills

The tasks are labelled, most of them by the authors of the skills: ../shared/data/matching, or below
PROWESS_SHARED, or --data. The matchers meet them in one run, task by task, and a ratio is taken
within a task or a round before its median is. Times are CPU times and are never asserted: the exit
code is 0 whatever comes out. Above the size of the pool its skills come again under other names.
"""

import argparse
import contextlib
import gzip
import importlib.util
import json
import os
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from html import unescape
from itertools import product
from operator import truediv
from typing import Any, NamedTuple

import discovery
from discovery import Bench, Run, ratios, short, skills_of, spread, tell
from table import Figure, Found, Plot, add_option, median, print_table, target_table, write

from prowess.discover.agent_skill import instructions
from prowess.discover.catalog import open_catalog
from prowess.discover.roots import Root
from prowess.engine import Asking, ask
from prowess.select.rank import THRESHOLD
from prowess.select.words import STOP
from prowess.settings import Settings

FILES = ("pool.jsonl.gz", "queries.jsonl", "negatives.jsonl")
DEPTH, TIMED, ROUNDS, COLD, LARGE = 10, 200, 15, 1_000, 10_000
WORDS = re.compile(r"\w+").findall
QUICK, SIZES = (500, 1_000, 2_000), (1_000, 2_000, 5_000, LARGE)
OVERLAP, FTS5, OURS = "seed 000: words in common", "FTS5 bm25, weights 4, 3, 1", "prowess"
SEMANTIC, RANKING, FLOOR = "prowess with semantic", "prowess, ranking", 'python -c "import typer"'
Row = dict[str, Any]  # of the data, as its authors wrote it
Rows = Sequence[Row]
# Takes a task; returns the ids of the best skills with their scores, best first.
Matcher = Callable[[str], Sequence[tuple[str, float]]]
Answers = Mapping[str, list["Answer"]]


class Answer(NamedTuple):
    """What a matcher said to one task, and the milliseconds it took."""

    right: Sequence[str]
    found: Sequence[tuple[str, float]]
    cost: float

    @property
    def top(self) -> float:
        return self.found[0][1] if self.found else 0.0

    def place(self, least: float = -1e9) -> float:
        """Where, from 1, the first right skill stands; infinite when none does with that score."""
        places = (at for at, (n, s) in enumerate(self.found, 1) if n in self.right and s >= least)
        return next(places, float("inf"))


class Shelf(NamedTuple):
    """Projects of any size made of the pool, in a scratch folder."""

    bench: Bench
    pool: Rows

    def skills(self, count: int) -> list[Row]:
        turns = (divmod(n, len(self.pool)) for n in range(count))
        return [_again(self.pool[n], turn + 1) if turn else self.pool[n] for turn, n in turns]

    def project(self, count: int) -> str:
        project = self.bench.folder(f"matching-{count}")
        if not os.path.exists(skills_of(project)):
            tell(f"writing {count:,} skills")
            os.makedirs(os.path.join(project, ".git"))
            for skill in self.skills(count):
                os.makedirs(folder := os.path.join(skills_of(project), skill["id"]))
                with open(os.path.join(folder, "SKILL.md"), "w", encoding="utf-8") as file:
                    file.write(skill["text"])
            time.sleep(2.5)  # what has just been written is not trusted to an index
        return project

    def open(self, count: int, *, semantic: bool = False) -> Asking:
        """A catalog with its index read from disk, as in a process that has just started."""
        roots = [Root(skills_of(self.project(count)), "project")]
        settings = Settings(data=self.bench.folder(f"index-{count}"), skills_semantic=semantic)
        for _ in range(2):  # writes the index, then reads it
            asking = ask(open_catalog(roots, index_folder=settings.index_folder), settings)
        tell(f"{len(asking.catalog.skills):,} of {count:,} skills found")
        return asking


def _again(skill: Row, turn: int) -> Row:
    name = f"{skill['name']}-{turn}"
    text = re.sub(r"(?m)^name:.*$", lambda _: f"name: {json.dumps(name)}", skill["text"], count=1)
    return {**skill, "id": f"{skill['id']}-{turn}", "name": name, "text": text}


def overlap(skills: Rows) -> Matcher:
    """How many different words of four letters or more stand in name and description too."""
    having = defaultdict(list)
    for skill in skills:
        for word in set(WORDS(f"{skill['name']} {skill['description']}".lower())):
            having[word].append(skill["id"])

    def match(task: str) -> Sequence[tuple[str, float]]:
        said = {word for word in WORDS(task.lower()) if len(word) > 3}
        common = Counter(one for word in said for one in having.get(word, ()))
        return sorted(common.items(), key=lambda each: (-each[1], each[0]))[:DEPTH]

    return match


def fts5(skills: Rows, *, without: Collection[str] = ()) -> Matcher:
    """Any of the task's words, each once, in memory: of the ways we tried the one that finds most."""
    base = sqlite3.connect(":memory:")
    base.execute("CREATE VIRTUAL TABLE skill USING fts5(name, description, body)")
    rows = ((n, s["name"], s["description"], instructions(s["text"])) for n, s in enumerate(skills))
    base.executemany("INSERT INTO skill(rowid, name, description, body) VALUES (?, ?, ?, ?)", rows)
    best = "SELECT rowid, bm25(skill, 4, 3, 1) AS score FROM skill WHERE skill MATCH ? ORDER BY score LIMIT ?"

    def match(task: str) -> Sequence[tuple[str, float]]:
        said = dict.fromkeys(word for word in WORDS(task.lower()) if word not in without)
        either = " OR ".join(f'"{word}"' for word in said)
        found = base.execute(best, (either, DEPTH)) if either else ()
        return [(_id(skills[n]["id"]), -score) for n, score in found]

    return match


def prowess(asking: Asking) -> Matcher:
    """What `prowess match --no-threshold` answers, reasons and all."""
    return lambda task: [
        (_id(m.path), m.score or 0) for m in asking.match(task, limit=DEPTH, abstain=False)
    ]


def _id(path: str) -> str:
    return os.path.basename(path).partition("-")[0]


def ask_all(matchers: Mapping[str, Matcher], tasks: Rows) -> dict[str, list[Answer]]:
    """Every matcher gets a task before anyone gets the next, each time another one first."""
    names, answers = list(matchers), {name: list[Answer]() for name in matchers}
    for number, asked in enumerate(tasks):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            begun = time.process_time()
            found = matchers[name](asked["query"])
            cost = (time.process_time() - begun) * 1e3
            answers[name].append(Answer(asked.get("relevant", ()), found, cost))
    return answers


def hits(answers: Sequence[Answer], most: int, threshold: float = -1e9) -> float:
    return sum(each.place(threshold) <= most for each in answers) / max(1, len(answers))


def area(queries: Sequence[Answer], negatives: Sequence[Answer]) -> float:
    """How often the best score of a query is above that of a negative; a tie counts half."""
    below = sorted(each.top for each in negatives)
    won = (bisect_left(below, each.top) + bisect_right(below, each.top) for each in queries)
    return sum(won) / 2 / len(queries) / len(below)


def print_quality(queries: Answers, negatives: Answers) -> None:
    rows = []
    for name, answers in queries.items():
        good = [hits(answers, most) for most in (1, 2, 5)]
        reciprocal = statistics.fmean(1 / each.place() for each in answers)
        good += [reciprocal, area(answers, negatives[name])]
        cost = short(statistics.median(each.cost for each in answers))
        rows.append((name, *(f"{value:.3f}" for value in good), cost))
    header = f"matcher|hit@1|hit@2|hit@5|MRR@{DEPTH}|abstention area|CPU ms a query"
    show("Which skill is found", header, rows)


def print_thresholds(queries: Answers, negatives: Answers) -> None:
    rows = []
    ours = sorted({OURS, SEMANTIC} & queries.keys())
    for name, at in product(ours, sorted({0.0, 0.2, 0.3, 0.45, 0.6, THRESHOLD})):
        kept = [each for each in queries[name] if each.top >= at]
        refused = sum(each.top < at for each in negatives[name]) / len(negatives[name])
        share, found = len(kept) / len(queries[name]), hits(queries[name], 2, at)
        label = f"{name}, {at:g}" + (" (as shipped)" if at == THRESHOLD else "")
        rows.append((label, *(f"{v:.3f}" for v in (share, found, hits(kept, 2, at), refused))))
    header = "threshold|queries kept|hit@2 of all|hit@2 of the kept|negatives refused"
    show("What a threshold costs and saves", header, rows)


def measure_offered(asking: Asking, queries: Rows) -> tuple[float, int]:
    """How often a right skill is in the catalog part of a prompt, and the most characters of that."""
    names = {_id(skill.path): skill.name for skill in asking.catalog.skills.values()}
    inside = longest = 0
    for asked in queries:
        text = asking.offered(asked["query"])
        offered = {unescape(name) for name in re.findall("<name>(.*)</name>", text)}
        inside += any(names[one] in offered for one in asked["relevant"])
        longest = max(longest, len(text))
    return inside / len(queries), longest


def measure_large(shelf: Shelf, queries: Rows) -> Sequence[float]:
    """How many times faster than FTS5 the ranking is, query by query."""
    asking, skills = shelf.open(LARGE), shelf.skills(LARGE)
    matchers = {FTS5: fts5(skills), "FTS5 without our stop words": fts5(skills, without=STOP)}
    rank = asking.ranker.rank  # without reasons, which FTS5 does not give either
    matchers[RANKING] = lambda task: [(m.skill.path, m.score) for m in rank(task, limit=DEPTH)]
    matchers["prowess, with reasons"] = prowess(asking)
    answers = ask_all(matchers, queries[:: max(1, len(queries) // TIMED)][:TIMED])
    costs = {name: [each.cost for each in own] for name, own in answers.items()}
    faster = {n: list(map(truediv, costs[FTS5], own)) for n, own in costs.items()}
    rows = [(name, spread(own), spread(faster[name])) for name, own in costs.items()]
    show(f"A query in process, {LARGE:,} skills", "matcher|CPU ms|x faster than FTS5", rows)
    return faster[RANKING]


def measure_build(shelf: Shelf, sizes: Sequence[int]) -> None:
    """Each in a process of its own: all skills new, then one changed, then none."""
    rows = []
    for count in sizes:
        root = skills_of(shelf.project(count))
        with shelf.bench.fresh() as data:
            command = [sys.executable, os.path.abspath(__file__), "--build", root, data]
            costs = [float(shelf.bench.run(command, root, {})[1])]
            with open(os.path.join(root, shelf.pool[0]["id"], "SKILL.md"), "a") as file:
                file.write("\nAnd one word more.\n")
            time.sleep(2.5)
            costs += [float(shelf.bench.run(command, root, {})[1]) for _ in range(2)]
        rows.append((f"{count:,}", *map(short, (costs[0], costs[0] / count * 1e3, *costs[1:]))))
    header = "skills|all new|for 1,000 of them|one changed|none changed"
    show("Making the index of words, CPU ms", header, rows)


def build(root: str, data: str) -> None:
    """What the fresh process does: print the milliseconds until a catalog can be asked."""
    settings = Settings(data=data)
    catalog = open_catalog([Root(root, "project")], index_folder=settings.index_folder)
    begun = time.process_time()
    ask(catalog, settings)
    print((time.process_time() - begun) * 1e3)


def measure_cold(shelf: Shelf, queries: Rows) -> Sequence[float]:
    """The command with a warm index, beside a Python that only imports Typer."""
    project, data, ours = shelf.project(COLD), shelf.bench.folder("cold"), "prowess match TASK"

    def once(name: str, number: int) -> Run:
        task = queries[number * 61 % len(queries)]["query"]
        match = [*discovery.prowess_command(), "match", "--", task]
        command = match if name == ours else [sys.executable, "-c", "import typer"]
        guard = discovery.untouched(os.path.join(data, "index"))
        with guard if number else contextlib.nullcontext():
            run, _ = shelf.bench.run(command, project, {"PROWESS_DATA": data})
        return discovery.numbered(run, number)

    for name in (ours, FLOOR):
        once(name, 0)  # compiles the modules and writes the index
    results = discovery.interleaved((ours, FLOOR), ROUNDS, lambda n, r: once(n, r + 1), "cold")
    discovery.print_commands(f"Command line, {COLD:,} skills, warm index", results, FLOOR)
    return ratios(results.runs[ours], results.runs[FLOOR])


def measure(shelf: Shelf, queries: Rows, negatives: Rows, sizes: Sequence[int]) -> Found:
    asking = shelf.open(size := len(shelf.pool))
    matchers = {OVERLAP: overlap(shelf.pool), FTS5: fts5(shelf.pool), OURS: prowess(asking)}
    tell(f"asking {len(queries) + len(negatives):,} times")
    found, refused = ask_all(matchers, queries), ask_all(matchers, negatives)
    if importlib.util.find_spec("wordllama"):
        # Alone, because threads that its vectors leave spinning would be charged to the others.
        alone = {SEMANTIC: prowess(shelf.open(size, semantic=True))}
        found, refused = found | ask_all(alone, queries), refused | ask_all(alone, negatives)
    print_quality(found, refused)
    print_thresholds(found, refused)
    offered, longest = measure_offered(asking, queries)
    faster = measure_large(shelf, queries) if LARGE in sizes else []
    measure_build(shelf, sizes)
    cold = measure_cold(shelf, queries)
    second = {name: hits(answers, 2) for name, answers in found.items()}
    targets = [
        Figure(name="hit@2", value=second[OURS], at_least=second[FTS5] + 0.04),
        Figure(
            name="hit@2 with semantic", value=second.get(SEMANTIC), at_least=second[FTS5] + 0.07
        ),
        Figure(name="abstention area", value=area(found[OURS], refused[OURS]), at_least=0.78),
        Figure(name=f"a right skill in the prompt, of {size:,}", value=offered, at_least=0.90),
        Figure(name="catalog in a prompt", value=longest, unit="characters", at_most=4_000),
        Figure(
            name=f"ranking at {LARGE:,}", value=median(faster), unit="x FTS5's speed", at_least=20
        ),
        Figure(
            name=f"cold match at {COLD:,}", value=median(cold), unit="x `import typer`", at_most=3
        ),
    ]
    print("\n## Targets\n")
    print_table(*target_table(targets))
    return Found(
        figures=targets, plot=Plot(title="A right skill among the first two", unit="", bars=second)
    )


def show(title: str, header: str, rows: Sequence[Sequence[str]]) -> None:
    print(f"\n## {title}\n")
    print_table(header.split("|"), rows)


def rows_of(path: str) -> list[Row]:
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as lines:
        return [json.loads(line) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the matcher on labelled tasks.")
    shared = os.environ.get("PROWESS_SHARED") or os.path.join(discovery.REPOSITORY, "..", "shared")
    parser.add_argument("--data", default=os.path.join(shared, "data", "matching"), metavar="DIR")
    parser.add_argument("--quick", action="store_true", help=f"without the {LARGE:,} skills")
    add_option(parser)
    parser.add_argument("--build", nargs=2, default=(), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.build:
        build(*asked.build)
        return
    folder = os.path.abspath(asked.data)
    if missing := [name for name in FILES if not os.path.exists(os.path.join(folder, name))]:
        print(f"Nothing measured: {folder} has no {', '.join(missing)}. Name another with --data.")
        return
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    pool, queries, negatives = (rows_of(os.path.join(folder, name)) for name in FILES)
    print(f"{len(pool):,} skills, {len(queries):,} queries, {len(negatives):,} negatives")
    with tempfile.TemporaryDirectory(prefix="prowess-bench-") as scratch:
        bench = Bench(scratch=scratch, data=scratch, peers="")
        try:
            sizes = QUICK if asked.quick else SIZES
            write(asked.figures, measure(Shelf(bench, pool), queries, negatives, sizes))
        except discovery.FailedError as error:
            print(f"\nThe rest was not measured, a command failed: {error}")
    print(f"\nload {os.getloadavg()[0]:.1f} when it ended")


if __name__ == "__main__":
    main()
