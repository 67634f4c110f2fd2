"""What gets in a loop's way and is not the agent's doing: it costs no attempt, and nothing is lost."""

import asyncio
import errno
import os
from pathlib import Path
from typing import Any

import pytest

from loop.looping import Act, Looped, Scripted, git, loop, writes
from prowess.check.tree.records import borrowed_objects
from prowess.core.agent import AgentEnd, AgentOrder
from prowess.core.chat import Usage
from prowess.core.errors import OutsideError, UsageError
from prowess.loop.beforehand.place import check_place
from prowess.loop.request import LoopRequest
from support import Cli, write_file

ONE = "- [ ] Make one\n  - files: one.txt\n  - `grep -q good one.txt` succeeds\n"
TWO = ONE + ONE.replace("one", "two")


def both(*first: Act) -> Scripted:
    """An agent that does what each task asks for, after it has done these things."""

    def act(folder: Path, order: AgentOrder) -> str:
        for each in first if len(agent.prompts) == 1 else ():
            each(folder, order)
        name = "one" if "## Task\n\nMake one" in order.prompt else "two"
        return writes(f"{name}.txt", "good\n")(folder, order)

    agent = Scripted([act])
    return agent


def abreast(repo: Path, plan: str, agent: Scripted, **asked: Any) -> Looped:
    """At most six attempts, so that a loop which charges for nothing still ends."""
    return loop(repo, plan, agent, parallel=2, attempts=6, **asked)


def commit(repo: Path, path: str, text: str) -> None:
    write_file(repo / path, text)
    git(repo, "add", path)
    git(repo, "commit", "-q", "-m", "mine", "--", path)


def conflicted(repo: Path) -> Act:
    """A person who begins a merge in their tree and does not finish it."""
    git(repo, "checkout", "-q", "-b", "side")
    commit(repo, "README.md", "theirs\n")
    git(repo, "checkout", "-q", "main")
    commit(repo, "README.md", "mine\n")

    def act(folder: Path, order: AgentOrder) -> str:
        with pytest.raises(Exception, match="returned non-zero exit status 1"):
            git(repo, "merge", "-q", "side")
        return ""

    return act


def test_a_task_keeps_its_attempts_when_a_line_is_written_above_it(repo: Path) -> None:
    """A conflict with what a person committed has it tried again, and meanwhile the plan grows."""

    def clashes(folder: Path, order: AgentOrder) -> str:
        plan = repo / "PLAN.md"
        plan.write_text("A note.\n\n" + plan.read_text())
        write_file(folder / "one.txt", f"good {len(agent.prompts)}")
        commit(repo, "one.txt", f"mine {len(agent.prompts)}")
        return "Done."

    agent = Scripted([clashes])
    ended = abreast(repo, ONE, agent, max_attempts=2)

    assert len(agent.prompts) == 2
    assert "could not be merged" in agent.prompts[1]
    assert [each["attempts"] for each in ended.outcome.details["tasks"]] == [2]
    assert "- [~] Make one" in ended.plan


def test_a_persons_merge_under_way_costs_nothing_and_loses_nothing(repo: Path) -> None:
    agent = both(conflicted(repo))

    ended = abreast(repo, TWO, agent, max_attempts=2)

    assert len(agent.prompts) == 2
    assert ended.plan == TWO
    assert git(repo, "diff", "HEAD", "--name-only") == "README.md\n"
    assert len(git(repo, "worktree", "list").splitlines()) == 1
    entries = ended.outcome.details["tasks"]
    kept = [git(repo, "ls-tree", "--name-only", each["branch"]).split() for each in entries]
    assert ["one.txt" in kept[0], "two.txt" in kept[1]] == [True, True]
    assert all(f"kept in the branch `{each['branch']}`" in ended.outcome.answer for each in entries)


def test_a_loop_that_something_outside_ended_tells_so_with_its_report_and_its_cost(
    repo: Path,
) -> None:
    ended = abreast(repo, ONE, both(conflicted(repo)))

    assert ended.outcome.ending == "failed"
    assert ended.outcome.details["outside"]
    assert "cannot be taken into your branch" in ended.outcome.reason
    assert (ended.outcome.iterations, ended.outcome.tokens, ended.outcome.cost) == (1, 11, 0.01)
    assert "1 attempt, 11 tokens, $0.0100." in ended.outcome.answer


