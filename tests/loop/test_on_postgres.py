"""A loop whose log is on a server: whatever it reads and tells, nobody else of its process waits with it."""

from pathlib import Path

from house import Home
from loop.looping import Scripted, git, writes
from postgres import asked_on_a_loop, server
from prowess.core.run import outcome_from_json
from prowess.durable.straight import StraightSteps
from prowess.engine.house import House
from prowess.loop.request import LoopRequest
from prowess.loop.run import run_loop
from support import write_file


def test_a_loop_holds_up_nothing_else_however_slow_the_database_is(
    repo: Path, tmp_path: Path
) -> None:
    plan = write_file(repo / "PLAN.md", "- [ ] Say hello\n  - `hello.txt` contains `hi`\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "plan")
    agent = Scripted([writes("hello.txt", "hi")])
    shared = {"PROWESS_DATABASE_URL": server().new_database()}

    async def work(house: House) -> list[str]:
        request = LoopRequest(plan=str(plan), workspace=str(repo)).as_json()
        with asked_on_a_loop() as found:
            told = await run_loop(
                StraightSteps("loop"), request, world=house.world, agents=lambda name: agent
            )
        assert outcome_from_json(told).ok
        return found

    assert Home(repo, tmp_path / "data", {"*": []}, environment=shared).within(work) == []
