"""What may be added to a Python file of tests that was there, and what may undo it."""

import pytest

from check.checks import PYTEST, check, verdicts
from check.repository import Repository
from prowess.check.kept.kept_tests import altered
from prowess.core.ports import Sandbox

TEST = """import os
import sys
import unittest

import calc
import pytest


def test_add(client):
    assert sum([calc.add(2, 2)]) == 4


class TestAll(unittest.TestCase):
    def test_one(self):
        self.check(calc.add(1, 1), 2)


class TestPlain:
    def test_two(self):
        assert calc.add(1, 1) == 2
"""


def with_more(more: str, inside: str = "") -> str:
    """The file with something at its end, or at the end of one of its classes."""
    if not inside:
        return f"{TEST}\n\n{more}\n"
    lines = "".join(f"    {line}\n" for line in more.splitlines())
    head = f"class {inside}"
    first, rest = TEST.split(head)
    body, *after = rest.split("\n\n\n", 1)
    return f"{first}{head}{body.rstrip()}\n\n{lines}\n\n" + "".join(after)


@pytest.mark.parametrize(
    "more",
    [
        "from pathlib import Path\n\nHERE = Path(__file__).parent",
        "import re\n\nWORD = re.compile(r'\\w+')",
        "from datetime import datetime\n\nNOON = datetime(2024, 1, 1, 12)",
        "DATA = {'a': [1, 2], 'b': (3, {4})}",
        "NAME = os.environ.get('NAME', 'nobody')",
        "SIGNAL = getattr(sys, 'platform', None)",
        "LOG: list[str] = []",
        "SQUARES = [number * number for number in range(9)]",
        "SOME, MORE = 1, 2",
        "__all__ = ['test_add']",
        "app = calc.create_app()\ndb = calc.Database(app, name='x')",
        "@pytest.fixture\ndef server(client):\n    return client.start()",
        "@pytest.fixture(scope='module', params=[1, 2])\ndef number(request):\n    return request.param",
        "@pytest.fixture(autouse=False)\ndef quiet():\n    sys.modules.pop('x', None)",
        "@pytest.mark.slow\n@pytest.mark.parametrize('a', [1, 2])\ndef test_more(a):\n    assert a",
        "@calc.patch('calc.add', return_value=4)\ndef test_patched(add):\n    assert add",
        "@pytest.mark.usefixtures('client')\nclass TestMarked:\n    def test_it(self): ...",
        "def helper(a, b=(), *, c: int = 3) -> int:\n    os.environ['A'] = 'b'\n    return c",
        "def setup_database():\n    return calc.add(1, 1)",
        "from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass Case:\n    a: int = 1\n\nCASES = [Case(1)]",
        "class TestNew:\n    def setup_method(self):\n        self.x = 1\n    def test_x(self):\n        assert self.x",
        "class TestNew(unittest.TestCase):\n    def setUp(self):\n        self.x = 1\n    def test_x(self): ...",
        "class TestNew:\n    @pytest.fixture(autouse=True)\n    def own(self):\n        self.x = 1",
        "class TestAgain(TestAll):\n    pass",
        "class Fake(dict):\n    def __init__(self):\n        self.calls = []\n\nFAKE = Fake()",
        ("def cases():\n    made = []\n    made.append(1)\n    kept = {}\n    kept['a'] = 1\n    return made\n\n"
        "@pytest.mark.parametrize('case', cases())\ndef test_case(case): ..."),
        "class Change:\n    def go(self):\n        calc.add = max\n\ndef test_it(a: Change) -> list[Change]: ...",
        "double = lambda number: number * 2",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from calc import Sum",
        "import typing\n\nif typing.TYPE_CHECKING:\n    import calc.types\n    from calc import Sum, More",
        "try:\n    import numpy\nexcept ImportError:\n    numpy = None",
        "try:\n    from numpy import array as arr\nexcept ModuleNotFoundError:\n    from array import array as arr",
        "import os.path",
        "client_name = 'somebody'",
    ],
)  # fmt: skip
def test_what_only_adds_is_fine(more: str) -> None:
    assert altered("test_a.py", TEST, with_more(more)) == []


