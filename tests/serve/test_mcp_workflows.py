"""Workflows over MCP: what they show is returned, what they ask is put to the person."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from prowess.serve import mcp
from serve import served
from serve.mcp_talking import Era, Home, Person, text_of
from support import write_file

ERAS: tuple[Era, ...] = ("auto", "legacy")
DEPLOY = """
name: deploy
description: Deploys a thing.
inputs:
  - {name: app, prompt: Which app?}
steps:
  - {id: plan, output: "Deploying {app}."}
  - {id: where, question: Where to?, options: [staging, production], store: where}
  - {id: place, command: [touch, "{app}-{where}"]}
  - {id: end, output: "{app} is on {where}."}
"""
AROUND = """
name: around
description: Deploys twice.
steps:
  - {id: one, skill: deploy, inputs: {app: web}}
  - {id: end, output: "Both are done."}
"""


GREET = """
name: greet
description: Greets somebody.
inputs:
  - {name: word, prompt: Which word?, default: Hello}
steps:
  - {id: end, output: "{word} {arguments}."}
"""


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    chosen: Era = request.param
    return chosen


@pytest.fixture
def flows(home: Path, project: Path, tmp_path: Path) -> Home:
    for name, text in (("deploy", DEPLOY), ("around", AROUND), ("greet", GREET)):
        write_file(project / ".agents" / "skills" / name / "skill.yaml", text)
    return Home(project, tmp_path / "data")


def test_a_question_of_a_workflow_is_answered_by_the_person(flows: Home, era: Era) -> None:
    person = Person(["staging"])

    result = flows.call("deploy", era, person, app="web")

    assert (flows.project / "web-staging").exists()
    assert text_of(result).splitlines()[:2] == ["Deploying web.", "web is on staging."]
    assert [each.message for each in person.asked] == ["Where to?"]
    assert result.structured_content["outcome"]["details"]["values"]["where"] == "staging"


def test_an_input_that_is_left_out_is_asked_for(flows: Home, era: Era) -> None:
    person = Person(["my app; rm -rf /", "production"])

    flows.call("deploy", era, person)

    assert [each.message for each in person.asked] == ["Which app?", "Where to?"]


def test_a_wrong_answer_is_explained_and_asked_for_again(flows: Home, era: Era) -> None:
    person = Person(["mars", "staging"])

    result = flows.call("deploy", era, person, app="web")

    assert not result.is_error
    assert "'mars' is not one of: staging, production" in person.asked[1].message


def test_a_client_that_cannot_be_asked_is_told_in_words_and_only_once(
    flows: Home, era: Era
) -> None:
    async def work(client: Client) -> Any:
        asked = await client.call_tool("deploy", {"app": "web"})
        run = asked.structured_content["run"]
        return asked, await client.call_tool("answer", {"run": run, "answer": "production"})

    asked, result = flows.talk(work, era=era)

    assert text_of(asked).startswith("Deploying web.\nWhere to?")
    assert text_of(result).splitlines()[0] == "web is on production."


def test_a_question_of_a_workflow_inside_another_reaches_the_person(flows: Home, era: Era) -> None:
    person = Person(["staging"])

    result = flows.call("around", era, person)

    assert (flows.project / "web-staging").exists()
    assert text_of(result).splitlines()[:3] == [
        "Deploying web.",
        "web is on staging.",
        "Both are done.",
    ]


def test_a_workflow_that_uses_its_arguments_is_given_them(flows: Home) -> None:
    as_tool = flows.call("greet", arguments="the World", word="Hi")
    by_name = flows.call("prowess_run", skill="greet", arguments="the World")

    assert text_of(as_tool).startswith("Hi the World.")
    assert text_of(by_name).startswith("Hello the World.")


def test_arguments_that_no_step_of_a_workflow_would_see_are_refused(flows: Home) -> None:
    result = flows.call("prowess_run", skill="deploy", arguments="the World")

    assert result.is_error
    assert "'arguments' was unexpected" in text_of(result)


def test_mistakes_of_a_workflow_are_told_together_before_it_begins(flows: Home) -> None:
    text = "name: bad\ndescription: x\nsteps:\n  - {command: ls, wenn: x}\n  - {output: '{nope}'}\n"
    write_file(flows.project / ".agents" / "skills" / "bad" / "skill.yaml", text)

    result = flows.call("bad")

    assert result.is_error
    assert "wenn" in text_of(result)
    assert "nope" in text_of(result)


# Over the lines that agents use


@asynccontextmanager
async def over_pipes(flows: Home, era: Era, person: Person) -> AsyncIterator[Client]:
    """`prowess mcp`, a process of its own."""
    words = ["-m", "prowess", "mcp", "--project", str(flows.project), "--data", str(flows.data)]
    started = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
    async with Client(started, mode=era, elicitation_callback=person) as client:
        yield client


@asynccontextmanager
async def over_http(flows: Home, era: Era, person: Person) -> AsyncIterator[Client]:
    """`prowess serve`, on a port of loopback."""
    with served.Home(flows.project, flows.data).serving(faces=(mcp.include,)) as server:
        line = streamable_http_client(f"http://127.0.0.1:{server.port}/mcp")
        async with Client(line, mode=era, elicitation_callback=person) as client:
            yield client


Line = Callable[[Home, Era, Person], AbstractAsyncContextManager[Client]]


@pytest.fixture(params=[over_pipes, over_http])
def line(request: pytest.FixtureRequest) -> Line:
    chosen: Line = request.param
    return chosen


def call_over(line: Line, flows: Home, era: Era, person: Person, **given: str) -> Any:
    async def work() -> Any:
        async with line(flows, era, person) as client:
            return await client.call_tool("deploy", given)

    return asyncio.run(work())


def test_a_question_of_a_workflow_is_answered_over_a_real_line(
    flows: Home, era: Era, line: Line
) -> None:
    person = Person(["my app", "mars", "staging"])

    result = call_over(line, flows, era, person)

    assert not result.is_error
    assert (flows.project / "my app-staging").exists()
    assert text_of(result).splitlines()[:2] == ["Deploying my app.", "my app is on staging."]
    asked = [each.message for each in person.asked]
    assert asked[:2] == ["Which app?", "Where to?"]
    assert "'mars' is not one of: staging, production" in asked[2]


def test_a_question_that_the_person_declines_over_a_real_line_stays_open(
    flows: Home, era: Era, line: Line
) -> None:
    result = call_over(line, flows, era, Person([None]), app="web")

    assert result.structured_content["question"]["prompt"] == "Where to?"
    assert not list(flows.project.glob("web-*"))
