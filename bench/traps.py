"""
Every trap of docs/requirements.md: the care is taken out, and its test has to go red.

    .venv/bin/python bench/traps.py                 all of them, about ten minutes
    .venv/bin/python bench/traps.py fence APPROVED  those whose name says so

`traps.toml` has what is taken out: a text of a file, and what somebody who did not know of the trap
would have written there. It happens in a copy of the tree. A test that stays green is listed, and
then the exit code is 1.
"""

import argparse
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mutate import ROOT, copied, passes

LIMIT = 300.0  # seconds of one test


@dataclass(frozen=True, slots=True, kw_only=True)
class Care:
    """`old` stands once in the file; `new` is the same without the care."""

    trap: str
    file: str
    old: str
    new: str
    test: str


def cares() -> list[Care]:
    text = (Path(__file__).parent / "traps.toml").read_text(encoding="utf-8")
    return [Care(**each) for each in tomllib.loads(text)["care"]]


def goes_red(folder: Path, care: Care) -> bool:
    file = folder / care.file
    source = file.read_text(encoding="utf-8")
    if source.count(care.old) != 1:
        raise SystemExit(f"{care.trap}: {care.file} has its text {source.count(care.old)} times")
    file.write_text(source.replace(care.old, care.new), encoding="utf-8")
    try:
        return not passes(folder, [care.test], LIMIT)
    finally:
        file.write_text(source, encoding="utf-8")


def green(chosen: Sequence[Care]) -> list[Care]:
    """Those whose test does not notice."""
    found = []
    with tempfile.TemporaryDirectory(prefix="prowess-traps-") as place:
        folder = Path(place)
        copied(folder)
        if not passes(folder, sorted({care.test for care in chosen}), 3 * LIMIT):
            raise SystemExit("the tests are red before anything is taken out")
        for number, care in enumerate(chosen, 1):
            began = time.monotonic()
            red = goes_red(folder, care)
            found += [] if red else [care]
            told = f"{'red' if red else 'GREEN'}, {time.monotonic() - began:.0f} s: {care.trap}"
            print(f"{number} of {len(chosen)} {told}", file=sys.stderr, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Take each care out, and see its test go red.")
    parser.add_argument("words", nargs="*", help="only traps that are called so")
    words = parser.parse_args().words
    chosen = [care for care in cares() if not words or any(word in care.trap for word in words)]
    if not chosen:
        parser.error(f"no trap is called {' or '.join(words)}")
    found = green(chosen)
    print(f"{len(chosen)} cares of {ROOT.name} taken out, {len(found)} not noticed")
    for care in found:
        print(f"- {care.trap}: {care.test} stays green without {care.file}'s care")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
