"""
A file of Rust as it is now, with the tests that it had before: what is only built for tests is cut out of
the one and taken from the other.
"""

import re

from prowess.check.kept_tests import is_rust_test_file
from prowess.check.rust import rust_tests

# What was left in front of a test that was cut out, such as an attribute, falls upon this.
_BETWEEN = "\nconst _: () = ();\n"
_SWITCHES = re.compile(r"#!\[cfg(?:_attr)?\([^\n]*\)\]")  # for all of a file


def with_tests_of(path: str, old: str, new: str) -> str | None:
    """The text; None where no test was in the file, or where one stands inside of something else."""
    if is_rust_test_file(path):
        return old
    tests = list(rust_tests(old))
    if not tests:
        return None
    if tests == [old]:
        return old
    if not all(re.search(rf"^{re.escape(_first_line(each))}", old, re.MULTILINE) for each in tests):
        return None  # inside of a module it would not find what it uses
    for each in rust_tests(new):
        new = new.replace(each, "", 1)
    switches = set(_SWITCHES.findall(old))
    rest = _SWITCHES.sub(lambda found: found[0] if found[0] in switches else "", new)
    return "\n".join((rest, _BETWEEN, *tests, ""))


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
