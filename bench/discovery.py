"""
What it costs to find skills: Prowess beside a floor, beside its peers, and beside another command.

    .venv/bin/python bench/discovery.py --install-peers     once; makes the peers below .peers
    .venv/bin/python bench/discovery.py                     everything, about five minutes
    .venv/bin/python bench/discovery.py --sizes 100,1000 --rounds 5 --only prowess --json raw.json

Every number comes from a fresh process. In each round every subject runs once, in shuffled order;
shown are medians over the rounds, with the lowest and the highest, and a ratio is always taken
inside a round before its median is. CPU time (user and system) is what counts, because a machine
is rarely idle; wall time stands beside it. "Cold" means without an index: the files themselves
are in the page cache, for everyone. A time is never asserted: the exit code is 0 whatever comes out.

The skills are made here, the same on every machine, with the shares of what is awkward in them
counted in 298 public skills. Every peer loads every one of them.
"""

import argparse
import contextlib
import gc
import importlib
import importlib.metadata
import importlib.util
import itertools
import json
import logging
import os
import platform
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import FrameType
from typing import Any

from made_skills import GENERATION, make_skills
from table import Figure, Found, Plot, add_option, median, print_table, target_table, write

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = os.path.join(REPOSITORY, ".peers")
SIZES = (100, 1_000, 10_000)
READ_SIZE, LARGE = 1_000, 10_000  # where `prowess read` is measured; where the targets are
PATIENCE = 900  # seconds for one process

# Takes the folder of skills and a folder for an index; returns how many were found, and what holds them.
Discover = Callable[[str, str], tuple[int, object]]


class FailedError(Exception):
    """A subject did not do its work, and why."""


# ── The subjects ─────────────────────────────────────────────────────────────────────────────────
# Each function imports what it needs and returns what is timed.


def floor() -> Discover:
    """Open, read 4 KB, split, decode: what no discovery in Python can do without."""

    def discover(root: str, index: str) -> tuple[int, object]:
        headers = {}
        with os.scandir(root) as entries:
            for entry in entries:
                descriptor = os.open(f"{entry.path}/SKILL.md", os.O_RDONLY)
                text = os.read(descriptor, 4096)
                os.close(descriptor)
                headers[entry.name] = text[4 : text.find(b"\n---\n", 4)].decode()
        return len(headers), headers

    return discover


def prowess_cold() -> Discover:
    from prowess.discover.catalog import open_catalog
    from prowess.discover.roots import Root

    def discover(root: str, index: str) -> tuple[int, object]:
        catalog = open_catalog([Root(root, "project")])
        return len(catalog.skills), catalog

    return discover


def prowess_with_index() -> Discover:
    """Cold with an empty folder, warm with one that was written before."""
    from prowess.discover.catalog import open_catalog
    from prowess.discover.roots import Root

    def discover(root: str, index: str) -> tuple[int, object]:
        catalog = open_catalog([Root(root, "project")], index_folder=index)
        return len(catalog.skills), catalog

    return discover


def skills_ref() -> Discover:
    from pathlib import Path

    read_properties = importlib.import_module("skills_ref.parser").read_properties

    def discover(root: str, index: str) -> tuple[int, object]:
        found = [read_properties(path) for path in sorted(Path(root).iterdir()) if path.is_dir()]
        return len(found), found

    return discover


def strands() -> Discover:
    skill = importlib.import_module("strands.vended_plugins.skills").Skill

    def discover(root: str, index: str) -> tuple[int, object]:
        found = skill.from_directory(root)
        return len(found), found

    return discover


def skillkit() -> Discover:
    manager = importlib.import_module("skillkit").SkillManager

    def discover(root: str, index: str) -> tuple[int, object]:
        # Empty text switches a source off; only the project's folder is searched.
        skills = manager(project_skill_dir=root, anthropic_config_dir="", plugin_dirs=[])
        skills.discover()
        return len(skills.list_skills()), skills

    return discover


@dataclass(frozen=True)
class Subject:
    """`package` is whose version is told; `peer` the virtual environment it lives in, empty for ours."""

    prepare: Callable[[], Discover]
    package: str = ""
    peer: str = ""


