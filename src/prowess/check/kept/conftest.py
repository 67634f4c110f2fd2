"""
What is new in a `conftest.py` and has no part in tests that do not ask for it: fixtures and helpers.
"""

import ast
import re
from collections.abc import Iterator

from prowess.check.kept.cases import Definition
from prowess.check.kept.kept_python import altered_python

_HOOK = re.compile(r"\bpytest_\w+|\b_pytest\b|\bpytest_plugins\b|\bload_tests\b")
_BY_ITSELF = re.compile(r",?[ \t]*\bautouse[ \t]*=[ \t]*True\b")
# Fixtures that tests ask for and that no file of theirs defines: pytest's, and those of plugins in wide use.
_TAKEN = frozenset(
    "cache capfd capfdbinary caplog capsys capsysbinary capteesys doctest_namespace monkeypatch pytestconfig"
    " pytester record_property record_testsuite_property record_xml_attribute recwarn request subtests testdir"
    " tmp_path tmp_path_factory tmpdir tmpdir_factory admin_client aiohttp_client anyio_backend benchmark"
    " browser class_mocker client db django_db_setup event_loop faker freezer httpx_mock live_server mocker"
    " module_mocker page requests_mock respx_mock rf session_mocker settings".split()
)


def only_adds(before: str, now: str) -> bool:
    """Whether nothing that was there is altered, and what came runs for no test that does not name it."""
    hooks = len(_HOOK.findall(now)) > len(_HOOK.findall(before))
    if hooks or altered_python(before, now, moved=()):
        return False
    new = new_fixtures(before, now)
    return new is not None and not _TAKEN & new


def only_for_its_own(now: str) -> bool:
    """Whether a new one has nothing but fixtures, which may run by themselves, and what these need."""
    return only_adds("", _BY_ITSELF.sub("", now))


def is_conftest(path: str) -> bool:
    return path.rpartition("/")[2] == "conftest.py"


def new_fixtures(before: str, now: str) -> set[str] | None:
    """The names of those that came; None where that cannot be read."""
    try:
        return set(_fixtures(now)).difference(_fixtures(before))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _fixtures(text: str) -> Iterator[str]:
    """The names by which tests ask for the fixtures of a file."""
    for each in ast.walk(ast.parse(text)):
        if isinstance(each, Definition):
            for mark in each.decorator_list:
                if "fixture" in ast.unparse(mark):
                    yield each.name
                    yield from _given(mark)


def _given(mark: ast.expr) -> Iterator[str]:
    for keyword in mark.keywords if isinstance(mark, ast.Call) else ():
        if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
            yield str(keyword.value.value)
