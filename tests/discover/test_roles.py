"""A role gets what is assigned to it, system skills first, with all that they need."""

import pytest

from prowess.core.errors import UsageError
from prowess.core.skill import Skill
from prowess.discover.catalog import open_catalog
from prowess.discover.roles import for_role
from prowess.discover.roots import Root
from prowess.settings import PACK


def skill(name: str, *, to: str = "", type: str = "role", needs: str = "") -> Skill:  # noqa: A002  the manifest's word
    return Skill(
        name=name,
        description="Does a thing.",
        format="manifest",
        location="project",
        path=f"/skills/{name}",
        files=("manifest.json",),
        header={"assignTo": to.split(), "type": type, "dependencies": needs.split()},
    )


def role(name: str, *skills: Skill) -> list[str]:
    return [each.name for each in for_role(name, {each.name: each for each in skills}).skills]


def test_a_role_gets_the_skills_assigned_to_it_and_to_all() -> None:
    skills = [skill("w", to="worker"), skill("o", to="orchestrator"), skill("both", to="all")]

    assert role("worker", *skills) == ["both", "w"]
    assert role("orchestrator", *skills) == ["both", "o"]


def test_a_skill_assigned_to_both_roles_by_name_comes_to_both() -> None:
    shared = skill("shared", to="worker orchestrator")

    assert role("worker", shared) == role("orchestrator", shared) == ["shared"]


def test_a_skill_assigned_to_nobody_comes_to_nobody() -> None:
    assert role("worker", skill("free")) == []


def test_system_skills_come_first_and_then_by_name() -> None:
    skills = [
        skill("b-custom", to="worker", type="custom"),
        skill("a-role", to="worker", type="role"),
        skill("z-system", to="worker", type="system"),
        skill("m-system", to="worker", type="system"),
    ]

    assert role("worker", *skills) == ["m-system", "z-system", "a-role", "b-custom"]


def test_dependencies_come_along_before_what_needs_them_though_nobody_assigned_them() -> None:
    skills = [skill("w", to="worker", needs="tool"), skill("tool", needs="base"), skill("base")]

    assert role("worker", *skills) == ["base", "tool", "w"]


def test_a_missing_dependency_is_left_out() -> None:
    assert role("worker", skill("w", to="worker", needs="gone")) == ["w"]


def test_dependencies_in_a_circle_come_once_each() -> None:
    skills = [skill("a", to="worker", needs="b"), skill("b", to="worker", needs="a")]

    assert role("worker", *skills) == ["b", "a"]


@pytest.mark.parametrize("name", ["admin", "", "all", "Worker"])
def test_a_role_that_does_not_exist_is_refused_with_those_that_do(name: str) -> None:
    with pytest.raises(UsageError) as refused:
        role(name, skill("w", to="worker"))

    assert repr(name) in str(refused.value)
    assert refused.value.hint == "use worker or orchestrator"


@pytest.mark.parametrize("name", ["worker", "orchestrator"])
def test_the_built_in_pack_gives_each_role_the_cli_and_its_own_skill(name: str) -> None:
    catalog = open_catalog([Root(PACK, "builtin")])

    assert [each.name for each in for_role(name, catalog.skills).skills] == [
        "prowess-cli",
        f"prowess-{name}",
    ]