FLOOR, COLD, WRITING, WARM = (
    "floor: 4 KB and split",
    "prowess cold",
    "prowess cold, writing the index",
    "prowess warm",
)
SUBJECTS: Mapping[str, Subject] = {
    FLOOR: Subject(floor),
    COLD: Subject(prowess_cold, "prowess"),
    WRITING: Subject(prowess_with_index, "prowess"),
    WARM: Subject(prowess_with_index, "prowess"),
    "skills-ref read_properties": Subject(skills_ref, "skills-ref", "skills-ref"),
    "strands Skill.from_directory": Subject(strands, "strands-agents", "strands"),
    "skillkit SkillManager.discover": Subject(skillkit, "skillkit", "skillkit"),
}
PACKAGES: Mapping[str, Sequence[str]] = {
    "skills-ref": ("skills-ref",),
    "strands": ("strands-agents",),
    "skillkit": ("skillkit", "aiofiles"),  # which it imports and does not ask for
}
READ, OPENSKILLS = "prowess read NAME", "openskills read NAME"
LIST_COLD, LIST_WARM = "prowess list --json, cold", "prowess list --json, warm"


# ── One measurement, in a process of its own ─────────────────────────────────────────────────────


@dataclass(frozen=True)
class Run:
    """One process. Times in milliseconds, memory in megabytes; a command has only its times."""

    round: int
    cpu: float
    wall: float
    imports: float = 0.0
    held: float = 0.0
    peak: float = 0.0
    found: int = 0
    version: str = ""
    python: str = ""


def work(name: str, root: str, index: str) -> None:
    """Discover once and print the measurement as JSON; this is what each fresh process does."""
    logging.disable(logging.CRITICAL)  # some warn of every skill; nobody pays for printing here
    subject = SUBJECTS[name]
    begun = time.process_time()
    discover = subject.prepare()
    imports = time.process_time() - begun
    gc.collect()
    before = _memory("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    found, held = discover(root, index)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak = _memory("VmHWM")
    gc.collect()
    after = _memory("VmRSS")
    del held  # until here the catalog was alive
    run = Run(
        round=0,
        cpu=cpu * 1e3,
        wall=wall * 1e3,
        imports=imports * 1e3,
        held=after - before,
        peak=peak,
        found=found,
        version=importlib.metadata.version(subject.package) if subject.package else "",
        python=platform.python_version(),
    )
    print(json.dumps(asdict(run)))


def _memory(key: str) -> float:
    """Megabytes of this process, from the kernel; nan where it does not tell."""
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith(key))
    except (OSError, StopIteration):
        return float("nan")


# ── Rounds ───────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Results:
    """The runs of each subject, and why one has none."""

    runs: dict[str, list[Run]]
    failed: dict[str, str]


def interleaved(
    names: Sequence[str], rounds: int, run: Callable[[str, int], Run], label: str
) -> Results:
    """Each round runs every subject once, in shuffled order. One that failed is not asked again."""
    results = Results({name: [] for name in names}, {})
    for number in range(rounds):
        begun = time.perf_counter()
        order = [name for name in names if name not in results.failed]
        random.Random(number).shuffle(order)
        for name in order:
            try:
                results.runs[name].append(run(name, number))
            except FailedError as error:
                results.failed[name] = str(error)
                tell(f"  {name} failed: {error}")
        took = time.perf_counter() - begun
        tell(
            f"  {label}: round {number + 1} of {rounds}, {took:.0f} s, load {os.getloadavg()[0]:.1f}"
        )
    return results


