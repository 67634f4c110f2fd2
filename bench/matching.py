"""
How well and how fast a task finds its skill: Prowess beside word overlap and SQLite's full-text search.

    .venv/bin/python bench/matching.py            everything, a few minutes
    .venv/bin/python bench/matching.py --quick    without the part at 10,000 skills

The tasks were labelled by the authors of the skills, not by us: ../shared/data/matching, or
PROWESS_SHARED, or --data. All matchers meet the same tasks in the same run, task by task, and a
ratio is taken within a task or a round before its median is. Times are CPU times and are never
asserted: the exit code is 0 whatever comes out.

FTS5 is given its best: of its tokenizers, and of words said once or as often as the task says
them, the choice that finds most. Above 2,672 skills the pool is repeated under other names.
"""

import argparse
import contextlib
import gzip
import importlib.util
import itertools
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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape

from discovery import (
    REPOSITORY,
    Bench,
    Run,
    interleaved,
    numbered,
    print_failed,
    print_table,
    prowess_command,
    ratios,
    short,
    skills_of,
    spread,
    tell,
    untouched,
)

from prowess.discover.agent_skill import instructions
from prowess.discover.catalog import open_catalog
from prowess.discover.roots import Root
from prowess.engine import Asking, ask
from prowess.select.rank import THRESHOLD
from prowess.select.words import STOP
from prowess.settings import Settings

FILES = ("pool.jsonl.gz", "queries.jsonl", "negatives.jsonl")
DEPTH, TIMED, ROUNDS = 10, 200, 15
LARGE, COLD = 10_000, 1_000
OVERLAP, FTS5, OURS, SEMANTIC = (
    "seed 000: words in common",
    "FTS5 bm25, weights 4, 3, 1",
    "prowess",
    "prowess with semantic",
)
_WORD = re.compile(r"\w+")

# Takes a task; returns the ids of the best skills, with their scores.
Matcher = Callable[[str], Sequence[tuple[str, float]]]


@dataclass(frozen=True)
class Labelled:
    """A task and the ids of its right skills; none when nothing should be chosen."""

    task: str
    right: frozenset[str]


@dataclass(frozen=True)
class Made:
    """A skill of the pool, or a repetition of it in another folder."""

    id: str
    folder: str
    name: str
    description: str
    text: str


@dataclass(frozen=True)
class Answer:
    """What a matcher said to one task, and the milliseconds it took."""

    asked: Labelled
    found: Sequence[tuple[str, float]]
    cost: float

    @property
    def top(self) -> float:
        return self.found[0][1] if self.found else 0.0

    def hit(self, most: int, threshold: float = -1.0) -> bool:
        return any(one in self.asked.right for one, s in self.found[:most] if s >= threshold)

    @property
    def reciprocal(self) -> float:
        places = (at for at, (one, _) in enumerate(self.found, 1) if one in self.asked.right)
        return 1 / next(places, float("inf"))


# ── The data ─────────────────────────────────────────────────────────────────────────────────────