def test_a_tick_that_cannot_be_committed_is_no_tick(repo: Path) -> None:
    begins = conflicted(repo)

    def fails(folder: Path, order: AgentOrder) -> str:
        begins(folder, order)
        return writes("one.txt", "bad")(folder, order)

    ended = abreast(repo, ONE, Scripted([fails]), max_attempts=1)

    assert ended.plan == ONE
    assert ended.outcome.details["outside"]
    (entry,) = ended.outcome.details["tasks"]
    assert git(repo, "show", f"{entry['branch']}:one.txt") == "bad"
    assert len(git(repo, "worktree", "list").splitlines()) == 1


def test_a_file_that_a_person_is_at_work_on_is_looked_for_before_an_agent_is_asked(
    repo: Path,
) -> None:
    def touches(folder: Path, order: AgentOrder) -> str:
        write_file(repo / "two.txt", "the person's")
        return ""

    plan = TWO + "  - after: Make one\n"
    agent = both(touches)
    ended = abreast(repo, plan, agent)

    assert len(agent.prompts) == 1
    assert ended.plan == plan.replace("[ ] Make one", "[R] Make one")
    assert "two.txt has changes that are not committed" in ended.outcome.reason
    assert (repo / "two.txt").read_text() == "the person's"


def test_what_a_person_set_for_their_own_merges_is_not_asked(repo: Path) -> None:
    for name, value in (
        ("merge.ff", "only"),
        ("merge.verifySignatures", "true"),
        ("branch.main.mergeOptions", "--squash"),
    ):
        git(repo, "config", name, value)

    ended = abreast(repo, TWO, both())

    assert ended.outcome.ok
    assert ended.plan.count("[R]") == 2


def place(repo: Path, plan: str = ONE) -> None:
    commit(repo, "PLAN.md", plan)
    request = LoopRequest(plan=str(repo / "PLAN.md"), workspace=str(repo))
    asyncio.run(check_place(request))


def test_a_branch_whose_name_leaves_no_room_for_ours_is_refused_at_once(repo: Path) -> None:
    git(repo, "branch", "prowess")

    with pytest.raises(UsageError, match="there is a branch called prowess"):
        place(repo)


def test_a_merge_that_changes_nothing_and_is_not_finished_is_refused_at_once(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "side")
    commit(repo, "README.md", "theirs\n")
    git(repo, "checkout", "-q", "main")
    commit(repo, "PLAN.md", ONE + "\n")
    git(repo, "merge", "-q", "--no-commit", "-s", "ours", "side")
    request = LoopRequest(plan=str(repo / "PLAN.md"), workspace=str(repo))

    with pytest.raises(OutsideError, match="a merge is under way"):
        asyncio.run(check_place(request))


@pytest.mark.parametrize(
    ("commands", "told"),
    [
        ("for x in a b; do\ntest -f $x\ndone", {8: "is no whole command", 10: "syntax error near"}),
        ("make\ncd app\nmake test", {9: "'cd app' does nothing for the lines below"}),
        ("make test || true", {8: "'make test || true' proves nothing: its exit code is"}),
    ],
)
def test_a_validation_command_that_can_prove_nothing_is_refused_at_once(
    repo: Path, commands: str, told: dict[int, str]
) -> None:
    with pytest.raises(UsageError) as refused:
        place(repo, f"{ONE}\n## Validation commands\n\n```sh\n{commands}\n```\n")

    lines = str(refused.value).splitlines()
    assert len(lines) == len(told)
    for line, (number, what) in zip(lines, told.items(), strict=True):
        assert line.startswith(f"{repo / 'PLAN.md'}:{number}: ")
        assert what in line


def test_no_plan_is_refused_for_a_validation_command_that_proves_something(repo: Path) -> None:
    commands = ". ./env.sh\ncd app && make test\ntest -f one.txt"

    place(repo, f"{ONE}\n## Validation commands\n\n```sh\n{commands}\n```\n")


def test_a_loop_that_something_outside_ended_has_its_own_exit_code(cli: Cli, repo: Path) -> None:
    commit(repo, "PLAN.md", ONE)
    agent = "sh -c 'cat > /dev/null; rm -rf .git; echo done'"

    done = cli("loop", "PLAN.md", "--agent", "command", "--command", agent)

    assert done.code == 3
    assert "The repository itself is gone" in done.out
    assert "## Cost\n\n1 attempt" in done.out


def elsewhere(repo: Path, name: str) -> Path:
    """Another folder beside the repository, for a repository that has its records somewhere else."""
    return repo.parent / name


