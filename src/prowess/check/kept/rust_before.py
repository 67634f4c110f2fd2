"""
A file of Rust as it is now, with the tests that it had before: what is only built for tests is cut out of
the one and taken from the other.
"""

import re
from collections.abc import Mapping

from prowess.check.kept.kept_tests import is_rust_test_file
from prowess.check.kept.known_tests import names_in
from prowess.check.kept.rust import beside_rust_tests, rust_tests

# What was left in front of a test that was cut out, such as an attribute, falls upon this.
_BETWEEN = "\nconst _: () = ();\n"
_SWITCHES = re.compile(r"#!\[cfg(?:_attr)?\([^\n]*\)\]")  # for all of a file
_FOR_ALL = re.compile(r"#\s*(?:/\*.{0,99}?\*/\s*)?!")
_CANNOT = (
    'compile_error!("the tests of before are inside of something else, and cannot be put back");'
)


def rust_instead(path: str, old: str, new: str, *, renamed: bool = False) -> str | None:
    """
    The text of a file that was changed, `renamed`, or is new and was nothing; None where it stays as it
    is.
    """
    if next(rust_tests(old), None) is None:
        cut = _without_tests(old, new)
        return None if cut == new else f"{cut}{_BETWEEN}"
    if _ends_with_the_same_tests(old, new):
        return None
    text = with_tests_of(path, old, new)
    if text is None and renamed and list(rust_tests(old)) != list(rust_tests(new)):
        return _CANNOT
    return text


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
    switches = set(_SWITCHES.findall(old))
    rest = _SWITCHES.sub(
        lambda found: found[0] if found[0] in switches else "", _without_tests(old, new)
    )
    return "\n".join((rest, _BETWEEN, *tests, ""))


def renamed_from(new: str, gone: Mapping[str, str]) -> str:
    """The file among those that are gone whose tests are in this new one, or an empty text."""
    names = _names(new)
    shared = {path: len(names & _names(text)) for path, text in gone.items()}
    path = max(shared, key=lambda each: shared[each], default="")
    return path if shared.get(path) else ""


def _names(text: str) -> set[str]:
    return set(names_in("a.rs", text))


def _without_tests(old: str, new: str) -> str:
    """What is left of the code; what stands beside tests goes where it is as new as they are."""
    known = set(beside_rust_tests(old))
    for each in (*rust_tests(new), *(each for each in beside_rust_tests(new) if each not in known)):
        new = new.replace(each, "", 1)
    return new


def _ends_with_the_same_tests(old: str, new: str) -> bool:
    """
    Whether the tests are all that the file ends with, after a whole item, so that nothing in the text
    keeps them from being built: a comment, a string or a block would have to be closed behind them.
    """
    tests = list(rust_tests(old))
    if tests != list(rust_tests(new)) or len(tests) != 1:
        return False
    if not (old.rstrip().endswith(tests[0]) and new.rstrip().endswith(tests[0])):
        return False
    above = new.rstrip().removesuffix(tests[0])
    last = _last_line(above)
    whole = above.endswith("\n") and (
        last in ("", "}") or (last.endswith(";") and "//" not in last)
    )
    return whole and len(_FOR_ALL.findall(new)) <= len(_FOR_ALL.findall(old))


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2].strip()