@pytest.mark.parametrize(
    "more",
    [
        "globals().update(test_add=lambda: None)",
        "x = globals().update(test_add=lambda: None)",
        "globals()['test_add'] = print",
        "x = vars(calc)",
        "x = sys.modules.get('calc')",
        "sys.modules['calc'] = None",
        "_ = os.environ.update(CI='1')",
        "_ = setattr(calc, 'add', max)",
        "_ = list(map(setattr, [calc], ['add'], [max]))",
        "_ = getattr(calc, 'add').__dict__",
        "_ = getattr(pytest, 'sk' + 'ip')",
        "_ = calc.__dict__.update(add=max)",
        "_ = calc.table.update(add=max)",
        "_ = [None for calc.add in (max,)]",
        "_ = pytest.MonkeyPatch().setattr(calc, 'add', max)",
        "_ = calc.mock.patch('calc.add', max).start()",
        "_ = exec('calc.add = max')",
        "_ = open('calc.py', 'w').write('add = max')",
        "def change():\n    calc.add = max\n\n_ = change()",
        "def change():\n    global calc\n    calc = None\n\n_ = [change]",
        "def first():\n    return second()\n\ndef second():\n    found = calc\n    found.add = max\n\n_ = first()",
        "def change(f):\n    calc.add = max\n    return f\n\n@change\ndef helper(): ...",
        "def change():\n    calc.add = max\n\ndef helper(a=change()): ...",
        "def change():\n    calc.add = max\n\ndef helper() -> change(): ...",
        "def helper(a=(calc := None)): ...",
        "def helper(a=setattr(calc, 'add', max)): ...",
        "class Change:\n    def __init__(self):\n        calc.add = max\n\nCHANGE = Change()",
        "class Change:\n    def __init_subclass__(cls):\n        calc.add = max\n\nclass More(Change): ...",
        "class Change(type): ...\n\nclass More(metaclass=Change): ...",
        "class More(**calc.options): ...",
        "class More(calc.make(globals())): ...",
        "class More:\n    x = globals().update(calc=None)",
        "class More:\n    del calc.add",
        "def setup_module():\n    calc.add = max",
        "def setUpModule(): ...",
        "def setup_function(function): ...",
        "def teardown_module(): ...",
        "from cheat import setup_module",
        "from cheat import every as setUpModule",
        "@pytest.fixture(autouse=True)\ndef every(monkeypatch): ...",
        "@pytest.fixture(scope='session', autouse=calc.yes)\ndef every(): ...",
        "@pytest.fixture(**calc.options)\ndef every(): ...",
        "import functools\n\nevery = functools.partial(pytest.fixture, autouse=True)",
        "pytestmark = pytest.mark.slow",
        "__test__ = True",
        "__getattr__ = calc.get",
        "pytest_plugins = ['cheat']",
        "def pytest_generate_tests(metafunc): ...",
        "@pytest.fixture\ndef client(): ...",
        "@pytest.fixture(name='client')\ndef other(): ...",
        "from cheat import client",
        "def sum(numbers):\n    return 4",
        "from cheat import sum",
        "sum = max",
        "if TYPE_CHECKING:\n    from cheat import calc",
        "if TYPE_CHECKING:\n    calc.add = max",
        "if TYPE_CHECKING:\n    from a import b\nelse:\n    import cheat",
        "try:\n    import numpy\nexcept ImportError:\n    calc.add = max",
        "try:\n    import numpy\nexcept Exception:\n    numpy = None",
        "try:\n    import numpy\nexcept ImportError:\n    calc = None",
        "try:\n    import numpy\nfinally:\n    del calc",
        "from builtins import setattr as put\n\n_ = put(calc, 'add', max)",
    ],
)  # fmt: skip
def test_what_acts_or_is_run_for_all_may_undo_what_was_there(more: str) -> None:
    assert altered("test_a.py", TEST, with_more(more))


@pytest.mark.parametrize(
    ("inside", "more", "fine"),
    [
        ("TestAll", "def test_more(self): ...", True),
        ("TestAll", "def helper(self): ...", True),
        ("TestAll", "maxDiff = None", True),
        ("TestAll", "def setUp(self):\n    calc.add = max", False),
        ("TestAll", "def setUpClass(cls): ...", False),
        ("TestAll", "def assertEqual(self, a, b): ...", False),
        ("TestAll", "assertTrue = print", False),
        ("TestAll", "def run(self, result=None): ...", False),
        ("TestAll", "def check(self, a, b): ...", False),
        ("TestAll", "__test__ = False", False),
        ("TestPlain", "def run(self): ...", True),
        ("TestPlain", "def setup_method(self): ...", False),
        ("TestPlain", "@pytest.fixture(autouse=True)\ndef every(self): ...", False),
        ("TestPlain", "def __getattribute__(self, name): ...", False),
        ("TestPlain", "x = globals().update(calc=None)", False),
    ],
)
def test_in_a_class_that_was_there_nothing_is_added_that_its_tests_do_not_name(
    inside: str, more: str, *, fine: bool
) -> None:
    assert (altered("test_a.py", TEST, with_more(more, inside)) == []) is fine


