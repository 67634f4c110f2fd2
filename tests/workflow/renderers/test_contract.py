"""What holds for every renderer, with somebody real at its other end."""

import re

import pytest

from players import PLAYERS, Player, Talk
from prowess.core.run import Question
from prowess.core.workflow import Progress, Renderer

ROLE = Question(id="q1", prompt="Which role?", options=("Architect", "Engineer"))
NAME = Question(id="q2", prompt="Which name?", default="Ptah")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # what Rich itself writes


@pytest.fixture(params=PLAYERS.values(), ids=list(PLAYERS))
def play(request: pytest.FixtureRequest) -> Player:
    player: Player = request.param
    return player


def asking(*questions: Question, got: list[str | None]) -> Talk:
    async def talk(renderer: Renderer) -> str:
        got.extend([await renderer.ask(question, step="the-step") for question in questions])
        return "over"

    return talk


def test_what_a_step_says_is_shown(play: Player) -> None:
    async def talk(renderer: Renderer) -> str:
        await renderer.show("# Status\n\n**3** agents", step="a")
        await renderer.show('{"tasks": [1]}', step="b", format="json")
        await renderer.show("two   blanks", step="c", format="text")
        return "over"

    seen = COLOUR.sub("", play(talk, []))

    assert re.search(r"Status.*3.* agents.*\"tasks\".*two   blanks", seen, re.DOTALL)


def test_a_question_is_shown_and_its_answer_reaches_the_workflow(play: Player) -> None:
    got: list[str | None] = []
    seen = COLOUR.sub("", play(asking(ROLE, NAME, got=got), ["Engineer", "Thoth"]))

    assert got == ["Engineer", "Thoth"]
    assert re.search(r"Which role\?.*1\. Architect.*2\. Engineer.*Which name\?", seen, re.DOTALL)


def test_a_number_or_another_spelling_is_taken_for_an_option(play: Player) -> None:
    got: list[str | None] = []
    play(asking(ROLE, ROLE, ROLE, got=got), ["2", "architect", " Engineer "])

    assert got == ["Engineer", "Architect", "Engineer"]


def test_nothing_is_taken_for_the_default(play: Player) -> None:
    got: list[str | None] = []
    play(asking(NAME, got=got), [""])

    assert got == ["Ptah"]


def test_an_answer_that_is_no_option_is_left_to_the_workflow_to_judge(play: Player) -> None:
    got: list[str | None] = []
    play(asking(ROLE, NAME, got=got), ["3", "x; rm -rf /"])

    assert got == ["3", "x; rm -rf /"]


def test_after_a_wrong_answer_it_is_told_why_and_asked_again(play: Player) -> None:
    got: list[str] = []

    async def talk(renderer: Renderer) -> str:
        wrong = ""
        while (answer := await renderer.ask(ROLE, step="role", wrong=wrong)) not in ROLE.options:
            wrong = f"{answer} is no role"
        got.append(str(answer))
        return "over"

    seen = play(talk, ["Wizard", "King", "Architect"])

    assert got == ["Architect"]
    assert re.search(r"Wizard is no role.*King is no role", seen, re.DOTALL)
    assert seen.count("Which role?") == 3


def test_when_nobody_answers_the_workflow_is_told_so(play: Player) -> None:
    got: list[str | None] = []
    play(asking(NAME, ROLE, got=got), ["Thoth"])

    assert got == ["Thoth", None]


def test_progress_disturbs_nothing(play: Player) -> None:
    got: list[str | None] = []

    async def talk(renderer: Renderer) -> str:
        for state in ("started", "finished", "started", "failed"):
            await renderer.progress(
                Progress(
                    step="s",
                    kind="command",
                    index=1,
                    total=2,
                    summary="Looking",
                    state=state,
                )
            )
            got.append(await renderer.ask(NAME, step="name"))
        return "over"

    play(talk, ["a", "b", "c", "d"])

    assert got == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "name", sorted(PLAYERS.keys() - {"json", "web"})
)  # whoever draws those makes it safe
def test_text_of_a_workflow_cannot_drive_a_terminal(name: str) -> None:
    async def talk(renderer: Renderer) -> str:
        for form in ("markdown", "text", "json"):
            await renderer.show("\x1b]0;owned\x07 \x9b2J \u202eevil", step="a", format=form)
        evil = Question(id="e", prompt="\x1b[2Jwhich\x07", options=("\x1b[35mred", "b\nlue"))
        answer = await renderer.ask(evil, step="b", wrong="\x1b[2Jwrong")
        return f"over {answer}\x1b[35m"

    seen = PLAYERS[name](talk, ["2"])

    assert "\x1b[35m" not in seen
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", COLOUR.sub("", seen))
    assert "owned" in seen