def ratios(
    runs: Iterable[Run], beside: Iterable[Run], of: Callable[[Run], float] = lambda run: run.cpu
) -> list[float]:
    """What `runs` cost in terms of `beside`, round by round."""
    base = {run.round: of(run) for run in beside}
    return [of(run) / base[run.round] for run in runs if run.round in base]


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Bench:
    """Where everything lies for one run of the bench, and how a process is started there."""

    def __init__(self, *, scratch: str, data: str, peers: str) -> None:
        self._scratch = scratch
        self._data = data
        self._peers = peers
        self._home = self.folder("home")  # empty, so that no skills of the user are counted
        self._numbers = itertools.count()

    def folder(self, name: str) -> str:
        path = os.path.join(self._scratch, name)
        os.makedirs(path, exist_ok=True)
        return path

    @contextlib.contextmanager
    def fresh(self) -> Iterator[str]:
        """An empty folder that is gone afterwards."""
        path = self.folder(f"fresh-{next(self._numbers)}")
        yield path
        shutil.rmtree(path)

    def python(self, subject: Subject) -> str:
        """The subject's interpreter; empty when the peer is not installed."""
        if not subject.peer:
            return sys.executable
        python = os.path.join(self._peers, subject.peer, "bin", "python")
        return python if os.path.exists(python) else ""

    def project(self, count: int) -> str:
        """A project with `count` skills in .claude/skills, made when it is not there yet."""
        project = os.path.join(self._data, f"skills-{count}-v{GENERATION}")
        done = os.path.join(project, ".complete")
        if not os.path.exists(done):
            tell(f"making {count:,} skills")
            # The git root is here: nobody climbs higher in search of skills.
            os.makedirs(os.path.join(project, ".git"), exist_ok=True)
            make_skills(skills_of(project), count)
            with open(done, "w"):
                pass
            time.sleep(2.5)  # what has just been written is not trusted to an index
        return project

    def run(
        self, command: Sequence[str], folder: str, variables: Mapping[str, str]
    ) -> tuple[Run, str]:
        """Start `command` in `folder`, wait, and return its cost and what it printed."""
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env={**self._environment(), **variables},
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise FailedError(f"not done after {PATIENCE} s") from None
        except OSError as error:
            raise FailedError(f"cannot be started: {error.strerror}") from None
        wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            last = (done.stderr.strip() or "no word of why").splitlines()[-1]
            raise FailedError(f"exit {done.returncode}: {last[:200]}")
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Run(round=0, cpu=cpu * 1e3, wall=wall * 1e3), done.stdout

    def discover(self, name: str, root: str, index: str) -> Run:
        """Let the subject's own interpreter do `work`."""
        python = self.python(SUBJECTS[name])
        command = [python, os.path.abspath(__file__), "--work", name, root, index]
        _, printed = self.run(command, self._home, {})
        run = Run(**json.loads(printed.splitlines()[-1]))
        if run.found != len(os.listdir(root)):
            raise FailedError(f"found {run.found:,} of {len(os.listdir(root)):,}")
        return run

    def _environment(self) -> dict[str, str]:
        steering = ("PROWESS_", "PYTHON", "XDG_", "OTEL_", "NODE_")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(steering)}
        return kept | {
            "HOME": self._home,
            "PYTHONHASHSEED": "0",
            "DISABLE_TELEMETRY": "1",
            "OTEL_SDK_DISABLED": "true",
        }


def skills_of(project: str) -> str:
    return os.path.join(project, ".claude", "skills")


def numbered(run: Run, number: int) -> Run:
    return Run(**{**asdict(run), "round": number})


# ── What is measured ─────────────────────────────────────────────────────────────────────────────


def warm_up(bench: Bench, names: Iterable[str]) -> dict[str, str]:
    """Run each once, so that nobody compiles its modules on the clock; returns who cannot run, and why."""
    root = skills_of(bench.project(20))
    index = bench.folder("index-20")
    failed = {}
    for name in names:
        try:
            if name == WARM:
                bench.discover(WRITING, root, index)
            bench.discover(name, root, index)
        except FailedError as error:
            failed[name] = str(error)
            tell(f"  {name} failed: {error}")
    return failed


def measure_discovery(bench: Bench, names: Sequence[str], count: int, rounds: int) -> Results:
    root = skills_of(bench.project(count))
    warm_index = bench.folder(f"index-{count}")
    bench.discover(WRITING, root, warm_index)  # which also brings every file into the page cache

    def once(name: str, number: int) -> Run:
        if name == WRITING:
            with bench.fresh() as index:
                return numbered(bench.discover(name, root, index), number)
        with untouched(warm_index) if name == WARM else contextlib.nullcontext():
            return numbered(bench.discover(name, root, warm_index), number)

    return interleaved(names, rounds, once, f"{count:,} skills")


def prowess_command() -> list[str]:
    installed = os.path.join(os.path.dirname(sys.executable), "prowess")
    return [installed] if os.path.exists(installed) else [sys.executable, "-m", "prowess"]


