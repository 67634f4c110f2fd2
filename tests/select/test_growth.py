"""What a task costs grows as its length does, whatever it repeats: a text from outside may not stop a server."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from prowess.loop import marks
from prowess.loop.behind.guarding import tampered
from prowess.select.hints import find_hints, without_hints
from prowess.select.plan import read_plan
from prowess.select.plan_heading import Heading
from prowess.select.rank import MOST_CHARS
from prowess.select.shelf import open_ranker
from prowess.select.words import words
from support import a_skill as skill
from support import write_file

T = TypeVar("T")
TIMES = 16  # so much longer is the long text
BEARABLE = 6  # of 1 for what grows as the length does and 16 for what grows as its square
REPEATED = [
    "`",
    "`a",
    "``a` ",
    "“",
    '"',
    "'",
    " '",
    "@",
    "@a",
    "@a-",
    "(@",
    "a-",
    "aB",
    "A/",
    "报",
    "\u0300\u0316",
]
RANKER = open_ranker([skill("pdf", "Fills in forms.")], lambda _: "", folder=None)


def growth(think: Callable[[str], object], text: str) -> float:
    """How much more work one long text is than as many characters in short ones, by the processor's clock."""
    return growth_to(think, text * TIMES, text)


def growth_to(think: Callable[[T], object], long: T, short: T) -> float:
    """The same, of anything that is `TIMES` as long as a short one."""

    def work(on: T, times: int) -> float:
        begun = time.thread_time()
        for _ in range(times):
            think(on)
        return time.thread_time() - begun

    return min(work(long, 1) for _ in range(3)) / max(work(short, TIMES) for _ in range(3))


@pytest.mark.parametrize("repeated", REPEATED)
@pytest.mark.parametrize("think", [find_hints, without_hints, words])
def test_a_long_text_is_read_in_one_go(think: Callable[[str], object], repeated: str) -> None:
    assert growth(think, repeated * 3_000) < BEARABLE


@pytest.mark.parametrize("repeated", REPEATED)
def test_a_long_task_is_ranked_in_one_go(repeated: str) -> None:
    short = repeated * (MOST_CHARS // TIMES // len(repeated))

    assert growth(RANKER.rank, short) < BEARABLE


@pytest.mark.parametrize("repeated", ["after: x, ", "{", "{,", "}", "a,"])
def test_a_long_list_of_files_is_read_in_one_go(repeated: str) -> None:
    def think(text: str) -> object:
        return read_plan(f"- [ ] x\n  - files: {text}\n".encode())

    assert growth(think, repeated * 3_000) < BEARABLE


@pytest.mark.parametrize(
    "repeated", ["1.", "1", "1. ", "!", "validation ", "and!", "manual-", "*_"]
)
@pytest.mark.parametrize("begun", ["", "validation "])
def test_a_long_heading_is_read_in_one_go(begun: str, repeated: str) -> None:
    def think(title: str) -> None:
        Heading(level=2, line=1).called(f"{begun}{title}x")

    assert growth(think, repeated * 3_000) < BEARABLE


def first_of(count: int) -> str:
    """Somebody blocked, and tasks of which each waits for it."""
    return "- [~] base\n" + "".join(f"- [ ] {n}\n  - after: base\n" for n in range(count))


def chain(count: int) -> str:
    return "- [ ] 0\n" + "".join(f"- [ ] {n}\n  - after: {n - 1}\n" for n in range(1, count))


def ring(count: int) -> str:
    return "".join(f"- [ ] {n}\n  - after: {(n + 1) % count}\n" for n in range(count))


def namesakes(count: int) -> str:
    return "- [ ] one\n  - after: two\n- [ ] two\n  - after: one\n" * (count // 2)


def nowhere(count: int) -> str:
    return "".join(f"- [ ] task {n} of many\n  - after: task {n} of few\n" for n in range(count))


@pytest.mark.parametrize("written", [first_of, chain, ring, namesakes, nowhere])
def test_what_waits_for_what_is_found_in_one_go(written: Callable[[int], str]) -> None:
    long, short = (read_plan(written(count).encode()) for count in (TIMES * 40, 40))

    assert growth_to(lambda plan: plan.problems(), long, short) < BEARABLE


def test_a_long_plan_is_compared_with_what_an_agent_left_in_one_go(tmp_path: Path) -> None:
    def think(plan: str) -> object:
        path = write_file(tmp_path / "PLAN.md", plan)
        before = marks.now(str(path))
        return marks.undo_ticks(str(path), before), tampered(plan.encode(), plan.encode())

    long, short = ("".join(f"- [x] {n}\n- [ ] x\n" for n in range(k)) for k in (TIMES * 100, 100))

    # To read the plan is most of the work, so that less shows of the rest.
    assert growth_to(think, long, short) < BEARABLE / 2
