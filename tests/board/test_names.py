"""Names for agents."""

import re

import pytest

from prowess.board import names, sessions, words
from prowess.core.board import ROLES, Board
from prowess.core.errors import UsageError


def suggested(board: Board, count: int = 3) -> list[str]:
    return [each.name for each in names.suggest(board, "engineer", count=count)]


def test_every_role_has_names_of_its_own_with_a_sentence_each() -> None:
    told = [(name, about) for own in names.names().values() for name, about in own.items()]

    assert list(names.names()) == [role.name for role in ROLES]
    assert all(len(own) >= 8 for own in names.names().values())
    assert len({name.lower() for name, _ in told}) == len(told)
    assert all(words.agent_name(name) == name for name, _ in told)
    assert all(re.fullmatch(r"[A-Z][^.]{20,150}\.", about) for _, about in told)


def test_names_come_in_order_while_none_is_used(board: Board) -> None:
    own = sorted(set(names.names()["Engineer"]) - {"Ogun"})

    assert suggested(board) == own[:3]


def test_a_name_at_work_is_not_suggested(board: Board) -> None:
    first = suggested(board)[0]
    sessions.start(board, first.upper(), role="Tester")

    assert first not in suggested(board, count=7)


def test_the_least_used_come_first(board: Board) -> None:
    first, second, third = suggested(board)
    for name in (first, first, second):
        sessions.start(board, name, role="Engineer")
        sessions.end(board, name)

    assert suggested(board)[0] == third
    assert suggested(board, count=7)[-2:] == [second, first]


def test_when_all_are_at_work_they_come_again_with_a_number(board: Board) -> None:
    for name in names.names()["Engineer"]:
        if name != "Ogun":
            sessions.start(board, name, role="Engineer")

    found = names.suggest(board, "Engineer", count=10)

    assert len(found) == 10
    assert found[0].name == "Brokkr-2"
    assert found[0].about == names.about("brokkr-2") == names.about("Brokkr")


def test_a_name_of_ones_own_has_no_story() -> None:
    assert names.about("Bob") == ""


def test_a_role_that_is_not_there_has_no_names(board: Board) -> None:
    with pytest.raises(UsageError):
        names.suggest(board, "Pirate")