def measure_read(bench: Bench, names: Sequence[str], openskills: str, rounds: int) -> Results:
    """Both commands read the same skill of a project; another one each round."""
    project = bench.project(READ_SIZE)
    skills = sorted(os.listdir(skills_of(project)))
    data = bench.folder("data-read")
    bench.run([*prowess_command(), "list", "--json"], project, {"PROWESS_DATA": data})

    def once(name: str, number: int) -> Run:
        skill = skills[number * 61 % len(skills)]
        command = (
            [*prowess_command(), "read", skill] if name == READ else [openskills, "read", skill]
        )
        with untouched(os.path.join(data, "index")):
            run, printed = bench.run(command, project, {"PROWESS_DATA": data})
        with open(os.path.join(skills_of(project), skill, "SKILL.md"), encoding="utf-8") as file:
            _, body = file.read().split("\n---\n", 1)
        if body.strip() not in printed:
            raise FailedError(f"did not print {skill}")
        return numbered(run, number)

    for name in names:
        with contextlib.suppress(FailedError):  # it will fail on the clock too, and be told
            once(name, 0)
    return interleaved(names, rounds, once, "command line, read")


def measure_list(bench: Bench, names: Sequence[str], rounds: int) -> Results:
    project = bench.project(LARGE)
    command = [*prowess_command(), "list", "--json"]
    warm_data = bench.folder("data-list")
    bench.run(command, project, {"PROWESS_DATA": warm_data})

    def listed(data: str) -> Run:
        run, printed = bench.run(command, project, {"PROWESS_DATA": data})
        found = sum(skill["location"] == "project" for skill in json.loads(printed)["skills"])
        if found != LARGE:
            raise FailedError(f"listed {found:,} of {LARGE:,}")
        return run

    def once(name: str, number: int) -> Run:
        if name == LIST_WARM:
            with untouched(os.path.join(warm_data, "index")):
                return numbered(listed(warm_data), number)
        with bench.fresh() as empty:
            return numbered(listed(empty), number)

    return interleaved(names, rounds, once, "command line, list")


@contextlib.contextmanager
def untouched(folder: str) -> Iterator[None]:
    """An index that is written again has not held, and a run with it was not a warm one."""
    before = _stamps(folder)
    yield
    if _stamps(folder) != before:
        raise FailedError("the index was written again, so this was not a warm run")


def _stamps(folder: str) -> set[tuple[str, int, int]]:
    with os.scandir(folder) as files:
        return {(file.name, file.inode(), file.stat().st_mtime_ns) for file in files}


# ── What is printed ──────────────────────────────────────────────────────────────────────────────


def short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def spread(values: Sequence[float]) -> str:
    """The median, and in brackets the lowest and the highest."""
    if not values:
        return "-"
    return f"{short(statistics.median(values))} ({short(min(values))}-{short(max(values))})"


def middle(values: Iterable[float]) -> str:
    values = list(values)
    return short(statistics.median(values)) if values else "-"


def print_discovery(count: int, results: Results) -> None:
    print(f"\n## {count:,} skills\n")
    rows = []
    for name, runs in results.runs.items():
        if runs:
            rows.append(
                (
                    name,
                    spread([run.cpu for run in runs]),
                    middle(run.wall for run in runs),
                    spread(ratios(runs, results.runs[FLOOR])),
                    middle(run.imports for run in runs),
                    middle(run.held for run in runs),
                    middle(run.peak for run in runs),
                )
            )
    header = "discovery, CPU ms|wall ms|x floor|import ms|held MB|peak MB".split("|")
    print_table(["subject", *header], rows)
    print_failed(results)


def print_commands(title: str, results: Results, beside: str) -> None:
    print(f"\n## {title}\n")
    base = results.runs.get(beside, [])
    rows = [
        (
            name,
            spread([run.cpu for run in runs]),
            spread([run.wall for run in runs]),
            spread(ratios(runs, base)),
            spread(ratios(runs, base, lambda run: run.wall)),
        )
        for name, runs in results.runs.items()
        if runs
    ]
    print_table(
        ["command", "CPU ms", "wall ms", f"x {beside}, CPU", f"x {beside}, wall"],
        rows,
    )
    print_failed(results)


def print_failed(results: Results) -> None:
    for name, why in results.failed.items():
        print(f"\n{name}: failed: {why}")


