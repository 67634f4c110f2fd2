"""What a person has git ignore stays where it is, uncommitted, whatever an agent does to the rules."""

import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from loop.looping import Act, Looped, Scripted, git, loop, nothing, writes
from prowess.core.agent import AgentOrder
from running import KilledError, Remembering
from support import write_file

RULES = "- [ ] Ignore the build folder\n  - `.gitignore` contains `build/`\n"
NEVER = RULES + "  - `impossible.txt` exists\n"
HELLO = "- [ ] Say hello\n  - `hello.txt` contains `hello`\n"


@pytest.fixture
def mine(repo: Path) -> Path:
    """A repository with a secret, notes and a clone in it that git is told to ignore."""
    write_file(repo / ".gitignore", ".env\nnotes/\nclone/\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "ignore")
    write_file(repo / ".env", "secret\n")
    write_file(repo / "notes" / "deep" / "mine.md", "mine\n")
    write_file(repo / "clone" / "code.txt", "code\n")
    git(repo / "clone", "init", "-q")
    return repo


def uncovers(*then: tuple[str, ...], said: str = "done") -> Act:
    """Writes `.gitignore` anew without the lines that were there, then has git do these things."""

    def act(folder: Path, order: AgentOrder) -> str:
        write_file(folder / ".gitignore", "build/\n")
        for words in then:
            git(folder, *words)
        return said

    return act


COMMITS = (("add", "-A", ":!clone"), ("commit", "-q", "-m", "all of it"))
WAYS = [uncovers(), uncovers(COMMITS[0]), uncovers(*COMMITS)]


def is_left_alone(repo: Path) -> None:
    assert (repo / ".env").read_text() == "secret\n"
    assert (repo / "notes" / "deep" / "mine.md").read_text() == "mine\n"
    assert (repo / "clone" / "code.txt").read_text() == "code\n"
    assert (repo / "clone" / ".git").is_dir()
    held = git(repo, "log", "--format=", "--name-only", "main").split()
    assert not {".env", "notes/deep/mine.md", "clone"} & set(held)


def is_told(ended: Looped) -> None:
    told = [each["summary"] for each in ended.told("run.warned")]
    (warned,) = [each for each in told if "No longer ignored" in each]
    assert ".env" in warned
    assert "notes/" in warned


@pytest.mark.parametrize("way", WAYS)
def test_a_blocked_task_takes_nothing_of_a_persons_with_it(mine: Path, way: Act) -> None:
    ended = loop(mine, NEVER, Scripted([way]), max_attempts=1)

    assert "- [~] Ignore" in ended.plan
    is_left_alone(mine)
    is_told(ended)
    assert ".env" not in git(mine, "ls-tree", "-r", "--name-only", "prowess/loop/task-1")
    assert git(mine, "status", "--porcelain") == ""


@pytest.mark.parametrize("way", WAYS)
def test_a_proven_task_commits_nothing_of_a_persons(mine: Path, way: Act) -> None:
    plan = RULES.replace("\n  -", "\n  - files: .gitignore\n  -", 1)

    ended = loop(mine, plan, Scripted([way]), max_attempts=1)

    assert "- [R] Ignore" in ended.plan
    assert git(mine, "show", "main:.gitignore") == "build/\n"
    is_left_alone(mine)
    is_told(ended)


def test_a_command_that_removes_the_rules_moves_nothing_of_a_persons(mine: Path) -> None:
    plan = HELLO + "\n## Validation\n\n```sh\nrm -f .gitignore; test -f hello.txt\n```\n"

    ended = loop(mine, plan, Scripted([writes("hello.txt", "hello\n")]), max_attempts=1)

    assert "- [R] Say hello" in ended.plan
    is_left_alone(mine)
    assert git(mine, "show", "main:.gitignore") == ".env\nnotes/\nclone/\n"
    assert (mine / ".gitignore").exists()


def test_what_was_once_ignored_is_left_alone_by_the_tasks_after_it_too(mine: Path) -> None:
    plan = RULES + "- [ ] Give up\n  - `impossible.txt` exists\n" + HELLO
    agent = Scripted([uncovers(), writes("half.txt", "half"), writes("hello.txt", "hello\n")])

    ended = loop(mine, plan, agent, max_attempts=1)

    assert [each["mark"] for each in ended.told("loop.recorded")] == ["R", "~", "R"]
    is_left_alone(mine)


def test_what_is_new_in_a_folder_that_was_ignored_is_the_agents_work(mine: Path) -> None:
    plan = "- [ ] Publish a note\n  - `notes/new.md` contains `new`\n"

    def publishes(folder: Path, order: AgentOrder) -> str:
        write_file(folder / "notes" / "new.md", "new\n")
        return uncovers()(folder, order)

    ended = loop(mine, plan, Scripted([publishes]), max_attempts=1)

    assert "- [R] Publish" in ended.plan
    assert git(mine, "show", "main:notes/new.md") == "new\n"
    is_left_alone(mine)


def test_a_task_that_needs_a_persons_ignored_file_kept_is_not_proven(mine: Path) -> None:
    """No commit of the loop's holds it, so what it shows would hold on this machine alone."""
    plan = "- [ ] Publish the notes\n  - `notes/deep/mine.md` contains `mine`\n"

    ended = loop(mine, plan, Scripted([uncovers()]), max_attempts=1)

    assert "- [~] Publish" in ended.plan
    told = ended.outcome.answer.replace("> ", "").replace(">\n", "\n")  # quoted there
    assert "files that no commit would hold:\n\n- notes/deep/mine.md" in told
    is_left_alone(mine)


def test_a_file_that_a_person_commits_meanwhile_is_ignored_no_more(mine: Path) -> None:
    """Between two tasks, as a person can who works beside a loop."""
    plan = HELLO + "- [ ] Give up\n  - `impossible.txt` exists\n"

    class Committing(Remembering):
        async def do(self, name, work, **more):  # type: ignore[no-untyped-def]
            if name == "select" and (mine / "hello.txt").exists():
                git(mine, "add", "-f", ".env")
                git(mine, "commit", "-q", "--allow-empty", "-m", "mine")
            return await super().do(name, work, **more)

    agent = Scripted([writes("hello.txt", "hello\n"), uncovers()])
    loop(mine, plan, agent, Committing(run_id="loop"), max_attempts=1)

    assert git(mine, "show", "main:.env") == "secret\n"
    assert (mine / ".env").read_text() == "secret\n"


@pytest.mark.parametrize("plan", [RULES, NEVER])
@pytest.mark.parametrize("dies_after", range(6, 13))
def test_nothing_of_a_persons_is_lost_whenever_the_loop_dies(
    mine: Path, plan: str, dies_after: int
) -> None:
    class Dying(Remembering):
        """What a step has done is done, and nobody remembers it."""

        async def do(self, name, work, **more):  # type: ignore[no-untyped-def]
            if self.done == dies_after:
                await work()
                raise KilledError
            return await super().do(name, work, **more)

    agent = Scripted([uncovers(*COMMITS)])
    steps = Dying(run_id="loop")
    with suppress(KilledError):
        loop(mine, plan, agent, steps, max_attempts=1)

    resumed(mine, agent, steps)

    is_left_alone(mine)


def resumed(repo: Path, agent: Scripted, steps: Remembering) -> None:
    """Go on in another process, with the plan as it lies there."""
    from house import Home
    from prowess.engine.house import House
    from prowess.loop.request import LoopRequest
    from prowess.loop.run import run_loop

    request = LoopRequest(plan=str(repo / "PLAN.md"), workspace=str(repo), max_attempts=1)
    again = Remembering(run_id="loop", kept=steps.kept)

    async def work(house: House) -> None:
        await run_loop(again, request.as_json(), world=house.world, agents=lambda name: agent)

    Home(repo, repo.parent / "data", {"*": []}).within(work)


def in_the_place_of_a_file(folder: Path, order: AgentOrder) -> str:
    write_file(folder / ".env", "the agent's\n")
    return uncovers(*COMMITS)(folder, order)


def in_the_place_of_a_folder(folder: Path, order: AgentOrder) -> str:
    write_file(folder / "notes", "the agent's\n")
    git(folder, "add", "-f", "notes")
    return uncovers()(folder, order)


def under_the_name_of_a_file(folder: Path, order: AgentOrder) -> str:
    write_file(folder / ".env" / "inside", "the agent's\n")
    git(folder, "add", "-f", ".env/inside")
    return uncovers()(folder, order)


@pytest.mark.parametrize(
    "way", [in_the_place_of_a_file, in_the_place_of_a_folder, under_the_name_of_a_file]
)
@pytest.mark.parametrize("plan", [RULES, NEVER])
def test_nothing_from_a_work_tree_comes_in_the_place_of_a_persons(
    mine: Path, plan: str, way: Act
) -> None:
    loop(mine, plan, Scripted([way]), max_attempts=1, parallel=2)

    is_left_alone(mine)


def test_a_merge_that_uncovers_what_is_a_persons_is_told(mine: Path) -> None:
    ended = loop(mine, RULES, Scripted([uncovers()]), max_attempts=1, parallel=2)

    assert "- [R] Ignore" in ended.plan
    is_told(ended)
    is_left_alone(mine)


def test_what_a_person_is_about_to_take_out_of_git_is_still_in_it(mine: Path) -> None:
    """With `git rm --cached`, in their own tree, while a task has one of its own."""

    class Untracking(Remembering):
        async def do(self, name, work, **more):  # type: ignore[no-untyped-def]
            if name == "worktrees":
                git(mine, "rm", "-q", "--cached", "README.md")
                write_file(mine / ".gitignore", ".env\nnotes/\nclone/\nREADME.md\n")
            return await super().do(name, work, **more)

    agent = Scripted([writes("hello.txt", "hello\n")])
    ended = loop(mine, HELLO, agent, Untracking(run_id="loop"), max_attempts=1, parallel=2)

    assert "- [R] Say hello" in ended.plan
    assert git(mine, "show", "main:README.md") == "hello\n"


def test_what_a_person_comes_to_ignore_meanwhile_is_not_overwritten_by_a_merge(mine: Path) -> None:
    write_file(mine / ".gitignore", ".env\nnotes/\nclone/\nlater.txt\n")
    git(mine, "commit", "-q", "-a", "-m", "more")

    def act(folder: Path, order: AgentOrder) -> str:
        write_file(mine / "later.txt", "mine\n")
        write_file(folder / "later.txt", "the agent's\n")
        git(folder, "add", "-f", "later.txt")
        return writes("hello.txt", "hello\n")(folder, order)

    ended = loop(mine, HELLO, Scripted([act]), max_attempts=1, parallel=2)

    assert (mine / "later.txt").read_text() == "mine\n"
    assert "- [ ] Say hello" in ended.plan
    assert "later.txt" in ended.outcome.reason


def test_a_folder_of_very_many_files_is_left_alone_as_a_whole(mine: Path) -> None:
    for number in range(2_100):
        write_file(mine / "notes" / f"{number}.md", "mine\n")

    loop(mine, NEVER, Scripted([uncovers(COMMITS[0])]), max_attempts=1)

    is_left_alone(mine)
    assert len(list((mine / "notes").glob("*.md"))) == 2_100


def test_a_loop_that_uncovers_nothing_warns_of_nothing(mine: Path) -> None:
    ended = loop(mine, HELLO, Scripted([writes("hello.txt", "hello\n")]))

    assert "- [R] Say hello" in ended.plan
    assert not ended.told("run.warned")
    with pytest.raises(subprocess.CalledProcessError):
        git(mine, "ls-files", "--error-unmatch", ".env")


def test_an_agent_that_does_nothing_has_nothing_to_show_for_it(mine: Path) -> None:
    ended = loop(mine, NEVER, Scripted([nothing]), max_attempts=1)

    assert "- [~] Ignore" in ended.plan
    is_left_alone(mine)