def works_in(folder: Path) -> None:
    git(folder, "config", "user.email", "a@b")
    git(folder, "config", "user.name", "a")
    ended = loop(folder, ONE, both(), max_attempts=1)
    assert ended.outcome.ok, ended.outcome.reason
    beside = abreast(folder, TWO.replace("[ ] Make one", "[R] Make one"), both())
    assert beside.outcome.ok, beside.outcome.reason


def test_a_loop_works_in_a_clone_that_borrows_its_objects(repo: Path) -> None:
    git(repo.parent, "clone", "-q", "-s", str(repo), "borrows")

    works_in(elsewhere(repo, "borrows"))


def test_a_loop_works_in_a_submodule(repo: Path) -> None:
    outer = elsewhere(repo, "outer")
    git(repo.parent, "init", "-q", "outer")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo), "inner")

    works_in(outer / "inner")


def test_a_repository_that_names_no_work_tree_is_refused_before_an_agent_is_asked(
    repo: Path,
) -> None:
    apart = elsewhere(repo, "apart")
    git(repo.parent, "clone", "-q", "--separate-git-dir", "records.git", str(repo), "apart")
    git(apart, "config", "user.email", "a@b")
    agent = both()

    ended = loop(apart, ONE, agent)

    assert agent.prompts == []
    assert "nobody could check what is changed" in ended.outcome.reason
    hint = f"git config core.worktree {apart}"
    assert f"`{hint}`" in ended.outcome.reason
    git(apart, *hint.split()[1:])
    works_in(apart)


def test_borrowed_objects_are_shown_to_no_command_of_the_work(repo: Path) -> None:
    git(repo.parent, "clone", "-q", "-s", str(repo), "borrows")
    borrows = elsewhere(repo, "borrows")
    git(borrows, "config", "user.email", "a@b")
    plan = f"- [ ] Make one\n  - `test -d {repo}/.git/objects` succeeds\n"

    ended = loop(borrows, plan, both(), max_attempts=1)

    assert "- [~] Make one" in ended.plan


def test_a_pipe_among_the_records_keeps_nobody_waiting(repo: Path) -> None:
    os.mkfifo(repo / ".git/objects/info/alternates")

    assert borrowed_objects(str(repo), str(repo / ".git")) == ()


def links_the_plan(folder: Path, order: AgentOrder) -> str:
    (folder / "PLAN.md").unlink()
    (folder / "PLAN.md").symlink_to("README.md")
    return "Done."


def leaves_no_room_for_a_plan(folder: Path, order: AgentOrder) -> str:
    """Its own is to be kept in a folder of this name."""
    write_file(folder / ".prowess/plans", "")
    write_file(folder / "PLAN.md", "- [ ] Do nothing\n")
    return "Done."


@pytest.mark.parametrize(
    ("act", "told"),
    [(links_the_plan, "leads elsewhere by a link"), (leaves_no_room_for_a_plan, "File exists")],
)
def test_whatever_lies_in_the_way_the_report_and_the_cost_are_told(
    repo: Path, act: Act, told: str
) -> None:
    ended = loop(repo, ONE, Scripted([act]))

    assert told in ended.outcome.reason
    assert ended.outcome.details["outside"]
    assert "1 attempt, 11 tokens, $0.0100." in ended.outcome.answer


def test_a_full_disk_ends_a_loop_with_its_report(repo: Path) -> None:
    def fills(folder: Path, order: AgentOrder) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    ended = loop(repo, ONE, Scripted([fills]))

    assert ended.outcome.details["outside"]
    assert "No space left on device" in ended.outcome.reason
    assert "## Left\n\n- Make one\n" in ended.outcome.answer


def test_what_an_agent_had_used_counts_when_another_ends_the_loop(repo: Path) -> None:
    class Uneven(Scripted):
        async def work(self, order: AgentOrder, *, record: Any) -> AgentEnd:
            if "## Task\n\nMake one" in order.prompt:
                await told.wait()
                raise OutsideError("it is gone")
            order.enough(Usage(input_tokens=70, output_tokens=7, cost=0.5))
            told.set()
            await asyncio.sleep(60)
            raise AssertionError("it was not stopped")

    told = asyncio.Event()
    ended = abreast(repo, TWO, Uneven([]))

    assert ended.outcome.reason == "it is gone"
    assert (ended.outcome.tokens, ended.outcome.cost) == (77, 0.5)