def targets_of(found: Mapping[int, Results], read: Results | None) -> list[Figure]:
    """What was promised, as ratios inside a round or megabytes."""
    large = found.get(LARGE, Results({}, {})).runs
    ran = {name: runs for name, runs in large.items() if runs}
    cold, warm, base = (ran.get(name, []) for name in (COLD, WARM, FLOOR))
    peers = {
        name: ratios(runs, cold)
        for name, runs in ran.items()
        if SUBJECTS[name].peer and ratios(runs, cold)
    }
    fastest = min(peers, key=lambda name: statistics.median(peers[name]), default="")
    ours, theirs = (
        (read.runs.get(name, []) if read and name not in read.failed else [])
        for name in (READ, OPENSKILLS)
    )
    wall = ratios(ours, theirs, lambda run: run.wall)

    def figure(name: str, values: Sequence[float], **told: Any) -> Figure:
        return Figure(name=name, value=median(values), **told)

    many = f"at {LARGE:,} skills"
    faster = "x faster than the fastest peer" + (f" ({fastest})" if fastest else "")
    return [
        figure(f"cold, {many}", peers.get(fastest, []), unit=faster, at_least=10),
        figure(f"cold, {many} (an aim)", ratios(cold, base), unit="x the floor", at_most=5),
        figure(f"warm, {many}", ratios(warm, base), unit="x the floor", at_most=1.5),
        figure(f"held cold, {many}", [run.held for run in cold], unit="MB", at_most=60),
        figure(f"held warm, {many}", [run.held for run in warm], unit="MB", at_most=60),
        figure(f"{READ}, CPU", ratios(ours, theirs), unit=f"x {OPENSKILLS}", at_most=1),
        figure(f"{READ}, clock", wall, unit=f"x {OPENSKILLS}", at_most=1),
    ]


def plot_of(found: Mapping[int, Results]) -> Plot | None:
    """The largest number of skills that was measured."""
    if not found:
        return None
    count = max(found)
    bars = {
        name: statistics.median(run.cpu for run in runs)
        for name, runs in found[count].runs.items()
        if runs
    }
    return Plot(title=f"Finding {count:,} skills", unit="ms of CPU time", bars=bars)


def print_versions(found: Iterable[Results]) -> None:
    """Who was measured, on which Python: two interpreters would be an unfair race."""
    told = {
        SUBJECTS[name].package: f"{runs[0].version} (Python {runs[0].python})"
        for results in found
        for name, runs in results.runs.items()
        if runs and SUBJECTS[name].package
    }
    print("\n" + ", ".join(f"{package} {version}" for package, version in told.items()))


# ── The peers ────────────────────────────────────────────────────────────────────────────────────


def install_peers(peers: str) -> None:
    """One virtual environment a peer, with this Python, and openskills when there is npm."""
    for name, packages in PACKAGES.items():
        tell(f"installing {name}")
        folder = os.path.join(peers, name)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [os.path.join(folder, "bin", "python"), "-m", "pip", "install", "-q", "--upgrade"]
        subprocess.run([*pip, *packages], check=True)
    if npm := shutil.which("npm"):
        tell("installing openskills")
        os.makedirs(PEERS, exist_ok=True)
        subprocess.run([npm, "install", "--silent", "--prefix", PEERS, "openskills"], check=True)
    else:
        tell("openskills needs Node and npm, which are not here")


def find_openskills(given: str) -> str:
    """The command; empty when it is not installed."""
    local = os.path.join(PEERS, "node_modules", ".bin", "openskills")
    if given:
        return os.path.abspath(given)
    return local if os.path.exists(local) else shutil.which("openskills") or ""


# ── The command ──────────────────────────────────────────────────────────────────────────────────


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").strip(), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes", type=_numbers, default=SIZES, metavar="N,N", help="how many skills"
    )
    parser.add_argument(
        "--rounds",
        type=_numbers,
        default=(),
        metavar="N,N",
        help="one number for all sizes, or one for each",
    )
    parser.add_argument(
        "--only", default="", metavar="TEXT,TEXT", help="subjects whose name holds one of these"
    )
    parser.add_argument("--json", default="", metavar="FILE", help="write the raw results here")
    add_option(parser)
    parser.add_argument("--data", default="", metavar="DIR", help="keep the skills here")
    parser.add_argument(
        "--peers",
        default=os.path.join(PEERS, "venvs"),
        metavar="DIR",
        help="where the peers' virtual environments are",
    )
    parser.add_argument("--openskills", default="", metavar="PATH", help="the openskills command")
    parser.add_argument(
        "--install-peers", action="store_true", help="install the peers, and measure nothing"
    )
    parser.add_argument("--work", nargs=3, default=(), help=argparse.SUPPRESS)
    return parser


def _numbers(text: str) -> tuple[int, ...]:
    parts = text.replace("_", "").split(",")
    if not all(part.isdecimal() and int(part) for part in parts):
        raise argparse.ArgumentTypeError(f"{text}: write whole numbers with commas between")
    return tuple(int(part) for part in parts)


