"""Work in Rust is judged by the tests of before, and may bring new modules."""

import pytest

from check.checks import check, needs_cargo
from check.repository import Repository
from prowess.check.judges.as_before import AS_BEFORE, put_back
from prowess.core.evidence import Report, Spec
from prowess.core.ports import Sandbox

CARGO = '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n'
ADD = "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n"
TESTS = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
}
"""
SUB = "pub fn sub(a: i32, b: i32) -> i32 {\n    a - b\n}\n"
SUB_TESTS = TESTS.replace("adds", "subtracts").replace("add(1, 2), 3", "sub(3, 2), 1")
NOBODY = Spec(id="t", title="The task")
COMMAND = "cargo test --offline"


@pytest.fixture
def crate(repo: Repository, sandbox: Sandbox) -> Repository:
    needs_cargo(repo, sandbox)
    repo.put("Cargo.toml", CARGO)
    repo.put(".gitignore", "target\nCargo.lock\n")
    repo.put("src/lib.rs", ADD + TESTS)
    repo.commit("a crate")
    return repo


def checked(crate: Repository, sandbox: Sandbox) -> Report:
    return check(crate, sandbox, "`cargo test --offline` passes", validation=(COMMAND,))


def test_a_new_module_with_tests_of_its_own_is_proven(crate: Repository, sandbox: Sandbox) -> None:
    crate.put("src/lib.rs", f"pub mod sub;\n\n{ADD}{TESTS}")
    crate.put("src/sub.rs", SUB + SUB_TESTS)

    assert checked(crate, sandbox).reasons == ()


def test_a_new_module_may_keep_its_tests_in_another_file(
    crate: Repository, sandbox: Sandbox
) -> None:
    outside = "#[cfg(test)]\nmod tests;\n"
    crate.put("src/lib.rs", f"pub mod sub;\n\n{ADD}{TESTS}")
    crate.put("src/sub.rs", SUB + outside)
    crate.put("src/sub/tests.rs", "use super::*;\n\n#[test]\nfn subs() {\n    sub(1, 1);\n}\n")

    assert checked(crate, sandbox).reasons == ()


def test_a_module_may_be_renamed_and_its_tests_are_those_of_before(
    crate: Repository, sandbox: Sandbox
) -> None:
    crate.put("src/lib.rs", "pub mod sums;\n")
    crate.put("src/sums.rs", ADD + TESTS)
    crate.commit("a module")
    (crate.folder / "src/sums.rs").unlink()
    crate.put("src/lib.rs", "pub mod totals;\n")
    crate.put("src/totals.rs", ADD + TESTS)
    assert checked(crate, sandbox).reasons == ()

    weak = TESTS.replace("assert_eq!(add(1, 2), 3);", "")
    crate.put("src/totals.rs", ADD.replace("+", "-") + weak)
    (reason, *_) = checked(crate, sandbox).reasons
    assert AS_BEFORE in reason


def test_wrong_work_with_a_new_module_is_not_proven(crate: Repository, sandbox: Sandbox) -> None:
    weak = TESTS.replace("assert_eq!(add(1, 2), 3);", "")
    crate.put("src/lib.rs", f"pub mod sub;\n\n{ADD.replace('+', '-')}{weak}")
    crate.put("src/sub.rs", SUB + SUB_TESTS)

    assert not checked(crate, sandbox).passed


def instead(path: str, old: str, new: str) -> dict[str, str | None]:
    found = put_back({path: old.encode()}, {path: new.encode()}, specs=[NOBODY])
    return {path: None if text is None else text.decode() for path, text in found.items()}


def test_tests_that_stand_as_they_stood_are_not_put_back() -> None:
    assert instead("src/lib.rs", ADD + TESTS, f"{SUB}\n{ADD}{TESTS}") == {}
    assert instead("src/lib.rs", ADD, ADD + SUB) == {}


@pytest.mark.parametrize(
    "new",
    [
        f"{ADD}/* {TESTS} */",
        f"{ADD}/*{TESTS}\n*/\n",
        f"{ADD}#[cfg(any())]{TESTS}",
        f"{ADD}#[cfg(any())] // }}{TESTS}",
        f"{ADD}#[cfg(any())] // a;{TESTS}",
        f"{ADD}#[cfg(any())] /*\n}} */{TESTS}",
        f'{ADD}#[cfg(any())]\n#[doc = "\n}}"]{TESTS}',
        f"#![cfg(any())]\n{ADD}{TESTS}",
        f"#!/**/[cfg(any())]\n{ADD}{TESTS}",
        f"{ADD}mod never {{{TESTS}}}\n",
        f'{ADD}const OLD: &str = r#"\n}}{TESTS}"#;\n',
        f"{TESTS}{ADD}",
    ],
)
def test_tests_that_may_be_kept_from_being_built_are_put_back(new: str) -> None:
    text = instead("src/lib.rs", ADD + TESTS, new)["src/lib.rs"]

    assert text
    assert text.endswith(TESTS.lstrip() + "\n") or text.rstrip().endswith(TESTS.strip())
    assert "const _: () = ();" in text


@pytest.mark.parametrize(
    ("path", "new", "left"),
    [
        ("src/sub.rs", SUB, {}),
        ("benches/sums.rs", "fn main() {}\n", {}),
        ("build.rs", "fn main() {}\n", {"build.rs": None}),
        ("tests/it.rs", "#[test]\nfn a() {}\n", {"tests/it.rs": None}),
        ("src/sub/tests.rs", "#[test]\nfn a() {}\n", {"src/sub/tests.rs": None}),
    ],
)
def test_new_code_stays_and_new_tests_do_not(
    path: str, new: str, left: dict[str, bytes | None]
) -> None:
    assert put_back({}, {path: new.encode()}, specs=[NOBODY]) == left


def test_of_new_code_only_what_is_built_for_tests_is_cut_out() -> None:
    brings = "#[cfg(test)]\nuse crate::{fixtures::two, three};\n"

    text = instead("src/lib.rs", "fn a() {}\n", brings + SUB + SUB_TESTS)["src/lib.rs"]

    assert text is not None
    assert text.replace("const _: () = ();", "").strip() == SUB.strip()


def test_what_cannot_be_put_back_under_another_name_is_not_built() -> None:
    inside = f"mod inner {{{TESTS.replace('#[cfg', '    #[cfg')}}}\n"
    weak = inside.replace("add(1, 2), 3", "1, 1")
    before, now = {"src/a.rs": inside.encode()}, {"src/b.rs": weak.encode()}

    assert b"compile_error!" in (put_back(before, now, specs=[NOBODY])["src/b.rs"] or b"")
    now = {"src/b.rs": inside.encode()}
    assert put_back(before, now, specs=[NOBODY]) == {}
