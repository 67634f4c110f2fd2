"""What is kept on disk changes what ranking costs, and nothing else."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from prowess.core.skill import Skill
from prowess.select.profile import Profile, profile
from prowess.select.rank import Ranker
from prowess.select.segment import Key, Segment, build, dump, load
from prowess.select.shelf import LEAST, open_ranker

TASKS = ("review the SQL locks", "merge pdf documents", "cook rice number 7", "表格", "pdf-forms-3")
WORDS = "merge review cook lock rice pdf sql form document number table 表格 draw send plan".split()


def skill(name: str, text: str = "", state: int | None = 1) -> Skill:
    return Skill(
        name=name,
        description=text or f"Does {name}.",
        format="skill.md",
        location="project",
        path=f"/skills/{name}",
        files=("SKILL.md",),
        header={},
        state=state,
    )


def some(count: int, *, seed: int = 1) -> list[Skill]:
    """Skills that share words, so that each counts in the rarity of the others'."""
    choose = random.Random(seed)  # noqa: S311  the same every time is the point
    return [
        skill(f"pdf-forms-{n}", f"{' '.join(choose.choices(WORDS, k=6))}. Not for {WORDS[n % 9]}.")
        for n in range(count)
    ]


class Bodies:
    """Reads a skill's body and remembers whose was asked for."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(self, each: Skill) -> str:
        self.read.append(each.name)
        return f"# About {each.name}\n\nIt can {each.description.lower()} {each.state}"


def profiles(skills: Sequence[Skill]) -> list[tuple[Key, Profile]]:
    return [((s.path, s.state or 0), profile(s, Bodies()(s))) for s in skills]


def answers(ranker: Ranker) -> list[list[tuple[str, float, tuple[tuple[str, float], ...]]]]:
    return [
        [(each.skill.name, each.score, each.parts) for each in ranker.rank(task)] for task in TASKS
    ]


def plain(segment: Segment) -> tuple[object, ...]:
    """Everything in it, as values that compare."""
    return (
        segment.keys,
        segment.rare,
        segment.common,
        segment.refused,
        *(
            list(part)
            for part in (
                segment.starts,
                segment.skills,
                segment.pair_starts,
                segment.pairs,
                segment.strengths,
                segment.rows,
            )
        ),
    )


# Segments


def test_a_segment_comes_back_from_its_bytes_exactly() -> None:
    odd = skill("odd-\udcff", "Löst 表格.", state=2**62)
    made = build(profiles([*some(12), odd]))

    back = load(dump(made))

    assert back is not None
    assert plain(back) == plain(made)
    assert dump(back) == dump(made)


def test_an_empty_segment_is_a_segment() -> None:
    back = load(dump(build([])))

    assert back is not None
    assert back.keys == []
    assert list(back.profiles()) == []


def test_a_segment_gives_back_the_profiles_it_was_made_of() -> None:
    put = profiles(some(12))

    back = dict(load_whole(build(put)).profiles())

    assert list(back) == [key for key, _ in put]
    assert back == dict(put)


def load_whole(segment: Segment) -> Segment:
    back = load(dump(segment))
    assert back is not None
    return back


def test_a_torn_file_is_none() -> None:
    data = dump(build(profiles(some(3))))

    assert [end for end in range(len(data)) if load(data[:end]) is not None] == []
    assert load(data + b"\0") is None


def test_a_flipped_bit_is_noticed_wherever_it_is() -> None:
    data = dump(build(profiles(some(2))))

    for at in range(len(data)):
        flipped = bytearray(data)
        flipped[at] ^= 1 << (at % 8)
        assert load(bytes(flipped)) is None


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"\0" * 100, b"prowess words 1 0.0.0 00000000\n", b"SQLite format 3\0", b"[]\n{}"],
)
def test_a_foreign_file_is_none(data: bytes) -> None:
    assert load(data) is None


# Ranking does not see how the profiles are kept


@pytest.mark.parametrize("cut", [0, 1, 20, 39, 40])
def test_two_segments_answer_as_one(cut: int) -> None:
    skills = some(40)
    made = profiles(skills)

    one = Ranker(skills, [build(made)])
    two = Ranker(skills, [build(made[:cut]), load_whole(build(made[cut:]))])

    assert answers(two) == answers(one)
    assert any(answers(one))


def test_dead_skills_in_a_segment_count_for_nothing() -> None:
    skills = some(40)
    made = profiles(skills)
    alive = [*skills[5:15], *skills[22:37]]

    with_dead = Ranker(alive, [build(made[:20]), build(made[20:])])

    assert answers(with_dead) == answers(Ranker(alive, [build(profiles(alive))]))


def test_an_older_state_of_a_skill_is_a_dead_skill() -> None:
    old = some(10)
    new = [replace(each, description="Sends tables.", state=2) for each in old[:3]]
    now = [*new, *old[3:]]

    both = Ranker(now, [build(profiles(old)), build(profiles(new))])

    assert answers(both) == answers(Ranker(now, [build(profiles(now))]))


# The shelf


def test_only_skills_that_changed_are_read_again(tmp_path: Path) -> None:
    skills, bodies = some(10), Bodies()
    folder = str(tmp_path / "shelf")

    open_ranker(skills, bodies, folder=folder)
    assert sorted(bodies.read) == sorted(each.name for each in skills)

    bodies.read.clear()
    open_ranker(skills[::-1], bodies, folder=folder)
    assert bodies.read == []

    changed = [*skills[:4], replace(skills[4], state=2), *skills[6:], skill("new")]
    open_ranker(changed, bodies, folder=folder)
    assert sorted(bodies.read) == ["new", "pdf-forms-4"]

    bodies.read.clear()
    open_ranker(changed, bodies, folder=folder)
    assert bodies.read == []


def test_many_small_changes_end_where_a_fresh_build_would(tmp_path: Path) -> None:
    choose = random.Random(7)  # noqa: S311  the same every time is the point
    pool = some(3 * LEAST)
    now = {each.name: each for each in pool[: 2 * LEAST]}
    bodies, folder = Bodies(), str(tmp_path)

    for turn in range(12):
        for each in choose.sample(pool, 25):
            if each.name in now and choose.random() < 0.4:
                del now[each.name]
            else:
                now[each.name] = replace(each, state=turn + 2, description=f"Sends {turn} tables.")
        skills = choose.sample(list(now.values()), len(now))
        kept = open_ranker(skills, bodies, folder=folder)
        assert answers(kept) == answers(open_ranker(skills, Bodies(), folder=None))

    assert len(bodies.read) < 12 * LEAST * 2


def test_a_shelf_does_not_grow_with_every_change(tmp_path: Path) -> None:
    for state in range(1, 6 * LEAST, 8):
        open_ranker([skill(f"s{n}", state=state) for n in range(8)], Bodies(), folder=str(tmp_path))

    assert sizes(tmp_path) == (8, 8)


def test_what_came_since_is_put_to_the_rest_when_it_has_grown(tmp_path: Path) -> None:
    for count in range(8, 6 * LEAST, 8):
        open_ranker(some(count), Bodies(), folder=str(tmp_path))

    large, small = sizes(tmp_path)
    assert small <= LEAST
    assert small + large == 6 * LEAST - 8


def test_what_is_gone_does_not_stay_on_the_shelf_for_ever(tmp_path: Path) -> None:
    skills, bodies = some(4 * LEAST), Bodies()
    open_ranker(skills, bodies, folder=str(tmp_path))
    bodies.read.clear()

    left = open_ranker(skills[:LEAST], bodies, folder=str(tmp_path))

    (file,) = tmp_path.iterdir()
    kept = load(file.read_bytes())
    assert kept
    assert len(kept.keys) == LEAST
    assert bodies.read == []
    assert answers(left) == answers(open_ranker(skills[:LEAST], Bodies(), folder=None))


def sizes(folder: Path) -> tuple[int, int]:
    """How many skills the large segment on the shelf holds, and how many the one for what came since."""
    large, since = sorted(folder.iterdir(), key=lambda path: ".since." in path.name)
    one, other = load(large.read_bytes()), load(since.read_bytes())
    assert one
    assert other
    return len(one.keys), len(other.keys)


@pytest.mark.parametrize("spoil", [b"", b"foreign", None])
def test_a_spoilt_shelf_is_made_anew(tmp_path: Path, spoil: bytes | None) -> None:
    skills, bodies = some(10), Bodies()
    open_ranker(skills, bodies, folder=str(tmp_path))
    skills.append(skill("new"))
    wanted = answers(open_ranker(skills, bodies, folder=str(tmp_path)))
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:-1] if spoil is None else spoil)
    bodies.read.clear()

    assert answers(open_ranker(skills, bodies, folder=str(tmp_path))) == wanted
    assert len(bodies.read) == 11
    bodies.read.clear()
    open_ranker(skills, bodies, folder=str(tmp_path))
    assert bodies.read == []


def test_a_shelf_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    in_the_way = tmp_path / "shelf"
    in_the_way.write_text("a file where the folder should be")
    skills, bodies = some(5), Bodies()

    found = open_ranker(skills, bodies, folder=str(in_the_way))

    assert answers(found) == answers(open_ranker(skills, Bodies(), folder=None))
    assert in_the_way.read_text() == "a file where the folder should be"


def test_a_shelf_that_cannot_be_written_leaves_nothing_half_written(tmp_path: Path) -> None:
    open_ranker(some(5), Bodies(), folder=str(tmp_path))
    (shelf,) = tmp_path.iterdir()
    shelf.unlink()
    (shelf / "in the way").mkdir(parents=True)

    open_ranker(some(5), Bodies(), folder=str(tmp_path))

    assert list(tmp_path.iterdir()) == [shelf]


def test_two_projects_keep_their_own_shelf(tmp_path: Path) -> None:
    one, two, bodies = some(5), [skill("x"), skill("y")], Bodies()
    open_ranker(one, bodies, folder=str(tmp_path), asked="/one")
    open_ranker(two, bodies, folder=str(tmp_path), asked="/two")
    bodies.read.clear()

    open_ranker(one, bodies, folder=str(tmp_path), asked="/one")
    open_ranker(two, bodies, folder=str(tmp_path), asked="/two")

    assert bodies.read == []


def test_a_skill_whose_state_is_not_certain_is_read_every_time(tmp_path: Path) -> None:
    skills, bodies = [*some(5), skill("passing", "Draws tables.", state=None)], Bodies()
    open_ranker(skills, bodies, folder=str(tmp_path))
    bodies.read.clear()

    found = open_ranker(skills, bodies, folder=str(tmp_path))

    assert bodies.read == ["passing"]
    assert [each.skill.name for each in found.rank("passing")] == ["passing"]


def test_a_skill_whose_state_became_certain_is_found_once(tmp_path: Path) -> None:
    open_ranker([skill("one", state=None)], Bodies(), folder=str(tmp_path))

    found = open_ranker([skill("one", state=5)], Bodies(), folder=str(tmp_path))

    assert [each.skill.name for each in found.rank("one")] == ["one"]