def main() -> None:
    parser = options()
    asked = parser.parse_args()
    if asked.work:
        work(*asked.work)
        return
    if asked.install_peers:
        install_peers(os.path.abspath(asked.peers))
        return
    if importlib.util.find_spec("prowess") is None:
        parser.error("prowess is not installed here; run it with .venv/bin/python")
    if len(asked.rounds) not in (0, 1, len(asked.sizes)):
        parser.error("--rounds needs one number, or one for each of --sizes")
    rounds = rounds_for(asked.sizes, asked.rounds)
    signal.signal(signal.SIGTERM, _leave)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    with tempfile.TemporaryDirectory(prefix="prowess-bench-") as scratch:
        bench = Bench(
            scratch=scratch,
            data=os.path.abspath(asked.data) if asked.data else scratch,
            peers=os.path.abspath(asked.peers),
        )
        try:
            report(bench, asked, rounds)
        except FailedError as error:
            parser.exit(1, f"prowess itself does not run: {error}\n")


def _leave(number: int, frame: FrameType | None) -> None:
    """Leave as after an error, so that the temporary folder is removed."""
    sys.exit(128 + number)


def rounds_for(sizes: Sequence[int], given: Sequence[int]) -> dict[int, int]:
    """Small sizes are quick and noisy, so they get more rounds."""
    if not given:
        given = [15 if size <= 100 else 11 if size <= 1_000 else 5 for size in sizes]
    elif len(given) == 1:
        given = [given[0]] * len(sizes)
    return dict(zip(sizes, given, strict=True))


def report(bench: Bench, asked: argparse.Namespace, rounds: Mapping[int, int]) -> None:
    """Measure, and print what came out as soon as it is known."""
    parts = asked.only.split(",")

    def chosen(names: Iterable[str]) -> list[str]:
        return [name for name in names if any(part in name for part in parts)]

    print("# What it costs to find skills\n")
    print(
        f"{platform.platform()}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f} when it began"
    )
    print("Median (lowest-highest) of fresh processes; rounds interleaved; ratios inside a round.")
    names = [FLOOR, *(name for name in chosen(SUBJECTS) if name != FLOOR)]
    absent = [name for name in names if not bench.python(SUBJECTS[name])]
    for name in absent:
        print(f"\n{name}: not installed in {asked.peers}; bench/discovery.py --install-peers")
    present = [name for name in names if name not in absent]
    failed = warm_up(bench, present)
    found = {}
    for count, times in rounds.items():
        able = [name for name in present if name not in failed]
        found[count] = measure_discovery(bench, able, count, times)
        found[count].failed |= failed
        print_discovery(count, found[count])
    read = listing = None
    if READ_SIZE in rounds and (wanted := chosen((READ, OPENSKILLS))):
        openskills = find_openskills(asked.openskills)
        if OPENSKILLS in wanted and not openskills:
            wanted.remove(OPENSKILLS)
            print(
                "\nopenskills: not installed; bench/discovery.py --install-peers, or --openskills PATH"
            )
        read = measure_read(bench, wanted, openskills, rounds[READ_SIZE])
        print_commands(f"Command line, {READ_SIZE:,} skills", read, OPENSKILLS)
    if LARGE in rounds and (wanted := chosen((LIST_COLD, LIST_WARM))):
        listing = measure_list(bench, wanted, rounds[LARGE])
        print_commands(f"Command line, {LARGE:,} skills", listing, LIST_WARM)
    targets = targets_of(found, read)
    print("\n## Targets\n")
    print_table(*target_table(targets))
    write(asked.figures, Found(figures=targets, plot=plot_of(found)))
    print_versions(found.values())
    print(f"load {os.getloadavg()[0]:.1f} when it ended")
    if os.getloadavg()[0] > (os.cpu_count() or 1):
        print("Others were at work on this machine: do not trust the wall times.")
    if asked.json:
        raw = {
            "machine": platform.platform(),
            "cpus": os.cpu_count(),
            "discovery": {count: asdict(results) for count, results in found.items()},
            "read": read and asdict(read),
            "list": listing and asdict(listing),
            "targets": [asdict(each) for each in targets],
            "absent": absent,
        }
        with open(asked.json, "w") as file:
            json.dump(raw, file, indent=1)


if __name__ == "__main__":
    main()
