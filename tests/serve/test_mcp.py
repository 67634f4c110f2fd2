"""Skills over MCP: as tools that run them, as prompts that load them, with what they ask and tell."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from house import skill_file
from prowess.core.chat import Message
from prowess.model.scripted import Turn, call, final
from serve.mcp_talking import Era, Home, Person, text_of
from support import write_file, write_skill

ERAS: tuple[Era, ...] = ("auto", "legacy")
WORKFLOW = """
name: deploy
description: Deploys.
inputs:
  - {name: where, type: choice, options: [staging, production], prompt: Where to?}
  - {name: count, type: number, default: 2}
  - {name: tags, type: list, required: false}
steps:
  - {id: a, output: done}
"""


@pytest.fixture
def at(home: Path, project: Path) -> Path:
    return project


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    chosen: Era = request.param
    return chosen


def tools_of(home: Home) -> dict[str, types.Tool]:
    async def listed(client: Client) -> list[types.Tool]:
        return (await client.list_tools()).tools

    return {tool.name: tool for tool in home.talk(listed)}


def test_a_skill_is_a_tool_that_returns_its_answer_and_the_id_of_its_run(
    at: Path, tmp_path: Path, era: Era
) -> None:
    skill_file(at, "note", "Write a note about $ARGUMENTS.")
    script = [call("Write", file_path="note.txt", content="hello"), final("Written.")]
    home = Home(at, tmp_path / "data", {"note": script})

    result = home.call("note", era, arguments="tea")

    run = result.structured_content["run"]
    assert (at / "note.txt").read_text() == "hello"
    assert text_of(result) == f"Written.\n[run {run}]"
    assert not result.is_error
    assert result.structured_content["outcome"]["ending"] == "done"
    assert home.events(run)[0].event.payload["arguments"] == "tea"


def test_a_tool_takes_what_its_skill_declares(at: Path, tmp_path: Path) -> None:
    skill_file(at, "plain", "Do it.", **{"argument-hint": "[file]"})
    skill_file(at, "named", "Do it.", arguments="[source, target]")
    write_file(at / ".agents/skills/deploy/skill.yaml", WORKFLOW)

    tools = tools_of(Home(at, tmp_path / "data"))

    assert tools["plain"].input_schema["properties"] == {
        "arguments": {"type": "string", "description": "What the skill is to do. [file]"}
    }
    assert list(tools["named"].input_schema["properties"]) == ["source", "target"]
    assert tools["deploy"].input_schema["properties"] == {
        "where": {
            "type": "string",
            "description": "Where to? (asked for when left out)",
            "enum": ["staging", "production"],
        },
        "count": {"type": "number", "default": 2},
        "tags": {"type": "array", "items": {"type": "string"}},
    }


def test_named_arguments_reach_the_skill_each_as_one(at: Path, tmp_path: Path) -> None:
    skill_file(at, "copy", "From $source to $target.", arguments="source target")
    heard: list[str] = []

    def answer(messages: Sequence[Message]) -> Turn:
        heard.append(messages[0].text)
        return final("done")

    Home(at, tmp_path / "data", {"copy": answer}).call("copy", source="my file", target="b")

    assert "From my file to b." in heard[0]


def test_a_wrong_argument_is_told_to_the_model_and_nothing_is_run(at: Path, tmp_path: Path) -> None:
    skill_file(at, "note", "Write.")
    home = Home(at, tmp_path / "data")

    async def work(client: Client) -> Any:
        wrong = await client.call_tool("note", {"task": "x"})
        return wrong, await client.call_tool("prowess_runs", {})

    wrong, runs = home.talk(work)

    assert wrong.is_error
    assert "'task' was unexpected" in text_of(wrong)
    assert runs.structured_content == {"runs": [], "next": None}


def test_a_tool_that_is_not_there_is_the_clients_mistake(at: Path, tmp_path: Path) -> None:
    async def work(client: Client) -> None:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("nothing", {})
        assert refused.value.code == -32602

    Home(at, tmp_path / "data").talk(work)


def test_who_may_invoke_a_skill_decides_whether_it_is_a_tool_and_a_prompt(
    at: Path, tmp_path: Path
) -> None:
    skill_file(at, "both", "x")
    skill_file(at, "people", "x", **{"disable-model-invocation": "true"})
    skill_file(at, "models", "x", **{"user-invocable": "false"})
    home = Home(at, tmp_path / "data")

    async def prompts(client: Client) -> set[str]:
        return {prompt.name for prompt in (await client.list_prompts()).prompts}

    assert {"both", "people", "models"} & tools_of(home).keys() == {"both"}
    assert {"both", "people", "models"} & home.talk(prompts) == {"both", "people"}
    assert "person only" in text_of(home.call("prowess_run", skill="people"))
    assert "person only" in text_of(home.call("prowess_read", name="people"))


def test_a_skill_with_a_name_of_ours_shadows_none_of_our_tools(at: Path, tmp_path: Path) -> None:
    skill_file(at, "answer", "x")
    home = Home(at, tmp_path / "data", {"answer": [final("From the skill.")]})

    assert "question that a run waits with" in str(tools_of(home)["answer"].description)
    assert text_of(home.call("prowess_run", skill="answer")).startswith("From the skill.")


def test_a_prompt_is_the_skills_text_with_its_arguments_and_runs_nothing(
    at: Path, tmp_path: Path, era: Era
) -> None:
    skill_file(at, "greet", "Say hello to $ARGUMENTS.\n\n!`touch ran`")

    async def work(client: Client) -> str:
        got = await client.get_prompt("greet", {"arguments": "Ada"})
        content = got.messages[0].content
        assert isinstance(content, types.TextContent)
        return content.text

    said = Home(at, tmp_path / "data").talk(work, era=era)

    assert said.startswith(f"Reading: greet\nBase directory: {at}/.agents/skills/greet\n")
    assert "Say hello to Ada." in said
    assert not (at / "ran").exists()


def test_a_prompt_that_is_not_there_is_the_clients_mistake(at: Path, tmp_path: Path) -> None:
    write_skill(at / ".agents/skills", "greet")

    async def work(client: Client) -> None:
        with pytest.raises(MCPError, match="did you mean 'greet'") as refused:
            await client.get_prompt("gret", {})
        assert refused.value.code == -32602

    Home(at, tmp_path / "data").talk(work)


def test_a_question_is_put_to_the_person_and_the_run_goes_on_with_the_answer(
    at: Path, tmp_path: Path, era: Era
) -> None:
    skill_file(at, "ask", "Ask.")
    script = [
        call("Ask", question="Which?", options=["red", "blue"]),
        call("Ask", question="How many?"),
        final("done"),
    ]
    home, person = Home(at, tmp_path / "data", {"ask": script}), Person(["blue", "3"])

    result = home.call("ask", era, person)

    assert text_of(result).startswith("done")
    first, second = person.asked
    assert isinstance(first, types.ElicitRequestFormParams)
    assert first.message == "Which?"
    assert first.requested_schema["properties"]["answer"]["enum"] == ["red", "blue"]
    assert second.message == "How many?"
    answers = [
        each.event.payload["answer"]
        for each in home.events(result.structured_content["run"])
        if each.event.kind == "question.answered"
    ]
    assert answers == ["blue", "3"]


def test_a_question_of_a_sub_agent_is_put_to_the_person_once(
    at: Path, tmp_path: Path, era: Era
) -> None:
    skill_file(at, "parent", "Delegate.")
    skill_file(at, "child", "Ask.", context="fork")
    scripts = {
        "parent": [call("Skill", name="child"), final("done")],
        "child": [call("Ask", question="Which?"), final("asked")],
    }
    person = Person(["red"])

    result = Home(at, tmp_path / "data", scripts).call("parent", era, person)

    assert text_of(result).startswith("done")
    assert [each.message for each in person.asked] == ["Which?"]


def test_a_client_that_cannot_be_asked_gets_the_question_as_text_and_a_tool_to_answer(
    at: Path, tmp_path: Path, era: Era
) -> None:
    skill_file(at, "ask", "Ask.")
    script = [call("Ask", question="Which?", options=["red", "blue"]), final("done")]

    async def work(client: Client) -> Any:
        asked = await client.call_tool("ask", {})
        run = asked.structured_content["run"]
        wrong = await client.call_tool("answer", {"run": run, "answer": "green"})
        return asked, wrong, await client.call_tool("answer", {"run": run, "answer": "2"})

    home = Home(at, tmp_path / "data", {"ask": script})
    asked, wrong, result = home.talk(work, era=era)

    assert "Which?\n\n1. red\n2. blue" in text_of(asked)
    assert "use red or blue" in text_of(wrong)
    assert text_of(result).startswith("done")
    (answered,) = [
        each.event.payload
        for each in home.events(result.structured_content["run"])
        if each.event.kind == "question.answered"
    ]
    assert answered["answer"] == "blue"


def test_an_answer_may_come_to_another_process_than_the_one_that_asked(
    at: Path, tmp_path: Path
) -> None:
    skill_file(at, "ask", "Ask.")
    script = [
        call("Write", file_path="a", content="1"),
        call("Ask", question="Which?"),
        final("ok"),
    ]
    home = Home(at, tmp_path / "data", {"ask": script})

    async def begin(client: Client) -> Any:
        return await client.session.call_tool("ask", {}, allow_input_required=True)

    asked = home.talk(begin, person=Person([]))
    (at / "a").unlink()
    ((key, _),) = asked.input_requests.items()
    answer = types.ElicitResult(action="accept", content={"answer": "red"})

    async def go_on(client: Client) -> Any:
        return await client.session.call_tool(
            "ask", {}, request_state=asked.request_state, input_responses={key: answer}
        )

    result = home.talk(go_on, person=Person([]))

    assert text_of(result).startswith("ok")
    assert result.structured_content["run"] == asked.request_state
    assert not (at / "a").exists(), "what was done before the question is not done again"


def test_a_state_that_is_no_run_of_the_tool_is_refused(at: Path, tmp_path: Path) -> None:
    skill_file(at, "one", "x")
    skill_file(at, "two", "x")
    home = Home(at, tmp_path / "data", {"*": [final("done")]})

    async def work(client: Client) -> list[Any]:
        run = (await client.call_tool("one", {})).structured_content["run"]
        states = [run, "../../etc/passwd", ""]
        return [await client.session.call_tool("two", {}, request_state=each) for each in states]

    other, nonsense, empty = home.talk(work)

    assert "is no run of two" in text_of(other)
    assert nonsense.is_error
    assert not empty.is_error, "an empty state is a first call"


def test_who_declines_gives_the_default_and_without_one_the_run_waits(
    at: Path, tmp_path: Path, era: Era
) -> None:
    skill_file(at, "ask", "Ask.")
    script = [
        call("Ask", question="Sure?", options=["yes", "no"], default="no"),
        call("Ask", question="Why?"),
        final("done"),
    ]
    home = Home(at, tmp_path / "data", {"ask": script})

    async def work(client: Client) -> Any:
        left = await client.call_tool("ask", {})
        run = left.structured_content["run"]
        shown = await client.call_tool("prowess_run_show", {"run": run})
        return left, shown, await client.call_tool("answer", {"run": run, "answer": "because"})

    left, shown, result = home.talk(work, era=era, person=Person([None, None]))

    assert "waits for an answer" in text_of(left)
    assert shown.structured_content["state"] == "waiting"
    assert shown.structured_content["question"]["prompt"] == "Why?"
    assert text_of(result).startswith("done")


def test_a_run_tells_how_far_it_is(at: Path, tmp_path: Path, era: Era) -> None:
    skill_file(at, "note", "Write.")
    script = [call("Write", file_path=f"{n}.txt", content="x") for n in range(3)]
    told: list[tuple[float, str | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))

    async def work(client: Client) -> Any:
        return await client.call_tool("note", {}, progress_callback=tell)

    Home(at, tmp_path / "data", {"note": [*script, final("done")]}).talk(work, era=era)

    amounts = [done for done, _ in told]
    assert told[0][1] == "Run note"
    assert any("0.txt" in str(message) for _, message in told)
    assert amounts == sorted(set(amounts))


def test_a_client_that_hangs_up_leaves_its_run_to_be_resumed(
    at: Path, tmp_path: Path, era: Era
) -> None:
    skill_file(at, "slow", "Wait.", **{"allowed-tools": "Bash(sleep:*)"})
    home = Home(at, tmp_path / "data", {"slow": [call("Bash", command="sleep 60"), final("x")]})

    async def leave(client: Client) -> str:
        begun = await client.call_tool("prowess_run", {"skill": "slow", "wait": False})
        return str(begun.structured_content["run"])

    async def look(client: Client) -> str:
        shown = await client.call_tool("prowess_run_show", {"run": run})
        return str(shown.structured_content["state"])

    run = home.talk(leave, era=era)

    assert home.talk(look, era=era) == "interrupted"


def test_what_was_found_before_the_budget_ended_is_returned(at: Path, tmp_path: Path) -> None:
    skill_file(at, "long", "Go on.", max_iterations=1)
    script = [call("Write", "Found: 42", file_path="a", content="x"), final("never")]

    result = Home(at, tmp_path / "data", {"long": script}).call("long")

    assert result.structured_content["outcome"]["ending"] == "partial"
    assert not result.is_error
    assert "iteration" in text_of(result)


def test_a_skill_that_fails_is_an_error_that_says_why(at: Path, tmp_path: Path) -> None:
    skill_file(at, "wrong", "x", max_iterations="many")

    result = Home(at, tmp_path / "data", {"*": [final("x")]}).call("wrong")

    assert result.is_error
    assert "max_iterations is 'many'" in text_of(result)


def test_a_skill_written_while_the_server_runs_is_found(
    at: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prowess.serve.mcp_premises.LOOK", 0)

    async def work(client: Client) -> Any:
        before = {tool.name for tool in (await client.list_tools()).tools}
        await client.call_tool("prowess_run", {"skill": "early"})
        skill_file(at, "late", "x")
        after = {tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools}
        return after - before, await client.call_tool("late", {})

    skill_file(at, "early", "x")
    new, result = Home(at, tmp_path / "data", {"*": [final("done")]}).talk(work)

    assert new == {"late"}
    assert text_of(result).startswith("done")


def test_match_and_read_are_what_the_command_line_says(at: Path, tmp_path: Path) -> None:
    folder = write_skill(at / ".agents/skills", "csv", description="Reads CSV files. Use for CSV.")
    write_file(folder / "reference.md", "columns")
    home = Home(at, tmp_path / "data")

    matched = home.call("prowess_match", task="read a csv file").structured_content
    nothing = home.call("prowess_match", task="the of and").structured_content

    assert [each["name"] for each in matched["skills"]] == ["csv"]
    assert nothing["strategy"] == "none"
    assert text_of(home.call("prowess_read", name="csv")).startswith("Reading: csv\n")
    assert text_of(home.call("prowess_read", name="csv", file="reference.md")) == "columns"
    assert home.call("prowess_read", name="csv", file="../../secret").is_error


def test_a_match_over_mcp_keeps_no_secret_of_its_task(at: Path, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    home = Home(at, tmp_path / "data")

    task = f"read a csv file of bob@example.org with {token}"
    matched = home.call("prowess_match", task=task).structured_content

    (kept,) = home.events(matched["run_id"])
    assert kept.event.payload["task_label"] == "read a csv file of [email] with [secret]"


def test_a_task_is_made_claimed_and_done_over_mcp(at: Path, tmp_path: Path) -> None:
    async def work(client: Client) -> list[Any]:
        async def ask(tool: str, **given: Any) -> Any:
            return (await client.call_tool(f"prowess_{tool}", given)).structured_content

        task = await ask("task_create", title="Fix it", role="Engineer", priority="high")
        await ask("session_start", name="Ptah", role="Engineer")
        claimed = await ask("task_claim", id=task["id"], session="Ptah")
        again = await ask("task_claim", id=task["id"], session="Ptah")
        said = await ask("task_update", id=task["id"], message="half way", session="Ptah")
        handed = await ask("handoff_create", sender="Ptah", to_role="Tester", text="Try it")
        waiting = await ask("handoff_list", role="Tester")
        done = await ask("task_done", id=task["id"], message="212 passed", session="Ptah")
        left = await ask("session_end", name="Ptah")
        return [claimed, again, said, handed, waiting, done, left, await ask("task_list")]

    claimed, again, said, handed, waiting, done, left, rest = Home(at, tmp_path / "data").talk(work)

    assert (claimed["id"], claimed["status"], claimed["session"]) == (
        "ENG-H-0001",
        "in-progress",
        "Ptah",
    )
    assert again["message"] == "Ptah has ENG-H-0001 already"
    assert said["status"] == "in-progress"
    assert waiting["handoffs"] == [handed]
    assert (done["status"], left["name"], rest) == ("done", "Ptah", {"tasks": []})


def test_events_of_a_run_are_told_in_order_and_page_by_page(at: Path, tmp_path: Path) -> None:
    skill_file(at, "note", "x")

    async def work(client: Client) -> list[Any]:
        run = (await client.call_tool("note", {})).structured_content["run"]
        pages = [{"limit": 1}, {"after": 1}]
        return [
            (await client.call_tool("prowess_run_events", {"run": run, **page})).structured_content
            for page in pages
        ]

    first, rest = Home(at, tmp_path / "data", {"note": [final("done")]}).talk(work)

    kinds = [each["kind"] for each in first["events"] + rest["events"]]
    assert kinds == ["run.started", "model.replied", "run.finished"]


def test_text_of_facts_is_json_for_clients_that_read_only_text(at: Path, tmp_path: Path) -> None:
    result = Home(at, tmp_path / "data").call("prowess_task_list")

    assert json.loads(text_of(result)) == result.structured_content == {"tasks": []}


def test_every_tool_of_the_server_is_documented(at: Path, tmp_path: Path) -> None:
    home = Home(at, tmp_path / "data", settings={"only_dirs": (str(at),)})
    text = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text()

    for name in tools_of(home):
        assert f"`{name}`" in text, name
