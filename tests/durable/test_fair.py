"""Who begins next, and what holds the others back."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from prowess.durable.fair import Limit, Limits, Tally, Ticket, Waiting, choose, held

tickets = st.builds(
    Ticket,
    user=st.sampled_from("abc"),
    skill=st.sampled_from(("pdf", "csv")),
    model=st.sampled_from(("small", "large")),
    priority=st.integers(-1, 1),
)
amounts = st.none() | st.integers(1, 3)
some = st.builds(Limit, at_once=amounts, per_minute=amounts)
limited = st.builds(
    Limits,
    skill=st.dictionaries(st.sampled_from(("pdf", "default")), some),
    user=st.dictionaries(st.sampled_from(("a", "default")), some),
)


def line(*tickets: Ticket) -> list[Waiting]:
    return [Waiting(run=str(came), came=came, ticket=it) for came, it in enumerate(tickets)]


def chosen(waiting: list[Waiting], *, room: int, limits: Limits | None = None) -> list[str]:
    return [each.run for each in choose(waiting, Tally(), limits or Limits(), room=room)]


def test_a_thousand_runs_of_one_user_do_not_hold_up_the_one_of_another() -> None:
    waiting = line(*[Ticket(user="many")] * 1000, Ticket(user="one"))

    assert chosen(waiting, room=2) == ["0", "1000"]


def test_users_take_turns_and_each_has_its_runs_in_the_order_they_came() -> None:
    waiting = line(*(Ticket(user=user) for user in "aaabbc"))

    assert chosen(waiting, room=6) == ["0", "3", "5", "1", "4", "2"]


def test_who_had_a_turn_before_comes_after_who_had_none() -> None:
    had = Waiting(run="0", came=0, ticket=Ticket(user="a"), turn=7)
    none = Waiting(run="1", came=1, ticket=Ticket(user="b"))

    first = choose([had, none], Tally(latest=7), Limits(), room=1)

    assert [each.ticket.user for each in first] == ["b"]


def test_turns_go_on_after_the_last_that_anybody_had() -> None:
    long_ago = Waiting(run="0", came=0, ticket=Ticket(user="a"), turn=7)
    just_now = Waiting(run="1", came=1, ticket=Ticket(user="b"), turn=9)
    again = Waiting(run="2", came=2, ticket=Ticket(user="a"), turn=7)
    tally = Tally(latest=9)

    begun = choose([long_ago, just_now, again], tally, Limits(), room=3)

    assert [each.run for each in begun] == ["0", "1", "2"]
    assert tally.turns == {"a": 12, "b": 11}


def test_the_higher_priority_goes_first_whoever_it_is_of() -> None:
    waiting = line(Ticket(user="a"), Ticket(user="b"), Ticket(user="a", priority=5))

    assert chosen(waiting, room=3) == ["2", "1", "0"]


def test_a_run_that_is_held_back_lets_others_pass() -> None:
    limits = Limits(skill={"pdf": Limit(at_once=1)})
    waiting = line(Ticket(skill="pdf"), Ticket(skill="pdf"), Ticket(skill="csv"))

    assert chosen(waiting, room=3, limits=limits) == ["0", "2"]


def test_of_runs_that_processes_died_at_a_process_has_one_at_a_time() -> None:
    first, second = (
        Waiting(run=run, came=0, ticket=Ticket(), is_last=True) for run in ("first", "second")
    )
    fresh = Waiting(run="fresh", came=1, ticket=Ticket())

    begun = choose([first, second, fresh], Tally(), Limits(), room=3)
    later = choose([second, fresh], Tally(has_last=True), Limits(), room=3)

    assert [each.run for each in begun] == ["first", "fresh"]
    assert [each.run for each in later] == ["fresh"]


def test_what_waits_says_why() -> None:
    ticket = Ticket(user="ann", skill="pdf", model="opus")
    tally = Tally(
        under_way=Counter({("skill", "pdf"): 3}),
        begun=Counter({("user", "ann"): 10}),
        spent=Counter({("model", "opus"): 5.02}),
        unpriced=Counter({("user", "ann"): 2}),
    )

    def why(**limits: Any) -> str:
        return held(ticket, tally, Limits(**limits))

    assert why(skill={"pdf": Limit(at_once=3)}) == "3 of 3 runs of the skill pdf are under way"
    assert why(user={"default": Limit(per_minute=10)}) == (
        "10 of 10 runs of the user ann began within the last minute"
    )
    assert why(model={"opus": Limit(per_day=5.0)}) == (
        "$5.02 of $5.00 were spent today for the model opus"
    )
    assert why(model={"opus": Limit(per_day=6.0)}) == ""


def test_a_name_with_limits_of_its_own_has_not_those_of_default() -> None:
    limits = Limits(user={"default": Limit(at_once=1), "ann": Limit(at_once=2)})
    waiting = line(*(Ticket(user=user) for user in ("ann", "ann", "bob", "bob")))

    assert chosen(waiting, room=4, limits=limits) == ["0", "2", "1"]


@given(st.lists(tickets, max_size=12), limited, st.integers(0, 8))
def test_no_limit_is_ever_passed_and_no_room_is_left_that_a_run_could_have(
    asked: list[Ticket], limits: Limits, room: int
) -> None:
    waiting, tally = line(*asked), Tally()
    begun = choose(waiting, tally, limits, room=room)

    assert len(begun) <= room
    assert len({each.run for each in begun}) == len(begun)
    for key, count in tally.under_way.items():
        limit = limits.of(*key)
        assert count <= min(limit.at_once or 99, limit.per_minute or 99)
    left = [each for each in waiting if each not in begun]
    assert len(begun) == room or all(held(each.ticket, tally, limits) for each in left)