def read_data(folder: str) -> tuple[list[Made], list[Labelled], list[Labelled]]:
    """The pool, the queries and the negatives."""
    pool, queries, negatives = (os.path.join(folder, name) for name in FILES)
    with gzip.open(pool, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    skills = [
        Made(row["id"], row["id"], row["name"], row["description"], row["text"]) for row in rows
    ]

    def labelled(path: str) -> list[Labelled]:
        with open(path, encoding="utf-8") as lines:
            told = [json.loads(line) for line in lines]
        return [Labelled(each["query"], frozenset(each.get("relevant", ()))) for each in told]

    return skills, labelled(queries), labelled(negatives)


def repeated(pool: Sequence[Made], count: int) -> list[Made]:
    """The first `count` skills; when the pool is at its end it begins again, with a number at each name."""
    return [_again(pool[n % len(pool)], n // len(pool)) for n in range(count)]


def _again(skill: Made, turn: int) -> Made:
    if not turn:
        return skill
    name = f"{skill.name}-{turn + 1}"
    text = re.sub(r"(?m)^name:.*$", lambda _: f"name: {json.dumps(name)}", skill.text, count=1)
    return Made(skill.id, f"{skill.id}-{turn + 1}", name, skill.description, text)


class Shelf:
    """Projects of many sizes in a scratch folder, each with a data folder, made when they are asked for."""

    def __init__(self, bench: Bench, pool: Sequence[Made]) -> None:
        self.bench, self.pool = bench, pool

    def project(self, count: int) -> str:
        project = self.bench.folder(f"matching-{count}")
        if not os.path.exists(skills_of(project)):
            tell(f"writing {count:,} skills")
            os.makedirs(os.path.join(project, ".git"))
            for skill in repeated(self.pool, count):
                folder = os.path.join(skills_of(project), skill.folder)
                os.makedirs(folder)
                with open(os.path.join(folder, "SKILL.md"), "w", encoding="utf-8") as file:
                    file.write(skill.text)
            time.sleep(2.5)  # what has just been written is not trusted to an index
        return project

    def open(self, count: int, *, semantic: bool = False) -> Asking:
        """With the index from disk, as a process that starts has it."""
        root, data = skills_of(self.project(count)), self.bench.folder(f"matching-data-{count}")
        settings = Settings(data=data, skills_semantic=semantic)
        open_once(root, Settings(data=data))
        asking = open_once(root, settings)
        if len(asking.catalog.skills) != count:
            tell(f"  only {len(asking.catalog.skills):,} of {count:,} skills were found")
        return asking


def open_once(root: str, settings: Settings) -> Asking:
    roots = [Root(root, "project")]
    return ask(open_catalog(roots, index_folder=settings.index_folder), settings)


# ── The matchers ─────────────────────────────────────────────────────────────────────────────────


def overlap(skills: Sequence[Made]) -> Matcher:
    """How many different words of four letters or more the task has in common with name and description."""
    having = defaultdict(list)
    for skill in skills:
        for word in _long_words(f"{skill.name} {skill.description}"):
            having[word].append(skill.id)

    def match(task: str) -> Sequence[tuple[str, float]]:
        common = Counter(one for word in _long_words(task) for one in having.get(word, ()))
        return sorted(common.items(), key=lambda each: (-each[1], each[0]))[:DEPTH]

    return match


def _long_words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if len(word) > 3}


def fts5(
    skills: Sequence[Made],
    *,
    tokenizer: str = "unicode61",
    repeat: bool = False,
    stop: Iterable[str] = (),
) -> Matcher:
    """Any of the task's words, in memory."""
    base = sqlite3.connect(":memory:")
    base.execute(
        f"CREATE VIRTUAL TABLE skill USING fts5(name, description, body, tokenize='{tokenizer}')"
    )
    rows = ((n, s.name, s.description, instructions(s.text)) for n, s in enumerate(skills))
    base.executemany("INSERT INTO skill(rowid, name, description, body) VALUES (?, ?, ?, ?)", rows)
    left_out = frozenset(stop)

    def match(task: str) -> Sequence[tuple[str, float]]:
        said = [word for word in _WORD.findall(task.lower()) if word not in left_out]
        either = " OR ".join(f'"{word}"' for word in (said if repeat else dict.fromkeys(said)))
        if not either:
            return []
        found = base.execute(
            "SELECT rowid, bm25(skill, 4, 3, 1) AS score FROM skill WHERE skill MATCH ?"  # noqa: S608  our own number
            f" ORDER BY score LIMIT {DEPTH}",
            (either,),
        )
        return [(skills[n].id, -score) for n, score in found]

    return match


def prowess(asking: Asking) -> Matcher:
    """What `prowess match --no-threshold` answers, reasons and all."""

    def match(task: str) -> Sequence[tuple[str, float]]:
        found = asking.match(task, limit=DEPTH, abstain=False)
        return [(_id(each.path), each.score or 0.0) for each in found]

    return match


def ranking(asking: Asking) -> Matcher:
    """The same without the reasons, which no other matcher gives."""
    return lambda task: [
        (_id(each.skill.path), each.score)
        for each in asking.ranker.rank(task, limit=DEPTH, adjust=asking.adjust)
    ]


def _id(path: str) -> str:
    return os.path.basename(path).partition("-")[0]


# ── What is measured ─────────────────────────────────────────────────────────────────────────────

Answers = Mapping[str, list[Answer]]


def ask_all(matchers: Mapping[str, Matcher], tasks: Sequence[Labelled]) -> Answers:
    """Every matcher gets the task before anyone gets the next, each time another one first."""
    answers: dict[str, list[Answer]] = {name: [] for name in matchers}
    names = list(matchers)
    for number, asked in enumerate(tasks):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            begun = time.process_time()
            found = matchers[name](asked.task)
            answers[name].append(Answer(asked, found, (time.process_time() - begun) * 1e3))
    return answers


def share(values: Iterable[bool]) -> float:
    return statistics.fmean(values)


def hits(answers: Iterable[Answer], most: int, threshold: float = -1.0) -> float:
    return share(each.hit(most, threshold) for each in answers)


def area(queries: Sequence[Answer], negatives: Sequence[Answer]) -> float:
    """How often a query's best score is above a negative's; a tie counts half."""
    below = sorted(each.top for each in negatives)
    won = (bisect_left(below, each.top) + bisect_right(below, each.top) for each in queries)
    return sum(won) / 2 / len(queries) / len(below)


def print_quality(queries: Answers, negatives: Answers) -> None:
    print("\n## Which skill is found\n")
    rows = [
        (
            name,
            *(f"{hits(answers, most):.3f}" for most in (1, 2, 5)),
            f"{statistics.fmean(each.reciprocal for each in answers):.3f}",
            f"{area(answers, negatives[name]):.3f}",
            short(statistics.median(each.cost for each in answers)),
        )
        for name, answers in queries.items()
    ]
    header = f"hit@1|hit@2|hit@5|MRR@{DEPTH}|abstention area|CPU ms a query".split("|")
    print_table(["matcher", *header], rows)


def print_thresholds(queries: Answers, negatives: Answers) -> None:
    print("\n## What a threshold costs and saves\n")
    rows = []
    for name, at in itertools.product(
        (OURS, SEMANTIC), sorted({0.0, 0.2, THRESHOLD, 0.3, 0.45, 0.6})
    ):
        if name in queries:
            kept = [each for each in queries[name] if each.top >= at]
            rows.append(
                (
                    f"{name}, {at:.2f}" + (" (the product's)" if at == THRESHOLD else ""),
                    f"{len(kept) / len(queries[name]):.3f}",
                    f"{hits(queries[name], 2, at):.3f}",
                    f"{hits(kept, 2, at):.3f}" if kept else "-",
                    f"{share(each.top < at for each in negatives[name]):.3f}",
                )
            )
    header = ["queries kept", "hit@2 of all", "hit@2 of the kept", "negatives refused"]
    print_table(["threshold", *header], rows)


def measure_offered(asking: Asking, queries: Sequence[Labelled]) -> tuple[float, int]:
    """How often a right skill is in the catalog part of a prompt, and the most characters that has."""
    names = {_id(skill.path): skill.name for skill in asking.catalog.skills.values()}
    inside, cards, longest = [], [], 0
    for asked in queries:
        text = asking.offered(asked.task)
        offered = {unescape(name) for name in re.findall("<name>(.*)</name>", text)}
        inside.append(any(names[one] in offered for one in asked.right))
        cards.append(len(offered))
        longest = max(longest, len(text))
    print(
        f"\nIn a prompt, of {len(names):,} skills: {statistics.median(cards):.0f} cards (median), a right one"
        f" among them for {share(inside):.3f} of the queries; {longest:,} characters at most."
    )
    return share(inside), longest


def measure_large(shelf: Shelf, queries: Sequence[Labelled]) -> list[float]:
    """How many times faster than FTS5 the ranking is, query by query."""
    asking, skills = shelf.open(LARGE), repeated(shelf.pool, LARGE)
    tell("  FTS5 takes them in")
    ours, theirs = "prowess, ranking", FTS5
    matchers = {
        theirs: fts5(skills),
        "FTS5 without our stop words": fts5(skills, stop=STOP),
        ours: ranking(asking),
        "prowess, with reasons": prowess(asking),
    }
    answers = ask_all(matchers, queries[:: len(queries) // TIMED][:TIMED])
    costs = {name: [each.cost for each in found] for name, found in answers.items()}
    faster = {
        name: [base / cost for base, cost in zip(costs[theirs], own, strict=True)]
        for name, own in costs.items()
    }
    print(f"\n## A query in process, index loaded, {LARGE:,} skills, {TIMED} queries\n")
    rows = [(name, spread(own), spread(faster[name])) for name, own in costs.items()]
    print_table(["matcher", "CPU ms", "x faster than FTS5"], rows)
    return faster[ours]


def measure_build(shelf: Shelf, sizes: Sequence[int]) -> None:
    """Each build in a process of its own; then one skill changes, and nothing."""
    print("\n## Making the index of words\n")
    rows = []
    for count in sizes:
        tell(f"  building at {count:,}")
        root = skills_of(shelf.project(count))
        with shelf.bench.fresh() as data:
            built = _built(shelf.bench, root, data)
            changed = os.path.join(root, sorted(os.listdir(root))[count // 2], "SKILL.md")
            with open(changed, "a", encoding="utf-8") as file:
                file.write("\nAnd one word more.\n")
            time.sleep(2.5)
            one, none = (_built(shelf.bench, root, data) for _ in range(2))
        rows.append((f"{count:,}", *map(short, (built, built / count * 1e3, one, none))))
    header = ["all, CPU ms", "for each 1,000", "after one changed", "nothing changed"]
    print_table(["skills", *header], rows)


def _built(bench: Bench, root: str, data: str) -> float:
    command = [sys.executable, os.path.abspath(__file__), "--build", root, data]
    _, printed = bench.run(command, root, {})
    return float(printed)


def build(root: str, data: str) -> None:
    """What the fresh process does: print the milliseconds that a catalog takes to be ready for questions."""
    settings = Settings(data=data)
    catalog = open_catalog([Root(root, "project")], index_folder=settings.index_folder)
    begun = time.process_time()
    ask(catalog, settings)
    print((time.process_time() - begun) * 1e3)


def measure_cold(shelf: Shelf, queries: Sequence[Labelled]) -> list[float]:
    """A command that starts, with a warm index, beside Python that only imports Typer."""
    bench, project = shelf.bench, shelf.project(COLD)
    data = bench.folder("matching-data-cold")
    ours, floor = "prowess match TASK", 'python -c "import typer"'

    def once(name: str, number: int) -> Run:
        if name == floor:
            return numbered(
                bench.run([sys.executable, "-c", "import typer"], project, {})[0], number
            )
        command = [*prowess_command(), "match", "--", queries[number * 61 % len(queries)].task]
        with untouched(os.path.join(data, "index")) if number >= 0 else contextlib.nullcontext():
            return numbered(bench.run(command, project, {"PROWESS_DATA": data})[0], number)

    for name in (ours, floor):
        once(name, -1)  # compiles the modules, and writes the index
    results = interleaved((ours, floor), ROUNDS, once, "command line")
    against = ratios(results.runs[ours], results.runs[floor])
    print(f"\n## Command line, {COLD:,} skills, warm index\n")
    rows = [
        (name, spread([run.cpu for run in runs]), spread(ratios(runs, results.runs[floor])))
        for name, runs in results.runs.items()
    ]
    print_table(["command", "CPU ms", "x import typer"], rows)
    print_failed(results)
    return against


# ── The command ──────────────────────────────────────────────────────────────────────────────────


def print_targets(targets: Sequence[tuple[str, float | None, bool]]) -> None:
    print("\n## Targets\n")
    rows = [
        (
            target,
            "-" if measured is None else f"{measured:,.3f}".rstrip("0").rstrip("."),
            "not measured" if measured is None else "met" if met else "missed",
        )
        for target, measured, met in targets
    ]
    print_table(["target", "measured", "verdict"], rows)


def measure(
    shelf: Shelf, queries: list[Labelled], negatives: list[Labelled], *, quick: bool
) -> None:
    pool = shelf.pool
    asking = shelf.open(len(pool))
    matchers = {OVERLAP: overlap(pool), FTS5: fts5(pool), OURS: prowess(asking)}
    if importlib.util.find_spec("wordllama"):
        matchers[SEMANTIC] = prowess(shelf.open(len(pool), semantic=True))
    tell(f"asking {len(matchers)} matchers {len(queries) + len(negatives):,} times")
    found, refused = ask_all(matchers, queries), ask_all(matchers, negatives)
    print_quality(found, refused)
    if SEMANTIC not in found:
        print("\nsemantic: not installed; pip install 'prowess[semantic]'")
    print_thresholds(found, refused)
    offered, longest = measure_offered(asking, queries)
    faster = [] if quick else measure_large(shelf, queries)
    measure_build(shelf, (500, 1_000, 2_000) if quick else (1_000, 2_000, 5_000, LARGE))
    cold = measure_cold(shelf, queries)
    second = {name: hits(answers, 2) for name, answers in found.items()}
    base, semantic = second[FTS5], second.get(SEMANTIC)
    sure = area(found[OURS], refused[OURS])
    speed, start = (statistics.median(each) if each else None for each in (faster, cold))
    print_targets(
        [
            (f"hit@2 ≥ FTS5 + 0.04 = {base + 0.04:.3f}", second[OURS], second[OURS] >= base + 0.04),
            (
                f"with semantic, hit@2 ≥ FTS5 + 0.07 = {base + 0.07:.3f}",
                semantic,
                (semantic or 0) >= base + 0.07,
            ),
            ("abstention area ≥ 0.78", sure, sure >= 0.78),
            ("a right skill in the prompt ≥ 0.90", offered, offered >= 0.90),
            ("catalog in a prompt ≤ 4,000 characters", longest, longest <= 4_000),
            (f"ranking ≥ 20 x faster than FTS5 at {LARGE:,}", speed, (speed or 0) >= 20),
            (f"cold match ≤ 3 x import typer at {COLD:,}", start, (start or 9) <= 3),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").strip(), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    shared = os.environ.get("PROWESS_SHARED") or os.path.join(REPOSITORY, "..", "shared")
    parser.add_argument(
        "--data",
        default=os.path.join(shared, "data", "matching"),
        metavar="DIR",
        help="where the labelled tasks are",
    )
    parser.add_argument("--quick", action="store_true", help=f"without the {LARGE:,} skills")
    parser.add_argument("--build", nargs=2, default=(), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.build:
        build(*asked.build)
        return
    folder = os.path.abspath(asked.data)
    if missing := [name for name in FILES if not os.path.exists(os.path.join(folder, name))]:
        print(f"Nothing measured: {folder} has no {', '.join(missing)}; name another with --data.")
        return
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    pool, queries, negatives = read_data(folder)
    print(f"{len(pool):,} skills, {len(queries):,} queries, {len(negatives):,} negatives")
    with tempfile.TemporaryDirectory(prefix="prowess-bench-") as scratch:
        shelf = Shelf(Bench(scratch=scratch, data=scratch, peers=""), pool)
        with contextlib.suppress(KeyboardInterrupt):
            measure(shelf, queries, negatives, quick=asked.quick)
    print(f"\nload {os.getloadavg()[0]:.1f} when it ended")


if __name__ == "__main__":
    main()