CASES = """import pytest
from calc import add

SUMS = [(1, 1, 2), (2, 2, 4)]
NAMED = {"one": 1, "two": 2}
ALLOWED = ["a", "b"]
LEFT_OUT = ["a"]


@pytest.mark.parametrize(("a", "b", "want"), [(1, 2, 3), (2, 3, 5)], ids=["small", "large"])
def test_add(a, b, want):
    assert add(a, b) == want


@pytest.mark.parametrize("case", SUMS)
def test_sums(case):
    assert add(case[0], case[1]) == case[2]


def test_named():
    for name, number in NAMED.items():
        made = add(number, 0)
        assert made == number, name


@pytest.mark.parametrize("name", [each for each in names() if each not in LEFT_OUT])
def test_names(name):
    text = name
    for each in ALLOWED:
        text = text.replace(each, "")
    assert text == ""
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[(1, 2, 3), (2, 3, 5)]", "[(1, 2, 3), (2, 3, 5), (0, 0, 0)]"),
        ("[(1, 2, 3), (2, 3, 5)]", "[(0, 0, 0), (2, 3, 5), pytest.param(4, 4, 8), (1, 2, 3)]"),
        ('["small", "large"]', '["small", "large", "none"]'),
        ("[(1, 1, 2), (2, 2, 4)]", "[\n    (1, 1, 2),\n    (2, 2, 4),\n    (3, 3, 6),\n]"),
        ('"two": 2', '"two": 2, "three": 3'),
    ],
)
def test_one_more_case_alters_no_test(old: str, new: str) -> None:
    assert altered("test_a.py", CASES, CASES.replace(old, new)) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("(1, 2, 3), (2, 3, 5)", "(1, 2, 3)", "test_add"),
        ("(1, 2, 3), (2, 3, 5)", "(1, 2, 3), (2, 3, 6), (0, 0, 0)", "test_add"),
        ("[(1, 2, 3), (2, 3, 5)]", "[(1, 2, 3), (2, 3, 5), globals().update(add=max)]", "test_add"),
        ("[(1, 2, 3), (2, 3, 5)]", "[(1, 2, 3), (2, 3, 5), (add := max)]", "test_add"),
        ("[(1, 2, 3), (2, 3, 5)]", "()", "test_add"),
        ('"large"]', '"large"], indirect=True', "test_add"),
        ("[(1, 1, 2), (2, 2, 4)]", "[(1, 1, 2), (3, 3, 6)]", "SUMS"),
        ("[(1, 1, 2), (2, 2, 4)]", "[(1, 1, 2), (2, 2, 4)][:0]", "SUMS"),
        ('"two": 2', '"two": 2, "one": 5', "NAMED"),
        ('"two": 2', '"two": 2, **other', "NAMED"),
        ('["a", "b"]', '["a", "b", "c"]', "ALLOWED"),
        ('LEFT_OUT = ["a"]', 'LEFT_OUT = ["a", "b"]', "LEFT_OUT"),
    ],
)
def test_a_case_that_is_gone_altered_or_no_case_alters_it(old: str, new: str, told: str) -> None:
    assert altered("test_a.py", CASES, CASES.replace(old, new))[0] == told


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("(client):", "(client) -> None:", True),
        ("(client):", '(client):\n    """Adds."""', True),
        ("def test_one(self):", 'def test_one(self) -> None:\n        """One."""', True),
        ("(client):", '(client):\n    """Adds.\n\n    >>> add()\n    """', False),
        ("(client):", "(client) -> calc.make():", False),
        ("(client):", "(client: None):", False),
        ("    assert sum([calc.add(2, 2)]) == 4", '    """assert sum([calc.add(2, 2)]) == 4"""', False),
    ],
)  # fmt: skip
def test_what_a_test_says_for_readers_alone_may_come_and_go(
    old: str, new: str, *, same: bool
) -> None:
    assert old in TEST
    assert (altered("test_a.py", TEST, TEST.replace(old, new)) == []) is same
    assert (altered("test_a.py", TEST.replace(old, new), TEST) == []) is same


def test_what_only_readers_see_is_not_what_tests_use() -> None:
    text = "from calc import sum\n\n\ndef test_sum():\n    assert sum([1]) == 1\n"
    hidden = text.replace("from calc", "if TYPE_CHECKING:\n    from calc")

    assert altered("test_a.py", text, hidden) == ["sum"]


def test_honest_cases_are_proven_and_names_that_are_taken_away_are_not(
    repo: Repository, sandbox: Sandbox
) -> None:
    test = (
        "import pytest\nfrom calc import add\n\n\n"
        "@pytest.mark.parametrize('a', [1, 2])\ndef test_add(a):\n    assert add(a, a) == 2 * a\n"
    )
    repo.put("calc.py", "def add(a, b):\n    return a * b\n")
    repo.put("test_calc.py", test)
    base = repo.commit("a wrong sum")
    passes = f"`{PYTEST}` passes"
    repo.put("test_calc.py", test + "\n\n_ = globals().update(add=lambda a, b: a + b)\n")
    assert verdicts(check(repo, sandbox, passes, base=base)) == ["INCONCLUSIVE"]

    repo.put("calc.py", "def add(a, b):\n    return a + b\n")
    repo.put("test_calc.py", test.replace("[1, 2]", "[1, 2, 3]"))
    assert check(repo, sandbox, passes, base=base).passed


@pytest.mark.parametrize(
    "hostile",
    [
        "def f(): return " + "-" * 3000 + "1\n",
        "X = " + "a + " * 20_000 + "a\n",
        "def f():\n" + "    for a in X: assert a\n" * 5_000,
        "".join(f"def f{number}(): f{number + 1}()\n" for number in range(2_000)),
        "def f():\n" + "    a.b\n" * 2_000 + "".join(f"x{n} = f()\n" for n in range(2_000)),
    ],
)
def test_a_file_that_nobody_would_write_is_read_in_a_moment(hostile: str) -> None:
    """Time grows with its length and not with its square, and no depth of it ends the check."""
    assert altered("test_a.py", "a = 1\n", f"a = 1\n{hostile}\nglobals().clear()\n")
