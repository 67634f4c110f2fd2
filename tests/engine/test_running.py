"""One run from its request to its end, with everything real but the model."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from house import Home, skill_file
from prowess.core.chat import Message
from prowess.core.errors import SkillError, UnknownSkillError
from prowess.engine.forking import fork
from prowess.engine.house import House
from prowess.engine.request import RunRequest
from prowess.model.scripted import Turn, call, calls, final
from prowess.observe.follow import follow


def seen(messages: Sequence[Message]) -> str:
    return "\n".join(message.text for message in messages)


@pytest.fixture
def at(home: Path, project: Path) -> Path:
    return project


def test_a_skill_runs_to_its_answer_and_its_story_is_told(at: Path, tmp_path: Path) -> None:
    skill_file(at, "note", "Write a note.")
    script = [call("Write", file_path="note.txt", content="hello"), final("Written.")]

    ended = Home(at, tmp_path / "data", {"note": script}).run("note")

    assert ended.outcome.answer == "Written."
    assert (at / "note.txt").read_text() == "hello"
    assert ended.kinds() == [
        "run.started",
        "model.replied",
        "call.started",
        "call.finished",
        "model.replied",
        "run.finished",
    ]
    assert [each.seq for each in ended.events] == list(range(1, 7))


def test_the_first_prompt_has_the_instructions_and_one_line_for_each_file(
    at: Path, tmp_path: Path
) -> None:
    folder = skill_file(at, "api", "Call it.\n\n- reference.md: every endpoint")
    (folder / "reference.md").write_text("SECRET OF THE REFERENCE\n" * 100)
    heard: list[str] = []

    def answer(messages: Sequence[Message]) -> Turn:
        heard.append(seen(messages))
        return final("done")

    Home(at, tmp_path / "data", {"api": answer}).run("api", "get users")

    assert "Call it." in heard[0]
    assert "reference.md: every endpoint (100 lines)" in heard[0]
    assert "SECRET OF THE REFERENCE" not in heard[0]
    assert "get users" in heard[0]


def test_a_supporting_file_is_read_when_it_is_asked_for_with_its_variables_filled(
    at: Path, tmp_path: Path
) -> None:
    folder = skill_file(at, "api", "Call it.")
    (folder / "reference.md").write_text("for $ARGUMENTS")
    script = [call("Fetch", file="reference.md"), final("done")]

    ended = Home(at, tmp_path / "data", {"api": script}).run("api", "users")

    assert "for users" in ended.payloads("call.finished")[0]["text"]


def test_commands_of_the_skill_run_before_the_first_iteration_and_are_on_record(
    at: Path, tmp_path: Path
) -> None:
    (at / "a.txt").write_text("here")
    body = "Now:\n\n!`cat a.txt`\n\n!`rm a.txt`\n\nFor $ARGUMENTS and `$ARGUMENTS`"
    skill_file(at, "state", body, **{"allowed-tools": "Bash(cat:*)"})
    heard: list[str] = []

    def answer(messages: Sequence[Message]) -> Turn:
        heard.append(seen(messages))
        return final("done")

    ended = Home(at, tmp_path / "data", {"state": answer}).run("state", "x")

    assert "\nhere" in heard[0]
    assert (at / "a.txt").exists()
    audits = ended.payloads("command.injected")
    assert [(each["command"], each["ok"]) for each in audits] == [
        ("cat a.txt", True),
        ("rm a.txt", False),
    ]


@pytest.mark.parametrize(("argument", "runs"), [("b.txt", True), ("-ob.txt", False)])
def test_an_argument_of_a_run_cannot_become_an_option_of_the_skills_commands(
    at: Path, tmp_path: Path, argument: str, *, runs: bool
) -> None:
    (at / "a.txt").write_text("a\n")
    (at / "b.txt").write_text("b\n")
    skill_file(at, "state", '!`sort "$1" a.txt`', **{"allowed-tools": "Bash(sort:*)"})

    ended = Home(at, tmp_path / "data", {"state": [final("done")]}).run("state", argument)

    assert [each["ok"] for each in ended.payloads("command.injected")] == [runs]
    assert (at / "b.txt").read_text() == "b\n"


def test_what_the_skill_does_not_allow_is_refused_and_told(at: Path, tmp_path: Path) -> None:
    skill_file(at, "look", "Look.", **{"allowed-tools": "Read"})
    script = [
        call("Bash", command="touch x"),
        call("Write", file_path="y", content=""),
        final("ok"),
    ]

    ended = Home(at, tmp_path / "data", {"look": script}).run("look")

    assert [each["refused"] for each in ended.payloads("call.finished")] == [True, True]
    assert not (at / "x").exists()
    assert not (at / "y").exists()


def test_a_rule_of_the_call_grants_it_for_this_run(at: Path, tmp_path: Path) -> None:
    skill_file(at, "look", "Look.", **{"allowed-tools": "Read"})
    script = [call("Bash", command="touch x"), final("ok")]

    Home(at, tmp_path / "data", {"look": script}).run("look", allow=("Bash(touch:*)",))

    assert (at / "x").exists()


def test_a_command_cannot_leave_its_sandbox(at: Path, tmp_path: Path) -> None:
    skill_file(at, "run", "Run.")
    outside = tmp_path / "outside.txt"
    script = [call("Bash", command=f"echo gone > {outside}; echo in > inside.txt"), final("ok")]

    Home(at, tmp_path / "data", {"run": script}).run("run")

    assert (at / "inside.txt").read_text() == "in\n"
    assert not outside.exists()


def test_secrets_never_reach_the_log(at: Path, tmp_path: Path) -> None:
    secret = "correct-horse-battery-staple"  # noqa: S105  nobody uses it any more
    (at / "conf").write_text(f"value is {secret}")
    skill_file(at, "leak", "Read it.")
    script = [call("Read", file_path="conf"), final(f"It is {secret}.")]
    home = Home(at, tmp_path / "data", {"leak": script}, environment={"MY_API_KEY": secret})

    ended = home.run("leak", f"find {secret}")

    assert secret not in str([each.event.payload for each in ended.events])
    assert secret.encode() not in (tmp_path / "data" / "log.sqlite3").read_bytes()


def test_a_card_number_is_not_half_kept_where_a_summary_is_cut(at: Path, tmp_path: Path) -> None:
    skill_file(at, "pay", "Pay.", max_retries_per_tool=1)
    card = "4111 1111 1111 1111"
    thought = f"The card of the customer Mister Long Name who pays every month: {card} ok"
    spoken = call("Bash", thought, command=f"echo {'a' * 56} {card}; " + "true; " * 99 + "exit 1")
    script = [spoken, spoken, *[call("Read", file_path="gone")] * 13]

    ended = Home(at, tmp_path / "data", {"pay": script}).run("pay")

    assert "What failed:" in ended.outcome.answer
    assert "1111" not in str([each.event.payload for each in ended.events])


def test_only_the_newest_failures_are_told_and_once_in_an_iteration(
    at: Path, tmp_path: Path
) -> None:
    skill_file(at, "miss", "Read.")
    heard: list[Sequence[Message]] = []

    def read(said: Sequence[Message]) -> Turn:
        heard.append(list(said))
        if len(heard) == 3:
            return final("done")
        names = (f"gone-{len(heard)}-{n}" for n in range(20))
        return calls(*(("Read", {"file_path": name}) for name in names))

    Home(at, tmp_path / "data", {"miss": read}).run("miss")

    listed = [[each for each in said if "Failed so far" in each.text] for said in heard]
    assert [len(each) for each in listed] == [0, 1, 2]
    last = listed[2][-1]
    assert last is heard[2][-1]
    assert last.text.count("\n- ") == 11
    assert "- 30 more before these" in last.text
    assert '"gone-2-10"' in last.text
    assert heard[2][: len(heard[1])] == heard[1]


def test_a_forked_skill_runs_apart_and_its_parent_gets_a_summary(at: Path, tmp_path: Path) -> None:
    skill_file(at, "parent", "Delegate.", max_iterations=9)
    skill_file(at, "deep", "Dig for $ARGUMENTS.", context="fork", agent="Explore")
    heard: list[str] = []

    def child(messages: Sequence[Message]) -> Turn:
        heard.append(seen(messages))
        if len(messages) == 2:
            return calls(
                ("Write", {"file_path": "x", "content": ""}), ("Bash", {"command": "touch x"})
            )
        return final("found 3")

    parent = [call("Skill", name="deep", arguments="bugs"), final("done")]
    home = Home(at, tmp_path / "data", {"parent": parent, "deep": child})
    ended = home.run("parent", "PARENT TASK")

    async def events(house: House) -> list[str]:
        return [each.event.kind for each in house.log.run(f"{ended.run}.1")]

    told = ended.payloads("call.finished")[0]["text"]
    assert told.startswith("found 3")
    assert f"prowess runs show {ended.run}.1" in told
    assert "PARENT TASK" not in heard[0]
    assert "Dig for bugs." in heard[0]
    assert not (at / "x").exists()
    assert home.within(events)[0] == "run.started"
    assert ended.payloads("agent.joined")[0]["outcome"]["iterations"] == 2


def test_a_sub_agent_gets_half_of_what_its_parent_has_left(at: Path, tmp_path: Path) -> None:
    skill_file(at, "parent", "Delegate.", max_iterations=9)
    skill_file(at, "deep", "Dig.", context="fork", max_iterations=50)
    endless = {"parent": [call("Skill", name="deep"), final("done")]}
    home = Home(
        at,
        tmp_path / "data",
        {**endless, "deep": lambda said: call("Read", file_path=str(len(said)))},
    )

    ended = home.run("parent")

    assert ended.payloads("agent.joined")[0]["outcome"]["iterations"] == 4


def test_each_sub_agent_gets_half_of_what_those_before_it_have_left(
    at: Path, tmp_path: Path
) -> None:
    skill_file(at, "parent", "Delegate.", max_iterations=15)
    skill_file(at, "deep", "Dig.", context="fork", max_iterations=50)
    asked = [("Skill", {"name": "deep", "arguments": str(n)}) for n in range(5)]
    script = [calls(*asked), call("Skill", name="deep", arguments="last"), final("done")]
    endless = {"deep": lambda said: call("Read", file_path=str(len(said)))}

    ended = Home(at, tmp_path / "data", {"parent": script, **endless}).run("parent")

    used = [each["outcome"]["iterations"] for each in ended.payloads("agent.joined")]
    assert used == [7, 3, 2, 1, 1]
    assert sum(each["refused"] for each in ended.payloads("call.finished")) == 1


def test_sub_agents_do_not_nest_for_ever(at: Path, tmp_path: Path) -> None:
    skill_file(at, "again", "Again.", context="fork")
    script = [call("Skill", name="again"), final("done")]

    ended = Home(at, tmp_path / "data", {"again": script}).run("again")

    assert ended.outcome.ok
    assert ended.payloads("agent.forked")


def test_simple_mode_and_settings_of_the_skill_are_kept_to(at: Path, tmp_path: Path) -> None:
    skill_file(at, "old", "Do it.", execution_mode="simple")
    script = [call("Read", file_path="x"), call("Read", file_path="y")]

    ended = Home(at, tmp_path / "data", {"old": script}).run("old")

    assert (ended.outcome.ending, ended.outcome.iterations) == ("partial", 2)


def test_what_a_skill_says_of_its_runs_counts_more_than_what_the_platform_says(
    at: Path, tmp_path: Path
) -> None:
    skill_file(at, "plain", "Read it.")
    skill_file(at, "own", "Read it.", max_iterations=3, max_retries_per_tool=1)
    script = [call("Read", file_path="gone.txt") for _ in range(9)]
    platform = {"PROWESS_RUN_MAX_ITERATIONS": "5", "PROWESS_RUN_MAX_RETRIES_PER_TOOL": "2"}
    house = Home(at, tmp_path / "data", {"*": script}, environment=platform)

    plain, own = house.run("plain"), house.run("own")

    told = [
        (
            ended.outcome.iterations,
            sum(not each["refused"] for each in ended.payloads("call.finished")),
        )
        for ended in (plain, own)
    ]
    assert told == [(5, 2), (3, 1)]


def test_an_iteration_has_the_time_that_the_skill_says(at: Path, tmp_path: Path) -> None:
    skill_file(at, "brief", "Wait.", timeout_per_iteration="500ms")
    script = [call("Bash", command="sleep 5"), final("done")]

    ended = Home(at, tmp_path / "data", {"brief": script}).run("brief")

    assert "the iteration's 0.5 s" in str([each.event.payload for each in ended.events])


def test_the_model_of_the_call_counts_more_than_that_of_the_skill(at: Path, tmp_path: Path) -> None:
    skill_file(at, "a", "Do it.", model="haiku")

    ended = Home(at, tmp_path / "data", {"a": [final("x")]}).run("a")
    other = Home(at, tmp_path / "data", {"a": [final("x")]}).run("a", model="opus")

    assert ended.payloads("run.started")[0]["model"] == "haiku"
    assert other.payloads("run.started")[0]["model"] == "opus"


def test_what_cannot_work_is_refused_before_it_starts(at: Path, tmp_path: Path) -> None:
    skill_file(at, "wrong", "x", max_iterations=0)
    home = Home(at, tmp_path / "data", {"*": [final("x")]})

    async def check(house: House, skill: str) -> None:
        house.check(RunRequest(skill=skill))

    with pytest.raises(UnknownSkillError):
        home.within(lambda house: check(house, "missing"))
    with pytest.raises(SkillError, match="max_iterations"):
        home.within(lambda house: check(house, "wrong"))


def test_a_run_can_be_tried_again_from_an_iteration(at: Path, tmp_path: Path) -> None:
    skill_file(at, "count", "Count.")
    lines = at / "lines"
    script = [
        *(call("Bash", command=f"echo {n} >> lines") for n in range(3)),
        final("done"),
    ]
    home = Home(at, tmp_path / "data", {"count": script})
    ended = home.run("count")

    async def part(house: House) -> str:
        new = await fork(house.log, house.engine, ended.run, at="3")
        await house.outcome(new)
        return new

    new = home.within(part)

    assert new != ended.run
    assert lines.read_text().split() == ["0", "1", "2", "2"]


def test_a_cancelled_run_says_so(at: Path, tmp_path: Path) -> None:
    skill_file(at, "long", "Wait.")
    home = Home(at, tmp_path / "data", {"long": [call("Bash", command="sleep 60"), final("x")]})

    async def cancel(house: House) -> list[str]:
        run = await house.start(RunRequest(skill="long", workspace=str(at)))
        async for each in follow(house.log, run):
            if each.event.kind == "call.started":
                break
        await house.cancel(run)
        return [
            each.event.payload["outcome"]["ending"]
            for each in house.log.run(run)
            if each.event.kind == "run.finished"
        ]

    assert home.within(cancel) == ["cancelled"]


def test_a_question_of_the_model_waits_for_a_persons_answer(at: Path, tmp_path: Path) -> None:
    skill_file(at, "ask", "Ask.")
    script = [call("Ask", question="Which?", options=["red", "blue"]), final("done")]
    home = Home(at, tmp_path / "data", {"ask": script})

    async def answer(house: House) -> str:
        run = await house.start(RunRequest(skill="ask", workspace=str(at), answers=True))
        async for each in follow(house.log, run):
            if each.event.kind == "question.asked":
                await house.engine.send_answer(run, each.event.payload["id"], "blue")
            if each.event.kind == "call.finished":
                return str(each.event.payload["text"])
        return ""

    assert home.within(answer) == "blue"


def test_without_anyone_to_ask_there_is_no_tool_for_it(at: Path, tmp_path: Path) -> None:
    skill_file(at, "ask", "Ask.")
    script = [call("Ask", question="Which?"), final("done")]

    ended = Home(at, tmp_path / "data", {"ask": script}).run("ask")

    assert not ended.payloads("call.finished")[0]["ok"]
    assert not ended.payloads("question.asked")


def test_a_linked_skill_runs_its_scripts(at: Path, tmp_path: Path) -> None:
    folder = skill_file(tmp_path / "elsewhere", "linked", "Run.")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "hello.sh").write_text("echo hello from $0\n")
    (at / ".agents" / "skills").mkdir(parents=True)
    (at / ".agents" / "skills" / "linked").symlink_to(folder)
    script = [call("Bash", command='bash "$SKILL_DIR/scripts/hello.sh"'), final("done")]

    ended = Home(at, tmp_path / "data", {"linked": script}).run("linked")

    assert "hello from" in ended.payloads("call.finished")[0]["text"]


def test_a_run_that_goes_on_under_other_settings_keeps_to_those_it_began_with(
    at: Path, tmp_path: Path
) -> None:
    skill_file(at, "steps", "Work.")
    script = [
        call("Bash", command="touch a"),
        call("Ask", question="Go on?"),
        call("Bash", command="touch b"),
        final("done"),
    ]

    async def until_asked(house: House) -> str:
        run = await house.start(RunRequest(skill="steps", workspace=str(at), answers=True))
        async for each in follow(house.log, run):
            if each.event.kind == "question.asked":
                break
        return run

    run = Home(at, tmp_path / "data", {"steps": script}).within(until_asked)
    stricter = {"PROWESS_PERMISSIONS_DEFAULT": "read-only", "PROWESS_RUN_MAX_ITERATIONS": "1"}

    async def go_on(house: House) -> list[str]:
        await house.engine.resume(run)
        await house.engine.send_answer(run, f"{run}-q1", "yes")
        assert (await house.outcome(run)).answer == "done"
        return [each.event.kind for each in house.log.run(run)]

    kinds = Home(at, tmp_path / "data", {"steps": script}, environment=stricter).within(go_on)

    assert (at / "b").exists()
    assert kinds.count("run.started") == 1
    assert kinds[-1] == "run.finished"


def test_a_run_keeps_the_whole_name_of_the_folder_it_works_in(at: Path, tmp_path: Path) -> None:
    skill_file(at, "look", "Look.")

    async def begin(house: House) -> object:
        run = await house.start(RunRequest(skill="look"))
        await house.outcome(run)
        return next(iter(house.log.run(run))).event.payload["project"]

    assert Home(at, tmp_path / "data", {"look": [final("Seen.")]}).within(begin) == str(at)


def test_what_the_platform_never_allows_no_skill_and_no_call_can_grant(
    at: Path, tmp_path: Path
) -> None:
    skill_file(at, "sly", "Do it.", **{"allowed-tools": "Bash"})
    script = [call("Bash", command="touch x"), call("Bash", command="mkdir y"), final("done")]
    never = {"PROWESS_PERMISSIONS_NEVER": "Bash(touch:*)"}

    Home(at, tmp_path / "data", {"sly": script}, environment=never).run("sly", allow=("Bash",))

    assert not (at / "x").exists()
    assert (at / "y").exists()


def test_what_a_parent_was_denied_its_sub_agent_is_denied_too(at: Path, tmp_path: Path) -> None:
    skill_file(at, "parent", "Delegate.", **{"disallowed-tools": "Bash"})
    skill_file(at, "deep", "Dig.", context="fork", **{"allowed-tools": "Bash"})
    child = [call("Bash", command="touch x"), final("done")]
    parent = [call("Skill", name="deep"), final("done")]

    Home(at, tmp_path / "data", {"parent": parent, "deep": child}).run("parent")

    assert not (at / "x").exists()
