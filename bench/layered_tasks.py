"""
Twelve small tasks about one small repository, each with a trap that a search can fall into.

The work is done already: what is asked is evidence for each criterion, and `truth` is what a person
who looked would say. Criteria are worded so that code alone cannot decide them.
"""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from prowess.core.evidence import Spec

FLOOD = 300  # vendored files that mention what somebody looks for


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """`trap` says what makes it harder than it looks; `truth` is the verdict of each criterion."""

    spec: Spec
    trap: str
    truth: tuple[str, ...]


def _asked(number: int, trap: str, *criteria: str, truth: str = "PASS") -> Asked:
    spec = Spec(id=f"L{number:02}", title=f"Show it ({trap})", criteria=criteria)
    return Asked(spec=spec, trap=trap, truth=(truth,) * len(criteria))


TASKS = (
    _asked(1, "none", "somebody sets the limit `REQUEST_LIMIT`"),
    _asked(2, "none, in a document", "a reader learns what `Ctrl-K` does"),
    _asked(
        3,
        "two criteria about one name",
        "`check_limit` is there to be called",
        "`check_limit` is something that tests know",
    ),
    _asked(4, "a star in the text", "callers may write `load(path, *rest)`"),
    _asked(5, "a dollar sign", "the price `$9.99` is told"),
    _asked(6, "it looks like an option", "somebody understands `--json`"),
    _asked(7, "a folder with blanks", "beginners find `Press start` in `docs/user guide`"),
    _asked(8, "a quote in a file's name", "the answer `42` is given in `src/it's.py`"),
    _asked(9, "a flood of vendored code", "requests have a `timeout`"),
    _asked(10, "another spelling", "nothing needs `old_parser` any more", truth="FAIL"),
    _asked(11, "it is not there", "somebody reads `retry_after`", truth="FAIL"),
    _asked(12, "a glob that the shell expands", "there is a file named like `printer`"),
)

FILES: Mapping[str, str] = {
    "README.md": "# Shop\n\nPress `Ctrl-K` to search.\n",
    "printer-a.txt": "old\n",
    "printer-b.txt": "older\n",
    "src/app/limits.py": "import os\n\nREQUEST_LIMIT = 30\n\n\ndef check_limit(count):\n"
    "    return count <= REQUEST_LIMIT\n",
    "src/app/loading.py": "def load(path, *rest):\n    return path, rest\n",
    "src/app/prices.py": 'VERSION = "1.99"\nPRICE = "$9.99"\n',
    "src/app/options.py": 'OPTIONS = {\n    "--json": "print JSON",\n}\n',
    "src/it's.py": "# the question is lost\nANSWER = 42\n",
    "config/requests.toml": "[requests]\ntimeout = 30\n",
    "docs/user guide/first steps.md": "# First steps\n\nPress start and wait.\n",
    "docs/printer-setup.md": "# Printer\n",
    "tools/migrate.py": "from shop import oldParser\n\noldParser.run()\n",
    "tests/test_limits.py": "from app.limits import check_limit\n\n\ndef test_limit():\n"
    "    assert check_limit(30)\n",
}


def make_repository(folder: Path) -> None:
    flood = {
        f"vendor/lib{number:03}.js": f"var timeout{number}=1;" * 40 + "\n"
        for number in range(FLOOD)
    }
    for name, text in {**FILES, **flood}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "A shop")):
        subprocess.run(("git", *identity, *words), cwd=folder, check=True)
