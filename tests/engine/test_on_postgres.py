"""A run on PostgreSQL leaves what it leaves in a file, and another machine sees all of it."""

from pathlib import Path

from house import Home, skill_file
from postgres import asked_on_a_loop, server
from prowess.engine.house import House
from prowess.engine.request import RunRequest
from prowess.model.scripted import call, final
from prowess.observe.opening import open_log
from prowess.observe.stats import stats
from prowess.observe.views import run_view

SCRIPT = [call("Write", file_path="note.txt", content="hello"), final("Written.")]


def test_a_run_on_postgresql_tells_what_a_run_on_a_file_tells(
    project: Path, tmp_path: Path
) -> None:
    skill_file(project, "note", "# Write a note")
    url = server().new_database()
    in_file = Home(project, tmp_path / "file", {"note": SCRIPT})
    shared = Home(
        project, tmp_path / "shared", {"note": SCRIPT}, environment={"PROWESS_DATABASE_URL": url}
    )

    told, ended = in_file.run("note"), shared.run("note")

    assert ended.outcome.ending == told.outcome.ending == "done"
    assert ended.kinds() == told.kinds()
    assert [each.seq for each in ended.events] == list(range(1, len(ended.events) + 1))
    assert not list((tmp_path / "shared").glob("*.sqlite3"))
    log = open_log(url)
    assert list(log.runs(limit=5)) == [ended.run]
    assert run_view(log.run(ended.run)).state == "done"
    assert stats(log.tail()).all.runs == 1
    log.close()


def test_a_run_holds_up_nothing_else_however_slow_the_database_is(
    project: Path, tmp_path: Path
) -> None:
    skill_file(project, "note", "# Write a note")
    skill_file(project, "ask", "# Ask")
    scripts = {"note": SCRIPT, "ask": [call("Ask", question="Which?"), final("Asked.")]}
    shared = {"PROWESS_DATABASE_URL": server().new_database()}

    async def work(house: House) -> list[str]:
        with asked_on_a_loop() as found:
            await house.outcome(await house.start(RunRequest(skill="note", workspace=str(project))))
            asking = RunRequest(skill="ask", workspace=str(project), answers=True)
            await house.cancel(await house.start(asking))
        return found

    assert Home(project, tmp_path / "data", scripts, environment=shared).within(work) == []
